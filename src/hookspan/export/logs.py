"""The logger `hookspan`: where it writes and from which level on."""

from __future__ import annotations

import logging
from typing import TextIO

log = logging.getLogger("hookspan")


class _Fallback(logging.StreamHandler[TextIO]):
    """Writes to stderr for as long as the program has set up no logging of its own."""

    def emit(self, record: logging.LogRecord) -> None:
        if not logging.getLogger().handlers:
            super().emit(record)


def set_level(level: str | None) -> None:
    """`level` None leaves the logger to the program, and to Python's own fallback: warnings go to stderr."""
    if level is None:
        return
    log.setLevel(level.upper())
    if not any(isinstance(handler, _Fallback) for handler in log.handlers):
        log.addHandler(_Fallback())
