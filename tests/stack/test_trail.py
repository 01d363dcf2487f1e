"""A user's program, one environment variable, the real collector, Jaeger and Prometheus: what a person then reads there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.stack.jaeger import Stored, drawn, traces
from tests.stack.services import fetch, until
from tests.support.trails import tidy

pytestmark = pytest.mark.stack

ROOT = Path(__file__).resolve().parents[2]
ARRIVES_WITHIN_S = 30
PROTOCOLS = {"http/protobuf": "COLLECTOR_HTTP", "grpc": "COLLECTOR_GRPC"}
SHOWN = (
    "hookspan.run.outcome",
    "hookspan.stop.reason",
    "gen_ai.tool.call.id",
    "hookspan.tool.outcome",
    "hookspan.decision.verdict",
    "hookspan.decision.reason",
    "gen_ai.usage.input_tokens",
)
EXPECTED = """
    invoke_agent clerk run.outcome=interrupted stop.reason=interrupt [interrupt] [stop] [usage]
      chat scripted-1 usage.input_tokens=30
      execute_tool delete tool.call.id=c-delete tool.outcome=interrupted
        pause tool.call.id=c-delete
      execute_tool add tool.call.id=c-add tool.outcome=interrupted
      invoke_agent clerk run.outcome=completed stop.reason=end_turn [resume] [stop]
        approval delete tool.call.id=c-delete decision.verdict=deny decision.reason=not today
        execute_tool delete tool.call.id=c-delete tool.outcome=denied decision.verdict=deny decision.reason=not today [decision]
        execute_tool add tool.call.id=c-add tool.outcome=success [tool.start] [tool.end]
        chat scripted-1
"""


@dataclass(frozen=True)
class Sent:
    """What the program's run left: the trace in Jaeger, and the trail in the local store beside it."""

    service: str
    trace: list[Stored]
    stored: list[dict[str, Any]]


@pytest.fixture(scope="module", params=sorted(PROTOCOLS))
def sent(request: pytest.FixtureRequest, at: Mapping[str, str], tmp_path_factory: pytest.TempPathFactory) -> Sent:
    protocol: str = request.param
    service = f"clerk-{PROTOCOLS[protocol].lower()}"
    environ = {
        **os.environ,
        "HOOKSPAN_ENABLED": "true",
        "HOOKSPAN_STORE": "true",
        "HOOKSPAN_HOME": str(tmp_path_factory.mktemp("home")),
        "OTEL_SERVICE_NAME": service,
        "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://{at[PROTOCOLS[protocol]]}",
        "OTEL_EXPORTER_OTLP_PROTOCOL": protocol,
        "NO_PROXY": "127.0.0.1",
    }
    run([sys.executable, "-m", "tests.stack.program"], environ)
    shown = json.loads(run([str(Path(sys.executable).parent / "hookspan"), "trail", "show", "latest", "--json"], environ))
    ids = {span["span_id"] for span in shown["spans"]}

    def arrived() -> list[Stored] | None:
        whole = [trace for trace in traces(at["JAEGER_QUERY"], service) if {span.span_id for span in trace} >= ids]
        return whole[0] if whole else None

    return Sent(service, until(arrived, ARRIVES_WITHIN_S, f"the trace of {service} in Jaeger"), shown["spans"])


def run(command: list[str], environ: dict[str, str]) -> str:
    done = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def test_the_whole_tree_arrives(sent: Sent) -> None:
    assert drawn(sent.trace, *SHOWN) == tidy(EXPECTED)


def test_jaeger_and_the_store_hold_the_same_records(sent: Sent) -> None:
    in_jaeger = {span.span_id: (span.name, span.parent_span_id, span.attributes, sorted(span.events)) for span in sent.trace}
    in_store = {
        span["span_id"]: (
            span["name"],
            span["parent_span_id"],
            {key: as_jaeger_has_it(value) for key, value in span["attributes"].items()},
            sorted(event["name"] for event in span["events"]),
        )
        for span in sent.stored
    }
    assert in_jaeger == in_store


def test_a_person_finds_the_refused_call_by_its_attribute(sent: Sent, at: Mapping[str, str]) -> None:
    wanted = "%7B%22hookspan.decision.verdict%22%3A%22deny%22%7D"
    found = fetch(f"http://{at['JAEGER_QUERY']}/api/traces?service={sent.service}&tags={wanted}&lookback=1h")
    assert [trace["traceID"] for trace in found["data"]] == [sent.trace[0].trace_id]


def test_the_metrics_are_visible_in_prometheus(sent: Sent, at: Mapping[str, str]) -> None:
    query = f"sum by (gen_ai_token_type) (gen_ai_client_token_usage_sum{{job='{sent.service}'}})"

    def tokens() -> dict[str, float]:
        answer = fetch(f"http://{at['PROMETHEUS']}/api/v1/query?query={query.replace(' ', '%20')}")
        return {series["metric"]["gen_ai_token_type"]: float(series["value"][1]) for series in answer["data"]["result"]}

    assert until(tokens, ARRIVES_WITHIN_S, "token usage in Prometheus") == {"input": 30.0, "output": 12.0}


def as_jaeger_has_it(value: object) -> object:
    """Jaeger gives a list as its JSON text."""
    return json.dumps(value, separators=(",", ":")) if isinstance(value, list) else value
