"""Who the person is that acts in this context."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

_user: ContextVar[str | None] = ContextVar("hookspan_user", default=None)


@contextmanager
def acting_as(user: str) -> Generator[None]:
    """Names the person on whose behalf agents run inside the block: `user.id` of their runs, and `hookspan.decision.by`
    of the decisions that person takes. Nests; the outer name is back afterwards."""
    token = _user.set(user)
    try:
        yield
    finally:
        _user.reset(token)


def acting_user() -> str | None:
    """The person named by the innermost `acting_as`, or None."""
    return _user.get()
