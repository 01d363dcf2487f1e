"""Small programs of their own process, that record runs told as facts and end in one way or another."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

PRELUDE = """
import os, signal, sys, threading, time
from hookspan.export.pipeline import build
from hookspan.export.settings import load
from tests.support.driver import agent, begin_run, begin_tool, end_run, end_tool, model_call

pipeline = build(load())
recorder = pipeline.recorder
"""


@dataclass(frozen=True)
class Ended:
    code: int
    out: str
    err: str
    took_s: float


def environ(variables: Mapping[str, str], home: Path) -> dict[str, str]:
    """This process's environment without telemetry settings, plus `variables`; faults of ours show on stderr."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("OTEL_", "HOOKSPAN_", "_HOOKSPAN_"))}
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    return {**kept, "PYTHONPATH": path, "HOOKSPAN_HOME": str(home), "NO_PROXY": "127.0.0.1", **variables}


def start(body: str, variables: Mapping[str, str], home: Path) -> subprocess.Popen[str]:
    return _start(["-c", PRELUDE + textwrap.dedent(body)], variables, home)


def run(body: str, variables: Mapping[str, str], home: Path, *, within_s: float = 30) -> Ended:
    """Runs the program to its end. `took_s` counts from its line `end` on stdout, if it prints one, else from its start."""
    return _ended(start(body, variables, home), within_s)


def run_file(file: Path, variables: Mapping[str, str], home: Path, *, within_s: float = 30) -> Ended:
    """As `run`, for a program that its children must be able to import."""
    return _ended(_start([str(file)], variables, home), within_s)


def _start(arguments: list[str], variables: Mapping[str, str], home: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, *arguments],
        env=environ(variables, home),
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _ended(process: subprocess.Popen[str], within_s: float) -> Ended:
    started = time.monotonic()
    watchdog = threading.Timer(within_s, process.kill)
    watchdog.start()
    out = ""
    with process:
        assert process.stdout is not None
        assert process.stderr is not None
        for line in process.stdout:
            out += line
            if line == "end\n":
                started = time.monotonic()
        err = process.stderr.read()
        code = process.wait()
    watchdog.cancel()
    return Ended(code, out, err, time.monotonic() - started)
