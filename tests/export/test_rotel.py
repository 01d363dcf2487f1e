"""End to end through an OTLP receiver that nobody of ours wrote (rotel, in Rust), in both protocols, chosen by the
standard variables alone; what it took it forwards, and that is compared with the store, which the same program kept."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hookspan.spans import names as n
from hookspan.store.reader import opened
from tests.support.otlp_receiver import Received, over_http, plain
from tests.support.programs import ROOT, environ

AGENT = Path(pytest.importorskip("rotel").__file__).parent / "rotel-agent"


@pytest.fixture(autouse=True, scope="module")
def it_starts() -> None:
    """Its program is linked with a shared libpython, which not every Python has."""
    tried = subprocess.run([AGENT, "--help"], capture_output=True, text=True, check=False)
    if tried.returncode != 0:
        pytest.skip(f"rotel cannot start beside this Python: {tried.stderr.strip()}")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def forwarding(to: Received, logs: Path) -> Generator[dict[str, str]]:
    """A running rotel; the endpoint of each protocol."""
    ports = {"grpc": free_port(), "http/protobuf": free_port()}
    command = [
        *(str(AGENT), "start", "--log-file", str(logs), "--batch-timeout", "100ms"),
        *("--otlp-grpc-endpoint", f"127.0.0.1:{ports['grpc']}", "--otlp-http-endpoint", f"127.0.0.1:{ports['http/protobuf']}"),
        *("--exporter", "otlp", "--otlp-exporter-endpoint", to.endpoint, "--otlp-exporter-protocol", "http"),
    ]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for port in ports.values():
            _wait_for(port, process)
        yield {protocol: f"http://127.0.0.1:{port}" for protocol, port in ports.items()}
    finally:
        process.terminate()
        process.wait(timeout=20)


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 20
    while time.monotonic() < until and process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    pytest.fail(f"rotel does not listen on {port}")


@pytest.mark.parametrize("protocol", ["http/protobuf", "grpc"])
def test_a_real_agent_s_trail_arrives_whole(protocol: str, tmp_path: Path) -> None:
    with over_http() as received, forwarding(received, tmp_path / "rotel.log") as endpoints:
        variables = {
            "OTEL_EXPORTER_OTLP_ENDPOINT": endpoints[protocol],
            "OTEL_EXPORTER_OTLP_PROTOCOL": protocol,
            "OTEL_SERVICE_NAME": "office",
            "HOOKSPAN_STORE": "true",
            "HOOKSPAN_CONTENT": "tools",
        }
        done = subprocess.run(
            [sys.executable, "-m", "hookspan", "run", str(ROOT / "tests" / "stack" / "program.py")],
            env=environ(variables, tmp_path),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        with opened(tmp_path / "trail.db") as store:
            traces = {run.trace_id for run in store.runs()}
            stored = [span for trace in traces for span in store.spans(trace)]
        received.wait_for(len(stored))

    assert len(stored) >= 8
    sent = {span.span_id.hex(): span for span in received.spans}
    assert len(sent) == len(received.spans) == len(stored)
    for span in stored:
        arrived = sent[span.span_id]
        assert arrived.trace_id.hex() == span.trace_id
        assert arrived.name == span.name
        assert (arrived.parent_span_id.hex() or None) == span.parent_span_id
        assert (arrived.start_time_unix_nano, arrived.end_time_unix_nano) == (span.start_ns, span.end_ns)
        assert plain(arrived.attributes) == span.attributes
        assert [(event.name, plain(event.attributes)) for event in arrived.events] == [
            (event.name, event.attributes) for event in span.events
        ]
        assert [link.span_id.hex() for link in arrived.links] == [link["span_id"] for link in span.links]
    deletes = {str(said[n.TOOL_OUTCOME]): said for said in (plain(span.attributes) for span in received.named("execute_tool delete"))}
    assert deletes.keys() == {"interrupted", "denied"}
    assert deletes["denied"][n.DECISION_REASON] == "not today"
    assert all(resource["service.name"] == "office" for resource in received.resources)
    assert {metric.name for metric in received.metrics} >= {"gen_ai.execute_tool.duration"}
