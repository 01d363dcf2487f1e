"""A recorder with both real sinks, whose OTel spans go to a file at once, and a story that stops in the middle."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from typing import Any

from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.trace import StatusCode

from hookspan.model.content import ContentMode
from hookspan.model.decision import Denied, Granted, Source
from hookspan.model.facts import (
    Answer,
    Decided,
    Fact,
    Failure,
    HandedOff,
    HandlerEnded,
    HandlerStarted,
    HookEnded,
    HookOutcome,
    HookStarted,
    Interrupted,
    InterruptKind,
    Mechanism,
    ModelEnded,
    ModelStarted,
    Resume,
    RunEnded,
    RunKind,
    RunOutcome,
    RunStarted,
    Stop,
    StopReason,
    ToolEnded,
    ToolOrigin,
    ToolOutcome,
    ToolProposed,
    ToolStarted,
)
from hookspan.model.ids import CallId, RecordKey
from hookspan.model.usage import TokenUsage
from hookspan.spans import names as n
from hookspan.spans.otel_sink import OTelSink
from hookspan.spans.pauses import PausesInMemory
from hookspan.spans.payload import ContentPolicy
from hookspan.spans.recorder import Recorder
from hookspan.spans.tracers import Tracers
from hookspan.store.writer import StoreSink

BEGAN = 1_700_000_000_000_000_000
FRAMEWORK = "test"


class ExportedToFile(SpanExporter):
    """Each span as a line, as soon as it ended."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        with self._file.open("a") as lines:
            for span in spans:
                lines.write(json.dumps(_line(span)) + "\n")
        return SpanExportResult.SUCCESS


def recording(home: Path) -> Recorder:
    exporter = ExportedToFile(home / "spans")
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    spans = OTelSink(Tracers(provider))
    policy = ContentPolicy(mode=ContentMode.TOOLS)
    ticks = iter(range(BEGAN + 10**9, BEGAN + 2 * 10**9))
    store = StoreSink(home / "trail.db", None)
    return Recorder(identity=spans, sinks=[spans, store], policy=policy, pauses=PausesInMemory(), clock=lambda: next(ticks))


def exported(home: Path) -> Sequence[Mapping[str, Any]]:
    """What `recording` exported: all of a span but what is random or names the process."""
    lines = [json.loads(line) for line in (home / "spans").read_text().splitlines()]
    began = {**{line["id"]: [line["name"], line["start"]] for line in lines}, **_unended(home, lines)}
    shown = [{**{key: value for key, value in line.items() if key != "id"}, "parent": began.get(line["parent"])} for line in lines]
    return sorted(shown, key=lambda one: (one["start"], one["name"]))


