"""Records as live spans of the real SDK: whose children they are, what they carry, which provider they go to."""

from __future__ import annotations

import contextvars
import logging
import random
from collections.abc import Sequence

import pytest
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanLimits, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import ALWAYS_ON, Decision, ParentBased, Sampler, SamplingResult, TraceIdRatioBased
from opentelemetry.trace import Link, SpanKind, StatusCode, TraceState
from opentelemetry.util.types import Attributes

from hookspan.model.content import ContentMode
from hookspan.model.facts import Failure
from hookspan.spans.otel_ids import remote_span
from hookspan.spans.otel_sink import OTelSink
from hookspan.spans.pauses import PausesInMemory
from hookspan.spans.payload import ContentPolicy
from hookspan.spans.recorder import Recorder
from hookspan.spans.tracers import Tracers
from tests.support.driver import agent, begin_run, begin_tool, end_run, end_tool, model_call
from tests.support.memory import MemorySink


class Backend:
    """An SDK provider with what it exported."""

    def __init__(self, sampler: Sampler = ALWAYS_ON, limits: SpanLimits | None = None) -> None:
        self.exporter = InMemorySpanExporter()
        self.provider = TracerProvider(sampler=sampler, span_limits=limits, shutdown_on_exit=False)
        self.provider.add_span_processor(SimpleSpanProcessor(self.exporter))

    @property
    def spans(self) -> Sequence[ReadableSpan]:
        return self.exporter.get_finished_spans()

    def span(self, name: str) -> ReadableSpan:
        (found,) = [span for span in self.spans if span.name == name]
        return found

    def tree(self) -> str:
        """By start: name, indented below its parent."""
        ids = {span.context.span_id for span in self.spans if span.context}

        def below(parent: int | None, depth: int) -> list[str]:
            lines: list[str] = []
            for span in sorted(self.spans, key=lambda each: each.start_time or 0):
                above = span.parent.span_id if span.parent is not None and span.parent.span_id in ids else None
                if above == parent and span.context:
                    lines += ["  " * depth + span.name, *below(span.context.span_id, depth + 1)]
            return lines

        return "\n".join(below(None, 0))


def recording(tracers: Tracers, *, traceparent: str | None = None) -> tuple[Recorder, OTelSink, MemorySink]:
    spans, memory = OTelSink(tracers, remote_span(traceparent, None)), MemorySink()
    policy = ContentPolicy(mode=ContentMode.NONE)
    return Recorder(identity=spans, sinks=[spans, memory], policy=policy, pauses=PausesInMemory(), writer="w"), spans, memory


def test_a_run_is_one_tree_and_nothing_is_left_behind() -> None:
    backend = Backend()
    recorder, sink, memory = recording(Tracers(backend.provider))
    agent(recorder, tools=2)
    assert backend.tree() == "invoke_agent coder\n  chat scripted-1\n  execute_tool read_file\n  execute_tool read_file"
    assert sink.open_spans == 0
    assert sink.remembered_runs == 0
    ids = {(span.context.trace_id, span.context.span_id) for span in backend.spans if span.context}
    assert {(record.ids.trace_id, record.ids.span_id) for record in memory.records if record.ids} == ids
    assert backend.span("chat scripted-1").kind is SpanKind.CLIENT
    assert backend.span("invoke_agent coder").kind is SpanKind.INTERNAL


def test_a_span_carries_all_that_its_record_has() -> None:
    backend = Backend()
    recorder, _, memory = recording(Tracers(backend.provider))
    run = begin_run(recorder, "r1")
    tool = begin_tool(recorder, run, "call-1")
    end_tool(recorder, run, tool, result=None, failure=Failure(type="OSError", message="no disk"))
    end_run(recorder, run)
    for record in memory.records:
        span = backend.span(record.name)
        assert dict(span.attributes or {}) == {
            key: tuple(value) if isinstance(value, list) else value for key, value in record.attributes.items()
        }
        assert [(event.name, event.timestamp) for event in span.events] == [(event.name, event.at) for event in record.events]
        assert (span.start_time, span.end_time) == (record.start, record.end)
    assert backend.span("execute_tool read_file").status.status_code is StatusCode.ERROR
    assert backend.span("execute_tool read_file").status.description == "no disk"
    assert backend.span("invoke_agent coder").status.status_code is StatusCode.UNSET


