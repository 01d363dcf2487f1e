"""The one error policy: a fault of ours costs telemetry, never the user's program."""

from __future__ import annotations

import functools
import logging
import os
from collections.abc import Callable
from types import TracebackType
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

log = logging.getLogger("hookspan")

failures: dict[str, int] = {}
"""How often each kind of fault of ours was swallowed; tests assert that it stays empty."""

reraise = os.environ.get("_HOOKSPAN_TEST_RERAISE") == "1"
"""Set by our own tests only: under somebody else's pytest the promise still holds."""


def guarded(fn: Callable[P, R]) -> Callable[P, R | None]:
    """`fn`, but an `Exception` of ours is swallowed and logged once per kind; None is returned instead.

    `CancelledError`, `GeneratorExit`, `KeyboardInterrupt` and `SystemExit` pass through untouched.
    """

    @functools.wraps(fn)
    def call(*args: P.args, **kwargs: P.kwargs) -> R | None:
        try:
            return fn(*args, **kwargs)
        except Exception as error:
            note(fn.__qualname__, error)
            if reraise:
                raise
            return None

    return call


class shielded:  # noqa: N801 -- used as a with-statement's word, like contextlib.suppress
    """`with shielded("what"):` the same policy for a block."""

    __slots__ = ("_where",)

    def __init__(self, where: str) -> None:
        self._where = where

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> bool:
        if not isinstance(error, Exception):
            return False
        note(self._where, error)
        return not reraise


def caught(where: str, error: Exception) -> None:
    """The policy for an `except Exception` of a hot path, where `shielded` would cost more than what it shields."""
    note(where, error)
    if reraise:
        raise error


def note(where: str, error: Exception) -> None:
    """Counts a fault, and logs the first of its kind."""
    kind = f"{where}: {type(error).__name__}"
    count = failures.get(kind, 0) + 1
    failures[kind] = count
    if count == 1:
        try:
            log.warning("hookspan: %s failed; your program goes on, with less telemetry", where, exc_info=error)
        except Exception:  # noqa: BLE001 -- a log handler of the user's that raises must not reach the agent either
            return
