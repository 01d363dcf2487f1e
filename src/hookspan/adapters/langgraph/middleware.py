"""What middleware of `create_agent` did: hooks that changed something, and calls it answered in a tool's place."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, cast

from langchain.agents.middleware.types import AgentMiddleware

from hookspan.spans.guard import shielded

HOOKS = ("before_agent", "before_model", "after_model", "after_agent")
_OF_THE_FRAMEWORK = ("langchain.", "deepagents.", "langgraph.")
_LIMITS = {"ModelCallLimitMiddleware": "max_turns", "ToolCallLimitMiddleware": "max_turns"}

ShortCircuit = Callable[[str, str], None]
"""Told the call id and the name of the middleware that answered the call without running the tool."""
Wrapper = Callable[..., Any]


def hook_of(node: str) -> tuple[str, str] | None:
    """A node's middleware name and hook, where the node is one (`create_agent` names it `{middleware}.{hook}`)."""
    owner, dot, hook = node.rpartition(".")
    return (owner, hook) if dot and hook in HOOKS else None


def is_limit(owner: str) -> bool:
    """Whether the middleware ends an agent because it made enough calls."""
    return owner.partition("[")[0] in _LIMITS


class Ownership:
    """Whether a middleware is the framework's own, by its name: callbacks tell no more of it."""

    def __init__(self) -> None:
        self._known: dict[str, bool] = {}

    def framework(self, owner: str) -> bool:
        known = self._known.get(owner)
        if known is None:
            known = self._known[owner] = any(
                kind.__module__.startswith(_OF_THE_FRAMEWORK)
                for kind in _subclasses(AgentMiddleware)
                if kind.__name__ == owner.partition("[")[0]
            )
            if len(self._known) > 1000:
                self._known.clear()
        return known


def observing(short_circuited: ShortCircuit) -> tuple[Callable[[Wrapper], Wrapper], Callable[[Wrapper], Wrapper]]:
    """Wrappers for langchain's two composers of `wrap_tool_call` hooks (sync, async): each hook is watched for whether
    it calls its handler. Arguments, results and exceptions pass unchanged."""

    def composer(watch: Callable[[Wrapper, ShortCircuit], Wrapper]) -> Callable[[Wrapper], Wrapper]:
        def wrapper(original: Wrapper) -> Wrapper:
            @functools.wraps(original)
            def compose(wrappers: Sequence[Wrapper]) -> Wrapper | None:
                watched: Sequence[Wrapper] = wrappers
                with shielded("watching wrap_tool_call"):
                    watched = [watch(one, short_circuited) for one in wrappers]
                return original(watched)

            return compose

        return wrapper

    return composer(_watch), composer(_watch_async)


def _watch(hook: Wrapper, short_circuited: ShortCircuit) -> Wrapper:
    owner = owner_of(hook)

    @functools.wraps(hook)
    def watched(request: Any, handler: Callable[[Any], Any]) -> Any:
        ran = False

        def run(inner: Any) -> Any:
            nonlocal ran
            ran = True
            return handler(inner)

        result = hook(request, run)
        if not ran:
            _tell(request, owner, short_circuited)
        return result

    return watched


def _watch_async(hook: Wrapper, short_circuited: ShortCircuit) -> Wrapper:
    owner = owner_of(hook)

    @functools.wraps(hook)
    async def watched(request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        ran = False

        async def run(inner: Any) -> Any:
            nonlocal ran
            ran = True
            return await handler(inner)

        result = await hook(request, run)
        if not ran:
            _tell(request, owner, short_circuited)
        return result

    return watched


def owner_of(hook: Wrapper) -> str:
    """`{Middleware}.{hook}` of a bound method; the qualified name of anything else."""
    unwrapped = inspect.unwrap(hook)
    owner = cast("object", getattr(unwrapped, "__self__", None))
    name = cast("str", getattr(unwrapped, "__name__", type(unwrapped).__name__))
    if isinstance(owner, AgentMiddleware):
        return f"{owner.name}.{name.removeprefix('a')}" if name == "awrap_tool_call" else f"{owner.name}.{name}"
    return cast("str", getattr(unwrapped, "__qualname__", name))


def _tell(request: Any, owner: str, short_circuited: ShortCircuit) -> None:
    with shielded("noting a refusal"):
        call = request.tool_call["id"]
        if call:
            short_circuited(str(call), owner)


def _subclasses(kind: type[Any]) -> Iterable[type[Any]]:
    for sub in kind.__subclasses__():
        yield sub
        yield from _subclasses(sub)
