"""Ended spans that wait to be sent: bounded in spans and in bytes, and nothing leaves it uncounted."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import monotonic

from opentelemetry.sdk.trace import ReadableSpan

from hookspan.model.facts import ToolOutcome
from hookspan.spans import names as n

FULL, REFUSED, NOT_IN_TIME, UNENCODABLE, AFTER_END = "queue_full", "export_failed", "exit", "unencodable", "after_shutdown"
"""Why a span was lost: values of the label `hookspan.lost.reason`."""

_PRECIOUS_RECORDS = frozenset({n.WORKFLOW, n.AGENT, n.APPROVAL, n.PAUSE})
_PRECIOUS_OUTCOMES = frozenset({ToolOutcome.DENIED.value, ToolOutcome.EXPIRED.value})
_SPAN_BYTES = 2048
"""What a span takes in memory beside its texts."""


@dataclass(frozen=True, slots=True, eq=False)
class Waiting:
    """`size` is an estimate in bytes; `precious` spans are not the ones dropped first."""

    span: ReadableSpan
    size: int
    precious: bool
    tries: int = 0


class SpanQueue:
    def __init__(self, max_spans: int, max_bytes: int) -> None:
        self.max_spans = max_spans
        self.max_bytes = max_bytes
        self.lost: dict[str, int] = {}
        self.renew()

    def renew(self) -> None:
        """Begins anew, empty: in a forked child the lock may be held by a thread that is not there."""
        self._changed = threading.Condition(threading.Lock())
        self._ordinary: deque[Waiting] = deque()
        self._precious: deque[Waiting] = deque()
        self._bytes = 0
        self._accepted = 0
        self._settled = 0
        self._setbacks = 0
        self.lost.clear()

    def __len__(self) -> int:
        return len(self._ordinary) + len(self._precious)

    @property
    def bytes(self) -> int:
        return self._bytes

    def put(self, span: ReadableSpan) -> bool:
        """Takes an ended span, or counts it as lost when there is no room; False then. A precious one takes the place
        of the newest that are not."""
        waiting = Waiting(span, _estimate(span), _is_precious(span))
        with self._changed:
            while not self._has_room(waiting.size) and waiting.precious and self._ordinary:
                self._bytes -= self._ordinary.pop().size
                self._lose(FULL, 1)
            if not self._has_room(waiting.size):
                self._accepted += 1
                self._lose(FULL, 1)
                return False
            (self._precious if waiting.precious else self._ordinary).append(waiting)
            self._bytes += waiting.size
            self._accepted += 1
            return True

    def take(self, most: int) -> list[Waiting]:
        """Up to `most` spans, the precious ones first. Each must be settled, lost or given back."""
        with self._changed:
            taken: list[Waiting] = []
            for queue in (self._precious, self._ordinary):
                while queue and len(taken) < most:
                    taken.append(queue.popleft())
            self._bytes -= sum(each.size for each in taken)
            return taken

    def give_back(self, spans: Sequence[Waiting]) -> None:
        """Those that could not be sent now wait in front; where room is short, they are the oldest and go."""
        with self._changed:
            self._setbacks += 1
            for each in reversed(spans):
                if not self._has_room(each.size):
                    self._lose(FULL, 1)
                    continue
                (self._precious if each.precious else self._ordinary).appendleft(replace(each, tries=each.tries + 1))
                self._bytes += each.size
            self._changed.notify_all()

    def settle(self, count: int) -> None:
        """`count` spans that were taken have arrived."""
        with self._changed:
            self._settled += count
            self._changed.notify_all()

    def lose(self, reason: str, count: int) -> None:
        """`count` spans that were taken are lost."""
        with self._changed:
            self._setbacks += 1
            self._lose(reason, count)

    def abandon(self, reason: str) -> int:
        """Counts all that is not settled as lost, what is on its way included; how many that were."""
        with self._changed:
            count = self._accepted - self._settled
            self._ordinary.clear()
            self._precious.clear()
            self._bytes = 0
            if count > 0:
                self._lose(reason, count)
            return count

    def wait(self, timeout_s: float) -> bool:
        """Until all that is accepted by now has arrived: True then; False after the time, or when sending failed."""
        deadline = monotonic() + timeout_s
        with self._changed:
            wanted, setbacks = self._accepted, self._setbacks
            while self._settled < wanted:
                left = deadline - monotonic()
                if left <= 0 or self._setbacks != setbacks:
                    return False
                self._changed.wait(left)
            return self._setbacks == setbacks

    def _has_room(self, size: int) -> bool:
        return len(self._ordinary) + len(self._precious) < self.max_spans and self._bytes + size <= self.max_bytes

    def _lose(self, reason: str, count: int) -> None:
        if count:
            self._settled += count
            self.lost[reason] = self.lost.get(reason, 0) + count
        self._changed.notify_all()


def _estimate(span: ReadableSpan) -> int:
    size = _SPAN_BYTES
    for value in (span.attributes or {}).values():
        if isinstance(value, str | bytes):
            size += len(value)
    for event in span.events:
        size += 512
        for value in (event.attributes or {}).values():
            if isinstance(value, str | bytes):
                size += len(value)
    return size


def _is_precious(span: ReadableSpan) -> bool:
    said = span.attributes or {}
    return (
        span.parent is None
        or n.DECISION_VERDICT in said
        or said.get(n.RECORD) in _PRECIOUS_RECORDS
        or said.get(n.TOOL_OUTCOME) in _PRECIOUS_OUTCOMES
    )
