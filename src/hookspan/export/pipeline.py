"""The way of the records: recorder, sinks, and their end."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field

from opentelemetry import trace
from opentelemetry.metrics import MeterProvider, NoOpMeterProvider
from opentelemetry.sdk.metrics import MeterProvider as SdkMeterProvider
from opentelemetry.sdk.trace import TracerProvider as SdkTracerProvider
from opentelemetry.trace import TracerProvider

from hookspan.export import otlp
from hookspan.export.ending import Ending
from hookspan.export.mark import ActiveMark
from hookspan.export.pause_files import PauseFiles
from hookspan.export.providers import RunTracers, application_meter_provider, application_provider
from hookspan.export.settings import Settings
from hookspan.spans.guard import shielded
from hookspan.spans.metrics import MetricsSink
from hookspan.spans.otel_sink import OTelSink
from hookspan.spans.payload import ContentPolicy
from hookspan.spans.record import Sink
from hookspan.spans.recorder import Recorder
from hookspan.spans.redact import redactor

log = logging.getLogger("hookspan")


@dataclass(eq=False)
class Pipeline:
    """One program's recorder and all that it feeds. `shutdown` may be called twice."""

    recorder: Recorder
    tracers: RunTracers
    own_meters: SdkMeterProvider | None = None
    endings: list[Callable[[], None]] = field(default_factory=list[Callable[[], None]])
    """What undoes the exit handlers."""
    _over: bool = False

    def flush(self, timeout_s: float) -> bool:
        """Delivers what has ended; True when all of it was, within the time."""
        delivered = self.recorder.flush(timeout_s)
        own = self.tracers.own()
        if isinstance(own, SdkTracerProvider):
            with shielded("flushing spans"):
                delivered = own.force_flush(int(timeout_s * 1000)) and delivered
        return delivered

    def shutdown(self, timeout_s: float) -> None:
        """Ends what is open as unfinished, delivers it within about `timeout_s`, and lets go of threads and files."""
        if self._over:
            return
        self._over = True
        for undo in self.endings:
            with shielded("undoing exit handlers"):
                undo()
        self.recorder.close()
        self.flush(timeout_s)
        self.recorder.shutdown(timeout_s)
        own = self.tracers.own()
        if isinstance(own, SdkTracerProvider):
            with shielded("closing the tracer provider"):
                own.shutdown()
        if self.own_meters is not None:
            with shielded("closing the meter provider"):
                self.own_meters.shutdown(timeout_millis=timeout_s * 1000)


def build(settings: Settings, tracer_provider: TracerProvider | None = None, meter_provider: MeterProvider | None = None) -> Pipeline:
    """Makes the sinks that `settings` ask for; nothing is connected, and no thread started, before the first record."""
    own_meters = otlp.meter_provider(settings) if meter_provider is None else None
    metrics = MetricsSink(lambda: meter_provider or application_meter_provider() or own_meters or NoOpMeterProvider())
    carrier = {"traceparent": settings.traceparent, "tracestate": settings.tracestate}
    tracers = RunTracers(
        tracer_provider,
        lambda: otlp.tracer_provider(settings, metrics.lost),
        {name: value for name, value in carrier.items() if value},
    )
    spans = OTelSink(tracers)
    sinks: list[Sink] = [*_store(settings), spans, metrics, ActiveMark()]
    recorder = Recorder(
        identity=spans,
        sinks=sinks,
        policy=ContentPolicy(
            mode=settings.content,
            max_bytes=settings.max_content,
            redact=redactor(settings.redact) if settings.redact is not None else None,
        ),
        pauses=PauseFiles(settings.home),
        hook_callbacks=settings.hook_callbacks,
    )
    pipeline = Pipeline(recorder, tracers, own_meters if isinstance(own_meters, SdkMeterProvider) else None)
    if settings.global_provider:
        _offer(tracers)
    ending = Ending(pipeline.flush, pipeline.shutdown, settings.exit_timeout_s)
    pipeline.endings.append(ending.undo)
    ending.arm()
    return pipeline


def _store(settings: Settings) -> list[Sink]:
    if not settings.store_enabled:
        return []
    from hookspan.store.writer import StoreSink  # noqa: PLC0415 -- where the trail only leaves, no store is imported

    return [StoreSink(settings.home / "trail.db", settings.store_max_mb)]


def _offer(tracers: RunTracers) -> None:
    """HOOKSPAN_GLOBAL_PROVIDER: the program's own spans go where ours go, unless it has set a provider."""
    if application_provider() is None:
        tracers.choose()
        own = tracers.own()
        if own is not None:
            trace.set_tracer_provider(own)
