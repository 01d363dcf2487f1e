"""Beside the real packages of others: each logical call once from us, theirs as without us (cases P49 and P50)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from hookspan.store.reader import opened

pytestmark = [pytest.mark.peers, pytest.mark.slow]

PROGRAM = Path(__file__).with_name("program.py")
OURS = ["invoke_agent clerk", "chat", "execute_tool search", "chat"]


def _run(name: str, ours: str, home: Path) -> dict[str, Any]:
    environ = {key: value for key, value in os.environ.items() if not key.startswith(("OTEL_", "HOOKSPAN_"))}
    environ |= {
        "HOOKSPAN_HOME": str(home),
        "HOOKSPAN_STORE": "true",
        "DD_TRACE_ENABLED": "true",
        "DD_INSTRUMENTATION_TELEMETRY_ENABLED": "false",
    }
    # ddtrace's own writer looks for an agent on this port of loopback: nobody is there, and nothing is to be sent anywhere
    environ |= {"DD_TRACE_AGENT_URL": "http://127.0.0.1:9", "DD_REMOTE_CONFIGURATION_ENABLED": "false", "LANGSMITH_TRACING": "false"}
    done = subprocess.run([sys.executable, str(PROGRAM), name, ours], env=environ, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def _shape(spans: list[dict[str, Any]], scope: str) -> Counter[str]:
    return Counter(span["name"] for span in spans if span["scope"] == scope)


@pytest.mark.parametrize("ours", ["before", "after"])
@pytest.mark.parametrize("name", ["openinference", "openllmetry", "genai"])
def test_beside_another_instrumentation(name: str, ours: str, tmp_path: Path) -> None:
    without, both = _run(name, "without", tmp_path / "a"), _run(name, ours, tmp_path / "b")
    theirs = Counter((span["scope"], span["name"]) for span in without["spans"])
    together = Counter((span["scope"], span["name"]) for span in both["spans"] if span["scope"] != "hookspan")
    assert together == theirs
    mine = [span for span in both["spans"] if span["scope"] == "hookspan"]
    assert Counter(span["name"].partition(" Generic")[0] for span in mine) == Counter(OURS)
    assert sum(span["attributes"].get("gen_ai.usage.input_tokens", 0) for span in mine) == 200
    request = next(span for span in both["spans"] if span["name"] == "request")
    assert {span["trace"] for span in mine} == {request["trace"]}
    assert [line for line in both["logged"] if line not in without["logged"] and line.startswith("hookspan")] == []


@pytest.mark.parametrize("ours", ["before", "after"])
@pytest.mark.parametrize("name", ["sdk", "logfire"])
def test_with_a_provider_of_the_application(name: str, ours: str, tmp_path: Path) -> None:
    told = _run(name, ours, tmp_path)
    spans = told["spans"]
    by_name = {span["name"].partition(" Generic")[0]: span for span in spans}
    assert by_name["invoke_agent clerk"]["parent"] == by_name["request"]["id"]
    assert by_name["execute_tool search"]["parent"] == by_name["invoke_agent clerk"]["id"]
    assert by_name["inner"]["parent"] == by_name["execute_tool search"]["id"]
    assert _shape(spans, "application") == {"request": 1, "inner": 1}
    assert not [line for line in told["logged"] if "Overriding" in line or "detach" in line]


@pytest.mark.parametrize("ours", ["before", "after"])
def test_with_a_foreign_provider(ours: str, tmp_path: Path) -> None:
    """ddtrace's provider implements the API and nothing of the SDK (no add_span_processor)."""
    told = _run("ddtrace", ours, tmp_path)
    assert not [line for line in told["logged"] if line.startswith("hookspan") or "Overriding" in line]
    with opened(tmp_path / "trail.db") as trail:
        (run,) = trail.runs()
        spans = trail.spans(run.trace_id)
    assert (run.outcome, run.tools, run.input_tokens) == ("completed", 1, 200)
    assert [span.name.partition(" Generic")[0] for span in spans] == OURS
