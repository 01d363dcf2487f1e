"""What `hookspan doctor` finds."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator

import pytest

from tests.cli.conftest import CommandLine


@pytest.fixture
def listener() -> Iterator[int]:
    """A port on loopback where something answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def _findings(hookspan: CommandLine) -> dict[str, list[tuple[str, str]]]:
    found: dict[str, list[tuple[str, str]]] = {}
    for one in json.loads(hookspan("doctor", "--json").output)["findings"]:
        found.setdefault(one["subject"], []).append((one["level"], one["text"]))
    return found


def test_the_embedded_default(hookspan: CommandLine) -> None:
    hookspan.record()
    found = _findings(hookspan)
    assert found["langgraph"][0][0] == "ok"
    assert found["content"] == [("ok", "tools (the default here)")]
    assert found["store"][0][0] == "ok"
    assert f"{hookspan.home / 'trail.db'}: 3 runs" in found["store"][0][1]
    assert found["otlp"][0][0] == "note"


def test_a_collector_that_answers(hookspan: CommandLine, monkeypatch: pytest.MonkeyPatch, listener: int) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{listener}")
    found = _findings(hookspan)
    assert found["otlp"] == [("ok", f"http://127.0.0.1:{listener} by http/protobuf, reachable")]
    assert found["content"] == [("ok", "none (the default here)")]
    assert found["store"][0][0] == "note"


def test_a_collector_that_does_not_answer_is_a_problem(hookspan: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{port}")
    result = hookspan("doctor")
    assert result.exit_code == 1
    assert "nothing answers" in result.output


def test_sampling_is_warned_of(hookspan: CommandLine, monkeypatch: pytest.MonkeyPatch, listener: int) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{listener}")
    monkeypatch.setenv("OTEL_TRACES_SAMPLER", "parentbased_traceidratio")
    monkeypatch.setenv("OTEL_TRACES_SAMPLER_ARG", "0.01")
    monkeypatch.setenv("HOOKSPAN_STORE", "true")
    found = _findings(hookspan)
    assert found["sampling"] == [
        ("problem", "parentbased_traceidratio 0.01: the collector gets only a part of the runs; the store stays complete")
    ]


def test_wrong_settings_are_named_with_what_is_allowed(hookspan: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOOKSPAN_CONTENT", "everything")
    result = hookspan("doctor")
    assert result.exit_code == 1
    assert "HOOKSPAN_CONTENT='everything'" in result.output
    assert "none" in result.output


def test_headers_are_not_shown(hookspan: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer abcdef")
    assert "abcdef" not in hookspan("doctor").output
    assert "abcdef" not in hookspan("doctor", "--json").output


def test_a_home_that_cannot_be_written(hookspan: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    (hookspan.home / "file").write_text("")
    monkeypatch.setenv("HOOKSPAN_HOME", str(hookspan.home / "file" / "home"))
    result = hookspan("doctor")
    assert result.exit_code == 1
    assert "cannot be written; set HOOKSPAN_HOME" in " ".join(result.output.split())