def _unended(home: Path, lines: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Name and beginning of parents that have not been exported: only the store knows them by now."""
    from hookspan.store.reader import opened

    ids = {line["id"] for line in lines}
    with opened(home / "trail.db") as store:
        spans = [span for run in store.runs() for span in store.spans(run.trace_id)]
    return {span.span_id: [span.name, span.start_ns] for span in spans if span.span_id not in ids}


def _line(span: ReadableSpan) -> Mapping[str, Any]:
    assert span.context is not None
    return {
        "id": f"{span.context.span_id:016x}",
        "name": span.name,
        "kind": span.kind.name,
        "parent": f"{span.parent.span_id:016x}" if span.parent is not None else None,
        "start": span.start_time,
        "end": span.end_time,
        "error": span.status.description if span.status.status_code is StatusCode.ERROR else None,
        "attributes": {name: value for name, value in (span.attributes or {}).items() if name != n.WRITER_ID},
        "events": [[event.name, event.timestamp, dict(event.attributes or {})] for event in span.events],
        "links": len(span.links),
    }


def story() -> Generator[Fact]:
    """A turn with a hook that refuses a call, a failing call and a pause; then its resumed turn, up to the middle."""
    at = iter(range(BEGAN, BEGAN + 10**9, 1_000_000))
    one, two = RecordKey("one"), RecordKey("two")
    agent = {"kind": RunKind.AGENT, "name": "coder", "framework": FRAMEWORK, "conversation": "c"}
    yield RunStarted(run=one, key=one, at=next(at), **agent)  # pyright: ignore[reportArgumentType] -- the same for both turns
    yield ModelStarted(run=one, key=RecordKey("m1"), at=next(at), parent=one, model="m", provider="p", framework=FRAMEWORK)
    usage = TokenUsage(input=100, output=10, cache_read=60)
    yield ModelEnded(run=one, key=RecordKey("m1"), at=next(at), usage=usage, finish_reasons=("tool_use",))
    for call, name in (("c1", "rm"), ("c2", "ls"), ("c3", "deploy")):
        yield ToolProposed(run=one, key=one, at=next(at), call=CallId(call), name=name, arguments={"path": "/"})
    hook = RecordKey("h1")
    yield HookStarted(run=one, key=hook, at=next(at), parent=one, event="PreToolUse", framework=FRAMEWORK, call=CallId("c1"), handlers=1)
    yield HandlerStarted(
        run=one,
        key=RecordKey("h1.1"),
        at=next(at),
        parent=hook,
        event="PreToolUse",
        name="guard.sh",
        framework=FRAMEWORK,
        command=True,
        call=CallId("c1"),
        command_line="guard.sh --strict",
    )
    no = Denied(source=Source.HOOK_COMMAND, by="guard.sh", reason="never the root")
    yield HandlerEnded(run=one, key=RecordKey("h1.1"), at=next(at), outcome=HookOutcome.BLOCK, decision=no, exit_code=2)
    yield HookEnded(run=one, key=hook, at=next(at), outcome=HookOutcome.BLOCK)
    yield Decided(run=one, key=one, at=next(at), decision=no, call=CallId("c1"), tool="rm")
    yield ToolStarted(run=one, key=RecordKey("t2"), at=next(at), parent=one, name="ls", framework=FRAMEWORK, call=CallId("c2"))
    failed = Failure("FileNotFoundError", "no such file")
    yield ToolEnded(run=one, key=RecordKey("t2"), at=next(at), outcome=ToolOutcome.ERROR, failure=failed)
    yield Interrupted(
        run=one,
        key=one,
        at=next(at),
        interrupt="i1",
        kind=InterruptKind.APPROVAL,
        framework=FRAMEWORK,
        calls=(CallId("c3"),),
        thread="c",
    )
    yield RunEnded(run=one, key=one, at=next(at), outcome=RunOutcome.INTERRUPTED, stop=Stop(StopReason.INTERRUPT))
    yes = Answer("i1", (Granted(source=Source.HUMAN, by="ada"),))
    yield RunStarted(run=two, key=two, at=next(at), resume=Resume("c", (yes,)), **agent)  # pyright: ignore[reportArgumentType] -- as above
    yield ToolStarted(run=two, key=RecordKey("t3"), at=next(at), parent=two, name="deploy", framework=FRAMEWORK, call=CallId("c3"))
    yield ToolEnded(run=two, key=RecordKey("t3"), at=next(at), outcome=ToolOutcome.SUCCESS, result="done")
    task = RecordKey("t4")
    yield ToolStarted(
        run=two,
        key=task,
        at=next(at),
        parent=two,
        name="task",
        framework=FRAMEWORK,
        call=CallId("c4"),
        origin=ToolOrigin.SUBAGENT,
    )
    yield HandedOff(run=two, key=task, at=next(at), source="coder", target="helper", mechanism=Mechanism.SUBAGENT, call=CallId("c4"))
    helper = RecordKey("helper")
    yield RunStarted(run=two, key=helper, at=next(at), parent=task, kind=RunKind.AGENT, name="helper", framework=FRAMEWORK)
    yield ModelStarted(run=two, key=RecordKey("m2"), at=next(at), parent=helper, model="m", provider="p", framework=FRAMEWORK)
    yield ModelEnded(run=two, key=RecordKey("m2"), at=next(at), usage=usage)
