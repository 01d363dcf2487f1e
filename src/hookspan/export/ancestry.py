"""Whether this process may record: an agent's own, yes; a Python program that an agent started, only below the agent.

A process marks itself in the environment when its first run begins, and its descendants inherit the mark. That it is
inherited proves the descent; that it is not stale is proved by the marked process's start time, which a reused pid does
not share. Standard library only, and little of it: the bootstrap reads this.
"""

from __future__ import annotations

import os
import sys
from collections.abc import MutableMapping, Sequence

ACTIVE = "HOOKSPAN_ACTIVE_PID"
"""Of the nearest process above that has run an agent: `pid`, or `pid:start` where the system tells start times."""
CHILD = "HOOKSPAN_CHILD_PID"
"""Of the nearest process above that is an agent's child: `pid:start:silent` or `pid:start:joined`, for its workers."""
FORCE = "HOOKSPAN_FORCE"

ROOT = "root"
JOINED = "joined"
SILENT = "silent"

_HEX = frozenset("0123456789abcdef")


_decided: list[str] = []


def here() -> str:
    """This process's standing, decided once: what it does later, its marks included, does not change it, and a forked
    child stands as its parent does."""
    if not _decided:
        _decided.append(standing(os.environ, sys.orig_argv))
    return _decided[0]


def standing(environ: MutableMapping[str, str], argv: Sequence[str]) -> str:
    """`ROOT`: records trails of its own. `JOINED`: below the span that `TRACEPARENT` names. `SILENT`: not at all.

    `argv` is the interpreter's (`sys.orig_argv`). A worker process of multiprocessing stands as its parent does.
    """
    if environ.get(FORCE, "").strip().lower() in ("true", "1", "yes", "on"):
        return ROOT
    if not _lives(environ.get(ACTIVE, "")):
        return ROOT
    if is_worker(argv):
        parent, _, said = environ.get(CHILD, "").rpartition(":")
        return said if said in (JOINED, SILENT) and _lives(parent) else ROOT
    said = JOINED if valid_traceparent(environ.get("TRACEPARENT", "")) else SILENT
    environ[CHILD] = f"{own_mark()}:{said}"
    return said


def is_worker(argv: Sequence[str]) -> bool:
    """Whether multiprocessing (or joblib's, or Celery's copy of it) started this interpreter for its parent's work."""
    for word in argv:
        if word.startswith("--multiprocessing-fork") or word == "--billiard-fork":
            return True
        if word.startswith(("from multiprocessing.", "from billiard.")) or "loky.backend" in word:
            return True
    return False


def valid_traceparent(text: str) -> bool:
    """W3C: version, 32 and 16 hexadecimal digits that are not all 0, flags."""
    parts = text.strip().split("-")[:4]
    if [len(part) for part in parts] != [2, 32, 16, 2] or parts[0] == "ff":
        return False
    return _HEX.issuperset("".join(parts)) and set(parts[1]) != {"0"} and set(parts[2]) != {"0"}


def own_mark() -> str:
    pid = os.getpid()
    start = _start_of(pid)
    return f"{pid}:{start}" if start else str(pid)


def _lives(mark: str) -> bool:
    """Whether the process of `mark` is another one than this, and still runs."""
    pid_text, _, start = mark.partition(":")
    if not (pid_text.isascii() and pid_text.isdigit()) or mark == own_mark():
        return False
    pid = int(pid_text)
    if pid == os.getpid():
        return False
    return _start_of(pid) == start if start else _is_above(pid)


def _is_above(pid: int) -> bool:
    """Without start times: the parent, or a process of that pid that a signal could reach."""
    if pid == os.getppid():
        return True
    if sys.platform == "win32":
        return False  # signal 0 is Ctrl-C there
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    return True


def _start_of(pid: int) -> str:
    """Linux: the start time in clock ticks since boot; empty elsewhere, and for a process that has ended."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123 -- pathlib costs 11 ms of every start
            # the name in parentheses may hold anything; state is the first field behind it, start time the 20th
            fields = file.read().rpartition(b")")[2].split()
        return "" if fields[0] in (b"Z", b"X") else fields[19].decode()
    except (OSError, IndexError):
        return ""
