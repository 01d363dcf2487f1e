"""hookspan's own meter provider: read and sent by the export thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import MetricExporter, MetricReader, MetricsData
from opentelemetry.sdk.resources import Resource


class _Reader(MetricReader):
    """Sends what it is given; it has no thread of its own, so that fork and the end of the program have one story."""

    def __init__(self, exporter: MetricExporter) -> None:
        super().__init__(
            preferred_temporality=exporter._preferred_temporality,  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # as the SDK's own reader does
            preferred_aggregation=exporter._preferred_aggregation,  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # as the SDK's own reader does
        )
        self._exporter = exporter

    def _receive_metrics(self, metrics_data: MetricsData, timeout_millis: float = 10_000, **kwargs: Any) -> None:  # noqa: ARG002 -- the SDK's interface
        if metrics_data.resource_metrics:
            self._exporter.export(metrics_data, timeout_millis=timeout_millis)  # pyright: ignore[reportUnknownMemberType]  # the SDK leaves its **kwargs untyped

    def shutdown(self, timeout_millis: float = 30_000, **kwargs: Any) -> None:  # noqa: ARG002 -- the SDK's interface
        self._exporter.shutdown(timeout_millis=timeout_millis)  # pyright: ignore[reportUnknownMemberType]  # the SDK leaves its **kwargs untyped


class Metering:
    """`make` makes the exporter of metrics; a forked child begins anew, since its parent's counts are in the parent's
    metrics already."""

    def __init__(self, make: Callable[[], MetricExporter], resource: Resource) -> None:
        self._make = make
        self._resource = resource
        self._abandoned: list[object] = []
        self._reader = _Reader(make())
        self.provider = self._provider()

    def renew(self) -> None:
        self._abandoned.append((self.provider, self._reader))  # closing it would close the parent's connections
        self._reader = _Reader(self._make())
        self.provider = self._provider()

    def send(self) -> None:
        self._reader.collect()

    def _provider(self) -> MeterProvider:
        return MeterProvider([self._reader], self._resource, shutdown_on_exit=False)
