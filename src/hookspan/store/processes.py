"""Whether a process that wrote to the store still lives."""

from __future__ import annotations

import os
from pathlib import Path


def started(pid: int) -> str:
    """When the process began, as the kernel says it (clock ticks since boot); "" where that is not to be known.

    With the pid it names one process: a pid alone may be another's by now.
    """
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return ""
    return stat.rpartition(")")[2].split()[19]


def alive(pid: int, start: str) -> bool:
    if start:
        return started(pid) == start
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
