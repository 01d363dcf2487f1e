"""Whose a middleware hook is, by the names that `create_agent` gives its nodes and wrappers."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

HOOKS = ("before_agent", "before_model", "after_model", "after_agent")
HUMAN = "HumanInTheLoopMiddleware"
_FRAMEWORKS = ("langchain.", "deepagents.", "langgraph.", "langgraph_supervisor.", "langgraph_swarm.")
_LIMITS = frozenset({"ModelCallLimitMiddleware", "ToolCallLimitMiddleware"})


@dataclass(frozen=True, slots=True)
class Hook:
    """One hook of one middleware: `Guard` and `wrap_tool_call`. `instance` is the middleware, None where it is not known."""

    owner: str
    event: str
    instance: object

    @property
    def name(self) -> str:
        return f"{self.owner}.{self.event}"

    @property
    def is_limit(self) -> bool:
        """Whether it holds calls back because there were enough."""
        return self.owner.partition("[")[0] in _LIMITS

    @property
    def asks_people(self) -> bool:
        return self.owner == HUMAN

    @property
    def of_framework(self) -> bool:
        return of_framework(type(self.instance))


def node_hook(node: str, instance: object) -> Hook | None:
    """The hook that a node is, where it is one (`create_agent` names it `{middleware}.{hook}`)."""
    owner, dot, event = node.rpartition(".")
    return Hook(owner, event, instance) if dot and event in HOOKS else None


def wrapper_hook(function: Callable[..., Any], event: str) -> Hook:
    """The hook that a wrapper is: a middleware's bound method, or any other callable by its qualified name."""
    plain = inspect.unwrap(function)
    instance: object = getattr(plain, "__self__", None)
    named: object = getattr(instance, "name", None)
    return Hook(str(named or getattr(plain, "__qualname__", type(plain).__name__)), event, instance)


def of_framework(kind: type[object]) -> bool:
    """Whether a class is the framework's own. What its decorators make of a user's function says so too, but cannot be
    found where it says."""
    module = kind.__module__
    return module.startswith(_FRAMEWORKS) and getattr(sys.modules.get(module), kind.__name__, None) is kind
