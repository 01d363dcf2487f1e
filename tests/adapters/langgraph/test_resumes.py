"""What goes on after a pause, and what only looks like it."""

from __future__ import annotations

import asyncio
from typing import Any

from langchain.agents import create_agent
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command, interrupt

from tests.support.models import Scripted, calls, says
from tests.support.trails import Trail, tidy
from tests.support.ways import Way, sync_and_async

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


@sync_and_async
def test_a_command_that_goes_elsewhere_is_no_resume(trail: Trail, way: Way) -> None:
    graph = questioning()
    way(graph, ASK, CONFIG)
    way(graph, Command(goto="other"), CONFIG)
    assert trail.tree() == tidy(
        """
        invoke_workflow questioning interrupted stop=interrupt [interrupt question]
          pause
        invoke_workflow questioning interrupted stop=interrupt [interrupt question]
          pause
        """
    )


@sync_and_async
def test_new_input_is_no_resume(trail: Trail, way: Way) -> None:
    graph = questioning()
    way(graph, ASK, CONFIG)
    way(graph, ASK, CONFIG)
    assert trail.tree() == tidy(
        """
        invoke_workflow questioning interrupted stop=interrupt [interrupt question]
          pause
        invoke_workflow questioning interrupted stop=interrupt [interrupt question]
          pause
        """
    )


@sync_and_async
def test_a_breakpoint_before_a_node(trail: Trail, way: Way) -> None:
    graph = pausing(interrupt_before=["second"])
    way(graph, ASK, CONFIG)
    way(graph, None, CONFIG)
    assert trail.tree() == tidy(
        """
        invoke_workflow pausing interrupted stop=interrupt [interrupt breakpoint]
          pause
        invoke_workflow pausing completed [resume] link->1
        """
    )


@sync_and_async
def test_a_breakpoint_after_a_node(trail: Trail, way: Way) -> None:
    graph = pausing(interrupt_after=["first"])
    way(graph, ASK, CONFIG)
    way(graph, None, CONFIG)
    assert trail.tree() == tidy(
        """
        invoke_workflow pausing interrupted stop=interrupt [interrupt breakpoint]
          pause
        invoke_workflow pausing completed [resume] link->1
        """
    )


def test_the_pause_is_told_before_the_run_ends(trail: Trail) -> None:
    """`tool` ended, `pause` ended, and only then the agent."""
    asking(c1="ok?").invoke(ASK, CONFIG)
    assert [record.kind for record in trail.sink.ended] == ["chat", "tool", "pause", "agent"]


def test_interrupt_ids_stand_on_both_sides(trail: Trail) -> None:
    agent = asking(c1="ok?")
    agent.invoke(ASK, CONFIG)
    asked = agent.get_state(CONFIG).interrupts[0].id
    agent.invoke(Command(resume="yes"), CONFIG)
    first, second = trail.of("agent")
    assert trail.of("pause")[0].attributes["hookspan.interrupt.id"] == asked
    assert first.attributes["hookspan.interrupt.id"] == asked
    assert second.attributes["hookspan.interrupt.id"] == asked
    assert second.links[0].attributes == {"hookspan.interrupt.id": asked}
    assert first.run_id != second.run_id
    assert first.attributes["gen_ai.conversation.id"] == second.attributes["gen_ai.conversation.id"] == "t1"


def test_threads_do_not_mix(trail: Trail) -> None:
    agent = asking(c1="ok?")
    configs: list[Any] = [{"configurable": {"thread_id": name}} for name in ("a", "b")]
    for config in configs:
        agent.invoke(ASK, config)
    for config in reversed(configs):
        asyncio.run(agent.ainvoke(Command(resume="yes"), config))
    assert trail.tree("gen_ai.conversation.id") == tidy(
        """
        invoke_agent asker interrupted stop=interrupt conversation.id=a [interrupt question c1]
          chat scripted-1 conversation.id=a
          execute_tool ask (c1) interrupted ran attempt=1 basis=none_asked conversation.id=a
            pause (c1) conversation.id=a
          invoke_agent asker completed stop=end_turn conversation.id=a [resume] link->1
            approval ask (c1) <respond from human> conversation.id=a
            execute_tool ask (c1) success ran attempt=1 basis=none_asked <respond from human> conversation.id=a [decision respond]
            chat scripted-1 conversation.id=a
        invoke_agent asker interrupted stop=interrupt conversation.id=b [interrupt question c1]
          chat scripted-1 conversation.id=b
          execute_tool ask (c1) interrupted ran attempt=1 basis=none_asked conversation.id=b
            pause (c1) conversation.id=b
          invoke_agent asker completed stop=end_turn conversation.id=b [resume] link->5
            approval ask (c1) <respond from human> conversation.id=b
            execute_tool ask (c1) success ran attempt=1 basis=none_asked <respond from human> conversation.id=b [decision respond]
            chat scripted-1 conversation.id=b
        """
    )
