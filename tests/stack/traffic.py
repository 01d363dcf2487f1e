"""Known traffic: facts of all three frameworks, told to the real recorder, exported by the real SDK; and what was sent, to compare with.

The scenarios are the contract's (`tests/contract`), moved to now; `hooks_of_every_outcome` adds what none of them has.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from hookspan.model.clock import now
from hookspan.model.content import ContentMode
from hookspan.model.decision import Denied, Source, Verdict
from hookspan.model.facts import Fact, Failure, HandlerEnded, HandlerStarted, RunEnded, RunKind, RunStarted, ToolStarted
from hookspan.model.ids import CallId, RecordKey
from hookspan.model.kinds import HookOutcome, RunOutcome
from hookspan.spans.otel_sink import OTelSink
from hookspan.spans.pauses import PausesInMemory
from hookspan.spans.payload import ContentPolicy
from hookspan.spans.recorder import Recorder
from hookspan.spans.tracers import Tracers
from tests.contract import facts_claude, facts_langgraph, facts_strands
from tests.support.contract_story import NOON

Sent = Sequence[ReadableSpan]

PLANTED = "sk-" + "aB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW0xY"
"""Gets past a recorder without a redactor, for the collector to find."""


def hooks_of_every_outcome(run: str, at: int) -> Iterator[Fact]:
    """A run with a hook command of each outcome, a callback that failed, and a call whose end is never told."""
    key = RecordKey(run)
    yield RunStarted(run=key, key=key, at=at, kind=RunKind.AGENT, name="clerk", framework="deepagents_code", conversation=f"c-{run}")
    refusal = Denied(source=Source.HOOK_COMMAND, by="guard.sh", reason=f"not with {PLANTED}", verdict=Verdict.BLOCK)
    for place, outcome in enumerate(HookOutcome):
        if outcome is HookOutcome.UNFINISHED:
            continue
        handler, began = RecordKey(f"{run}/{outcome}"), at + place * 10**7
        yield HandlerStarted(
            run=key,
            key=handler,
            at=began,
            event="PostToolUse",
            name=f"{outcome}.sh",
            command=True,
            framework="deepagents_code",
            parent=key,
            source="project",
            rank=place,
            timeout_s=5.0,
        )
        yield HandlerEnded(
            run=key,
            key=handler,
            at=began + 5 * 10**7 + place * 10**8,
            outcome=outcome,
            decision=refusal if outcome is HookOutcome.BLOCK else None,
            exit_code={HookOutcome.OK: 0, HookOutcome.BLOCK: 2, HookOutcome.ERROR: 1}.get(outcome),
        )
    callback = RecordKey(f"{run}/callback")
    yield HandlerStarted(
        run=key,
        key=callback,
        at=at,
        event="after_model",
        name="shop.audit",
        command=False,
        framework="langgraph",
        parent=key,
        source="code",
    )
    yield HandlerEnded(run=key, key=callback, at=at + 3 * 10**6, outcome=HookOutcome.ERROR, failure=Failure("ValueError", "no"))
    lost = RecordKey(f"{run}/lost")
    yield ToolStarted(run=key, key=lost, at=at, name="deploy", framework="deepagents_code", call=CallId(f"call-{run}"), parent=key)
    yield RunEnded(run=key, key=key, at=at + 10**9, outcome=RunOutcome.ERROR, failure=Failure("RuntimeError", "gone"))


def told(address: str, service: str, rounds: int) -> Sent:
    """Tells everything `rounds` times, as that many processes of `service`; all spans that were exported, and acknowledged."""
    return [span for number in range(rounds) for span in _one_process(address, service, number)]


def _one_process(address: str, service: str, number: int) -> Sent:
    memory = InMemorySpanExporter()
    provider = TracerProvider(resource=Resource.create({"service.name": service}), shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(memory))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(f"http://{address}/v1/traces")))
    sink = OTelSink(Tracers(provider))
    moved = now() - NOON - 120 * 10**9
    for scenarios in (facts_langgraph.SCENARIOS, facts_strands.SCENARIOS, facts_claude.SCENARIOS):
        for scenario in scenarios.values():
            recorder = _recorder(sink)
            for fact in scenario():
                recorder.record(replace(fact, at=fact.at + moved))
    recorder = _recorder(sink)
    for fact in hooks_of_every_outcome(f"hooks-{number}", now() - 10**10):
        recorder.record(fact)
    recorder.shutdown(10)
    provider.shutdown()
    return memory.get_finished_spans()


def _recorder(sink: OTelSink) -> Recorder:
    return Recorder(identity=sink, sinks=[sink], policy=ContentPolicy(mode=ContentMode.TOOLS), pauses=PausesInMemory())
