"""The official OTLP exporters, as the settings ask for them."""

from __future__ import annotations

import os

from opentelemetry.sdk.metrics.export import MetricExporter
from opentelemetry.sdk.trace.export import SpanExporter

from hookspan.export.settings import GRPC, HTTP, Settings

_GENERAL = "OTEL_EXPORTER_OTLP_ENDPOINT"


def span_exporter(settings: Settings) -> SpanExporter:
    """For OTLP over HTTP or gRPC. Raises what the exporter raises for a variable that it cannot use."""
    endpoint = _in_code(settings.traces_endpoint, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
    if _protocol(settings.traces_protocol, settings.traces_exporters) == GRPC:
        from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter  # noqa: PLC0415 -- grpc only where asked for

        return OTLPSpanExporter(endpoint=endpoint)
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as OverHttp  # noqa: PLC0415 -- requests only where asked for

    return OverHttp(endpoint=endpoint)


def metric_exporter(settings: Settings) -> MetricExporter:
    """As `span_exporter`, for metrics."""
    endpoint = _in_code(settings.metrics_endpoint, "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT")
    if _protocol(settings.metrics_protocol, settings.metrics_exporters) == GRPC:
        from opentelemetry.exporter.otlp.proto.grpc.metric_exporter import OTLPMetricExporter  # noqa: PLC0415 -- grpc only where asked for

        return OTLPMetricExporter(endpoint=endpoint)
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter as OverHttp  # noqa: PLC0415 -- requests only where asked for

    return OverHttp(endpoint=endpoint)


def _protocol(said: str, exporters: tuple[str, ...]) -> str:
    """The SDK's own exporter names carry the protocol, and win."""
    if "otlp_proto_grpc" in exporters:
        return GRPC
    return HTTP if "otlp_proto_http" in exporters else said


def _in_code(endpoint: str, variable: str) -> str | None:
    """The endpoint that the program's code gave, as a whole URL; None where the environment gave it: the exporter
    reads it there by its own rules."""
    from_environment = {os.environ.get(variable, "").strip(), os.environ.get(_GENERAL, "").strip()}
    return endpoint if endpoint and endpoint not in from_environment else None
