"""deepagents: `task` subagents, one, two in parallel, compiled, nested."""

# ruff: noqa: E501 -- a record is one line, however long

from __future__ import annotations

from typing import Any

import pytest
from deepagents import CompiledSubAgent, SubAgent, create_deep_agent
from langchain.agents import create_agent
from langchain_core.tools import tool

from tests.support.models import Scripted, calls, says, tokens
from tests.support.trails import Trail, tidy
from tests.support.ways import Way, every_way, sync_and_async

ASK: Any = {"messages": [("user", "go")]}


@tool
def search(query: str) -> str:
    """Searches."""
    return f"found {query}"


def researcher(name: str = "researcher") -> SubAgent:
    model = Scripted(script=[calls((f"{name}-s", "search", {"query": name}), usage=tokens(7, 1)), says(f"{name} done", usage=tokens(9, 2))])
    return SubAgent(name=name, description="Researches.", system_prompt="Research.", model=model, tools=[search])


def task(call: str, kind: str) -> tuple[str, str, dict[str, Any]]:
    return (call, "task", {"description": f"ask {kind}", "subagent_type": kind})


@every_way
def test_one_task(trail: Trail, way: Way) -> None:
    model = Scripted(script=[calls(task("t1", "researcher"), usage=tokens(100, 10)), says("done", usage=tokens(200, 20))])
    way(create_deep_agent(model, [], subagents=[researcher()], name="boss"), ASK)
    assert trail.tree("hookspan.framework", "hookspan.usage.input_tokens", "gen_ai.agent.name") == tidy(
        """
        invoke_agent boss completed stop=end_turn framework=deepagents usage.input_tokens=316 agent.name=boss
          chat scripted-1 framework=deepagents agent.name=boss
          execute_tool task (t1) success ran attempt=1 basis=none_asked origin=subagent framework=deepagents agent.name=boss [handoff boss -> researcher subagent (t1)]
            invoke_agent researcher completed stop=end_turn framework=deepagents usage.input_tokens=16 agent.name=researcher
              chat scripted-1 framework=deepagents agent.name=researcher
              execute_tool search (researcher-s) success ran attempt=1 basis=none_asked framework=deepagents agent.name=researcher
              chat scripted-1 framework=deepagents agent.name=researcher
          chat scripted-1 framework=deepagents agent.name=boss
        """
    )


@every_way
def test_two_parallel_tasks(trail: Trail, way: Way) -> None:
    model = Scripted(script=[calls(task("t1", "one"), task("t2", "two")), says("done")])
    way(create_deep_agent(model, [], subagents=[researcher("one"), researcher("two")], name="boss"), ASK)
    assert trail.tree("gen_ai.agent.name", unordered=True) == tidy(
        """
        invoke_agent boss completed stop=end_turn agent.name=boss
          chat scripted-1 agent.name=boss
          chat scripted-1 agent.name=boss
          execute_tool task (t1) success ran attempt=1 basis=none_asked origin=subagent agent.name=boss [handoff boss -> one subagent (t1)]
            invoke_agent one completed stop=end_turn agent.name=one
              chat scripted-1 agent.name=one
              chat scripted-1 agent.name=one
              execute_tool search (one-s) success ran attempt=1 basis=none_asked agent.name=one
          execute_tool task (t2) success ran attempt=1 basis=none_asked origin=subagent agent.name=boss [handoff boss -> two subagent (t2)]
            invoke_agent two completed stop=end_turn agent.name=two
              chat scripted-1 agent.name=two
              chat scripted-1 agent.name=two
              execute_tool search (two-s) success ran attempt=1 basis=none_asked agent.name=two
        """
    )


@sync_and_async
def test_two_parallel_tasks_of_one_kind(trail: Trail, way: Way) -> None:
    model = Scripted(script=[calls(task("t1", "one"), task("t2", "one")), says("done")])
    way(create_deep_agent(model, [], subagents=[researcher("one")], name="boss"), ASK)
    assert trail.tree("gen_ai.agent.name", unordered=True) == tidy(
        """
        invoke_agent boss completed stop=end_turn agent.name=boss
          chat scripted-1 agent.name=boss
          chat scripted-1 agent.name=boss
          execute_tool task (t1) success ran attempt=1 basis=none_asked origin=subagent agent.name=boss [handoff boss -> one subagent (t1)]
            invoke_agent one completed stop=end_turn agent.name=one
              chat scripted-1 agent.name=one
              chat scripted-1 agent.name=one
              execute_tool search (one-s) success ran attempt=1 basis=none_asked agent.name=one
          execute_tool task (t2) success ran attempt=1 basis=none_asked origin=subagent agent.name=boss [handoff boss -> one subagent (t2)]
            invoke_agent one completed stop=end_turn agent.name=one
              chat scripted-1 agent.name=one
              chat scripted-1 agent.name=one
              execute_tool search (one-s) success ran attempt=1 basis=none_asked agent.name=one
        """
    )


