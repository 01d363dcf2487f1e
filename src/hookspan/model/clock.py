"""One clock for the process: wall time that never runs backwards."""

from __future__ import annotations

import time

_WALL_ANCHOR = time.time_ns()
_MONOTONIC_ANCHOR = time.perf_counter_ns()
_OFFSET = _WALL_ANCHOR - _MONOTONIC_ANCHOR


def now() -> int:
    """Unix time in nanoseconds, monotonic within the process: a record never ends before it starts, even when the
    machine's clock is set back in between."""
    return _OFFSET + time.perf_counter_ns()
