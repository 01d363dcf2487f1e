"""Whose tracer provider a run's spans go to: the caller's, the application's, or one of our own."""

from __future__ import annotations

import threading
from collections.abc import Callable

from opentelemetry import metrics, propagate, trace
from opentelemetry.context import Context
from opentelemetry.metrics import MeterProvider
from opentelemetry.trace import Tracer, TracerProvider

from hookspan.spans import names as n
from hookspan.spans.otel_sink import Chosen

_DEFAULTS = ("ProxyTracerProvider", "NoOpTracerProvider", "_DefaultTracerProvider")
_METER_DEFAULTS = ("_ProxyMeterProvider", "NoOpMeterProvider")


class RunTracers:
    """Chooses at the beginning of each run, so that a provider the application sets late still counts.

    `own` makes our provider (None: the trail is not exported). `carrier` is the W3C context of the process that
    started this one.
    """

    def __init__(
        self, explicit: TracerProvider | None, own: Callable[[], TracerProvider | None], carrier: dict[str, str] | None = None
    ) -> None:
        self._explicit = explicit
        self._make_own = own
        self._own: TracerProvider | None = None
        self._made = False
        self._lock = threading.Lock()
        self._carrier = carrier or {}
        self._last: tuple[TracerProvider, Tracer] | None = None

    def choose(self) -> Chosen:
        provider = self._explicit or application_provider() or self._ours()
        return Chosen(self._tracer(provider) if provider is not None else None, exported=provider is not None)

    def surrounding(self) -> Context | None:
        return propagate.extract(self._carrier, Context()) if self._carrier else None

    def own(self) -> TracerProvider | None:
        """Our provider, where one was made."""
        return self._own

    def _ours(self) -> TracerProvider | None:
        with self._lock:
            if not self._made:
                self._made = True
                self._own = self._make_own()
            return self._own

    def _tracer(self, provider: TracerProvider) -> Tracer:
        last = self._last
        if last is None or last[0] is not provider:
            last = self._last = (provider, provider.get_tracer(n.SCOPE, _version()))
        return last[1]


def application_provider() -> TracerProvider | None:
    """The global provider, when somebody has set one: an SDK's, or a foreign implementation of the API."""
    provider = trace.get_tracer_provider()
    return None if type(provider).__name__ in _DEFAULTS and type(provider).__module__.startswith("opentelemetry.") else provider


def application_meter_provider() -> MeterProvider | None:
    provider = metrics.get_meter_provider()
    return None if type(provider).__name__ in _METER_DEFAULTS else provider


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 -- 40 ms, only when a tracer is made

    try:
        return version(n.SCOPE)
    except PackageNotFoundError:
        return "unknown"
