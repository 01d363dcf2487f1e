"""Where runs paused, so that the run that goes on can be tied to the one that waited."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class HeldCall:
    """A tool call that an interrupt holds up."""

    call: str
    tool: str


@dataclass(frozen=True, slots=True)
class Pause:
    """One interrupt of one run: where its span is (ids as integers), when it began (Unix ns) and what it holds up.

    `attempts` says how often each held-up call had begun to execute.
    """

    interrupt: str
    thread: str | None
    run_id: str
    trace_id: int
    span_id: int
    sampled: bool
    at: int
    kind: str
    calls: tuple[HeldCall, ...] = ()


class PauseIndex(Protocol):
    """Remembers pauses. `find` returns those named, or else the latest run's of the thread; empty when unknown."""

    def put(self, pause: Pause) -> None: ...

    def find(self, interrupts: Sequence[str], thread: str | None) -> Sequence[Pause]: ...


class PausesInMemory:
    """The newest `limit` pauses of this process."""

    def __init__(self, limit: int = 1000) -> None:
        self._pauses: OrderedDict[str, Pause] = OrderedDict()
        self._limit = limit

    def put(self, pause: Pause) -> None:
        self._pauses[pause.interrupt] = pause
        self._pauses.move_to_end(pause.interrupt)
        while len(self._pauses) > self._limit:
            self._pauses.popitem(last=False)

    def find(self, interrupts: Sequence[str], thread: str | None) -> Sequence[Pause]:
        named = [self._pauses[name] for name in interrupts if name in self._pauses]
        if named or thread is None:
            return named
        return latest_of_thread(list(self._pauses.values()), thread)


def latest_of_thread(pauses: Sequence[Pause], thread: str) -> Sequence[Pause]:
    """The pauses of the run that paused last on `thread`, in the order they came."""
    mine = sorted((pause for pause in pauses if pause.thread == thread), key=lambda pause: pause.at)
    return [pause for pause in mine if pause.run_id == mine[-1].run_id]
