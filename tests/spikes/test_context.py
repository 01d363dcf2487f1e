"""Spike a: a program's own spans nest below the tool, node or model call whose code opens them; on the real SDK."""

from __future__ import annotations

import asyncio
import contextvars
import logging
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage
from langchain_core.tools import StructuredTool, tool
from langgraph.graph import START, MessagesState, StateGraph
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanContext, Tracer

from hookspan.adapters.langgraph.install import install
from hookspan.spans.otel_sink import OTelSink
from hookspan.spans.pauses import PausesInMemory
from hookspan.spans.payload import ContentPolicy
from hookspan.spans.recorder import Recorder
from hookspan.spans.tracers import Tracers
from tests.support.models import Scripted, calls, says
from tests.support.ways import Way, ainvoke, astream, every_way, invoke, stream, sync_and_async

ASK: Any = {"messages": [("user", "go")]}


def identity(span: ReadableSpan) -> SpanContext:
    assert span.context is not None
    return span.context


@dataclass
class Program:
    """A program with OpenTelemetry of its own, whose exporter also gets our spans."""

    tracer: Tracer
    exporter: InMemorySpanExporter
    recorder: Recorder
    logged: list[str] = field(default_factory=list[str])

    @property
    def spans(self) -> Sequence[ReadableSpan]:
        return self.exporter.get_finished_spans()

    def above(self, span: ReadableSpan) -> str:
        """The name of a span's parent, with its call id."""
        if span.parent is None:
            return "nothing"
        above = span.parent.span_id
        parent = next(one for one in self.spans if identity(one).span_id == above)
        call = (parent.attributes or {}).get("gen_ai.tool.call.id")
        return f"{parent.name} ({call})" if call else parent.name

    def nesting(self, *names: str) -> list[str]:
        """`child < parent` for all spans of these names."""
        return sorted(f"{span.name} < {self.above(span)}" for span in self.spans if span.name in names)

    def traces(self) -> int:
        return len({identity(span).trace_id for span in self.spans})


