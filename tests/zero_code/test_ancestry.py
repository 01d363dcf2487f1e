"""Who may record: an agent's children do not become second roots, workers and reloaded programs do record."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from hookspan.export import ancestry
from hookspan.export.ancestry import ACTIVE, CHILD, FORCE, JOINED, ROOT, SILENT, own_mark, standing

TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
PROGRAM = ["/usr/bin/python3", "app.py"]
WORKERS = {
    "spawn": ["python", "-c", "from multiprocessing.spawn import spawn_main; spawn_main(tracker_fd=5)", "--multiprocessing-fork"],
    "forkserver": ["python", "-c", "from multiprocessing.forkserver import main; main(8, 9, ['__main__'], **{})"],
    "loky": ["python", "-m", "joblib.externals.loky.backend.popen_loky_posix", "--process-name", "LokyProcess-1"],
    "billiard": ["python", "-c", "from billiard.spawn import spawn_main; spawn_main()", "--billiard-fork"],
}


@pytest.fixture
def agent() -> Iterator[str]:
    """The mark of another process, alive during the test."""
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    yield _mark(process.pid)
    process.communicate(b"\n")


def test_a_process_that_no_agent_started_is_a_root() -> None:
    environ = {"TRACEPARENT": TRACEPARENT}

    assert standing(environ, PROGRAM) == ROOT
    assert environ == {"TRACEPARENT": TRACEPARENT}


def test_a_child_of_a_living_agent_is_silent_and_says_so_to_its_workers(agent: str) -> None:
    environ = {ACTIVE: agent}

    assert standing(environ, PROGRAM) == SILENT
    assert environ == {ACTIVE: agent, CHILD: f"{own_mark()}:silent"}


def test_a_child_that_got_a_trace_context_joins(agent: str) -> None:
    environ = {ACTIVE: agent, "TRACEPARENT": TRACEPARENT}

    assert standing(environ, PROGRAM) == JOINED
    assert environ[CHILD] == f"{own_mark()}:joined"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c8031-b7ad6b716920333111-01",
    ],
)
def test_a_child_with_a_broken_trace_context_is_silent(agent: str, text: str) -> None:
    assert standing({ACTIVE: agent, "TRACEPARENT": text}, PROGRAM) == SILENT


@pytest.mark.parametrize("word", ["true", "1", "YES"])
def test_force_makes_a_root(agent: str, word: str) -> None:
    assert standing({ACTIVE: agent, FORCE: word}, PROGRAM) == ROOT


def test_the_marked_process_itself_is_not_its_own_child() -> None:
    # a reloader that replaces itself by execv keeps its pid and its start time
    assert standing({ACTIVE: own_mark()}, PROGRAM) == ROOT
    assert standing({ACTIVE: str(os.getpid())}, PROGRAM) == ROOT


def test_a_mark_of_a_dead_process_means_nothing() -> None:
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    mark = _mark(process.pid)
    process.communicate(b"\n")

    assert standing({ACTIVE: mark}, PROGRAM) == ROOT
    assert standing({ACTIVE: str(process.pid)}, PROGRAM) == ROOT


@pytest.mark.skipif(sys.platform != "linux", reason="start times are read from /proc")
def test_a_mark_of_a_reused_pid_means_nothing(agent: str) -> None:
    pid, _, start = agent.partition(":")

    assert standing({ACTIVE: f"{pid}:{int(start) - 1}"}, PROGRAM) == ROOT


@pytest.mark.skipif(sys.platform != "linux", reason="start times are read from /proc")
def test_an_agent_that_has_ended_but_was_not_waited_for_is_dead() -> None:
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    mark = _mark(process.pid)
    assert process.stdin is not None
    process.stdin.close()
    deadline = time.monotonic() + 10
    while standing({ACTIVE: mark}, PROGRAM) != ROOT:
        assert time.monotonic() < deadline, "a zombie counts as alive"
        time.sleep(0.01)
    process.wait()


def test_without_start_times_a_living_pid_counts(agent: str) -> None:
    assert standing({ACTIVE: agent.partition(":")[0]}, PROGRAM) == SILENT
    assert standing({ACTIVE: str(os.getppid())}, PROGRAM) == SILENT


@pytest.mark.parametrize("mark", ["", "x", "-1", "0x10", "1:", "٣", "99999999999999999999", ":5"])
def test_a_broken_mark_means_nothing_and_breaks_nothing(mark: str) -> None:
    expected = SILENT if mark == "1:" else ROOT  # process 1 is alive, whoever it is
    assert standing({ACTIVE: mark}, PROGRAM) == expected


@pytest.mark.parametrize("worker", WORKERS)
def test_a_worker_of_an_agent_records(agent: str, worker: str) -> None:
    environ = {ACTIVE: agent, "TRACEPARENT": TRACEPARENT}

    assert standing(environ, WORKERS[worker]) == ROOT
    assert CHILD not in environ


@pytest.mark.parametrize("worker", WORKERS)
@pytest.mark.parametrize("parent", [SILENT, JOINED])
def test_a_worker_stands_as_the_child_that_started_it(agent: str, worker: str, parent: str) -> None:
    # any living process stands in for that child here
    environ = {ACTIVE: agent, "TRACEPARENT": TRACEPARENT, CHILD: f"{agent}:{parent}"}

    assert standing(environ, WORKERS[worker]) == parent


def test_it_is_decided_once_in_a_process(monkeypatch: pytest.MonkeyPatch, agent: str) -> None:
    monkeypatch.setattr(ancestry, "_decided", [])
    first = ancestry.here()
    monkeypatch.setenv(ACTIVE, agent)

    assert ancestry.here() == first == ROOT


def _mark(pid: int) -> str:
    code = f"from hookspan.export import ancestry; print(ancestry._start_of({pid}))"
    start = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    return f"{pid}:{start}" if start else str(pid)
