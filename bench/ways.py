"""The ways to watch an agent that are compared: how each is switched on, in a process of its own."""

# ruff: noqa: PLC0415 -- a process imports only what it measures
from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from opentelemetry.sdk.trace import TracerProvider


@dataclass(frozen=True)
class Way:
    """`package` is the distribution whose version is reported; `environ` is what a user would set."""

    says: str
    package: str | None = None
    instrumentor: str | None = None
    environ: dict[str, str] = field(default_factory=dict[str, str])
    own_provider: bool = False
    """Makes its own provider (the embedded store); ours is not handed over."""


def _hookspan(content: str, says: str) -> Way:
    return Way(says, "hookspan", environ={"HOOKSPAN_CONTENT": content, "HOOKSPAN_STORE": "false"})


WAYS: dict[str, Way] = {
    "none": Way("not watched"),
    "floor": Way("bare callback handler, four spans a step"),
    "hookspan-none": _hookspan("none", "hookspan, content none"),
    "hookspan-tools": _hookspan("tools", "hookspan, content tools"),
    "hookspan-full": _hookspan("full", "hookspan, content full"),
    "hookspan-store": Way("hookspan, embedded store only (content tools, the default)", "hookspan", own_provider=True),
    "genai": Way(
        "opentelemetry-instrumentation-genai-langchain",
        "opentelemetry-instrumentation-genai-langchain",
        "opentelemetry.instrumentation.genai.langchain:LangChainInstrumentor",
    ),
    "openllmetry": Way(
        "opentelemetry-instrumentation-langchain (OpenLLMetry)",
        "opentelemetry-instrumentation-langchain",
        "opentelemetry.instrumentation.langchain:LangchainInstrumentor",
    ),
    "openinference": Way(
        "openinference-instrumentation-langchain",
        "openinference-instrumentation-langchain",
        "openinference.instrumentation.langchain:LangChainInstrumentor",
    ),
}


@dataclass(frozen=True)
class Watching:
    """`callbacks` go into the run's config; `flush` delivers everything; `off` ends the watching."""

    callbacks: list[Any]
    flush: Callable[[], None]
    off: Callable[[], None]


def switch_on(name: str, provider: TracerProvider) -> Watching:
    """As its users do. The environment must hold `WAYS[name].environ` already."""
    way = WAYS[name]
    if name == "none":
        return Watching([], _nothing, _nothing)
    if name == "floor":
        from floor import Floor

        return Watching([Floor(provider)], _flushing(provider), _nothing)
    if way.instrumentor is None:
        return _switch_on_hookspan(way, provider)
    module, instrumentor = way.instrumentor.split(":")
    instance = getattr(importlib.import_module(module), instrumentor)()
    instance.instrument(tracer_provider=provider)
    return Watching([], _flushing(provider), instance.uninstrument)


def _switch_on_hookspan(way: Way, provider: TracerProvider) -> Watching:
    import hookspan
    from hookspan.export import instrument

    hookspan.instrument(tracer_provider=None if way.own_provider else provider)
    pipeline = instrument._on[0].pipeline  # noqa: SLF001 -- there is no public flush; only the measurement wants one

    def flush() -> None:
        pipeline.flush(60)
        provider.force_flush()

    return Watching([], flush, hookspan.uninstrument)


def _flushing(provider: TracerProvider) -> Callable[[], None]:
    def flush() -> None:
        provider.force_flush()

    return flush


def _nothing() -> None:
    return None
