"""create_agent, chains and models without a graph, structured output."""

from __future__ import annotations

import asyncio
from typing import Any

from langchain.agents import create_agent
from langchain.agents.structured_output import ToolStrategy
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.tools import tool
from pydantic import BaseModel

from tests.support.models import Scripted, calls, says, tokens
from tests.support.trails import Trail, tidy
from tests.support.ways import Way, every_way, sync_and_async


@tool
def add(a: int, b: int) -> int:
    """Adds."""
    return a + b


class Weather(BaseModel):
    """The weather."""

    degrees: int


ASK: Any = {"messages": [("user", "1 + 2?")]}


@every_way
def test_an_agent_with_one_tool_call(trail: Trail, way: Way) -> None:
    model = Scripted(script=[calls(("c1", "add", {"a": 1, "b": 2}), usage=tokens(10, 3)), says("3", usage=tokens(20, 1), finish="stop")])
    way(create_agent(model, [add], name="adder"), ASK)
    assert trail.tree(
        "gen_ai.usage.input_tokens", "hookspan.usage.input_tokens", "hookspan.usage.output_tokens", "gen_ai.response.finish_reasons"
    ) == tidy(
        """
        invoke_agent adder completed stop=end_turn usage.input_tokens=30 usage.output_tokens=4
          chat scripted-1 usage.input_tokens=10
          execute_tool add (c1) success ran attempt=1 basis=none_asked
          chat scripted-1 usage.input_tokens=20 response.finish_reasons=['stop']
        """
    )


@every_way
def test_three_parallel_calls_are_siblings(trail: Trail, way: Way) -> None:
    model = Scripted(script=[calls(*((f"c{n}", "add", {"a": n, "b": n}) for n in (1, 2, 3))), says("done")])
    way(create_agent(model, [add], name="adder"), ASK)
    assert trail.tree(unordered=True) == tidy(
        """
        invoke_agent adder completed stop=end_turn
          chat scripted-1
          chat scripted-1
          execute_tool add (c1) success ran attempt=1 basis=none_asked
          execute_tool add (c2) success ran attempt=1 basis=none_asked
          execute_tool add (c3) success ran attempt=1 basis=none_asked
        """
    )


@sync_and_async
def test_a_run_name_does_not_rename_the_agent(trail: Trail, way: Way) -> None:
    way(
        create_agent(Scripted(script=[says("hi")]), [], name="adder"),
        ASK,
        {"run_name": "liar", "metadata": {"lc_agent_name": "liar", "ls_integration": "liar"}},
    )
    assert trail.tree() == tidy(
        """
        invoke_agent adder completed stop=end_turn
          chat scripted-1
        """
    )


def test_an_agent_without_a_name(trail: Trail) -> None:
    create_agent(Scripted(script=[says("hi")]), []).invoke(ASK)
    assert trail.tree() == tidy(
        """
        invoke_agent LangGraph completed stop=end_turn
          chat scripted-1
        """
    )


def test_a_batch_is_one_run_each(trail: Trail) -> None:
    agent: Any = create_agent(Scripted(script=[calls(("c1", "add", {"a": 1, "b": 2})), says("3")]), [add], name="adder")
    agent.batch([ASK, ASK])
    asyncio.run(agent.abatch([ASK, ASK]))
    assert trail.tree(unordered=True) == tidy(
        """
        invoke_agent adder completed stop=end_turn
          chat scripted-1
          chat scripted-1
          execute_tool add (c1) success ran attempt=1 basis=none_asked
        invoke_agent adder completed stop=end_turn
          chat scripted-1
          chat scripted-1
          execute_tool add (c1) success ran attempt=1 basis=none_asked
        invoke_agent adder completed stop=end_turn
          chat scripted-1
          chat scripted-1
          execute_tool add (c1) success ran attempt=1 basis=none_asked
        invoke_agent adder completed stop=end_turn
          chat scripted-1
          chat scripted-1
          execute_tool add (c1) success ran attempt=1 basis=none_asked
        """
    )


@sync_and_async
def test_a_chain_without_a_graph_is_its_model_call(trail: Trail, way: Way) -> None:
    chain = ChatPromptTemplate.from_messages([("user", "{question}")]) | Scripted(script=[says("hi", usage=tokens(4, 2))])
    way(chain, {"question": "hello"}, {"metadata": {"thread_id": "t1"}})
    assert trail.tree("gen_ai.usage.input_tokens", "gen_ai.conversation.id") == "chat scripted-1 usage.input_tokens=4 conversation.id=t1"


@sync_and_async
def test_structured_output_is_no_tool_call(trail: Trail, way: Way) -> None:
    way(Scripted(script=[calls(("s1", "Weather", {"degrees": 20}))]).with_structured_output(Weather), "how warm?")
    assert trail.tree() == "chat scripted-1"


@sync_and_async
def test_a_structured_response_of_an_agent_is_no_tool_call(trail: Trail, way: Way) -> None:
    model = Scripted(script=[calls(("c1", "add", {"a": 1, "b": 2})), calls(("s1", "Weather", {"degrees": 20}))])
    way(create_agent(model, [add], name="adder", response_format=ToolStrategy(Weather)), ASK)
    assert trail.tree() == tidy(
        """
        invoke_agent adder completed stop=end_turn
          chat scripted-1
          execute_tool add (c1) success ran attempt=1 basis=none_asked
          chat scripted-1
        """
    )


@sync_and_async
def test_a_structured_response_that_does_not_fit_is_asked_again(trail: Trail, way: Way) -> None:
    model = Scripted(script=[calls(("s1", "Weather", {"degrees": "hot"})), calls(("s2", "Weather", {"degrees": 20}))])
    way(create_agent(model, [add], name="adder", response_format=ToolStrategy(Weather)), ASK)
    assert trail.tree() == tidy(
        """
        invoke_agent adder completed stop=end_turn
          chat scripted-1
          chat scripted-1
        """
    )
