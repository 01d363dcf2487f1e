"""A user's program: an agent with one tool, which prints what came of it. With a number it runs two turns, and the tool of the
second takes so many seconds."""

from __future__ import annotations

import sys
import time
from typing import Any

from langchain.agents import create_agent
from langchain_core.messages import AIMessage
from langchain_core.tools import tool

from tests.support.models import Scripted, calls, says

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 0.0
"""How long the tool takes."""


@tool
def look(path: str) -> str:
    """Looks at a file."""
    if SECONDS:
        print("waiting", flush=True)
        time.sleep(SECONDS)
    return f"{path} is fine"


def main() -> None:
    agent = create_agent(Scripted(script=[calls(("c1", "look", {"path": "/tmp/a"})), says("done")]), [look], name="clerk")
    ask: Any = {"messages": [("user", "look")]}
    if SECONDS:
        quick = create_agent(Scripted(script=[AIMessage("first")]), [], name="clerk")
        quick.invoke(ask, {"configurable": {"thread_id": "talk"}})
    print(agent.invoke(ask, {"configurable": {"thread_id": "talk"}})["messages"][-1].text)


if __name__ == "__main__":
    main()
