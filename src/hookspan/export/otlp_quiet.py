"""The official exporters' own log lines, one and more a failed request, held back where hookspan tells of losses itself."""

from __future__ import annotations

import logging
import threading

_LOGGERS = (
    "opentelemetry.exporter.otlp.common.http",
    "opentelemetry.exporter.otlp.proto.common._internal",
    "opentelemetry.exporter.otlp.proto.grpc.exporter",
    "opentelemetry.exporter.otlp.proto.http.metric_exporter",
    "opentelemetry.exporter.otlp.proto.http.trace_exporter",
    "opentelemetry.sdk.metrics._internal.measurement_consumer",
)


class HeldBack(logging.Filter):
    """Drops what the threads that were `entered` log; `reason` is the latest of it. Lines of other threads, as of an
    exporter of the program's own, pass."""

    def __init__(self) -> None:
        super().__init__()
        self.reason = ""
        self._threads: set[int] = set()

    def filter(self, record: logging.LogRecord) -> bool:
        if record.thread not in self._threads:
            return True
        if record.levelno >= logging.WARNING:
            self.reason = " ".join(record.getMessage().split())[:300]
        return False

    def enter(self) -> None:
        """From the thread itself."""
        self._threads.add(threading.get_ident())
        for name in _LOGGERS:
            logging.getLogger(name).addFilter(self)

    def remove(self) -> None:
        for name in _LOGGERS:
            logging.getLogger(name).removeFilter(self)
