"""The real programs on free loopback ports, and how to ask them."""

from __future__ import annotations

import json
import socket
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TypeVar

from collector.local import DEFAULTS, collector, jaeger, prometheus, running

R = TypeVar("R")


def free_addresses(*more: str) -> dict[str, str]:
    """A free loopback address for each use of `DEFAULTS` and for each of `more`, all held at once so that none is given twice."""
    held = {use: socket.create_server(("127.0.0.1", 0)) for use in (*DEFAULTS, *more)}
    addresses = {use: f"127.0.0.1:{server.getsockname()[1]}" for use, server in held.items()}
    for server in held.values():
        server.close()
    return addresses


def fetch(url: str) -> Any:
    """The JSON that a GET gives; no proxy stands between a test and the loopback."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(url, timeout=5) as answer:
        return json.loads(answer.read() or b"null")


def until(probe: Callable[[], R | None], within_s: float, what: str) -> R:
    """The first true answer of `probe`; a connection refused is a no. Raises AssertionError when the time is over."""
    end = time.monotonic() + within_s
    while time.monotonic() < end:
        try:
            if answer := probe():
                return answer
        except (urllib.error.URLError, ConnectionError, TimeoutError, json.JSONDecodeError):
            pass
        time.sleep(0.1)
    raise AssertionError(f"{what}: not within {within_s} s")


def promql(address: str, query: str) -> list[tuple[dict[str, str], float]]:
    """Labels and value of each series that an instant query gives. Raises AssertionError if Prometheus refuses the query."""
    answer = fetch(f"http://{address}/api/v1/query?{urllib.parse.urlencode({'query': query})}")
    assert answer["status"] == "success", answer
    return [(series["metric"], float(series["value"][1])) for series in answer["data"]["result"]]


@contextmanager
def whole_stack(programs: Path, work: Path) -> Generator[Mapping[str, str]]:
    """The audit collector in front of Jaeger and Prometheus; gives the addresses by use."""
    at = free_addresses()
    with ExitStack() as stack:
        for program in (
            prometheus(programs, at, work, scrape_interval="1s"),
            jaeger(programs, at),
            collector(programs, at, work / "queue"),
        ):
            stack.enter_context(running(program, work))
        yield at
