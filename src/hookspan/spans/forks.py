"""What an object has to do around a fork, for as long as it lives: Python offers no way to take such a wish back."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def around(
    owner: T,
    *,
    child: Callable[[T], None],
    before: Callable[[T], None] | None = None,
    parent: Callable[[T], None] | None = None,
) -> None:
    """Calls `before(owner)` in the process that forks, then `parent(owner)` there and `child(owner)` in the new one."""
    reference = weakref.ref(owner)

    def alive(what: Callable[[T], None]) -> Callable[[], None]:
        def told() -> None:
            found = reference()
            if found is not None:
                what(found)

        return told

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(
            before=alive(before) if before is not None else _nothing,
            after_in_parent=alive(parent) if parent is not None else _nothing,
            after_in_child=alive(child),
        )


def _nothing() -> None:
    return None