@pytest.fixture
def program() -> Iterator[Program]:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    sink = OTelSink(Tracers(provider))
    recorder = Recorder(identity=sink, sinks=[sink], policy=ContentPolicy(), pauses=PausesInMemory())
    uninstall = install(recorder)
    made = Program(provider.get_tracer("program"), exporter, recorder)

    class Noted(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            made.logged.append(record.getMessage())

    handler = Noted()
    logger = logging.getLogger("opentelemetry.context")
    logger.addHandler(handler)
    try:
        yield made
    finally:
        logger.removeHandler(handler)
        uninstall()
    assert made.logged == []
    assert recorder.open_records == 0
    assert sink.open_spans == 0
    assert not trace.get_current_span().get_span_context().is_valid


def working_tool(tracer: Tracer) -> StructuredTool:
    def work(n: int) -> int:
        """Works."""
        with tracer.start_as_current_span(f"inner {n}"):
            return n

    async def awork(n: int) -> int:
        """Works."""
        with tracer.start_as_current_span(f"inner {n}"):
            await asyncio.sleep(0.01)
            return n

    return StructuredTool.from_function(work, awork, name="work")


def asking(*numbers: int) -> Scripted:
    return Scripted(script=[calls(*((f"c{n}", "work", {"n": n}) for n in numbers)), says("done")])


@every_way
def test_in_a_tool(program: Program, way: Way) -> None:
    way(create_agent(asking(1), [working_tool(program.tracer)], name="boss"), ASK)
    assert program.nesting("inner 1", "execute_tool work") == ["execute_tool work < invoke_agent boss", "inner 1 < execute_tool work (c1)"]
    assert program.traces() == 1


@every_way
def test_in_parallel_tools(program: Program, way: Way) -> None:
    way(create_agent(asking(1, 2, 3), [working_tool(program.tracer)], name="boss"), ASK)
    assert program.nesting("inner 1", "inner 2", "inner 3") == [f"inner {n} < execute_tool work (c{n})" for n in (1, 2, 3)]
    assert program.traces() == 1


@every_way
def test_in_a_node(program: Program, way: Way) -> None:
    def node(state: MessagesState) -> dict[str, Any]:
        with program.tracer.start_as_current_span("inner"):
            return {}

    async def anode(state: MessagesState) -> dict[str, Any]:
        with program.tracer.start_as_current_span("inner"):
            await asyncio.sleep(0)
            return {}

    graph = StateGraph(MessagesState)
    graph.add_node("node", anode if way.__name__ in ("ainvoke", "astream") else node)
    graph.add_edge(START, "node")
    way(graph.compile(name="flow"), ASK)
    assert program.nesting("inner") == ["inner < invoke_workflow flow"]


@every_way
def test_in_a_model_call(program: Program, way: Way) -> None:
    def answer(messages: Any) -> AIMessage:
        with program.tracer.start_as_current_span("http"):
            return says("hi")

    way(create_agent(Scripted(script=[answer]), [], name="boss"), ASK)
    assert program.nesting("http") == ["http < chat scripted-1"]


@sync_and_async
def test_in_a_model_that_the_program_streams(program: Program, way: Way) -> None:
    """The provider's spans are below the call; the consumer's, between two chunks, are not."""

    def answer(messages: Any) -> AIMessage:
        with program.tracer.start_as_current_span("http"):
            return says("one two")

    model = Scripted(script=[answer])

    def node(state: MessagesState) -> dict[str, Any]:
        for _ in model.stream("hi"):
            with program.tracer.start_as_current_span("consumer"):
                pass
        return {}

    async def anode(state: MessagesState) -> dict[str, Any]:
        async for _ in model.astream("hi"):
            with program.tracer.start_as_current_span("consumer"):
                await asyncio.sleep(0)
        return {}

    graph = StateGraph(MessagesState)
    graph.add_node("node", anode if way.__name__ == "ainvoke" else node)
    graph.add_edge(START, "node")
    way(graph.compile(name="flow"), ASK)
    nested = program.nesting("http", "consumer")
    assert nested[-1] == "http < chat scripted-1"
    assert set(nested[:-1]) == {"consumer < invoke_workflow flow"}


@sync_and_async
def test_around_a_model_call_inside_a_node(program: Program, way: Way) -> None:
    model = Scripted(script=[says("hi")])

    def node(state: MessagesState) -> dict[str, Any]:
        with program.tracer.start_as_current_span("around"):
            return {"messages": [model.invoke(state["messages"])]}

    async def anode(state: MessagesState) -> dict[str, Any]:
        with program.tracer.start_as_current_span("around"):
            return {"messages": [await model.ainvoke(state["messages"])]}

    graph = StateGraph(MessagesState)
    graph.add_node("node", anode if way.__name__ == "ainvoke" else node)
    graph.add_edge(START, "node")
    way(graph.compile(name="flow"), ASK)
    assert program.nesting("around", "chat scripted-1") == ["around < invoke_workflow flow", "chat scripted-1 < around"]


@sync_and_async
def test_an_agent_called_inside_a_span_inside_a_tool(program: Program, way: Way) -> None:
    helper: Any = create_agent(Scripted(script=[says("helped")]), [], name="helper")

    @tool
    def work(n: int) -> str:
        """Asks a helper."""
        with program.tracer.start_as_current_span("around"):
            return helper.invoke(ASK)["messages"][-1].text

    way(create_agent(asking(1), [work], name="boss"), ASK)
    assert program.nesting("around", "invoke_agent helper") == ["around < execute_tool work (c1)", "invoke_agent helper < around"]


def test_in_threads_of_the_program_that_carry_its_context(program: Program) -> None:
    @tool
    def work(n: int) -> int:
        """Works in threads."""

        def part() -> None:
            with program.tracer.start_as_current_span("part"):
                pass

        with ThreadPoolExecutor(2) as pool:
            for done in [pool.submit(contextvars.copy_context().run, part) for _ in range(2)]:
                done.result()
        return n

    agent: Any = create_agent(asking(1), [work], name="boss")
    agent.invoke(ASK)
    assert program.nesting("part") == ["part < execute_tool work (c1)"] * 2


@pytest.mark.parametrize("way", [invoke, ainvoke, stream, astream], ids=lambda way: way.__name__)
def test_below_the_callers_span_which_stays_current(program: Program, way: Way) -> None:
    with program.tracer.start_as_current_span("request") as request:
        way(create_agent(asking(1), [working_tool(program.tracer)], name="boss"), ASK)
        assert trace.get_current_span() is request
    assert program.nesting("invoke_agent boss") == ["invoke_agent boss < request"]
    assert program.traces() == 1


def test_a_consumer_of_a_stream_is_not_inside_the_agent(program: Program) -> None:
    agent: Any = create_agent(asking(1), [working_tool(program.tracer)], name="boss")
    with program.tracer.start_as_current_span("request") as request:
        for _ in agent.stream(ASK, stream_mode="updates"):
            assert trace.get_current_span() is request
            with program.tracer.start_as_current_span("consumer"):
                pass
    assert set(program.nesting("consumer")) == {"consumer < request"}


async def test_fifty_concurrent_runs_do_not_mix(program: Program) -> None:
    agent: Any = create_agent(
        Scripted(script=[lambda messages: calls((f"c{messages[0].text}", "work", {"n": int(messages[0].text)})), says("done")]),
        [working_tool(program.tracer)],
        name="boss",
    )
    await asyncio.gather(*(agent.ainvoke({"messages": [("user", str(n))]}, {"configurable": {"thread_id": str(n)}}) for n in range(50)))
    assert program.traces() == 50
    assert program.nesting(*(f"inner {n}" for n in range(50))) == sorted(f"inner {n} < execute_tool work (c{n})" for n in range(50))
    by_trace: dict[int, set[Any]] = {}
    for span in program.spans:
        if "gen_ai.conversation.id" in (span.attributes or {}):
            by_trace.setdefault(identity(span).trace_id, set()).add((span.attributes or {})["gen_ai.conversation.id"])
    assert sorted(len(of_one) for of_one in by_trace.values()) == [1] * 50


def test_fifty_runs_in_threads_do_not_mix(program: Program) -> None:
    agent: Any = create_agent(
        Scripted(script=[lambda messages: calls((f"c{messages[0].text}", "work", {"n": int(messages[0].text)})), says("done")]),
        [working_tool(program.tracer)],
        name="boss",
    )
    barrier = threading.Barrier(10)

    def run(number: int) -> None:
        barrier.wait(10)
        agent.invoke({"messages": [("user", str(number))]})

    with ThreadPoolExecutor(10) as pool:
        list(pool.map(run, range(50)))
    assert program.traces() == 50
    assert program.nesting(*(f"inner {n}" for n in range(50))) == sorted(f"inner {n} < execute_tool work (c{n})" for n in range(50))
