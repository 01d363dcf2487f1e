"""Nothing of hookspan in a graph's state, checkpoints, outputs or objects; nothing left after it is taken off."""

from __future__ import annotations

import asyncio
import copy
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from deepagents import SubAgent, create_deep_agent
from langchain.agents import create_agent, factory
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.callbacks import BaseCallbackHandler, CallbackManager
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import BaseMessage
from langchain_core.tools import base as tools_base
from langchain_core.tools import tool
from langchain_core.tracers import context as tracers_context
from langgraph._internal import _runnable
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.pregel import main as pregel
from langgraph.types import Command

from hookspan.adapters.langgraph.install import install
from tests.support.memory import memory_recorder
from tests.support.models import Scripted, calls, says
from tests.support.trails import Trail
from tests.support.ways import Way, ainvoke, invoke

ASK: Any = {"messages": [("user", "go")]}
CONFIG: Any = {"configurable": {"thread_id": "t1"}}


@tool
def search(query: str) -> str:
    """Searches."""
    return f"found {query}"


def deep(checkpointer: Any = None, tasks: tuple[str, ...] = ("one", "two"), interrupt_on: Any = None) -> Any:
    subs = [
        SubAgent(
            name=name,
            description="x",
            system_prompt="x",
            model=Scripted(script=[calls((f"s-{name}", "search", {"query": name})), says(f"{name} done")]),
            tools=[search],
        )
        for name in ("one", "two")
    ]
    model = Scripted(script=[calls(*((f"t-{name}", "task", {"description": "do", "subagent_type": name}) for name in tasks)), says("done")])
    return create_deep_agent(model, [search], subagents=subs, checkpointer=checkpointer, interrupt_on=interrupt_on, name="boss")


def plain(messages: list[BaseMessage]) -> list[Any]:
    return [
        (
            type(message).__name__,
            message.content,
            getattr(message, "tool_calls", None),
            message.additional_kwargs,
            message.response_metadata,
        )
        for message in messages
    ]


def outcome(agent: Any, *inputs: Any) -> list[Any]:
    """The final state after each input, without the ids that langchain draws."""
    states: list[Any] = []
    for one in inputs:
        state = agent.invoke(one, CONFIG)
        states.append(
            {name: plain(value) if name == "messages" else repr(value) for name, value in state.items() if name != "__interrupt__"}
        )
    return states


@pytest.mark.parametrize("tasks", [("one",), ("one", "two"), ("one", "one")], ids="-".join)
def test_task_calls_work_exactly_as_without(tasks: tuple[str, ...]) -> None:
    without = outcome(deep(tasks=tasks), ASK)
    recorder, _ = memory_recorder()
    uninstall = install(recorder)
    try:
        assert outcome(deep(tasks=tasks), ASK) == without
        assert recorder.open_records == 0
    finally:
        uninstall()


def checkpoints(saver: SqliteSaver) -> list[str]:
    """Every stored channel, write and note of a database, without the ids, times and orders that LangGraph draws: it
    writes from threads, and a message may have its id by then or not."""
    told: list[str] = []
    for at in saver.list(None):
        writes = sorted(normal(repr(write)) for write in at.pending_writes or [])
        told.append(normal(repr((at.config, at.checkpoint, at.metadata, at.parent_config))) + repr(writes))
    return sorted(told)


def normal(text: str) -> str:
    text = re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{32}", "<id>", text)
    text = re.sub(r"(?<=<id>\.)[\d.e-]+", "<number>", text)  # a random part of a channel's version, of any length
    text = re.sub(r"0\.\d{10,}|\d{4}-\d\d-\d\dT[\d:.+]+", "<number>", text)
    return re.sub(r",? ?id=('<id>'|None)", "", text)


def run_with_sqlite(path: Path) -> list[Any]:
    with SqliteSaver.from_conn_string(str(path)) as saver:
        agent = deep(saver, interrupt_on={"search": True})
        agent.invoke(ASK, CONFIG)
        agent2 = create_agent(
            Scripted(script=[calls(("c1", "search", {"query": "x"})), says("done")]),
            [search],
            middleware=[HumanInTheLoopMiddleware({"search": True})],
            checkpointer=saver,
        )
        other: Any = {"configurable": {"thread_id": "t2"}}
        agent2.invoke(ASK, other)
        agent2.invoke(Command(resume={"decisions": [{"type": "approve"}]}), other)
        return checkpoints(saver)


def test_checkpoints_are_the_same_without_and_with(tmp_path: Path) -> None:
    without = run_with_sqlite(tmp_path / "without.db")
    recorder, sink = memory_recorder()
    uninstall = install(recorder)
    try:
        with_hookspan = run_with_sqlite(tmp_path / "with.db")
    finally:
        uninstall()
    assert len(sink.ended) > 10
    assert with_hookspan == without
    assert "hookspan" not in repr(with_hookspan)


