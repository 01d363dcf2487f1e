"""On and off: builds the pipeline, attaches an adapter to each framework that is imported now or later."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from hookspan.export import ancestry, autoload, logs
from hookspan.export.frameworks import FRAMEWORKS, Framework
from hookspan.export.install import install
from hookspan.export.settings import Settings, load
from hookspan.export.watch import Watch
from hookspan.spans.guard import guarded, shielded

if TYPE_CHECKING:
    from opentelemetry.metrics import MeterProvider
    from opentelemetry.trace import TracerProvider

    from hookspan.export.pipeline import Pipeline

log = logging.getLogger("hookspan")


@dataclass(frozen=True, slots=True)
class _Asked:
    """What the code asked for; None: as the environment says."""

    frameworks: tuple[str, ...] | None = None
    tracer_provider: TracerProvider | None = None
    meter_provider: MeterProvider | None = None
    settings: Settings | None = None


_NOTHING = _Asked()


@dataclass(slots=True)
class _On:
    asked: _Asked
    settings: Settings
    pipeline: Pipeline
    watches: list[Watch] = field(default_factory=list[Watch])
    heard: set[str] = field(default_factory=set[str])
    uninstalls: list[Callable[[], None]] = field(default_factory=list[Callable[[], None]])
    ended: bool = False

    def watch(self, names: Iterable[str]) -> Watch | None:
        """For those of `names` that are not listened to yet; their adapters are attached when it is started."""
        fresh = [name for name in names if name not in self.heard]
        if not fresh:
            return None
        self.heard.update(fresh)
        watch = Watch([FRAMEWORKS[name] for name in fresh], self._imported)
        self.watches.append(watch)
        return watch

    @guarded
    def _imported(self, framework: Framework) -> None:
        uninstall = install(framework, self.pipeline.recorder)
        if uninstall is None:
            return
        self.uninstalls.append(uninstall)
        if self.ended:  # by another thread, while this one imported the framework
            uninstall()

    def end(self) -> None:
        self.ended = True
        for watch in self.watches:
            watch.stop()
        for uninstall in self.uninstalls:
            with shielded("taking off an adapter"):
                uninstall()
        with shielded("closing the pipeline"):
            self.pipeline.shutdown(self.settings.exit_timeout_s)


_lock = threading.RLock()
"""Never held while a framework is imported: the thread that imports it may be waiting for this lock."""
_on: list[_On] = []
"""At most one."""


@guarded
def instrument(
    *,
    frameworks: Iterable[str] | None = None,
    tracer_provider: TracerProvider | None = None,
    meter_provider: MeterProvider | None = None,
    settings: Settings | None = None,
) -> None:
    """See `hookspan.instrument`."""
    names = None if frameworks is None else _known(frameworks)
    _switch_on(_Asked(names, tracer_provider, meter_provider, settings), names)


@guarded
def join(name: str) -> None:
    """Adds one framework to what is recorded: so ask the ways in without code, one framework at a time."""
    _switch_on(_NOTHING, (name,))


@guarded
def uninstrument() -> None:
    """See `hookspan.uninstrument`."""
    autoload.stop()
    with _lock:
        _stop()


def _switch_on(asked: _Asked, names: tuple[str, ...] | None) -> None:
    with _lock:
        if _on and asked not in (_NOTHING, _on[0].asked):
            _stop()
        if not _on:
            started = _start(asked)
            if started is None:
                return
            _on.append(started)
        on = _on[0]
        watch = on.watch(name for name in on.settings.frameworks if names is None or name in names)
    if watch is not None:
        watch.start()


def _start(asked: _Asked) -> _On | None:
    settings = asked.settings or load()
    logs.set_level(settings.log_level)
    for problem in settings.problems:
        log.warning("hookspan: %s", problem)
    if settings.off is not None:
        log.info("hookspan: off, because of %s", settings.off)
        return None
    standing = ancestry.here()
    if standing == ancestry.SILENT:
        log.info("hookspan: silent, because a recorded agent started this program; %s=true records it", ancestry.FORCE)
        return None
    if standing == ancestry.JOINED:
        settings = replace(settings, traceparent=os.environ.get("TRACEPARENT"), tracestate=os.environ.get("TRACESTATE"))
    from hookspan.export import pipeline  # noqa: PLC0415 -- OpenTelemetry is imported when something is recorded, not before

    return _On(asked, settings, pipeline.build(settings, asked.tracer_provider, asked.meter_provider))


def _stop() -> None:
    while _on:
        _on.pop().end()


def _known(names: Iterable[str]) -> tuple[str, ...]:
    wanted = [names] if isinstance(names, str) else list(names)
    for name in wanted:
        if name not in FRAMEWORKS:
            log.warning("hookspan: frameworks=%r is not known (allowed: %s)", name, ", ".join(FRAMEWORKS))
    return tuple(name for name in FRAMEWORKS if name in wanted)


def _forked() -> None:
    # another thread of the parent may have held it
    global _lock  # noqa: PLW0603 -- a lock cannot be renewed in place
    _lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
