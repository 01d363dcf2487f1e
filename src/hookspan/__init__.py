"""Every hook point of an agent becomes a span: the public interface.

Importing it costs nothing to speak of: OpenTelemetry and the adapters are imported when they are needed.
"""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers know the name; importing typing for it would cost every start 10 ms
if TYPE_CHECKING:
    from collections.abc import Iterable
    from contextlib import AbstractContextManager

    from opentelemetry.metrics import MeterProvider
    from opentelemetry.trace import TracerProvider

    from hookspan.export.settings import Settings

__all__ = ["acting_as", "instrument", "uninstrument"]


def instrument(
    *,
    frameworks: Iterable[str] | None = None,
    tracer_provider: TracerProvider | None = None,
    meter_provider: MeterProvider | None = None,
    settings: Settings | None = None,
) -> None:
    """Records the runs of `frameworks` (None: of all that hookspan knows), those imported later included.

    Spans go to `tracer_provider`; None: to the application's global one if it has set one by the time a run begins, else
    to one of hookspan's own. `settings` None: from the environment. Calling it again changes nothing, unless it is
    called with other arguments: those win over earlier ones and over the environment's switch.

    Never raises: what cannot be done is logged on the logger `hookspan`. Nothing is done where `HOOKSPAN_ENABLED=false`
    or `OTEL_SDK_DISABLED=true`, nor in a program that a recorded agent started (see `HOOKSPAN_FORCE`).
    """
    from hookspan.export import instrument as switch  # noqa: PLC0415 -- importing hookspan must stay light

    switch.instrument(frameworks=frameworks, tracer_provider=tracer_provider, meter_provider=meter_provider, settings=settings)


def uninstrument() -> None:
    """Takes everything back: each attribute of a framework is the identical original again, what is open ends as
    unfinished and is delivered. Does nothing when nothing was instrumented. Never raises."""
    from hookspan.export import instrument as switch  # noqa: PLC0415 -- importing hookspan must stay light

    switch.uninstrument()


def acting_as(user: str) -> AbstractContextManager[None]:
    """`with hookspan.acting_as("ada"):` names the person on whose behalf agents run inside the block: `user.id` of
    their runs, and `hookspan.decision.by` of the decisions that person takes. Nests."""
    from hookspan.model import acting  # noqa: PLC0415 -- importing hookspan must stay light

    return acting.acting_as(user)
