"""Tells the sinks of records: in the order things happened, outside the recorder's lock."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence

from hookspan.spans import guard
from hookspan.spans.record import Record, Sink


class Teller:
    """`lose` is told the reason of each fault of a sink."""

    def __init__(self, sinks: Sequence[Sink], lose: Callable[[str], None]) -> None:
        self._sinks = sinks
        self._lose = lose
        self._queue: deque[tuple[Record, bool]] = deque()
        self._busy = threading.Lock()

    def opened(self, record: Record) -> None:
        self._queue.append((record, False))

    def closed(self, record: Record) -> None:
        self._queue.append((record, True))

    def tell(self) -> None:
        """Tells what is queued. One thread at a time, so that a record's end never overtakes its beginning; another that
        finds it busy goes on, and is told for."""
        queue = self._queue
        while queue and self._busy.acquire(blocking=False):
            try:
                while queue:
                    record, ended = queue.popleft()
                    for sink in self._sinks:
                        try:
                            if ended:
                                sink.closed(record)
                            else:
                                sink.opened(record)
                        except Exception as error:  # noqa: BLE001 -- whatever a sink raises, the others are told
                            self._lose("sink")
                            guard.caught(f"telling {type(sink).__name__}", error)
            finally:
                self._busy.release()

    def settle(self, timeout_s: float) -> None:
        """`tell`, and waits until another thread that is telling has done so, too."""
        self.tell()
        if self._busy.acquire(timeout=max(0.0, timeout_s)):
            self._busy.release()
