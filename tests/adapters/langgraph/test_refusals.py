"""Calls that a middleware kept from running: outcome, reason, and who."""

# ruff: noqa: E501 -- a record is one line, however long

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, ToolCallLimitMiddleware, after_model, wrap_tool_call
from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.messages import ToolMessage
from langchain_core.tools import tool

from tests.support.models import Scripted, calls, says
from tests.support.trails import Trail, tidy
from tests.support.ways import Way, every_way, sync_and_async

ASK: Any = {"messages": [("user", "go")]}


@tool
def add(a: int, b: int) -> int:
    """Adds."""
    return a + b


@tool
def remove(path: str) -> str:
    """Removes."""
    return f"removed {path}"


def model() -> Scripted:
    return Scripted(script=[calls(("a", "add", {"a": 1, "b": 2}), ("r", "remove", {"path": "/"})), says("done")])


def refusal(request: ToolCallRequest) -> ToolMessage:
    return ToolMessage("never on /", tool_call_id=request.tool_call["id"], name=request.tool_call["name"], status="error")


class Guard(AgentMiddleware[Any, Any]):
    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Any]) -> Any:
        return refusal(request) if request.tool_call["name"] == "remove" else handler(request)

    async def awrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Any]]) -> Any:
        return refusal(request) if request.tool_call["name"] == "remove" else await handler(request)


@every_way
def test_a_middleware_that_does_not_run_the_tool(trail: Trail, way: Way) -> None:
    way(create_agent(model(), [add, remove], middleware=[Guard()], name="boss"), ASK)
    assert trail.tree(unordered=True) == tidy(
        """
        invoke_agent boss completed stop=end_turn
          chat scripted-1
          chat scripted-1
          execute_tool add (a) success ran attempt=1 basis=none_asked
          execute_tool remove (r) denied never ran <deny from hook_callback by Guard.wrap_tool_call: 'never on /'> [decision deny]
          hook_callback wrap_tool_call (r) Guard.wrap_tool_call block <deny from hook_callback by Guard.wrap_tool_call: 'never on /'> [decision deny (r)]
        """
    )


@sync_and_async
def test_the_outer_of_two_middlewares_refuses(trail: Trail, way: Way) -> None:
    class Passes(AgentMiddleware[Any, Any]):
        def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Any]) -> Any:
            return handler(request)

        async def awrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Any]]) -> Any:
            return await handler(request)

    way(create_agent(model(), [add, remove], middleware=[Passes(), Guard()], name="boss"), ASK)
    assert trail.tree(unordered=True) == tidy(
        """
        invoke_agent boss completed stop=end_turn
          chat scripted-1
          chat scripted-1
          execute_tool add (a) success ran attempt=1 basis=none_asked
          execute_tool remove (r) denied never ran <deny from hook_callback by Guard.wrap_tool_call: 'never on /'> [decision deny]
          hook_callback wrap_tool_call (r) Guard.wrap_tool_call block <deny from hook_callback by Guard.wrap_tool_call: 'never on /'> [decision deny (r)]
        """
    )


def test_a_decorated_function_that_refuses(trail: Trail) -> None:
    @wrap_tool_call
    def no_roots(request: ToolCallRequest, handler: Callable[[ToolCallRequest], Any]) -> Any:
        return refusal(request) if request.tool_call["name"] == "remove" else handler(request)

    create_agent(model(), [add, remove], middleware=[no_roots], name="boss").invoke(ASK)
    assert trail.tree(unordered=True) == tidy(
        """
        invoke_agent boss completed stop=end_turn
          chat scripted-1
          chat scripted-1
          execute_tool add (a) success ran attempt=1 basis=none_asked
          execute_tool remove (r) denied never ran <deny from hook_callback by no_roots.wrap_tool_call: 'never on /'> [decision deny]
          hook_callback wrap_tool_call (r) no_roots.wrap_tool_call block <deny from hook_callback by no_roots.wrap_tool_call: 'never on /'> [decision deny (r)]
        """
    )


@sync_and_async
def test_a_cache_that_answers_instead_of_the_tool(trail: Trail, way: Way) -> None:
    class Cache(AgentMiddleware[Any, Any]):
        def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Any]) -> Any:
            return ToolMessage("cached 3", tool_call_id=request.tool_call["id"], name=request.tool_call["name"])

        async def awrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Any]]) -> Any:
            return self.wrap_tool_call(request, handler)

    way(create_agent(model(), [add, remove], middleware=[Cache()], name="boss"), ASK)
    assert trail.tree("gen_ai.tool.call.result", unordered=True) == tidy(
        """
        invoke_agent boss completed stop=end_turn
          chat scripted-1
          chat scripted-1
          execute_tool add (a) success never ran <respond from hook_callback by Cache.wrap_tool_call> tool.call.result=cached 3 [decision respond]
          execute_tool remove (r) success never ran <respond from hook_callback by Cache.wrap_tool_call> tool.call.result=cached 3 [decision respond]
          hook_callback wrap_tool_call (a) Cache.wrap_tool_call ok <respond from hook_callback by Cache.wrap_tool_call> [decision respond (a)]
          hook_callback wrap_tool_call (r) Cache.wrap_tool_call ok <respond from hook_callback by Cache.wrap_tool_call> [decision respond (r)]
        """
    )


