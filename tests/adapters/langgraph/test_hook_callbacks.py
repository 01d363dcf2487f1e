"""Which executions of middleware hooks have a record: HOOKSPAN_HOOK_CALLBACKS."""

# ruff: noqa: E501 -- a record is one line, however long

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, ModelRetryMiddleware, before_model
from langchain.agents.middleware.types import ModelRequest, ToolCallRequest
from langchain_core.messages import AIMessage
from langchain_core.tools import tool

from hookspan.adapters.langgraph.install import install
from hookspan.model.content import HookCallbacks
from tests.support.memory import memory_recorder
from tests.support.models import Scripted, calls, says
from tests.support.trails import Trail, tidy
from tests.support.ways import Way, sync_and_async

ASK: Any = {"messages": [("user", "go")]}


@tool
def add(a: int, b: int) -> int:
    """Adds."""
    return a + b


class Looks(AgentMiddleware[Any, Any]):
    """Sees everything, changes nothing."""

    def before_agent(self, state: Any, runtime: Any) -> None:
        return None

    def after_model(self, state: Any, runtime: Any) -> None:
        return None

    def wrap_model_call(self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Any]) -> Any:
        return handler(request)

    async def awrap_model_call(self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[Any]]) -> Any:
        return await handler(request)

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Any]) -> Any:
        return handler(request)

    async def awrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Any]]) -> Any:
        return await handler(request)


class Answers(AgentMiddleware[Any, Any]):
    """Answers in the model's place."""

    def wrap_model_call(self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Any]) -> Any:
        return AIMessage("from memory")

    async def awrap_model_call(self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[Any]]) -> Any:
        return AIMessage("from memory")


class Rewrites(AgentMiddleware[Any, Any]):
    """Another system prompt, another answer."""

    def wrap_model_call(self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Any]) -> Any:
        handler(request.override(tool_choice=None))
        return AIMessage("mine")

    async def awrap_model_call(self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[Any]]) -> Any:
        await handler(request.override(tool_choice=None))
        return AIMessage("mine")


class Breaks(AgentMiddleware[Any, Any]):
    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Any]) -> Any:
        raise KeyError("broken guard")

    async def awrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Any]]) -> Any:
        raise KeyError("broken guard")


def adding() -> Scripted:
    return Scripted(script=[calls(("c1", "add", {"a": 1, "b": 2})), says("done")])


@sync_and_async
def test_a_hook_that_only_looks_has_none(trail: Trail, way: Way) -> None:
    way(create_agent(adding(), [add], middleware=[Looks()], name="boss"), ASK)
    assert trail.of("hook_callback") == []


@sync_and_async
def test_a_hook_that_changes_the_state(trail: Trail, way: Way) -> None:
    @before_model
    def reminds(state: Any, runtime: Any) -> dict[str, Any]:
        return {"messages": [("user", "be brief")]}

    way(create_agent(Scripted(script=[says("hi")]), [], middleware=[reminds], name="boss"), ASK)
    assert trail.tree() == tidy(
        """
        invoke_agent boss completed stop=end_turn
          hook_callback before_model reminds.before_model ok effects=messages
          chat scripted-1
        """
    )


@sync_and_async
def test_a_hook_that_answers_in_the_models_place(trail: Trail, way: Way) -> None:
    way(create_agent(adding(), [add], middleware=[Answers()], name="boss"), ASK)
    assert trail.tree("hookspan.hook.decided") == tidy(
        """
        invoke_agent boss completed stop=end_turn
          hook_callback wrap_model_call Answers.wrap_model_call ok <respond from hook_callback by Answers.wrap_model_call> hook.decided=True [decision respond]
        """
    )


@sync_and_async
def test_a_hook_that_rewrites_request_and_answer(trail: Trail, way: Way) -> None:
    way(create_agent(adding(), [add], middleware=[Rewrites()], name="boss"), ASK)
    assert trail.tree() == tidy(
        """
        invoke_agent boss completed stop=end_turn
          chat scripted-1
          hook_callback wrap_model_call Rewrites.wrap_model_call ok effects=request,result
          execute_tool add (c1) skipped never ran
        """
    )


