"""HumanInTheLoopMiddleware: what a person decided about which call, and what became of it."""

# ruff: noqa: E501 -- a record is one line, however long

from __future__ import annotations

from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from hookspan.model.acting import acting_as
from tests.support.models import Scripted, calls, says
from tests.support.trails import Trail, tidy
from tests.support.ways import Way, every_way, sync_and_async

ASK: Any = {"messages": [("user", "go")]}
CONFIG: Any = {"configurable": {"thread_id": "t1"}}


@tool
def look(path: str) -> str:
    """Looks."""
    return "seen"


@tool
def remove(path: str) -> str:
    """Removes."""
    return f"removed {path}"


TWO = Scripted(script=[calls(("l", "look", {"path": "x"}), ("r", "remove", {"path": "x"})), says("done")])
THREE = Scripted(
    script=[calls(("r1", "remove", {"path": "1"}), ("r2", "remove", {"path": "2"}), ("r3", "remove", {"path": "3"})), says("done")]
)


def guarded_agent(model: Scripted, **options: Any) -> Any:
    return create_agent(
        model,
        [look, remove],
        middleware=[HumanInTheLoopMiddleware({"remove": True}, **options)],
        checkpointer=InMemorySaver(),
        name="boss",
    )


def answers(*decisions: dict[str, Any]) -> Command[Any]:
    return Command(resume={"decisions": list(decisions)})


@every_way
def test_approved(trail: Trail, way: Way) -> None:
    agent = guarded_agent(TWO)
    way(agent, ASK, CONFIG)
    way(agent, answers({"type": "approve"}), CONFIG)
    assert trail.tree(unordered=True) == tidy(
        """
        invoke_agent boss interrupted stop=interrupt [interrupt approval r]
          chat scripted-1
          execute_tool look (l) interrupted never ran
          execute_tool remove (r) interrupted never ran
            pause (r)
          invoke_agent boss completed stop=end_turn [resume] link->1
            approval remove (r) <allow from human>
            chat scripted-1
            execute_tool look (l) success ran attempt=1 basis=none_asked
            execute_tool remove (r) success ran attempt=1 basis=human <allow from human> [decision allow]
        """
    )
    approval = trail.named("approval remove")
    waited = approval.attributes["hookspan.decision.wait_s"]
    assert isinstance(waited, float)
    assert waited > 0


@every_way
def test_rejected_with_a_reason(trail: Trail, way: Way) -> None:
    agent = guarded_agent(TWO)
    way(agent, ASK, CONFIG)
    way(agent, answers({"type": "reject", "message": "too risky"}), CONFIG)
    assert trail.tree(unordered=True) == tidy(
        """
        invoke_agent boss interrupted stop=interrupt [interrupt approval r]
          chat scripted-1
          execute_tool look (l) interrupted never ran
          execute_tool remove (r) interrupted never ran
            pause (r)
          invoke_agent boss completed stop=end_turn [resume] link->1
            approval remove (r) <deny from human: 'too risky'>
            chat scripted-1
            execute_tool look (l) success ran attempt=1 basis=none_asked
            execute_tool remove (r) denied never ran <deny from human: 'too risky'> [decision deny]
        """
    )


@sync_and_async
def test_rejected_without_a_reason(trail: Trail, way: Way) -> None:
    agent = guarded_agent(TWO)
    way(agent, ASK, CONFIG)
    way(agent, answers({"type": "reject"}), CONFIG)
    assert trail.tree("hookspan.decision.reason_given", unordered=True) == tidy(
        """
        invoke_agent boss interrupted stop=interrupt [interrupt approval r]
          chat scripted-1
          execute_tool look (l) interrupted never ran
          execute_tool remove (r) interrupted never ran
            pause (r)
          invoke_agent boss completed stop=end_turn [resume] link->1
            approval remove (r) <deny from human: 'no reason given'> decision.reason_given=False
            chat scripted-1
            execute_tool look (l) success ran attempt=1 basis=none_asked
            execute_tool remove (r) denied never ran <deny from human: 'no reason given'> decision.reason_given=False [decision deny]
        """
    )


@sync_and_async
def test_edited(trail: Trail, way: Way) -> None:
    agent = guarded_agent(TWO)
    way(agent, ASK, CONFIG)
    way(agent, answers({"type": "edit", "edited_action": {"name": "remove", "args": {"path": "y"}}}), CONFIG)
    assert trail.tree("gen_ai.tool.call.arguments", "gen_ai.tool.call.result", unordered=True) == tidy(
        """
        invoke_agent boss interrupted stop=interrupt [interrupt approval r]
          chat scripted-1
          execute_tool look (l) interrupted never ran tool.call.arguments={"path":"x"}
          execute_tool remove (r) interrupted never ran tool.call.arguments={"path":"x"}
            pause (r)
          invoke_agent boss completed stop=end_turn [resume] link->1
            approval remove (r) <edit from human>
            chat scripted-1
            execute_tool look (l) success ran attempt=1 basis=none_asked tool.call.arguments={"path":"x"} tool.call.result=seen
            execute_tool remove (r) success ran attempt=1 basis=human input edited <edit from human> tool.call.arguments={"path":"y"} tool.call.result=removed y [decision edit]
        """
    )


