"""The real LangGraph and deepagents, run through each scenario: the contract's tree, and the facts written down for it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from deepagents import SubAgent, create_deep_agent
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, HumanInTheLoopMiddleware
from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.messages import ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from hookspan.adapters.langgraph.install import install
from hookspan.model.acting import acting_as
from hookspan.model.facts import Fact, Interrupted
from hookspan.spans import names as n
from hookspan.spans.record import Record
from tests.contract.facts_langgraph import CALL, NAMES, SCENARIOS, SUB_CALL
from tests.contract.trees import TREES
from tests.support.contract_draw import drawn, lines
from tests.support.contract_sinks import Everywhere
from tests.support.models import Scripted, calls, says, tokens
from tests.support.trails import tidy
from tests.support.ways import Way, sync_and_async

ASK: Any = {"messages": [("user", "go")]}
CONFIG: Any = {"configurable": {"thread_id": "T1"}}
REAL = [scenario for scenario in TREES if scenario != "hook_command"]
"""LangGraph itself runs no hook commands."""

Run = Callable[[Way], None]


@tool
def remove(path: str) -> str:
    """Removes."""
    return f"removed {path}"


class Keeper(AgentMiddleware[Any, Any]):
    """Refuses every call."""

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Any]) -> Any:
        return self._refusal(request)

    async def awrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Any]]) -> Any:
        return self._refusal(request)

    def _refusal(self, request: ToolCallRequest) -> ToolMessage:
        return ToolMessage("not here", tool_call_id=str(request.tool_call["id"]), name="remove", status="error")


class Editor(AgentMiddleware[Any, Any]):
    """Sends every call elsewhere."""

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Any]) -> Any:
        return handler(self._edited(request))

    async def awrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Any]]) -> Any:
        return await handler(self._edited(request))

    def _edited(self, request: ToolCallRequest) -> ToolCallRequest:
        return request.override(tool_call={**request.tool_call, "args": {"path": "y"}})


def script(*wanted: tuple[str, str, dict[str, Any]]) -> Scripted:
    return Scripted(script=[calls(*wanted, usage=tokens(100, 10)), says("done", usage=tokens(120, 12), finish="stop")])


def agent(middleware: AgentMiddleware[Any, Any]) -> Any:
    model = script((CALL, "remove", {"path": "x"}))
    return create_agent(model, [remove], middleware=[middleware], checkpointer=InMemorySaver(), name="clerk")


def denied_by_hook(way: Way) -> None:
    way(agent(Keeper()), ASK, CONFIG)


def edited_by_hook(way: Way) -> None:
    way(agent(Editor()), ASK, CONFIG)


def _asked(way: Way, answer: dict[str, Any]) -> None:
    asking = agent(HumanInTheLoopMiddleware({"remove": True}))
    with acting_as("ada"):
        way(asking, ASK, CONFIG)
        way(asking, Command(resume={"decisions": [answer]}), CONFIG)


def approved(way: Way) -> None:
    _asked(way, {"type": "approve"})


def rejected(way: Way) -> None:
    _asked(way, {"type": "reject", "message": "not here"})


def subagent(way: Way) -> None:
    inner = Scripted(
        script=[
            calls((SUB_CALL, "remove", {"path": "x"}), usage=tokens(7, 1)),
            says("found", usage=tokens(9, 2), finish="stop"),
        ]
    )
    researcher = SubAgent(name="researcher", description="Researches.", system_prompt="Research.", model=inner, tools=[remove])
    model = script((CALL, "task", {"description": "look", "subagent_type": "researcher"}))
    way(create_deep_agent(model, [], subagents=[researcher], checkpointer=InMemorySaver(), name="clerk"), ASK, CONFIG)


RUNS: dict[str, Run] = {
    "denied_by_hook": denied_by_hook,
    "edited_by_hook": edited_by_hook,
    "approved": approved,
    "rejected": rejected,
    "subagent": subagent,
}


def really(scenario: str, way: Way, path: Path) -> Everywhere:
    """The scenario through the real framework."""
    recorder = Everywhere(path / "real.db")
    uninstall = install(recorder)
    try:
        RUNS[scenario](way)
    finally:
        uninstall()
    return recorder


def written(scenario: str, path: Path) -> Everywhere:
    """The scenario as it stands in the facts file."""
    recorder = Everywhere(path / "written.db")
    for fact in SCENARIOS[scenario]():
        recorder.record(fact)
    return recorder


def normalised(records: Sequence[Record], facts: Sequence[Fact]) -> Sequence[Record]:
    """Only an interrupt's id and how long it waited are of the day."""
    real = {fact.interrupt for fact in facts if isinstance(fact, Interrupted)}
    for record in records:
        attributes = record.attributes
        if attributes.get(n.INTERRUPT_ID) in real:
            attributes[n.INTERRUPT_ID] = NAMES["interrupt"]
        if n.DECISION_WAIT_S in attributes:
            waited = attributes[n.DECISION_WAIT_S]
            assert isinstance(waited, float)
            assert waited > 0
            attributes[n.DECISION_WAIT_S] = 60.0
    return records


@sync_and_async
@pytest.mark.parametrize("scenario", REAL)
def test_the_real_framework_gives_the_contracts_tree_in_every_sink(scenario: str, way: Way, tmp_path: Path) -> None:
    recorder = really(scenario, way, tmp_path)
    arrived = recorder.arrived()
    trees = {sink: drawn(normalised(records, recorder.facts)) for sink, records in arrived.items()}
    assert trees == dict.fromkeys(("memory", "otel", "store"), tidy(TREES[scenario]).format_map(NAMES))


@sync_and_async
@pytest.mark.parametrize("scenario", [pytest.param(one, marks=[pytest.mark.newest] if one == "rejected" else []) for one in REAL])
def test_the_facts_written_down_are_the_ones_that_the_adapter_tells(scenario: str, way: Way, tmp_path: Path) -> None:
    """Who rejected is noted on the message from langchain-core 1.7.2 on; with an older one the tree alone is the same."""
    real, hand = really(scenario, way, tmp_path), written(scenario, tmp_path)
    assert [_shape(fact) for fact in hand.facts] == [_shape(fact) for fact in real.facts]
    real.shutdown(10)
    hand.shutdown(10)


@pytest.mark.parametrize("scenario", REAL)
def test_the_records_have_the_attributes_that_the_facts_written_down_give(scenario: str, tmp_path: Path) -> None:
    real, hand = really(scenario, _invoke, tmp_path), written(scenario, tmp_path)
    found = [_attributes(one.record) for one in lines(real.arrived()["memory"])]
    assert found == [_attributes(one.record) for one in lines(hand.arrived()["memory"])]


def _invoke(graph: Any, inputs: Any, config: Any) -> None:
    graph.invoke(inputs, config)


def _shape(fact: Fact) -> tuple[object, ...]:
    """A fact's kind, what it is about and what was decided: all but ids of the run, times and content."""
    shown = ("name", "event", "call", "outcome", "stop", "decision", "effects", "target", "mechanism", "calls", "kind", "user", "origin")
    return (type(fact).__name__, *(getattr(fact, each.name) for each in fields(fact) if each.name in shown))


def _attributes(record: Record) -> tuple[str, set[str]]:
    left = set(record.attributes) - {n.MESSAGES_BEFORE}  # a count that no scenario is about
    return (record.name, left | {f"{event.name}/{name}" for event in record.events for name in event.attributes})
