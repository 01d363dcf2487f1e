"""Records as metrics: tokens and durations of model calls, durations of agents and tools, and how many records were lost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from opentelemetry import metrics
from opentelemetry.metrics import CallbackOptions, Histogram, Meter, MeterProvider, NoOpMeterProvider, Observation

from hookspan.spans import names as n
from hookspan.spans.record import Record

_CLIENT_SECONDS = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92)
_AGENT_SECONDS = (0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6)
_TOKENS = tuple(4**power for power in range(14))
"""Bucket boundaries of the GenAI conventions."""

MAX_VALUES = 200
"""Distinct values of one label; more fold into `_OTHER`."""

_CHAT_LABELS = (n.OPERATION_NAME, n.PROVIDER_NAME, n.REQUEST_MODEL, n.RESPONSE_MODEL, n.AGENT_NAME, n.FRAMEWORK)
_AGENT_LABELS = (n.OPERATION_NAME, n.AGENT_NAME, n.FRAMEWORK, n.RUN_OUTCOME, n.STOP_REASON, n.ERROR_TYPE)
_TOOL_LABELS = (n.OPERATION_NAME, n.TOOL_TYPE, n.TOOL_ORIGIN, n.AGENT_NAME, n.FRAMEWORK, n.TOOL_OUTCOME, n.ERROR_TYPE)

Labels = dict[str, str]


class OwnMeters(Protocol):
    """hookspan's private meter provider; None when the environment names no exporter for metrics."""

    @property
    def meter_provider(self) -> MeterProvider | None: ...

    def begin(self) -> None:
        """Something was measured."""
        ...


@dataclass(frozen=True, slots=True)
class _Instruments:
    tokens: Histogram
    operation: Histogram
    agent: Histogram
    tool: Histogram


class MetricsSink:
    """A sink. Measures go to `explicit`, else to the program's global meter provider if it has set one by the time a run
    begins, else to the private one of `own`. `lost` tells how many records were lost so far, by reason."""

    def __init__(self, lost: Callable[[], Mapping[str, int]], explicit: MeterProvider | None = None, own: OwnMeters | None = None) -> None:
        self._lost = lost
        self._explicit = explicit
        self._own = own
        self._provider: MeterProvider | None = None
        self._instruments: _Instruments | None = None
        self._values: dict[str, set[str]] = {}

    def opened(self, record: Record) -> None:
        if record.outermost:
            self._choose()

    def closed(self, record: Record) -> None:
        instruments = self._instruments
        if instruments is None or record.end is None:
            return
        if record.kind == n.CHAT:
            self._chat(instruments, record)
        elif record.kind == n.AGENT:
            instruments.agent.record((record.end - record.start) / 1e9, self._labels(record, _AGENT_LABELS))
        elif record.kind == n.TOOL:
            self._tool(instruments, record)

    def flush(self, timeout_s: float) -> bool:  # noqa: ARG002 -- a sink's interface; the export thread reads the meters
        return True

    def shutdown(self, timeout_s: float) -> None:  # noqa: ARG002 -- a sink's interface; the providers' owners end them
        self._instruments = None

    def _choose(self) -> None:
        own = self._own.meter_provider if self._own is not None else None
        provider = self._explicit or _global() or own
        if provider is own and own is not None and self._own is not None:
            self._own.begin()
        if provider is self._provider:
            return
        self._provider = provider
        self._instruments = _instruments(provider.get_meter(n.SCOPE), self._observe) if provider is not None else None

    def _chat(self, to: _Instruments, record: Record) -> None:
        said = record.attributes
        labels = self._labels(record, _CHAT_LABELS)
        for name, kind in ((n.INPUT_TOKENS, "input"), (n.OUTPUT_TOKENS, "output")):
            count = said.get(name)
            if isinstance(count, int):
                to.tokens.record(count, {**labels, n.TOKEN_TYPE: kind})
        failed = said.get(n.ERROR_TYPE)
        if isinstance(failed, str):
            labels[n.ERROR_TYPE] = self._bounded(n.ERROR_TYPE, failed)
        to.operation.record(((record.end or record.start) - record.start) / 1e9, labels)

    def _tool(self, to: _Instruments, record: Record) -> None:
        run_s = record.attributes.get(n.TOOL_RUN_S)
        if record.attributes.get(n.TOOL_EXECUTED) is not True or not isinstance(run_s, float | int):
            return
        labels = self._labels(record, _TOOL_LABELS)
        name = record.attributes.get(n.TOOL_NAME)
        labels[n.TOOL_NAME] = self._bounded(n.TOOL_NAME, name) if isinstance(name, str) else n.OTHER
        to.tool.record(run_s, labels)

    def _labels(self, record: Record, names: Iterable[str]) -> Labels:
        said = record.attributes
        return {name: self._bounded(name, value) for name in names if isinstance(value := said.get(name), str)}

    def _bounded(self, name: str, value: str) -> str:
        seen = self._values.get(name)
        if seen is None:
            seen = self._values[name] = set()
        if value in seen:
            return value
        if len(seen) >= MAX_VALUES:
            return n.OTHER
        seen.add(value)
        return value

    def _observe(self, _options: CallbackOptions) -> Iterable[Observation]:
        return [Observation(count, {n.LOST_REASON: reason}) for reason, count in dict(self._lost()).items()]


def _global() -> MeterProvider | None:
    found: MeterProvider | None = None
    with suppress(Exception):  # OTEL_PYTHON_METER_PROVIDER may name what cannot be loaded; the API has logged it
        found = metrics.get_meter_provider()
    # the stand-in that is there until a program sets its own has no public name
    return None if found is None or isinstance(found, NoOpMeterProvider) or type(found).__name__ == "_ProxyMeterProvider" else found


def _instruments(meter: Meter, lost: Callable[[CallbackOptions], Iterable[Observation]]) -> _Instruments:
    meter.create_observable_counter(n.METRIC_RECORDS_LOST, [lost], unit="{record}", description="Records that did not reach the trail")
    return _Instruments(
        tokens=_histogram(meter, n.METRIC_TOKEN_USAGE, "{token}", "Tokens of a model call", _TOKENS),
        operation=_histogram(meter, n.METRIC_OPERATION_DURATION, "s", "Duration of a model call", _CLIENT_SECONDS),
        agent=_histogram(meter, n.METRIC_INVOKE_AGENT_DURATION, "s", "Duration of an agent's turn", _AGENT_SECONDS),
        tool=_histogram(meter, n.METRIC_EXECUTE_TOOL_DURATION, "s", "Execution of a tool, without waiting for leave", _CLIENT_SECONDS),
    )


def _histogram(meter: Meter, name: str, unit: str, description: str, boundaries: tuple[float, ...]) -> Histogram:
    return meter.create_histogram(name, unit=unit, description=description, explicit_bucket_boundaries_advisory=boundaries)