class Noting(Sampler):
    """Samples all, and notes what it was asked about."""

    def __init__(self) -> None:
        self.asked: list[dict[str, object]] = []

    def should_sample(
        self,
        parent_context: Context | None,
        trace_id: int,
        name: str,
        kind: SpanKind | None = None,
        attributes: Attributes = None,
        links: Sequence[Link] | None = None,
        trace_state: TraceState | None = None,
    ) -> SamplingResult:
        self.asked.append(dict(attributes or {}))
        return SamplingResult(Decision.RECORD_AND_SAMPLE, attributes)

    def get_description(self) -> str:
        return "noting"


class Baggage(SpanProcessor):
    def __init__(self) -> None:
        self.started: list[tuple[str, object]] = []

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        self.started.append((span.name, (span.attributes or {}).get("hookspan.record")))


def test_samplers_and_processors_see_who_it_is_when_a_span_starts() -> None:
    sampler, processor = Noting(), Baggage()
    backend = Backend(sampler)
    backend.provider.add_span_processor(processor)
    recorder, _, _ = recording(Tracers(backend.provider))
    agent(recorder)
    assert [asked["hookspan.record"] for asked in sampler.asked] == ["agent", "chat", "tool"]
    assert all(asked["gen_ai.conversation.id"] == "c1" and asked["gen_ai.agent.name"] == "coder" for asked in sampler.asked)
    assert sampler.asked[2]["gen_ai.tool.call.id"] == "call-0"
    assert processor.started == [("invoke_agent coder", "agent"), ("chat scripted-1", "chat"), ("execute_tool read_file", "tool")]


def test_the_programs_own_spans_nest_and_its_current_span_is_what_it_was() -> None:
    backend = Backend()
    recorder, _, _ = recording(Tracers(backend.provider))
    own = backend.provider.get_tracer("app")

    def work() -> None:
        with own.start_as_current_span("query"):
            pass

    with own.start_as_current_span("request") as request:
        agent(recorder, inside=work)
        assert trace.get_current_span() is request
    assert backend.tree() == "request\n  invoke_agent coder\n    chat scripted-1\n    execute_tool read_file\n      query"


def test_a_run_inside_a_span_that_the_program_opened_in_a_tool_is_below_that_span() -> None:
    backend = Backend()
    recorder, _, memory = recording(Tracers(backend.provider))
    own = backend.provider.get_tracer("app")

    def delegate() -> None:
        with own.start_as_current_span("delegate"):
            agent(recorder, "inner", agent="helper", tools=0)

    agent(recorder, inside=delegate)
    assert backend.tree().splitlines()[2:] == [
        "  execute_tool read_file",
        "    delegate",
        "      invoke_agent helper",
        "        chat scripted-1",
    ]
    # the store knows no span of the program's: there it is below the tool
    (helper,) = [record for record in memory.records if record.name == "invoke_agent helper"]
    (tool,) = [record for record in memory.records if record.kind == "tool"]
    assert helper.parent == tool.ids


def test_leaving_in_another_context_says_nothing(caplog: pytest.LogCaptureFixture) -> None:
    recorder, _, _ = recording(Tracers(Backend().provider))
    run = begin_run(recorder, "r1")
    elsewhere = contextvars.copy_context()
    entered = elsewhere.run(recorder.enter, run)
    with caplog.at_level(logging.DEBUG):
        recorder.leave(entered)
        elsewhere.run(recorder.leave, entered)
    end_run(recorder, run)
    assert caplog.records == []
    assert not elsewhere.run(trace.get_current_span).get_span_context().is_valid


def test_a_child_that_comes_after_its_parent_ended_is_still_below_it() -> None:
    backend = Backend()
    recorder, sink, _ = recording(Tracers(backend.provider))
    run = begin_run(recorder, "r1")
    end_run(recorder, run)
    model_call(recorder, run, "late")
    assert backend.tree() == "invoke_agent coder\n  chat scripted-1"
    assert sink.open_spans == 0
    assert sink.remembered_runs == 0


