"""Watches middleware's `wrap_tool_call` and `wrap_model_call`: LangChain has no callback for them.

Arguments, results and exceptions pass unchanged; what a hook did is told afterwards.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from hookspan.adapters.langgraph.middleware import Hook, wrapper_hook
from hookspan.model.clock import now
from hookspan.spans.guard import shielded

Wrapper = Callable[..., Any]
TOOL = "wrap_tool_call"
MODEL = "wrap_model_call"


@dataclass(slots=True, eq=False)
class Seen:
    """One execution of a wrapping hook. `request` is what it was given."""

    hook: Hook
    request: Any
    began: int = field(default_factory=now)
    calls: int = 0
    """How often it called its handler."""
    inside_ns: int = 0
    """Time spent in the handler: not the hook's own."""
    passed_on: Any = None
    """What its handler was given last."""
    answer: Any = None
    """What its handler returned last."""
    raised_inside: BaseException | None = None


class Watcher(Protocol):
    def wants(self, hook: Hook) -> bool:
        """Whether executions of `hook` are worth watching."""
        ...

    def wrapped(self, seen: Seen, result: object, error: BaseException | None) -> None:
        """A hook returned `result`, or raised `error`."""
        ...


@dataclass(slots=True)
class Active:
    """Agents outlive an installation: their hooks tell whoever listens now, or nobody."""

    watcher: Watcher | None = None


active = Active()


def watching(event: str, *, asynchronous: bool) -> Callable[[Wrapper], Wrapper]:
    """A wrapper for one of langchain's composers of wrapping hooks."""
    watch = _watch_async if asynchronous else _watch

    def wrapper(compose: Wrapper) -> Wrapper:
        @functools.wraps(compose)
        def composing(hooks: Sequence[Wrapper], *args: Any, **kwargs: Any) -> Any:
            watched: Sequence[Wrapper] = hooks
            with shielded("watching a middleware"):
                watched = [_watched(one, event, watch) for one in hooks]
            return compose(watched, *args, **kwargs)

        return composing

    return wrapper


def _watched(function: Wrapper, event: str, watch: Callable[[Wrapper, Hook], Wrapper]) -> Wrapper:
    hook = wrapper_hook(function, event)
    return watch(function, hook) if active.watcher is not None and active.watcher.wants(hook) else function


def _watch(function: Wrapper, hook: Hook) -> Wrapper:
    @functools.wraps(function)
    def watched(request: Any, handler: Callable[..., Any]) -> Any:
        seen = Seen(hook, request)

        def run(inner: Any) -> Any:
            began = _enter(seen, inner)
            try:
                seen.answer = handler(inner)
            except BaseException as error:
                seen.raised_inside = error
                raise
            finally:
                seen.inside_ns += time.perf_counter_ns() - began
            return seen.answer

        try:
            result = function(request, run)
        except BaseException as error:
            _tell(seen, None, error)
            raise
        _tell(seen, result, None)
        return result

    return watched


def _watch_async(function: Wrapper, hook: Hook) -> Wrapper:
    @functools.wraps(function)
    async def watched(request: Any, handler: Callable[..., Any]) -> Any:
        seen = Seen(hook, request)

        async def run(inner: Any) -> Any:
            began = _enter(seen, inner)
            try:
                seen.answer = await handler(inner)
            except BaseException as error:
                seen.raised_inside = error
                raise
            finally:
                seen.inside_ns += time.perf_counter_ns() - began
            return seen.answer

        try:
            result = await function(request, run)
        except BaseException as error:
            _tell(seen, None, error)
            raise
        _tell(seen, result, None)
        return result

    return watched


def _enter(seen: Seen, inner: Any) -> int:
    seen.calls += 1
    seen.passed_on, seen.answer, seen.raised_inside = inner, None, None
    return time.perf_counter_ns()


def _tell(seen: Seen, result: object, error: BaseException | None) -> None:
    watcher = active.watcher
    if watcher is None:
        return
    with shielded("noting what a middleware did"):
        watcher.wrapped(seen, result, error)
