"""Values as a person reads them."""

from __future__ import annotations

import time
from typing import Any

MAX_SHORT = 60


def plain(text: object, limit: int | None = None) -> str:
    """One line without control characters: what an agent wrote cannot move the reader's cursor or colour the screen."""
    line = " ".join(str(text).split())
    shown = "".join(char if char.isprintable() else "\ufffd" for char in line)
    return shown if limit is None or len(shown) <= limit else shown[: limit - 1] + "…"


def block(text: object) -> str:
    """Several lines without control characters other than line ends."""
    return "\n".join("".join(char if char.isprintable() else " " for char in line) for line in str(text).splitlines())


def duration(nanoseconds: int | None) -> str:
    if nanoseconds is None:
        return ""
    seconds = nanoseconds / 1e9
    if seconds < 0.0001:
        return "<0.1 ms"
    if seconds < 0.0995:
        return f"{seconds * 1000:.1f} ms" if seconds < 0.00995 else f"{seconds * 1000:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min"


def waited(seconds: Any) -> str:
    return f"waited {duration(int(float(seconds) * 1e9))}"


def tokens(read: Any, written: Any) -> str:
    """`1,204 → 88`: into the model, out of it."""
    if read is None and written is None:
        return ""
    return f"{_count(read)} → {_count(written)}"


def moment(nanoseconds: int) -> str:
    """Local time to the second."""
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(nanoseconds / 1e9))


def lately(nanoseconds: int, now: float) -> str:
    """`moment` without the year when it is the one of `now`, Unix seconds."""
    said, year = moment(nanoseconds), time.strftime("%Y-", time.localtime(now))
    return said.removeprefix(year)


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _count(number: Any) -> str:
    return f"{number:,}" if isinstance(number, int) else "?"
