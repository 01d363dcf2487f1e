"""Case P46: a long history and many middlewares; what hookspan does of a step does not grow with them."""

from __future__ import annotations

from typing import Any

import pytest
from deepagents import create_deep_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.tools import tool

from hookspan.adapters.langgraph import translate
from hookspan.adapters.langgraph.install import install
from hookspan.model.content import ContentMode
from hookspan.spans import describe
from tests.support.memory import memory_recorder
from tests.support.models import Scripted, calls, says

HISTORY: list[BaseMessage] = [message for turn in range(100) for message in (HumanMessage(f"q{turn} " * 50), AIMessage(f"a{turn} " * 50))]


@tool
def look(path: str) -> str:
    """Looks at a file."""
    return f"{path} is fine"


def idle(number: int) -> AgentMiddleware[Any, Any]:
    class Idle(AgentMiddleware[Any, Any]):
        """Only looks on."""

        def before_model(self, state: Any, runtime: Any) -> None:
            return None

        def after_model(self, state: Any, runtime: Any) -> None:
            return None

    Idle.__name__ = f"Idle{number}"
    return Idle()


def test_a_long_history_is_neither_serialised_nor_turned_into_spans(monkeypatch: pytest.MonkeyPatch) -> None:
    translated: list[int] = []
    written: list[int] = []
    messages, kept, measured = translate.messages, describe.kept, describe.measured
    monkeypatch.setattr(translate, "messages", lambda told: translated.append(1) or messages(told))
    monkeypatch.setattr(describe, "kept", lambda *given: written.append(len(str(given[0]))) or kept(*given))
    monkeypatch.setattr(describe, "measured", lambda value: written.append(len(str(value))) or measured(value))
    steps = [calls((f"c{number}", "look", {"path": f"/{number}"})) for number in range(10)]
    agent = create_deep_agent(
        model=Scripted(script=[*([None] * 100), *steps, says("done")]),
        tools=[look],
        middleware=[idle(number) for number in range(8)],
        name="clerk",
    )
    recorder, sink = memory_recorder(mode=ContentMode.NONE)
    uninstall = install(recorder)
    try:
        history: Any = {"messages": HISTORY}
        agent.invoke(history, {"recursion_limit": 1000})
    finally:
        uninstall()
    assert translated == []
    assert len(written) == 20  # arguments and result of each call, for their sizes
    assert max(written) < 100
    # an agent, eleven model calls, ten tools: nothing for nodes and middlewares that did nothing
    assert sorted({record.kind for record in sink.records}) == ["agent", "chat", "tool"]
    assert len(sink.records) == 1 + 11 + 10
