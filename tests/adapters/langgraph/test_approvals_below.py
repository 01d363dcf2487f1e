"""Approvals in deep agents and in their subagents."""

from __future__ import annotations

from typing import Any

from deepagents import SubAgent, create_deep_agent
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

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


def answers(*decisions: dict[str, Any]) -> Command[Any]:
    return Command(resume={"decisions": list(decisions)})


TWO = Scripted(script=[calls(("l", "look", {"path": "x"}), ("r", "remove", {"path": "x"})), says("done")])


@sync_and_async
def test_in_a_deep_agent(trail: Trail, way: Way) -> None:
    agent = create_deep_agent(TWO, [look, remove], interrupt_on={"remove": True}, checkpointer=InMemorySaver(), name="boss")
    way(agent, ASK, CONFIG)
    way(agent, answers({"type": "reject", "message": "no"}), CONFIG)
    assert trail.tree(unordered=True) == tidy(
        """
        invoke_agent boss interrupted stop=interrupt [interrupt approval r]
          chat scripted-1
          execute_tool look (l) interrupted never ran
          execute_tool remove (r) interrupted never ran
            pause (r)
          invoke_agent boss completed stop=end_turn [resume] link->1
            approval remove (r) <deny from human: 'no'>
            chat scripted-1
            execute_tool look (l) success ran attempt=1 basis=none_asked
            execute_tool remove (r) denied never ran <deny from human: 'no'> [decision deny]
        """
    )


@every_way
def test_in_a_subagent(trail: Trail, way: Way) -> None:
    sub = SubAgent(name="sub", description="x", system_prompt="x", model=TWO, tools=[look, remove], interrupt_on={"remove": True})
    model = Scripted(script=[calls(("t1", "task", {"description": "do", "subagent_type": "sub"})), says("done")])
    agent = create_deep_agent(model, [], subagents=[sub], checkpointer=InMemorySaver(), name="boss")
    way(agent, ASK, CONFIG)
    way(agent, answers({"type": "approve"}), CONFIG)
    assert trail.tree(unordered=True) == tidy(
        """
        invoke_agent boss interrupted stop=interrupt [interrupt approval]
          chat scripted-1
          execute_tool task (t1) interrupted ran attempt=1 basis=none_asked origin=subagent [handoff boss -> sub subagent (t1)]
            invoke_agent sub interrupted stop=interrupt [interrupt approval r]
              chat scripted-1
              execute_tool look (l) interrupted never ran
              execute_tool remove (r) interrupted never ran
                pause (r)
          invoke_agent boss completed stop=end_turn [resume] link->1
            approval remove (r) <allow from human>
            chat scripted-1
            execute_tool task (t1) success ran attempt=1 basis=none_asked origin=subagent [handoff boss -> sub subagent (t1)]
              invoke_agent sub completed stop=end_turn
                chat scripted-1
                execute_tool look (l) success ran attempt=1 basis=none_asked
                execute_tool remove (r) success ran attempt=1 basis=human <allow from human> [decision allow]
        """
    )


@sync_and_async
def test_in_two_parallel_subagents(trail: Trail, way: Way) -> None:
    subs = [
        SubAgent(
            name=name,
            description="x",
            system_prompt="x",
            model=Scripted(script=[calls((f"r-{name}", "remove", {"path": name})), says("done")]),
            tools=[remove],
            interrupt_on={"remove": True},
        )
        for name in ("one", "two")
    ]
    model = Scripted(script=[calls(*((f"t-{n}", "task", {"description": "do", "subagent_type": n}) for n in ("one", "two"))), says("done")])
    agent = create_deep_agent(model, [], subagents=subs, checkpointer=InMemorySaver(), name="boss")
    way(agent, ASK, CONFIG)
    said = {"one": {"type": "approve"}, "two": {"type": "reject", "message": "no"}}
    asked = agent.get_state(CONFIG).interrupts
    way(agent, Command(resume={one.id: {"decisions": [said[one.value["action_requests"][0]["args"]["path"]]]} for one in asked}), CONFIG)
    assert trail.tree(unordered=True) == tidy(
        """
        invoke_agent boss interrupted stop=interrupt [interrupt approval] [interrupt approval]
          chat scripted-1
          execute_tool task (t-one) interrupted ran attempt=1 basis=none_asked origin=subagent [handoff boss -> one subagent (t-one)]
            invoke_agent one interrupted stop=interrupt [interrupt approval r-one]
              chat scripted-1
              execute_tool remove (r-one) interrupted never ran
                pause (r-one)
          execute_tool task (t-two) interrupted ran attempt=1 basis=none_asked origin=subagent [handoff boss -> two subagent (t-two)]
            invoke_agent two interrupted stop=interrupt [interrupt approval r-two]
              chat scripted-1
              execute_tool remove (r-two) interrupted never ran
                pause (r-two)
          invoke_agent boss completed stop=end_turn [resume] [resume] link->1
            approval remove (r-one) <allow from human>
            approval remove (r-two) <deny from human: 'no'>
            chat scripted-1
            execute_tool task (t-one) success ran attempt=1 basis=none_asked origin=subagent [handoff boss -> one subagent (t-one)]
              invoke_agent one completed stop=end_turn
                chat scripted-1
                execute_tool remove (r-one) success ran attempt=1 basis=human <allow from human> [decision allow]
            execute_tool task (t-two) success ran attempt=1 basis=none_asked origin=subagent [handoff boss -> two subagent (t-two)]
              invoke_agent two completed stop=end_turn
                chat scripted-1
                execute_tool remove (r-two) denied never ran <deny from human: 'no'> [decision deny]
        """
    )
