"""The person and the assistant talking: the task, the assistant's steps, and the person's answers where it asks."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langgraph.types import Command, Interrupt

from hookspan.demo import story
from hookspan.demo.assistant import Assistant


class Listener(Protocol):
    """Hears what a person at the terminal would see."""

    def person(self, text: str) -> None: ...

    def assistant(self, text: str) -> None: ...

    def called(self, tool: str, arguments: Mapping[str, object]) -> None: ...

    def failed(self, tool: str, text: str) -> None: ...


async def converse(assistant: Assistant, conversation: str, listener: Listener) -> None:
    """Gives the task, and answers until the assistant asks for nothing more. `conversation` is the thread id."""
    config: RunnableConfig = {"configurable": {"thread_id": conversation}}
    listener.person(story.TASK)
    held = await _run(assistant, {"messages": [{"role": "user", "content": story.TASK}]}, config, listener)
    while held:
        held = await _run(assistant, Command(resume={"decisions": await _decide(held, listener)}), config, listener)


async def _run(assistant: Assistant, given: Any, config: RunnableConfig, listener: Listener) -> Sequence[str]:
    """Runs to the end or to the next question; the tools that are held up, empty at the end."""
    held: Sequence[str] = []
    updates = assistant.astream(given, config, stream_mode="updates")  # pyright: ignore[reportUnknownMemberType]  # Command's argument is open there
    async for update in updates:
        for node, change in update.items():
            if node == "__interrupt__":
                held = _held(change)
            elif node in ("model", "tools"):
                for message in change["messages"]:
                    _tell(message, listener)
    return held


def _held(interrupts: Sequence[Interrupt]) -> Sequence[str]:
    return [request["name"] for interrupt in interrupts for request in interrupt.value["action_requests"]]


async def _decide(held: Sequence[str], listener: Listener) -> Sequence[Mapping[str, str]]:
    """What a person would do: think for a moment, then say yes or no."""
    decisions: list[Mapping[str, str]] = []
    for tool in held:
        await asyncio.sleep(story.THINKING_TIME_S[tool])
        decision = story.ANSWERS[tool]
        listener.person("Yes." if decision["type"] == "approve" else f"No. {decision['message']}")
        decisions.append(decision)
    return decisions


def _tell(message: BaseMessage, listener: Listener) -> None:
    match message:
        case AIMessage():
            listener.assistant(message.text)
            for call in message.tool_calls:
                listener.called(call["name"], call["args"])
        case ToolMessage(status="error"):
            listener.failed(message.name or "", message.text)
        case _:
            return
