"""Whatever breaks where the trail goes, the agent's answer is the same, and everybody else gets the whole of it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.tools import tool
from opentelemetry.context import Context
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.id_generator import IdGenerator
from opentelemetry.sdk.trace.sampling import Sampler, SamplingResult

from hookspan.adapters.langgraph.install import install
from hookspan.export.pipeline import build
from hookspan.export.settings import load
from hookspan.model.content import ContentMode
from hookspan.spans import guard
from hookspan.spans.otel_sink import OTelSink
from hookspan.spans.pauses import PausesInMemory
from hookspan.spans.payload import ContentPolicy
from hookspan.spans.record import Record, Sink
from hookspan.spans.recorder import Recorder
from hookspan.spans.tracers import Tracers
from tests.support.memory import MemorySink
from tests.support.models import Scripted, calls, says
from tests.support.otlp_receiver import over_http

TREE = ["invoke_agent clerk", "chat scripted-1", "execute_tool look", "chat scripted-1"]


@pytest.fixture
def as_for_users(monkeypatch: pytest.MonkeyPatch) -> Generator[None]:
    """Faults of ours are swallowed, as in anybody's program, and expected here."""
    monkeypatch.setattr(guard, "reraise", False)
    yield
    guard.failures.clear()


pytestmark = pytest.mark.usefixtures("as_for_users")


@tool
def look(path: str) -> str:
    """Looks at a file."""
    return f"{path} is fine"


def answer() -> str:
    agent = create_agent(Scripted(script=[calls(("c1", "look", {"path": "/tmp/a"})), says("done")]), [look], name="clerk")
    ask: Any = {"messages": [("user", "look")]}
    return agent.invoke(ask)["messages"][-1].text


@contextmanager
def recording(spans: OTelSink, sinks: Sequence[Sink], redact: Callable[[str], str] | None = None) -> Generator[None]:
    policy = ContentPolicy(mode=ContentMode.TOOLS, redact=redact)
    recorder = Recorder(identity=spans, sinks=[*sinks, spans], policy=policy, pauses=PausesInMemory())
    uninstall = install(recorder)
    try:
        yield
    finally:
        uninstall()
        recorder.shutdown(5)


class Broken:
    """A sink that can do nothing."""

    def opened(self, record: Record) -> None:
        raise ValueError(f"opened {record.name}")

    def closed(self, record: Record) -> None:
        raise ValueError(f"closed {record.name}")

    def flush(self, timeout_s: float) -> bool:
        raise ValueError(f"flush {timeout_s}")

    def shutdown(self, timeout_s: float) -> None:
        raise ValueError(f"shutdown {timeout_s}")


class BrokenProcessor(SpanProcessor):
    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        raise ValueError(f"on_start {span.name} {parent_context}")

    def on_end(self, span: ReadableSpan) -> None:
        raise ValueError(f"on_end {span.name}")


class BrokenSampler(Sampler):
    def should_sample(self, *args: Any, **kwargs: Any) -> SamplingResult:
        raise ValueError(f"should_sample {len(args)} {len(kwargs)}")

    def get_description(self) -> str:
        return "broken"


def test_a_sink_that_raises_at_everything(caplog: pytest.LogCaptureFixture) -> None:
    memory = MemorySink()
    with caplog.at_level(logging.WARNING), recording(OTelSink(Tracers()), [Broken(), memory]):
        assert answer() == "done"
    assert sorted(record.name for record in memory.records) == sorted(TREE)
    assert all(record.end is not None for record in memory.records)
    assert [record.getMessage().split(";")[0] for record in caplog.records] == [
        "hookspan: telling Broken failed",
        "hookspan: closing a sink failed",
    ]


def test_a_redactor_that_raises(caplog: pytest.LogCaptureFixture) -> None:
    def redact(text: str) -> str:
        raise ValueError(text)

    memory = MemorySink()
    with caplog.at_level(logging.WARNING), recording(OTelSink(Tracers()), [memory], redact):
        assert answer() == "done"
    assert sorted(record.name for record in memory.records) == sorted(TREE)
    (tool_call,) = (record.attributes for record in memory.records if record.kind == "tool")
    assert "gen_ai.tool.call.result" not in tool_call
    assert tool_call["hookspan.tool.outcome"] == "success"
    assert len(caplog.records) == 1


@pytest.mark.parametrize(
    "provider",
    [lambda: _with(BrokenProcessor()), lambda: TracerProvider(sampler=BrokenSampler(), shutdown_on_exit=False)],
    ids=["processor", "sampler"],
)
def test_a_part_of_the_program_s_own_provider_that_raises(provider: Callable[[], TracerProvider], caplog: pytest.LogCaptureFixture) -> None:
    memory = MemorySink()
    with caplog.at_level(logging.WARNING), recording(OTelSink(Tracers(provider())), [memory]):
        assert answer() == "done"
    assert sorted(record.name for record in memory.records) == sorted(TREE)
    assert all(record.end is not None for record in memory.records)
    ours = [record for record in caplog.records if record.name == "hookspan"]
    assert len(ours) == len({record.getMessage() for record in ours})


class Always(IdGenerator):
    """The same ids again and again, as a deterministic replay makes them."""

    def generate_span_id(self) -> int:
        return 7

    def generate_trace_id(self) -> int:
        return 9


def test_the_same_span_ids_twice_in_a_batch_cost_nothing_else(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    """Case P63: a replay's spans, beside an agent's, through our own exporter."""
    monkeypatch.setenv("HOOKSPAN_HOME", str(tmp_path))
    with over_http() as received:
        for name, value in received.environ.items():
            monkeypatch.setenv(name, value)
        pipeline = build(load())
        uninstall = install(pipeline.recorder)
        try:
            assert answer() == "done"
            own = pipeline.own
            assert own is not None
            assert own.tracer_provider is not None
            own.tracer_provider.id_generator = Always()
            for _ in range(3):
                own.tracer_provider.get_tracer("app").start_span("replayed").end()
        finally:
            uninstall()
            pipeline.shutdown(5)
    assert sorted(span.name for span in received.spans) == sorted([*TREE, "replayed", "replayed", "replayed"])


def _with(processor: SpanProcessor) -> TracerProvider:
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(processor)
    return provider
