"""Why a run stopped."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Sequence
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import ModelCallLimitMiddleware, after_model, before_model
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.tools import tool
from langgraph.errors import GraphRecursionError
from langgraph.graph import START, MessagesState, StateGraph

from tests.adapters.langgraph.test_graphs import loop
from tests.support.models import Scripted, calls, says
from tests.support.trails import Trail, tidy
from tests.support.ways import Way, every_way, sync_and_async

ASK: Any = {"messages": [("user", "go")]}


@tool
def add(a: int, b: int) -> int:
    """Adds."""
    return a + b


@tool
async def sleep() -> str:
    """Sleeps for long."""
    await asyncio.sleep(5)
    return "slept"


ADD = calls(("c1", "add", {"a": 1, "b": 2}))


def forever(messages: Sequence[BaseMessage]) -> AIMessage:
    """Asks for another call, whatever came before."""
    number = 1 + sum(isinstance(message, AIMessage) for message in messages)
    return calls((f"c{number}", "add", {"a": 1, "b": 2}))


@every_way
def test_the_recursion_limit_of_an_agent(trail: Trail, way: Way) -> None:
    with pytest.raises(GraphRecursionError):
        way(create_agent(Scripted(script=[forever]), [add], name="loop"), ASK, {"recursion_limit": 3})
    assert trail.tree() == tidy(
        """
        invoke_agent loop stopped stop=recursion_limit
          chat scripted-1
          execute_tool add (c1) success ran attempt=1 basis=none_asked
          chat scripted-1
          execute_tool add (c2) skipped never ran
        """
    )


@sync_and_async
def test_the_recursion_limit_of_a_graph(trail: Trail, way: Way) -> None:
    with pytest.raises(GraphRecursionError):
        way(loop(model=Scripted(script=[forever])), ASK, {"recursion_limit": 2})
    assert trail.tree() == tidy(
        """
        invoke_workflow math stopped stop=recursion_limit
          chat scripted-1
          execute_tool add (c1) success ran attempt=1 basis=none_asked
        """
    )


@pytest.mark.parametrize("reason", ["length", "max_tokens", "MAX_TOKENS"])
def test_an_answer_that_was_cut_off(trail: Trail, reason: str) -> None:
    create_agent(Scripted(script=[says("to be con", finish=reason)]), [], name="writer").invoke(ASK)
    assert trail.tree() == tidy(
        """
        invoke_agent writer stopped stop=max_tokens
          chat scripted-1
        """
    )


@sync_and_async
def test_an_error_in_a_node(trail: Trail, way: Way) -> None:
    def node(state: MessagesState) -> None:
        raise RuntimeError("broken")

    graph = StateGraph(MessagesState)
    graph.add_node("node", node)
    graph.add_edge(START, "node")
    with pytest.raises(RuntimeError):
        way(graph.compile(name="broken"), ASK)
    assert trail.tree() == "invoke_workflow broken error stop=error ERROR RuntimeError"


async def test_a_cancelled_task(trail: Trail) -> None:
    agent: Any = create_agent(Scripted(script=[calls(("c1", "sleep", {}), ("c2", "sleep", {})), says("done")]), [sleep], name="sleeper")
    task = asyncio.create_task(agent.ainvoke(ASK))
    await asyncio.sleep(0.1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.sleep(0.05)
    assert trail.tree(unordered=True) == tidy(
        """
        invoke_agent sleeper cancelled stop=cancelled
          chat scripted-1
          execute_tool sleep (c1) cancelled ran attempt=1 basis=none_asked
          execute_tool sleep (c2) cancelled ran attempt=1 basis=none_asked
        """
    )


async def test_a_model_call_that_is_cancelled(trail: Trail) -> None:
    async def slow(messages: Any) -> AIMessage:
        await asyncio.sleep(5)
        return says("late")

    agent: Any = create_agent(Scripted(script=[slow]), [], name="sleeper")
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(agent.ainvoke(ASK), 0.1)
    await asyncio.sleep(0.05)
    assert trail.tree() == tidy(
        """
        invoke_agent sleeper cancelled stop=cancelled
          chat scripted-1
        """
    )


def test_a_stream_that_is_closed(trail: Trail) -> None:
    agent: Any = create_agent(Scripted(script=[ADD, says("3")]), [add], name="streamed")
    stream = agent.stream(ASK, stream_mode="updates")
    next(stream)
    stream.close()
    assert trail.tree() == tidy(
        """
        invoke_agent streamed abandoned stop=abandoned
          chat scripted-1
          execute_tool add (c1) cancelled never ran
        """
    )


def test_a_stream_that_is_dropped(trail: Trail) -> None:
    agent: Any = create_agent(Scripted(script=[ADD, says("3")]), [add], name="streamed")
    stream = agent.stream(ASK, stream_mode="updates")
    next(stream)
    del stream
    gc.collect()
    assert trail.tree() == tidy(
        """
        invoke_agent streamed abandoned stop=abandoned
          chat scripted-1
          execute_tool add (c1) cancelled never ran
        """
    )


async def test_an_asynchronous_stream_that_is_left(trail: Trail) -> None:
    agent: Any = create_agent(Scripted(script=[ADD, says("3")]), [add], name="streamed")
    async for _ in agent.astream(ASK, stream_mode="updates"):
        break
    gc.collect()
    for _ in range(10):
        await asyncio.sleep(0.01)
    assert trail.tree() == tidy(
        """
        invoke_agent streamed abandoned stop=abandoned
          chat scripted-1
          execute_tool add (c1) cancelled never ran
        """
    )


async def test_an_asynchronous_stream_that_is_closed(trail: Trail) -> None:
    agent: Any = create_agent(Scripted(script=[ADD, says("3")]), [add], name="streamed")
    stream = agent.astream(ASK, stream_mode="updates")
    await anext(stream)
    await stream.aclose()
    assert trail.tree() == tidy(
        """
        invoke_agent streamed abandoned stop=abandoned
          chat scripted-1
          execute_tool add (c1) cancelled never ran
        """
    )


@sync_and_async
def test_a_hook_before_the_model_that_ends_the_run(trail: Trail, way: Way) -> None:
    @before_model(can_jump_to=["end"])
    def closed(state: Any, runtime: Any) -> dict[str, Any]:
        return {"jump_to": "end"}

    way(create_agent(Scripted(script=[says("hi")]), [], middleware=[closed], name="boss"), ASK)
    assert trail.tree() == tidy(
        """
        invoke_agent boss stopped stop=guard by closed.before_model
          hook_callback before_model closed.before_model ok effects=jump_to
        """
    )


@every_way
def test_a_hook_after_the_model_that_ends_the_run(trail: Trail, way: Way) -> None:
    @after_model(can_jump_to=["end"])
    def enough(state: Any, runtime: Any) -> dict[str, Any]:
        return {"jump_to": "end", "messages": [AIMessage("stopped")]}

    way(create_agent(Scripted(script=[ADD]), [add], middleware=[enough], name="boss"), ASK)
    assert trail.tree() == tidy(
        """
        invoke_agent boss stopped stop=guard by enough.after_model
          chat scripted-1
          hook_callback after_model enough.after_model ok effects=jump_to,messages
          execute_tool add (c1) skipped never ran <skip from hook_callback by enough.after_model: 'no reason given'> [decision skip]
        """
    )


@sync_and_async
def test_a_limit_of_model_calls(trail: Trail, way: Way) -> None:
    limit = ModelCallLimitMiddleware(run_limit=2)
    way(create_agent(Scripted(script=[forever]), [add], middleware=[limit], name="boss"), ASK)
    assert trail.tree() == tidy(
        """
        invoke_agent boss stopped stop=max_turns by ModelCallLimitMiddleware.before_model
          chat scripted-1
          execute_tool add (c1) success ran attempt=1 basis=none_asked
          chat scripted-1
          execute_tool add (c2) success ran attempt=1 basis=none_asked
        """
    )


@sync_and_async
def test_a_limit_of_model_calls_that_raises(trail: Trail, way: Way) -> None:
    limit = ModelCallLimitMiddleware(run_limit=1, exit_behavior="error")
    with pytest.raises(Exception, match="limit"):
        way(create_agent(Scripted(script=[forever]), [add], middleware=[limit], name="boss"), ASK)
    assert trail.tree() == tidy(
        """
        invoke_agent boss stopped stop=max_turns by ModelCallLimitMiddleware.before_model
          chat scripted-1
          execute_tool add (c1) success ran attempt=1 basis=none_asked
        """
    )


@sync_and_async
def test_a_tool_that_returns_directly(trail: Trail, way: Way) -> None:
    @tool(return_direct=True)
    def final(x: int) -> str:
        """The last word."""
        return "final"

    way(create_agent(Scripted(script=[calls(("c1", "final", {"x": 1}))]), [final], name="boss"), ASK)
    assert trail.tree() == tidy(
        """
        invoke_agent boss completed stop=end_turn
          chat scripted-1
          execute_tool final (c1) success ran attempt=1 basis=none_asked
        """
    )
