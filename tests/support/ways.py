"""The ways to run a graph: each must leave the same trail."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

Way = Callable[..., None]
"""`way(graph, inputs, config)` runs a graph to its end."""


def invoke(graph: Any, inputs: Any, config: Any = None) -> None:
    graph.invoke(inputs, config)


def ainvoke(graph: Any, inputs: Any, config: Any = None) -> None:
    asyncio.run(graph.ainvoke(inputs, config))


def stream(graph: Any, inputs: Any, config: Any = None) -> None:
    for _ in graph.stream(inputs, config, stream_mode=["values", "messages"]):
        pass


def astream(graph: Any, inputs: Any, config: Any = None) -> None:
    async def drain() -> None:
        async for _ in graph.astream(inputs, config, stream_mode=["values", "messages"]):
            pass

    asyncio.run(drain())


def in_thread(graph: Any, inputs: Any, config: Any = None) -> None:
    """In a plain thread, as a web server would: nothing of the caller's context goes along."""
    raised: list[BaseException] = []

    def work() -> None:
        try:
            graph.invoke(inputs, config)
        except BaseException as error:  # noqa: BLE001 -- handed on to the test
            raised.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    if raised:
        raise raised[0]


every_way = pytest.mark.parametrize("way", [invoke, ainvoke, stream, astream, in_thread], ids=lambda way: way.__name__)
sync_and_async = pytest.mark.parametrize("way", [invoke, ainvoke], ids=lambda way: way.__name__)
