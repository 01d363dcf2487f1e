"""`opentelemetry-instrument`: one instrumentor a framework, found through the entry points."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from opentelemetry.instrumentation.instrumentor import BaseInstrumentor

from hookspan.export import ancestry, autoload
from hookspan.export.instrument import instrument, uninstrument


class _FrameworkInstrumentor(BaseInstrumentor):
    """Never raises: an exception here would keep opentelemetry-instrument from loading all instrumentors after it."""

    framework = ""

    def instrumentation_dependencies(self) -> Collection[str]:
        # none: a framework that is absent is never imported, and one of another version gets our own warning
        return ()

    def _instrument(self, **kwargs: Any) -> None:
        """With providers (called in code) at once; without (zero code) when the framework is imported: by then the
        distribution has set the global providers."""
        tracer_provider = kwargs.get("tracer_provider")
        meter_provider = kwargs.get("meter_provider")
        if tracer_provider is not None or meter_provider is not None:
            instrument(frameworks=(self.framework,), tracer_provider=tracer_provider, meter_provider=meter_provider)
        elif ancestry.here() != ancestry.SILENT:
            autoload.wait_for((self.framework,))

    def _uninstrument(self, **kwargs: Any) -> None:  # noqa: ARG002 -- the base class's interface
        uninstrument()


class LangGraphInstrumentor(_FrameworkInstrumentor):
    framework = "langgraph"
