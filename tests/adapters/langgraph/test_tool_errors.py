"""Tool calls that fail, on every path; calls that cannot be made; the order of parallel ones."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import StructuredTool, ToolException, tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode

from tests.adapters.langgraph.test_graphs import loop
from tests.support.models import Scripted, calls, says
from tests.support.trails import Trail, tidy
from tests.support.ways import Way, every_way, sync_and_async

ASK: Any = {"messages": [("user", "go")]}


@tool
def add(a: int, b: int) -> int:
    """Adds."""
    return a + b


def asks(model: Scripted) -> Any:
    def node(state: MessagesState) -> dict[str, Any]:
        return {"messages": [model.invoke(state["messages"])]}

    return node


def flaky(failures: int) -> StructuredTool:
    left = [failures]

    def work(x: int) -> str:
        """Works in the end."""
        if left[0] > 0:
            left[0] -= 1
            raise ConnectionError("not yet")
        return f"worked {x}"

    async def awork(x: int) -> str:
        """Works in the end."""
        return work(x)

    return StructuredTool.from_function(work, awork, name="flaky")


@every_way
def test_a_tool_that_raises_ends_the_run_with_an_error(trail: Trail, way: Way) -> None:
    model = Scripted(script=[calls(("c0", "flaky", {"x": 1})), says("done")])
    with pytest.raises(ConnectionError, match="not yet"):
        way(create_agent(model, [flaky(1)], name="worker"), ASK)
    assert trail.tree() == tidy(
        """
        invoke_agent worker error stop=error ERROR ConnectionError
          chat scripted-1
          execute_tool flaky (c0) error ran attempt=1 basis=none_asked ERROR ConnectionError
        """
    )


@every_way
def test_an_error_that_the_tool_node_handles(trail: Trail, way: Way) -> None:
    graph = StateGraph(MessagesState)
    model = Scripted(script=[calls(("c0", "flaky", {"x": 1})), says("done")])
    graph.add_node("model", asks(model))
    graph.add_node("tools", ToolNode([flaky(1)], handle_tool_errors=True))
    graph.add_edge(START, "model")
    graph.add_edge("model", "tools")
    way(graph.compile(name="handled"), ASK)
    assert trail.tree() == tidy(
        """
        invoke_workflow handled completed
          chat scripted-1
          execute_tool flaky (c0) error ran attempt=1 basis=none_asked ERROR ConnectionError
        """
    )


@every_way
def test_an_error_that_the_tool_handles_itself(trail: Trail, way: Way) -> None:
    def work(x: int) -> str:
        """Fails."""
        raise ToolException("bad input")

    async def awork(x: int) -> str:
        """Fails."""
        raise ToolException("bad input")

    handled = StructuredTool.from_function(work, awork, name="handled", handle_tool_error=True)
    way(create_agent(Scripted(script=[calls(("c0", "handled", {"x": 1})), says("done")]), [handled], name="worker"), ASK)
    assert trail.tree("gen_ai.tool.call.result") == tidy(
        """
        invoke_agent worker completed stop=end_turn
          chat scripted-1
          execute_tool handled (c0) error ran attempt=1 basis=none_asked ERROR tool_error tool.call.result=bad input
          chat scripted-1
        """
    )


@every_way
def test_a_tool_that_does_not_exist(trail: Trail, way: Way) -> None:
    way(create_agent(Scripted(script=[calls(("c0", "nope", {"x": 1})), says("done")]), [add], name="worker"), ASK)
    assert trail.tree() == tidy(
        """
        invoke_agent worker completed stop=end_turn
          chat scripted-1
          execute_tool _OTHER (c0) error never ran ERROR unknown_tool
          chat scripted-1
        """
    )


@sync_and_async
def test_a_tool_that_does_not_exist_in_a_hand_written_graph(trail: Trail, way: Way) -> None:
    way(loop(model=Scripted(script=[calls(("c0", "nope", {"x": 1}), ("c1", "add", {"a": 1, "b": 2})), says("done")])), ASK)
    assert trail.tree() == tidy(
        """
        invoke_workflow math completed
          chat scripted-1
          execute_tool add (c1) success ran attempt=1 basis=none_asked
          execute_tool _OTHER (c0) error never ran ERROR unknown_tool
          chat scripted-1
        """
    )


@sync_and_async
def test_arguments_that_do_not_fit(trail: Trail, way: Way) -> None:
    way(create_agent(Scripted(script=[calls(("c0", "add", {"a": "x"})), says("done")]), [add], name="worker"), ASK)
    assert trail.tree() == tidy(
        """
        invoke_agent worker completed stop=end_turn
          chat scripted-1
          execute_tool add (c0) error never ran attempt=1 ERROR pydantic_core._pydantic_core.ValidationError
          chat scripted-1
        """
    )


def test_parallel_calls_that_finish_in_reverse_order(trail: Trail) -> None:
    finished = [threading.Event() for _ in range(4)]
    finished[3].set()

    @tool
    def wait(n: int) -> int:
        """Waits for the next one."""
        assert finished[n + 1].wait(10)
        finished[n].set()
        return n

    model = Scripted(script=[calls(*((f"c{n}", "wait", {"n": n}) for n in (0, 1, 2))), says("done")])
    create_agent(model, [wait], name="worker").invoke(ASK)
    assert trail.tree("gen_ai.tool.call.result", unordered=True) == tidy(
        """
        invoke_agent worker completed stop=end_turn
          chat scripted-1
          chat scripted-1
          execute_tool wait (c0) success ran attempt=1 basis=none_asked tool.call.result=0
          execute_tool wait (c1) success ran attempt=1 basis=none_asked tool.call.result=1
          execute_tool wait (c2) success ran attempt=1 basis=none_asked tool.call.result=2
        """
    )
    ended = [record.attributes["gen_ai.tool.call.id"] for record in trail.sink.ended if record.kind == "tool"]
    assert ended == ["c2", "c1", "c0"]


async def test_asynchronous_parallel_calls_that_finish_in_reverse_order(trail: Trail) -> None:
    finished = [asyncio.Event() for _ in range(4)]
    finished[3].set()

    @tool
    async def wait(n: int) -> int:
        """Waits for the next one."""
        await finished[n + 1].wait()
        finished[n].set()
        return n

    model = Scripted(script=[calls(*((f"c{n}", "wait", {"n": n}) for n in (0, 1, 2))), says("done")])
    agent: Any = create_agent(model, [wait], name="worker")
    await agent.ainvoke(ASK)
    assert trail.tree("gen_ai.tool.call.result", unordered=True) == tidy(
        """
        invoke_agent worker completed stop=end_turn
          chat scripted-1
          chat scripted-1
          execute_tool wait (c0) success ran attempt=1 basis=none_asked tool.call.result=0
          execute_tool wait (c1) success ran attempt=1 basis=none_asked tool.call.result=1
          execute_tool wait (c2) success ran attempt=1 basis=none_asked tool.call.result=2
        """
    )
    ended = [record.attributes["gen_ai.tool.call.id"] for record in trail.sink.ended if record.kind == "tool"]
    assert ended == ["c2", "c1", "c0"]


@sync_and_async
def test_a_node_that_calls_its_tools_by_hand(trail: Trail, way: Way) -> None:
    """As in LangGraph's introduction: the call's arguments alone, and the message made by the node."""
    model = Scripted(script=[calls(("c0", "add", {"a": 1, "b": 2}), ("c1", "add", {"a": 1, "b": 3})), says("done")])

    def by_hand(state: MessagesState) -> dict[str, Any]:
        last = state["messages"][-1]
        asked = last.tool_calls if isinstance(last, AIMessage) else []
        return {"messages": [ToolMessage(str(add.invoke(call["args"])), tool_call_id=call["id"]) for call in asked]}

    graph = StateGraph(MessagesState)
    graph.add_node("model", asks(model))
    graph.add_node("by_hand", by_hand)
    graph.add_edge(START, "model")
    graph.add_edge("model", "by_hand")
    way(graph.compile(name="by hand"), ASK)
    assert trail.tree() == tidy(
        """
        invoke_workflow by hand completed
          chat scripted-1
          execute_tool add (c0) success ran attempt=1 basis=none_asked
          execute_tool add (c1) success ran attempt=1 basis=none_asked
        """
    )


@sync_and_async
def test_a_tool_called_by_nobody_but_the_program(trail: Trail, way: Way) -> None:
    way(add, {"a": 1, "b": 2})
    assert trail.tree() == "execute_tool add success ran attempt=1 basis=none_asked"
