"""Jaeger with the configuration that keeps its traces: they outlive a restart and a kill, whole."""

from __future__ import annotations

import signal
import subprocess
import urllib.parse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import grpc
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2_grpc import TraceServiceStub
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from collector.local import jaeger, start, stop
from tests.stack.otlp import request, span
from tests.stack.services import fetch, free_addresses, until

pytestmark = pytest.mark.stack

LONG = "x" * 20_000


class Kept:
    """A Jaeger on a folder, that can be ended and started again."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self.at: Mapping[str, str] = free_addresses()
        self._program = jaeger(programs, self.at, "jaeger.yaml", folder / "data")
        self._log = folder / "jaeger.log"
        self._process: subprocess.Popen[bytes] = start(self._program, self._log)

    def again(self, how: signal.Signals) -> None:
        self._process.send_signal(how)
        self._process.wait(30)
        self._process = start(self._program, self._log)

    def end(self) -> None:
        stop(self._process)

    def put(self, *spans: Span) -> None:
        with grpc.insecure_channel(self.at["JAEGER_GRPC"]) as channel:
            TraceServiceStub(channel).Export(request(spans, "kept"), timeout=20)

    def spans(self) -> dict[str, Any]:
        query = urllib.parse.urlencode({"service": "kept", "lookback": "1h", "limit": 1000})
        found = fetch(f"http://{self.at['JAEGER_QUERY']}/api/traces?{query}")["data"] or []
        return {one["spanID"]: one for trace in found for one in trace["spans"]}


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_traces_outlive_jaeger(how: signal.Signals, programs: Path, tmp_path: Path) -> None:
    kept = Kept(programs, tmp_path)
    try:
        spans = [span(f"execute_tool {number}", {"note": LONG, "number": number}) for number in range(50)]
        kept.put(*spans)
        wanted = {one.span_id.hex() for one in spans}
        until(lambda: kept.spans().keys() == wanted, 20, "the spans before")
        kept.again(how)
        after = until(kept.spans, 20, "the spans after")
        assert after.keys() == wanted
        assert all({"key": "note", "type": "string", "value": LONG} in one["tags"] for one in after.values())
    finally:
        kept.end()


def test_what_is_older_than_it_is_to_be_kept_goes(programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAEGER_KEEP", "5s")
    kept = Kept(programs, tmp_path)
    try:
        kept.put(span("soon gone", {"a": 1}))
        until(lambda: len(kept.spans()) == 1, 10, "the span")
        until(lambda: not kept.spans(), 20, "its end")
    finally:
        kept.end()
