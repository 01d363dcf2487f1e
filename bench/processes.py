"""Starts the measured processes: one after the other, on one CPU, in an environment of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
PINNED = max(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None


class MeasurementError(Exception):
    """A measured process ended badly; its last lines of stderr are the text."""


def environ(home: str, extra: Mapping[str, str], seed: int) -> dict[str, str]:
    """Nothing of the caller's but PATH. `seed` fixes the hash seed, the same for all ways of one round."""
    return {
        "PATH": os.environ.get("PATH", ""),
        "HOME": home,
        "HOOKSPAN_HOME": f"{home}/hookspan",
        "LANGSMITH_TRACING": "false",
        "PYTHONHASHSEED": str(seed),
        **extra,
    }


def measure(job: Mapping[str, Any], extra: Mapping[str, str], seed: int) -> dict[str, Any]:
    """Runs child.py for `job`; raises `MeasurementError`."""
    with tempfile.TemporaryDirectory(prefix="hookspan-bench-") as home:
        done = subprocess.run(
            [sys.executable, str(HERE / "child.py"), json.dumps(job)],
            env=environ(home, extra, seed),
            cwd=home,
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode != 0 or "hookspan:" in done.stderr:  # a warning of ours means that something was not measured
        raise MeasurementError(done.stderr[-2000:])
    return json.loads(done.stdout)


def cpu_of(command: Sequence[str], env: Mapping[str, str], home: str) -> float:
    """CPU seconds (user and system) of one whole process, from its start to its end; raises `MeasurementError`."""
    process = subprocess.Popen(command, env=dict(env), cwd=home, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise MeasurementError(f"{command} ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def pin() -> None:
    """This process and those it starts stay on one CPU: a move to another costs a process its caches."""
    if PINNED is not None:
        os.sched_setaffinity(0, {PINNED})
