"""A user's program: an agent that knows nothing of hookspan. One call runs, one waits for a person and is refused."""

from __future__ import annotations

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from tests.support.models import Scripted, calls


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def delete(path: str) -> str:
    """Delete a file."""
    return f"{path} is gone"


def main() -> None:
    usage = UsageMetadata(input_tokens=30, output_tokens=12, total_tokens=42)
    both = calls(("c-add", "add", {"a": 1, "b": 2}), ("c-delete", "delete", {"path": "notes"}), usage=usage)
    agent = create_agent(
        Scripted(script=[both, AIMessage("I leave it.")]),
        tools=[add, delete],
        middleware=[HumanInTheLoopMiddleware(interrupt_on={"delete": True})],
        checkpointer=InMemorySaver(),
        name="clerk",
    )
    thread = RunnableConfig(configurable={"thread_id": "thread-1"})
    agent.invoke({"messages": [HumanMessage("add, then delete")]}, thread)
    agent.invoke(Command(resume={"decisions": [{"type": "reject", "message": "not today"}]}), thread)


if __name__ == "__main__":
    main()