def test_a_program_that_another_agent_started_is_below_the_span_that_started_it() -> None:
    backend = Backend()
    recorder, _, memory = recording(Tracers(backend.provider), traceparent="00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
    agent(recorder, tools=0)
    root = backend.span("invoke_agent coder")
    assert root.parent is not None
    assert root.parent.is_remote
    assert (root.parent.trace_id, root.parent.span_id) == (0x0AF7651916CD43DD8448EB211C80319C, 0xB7AD6B7169203331)
    assert memory.records[0].parent is not None
    assert memory.records[0].parent.span_id == 0xB7AD6B7169203331


@pytest.mark.parametrize("bad", ["", "00-zz-11-01", "00-" + "0" * 32 + "-b7ad6b7169203331-01", "00-0af7651916cd43dd8448eb211c80319c"])
def test_a_traceparent_that_names_no_span_is_none(bad: str) -> None:
    assert remote_span(bad, None) is None


def test_without_any_provider_the_context_still_works() -> None:
    recorder, _, memory = recording(Tracers())
    seen: list[tuple[int, int]] = []
    agent(recorder, inside=lambda: seen.append((_current().trace_id, _current().span_id)))
    tool = memory.records[-1]
    assert tool.ids is not None
    assert seen == [(tool.ids.trace_id, tool.ids.span_id)]
    assert len({record.ids.trace_id for record in memory.records if record.ids}) == 1
    assert not _current().is_valid


def _current() -> trace.SpanContext:
    return trace.get_current_span().get_span_context()


def test_ids_do_not_follow_the_programs_random_seed() -> None:
    traces: set[int] = set()
    for _ in range(3):
        random.seed(42)
        recorder, _, memory = recording(Tracers())
        agent(recorder, tools=0)
        traces |= {record.ids.trace_id for record in memory.records if record.ids}
    assert len(traces) == 3


def test_what_the_sampler_leaves_out_keeps_its_ids_and_the_other_sinks_get_it_all() -> None:
    backend = Backend(ParentBased(TraceIdRatioBased(0.01)))
    recorder, sink, memory = recording(Tracers(backend.provider))
    for number in range(100):
        agent(recorder, f"r{number}")
    kept = {span.context.trace_id for span in backend.spans if span.context}
    assert len(memory.records) == 300
    assert len({record.ids.span_id for record in memory.records if record.ids}) == 300
    assert {record.ids.trace_id for record in memory.records if record.ids and record.ids.sampled} == kept
    assert len(backend.spans) == 3 * len(kept)
    assert len(kept) < 20
    assert sink.open_spans == 0


def test_a_tracer_that_is_switched_off_costs_no_record() -> None:
    class Off(trace.NoOpTracer):
        pass

    class OffProvider(trace.TracerProvider):
        def get_tracer(
            self,
            instrumenting_module_name: str,
            instrumenting_library_version: str | None = None,
            schema_url: str | None = None,
            attributes: Attributes = None,
        ) -> trace.Tracer:
            return Off()

    recorder, _, memory = recording(Tracers(OffProvider()))
    agent(recorder)
    assert len({record.ids.span_id for record in memory.records if record.ids}) == 3


def test_long_texts_are_cut_before_the_sdk_would_and_it_has_nothing_to_log(caplog: pytest.LogCaptureFixture) -> None:
    backend = Backend(limits=SpanLimits(max_attribute_length=100))
    spans = OTelSink(Tracers(backend.provider))
    policy = ContentPolicy(mode=ContentMode.TOOLS)
    recorder = Recorder(identity=spans, sinks=[spans], policy=policy, pauses=PausesInMemory())
    with caplog.at_level(logging.WARNING):
        agent(recorder, result="x" * 5000)
    assert caplog.records == []
    tool = backend.span("execute_tool read_file").attributes or {}
    assert tool["gen_ai.tool.call.result"] == "x" * 100
    assert tool["hookspan.content.truncated"] == ("gen_ai.tool.call.result=5000",)