@sync_and_async
def test_a_compiled_subagent(trail: Trail, way: Way) -> None:
    inner = create_agent(Scripted(script=[calls(("s1", "search", {"query": "x"})), says("found")]), [search], name="inner")
    compiled = CompiledSubAgent(name="res", description="Researches.", runnable=inner)
    way(create_deep_agent(Scripted(script=[calls(task("t1", "res")), says("done")]), [], subagents=[compiled], name="boss"), ASK)
    assert trail.tree("gen_ai.agent.name") == tidy(
        """
        invoke_agent boss completed stop=end_turn agent.name=boss
          chat scripted-1 agent.name=boss
          execute_tool task (t1) success ran attempt=1 basis=none_asked origin=subagent agent.name=boss [handoff boss -> res subagent (t1)]
            invoke_agent res completed stop=end_turn agent.name=res
              chat scripted-1 agent.name=res
              execute_tool search (s1) success ran attempt=1 basis=none_asked agent.name=res
              chat scripted-1 agent.name=res
          chat scripted-1 agent.name=boss
        """
    )


@sync_and_async
def test_a_nested_deep_agent(trail: Trail, way: Way) -> None:
    inner = create_deep_agent(
        Scripted(script=[calls(task("t2", "researcher")), says("inner done")]), [], subagents=[researcher()], name="inner"
    )
    compiled = CompiledSubAgent(name="inner", description="Delegates.", runnable=inner)
    way(create_deep_agent(Scripted(script=[calls(task("t1", "inner")), says("done")]), [], subagents=[compiled], name="boss"), ASK)
    assert trail.tree() == tidy(
        """
        invoke_agent boss completed stop=end_turn
          chat scripted-1
          execute_tool task (t1) success ran attempt=1 basis=none_asked origin=subagent [handoff boss -> inner subagent (t1)]
            invoke_agent inner completed stop=end_turn
              chat scripted-1
              execute_tool task (t2) success ran attempt=1 basis=none_asked origin=subagent [handoff inner -> researcher subagent (t2)]
                invoke_agent researcher completed stop=end_turn
                  chat scripted-1
                  execute_tool search (researcher-s) success ran attempt=1 basis=none_asked
                  chat scripted-1
              chat scripted-1
          chat scripted-1
        """
    )


@sync_and_async
def test_a_subagent_that_does_not_exist(trail: Trail, way: Way) -> None:
    way(create_deep_agent(Scripted(script=[calls(task("t1", "nobody")), says("done")]), [], subagents=[researcher()], name="boss"), ASK)
    assert trail.tree() == tidy(
        """
        invoke_agent boss completed stop=end_turn
          chat scripted-1
          execute_tool task (t1) success ran attempt=1 basis=none_asked origin=subagent
          chat scripted-1
        """
    )


@sync_and_async
def test_the_tools_of_the_harness(trail: Trail, way: Way) -> None:
    model = Scripted(
        script=[
            calls(("w1", "ls", {"path": "/"})),
            calls(("w2", "write_file", {"file_path": "/a.txt", "content": "x"}), ("w3", "read_file", {"file_path": "/none.txt"})),
            calls(("w4", "read_file", {"file_path": "/a.txt"})),
            says("done"),
        ]
    )
    way(create_deep_agent(model, [], name="boss"), ASK)
    assert trail.tree(unordered=True) == tidy(
        """
        invoke_agent boss completed stop=end_turn
          chat scripted-1
          chat scripted-1
          chat scripted-1
          chat scripted-1
          execute_tool ls (w1) success ran attempt=1 basis=none_asked
          execute_tool read_file (w3) error ran attempt=1 basis=none_asked ERROR tool_error
          execute_tool read_file (w4) success ran attempt=1 basis=none_asked
          execute_tool write_file (w2) success ran attempt=1 basis=none_asked
        """
    )


@sync_and_async
def test_a_failing_subagent(trail: Trail, way: Way) -> None:
    broken = SubAgent(name="broken", description="Breaks.", system_prompt="x", model=Scripted(script=[ValueError("no model")]), tools=[])
    model = Scripted(script=[calls(task("t1", "broken")), says("done")])
    with pytest.raises(ValueError, match="no model"):
        way(create_deep_agent(model, [], subagents=[broken], name="boss"), ASK)
    assert trail.tree() == tidy(
        """
        invoke_agent boss error stop=error ERROR ValueError
          chat scripted-1
          execute_tool task (t1) error ran attempt=1 basis=none_asked origin=subagent ERROR ValueError [handoff boss -> broken subagent (t1)]
            invoke_agent broken error stop=error ERROR ValueError
              chat scripted-1 ERROR ValueError
        """
    )
