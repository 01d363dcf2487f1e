"""Measurements of ended records: durations and tokens, with labels that stay few."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from opentelemetry.metrics import MeterProvider

from hookspan.spans import names as n
from hookspan.spans.record import AttributeValue, Record

_SECONDS = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92)
_RUN_SECONDS = (0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6)
_TOKENS = (1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864)
"""Bucket bounds of the GenAI conventions (v1.41; research of 2026-11)."""

_CHAT_LABELS = (n.OPERATION_NAME, n.PROVIDER_NAME, n.REQUEST_MODEL, n.RESPONSE_MODEL, n.AGENT_NAME, n.ERROR_TYPE)
_TOOL_LABELS = (n.OPERATION_NAME, n.TOOL_TYPE, n.AGENT_NAME, n.ERROR_TYPE)
_AGENT_LABELS = (n.OPERATION_NAME, n.AGENT_NAME, n.ERROR_TYPE)


class MetricsSink:
    """Measures records as they end. `provider` is asked at the first one: the application may set its own late."""

    def __init__(self, provider: Callable[[], MeterProvider]) -> None:
        self._provider = provider
        self._instruments: _Instruments | None = None

    def opened(self, record: Record) -> None:  # noqa: ARG002 -- Sink's; only ends are measured
        return None

    def closed(self, record: Record) -> None:
        if record.kind not in n.OPERATION_OF_RECORD:
            return
        instruments = self._instruments
        if instruments is None:
            instruments = self._instruments = _Instruments(self._provider())
        instruments.measure(record)

    def lost(self, count: int, reason: str) -> None:
        """Counts records that reached no backend."""
        if self._instruments is None:
            self._instruments = _Instruments(self._provider())
        self._instruments.lost.add(count, {n.LOST_REASON: reason})

    def flush(self, timeout_s: float) -> bool:  # noqa: ARG002 -- Sink's; the provider's owner flushes
        return True

    def shutdown(self, timeout_s: float) -> None:  # noqa: ARG002 -- Sink's; nothing to wait for
        return None


class _Instruments:
    def __init__(self, provider: MeterProvider) -> None:
        meter = provider.get_meter(n.SCOPE)

        def seconds(name: str, text: str, bounds: tuple[float, ...]):  # noqa: ANN202 -- the API's Histogram
            return meter.create_histogram(name, "s", text, explicit_bucket_boundaries_advisory=bounds)

        self.operation = seconds(n.METRIC_OPERATION_DURATION, "Duration of model calls", _SECONDS)
        self.agent = seconds(n.METRIC_INVOKE_AGENT_DURATION, "Duration of agents' turns", _RUN_SECONDS)
        self.tool = seconds(n.METRIC_EXECUTE_TOOL_DURATION, "Duration of executions of tools, without waits", _SECONDS)
        self.tokens = meter.create_histogram(
            n.METRIC_TOKEN_USAGE, "{token}", "Tokens of model calls", explicit_bucket_boundaries_advisory=_TOKENS
        )
        self.lost = meter.create_counter(n.METRIC_RECORDS_LOST, "{record}", "Records that reached no backend")

    def measure(self, record: Record) -> None:
        attributes = record.attributes
        took = ((record.end or record.start) - record.start) / 1e9
        if record.kind == n.CHAT:
            labels = _labels(attributes, _CHAT_LABELS)
            self.operation.record(took, labels)
            for kind, name in (("input", n.INPUT_TOKENS), ("output", n.OUTPUT_TOKENS)):
                count = attributes.get(name)
                if isinstance(count, int):
                    self.tokens.record(count, {**labels, n.TOKEN_TYPE: kind})
        elif record.kind == n.TOOL:
            ran = attributes.get(n.TOOL_RUN_S)
            if isinstance(ran, float):
                self.tool.record(ran, {**_labels(attributes, _TOOL_LABELS), n.TOOL_NAME: _tool_label(attributes)})
        elif record.kind == n.AGENT:
            self.agent.record(took, _labels(attributes, _AGENT_LABELS))


def _labels(attributes: Mapping[str, AttributeValue], names: tuple[str, ...]) -> dict[str, AttributeValue]:
    return {name: attributes[name] for name in names if name in attributes}


def _tool_label(attributes: Mapping[str, AttributeValue]) -> AttributeValue:
    """A name that only a model invented would make a series of its own for each invention."""
    if attributes.get(n.TOOL_EXECUTED) is not True:
        return n.OTHER
    return attributes.get(n.TOOL_NAME, n.OTHER)
