"""interrupt(), breakpoints, and what is a resume and what is not."""

# ruff: noqa: E501 -- a record is one line, however long

from __future__ import annotations

from typing import Any

from langchain.agents import create_agent
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command, interrupt

from tests.support.models import Scripted, calls, says
from tests.support.trails import Trail, tidy
from tests.support.ways import Way, every_way, sync_and_async

ASK: Any = {"messages": [("user", "go")]}
CONFIG: Any = {"configurable": {"thread_id": "t1"}}


@tool
def ask(question: str) -> str:
    """Asks a person."""
    return f"they said {interrupt({'q': question})}"


@tool
def add(a: int, b: int) -> int:
    """Adds."""
    return a + b


def asking(**calls_and_questions: str) -> Any:
    model = Scripted(script=[calls(*((call, "ask", {"question": q}) for call, q in calls_and_questions.items())), says("done")])
    return create_agent(model, [ask, add], checkpointer=InMemorySaver(), name="asker")


def pausing(**options: Any) -> Any:
    """A graph of two nodes, `first` and `second`."""
    graph = StateGraph(MessagesState)
    graph.add_node("first", lambda state: {})
    graph.add_node("second", lambda state: {})
    graph.add_edge(START, "first")
    graph.add_edge("first", "second")
    return graph.compile(name="pausing", checkpointer=InMemorySaver(), **options)


def questioning() -> Any:
    graph = StateGraph(MessagesState)
    graph.add_node("question", lambda state: {"messages": [str(interrupt("how many?"))]})
    graph.add_node("other", lambda state: {})
    graph.add_edge(START, "question")
    return graph.compile(name="questioning", checkpointer=InMemorySaver())


@every_way
def test_in_a_tool(trail: Trail, way: Way) -> None:
    agent = asking(c1="ok?")
    way(agent, ASK, CONFIG)
    way(agent, Command(resume="yes"), CONFIG)
    assert trail.tree() == tidy(
        """
        invoke_agent asker interrupted stop=interrupt [interrupt question c1]
          chat scripted-1
          execute_tool ask (c1) interrupted ran attempt=1 basis=none_asked
            pause (c1)
          invoke_agent asker completed stop=end_turn [resume] link->1
            approval ask (c1) <respond from human>
            execute_tool ask (c1) success ran attempt=1 basis=none_asked <respond from human> [decision respond]
            chat scripted-1
        """
    )


@every_way
def test_in_a_node(trail: Trail, way: Way) -> None:
    graph = questioning()
    way(graph, ASK, CONFIG)
    way(graph, Command(resume="two"), CONFIG)
    assert trail.tree() == tidy(
        """
        invoke_workflow questioning interrupted stop=interrupt [interrupt question]
          pause
          invoke_workflow questioning completed [resume] [decision respond] link->1
            approval <respond from human>
        """
    )


@sync_and_async
def test_in_two_tools_at_once_answered_together(trail: Trail, way: Way) -> None:
    agent = asking(c1="one?", c2="two?")
    way(agent, ASK, CONFIG)
    asked = agent.get_state(CONFIG).interrupts
    way(agent, Command(resume={one.id: one.value["q"] for one in asked}), CONFIG)
    assert trail.tree(unordered=True) == tidy(
        """
        invoke_agent asker interrupted stop=interrupt [interrupt question c1] [interrupt question c2]
          chat scripted-1
          execute_tool ask (c1) interrupted ran attempt=1 basis=none_asked
            pause (c1)
          execute_tool ask (c2) interrupted ran attempt=1 basis=none_asked
            pause (c2)
          invoke_agent asker completed stop=end_turn [resume] [resume] link->1
            approval ask (c1) <respond from human>
            approval ask (c2) <respond from human>
            chat scripted-1
            execute_tool ask (c1) success ran attempt=1 basis=none_asked <respond from human> [decision respond]
            execute_tool ask (c2) success ran attempt=1 basis=none_asked <respond from human> [decision respond]
        """
    )