@sync_and_async
def test_a_hook_that_raises(trail: Trail, way: Way) -> None:
    with pytest.raises(KeyError):
        way(create_agent(adding(), [add], middleware=[Breaks()], name="boss"), ASK)
    assert trail.tree() == tidy(
        """
        invoke_agent boss error stop=error ERROR KeyError
          chat scripted-1
          hook_callback wrap_tool_call (c1) Breaks.wrap_tool_call error ERROR KeyError
          execute_tool add (c1) skipped never ran
        """
    )


@sync_and_async
def test_an_exception_of_the_tool_is_not_the_hooks(trail: Trail, way: Way) -> None:
    @tool
    def fails() -> str:
        """Fails."""
        raise ConnectionError("down")

    with pytest.raises(ConnectionError):
        way(create_agent(Scripted(script=[calls(("c1", "fails", {}))]), [fails], middleware=[Looks()], name="boss"), ASK)
    assert trail.tree() == tidy(
        """
        invoke_agent boss error stop=error ERROR ConnectionError
          chat scripted-1
          execute_tool fails (c1) error ran attempt=1 basis=none_asked ERROR ConnectionError
        """
    )


@sync_and_async
def test_a_slow_hook(trail: Trail, way: Way) -> None:
    @before_model
    def thinks(state: Any, runtime: Any) -> None:
        time.sleep(0.11)

    way(create_agent(Scripted(script=[says("hi")]), [], middleware=[thinks], name="boss"), ASK)
    assert trail.tree() == tidy(
        """
        invoke_agent boss completed stop=end_turn
          hook_callback before_model thinks.before_model ok
          chat scripted-1
        """
    )
    record = trail.named("hook_callback before_model")
    assert record.end is not None
    assert record.end - record.start >= 110_000_000


@sync_and_async
def test_the_frameworks_own_hooks_have_none(trail: Trail, way: Way) -> None:
    retry = ModelRetryMiddleware(max_retries=1, initial_delay=0, jitter=False)
    model = Scripted(script=[[TimeoutError("slow"), says("done")]])
    way(create_agent(model, [], middleware=[retry], name="boss"), ASK)
    assert trail.of("hook_callback") == []


@pytest.fixture
def mode(request: pytest.FixtureRequest) -> Iterator[Trail]:
    recorder, sink = memory_recorder()
    recorder.hook_callbacks = request.param
    uninstall = install(recorder)
    yield Trail(recorder, sink)
    uninstall()


@pytest.mark.parametrize("mode", [HookCallbacks.ALL], indirect=True)
@sync_and_async
def test_all_of_them(mode: Trail, way: Way) -> None:
    way(create_agent(adding(), [add], middleware=[Looks()], name="boss"), ASK)
    assert mode.tree() == tidy(
        """
        invoke_agent boss completed stop=end_turn
          hook_callback before_agent Looks.before_agent ok
          chat scripted-1
          hook_callback wrap_model_call Looks.wrap_model_call ok
          hook_callback after_model Looks.after_model ok
          execute_tool add (c1) success ran attempt=1 basis=none_asked
          hook_callback wrap_tool_call (c1) Looks.wrap_tool_call ok
          chat scripted-1
          hook_callback wrap_model_call Looks.wrap_model_call ok
          hook_callback after_model Looks.after_model ok
        """
    )


@pytest.mark.parametrize("mode", [HookCallbacks.OFF], indirect=True)
@sync_and_async
def test_none_of_them(mode: Trail, way: Way) -> None:
    @before_model(can_jump_to=["end"])
    def closed(state: Any, runtime: Any) -> dict[str, Any]:
        return {"jump_to": "end"}

    way(create_agent(adding(), [add], middleware=[closed], name="boss"), ASK)
    assert mode.tree() == "invoke_agent boss stopped stop=guard by closed.before_model"
