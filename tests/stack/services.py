"""The three real programs, started on free loopback ports and ended again."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

CONFIG = Path(__file__).parent / "config"
READY_WITHIN_S = 60
PORTS = (
    "COLLECTOR_READY",
    "COLLECTOR_GRPC",
    "COLLECTOR_HTTP",
    "JAEGER_READY",
    "JAEGER_QUERY",
    "JAEGER_QUERY_GRPC",
    "JAEGER_GRPC",
    "PROMETHEUS",
)
R = TypeVar("R")


def free_ports() -> dict[str, int]:
    """One free port for each use, all held at once so that none is given twice."""
    held = {use: socket.create_server(("127.0.0.1", 0)) for use in PORTS}
    ports = {use: server.getsockname()[1] for use, server in held.items()}
    for server in held.values():
        server.close()
    return ports


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


def answers(url: str) -> bool:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(url, timeout=5) as answer:
        return answer.status == 200


@contextmanager
def running(command: list[str], ports: dict[str, int], ready: str, log: Path) -> Generator[None]:
    """The program, from its first "ready" to its end."""
    environ = {**os.environ, **{use: str(port) for use, port in ports.items()}}
    with log.open("wb") as out:
        process = subprocess.Popen(command, env=environ, stdout=out, stderr=out, stdin=subprocess.DEVNULL, cwd=log.parent)
    try:
        until(lambda: process.poll() is not None or answers(ready), READY_WITHIN_S, f"{command[0]} ready")
        assert process.poll() is None, log.read_text()[-3000:]
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(15)


@contextmanager
def whole_stack(programs: Path, work: Path) -> Generator[dict[str, int]]:
    """Collector in front of Jaeger and Prometheus; gives the ports by use."""
    ports = free_ports()
    config = work / "prometheus.yml"
    config.write_text("storage: {tsdb: {out_of_order_time_window: 30m}}\n")
    prometheus = [
        str(programs / "prometheus"),
        f"--config.file={config}",
        f"--storage.tsdb.path={work / 'tsdb'}",
        f"--web.listen-address=127.0.0.1:{ports['PROMETHEUS']}",
        "--web.enable-otlp-receiver",
        "--enable-feature=created-timestamp-zero-ingestion",
    ]
    jaeger = [str(programs / "jaeger"), "--config", str(CONFIG / "jaeger.yaml")]
    collector = [str(programs / "collector"), "--config", str(CONFIG / "collector.yaml")]
    at = {use: f"http://127.0.0.1:{port}" for use, port in ports.items()}
    with (
        running(prometheus, ports, f"{at['PROMETHEUS']}/-/ready", work / "prometheus.log"),
        running(jaeger, ports, f"{at['JAEGER_READY']}/status", work / "jaeger.log"),
        running(collector, ports, at["COLLECTOR_READY"], work / "collector.log"),
    ):
        yield ports