@sync_and_async
def test_in_two_tools_at_once_answered_one_after_the_other(trail: Trail, way: Way) -> None:
    agent = asking(c1="one?", c2="two?")
    way(agent, ASK, CONFIG)
    for one in agent.get_state(CONFIG).interrupts:
        way(agent, Command(resume={one.id: "yes"}), CONFIG)
    assert trail.tree(unordered=True) == tidy(
        """
        invoke_agent asker interrupted stop=interrupt [interrupt question c1] [interrupt question c2]
          chat scripted-1
          execute_tool ask (c1) interrupted ran attempt=1 basis=none_asked
            pause (c1)
          execute_tool ask (c2) interrupted ran attempt=1 basis=none_asked
            pause (c2)
          invoke_agent asker interrupted stop=interrupt [interrupt question c2] [resume] link->1
            approval ask (c1) <respond from human>
            execute_tool ask (c1) success ran attempt=1 basis=none_asked <respond from human> [decision respond]
            execute_tool ask (c2) interrupted ran attempt=1 basis=none_asked
              pause (c2)
            invoke_agent asker completed stop=end_turn [resume] link->7
              approval ask (c2) <respond from human>
              chat scripted-1
              execute_tool ask (c2) success ran attempt=1 basis=none_asked <respond from human> [decision respond]
        """
    )


@sync_and_async
def test_in_an_agent_inside_a_graph(trail: Trail, way: Way) -> None:
    graph = StateGraph(MessagesState)
    graph.add_node("agent", create_agent(Scripted(script=[calls(("c1", "ask", {"question": "ok?"})), says("done")]), [ask], name="asker"))
    graph.add_edge(START, "agent")
    outer = graph.compile(name="outer", checkpointer=InMemorySaver())
    way(outer, ASK, CONFIG)
    way(outer, Command(resume="yes"), CONFIG)
    assert trail.tree() == tidy(
        """
        invoke_workflow outer interrupted stop=interrupt [interrupt question]
          invoke_agent asker interrupted stop=interrupt [interrupt question c1]
            chat scripted-1
            execute_tool ask (c1) interrupted ran attempt=1 basis=none_asked
              pause (c1)
          invoke_workflow outer completed [resume] link->1
            approval ask (c1) <respond from human>
            invoke_agent asker completed stop=end_turn
              execute_tool ask (c1) success ran attempt=1 basis=none_asked <respond from human> [decision respond]
              chat scripted-1
        """
    )


@sync_and_async
def test_the_same_question_twice_in_one_tool(trail: Trail, way: Way) -> None:
    @tool
    def ask_twice() -> str:
        """Asks two things."""
        return f"{interrupt('first?')} {interrupt('second?')}"

    agent = create_agent(
        Scripted(script=[calls(("c1", "ask_twice", {})), says("done")]), [ask_twice], checkpointer=InMemorySaver(), name="asker"
    )
    way(agent, ASK, CONFIG)
    way(agent, Command(resume="a"), CONFIG)
    way(agent, Command(resume="b"), CONFIG)
    assert trail.tree("gen_ai.tool.call.result") == tidy(
        """
        invoke_agent asker interrupted stop=interrupt [interrupt question c1]
          chat scripted-1
          execute_tool ask_twice (c1) interrupted ran attempt=1 basis=none_asked
            pause (c1)
          invoke_agent asker interrupted stop=interrupt [resume] [interrupt question c1] link->1
            approval ask_twice (c1) <respond from human>
            execute_tool ask_twice (c1) interrupted ran attempt=1 basis=none_asked <respond from human> [decision respond]
              pause (c1)
            invoke_agent asker completed stop=end_turn [resume] link->5
              approval ask_twice (c1) <respond from human>
              execute_tool ask_twice (c1) success ran attempt=1 basis=none_asked <respond from human> tool.call.result=a b [decision respond]
              chat scripted-1
        """
    )
