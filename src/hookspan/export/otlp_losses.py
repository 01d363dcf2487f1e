"""Says on the logger `hookspan` how many spans were lost and why: once, then at most once a minute."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from time import monotonic

log = logging.getLogger("hookspan")

_QUIET_S = 60.0


class LossReport:
    def __init__(self, destination: str) -> None:
        self._destination = destination
        self._told: dict[str, int] = {}
        self._next = 0.0

    def tell(self, lost: Mapping[str, int], reason: str, *, last: bool = False) -> None:
        """`lost` counts all so far, `reason` is the exporter's latest word; `last` tells what was not told, whenever."""
        fresh = {why: count - self._told.get(why, 0) for why, count in lost.items() if count > self._told.get(why, 0)}
        if not fresh or (not last and monotonic() < self._next):
            return
        self._next = monotonic() + _QUIET_S
        self._told = dict(lost)
        log.warning(
            "hookspan: %d spans for %s are lost (%s)%s",
            sum(fresh.values()),
            self._destination,
            ", ".join(f"{why}: {count}" for why, count in sorted(fresh.items())),
            f"; the exporter says: {reason}" if reason else "",
        )
