"""The second way out, for general use: failures, refusals and answers always, a part of the rest; the audit pipeline has all."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from collector.local import collector, running
from hookspan.spans import names as n
from tests.stack.otlp import Plain, new_trace, request, send, span
from tests.stack.services import free_addresses, until
from tests.support.otlp_receiver import over_grpc

pytestmark = pytest.mark.stack

TOOL: Mapping[str, Plain] = {n.RECORD: n.TOOL, n.TOOL_OUTCOME: "success"}
INTERESTING: Mapping[str, tuple[Mapping[str, Plain], str]] = {
    "failed": (TOOL, "it broke"),
    "refused": ({**TOOL, n.TOOL_OUTCOME: "denied"}, ""),
    "blocked by a hook": ({n.RECORD: n.HOOK_COMMAND, n.DECISION_VERDICT: "block", n.HOOK_OUTCOME: "block"}, ""),
    "answered": ({n.RECORD: n.APPROVAL, n.DECISION_VERDICT: "allow"}, ""),
    "waits": ({n.RECORD: n.PAUSE}, ""),
    "hook that timed out": ({n.RECORD: n.HOOK_COMMAND, n.HOOK_OUTCOME: "timeout"}, ""),
    "run that failed": ({n.RECORD: n.AGENT, n.RUN_OUTCOME: "error"}, ""),
}
DULL = 300
EACH = 5


def trace_with(attributes: Mapping[str, Plain], error: str = "") -> list[Span]:
    """A trace of four spans; one of them is the interesting one, and it is not the root."""
    trace = new_trace()
    root = span("invoke_agent clerk", {n.RECORD: n.AGENT, n.RUN_OUTCOME: "completed"}, trace=trace)
    others = [span("execute_tool add", TOOL, trace=trace, parent=root.span_id) for _ in range(2)]
    return [root, *others, span("one", attributes, trace=trace, parent=root.span_id, error=error)]


def test_what_somebody_will_look_at_is_kept_whole_and_the_audit_trail_has_everything(
    programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = [trace_with(*about) for about in INTERESTING.values() for _ in range(EACH)]
    dull = [trace_with(TOOL) for _ in range(DULL)]
    with over_grpc() as audit, over_grpc() as sampled:
        monkeypatch.setenv("SAMPLED_BACKEND", sampled.endpoint.removeprefix("http://"))
        monkeypatch.setenv("SAMPLED_AFTER", "2s")
        at = {**free_addresses(), "JAEGER_GRPC": audit.endpoint.removeprefix("http://")}
        with running(collector(programs, at, tmp_path / "queue", "sampled.yaml"), tmp_path):
            for whole in (*kept, *dull):
                send(at["COLLECTOR_HTTP"], request(whole, "sampled"))
            wanted = {one.span_id for whole in kept for one in whole}
            until(lambda: wanted <= {one.span_id for one in list(sampled.spans)}, 30, "the traces that are always kept")
        everything = {one.span_id for whole in (*kept, *dull) for one in whole}
        assert {one.span_id for one in audit.spans} == everything
        rest = {one.trace_id for one in sampled.spans} - {whole[0].trace_id for whole in kept}
        assert 0 < len(rest) < DULL / 3
        assert len(sampled.spans) == 4 * (len(rest) + len(kept)), "no trace is torn"
