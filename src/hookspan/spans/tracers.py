"""Which tracer provider a run's spans go to: chosen when its first record begins, and kept by all below it."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from typing import Any, Protocol

from opentelemetry import trace
from opentelemetry.trace import NoOpTracerProvider, ProxyTracerProvider, Tracer, TracerProvider

from hookspan.spans import names as n
from hookspan.spans.guard import shielded
from hookspan.spans.record import Attributes, AttributeValue


class OwnProvider(Protocol):
    """hookspan's private provider, made from the environment."""

    @property
    def tracer_provider(self) -> TracerProvider | None:
        """None when the environment names no exporter."""
        ...

    @property
    def leaves_machine(self) -> bool: ...

    def flush(self, timeout_s: float) -> bool: ...

    def shutdown(self, timeout_s: float) -> None: ...


@dataclass(frozen=True, slots=True, eq=False)
class Route:
    """Where the spans of one run go; `tracer` None: nowhere, they only have ids.

    `longest` and `longest_in_event`: characters of a text that the provider keeps, None for any number.
    """

    provider: TracerProvider | None = None
    tracer: Tracer | None = None
    leaves_machine: bool = False
    longest: int | None = None
    longest_in_event: int | None = None


NOWHERE = Route()


class Tracers:
    """`explicit` is what the program gave to `instrument`, `own` the private provider, `version` hookspan's."""

    def __init__(self, explicit: TracerProvider | None = None, own: OwnProvider | None = None, version: str = "") -> None:
        self._explicit = explicit
        self._own = own
        self._version = version
        self._latest = NOWHERE
        self._foreign: dict[int, TracerProvider] = {}

    def choose(self) -> Route:
        """The explicit provider, else the program's global one if it has set one by now, else the private one."""
        own = self._own.tracer_provider if self._own is not None else None
        provider = self._explicit or self._global() or own
        if provider is None:
            return NOWHERE
        if provider is self._latest.provider:
            return self._latest
        leaves = True
        if provider is own and self._own is not None:
            leaves = self._own.leaves_machine
        else:
            self._foreign[id(provider)] = provider
        self._latest = _route(provider, self._version, leaves)
        return self._latest

    def flush(self, timeout_s: float) -> bool:
        """Delivers what ended; a provider of the program's is flushed beside the caller's thread, since the SDK's
        own flush knows no time limit."""
        deadline = monotonic() + timeout_s
        threads = [threading.Thread(target=_force_flush, args=(each, timeout_s), daemon=True) for each in self._foreign.values()]
        for thread in threads:
            thread.start()
        delivered = self._own.flush(timeout_s) if self._own is not None else True
        for thread in threads:
            thread.join(max(0.0, deadline - monotonic()))
        return delivered and not any(thread.is_alive() for thread in threads)

    def shutdown(self, timeout_s: float) -> None:
        """Ends the private provider. The program's is the program's to end."""
        if self._own is not None:
            self._own.shutdown(timeout_s)

    def _global(self) -> TracerProvider | None:
        found: TracerProvider | None = None
        with suppress(Exception):  # OTEL_PYTHON_TRACER_PROVIDER may name what cannot be loaded; the API has logged it
            found = trace.get_tracer_provider()
        return None if found is None or isinstance(found, ProxyTracerProvider | NoOpTracerProvider) else found


def _route(provider: TracerProvider, version: str, leaves_machine: bool) -> Route:
    limits = getattr(provider, "_span_limits", None)  # the SDK has no public way to ask
    return Route(
        provider,
        provider.get_tracer(n.SCOPE, version),
        leaves_machine,
        _length(limits, "max_span_attribute_length"),
        _length(limits, "max_attribute_length"),
    )


def _length(limits: object, name: str) -> int | None:
    value: Any = getattr(limits, name, None)
    return value if isinstance(value, int) else None


def _force_flush(provider: TracerProvider, timeout_s: float) -> None:
    flush = getattr(provider, "force_flush", None)
    if flush is not None:
        with shielded("flushing the program's tracer provider"):
            flush(int(timeout_s * 1000))


def cut(attributes: Attributes, longest: int | None) -> Attributes:
    """`attributes` with every text at most `longest` characters long: the SDK would cut it too, and log a warning for
    each. What is cut is named."""
    if longest is None or not any(isinstance(value, str) and len(value) > longest for value in attributes.values()):
        return attributes
    shorter: dict[str, AttributeValue] = {}
    named = list(_texts(attributes))
    for name, value in attributes.items():
        if isinstance(value, str) and len(value) > longest:
            if not any(said.startswith(f"{name}=") for said in named):
                named.append(f"{name}={len(value.encode('utf-8', 'replace'))}")
            shorter[name] = value[:longest]
        else:
            shorter[name] = value
    shorter[n.TRUNCATED] = [said[:longest] for said in named]
    return shorter


def _texts(attributes: Mapping[str, AttributeValue]) -> list[str]:
    said = attributes.get(n.TRUNCATED, ())
    return list(said) if isinstance(said, list | tuple) else []