def test_objects_copy_and_pickle_as_before(trail: Trail) -> None:
    agent: Any = create_agent(Scripted(script=[says("hi")]), [search], checkpointer=InMemorySaver(), name="boss")
    agent.invoke(ASK, CONFIG)
    state = agent.get_state(CONFIG)
    assert pickle.loads(pickle.dumps(state.values)) == state.values  # our own bytes
    assert copy.deepcopy(state.values) == state.values
    assert copy.deepcopy(search).name == "search"
    model = Scripted(script=[says("hi")])
    assert pickle.loads(pickle.dumps(model)).script == model.script  # our own bytes
    copied = copy.deepcopy(CallbackManager.configure())
    assert [type(handler) for handler in copied.handlers] == [type(handler) for handler in CallbackManager.configure().handlers]


class Counts(BaseCallbackHandler):
    """A callback handler of the program's."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def on_tool_start(self, serialized: dict[str, Any], input_str: str, *, run_id: UUID, **kwargs: Any) -> None:
        self.seen.append(f"tool+ {serialized['name']}")

    def on_tool_end(self, output: Any, *, run_id: UUID, **kwargs: Any) -> None:
        self.seen.append(f"tool- {output.content}")

    def on_chat_model_start(self, serialized: dict[str, Any], messages: list[list[BaseMessage]], *, run_id: UUID, **kwargs: Any) -> None:
        self.seen.append("chat+")


@pytest.mark.parametrize("way", [invoke, ainvoke], ids=lambda way: way.__name__)
def test_the_programs_own_callbacks_see_what_they_saw(way: Way) -> None:
    def run() -> list[str]:
        counts = Counts()
        model = Scripted(script=[calls(("c1", "search", {"query": "x"})), says("done")])
        way(create_agent(model, [search], name="boss"), ASK, {"callbacks": [counts]})
        return counts.seen

    without = run()
    recorder, _ = memory_recorder()
    uninstall = install(recorder)
    try:
        assert run() == without == ["chat+", "tool+ search", "tool- found x", "chat+"]
    finally:
        uninstall()


def test_a_handler_of_the_programs_that_raises_changes_nothing(trail: Trail) -> None:
    class Raises(BaseCallbackHandler):
        def on_tool_start(self, serialized: dict[str, Any], input_str: str, **kwargs: Any) -> None:
            raise RuntimeError("the program's own fault")

    model = Scripted(script=[calls(("c1", "search", {"query": "x"})), says("done")])
    agent: Any = create_agent(model, [search], name="boss")
    agent.invoke(ASK, {"callbacks": [Raises()]})
    assert trail.named("execute_tool search").attributes["hookspan.tool.outcome"] == "success"


def test_nothing_on_stdout(trail: Trail, capsys: pytest.CaptureFixture[str]) -> None:
    deep().invoke(ASK)
    asyncio.run(deep().ainvoke(ASK))
    assert capsys.readouterr() == ("", "")


PATCHED: list[tuple[Any, str]] = [
    *((pregel, name) for name in ("get_callback_manager_for_config", "get_async_callback_manager_for_config")),
    *((pregel, name) for name in ("get_sync_graph_callback_manager_for_config", "get_async_graph_callback_manager_for_config")),
    (tools_base, "set_config_context"),
    (_runnable, "set_config_context"),
    *((BaseChatModel, name) for name in ("_generate_with_cache", "_agenerate_with_cache", "stream", "astream")),
    *(
        (factory, name)
        for name in (
            "_chain_tool_call_wrappers",
            "_chain_async_tool_call_wrappers",
            "_chain_model_call_handlers",
            "_chain_async_model_call_handlers",
        )
    ),
]


def snapshot_of_patched() -> list[Any]:
    return [vars(owner)[name] for owner, name in PATCHED]


def test_taking_it_off_restores_the_identical_attributes() -> None:
    before, hooks = snapshot_of_patched(), list(tracers_context._configure_hooks)  # pyright: ignore[reportPrivateUsage]  # what must be restored
    recorder, sink = memory_recorder()
    uninstall = install(recorder)
    during = snapshot_of_patched()
    uninstall()
    assert all(one is not other for one, other in zip(before, during, strict=True))
    assert all(one is other for one, other in zip(before, snapshot_of_patched(), strict=True))
    assert tracers_context._configure_hooks == hooks  # pyright: ignore[reportPrivateUsage]  # what must be restored
    create_agent(Scripted(script=[says("hi")]), []).invoke(ASK)
    assert sink.ended == []


def test_an_agent_outlives_installations() -> None:
    """Made under the first, it tells the second, and nobody in between."""
    trails: list[Trail] = []
    agent: Any = None
    undo: Callable[[], None]
    for _ in range(2):
        recorder, sink = memory_recorder()
        undo = install(recorder)
        agent = agent or deep()
        agent.invoke(ASK)
        trails.append(Trail(recorder, sink))
        undo()
        agent.invoke(ASK)
    first, second = (trail.tree(unordered=True) for trail in trails)
    assert first == second
    assert first.count("\n") == 12
