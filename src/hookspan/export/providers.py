"""hookspan's own providers, made from OpenTelemetry's environment variables."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Mapping

from opentelemetry.sdk.environment_variables import (
    OTEL_BSP_MAX_EXPORT_BATCH_SIZE,
    OTEL_BSP_MAX_QUEUE_SIZE,
    OTEL_BSP_SCHEDULE_DELAY,
    OTEL_METRIC_EXPORT_INTERVAL,
)
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor
from opentelemetry.sdk.trace.id_generator import IdGenerator

from hookspan.export.exporters import metric_exporter, span_exporter
from hookspan.export.otlp_metrics import Metering
from hookspan.export.otlp_processor import PidWatch, QueueProcessor
from hookspan.export.otlp_queue import SpanQueue
from hookspan.export.otlp_worker import Worker
from hookspan.export.settings import Settings
from hookspan.spans import forks
from hookspan.spans import names as n
from hookspan.spans.otel_ids import random_id

log = logging.getLogger("hookspan")

MAX_QUEUE_SPANS = 8192
MAX_QUEUE_BYTES = 64 * 1024 * 1024
BATCH_SPANS = 512
DELAY_MS = 1000
METRICS_EVERY_MS = 60_000


class _SystemIds(IdGenerator):
    """Ids that no `random.seed` of the program's and no fork makes alike."""

    def generate_span_id(self) -> int:
        return random_id(8)

    def generate_trace_id(self) -> int:
        return random_id(16)

    def is_trace_id_random(self) -> bool:
        return True


class OwnProviders:
    """The private providers and what sends for them. `tracer_provider` and `meter_provider` are None where the
    environment names no exporter for them. Making it neither starts a thread nor opens a connection."""

    def __init__(self, settings: Settings, version: str = "") -> None:
        resource = resource_of_program(version)
        traces = settings.otlp_enabled
        self.leaves_machine = traces
        self.queue = SpanQueue(_number(OTEL_BSP_MAX_QUEUE_SIZE, MAX_QUEUE_SPANS), MAX_QUEUE_BYTES)
        batch = min(_number(OTEL_BSP_MAX_EXPORT_BATCH_SIZE, BATCH_SPANS), self.queue.max_spans)
        self._metering = self._meters(settings, resource)
        self._worker = Worker(
            self.queue,
            (lambda: span_exporter(settings)) if traces else None,
            self._send_metrics,
            destination=settings.traces_endpoint or "the default OTLP endpoint",
            batch=batch,
            delay_s=_number(OTEL_BSP_SCHEDULE_DELAY, DELAY_MS) / 1000,
            metrics_every_s=_number(OTEL_METRIC_EXPORT_INTERVAL, METRICS_EVERY_MS) / 1000,
        )
        self._watch = PidWatch(self.renew)
        self.tracer_provider: TracerProvider | None = None
        console = "console" in settings.traces_exporters
        if traces or console:
            self.tracer_provider = TracerProvider(resource=resource, shutdown_on_exit=False, id_generator=_SystemIds())
        if self.tracer_provider is not None and traces:
            self.tracer_provider.add_span_processor(QueueProcessor(self.queue, batch, self.begin, self._worker.wake))
        if self.tracer_provider is not None and console:
            # never stdout: it may be a protocol's channel
            self.tracer_provider.add_span_processor(SimpleSpanProcessor(ConsoleSpanExporter(out=sys.stderr)))
        forks.around(self, child=OwnProviders.renew)

    @property
    def meter_provider(self) -> MeterProvider | None:
        return self._metering.provider if self._metering is not None else None

    @property
    def lost(self) -> Mapping[str, int]:
        return self.queue.lost

    def begin(self) -> None:
        """Something is on its way to the collector."""
        self._watch.look()
        self._worker.ensure()

    def flush(self, timeout_s: float) -> bool:
        return self._worker.flush(timeout_s)

    def shutdown(self, timeout_s: float) -> None:
        self._worker.shutdown(timeout_s)
        if self.tracer_provider is not None:
            self.tracer_provider.shutdown()

    def renew(self) -> None:
        """In a forked child: own queue, own thread, own connections, and counts from 0."""
        self._watch = PidWatch(self.renew)
        self.queue.renew()
        self._worker.renew()
        if self._metering is not None:
            self._metering.renew()

    def _send_metrics(self) -> None:
        if self._metering is not None:
            self._metering.send()

    def _meters(self, settings: Settings, resource: Resource) -> Metering | None:
        if not settings.otlp_metrics_enabled:
            return None
        try:
            return Metering(lambda: metric_exporter(settings), resource)
        except Exception as error:  # noqa: BLE001 -- whatever a variable of OpenTelemetry's does to its exporter
            log.warning("hookspan: no metrics, because their exporter cannot be made: %r", error)
            return None


def resource_of_program(version: str) -> Resource:
    """OpenTelemetry's rules (`OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES`, detectors), and hookspan's name."""
    return Resource.create({n.DISTRO_NAME: n.SCOPE, n.DISTRO_VERSION: version})


def _number(variable: str, default: int) -> int:
    text = os.environ.get(variable, "").strip()
    if not text:
        return default
    if text.isascii() and text.isdigit() and int(text) > 0:
        return int(text)
    log.warning("hookspan: %s=%r is not allowed (a whole number above 0); %d is taken", variable, text[:80], default)
    return default
