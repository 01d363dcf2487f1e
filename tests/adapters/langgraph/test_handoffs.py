"""Who handed over to whom, by what; and none of it an error."""

from __future__ import annotations

from typing import Annotated, Any

from langchain.agents import create_agent
from langchain_core.messages import ToolMessage
from langchain_core.tools import InjectedToolCallId, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command
from langgraph_supervisor import create_supervisor
from langgraph_swarm import create_handoff_tool, create_swarm

from tests.support.models import Scripted, calls, says
from tests.support.trails import Trail, tidy
from tests.support.ways import Way, every_way, sync_and_async

ASK: Any = {"messages": [("user", "go")]}


@tool
def add(a: int, b: int) -> int:
    """Adds."""
    return a + b


@tool
def transfer_to_bob(tool_call_id: Annotated[str, InjectedToolCallId]) -> Command[Any]:
    """Hands over."""
    message = ToolMessage("transferred", tool_call_id=tool_call_id, name="transfer_to_bob")
    return Command(goto="bob", graph=Command.PARENT, update={"messages": [message]})


def two(alice: Any, bob: Any) -> Any:
    graph = StateGraph(MessagesState)
    graph.add_node("alice", alice, destinations=("bob",))
    graph.add_node("bob", bob)
    graph.add_edge(START, "alice")
    return graph.compile(name="office")


@every_way
def test_a_tool_that_returns_a_command_for_the_parent(trail: Trail, way: Way) -> None:
    alice = create_agent(Scripted(script=[calls(("h1", "transfer_to_bob", {}))]), [transfer_to_bob], name="alice")
    way(two(alice, create_agent(Scripted(script=[says("hi")]), [], name="bob")), ASK)
    assert trail.tree() == tidy(
        """
        invoke_workflow office completed
          invoke_agent alice completed stop=handoff
            chat scripted-1
            execute_tool transfer_to_bob (h1) success ran attempt=1 basis=none_asked [handoff alice -> bob tool (h1)]
          invoke_agent bob completed stop=end_turn
            chat scripted-1
        """
    )


@sync_and_async
def test_a_handoff_beside_another_call(trail: Trail, way: Way) -> None:
    alice = create_agent(
        Scripted(script=[calls(("a1", "add", {"a": 1, "b": 2}), ("h1", "transfer_to_bob", {}))]), [transfer_to_bob, add], name="alice"
    )
    way(two(alice, create_agent(Scripted(script=[says("hi")]), [], name="bob")), ASK)
    assert trail.tree(unordered=True) == tidy(
        """
        invoke_workflow office completed
          invoke_agent alice completed stop=handoff
            chat scripted-1
            execute_tool add (a1) success ran attempt=1 basis=none_asked
            execute_tool transfer_to_bob (h1) success ran attempt=1 basis=none_asked [handoff alice -> bob tool (h1)]
          invoke_agent bob completed stop=end_turn
            chat scripted-1
        """
    )


@sync_and_async
def test_a_node_that_goes_to_a_node_of_the_parent(trail: Trail, way: Way) -> None:
    inner = StateGraph(MessagesState)
    inner.add_node("decide", lambda state: Command(goto="bob", graph=Command.PARENT))
    inner.add_edge(START, "decide")
    way(two(inner.compile(name="alice"), create_agent(Scripted(script=[says("hi")]), [], name="bob")), ASK)
    assert trail.tree() == tidy(
        """
        invoke_workflow office completed
          invoke_workflow alice completed stop=handoff [handoff alice -> bob command]
          invoke_agent bob completed stop=end_turn
            chat scripted-1
        """
    )


@every_way
def test_a_supervisor(trail: Trail, way: Way) -> None:
    worker = create_agent(Scripted(script=[calls(("a1", "add", {"a": 1, "b": 2})), says("3")]), [add], name="worker")

    def turn(messages: Any) -> Any:
        done = any(getattr(message, "name", None) == "worker" for message in messages)
        return says("all done") if done else calls(("h1", "transfer_to_worker", {}))

    graph = create_supervisor([worker], model=Scripted(script=[turn]), supervisor_name="boss").compile(name="firm")
    way(graph, ASK)
    assert trail.tree() == tidy(
        """
        invoke_workflow firm completed
          invoke_agent boss completed stop=handoff
            chat scripted-1
            execute_tool transfer_to_worker (h1) success ran attempt=1 basis=none_asked [handoff boss -> worker tool (h1)]
          invoke_agent worker completed stop=end_turn
            chat scripted-1
          invoke_agent boss completed stop=end_turn
            chat scripted-1
        """
    )


@every_way
def test_a_swarm(trail: Trail, way: Way) -> None:
    alice = create_agent(Scripted(script=[calls(("h1", "transfer_to_bob", {}))]), [create_handoff_tool(agent_name="bob")], name="alice")

    def turn(messages: Any) -> Any:
        return says("bob here")

    bob = create_agent(Scripted(script=[turn]), [create_handoff_tool(agent_name="alice")], name="bob")
    swarm = create_swarm([alice, bob], default_active_agent="alice").compile(name="swarm", checkpointer=InMemorySaver())
    way(swarm, ASK, {"configurable": {"thread_id": "t1"}})
    assert trail.tree("gen_ai.conversation.id") == tidy(
        """
        invoke_workflow swarm completed conversation.id=t1
          invoke_agent alice completed stop=handoff conversation.id=t1
            chat scripted-1 conversation.id=t1
            execute_tool transfer_to_bob (h1) success ran attempt=1 basis=none_asked conversation.id=t1 [handoff alice -> bob tool (h1)]
          invoke_agent bob completed stop=end_turn conversation.id=t1
            chat scripted-1 conversation.id=t1
        """
    )
