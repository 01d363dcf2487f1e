"""Hand-written graphs: nodes, subgraphs, fan-out, the functional API."""

from __future__ import annotations

import asyncio
import operator
from typing import Annotated, Any

from langchain.agents import create_agent
from langchain_core.messages import HumanMessage
from langchain_core.tools import tool
from langgraph.func import entrypoint, task
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from langgraph.types import Command, Send
from typing_extensions import TypedDict

from tests.support.models import Scripted, calls, says
from tests.support.trails import Trail, tidy
from tests.support.ways import Way, every_way, sync_and_async


@tool
def add(a: int, b: int) -> int:
    """Adds."""
    return a + b


ASK: Any = {"messages": [("user", "1 + 2?")]}
SCRIPT = [calls(("c1", "add", {"a": 1, "b": 2}), ("c2", "add", {"a": 3, "b": 4})), says("3 and 7")]


def loop(name: str = "math", model: Any = None) -> Any:
    """The graph of LangGraph's own introduction: a model with bound tools, a ToolNode, a condition."""
    bound = (model or Scripted(script=SCRIPT)).bind_tools([add])

    def chatbot(state: MessagesState) -> dict[str, Any]:
        return {"messages": [bound.invoke(state["messages"])]}

    graph = StateGraph(MessagesState)
    graph.add_node("chatbot", chatbot)
    graph.add_node("tools", ToolNode([add]))
    graph.add_edge(START, "chatbot")
    graph.add_conditional_edges("chatbot", tools_condition)
    graph.add_edge("tools", "chatbot")
    return graph.compile(name=name)


@every_way
def test_a_model_with_tools_and_a_tool_node(trail: Trail, way: Way) -> None:
    way(loop(), ASK)
    assert trail.tree(unordered=True) == tidy(
        """
        invoke_workflow math completed
          chat scripted-1
          chat scripted-1
          execute_tool add (c1) success ran attempt=1 basis=none_asked
          execute_tool add (c2) success ran attempt=1 basis=none_asked
        """
    )


@every_way
def test_a_subgraph_as_a_node(trail: Trail, way: Way) -> None:
    outer = StateGraph(MessagesState)
    outer.add_node("inner", loop("inner"))
    outer.add_node("after", lambda state: {})
    outer.add_edge(START, "inner")
    outer.add_edge("inner", "after")
    way(outer.compile(name="outer"), ASK)
    assert trail.tree(unordered=True) == tidy(
        """
        invoke_workflow outer completed
          invoke_workflow inner completed
            chat scripted-1
            chat scripted-1
            execute_tool add (c1) success ran attempt=1 basis=none_asked
            execute_tool add (c2) success ran attempt=1 basis=none_asked
        """
    )


@sync_and_async
def test_a_subgraph_invoked_inside_a_node_and_a_tool(trail: Trail, way: Way) -> None:
    inner = loop("inner")
    helper = create_agent(Scripted(script=[says("helped")]), [], name="helper")

    @tool
    def ask_helper(question: str) -> str:
        """Asks."""
        return helper.invoke({"messages": [HumanMessage(question)]})["messages"][-1].text

    def call_inner(state: MessagesState) -> dict[str, Any]:
        return {"messages": inner.invoke({"messages": [("user", "1 + 2?")]})["messages"][-1:]}

    outer = StateGraph(MessagesState)
    outer.add_node("call_inner", call_inner)
    outer.add_node(
        "agent",
        create_agent(
            Scripted(script=[says("unused"), calls(("h1", "ask_helper", {"question": "?"})), says("done")]), [ask_helper], name="boss"
        ),
    )
    outer.add_edge(START, "call_inner")
    outer.add_edge("call_inner", "agent")
    way(outer.compile(name="outer"), ASK)
    assert trail.tree(unordered=True) == tidy(
        """
        invoke_workflow outer completed
          invoke_agent boss completed stop=end_turn
            chat scripted-1
            chat scripted-1
            execute_tool ask_helper (h1) success ran attempt=1 basis=none_asked
              invoke_agent helper completed stop=end_turn
                chat scripted-1
          invoke_workflow inner completed
            chat scripted-1
            chat scripted-1
            execute_tool add (c1) success ran attempt=1 basis=none_asked
            execute_tool add (c2) success ran attempt=1 basis=none_asked
        """
    )


class Jokes(TypedDict):
    subjects: list[str]
    jokes: Annotated[list[str], operator.add]


@every_way
def test_send_fans_out(trail: Trail, way: Way) -> None:
    model = Scripted(script=[says("ha")])

    async def atell(state: Any) -> dict[str, Any]:
        return {"jokes": [(await model.ainvoke(state["subject"])).text]}

    def tell(state: Any) -> dict[str, Any]:
        return {"jokes": [model.invoke(state["subject"]).text]}

    from langchain_core.runnables import RunnableLambda

    graph = StateGraph(Jokes)
    graph.add_node("tell", RunnableLambda(tell, afunc=atell))
    graph.add_conditional_edges(START, lambda state: [Send("tell", {"subject": s}) for s in state["subjects"]])
    graph.add_edge("tell", END)
    way(graph.compile(name="jokes"), {"subjects": ["a", "b", "c"]})
    assert trail.tree(unordered=True) == tidy(
        """
        invoke_workflow jokes completed
          chat scripted-1
          chat scripted-1
          chat scripted-1
        """
    )


@sync_and_async
def test_the_functional_api(trail: Trail, way: Way) -> None:
    model = Scripted(script=[says("x")])

    @task
    def write(topic: str) -> str:
        return model.invoke(topic).text

    @task
    async def awrite(topic: str) -> str:
        return (await model.ainvoke(topic)).text

    def essay(topics: list[str]) -> list[str]:
        return [future.result() for future in [write(topic) for topic in topics]]

    async def aessay(topics: list[str]) -> list[str]:
        return list(await asyncio.gather(*(awrite(topic) for topic in topics)))

    aessay.__name__ = "essay"
    way(entrypoint()(essay if way.__name__ == "invoke" else aessay), ["a", "b"])
    assert trail.tree(unordered=True) == tidy(
        """
        invoke_workflow essay completed
          chat scripted-1
          chat scripted-1
        """
    )


@sync_and_async
def test_a_command_between_nodes_is_no_handoff(trail: Trail, way: Way) -> None:
    graph = StateGraph(MessagesState)
    graph.add_node("first", lambda state: Command(goto="second"))
    graph.add_node("second", lambda state: {})
    graph.add_edge(START, "first")
    way(graph.compile(name="route"), ASK)
    assert trail.tree() == "invoke_workflow route completed"


@sync_and_async
def test_a_model_streamed_inside_a_node(trail: Trail, way: Way) -> None:
    model = Scripted(script=[says("one two")])

    def node(state: MessagesState) -> dict[str, Any]:
        return {"messages": ["".join(chunk.text for chunk in model.stream(state["messages"]))]}

    async def anode(state: MessagesState) -> dict[str, Any]:
        return {"messages": ["".join([chunk.text async for chunk in model.astream(state["messages"])])]}

    graph = StateGraph(MessagesState)
    graph.add_node("talk", node if way.__name__ == "invoke" else anode)
    graph.add_edge(START, "talk")
    way(graph.compile(name="talker"), ASK)
    assert trail.tree("gen_ai.response.finish_reasons") == tidy(
        """
        invoke_workflow talker completed
          chat scripted-1
        """
    )
