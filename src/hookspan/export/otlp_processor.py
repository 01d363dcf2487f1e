"""The span processor of hookspan's own tracer provider: takes ended spans, never waits."""

from __future__ import annotations

import os
from collections.abc import Callable

from opentelemetry.context import Context
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor

from hookspan.export.otlp_queue import AFTER_END, SpanQueue
from hookspan.spans import names as n
from hookspan.spans.guard import guarded

_WAKE_BYTES = 1024 * 1024


class QueueProcessor(SpanProcessor):
    """`begin` is told that a span is on its way, `wake` that sending should not wait; `batch`: so many spans are worth
    a request."""

    def __init__(self, queue: SpanQueue, batch: int, begin: Callable[[], None], wake: Callable[[], None]) -> None:
        self._queue = queue
        self._batch = batch
        self._begin = begin
        self._wake = wake
        self._ended = False

    @guarded
    def on_start(self, span: Span, parent_context: Context | None = None) -> None:  # noqa: ARG002 -- the SDK's interface
        if span.get_span_context().trace_flags.sampled:
            self._begin()

    @guarded
    def on_end(self, span: ReadableSpan) -> None:
        if span.context is None or not span.context.trace_flags.sampled:
            return
        if self._ended:
            self._queue.lose(AFTER_END, 1)
            return
        queue = self._queue
        queue.put(span)
        # a pause is shown at once: the run waits for a person who may look for it; and a run when it ends, because a server
        # may be killed after its last request (uvicorn restores the default action of SIGTERM and raises it again)
        told = span.attributes or {}
        at_once = told.get(n.SEQUENCE) == 1 or told.get(n.RECORD) == n.PAUSE
        if at_once or len(queue) >= self._batch or queue.bytes >= _WAKE_BYTES:
            self._wake()

    def shutdown(self) -> None:
        """The pipeline ends the export, with a time limit; nothing is taken from now on."""
        self._ended = True

    def force_flush(self, timeout_millis: int = 30000) -> bool:
        self._wake()
        return self._queue.wait(timeout_millis / 1000)


class PidWatch:
    """Calls `forked` when this is another process than the last time: some servers fork without Python's hooks."""

    def __init__(self, forked: Callable[[], None]) -> None:
        self._forked = forked
        self._pid = os.getpid()

    def look(self) -> None:
        pid = os.getpid()
        if pid != self._pid:
            self._pid = pid
            self._forked()
