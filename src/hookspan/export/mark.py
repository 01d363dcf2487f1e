"""Tells the programs that an agent starts, through their environment, that an agent above them is recorded."""

from __future__ import annotations

import os

from hookspan.export import ancestry
from hookspan.spans.record import Record


class ActiveMark:
    """A sink that sets `HOOKSPAN_ACTIVE_PID` when this process's first run begins, not before: a launcher or a reloader
    imports the same frameworks, runs no agent, and its child must record. `shutdown` puts back what stood there."""

    def __init__(self) -> None:
        self._pid = 0
        self._before: str | None = None

    def opened(self, record: Record) -> None:  # noqa: ARG002 -- a sink's interface
        pid = os.getpid()
        if pid == self._pid:
            return
        # the first run here, or in a child that was forked from a process with runs
        self._before = os.environ.get(ancestry.ACTIVE) if self._pid == 0 else self._before
        self._pid = pid
        os.environ[ancestry.ACTIVE] = ancestry.own_mark()

    def closed(self, record: Record) -> None:  # noqa: ARG002 -- a sink's interface
        return None

    def flush(self, timeout_s: float) -> bool:  # noqa: ARG002 -- a sink's interface
        return True

    def shutdown(self, timeout_s: float) -> None:  # noqa: ARG002 -- a sink's interface
        if self._pid != os.getpid():
            return
        if self._before is None:
            os.environ.pop(ancestry.ACTIVE, None)
        else:
            os.environ[ancestry.ACTIVE] = self._before
        self._pid = 0
