"""Spans on their way to a backend: a queue bounded in spans and bytes, and one thread that sends them.

The program's threads only append. What does not fit is counted: ordinary spans go before runs, refusals, approvals and
pauses do.
"""

from __future__ import annotations

import logging
import os
import threading
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from time import monotonic
from typing import cast

from opentelemetry.context import Context
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

from hookspan.export import quiet
from hookspan.spans import names as n
from hookspan.spans.guard import shielded

log = logging.getLogger("hookspan")

MAX_SPANS = 8192
MAX_BYTES = 64 * 1024 * 1024
BATCH_SPANS = 512
BATCH_BYTES = 3 * 1024 * 1024
"""Below the 4 MiB that a gRPC receiver takes by default, with room for what the estimate misses."""
DELAY_S = 1.0

_KEPT_LONGEST = frozenset({n.AGENT, n.WORKFLOW, n.APPROVAL, n.PAUSE})
_REFUSED = frozenset({"denied", "expired", "cancelled", "interrupted"})

Lost = Callable[[int, str], None]


class Outbox(SpanProcessor):
    """A span processor for our own provider. `make` makes the exporter, in the sending thread: nothing of it is
    inherited over a fork, and no import of it delays the program. `lost` is told of what reached no backend."""

    def __init__(self, make: Callable[[], SpanExporter], lost: Lost, *, max_spans: int = MAX_SPANS, max_bytes: int = MAX_BYTES) -> None:
        self._make = make
        self._lost = lost
        self._max_spans, self._max_bytes = max_spans, max_bytes
        self.dropped = 0
        self._begin()
        _begin_in_child(self)

    def _begin(self) -> None:
        # re-entrant: a signal handler flushes while the interrupted code may hold it
        self._changed = threading.Condition(threading.RLock())
        self._ordinary: deque[tuple[ReadableSpan, int]] = deque()
        self._important: deque[tuple[ReadableSpan, int]] = deque()
        self._bytes = 0
        self._sending = 0
        self._flushing = 0
        self._closed = False
        self._thread: threading.Thread | None = None
        self._exporter: SpanExporter | None = None
        self._warned_drop = self._warned_failure = False

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:  # noqa: ARG002 -- the SDK's signature
        return None

    def on_end(self, span: ReadableSpan) -> None:
        if span.context is None or not span.context.trace_flags.sampled:
            return
        size = estimated(span)
        with self._changed:
            if self._closed:
                self._drop(1, "after_shutdown")
                return
            (self._important if _is_important(span) else self._ordinary).append((span, size))
            self._bytes += size
            while self._waiting() > self._max_spans or self._bytes > self._max_bytes:
                victims = self._ordinary or self._important
                _, freed = victims.popleft()
                self._bytes -= freed
                self._drop(1, "queue_full")
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="hookspan-export", daemon=True)
                self._thread.start()
            elif self._waiting() >= BATCH_SPANS or self._bytes >= BATCH_BYTES:
                self._changed.notify_all()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """True when all that waits was sent, or given up, within the time."""
        until = monotonic() + timeout_millis / 1000
        with self._changed:
            self._flushing += 1
            self._changed.notify_all()
            try:
                while self._waiting() or self._sending:
                    left = until - monotonic()
                    if left <= 0 or self._thread is None or not self._thread.is_alive():
                        return False
                    self._changed.wait(min(left, 0.2))
            finally:
                self._flushing -= 1
        return True

    def shutdown(self, timeout_s: float = 4.0) -> None:
        delivered = self.force_flush(int(timeout_s * 1000))
        with self._changed:
            self._closed = True
            left = self._waiting() + self._sending
            if not delivered and left:
                self._drop(left, "exit")
                log.warning("hookspan: %d spans were not delivered before the program ended", left)
            self._ordinary.clear()
            self._important.clear()
            self._changed.notify_all()
            exporter = self._exporter
        if exporter is not None and delivered:
            with shielded("closing the exporter"):
                exporter.shutdown()

    def _run(self) -> None:
        quiet.this_thread()
        with shielded("making the exporter"):
            self._exporter = self._make()
        while True:
            with self._changed:
                if not self._waiting() and self._closed:
                    return
                if not self._flushing and not self._full():
                    self._changed.wait(DELAY_S)
                batch = self._take()
                self._sending = len(batch)
            if batch:
                self._send(batch)
            with self._changed:
                self._sending = 0
                self._changed.notify_all()

    def _take(self) -> Sequence[ReadableSpan]:
        batch: list[ReadableSpan] = []
        size = 0
        while self._waiting() and len(batch) < BATCH_SPANS:
            source = self._important or self._ordinary
            span, takes = source[0]
            if batch and size + takes > BATCH_BYTES:
                break
            source.popleft()
            batch.append(span)
            size += takes
        self._bytes -= size
        return batch

    def _send(self, batch: Sequence[ReadableSpan]) -> None:
        """One span that the exporter cannot encode costs itself, not its batch."""
        if self._exporter is None:
            self._failed(len(batch), "no exporter")
            return
        try:
            result = self._exporter.export(batch)
        except Exception as error:  # noqa: BLE001 -- whatever an exporter raises, the others of the batch are sent
            if len(batch) == 1:
                self._failed(1, repr(error))
                return
            half = len(batch) // 2
            self._send(batch[:half])
            self._send(batch[half:])
            return
        if result is not SpanExportResult.SUCCESS:
            self._failed(len(batch), "the collector did not take them")

    def _failed(self, count: int, why: str) -> None:
        self._lost_safely(count, "export")
        if not self._warned_failure:
            self._warned_failure = True
            log.warning("hookspan: %d spans could not be exported (%s); the program goes on, further ones are only counted", count, why)

    def _drop(self, count: int, reason: str) -> None:
        self.dropped += count
        self._lost_safely(count, reason)
        if not self._warned_drop and reason == "queue_full":
            self._warned_drop = True
            log.warning("hookspan: the export queue is full, spans are dropped; their number is in the metric %s", n.METRIC_RECORDS_LOST)

    def _lost_safely(self, count: int, reason: str) -> None:
        with shielded("counting lost spans"):
            self._lost(count, reason)

    def _waiting(self) -> int:
        return len(self._ordinary) + len(self._important)

    def _full(self) -> bool:
        return self._waiting() >= BATCH_SPANS or self._bytes >= BATCH_BYTES

    def begin_again(self) -> None:
        """In a forked child: the parent sends what it has; the child begins with an empty queue and no thread."""
        self._begin()


def estimated(span: ReadableSpan) -> int:
    """An upper bound of a span's size in OTLP, in bytes, without encoding it."""
    size = 256 + _text(span.name)
    for attributes in (span.attributes, *(event.attributes for event in span.events), *(link.attributes for link in span.links)):
        size += 64
        for key, value in (attributes or {}).items():
            size += 24 + len(key) + (_text(value) if isinstance(value, str) else 16 if isinstance(value, int | float) else _texts(value))
    return size


def _texts(values: object) -> int:
    if not isinstance(values, tuple | list):
        return 64
    return sum(16 + (_text(one) if isinstance(one, str) else 8) for one in cast("Sequence[object]", values))


def _text(text: str) -> int:
    return len(text) if text.isascii() else 4 * len(text)


def _is_important(span: ReadableSpan) -> bool:
    attributes = span.attributes or {}
    return span.parent is None or attributes.get(n.RECORD) in _KEPT_LONGEST or attributes.get(n.TOOL_OUTCOME) in _REFUSED


def _begin_in_child(outbox: Outbox) -> None:
    reference = weakref.ref(outbox)

    def after() -> None:
        alive = reference()
        if alive is not None:
            alive.begin_again()

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=after)
