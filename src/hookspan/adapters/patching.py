"""Replacing attributes of a framework's modules and classes, and putting the identical originals back."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any, cast

Original = Callable[..., Any]


class HookPointMissing(LookupError):  # noqa: N818 -- says what is missing, reads as a sentence where it is raised
    """The installed framework lacks an attribute that the adapter patches; `args[0]` names it."""


def _bound(original: Original) -> Original:
    """A method that somebody else has wrapped before us, called as an attribute would be: a wrapper object that is
    called with the instance as its first argument takes it for one of the method's own."""
    if type(original) is FunctionType:  # isinstance says so of wrapt's proxies too
        return original

    @functools.wraps(original)
    def call(instance: object, *args: Any, **kwargs: Any) -> Any:
        return original.__get__(instance, type(instance))(*args, **kwargs)

    return call


@dataclass(slots=True)
class Patches:
    """The attributes that were replaced, undone in reverse order by `undo`."""

    _done: list[tuple[object, str, object, object]] = field(default_factory=list[tuple[object, str, object, object]])

    def wrap(self, owner: object, name: str, wrapper: Callable[[Original], Original]) -> None:
        """Replaces `owner.name` by `wrapper(original)`. Raises `HookPointMissing` when there is no such attribute."""
        original = cast("Original | None", vars(owner).get(name))
        if original is None:
            where = getattr(owner, "__qualname__", None) or getattr(owner, "__name__", owner)
            raise HookPointMissing(f"{where}.{name}")
        replacement = wrapper(_bound(original) if isinstance(owner, type) else original)
        setattr(owner, name, replacement)
        self._done.append((owner, name, original, replacement))

    def undo(self) -> None:
        """Restores every attribute, except one that somebody else has wrapped since: theirs would be lost."""
        while self._done:
            owner, name, original, replacement = self._done.pop()
            if vars(owner).get(name) is replacement:
                setattr(owner, name, original)