@sync_and_async
def test_an_after_model_hook_that_answers_calls(trail: Trail, way: Way) -> None:
    @after_model
    def no_removals(state: Any, runtime: Any) -> dict[str, Any] | None:
        last = state["messages"][-1]
        wanted = [call for call in last.tool_calls if call["name"] == "remove"]
        return (
            {"messages": [ToolMessage("not today", tool_call_id=call["id"], name="remove", status="error") for call in wanted]}
            if wanted
            else None
        )

    way(create_agent(model(), [add, remove], middleware=[no_removals], name="boss"), ASK)
    assert trail.tree(unordered=True) == tidy(
        """
        invoke_agent boss completed stop=end_turn
          chat scripted-1
          chat scripted-1
          execute_tool add (a) success ran attempt=1 basis=none_asked
          execute_tool remove (r) denied never ran <deny from hook_callback by no_removals.after_model: 'not today'> [decision deny]
          hook_callback after_model no_removals.after_model ok effects=messages
        """
    )


@sync_and_async
def test_a_limit_of_tool_calls(trail: Trail, way: Way) -> None:
    limit = ToolCallLimitMiddleware(tool_name="remove", run_limit=0)
    way(create_agent(model(), [add, remove], middleware=[limit], name="boss"), ASK)
    assert trail.tree(unordered=True) == tidy(
        """
        invoke_agent boss completed stop=end_turn
          chat scripted-1
          chat scripted-1
          execute_tool add (a) success ran attempt=1 basis=none_asked
          execute_tool remove (r) denied never ran <deny from guard by ToolCallLimitMiddleware[remove].after_model: "Tool call limit exceeded. Do not call 'remove' again."> [decision deny]
        """
    )


@sync_and_async
def test_a_limit_of_tool_calls_that_ends_the_run(trail: Trail, way: Way) -> None:
    limit = ToolCallLimitMiddleware(run_limit=1, exit_behavior="end")
    script = [calls(("a", "add", {"a": 1, "b": 2})), calls(("b", "add", {"a": 1, "b": 2})), says("done")]
    way(create_agent(Scripted(script=script), [add], middleware=[limit], name="boss"), ASK)
    assert trail.tree() == tidy(
        """
        invoke_agent boss stopped stop=max_turns by ToolCallLimitMiddleware.after_model
          chat scripted-1
          execute_tool add (a) success ran attempt=1 basis=none_asked
          chat scripted-1
          execute_tool add (b) denied never ran <deny from guard by ToolCallLimitMiddleware.after_model: 'Tool call limit exceeded. Do not make additional tool calls.'> [decision deny]
        """
    )


@sync_and_async
def test_a_middleware_that_changes_the_arguments(trail: Trail, way: Way) -> None:
    class Doubles(AgentMiddleware[Any, Any]):
        def _changed(self, request: ToolCallRequest) -> ToolCallRequest:
            return request.override(tool_call={**request.tool_call, "args": {"a": 2, "b": 4}})

        def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Any]) -> Any:
            return handler(self._changed(request))

        async def awrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Any]]) -> Any:
            return await handler(self._changed(request))

    way(
        create_agent(Scripted(script=[calls(("a", "add", {"a": 1, "b": 2})), says("done")]), [add], middleware=[Doubles()], name="boss"),
        ASK,
    )
    assert trail.tree("gen_ai.tool.call.arguments") == tidy(
        """
        invoke_agent boss completed stop=end_turn
          chat scripted-1
          execute_tool add (a) success ran attempt=1 basis=none_asked input edited tool.call.arguments={"a":2,"b":4}
          hook_callback wrap_tool_call (a) Doubles.wrap_tool_call ok effects=request
          chat scripted-1
        """
    )


@sync_and_async
def test_a_middleware_that_changes_the_result(trail: Trail, way: Way) -> None:
    class Masks(AgentMiddleware[Any, Any]):
        def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Any]) -> Any:
            return handler(request).model_copy(update={"content": "***"})

        async def awrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Any]]) -> Any:
            return (await handler(request)).model_copy(update={"content": "***"})

    way(create_agent(Scripted(script=[calls(("a", "add", {"a": 1, "b": 2})), says("done")]), [add], middleware=[Masks()], name="boss"), ASK)
    assert trail.tree("gen_ai.tool.call.result", "hookspan.tool.result_edited") == tidy(
        """
        invoke_agent boss completed stop=end_turn
          chat scripted-1
          execute_tool add (a) success ran attempt=1 basis=none_asked tool.call.result=3
          hook_callback wrap_tool_call (a) Masks.wrap_tool_call ok effects=result
          chat scripted-1
        """
    )
