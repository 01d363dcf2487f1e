"""What the recorder promises, whatever is told it: any order, twice, or never."""

from __future__ import annotations

import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from hookspan.model.content import ContentMode
from hookspan.model.facts import Fact, HookOutcome, RunOutcome, ToolOutcome
from hookspan.spans import names as n
from hookspan.spans.otel_sink import OTelSink
from hookspan.spans.pauses import PausesInMemory
from hookspan.spans.payload import ContentPolicy
from hookspan.spans.record import Record
from hookspan.spans.recorder import Recorder
from hookspan.spans.tracers import Tracers
from hookspan.store.reader import opened
from hookspan.store.writer import StoreSink
from tests.support.histories import BEGAN, histories, mangled, reordered
from tests.support.memory import MemorySink, line, memory_recorder

many = settings(max_examples=300, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
"""The same examples every time: a check that fails only sometimes is no check."""
some = settings(many, max_examples=30)

_OUTCOME = {
    n.AGENT: (n.RUN_OUTCOME, RunOutcome),
    n.WORKFLOW: (n.RUN_OUTCOME, RunOutcome),
    n.TOOL: (n.TOOL_OUTCOME, ToolOutcome),
    n.HOOK: (n.HOOK_OUTCOME, HookOutcome),
    n.HOOK_COMMAND: (n.HOOK_OUTCOME, HookOutcome),
    n.HOOK_CALLBACK: (n.HOOK_OUTCOME, HookOutcome),
}


def told(facts: Sequence[Fact]) -> MemorySink:
    recorder, sink = memory_recorder(mode=ContentMode.TOOLS, clock=lambda: BEGAN * 2)
    for fact in facts:
        recorder.record(fact)
    recorder.close()
    assert recorder.open_records == 0
    return sink


def holds(sink: MemorySink) -> None:
    """All that is promised of any facts."""
    assert sink.open == {}
    records = sink.records
    assert len(sink.ended) == len(records)
    assert max(Counter(record.key for record in records).values(), default=1) == 1
    by_span = {record.ids.span_id: record for record in records if record.ids is not None}
    assert len(by_span) == len(records)
    runs: dict[str, list[Record]] = {}
    for record in records:
        runs.setdefault(record.run_id, []).append(record)
    for run, mine in runs.items():
        assert len({record.ids.trace_id for record in mine if record.ids is not None}) == 1, run
        assert [record.outermost for record in mine] == [True] + [False] * (len(mine) - 1), run
        assert [record.attributes[n.SEQUENCE] for record in mine] == list(range(1, len(mine) + 1)), run
        assert mine[0].attributes[n.RECORDS_TOTAL] <= len(mine), run  # pyright: ignore[reportOperatorIssue] -- it is a number
        assert max(record.attributes.get(n.RECORDS_TOTAL, 0) for record in mine) == len(mine), run  # pyright: ignore[reportArgumentType] -- each is a number
    for record in records:
        assert record.end is not None
        assert record.start <= record.end
        if record.kind in _OUTCOME:
            attribute, declared = _OUTCOME[record.kind]
            assert record.attributes[attribute] in set(declared), record.name
        if not record.outermost:
            assert record.parent is not None
            assert by_span[record.parent.span_id].run_id == record.run_id
            assert record.start >= by_span[record.parent.span_id].start


@many
@given(mangled())
def test_any_facts_in_any_order_twice_or_never_are_whole_trees_with_nothing_open(facts: Sequence[Fact]) -> None:
    holds(told(facts))


@many
@given(histories(), st.data())
def test_what_comes_twice_changes_nothing(facts: Sequence[Fact], data: st.DataObject) -> None:
    twice = data.draw(st.lists(st.integers(0, len(facts) - 1), max_size=8))
    again = [copy for number, fact in enumerate(facts) for copy in [fact] * (1 + twice.count(number))]
    assert shape(told(again)) == shape(told(facts))


@many
@given(histories())
def test_a_child_begins_within_its_parent_and_each_run_counts_its_records(facts: Sequence[Fact]) -> None:
    sink = told(facts)
    holds(sink)
    by_span = {record.ids.span_id: record for record in sink.records if record.ids is not None}
    for record in sink.records:
        if record.parent is not None and record.parent.span_id in by_span:
            assert record.start >= by_span[record.parent.span_id].start


@many
@given(reordered())
def test_beginnings_and_ends_in_another_order_give_the_same_records(both: tuple[Sequence[Fact], Sequence[Fact]]) -> None:
    straight, mixed = both
    assert shape(told(mixed)) == shape(told(straight))


@pytest.mark.parametrize("threads", [1, 3])
@some
@given(mangled(15))
def test_all_sinks_hear_the_same_however_many_threads_tell_of_a_run(threads: int, facts: Sequence[Fact]) -> None:
    exporter = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    memory, spans = MemorySink(), OTelSink(Tracers(provider))
    with tempfile.TemporaryDirectory() as home:
        path = Path(home) / "trail.db"
        recorder = Recorder(identity=spans, sinks=[memory, spans, StoreSink(path, None)], policy=ContentPolicy(), pauses=PausesInMemory())
        _by_threads(recorder, [facts[number::threads] for number in range(threads)])
        recorder.shutdown(10)
        holds(memory)
        stored = {}
        if memory.records:
            with opened(path) as trail:
                traces = {run.trace_id for run in trail.runs(limit=1000)}
                stored = {span.span_id: span for trace in traces for span in trail.spans(trace)}
    assert spans.open_spans == spans.remembered_runs == 0
    exported = {span.context.span_id: span for span in exporter.get_finished_spans() if span.context is not None}
    assert len(exported) == len(exporter.get_finished_spans()) == len(memory.records) == len(stored)
    for record in memory.records:
        assert record.ids is not None
        span, row = exported[record.ids.span_id], stored[f"{record.ids.span_id:016x}"]
        parent = record.parent.span_id if record.parent is not None else None
        assert (span.parent.span_id if span.parent is not None else None) == parent
        assert row.parent_span_id == (f"{parent:016x}" if parent is not None else None)
        assert span.name == row.name == record.name
        assert (span.start_time, span.end_time) == (row.start_ns, row.end_ns) == (record.start, record.end)
        attributes = {name: tuple(value) if isinstance(value, list) else value for name, value in record.attributes.items()}
        assert dict(span.attributes or {}) == attributes
        assert {name: tuple(value) if isinstance(value, list) else value for name, value in row.attributes.items()} == attributes
        events = [event.name for event in record.events]
        assert [event.name for event in span.events] == [event.name for event in row.events] == events


@some
@given(st.lists(histories(12, resumes=False), min_size=2, max_size=4))
def test_runs_that_are_told_by_several_threads_at_once_stay_apart(several: Sequence[Sequence[Fact]]) -> None:
    recorder, sink = memory_recorder(mode=ContentMode.TOOLS, clock=lambda: BEGAN * 2)
    apart = [told(_named(facts, number)) for number, facts in enumerate(several)]
    _by_threads(recorder, [_named(facts, number) for number, facts in enumerate(several)])
    recorder.close()
    recorder.flush(10)
    holds(sink)
    assert sorted(shape(sink)) == sorted(one for alone in apart for one in shape(alone))


def shape(sink: MemorySink) -> list[str]:
    """The trees, each record with what became of it; what stands side by side in an order of its own."""
    records = sink.records
    spans = {record.ids.span_id for record in records if record.ids is not None}

    def drawn(above: int | None) -> list[str]:
        found: list[str] = []
        for record in records:
            assert record.ids is not None
            parent = record.parent.span_id if record.parent is not None and record.parent.span_id in spans else None
            if parent == above:
                found.append("\n".join([line(record), *(f"  {inner}" for inner in drawn(record.ids.span_id))]))
        return sorted(found)

    return drawn(None)


def _by_threads(recorder: Recorder, shares: Sequence[Sequence[Fact]]) -> None:
    """Each share in its order, all at once, and interrupted as often as the interpreter can: else one is done before
    another begins."""
    together = threading.Barrier(len(shares))

    def tell(facts: Sequence[Fact]) -> None:
        together.wait()
        for fact in facts:
            recorder.record(fact)

    threads = [threading.Thread(target=tell, args=(share,)) for share in shares]
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(usual)


def _named(facts: Sequence[Fact], number: int) -> Sequence[Fact]:
    """The same history with keys of its own."""

    def own(key: str | None) -> str | None:
        return f"{number}/{key}" if key is not None else None

    renamed: list[Fact] = []
    for fact in facts:
        changed = replace(fact, run=own(fact.run), key=own(fact.key))
        parent = getattr(fact, "parent", None)
        renamed.append(replace(changed, parent=own(parent)) if parent is not None else changed)
    return renamed
