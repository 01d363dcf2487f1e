"""Attempts: a retried call keeps its id, a retried model call is one record each."""

from __future__ import annotations

from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import ModelFallbackMiddleware, ModelRetryMiddleware, ToolRetryMiddleware
from langchain_core.tools import StructuredTool, tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import RetryPolicy

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
def test_a_retried_tool_is_one_attempt_each_with_the_same_call_id(trail: Trail, way: Way) -> None:
    model = Scripted(script=[calls(("c0", "flaky", {"x": 1})), says("done")])
    retry = ToolRetryMiddleware(max_retries=2, initial_delay=0, jitter=False)
    way(create_agent(model, [flaky(2)], middleware=[retry], name="worker"), ASK)
    assert trail.tree() == tidy(
        """
        invoke_agent worker completed stop=end_turn
          chat scripted-1
          execute_tool flaky (c0) error ran attempt=1 basis=none_asked ERROR ConnectionError
          execute_tool flaky (c0) error ran attempt=2 basis=none_asked ERROR ConnectionError
          execute_tool flaky (c0) success ran attempt=3 basis=none_asked
          chat scripted-1
        """
    )


@sync_and_async
def test_a_tool_that_never_works_after_all_retries(trail: Trail, way: Way) -> None:
    model = Scripted(script=[calls(("c0", "flaky", {"x": 1})), says("done")])
    retry = ToolRetryMiddleware(max_retries=1, initial_delay=0, jitter=False)
    way(create_agent(model, [flaky(9)], middleware=[retry], name="worker"), ASK)
    assert trail.tree() == tidy(
        """
        invoke_agent worker completed stop=end_turn
          chat scripted-1
          execute_tool flaky (c0) error ran attempt=1 basis=none_asked ERROR ConnectionError
          execute_tool flaky (c0) error ran attempt=2 basis=none_asked ERROR ConnectionError
          chat scripted-1
        """
    )


@every_way
def test_a_retried_model_call_is_one_record_each(trail: Trail, way: Way) -> None:
    model = Scripted(script=[[TimeoutError("slow"), says("done")]])
    retry = ModelRetryMiddleware(max_retries=2, initial_delay=0, jitter=False)
    way(create_agent(model, [], middleware=[retry], name="worker"), ASK)
    assert trail.tree() == tidy(
        """
        invoke_agent worker completed stop=end_turn
          chat scripted-1 ERROR TimeoutError
          chat scripted-1
        """
    )


@sync_and_async
def test_a_fallback_model(trail: Trail, way: Way) -> None:
    fallback = ModelFallbackMiddleware(Scripted(script=[says("done")], model="scripted-2"))
    way(create_agent(Scripted(script=[TimeoutError("slow")]), [], middleware=[fallback], name="worker"), ASK)
    assert trail.tree() == tidy(
        """
        invoke_agent worker completed stop=end_turn
          chat scripted-1 ERROR TimeoutError
          chat scripted-2
        """
    )


@sync_and_async
def test_a_node_with_a_retry_policy(trail: Trail, way: Way) -> None:
    graph = StateGraph(MessagesState)
    model = Scripted(script=[calls(("c0", "flaky", {"x": 1})), says("done")])
    graph.add_node("model", asks(model))
    tools = ToolNode([flaky(1)], handle_tool_errors=False)
    graph.add_node("tools", tools, retry_policy=RetryPolicy(max_attempts=2, initial_interval=0, jitter=False))
    graph.add_edge(START, "model")
    graph.add_edge("model", "tools")
    way(graph.compile(name="retrying"), ASK)
    assert trail.tree() == tidy(
        """
        invoke_workflow retrying completed
          chat scripted-1
          execute_tool flaky (c0) error ran attempt=1 basis=none_asked ERROR ConnectionError
          execute_tool flaky (c0) success ran attempt=2 basis=none_asked
        """
    )
