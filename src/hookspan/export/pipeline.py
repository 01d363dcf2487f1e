"""The way of the records: recorder, sinks, and their end."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from time import monotonic
from typing import TYPE_CHECKING

from opentelemetry import trace
from opentelemetry.metrics import MeterProvider
from opentelemetry.trace import ProxyTracerProvider, TracerProvider

from hookspan.export.mark import ActiveMark
from hookspan.export.pause_files import PauseFiles
from hookspan.export.settings import Settings
from hookspan.export.shutdown import Ending
from hookspan.spans.guard import shielded
from hookspan.spans.metrics import MetricsSink
from hookspan.spans.otel_ids import remote_span
from hookspan.spans.otel_sink import OTelSink
from hookspan.spans.payload import ContentPolicy
from hookspan.spans.record import Sink
from hookspan.spans.recorder import Recorder
from hookspan.spans.redact import redactor
from hookspan.spans.tracers import Tracers

if TYPE_CHECKING:
    from hookspan.export.providers import OwnProviders

log = logging.getLogger("hookspan")


class Pipeline:
    """One program's recorder and all that it feeds."""

    def __init__(self, settings: Settings, own: OwnProviders | None, explicit: TracerProvider | None, meters: MeterProvider | None) -> None:
        self.own = own
        """The providers of ours; None where the program's are used."""
        self._over = False
        self._ending = Ending(self._close, self.shutdown, settings.exit_timeout_s)
        self._spans = spans = OTelSink(Tracers(explicit, own, _version()), remote_span(settings.traceparent, settings.tracestate))
        self._sinks: Sequence[Sink] = [*_store(settings), spans, MetricsSink(self._lost, meters, own), ActiveMark(), self._ending]
        self.recorder = Recorder(
            identity=spans,
            sinks=self._sinks,
            policy=ContentPolicy(
                mode=settings.content,
                max_bytes=settings.max_content,
                redact=redactor(settings.redact) if settings.redact is not None else None,
            ),
            pauses=PauseFiles(settings.home),
            hook_callbacks=settings.hook_callbacks,
        )
        self._ending.arm()

    def flush(self, timeout_s: float) -> bool:
        """Delivers what has ended; True when all of it was, within the time."""
        return self.recorder.flush(timeout_s)

    def shutdown(self, timeout_s: float) -> None:
        """Ends what is open as unfinished, delivers it within `timeout_s`, and lets go of threads and files. May be
        called twice."""
        if self._over:
            return
        self._over = True
        deadline = monotonic() + timeout_s
        with shielded("undoing the exit handlers"):
            self._ending.undo()
        self.recorder.close()
        for sink in self._sinks:  # the store first: it needs no network
            with shielded("closing a sink"):
                sink.shutdown(max(0.0, deadline - monotonic()))

    def _close(self, timeout_s: float, *, all_providers: bool) -> None:
        """Ends what is open and delivers it. At a normal end the program's own tracer provider delivers by itself; a
        signal leaves it no time to."""
        deadline = monotonic() + timeout_s
        self.recorder.close()
        for sink in self._sinks:  # the store first: it needs no network
            flush = self.own.flush if sink is self._spans and self.own is not None and not all_providers else sink.flush
            if sink is not self._spans or self.own is not None or all_providers:
                with shielded("flushing a sink"):
                    flush(max(0.0, deadline - monotonic()))

    def _lost(self) -> Mapping[str, int]:
        """Of the recorder, the store and the export, by reason; the reasons differ."""
        lost = {**self.recorder.lost, **(self.own.lost if self.own is not None else {})}
        in_store = sum(count for sink in self._sinks if isinstance(count := getattr(sink, "lost", None), int))
        return {**lost, "store": in_store} if in_store else lost


def build(settings: Settings, tracer_provider: TracerProvider | None = None, meter_provider: MeterProvider | None = None) -> Pipeline:
    """Makes the sinks that `settings` ask for. Nothing is connected, and no thread started, before the first record."""
    own = None
    if settings.otlp_enabled or settings.otlp_metrics_enabled or "console" in settings.traces_exporters:
        from hookspan.export.providers import OwnProviders  # noqa: PLC0415 -- without an exporter the SDK is not imported

        with shielded("making hookspan's providers"):
            own = OwnProviders(settings, _version())
    if own is not None and own.tracer_provider is not None and settings.global_provider and tracer_provider is None:
        _offer(own.tracer_provider)
    return Pipeline(settings, own, tracer_provider, meter_provider)


def _offer(provider: TracerProvider) -> None:
    """HOOKSPAN_GLOBAL_PROVIDER: the program's own spans go where ours go, unless it has set a provider."""
    if isinstance(trace.get_tracer_provider(), ProxyTracerProvider):
        trace.set_tracer_provider(provider)


def _store(settings: Settings) -> list[Sink]:
    if not settings.store_enabled:
        return []
    from hookspan.store.writer import StoreSink  # noqa: PLC0415 -- where the trail only leaves, no store is imported

    return [StoreSink(settings.home / "trail.db", settings.store_max_mb)]


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 -- 40 ms, only where something is recorded

    try:
        return version("hookspan")
    except PackageNotFoundError:
        return ""
