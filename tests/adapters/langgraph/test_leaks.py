"""A long-lived service: nothing of a run is kept after it ended, however it ended."""

from __future__ import annotations

import asyncio
import gc
import resource
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.tools import tool

from hookspan.adapters.langgraph import install as installing
from hookspan.adapters.langgraph.listen import Listener
from hookspan.spans.pauses import PausesInMemory
from hookspan.spans.payload import ContentPolicy
from hookspan.spans.recorder import Recorder
from tests.support.memory import CountedIdentity
from tests.support.models import Scripted, calls, says

ASK: Any = {"messages": [("user", "go")]}
SECRET = "a payload that must not be reachable"


@tool
async def work(how: str) -> str:
    """Works, or not."""
    if how == "error":
        raise ConnectionError(SECRET)
    if how == "cancelled":
        await asyncio.sleep(5)
    return SECRET


async def run(agent: Any, how: str) -> None:
    inputs: Any = {"messages": [("user", how)]}
    if how == "abandoned":
        async for _ in agent.astream(inputs, stream_mode="updates"):
            break
        return
    task = asyncio.create_task(agent.ainvoke(inputs))
    if how == "cancelled":
        await asyncio.sleep(0.004)
        task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def many(agent: Any, count: int) -> None:
    for _ in range(count // 4):
        for how in ("normal", "error", "cancelled", "abandoned"):
            await run(agent, how)
    gc.collect()
    for _ in range(5):
        await asyncio.sleep(0.01)


def maps(listener: Listener, recorder: Recorder) -> dict[str, int]:
    """What is held of runs that are over, by where."""
    desk = recorder._desk  # pyright: ignore[reportPrivateUsage]  # the maps themselves
    return {
        "runs": len(listener.tree.runs),
        "entries": len(listener.entries),
        "open": recorder.open_records,
        "waiting": len(desk.book._waiting),  # pyright: ignore[reportPrivateUsage]  # the maps themselves
    }


@pytest.fixture
def listening(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Listener, Recorder]]:
    made: list[Listener] = []

    class Kept(Listener):
        def __init__(self, recorder: Recorder) -> None:
            super().__init__(recorder)
            made.append(self)

    monkeypatch.setattr(installing, "Listener", Kept)
    recorder = Recorder(identity=CountedIdentity(), sinks=[], policy=ContentPolicy(), pauses=PausesInMemory())
    uninstall = installing.install(recorder)
    yield made[0], recorder
    uninstall()


def an_agent() -> Any:
    model = Scripted(script=[lambda messages: calls(("c1", "work", {"how": messages[0].text})), says("done")])
    return create_agent(model, [work], name="service")


def test_no_run_is_kept(listening: tuple[Listener, Recorder]) -> None:
    asyncio.run(many(an_agent(), 40))
    assert set(maps(*listening).values()) == {0}


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak of resident memory")
def test_memory_does_not_grow(listening: tuple[Listener, Recorder]) -> None:
    agent = an_agent()

    async def measured() -> float:
        await many(agent, 2000)  # what is remembered of ended records, and Python's arenas, are full by then
        before = resident_mb()
        await many(agent, 2000)
        return resident_mb() - before

    grown = asyncio.run(measured())
    assert set(maps(*listening).values()) == {0}
    assert grown < 5, f"{grown:.1f} MB"


def resident_mb() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 1e6
