"""The one thread that talks to the collector: spans in requests of bounded size, metrics now and then."""

from __future__ import annotations

import contextlib
import importlib
import os
import threading
from collections.abc import Callable, Sequence
from time import monotonic

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

from hookspan.export.otlp_losses import LossReport
from hookspan.export.otlp_measure import REQUEST_ROOM, fitting
from hookspan.export.otlp_queue import NOT_IN_TIME, REFUSED, UNENCODABLE, SpanQueue, Waiting
from hookspan.export.otlp_quiet import HeldBack
from hookspan.spans.guard import note, shielded

MAX_TRIES = 4
"""For one batch; each lasts as long as the exporter tries (10 s), so that a collector may restart meanwhile."""
_PAUSE_S = 5.0

_abandoned: list[SpanExporter | None] = []
"""Exporters that a forked child inherited: closing them, or letting them be closed, would end the parent's connections."""

_IMPORTED_LATE = ("netrc", "encodings.idna", "stringprep")
"""What the first request would import: a child that is forked in the middle of that could never import it."""

_importing = threading.Lock()
"""Held by the thread while it imports: a child that is forked meanwhile would have half a module, for ever."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_importing.acquire, after_in_parent=_importing.release, after_in_child=_importing.release)


class Worker:
    """`make` makes the exporter of spans (None: there are only metrics), also anew in a forked child. `metrics` sends
    the metrics so far. `delay_s`: how long a span waits for others, `metrics_every_s`: between two readings."""

    def __init__(
        self,
        queue: SpanQueue,
        make: Callable[[], SpanExporter] | None,
        metrics: Callable[[], None],
        *,
        destination: str,
        batch: int,
        delay_s: float,
        metrics_every_s: float,
    ) -> None:
        self._queue = queue
        self._make = make
        self._metrics = metrics
        self._batch = batch
        self._delay_s = delay_s
        self._metrics_every_s = metrics_every_s
        self._losses = LossReport(destination)
        self._quiet = HeldBack()
        self._exporter: SpanExporter | None = None
        self.renew()

    def renew(self) -> None:
        """Begins anew: in a forked child the thread is not there."""
        if self._exporter is not None:
            _abandoned.append(self._exporter)
        self._exporter = None
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._ending = threading.Event()
        self._thread: threading.Thread | None = None

    def ensure(self) -> None:
        """Starts the thread. Called when a span or a metric is on its way, long before it ends: at the end of the
        interpreter no thread can be started."""
        if self._thread is not None or self._ending.is_set():
            return
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="hookspan-export", daemon=True)
                with contextlib.suppress(RuntimeError):  # the interpreter ends; what is left is counted at shutdown
                    self._thread.start()

    def wake(self) -> None:
        if not self._wake.is_set():
            self._wake.set()

    def flush(self, timeout_s: float) -> bool:
        if self._thread is None:
            return len(self._queue) == 0
        self.wake()
        return self._queue.wait(timeout_s)

    def shutdown(self, timeout_s: float) -> None:
        """Sends what waits, for at most so long; what is left then is lost, and that is said."""
        if self._ending.is_set():
            return
        self._ending.set()
        self.wake()
        thread = self._thread
        if thread is not None and thread.is_alive():
            thread.join(timeout_s)
        if self._exporter is not None:
            with shielded("closing the exporter"):
                self._exporter.shutdown()  # also ends a wait between two tries
        self._queue.abandon(NOT_IN_TIME)
        self._losses.tell(self._queue.lost, self._quiet.reason, last=True)
        if thread is None or not thread.is_alive():
            self._quiet.remove()

    def _run(self) -> None:
        self._quiet.enter()
        with _importing:
            # a program's HTTP instrumentation must not trace our requests
            from opentelemetry.instrumentation.utils import suppress_instrumentation  # noqa: PLC0415 -- wrapt, only in this thread

        with suppress_instrumentation(), shielded("exporting"):
            next_metrics = monotonic() + self._metrics_every_s
            while not self._ending.is_set():
                self._wake.wait(self._delay_s)
                self._wake.clear()
                self._send_waiting()
                if monotonic() >= next_metrics:
                    next_metrics = monotonic() + self._metrics_every_s
                    self._send_metrics()
                self._losses.tell(self._queue.lost, self._quiet.reason)
            self._send_waiting()
            self._send_metrics()

    def _send_waiting(self) -> None:
        if self._make is None:
            return
        if self._exporter is None:
            try:
                with _importing:
                    self._exporter = self._make()
                    for late in _IMPORTED_LATE:
                        importlib.import_module(late)
            except Exception as error:  # noqa: BLE001 -- whatever a variable of OpenTelemetry's does to its exporter
                self._quiet.reason = f"no exporter could be made: {error!r}"
                self._queue.lose(REFUSED, len(self._queue.take(self._queue.max_spans)))
                return
        while taken := self._queue.take(self._batch):
            if not self._send_batch(self._exporter, taken):
                return

    def _send_batch(self, exporter: SpanExporter, taken: Sequence[Waiting]) -> bool:
        """In one request, or in several when it would be too large. False when the collector does not take it now."""
        request: list[tuple[ReadableSpan, Waiting]] = []
        room = REQUEST_ROOM
        for at, waiting in enumerate(taken):
            try:
                span, size = fitting(waiting.span)
            except Exception as error:  # noqa: BLE001 -- one odd span must not cost the others
                note("measuring a span", error)
                self._queue.lose(UNENCODABLE, 1)
                continue
            if request and size > room:
                if not self._send(exporter, request):
                    self._queue.give_back(taken[at:])
                    return False
                request, room = [], REQUEST_ROOM
            request.append((span, waiting))
            room -= size
        return not request or self._send(exporter, request)

    def _send(self, exporter: SpanExporter, request: Sequence[tuple[ReadableSpan, Waiting]]) -> bool:
        try:
            result = exporter.export([span for span, _ in request])
        except Exception as error:  # noqa: BLE001 -- an exporter that raises must not end the thread
            self._quiet.reason = repr(error)[:300]
            if len(request) == 1:
                self._queue.lose(UNENCODABLE, 1)
                return True
            middle = len(request) // 2
            if self._send(exporter, request[:middle]):
                return self._send(exporter, request[middle:])
            self._queue.give_back([waiting for _, waiting in request[middle:]])
            return False
        if result is SpanExportResult.SUCCESS:
            self._queue.settle(len(request))
            return True
        again = [waiting for _, waiting in request if waiting.tries + 1 < MAX_TRIES and not self._ending.is_set()]
        self._queue.lose(REFUSED, len(request) - len(again))
        self._queue.give_back(again)
        self._ending.wait(_PAUSE_S)
        return False

    def _send_metrics(self) -> None:
        with shielded("exporting metrics"):
            self._metrics()
