"""The clock: wall time where it begins, and never backwards after that."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from hookspan.model.clock import now
from tests.support.programs import environ

PROGRAM = """
import time
wall, hours = time.time_ns, {hours}
from hookspan.model.clock import now

before = now()
time.time_ns = lambda: wall() + hours * 3600 * 10**9
time.time = lambda: time.time_ns() / 1e9
after = now()
print(before <= after, abs(after - wall()) < 3600 * 10**9, abs(time.time_ns() - wall()) > 3600 * 10**9)
"""


@pytest.mark.parametrize("hours", [-48, 48])
def test_a_wall_clock_that_is_set_moves_no_record_of_a_process_that_runs(hours: int, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(hours=hours)],
        env=environ({}, tmp_path),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.split() == ["True", "True", "True"]


def test_it_counts_on_as_the_monotonic_clock_does(monkeypatch: pytest.MonkeyPatch) -> None:
    started = now()
    monotonic = time.perf_counter_ns()
    monkeypatch.setattr(time, "perf_counter_ns", lambda: monotonic + 7)
    later = now()
    monkeypatch.setattr(time, "perf_counter_ns", lambda: monotonic + 12)
    assert now() - later == 5
    assert started <= later


def test_times_are_whole_nanoseconds_since_1970(tmp_path: Path) -> None:
    program = (
        "import time; from hookspan.model.clock import now; a = time.time_ns(); b = now(); print(type(b) is int, abs(b - a) < 10**9 * 60)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env=environ({}, tmp_path), capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.split() == ["True", "True"]
