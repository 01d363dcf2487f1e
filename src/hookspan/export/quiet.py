"""The exporters' own complaints, silenced in our sending threads: hookspan says it once, in its own words."""

from __future__ import annotations

import logging
import threading

_LOGGERS = (
    "opentelemetry.exporter.otlp.proto.http.trace_exporter",
    "opentelemetry.exporter.otlp.proto.http.metric_exporter",
    "opentelemetry.exporter.otlp.proto.grpc.exporter",
    "opentelemetry.exporter.otlp.common.http",
    "opentelemetry.exporter.otlp.proto.http._common",
    "opentelemetry.sdk.metrics._internal.export",
    "urllib3.connectionpool",
)


class _NotFromOurs(logging.Filter):
    def __init__(self) -> None:
        super().__init__()
        self.threads: set[int] = set()

    def filter(self, record: logging.LogRecord) -> bool:
        return record.thread not in self.threads


_filter = _NotFromOurs()


def this_thread() -> None:
    """Drops what the exporters log in this thread from now on; other threads' records pass."""
    _filter.threads.add(threading.get_ident())
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        if _filter not in logger.filters:
            logger.addFilter(_filter)
