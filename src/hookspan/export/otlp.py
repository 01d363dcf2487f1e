"""Our own providers: spans and metrics to a collector, as OpenTelemetry's variables say."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from importlib.metadata import entry_points
from typing import cast

from opentelemetry.metrics import MeterProvider
from opentelemetry.sdk.metrics import MeterProvider as SdkMeterProvider
from opentelemetry.sdk.metrics.export import MetricExporter, PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider as SdkTracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SpanExporter

from hookspan.export.outbox import Lost, Outbox
from hookspan.export.settings import GRPC, Settings

log = logging.getLogger("hookspan")


def tracer_provider(settings: Settings, lost: Lost) -> SdkTracerProvider | None:
    """A provider with one outbox for each exporter that is asked for; None when none is. Resource, sampler, endpoint,
    headers and the rest are read by the SDK from its own variables."""
    makers = [make for name in _asked(settings) if (make := _span_exporter(name, settings)) is not None]
    if not makers:
        return None
    provider = SdkTracerProvider(resource=Resource.create(), shutdown_on_exit=False)
    for make in makers:
        provider.add_span_processor(Outbox(make, lost))
    return provider


def meter_provider(settings: Settings) -> MeterProvider | None:
    if not settings.otlp_metrics_enabled:
        return None
    reader = PeriodicExportingMetricReader(_metric_exporter(settings))
    return SdkMeterProvider([reader], resource=Resource.create(), shutdown_on_exit=False)


def _asked(settings: Settings) -> tuple[str, ...]:
    if settings.traces_exporters:
        return tuple(name for name in settings.traces_exporters if name != "none")
    return ("otlp",) if settings.otlp_enabled else ()


def _span_exporter(name: str, settings: Settings) -> Callable[[], SpanExporter] | None:
    if name in ("otlp", "otlp_proto_grpc", "otlp_proto_http"):
        grpc = name.endswith("grpc") or (name == "otlp" and settings.traces_protocol == GRPC)
        return _grpc_spans if grpc else _http_spans
    if name == "console":
        # stdout is a data channel of agents and hooks
        return lambda: ConsoleSpanExporter(out=sys.stderr)
    found = next(iter(entry_points(group="opentelemetry_traces_exporter", name=name)), None)
    if found is None:
        log.warning("hookspan: OTEL_TRACES_EXPORTER names %r, which is not installed", name)
        return None
    load = cast("Callable[[], type[SpanExporter]]", found.load)

    def make() -> SpanExporter:
        return load()()

    return make


def _http_spans() -> SpanExporter:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415 -- 230 ms, in the sending thread

    return OTLPSpanExporter()


def _grpc_spans() -> SpanExporter:
    from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter  # noqa: PLC0415 -- as above

    return OTLPSpanExporter()


def _metric_exporter(settings: Settings) -> MetricExporter:
    if settings.metrics_protocol == GRPC:
        from opentelemetry.exporter.otlp.proto.grpc.metric_exporter import OTLPMetricExporter as Grpc  # noqa: PLC0415 -- as above

        return Grpc()
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter as Http  # noqa: PLC0415 -- as above

    return Http()
