"""The work that is measured: an agent of `create_agent` whose scripted model asks for one tool call a step, then says it is done.

A step is one model call and one tool call. No network; the tool answers 650 bytes.
"""

# ruff: noqa: ARG001, ARG002 -- the signatures are LangChain's
from __future__ import annotations

from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool

ANSWER = "line of tool output, some text about files and tests. " * 12


class ScriptedModel(BaseChatModel):
    """Asks for `calls` tool calls, one at a time."""

    calls: int = 1

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self

    def _generate(self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any) -> ChatResult:
        done = sum(isinstance(message, ToolMessage) for message in messages)
        return ChatResult(generations=[ChatGeneration(message=self._last() if done >= self.calls else self._ask(done))])

    async def _agenerate(self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any) -> ChatResult:
        # without it, langchain-core would run _generate in a thread for each call, and the thread would be measured
        return self._generate(messages, stop, run_manager, **kwargs)

    @staticmethod
    def _ask(done: int) -> AIMessage:
        call = {"name": "grep", "args": {"pattern": f"def parse_{done}", "path": "/home/dev/app/src"}, "id": f"call_{done:06d}"}
        usage = {"input_tokens": 1000 + done, "output_tokens": 20, "total_tokens": 1020 + done}
        return AIMessage("", tool_calls=[call], usage_metadata=usage)

    @staticmethod
    def _last() -> AIMessage:
        return AIMessage("done", usage_metadata={"input_tokens": 10, "output_tokens": 2, "total_tokens": 12})


@tool
async def agrep(pattern: str, path: str) -> str:
    """Searches files."""
    return ANSWER


@tool
def grep(pattern: str, path: str) -> str:
    """Searches files."""
    return ANSWER


agrep.name = "grep"

QUESTION: Any = {"messages": [("user", "where is it parsed?")]}


def agent(calls: int, *, asynchronous: bool = False) -> Any:
    """A fresh agent that makes `calls` tool calls and one more model call."""
    return create_agent(ScriptedModel(calls=calls), [agrep if asynchronous else grep])


def config(calls: int, callbacks: list[Any]) -> Any:
    return {"recursion_limit": 10 * calls + 50, "callbacks": callbacks}