@sync_and_async
def test_edited_into_another_tool(trail: Trail, way: Way) -> None:
    agent = guarded_agent(TWO)
    way(agent, ASK, CONFIG)
    way(agent, answers({"type": "edit", "edited_action": {"name": "look", "args": {"path": "y"}}}), CONFIG)
    assert trail.tree("gen_ai.tool.call.arguments", unordered=True) == tidy(
        """
        invoke_agent boss interrupted stop=interrupt [interrupt approval r]
          chat scripted-1
          execute_tool look (l) interrupted never ran tool.call.arguments={"path":"x"}
          execute_tool remove (r) interrupted never ran tool.call.arguments={"path":"x"}
            pause (r)
          invoke_agent boss completed stop=end_turn [resume] link->1
            approval remove (r) <edit from human>
            chat scripted-1
            execute_tool look (l) success ran attempt=1 basis=none_asked tool.call.arguments={"path":"x"}
            execute_tool look (r) success ran attempt=1 basis=human input edited <edit from human> tool.call.arguments={"path":"y"} [decision edit]
        """
    )


@sync_and_async
def test_answered_in_the_tools_place(trail: Trail, way: Way) -> None:
    agent = guarded_agent(TWO)
    way(agent, ASK, CONFIG)
    way(agent, answers({"type": "respond", "message": "already gone"}), CONFIG)
    assert trail.tree("gen_ai.tool.call.result", unordered=True) == tidy(
        """
        invoke_agent boss interrupted stop=interrupt [interrupt approval r]
          chat scripted-1
          execute_tool look (l) interrupted never ran
          execute_tool remove (r) interrupted never ran
            pause (r)
          invoke_agent boss completed stop=end_turn [resume] link->1
            approval remove (r) <respond from human>
            chat scripted-1
            execute_tool look (l) success ran attempt=1 basis=none_asked tool.call.result=seen
            execute_tool remove (r) success never ran <respond from human> tool.call.result=already gone [decision respond]
        """
    )


@sync_and_async
def test_three_at_once_approved_edited_and_rejected(trail: Trail, way: Way) -> None:
    agent = guarded_agent(THREE)
    way(agent, ASK, CONFIG)
    decisions = (
        {"type": "approve"},
        {"type": "edit", "edited_action": {"name": "remove", "args": {"path": "y"}}},
        {"type": "reject", "message": "no"},
    )
    with acting_as("ada"):
        way(agent, answers(*decisions), CONFIG)
    assert trail.tree("user.id", unordered=True) == tidy(
        """
        invoke_agent boss interrupted stop=interrupt [interrupt approval r1,r2,r3]
          chat scripted-1
          execute_tool remove (r1) interrupted never ran
          execute_tool remove (r2) interrupted never ran
          execute_tool remove (r3) interrupted never ran
          invoke_agent boss completed stop=end_turn user.id=ada [resume] link->1
            approval remove (r1) <allow from human by ada>
            approval remove (r2) <edit from human by ada>
            approval remove (r3) <deny from human by ada: 'no'>
            chat scripted-1
            execute_tool remove (r1) success ran attempt=1 basis=human <allow from human by ada> [decision allow]
            execute_tool remove (r2) success ran attempt=1 basis=human input edited <edit from human by ada> [decision edit]
            execute_tool remove (r3) denied never ran <deny from human by ada: 'no'> [decision deny]
          pause
        """
    )


@pytest.mark.newest
@sync_and_async
def test_each_call_on_its_own(trail: Trail, way: Way) -> None:
    """`interrupt_mode="per_call"`: as many interrupts as calls, each asked inside its own tool node."""
    agent = guarded_agent(THREE, interrupt_mode="per_call")
    way(agent, ASK, CONFIG)
    asked = agent.get_state(CONFIG).interrupts
    said = {"1": {"type": "approve"}, "2": {"type": "reject", "message": "no"}, "3": {"type": "respond", "message": "gone"}}
    way(agent, Command(resume={one.id: said[one.value["args"]["path"]] for one in asked}), CONFIG)
    assert trail.tree(unordered=True) == tidy(
        """
        invoke_agent boss interrupted stop=interrupt [interrupt approval r1] [interrupt approval r2] [interrupt approval r3]
          chat scripted-1
          execute_tool remove (r1) interrupted never ran
            pause (r1)
          execute_tool remove (r2) interrupted never ran
            pause (r2)
          execute_tool remove (r3) interrupted never ran
            pause (r3)
          invoke_agent boss completed stop=end_turn [resume] [resume] [resume] link->1
            approval remove (r1) <allow from human>
            approval remove (r2) <deny from human: 'no'>
            approval remove (r3) <respond from human>
            chat scripted-1
            execute_tool remove (r1) success ran attempt=1 basis=human <allow from human> [decision allow]
            execute_tool remove (r2) denied never ran <deny from human: 'no'> [decision deny]
            execute_tool remove (r3) success never ran <respond from human> [decision respond]
        """
    )
