"""How a setting's text becomes a value: each parser raises `ValueError` for what it does not take."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

E = TypeVar("E", bound=StrEnum)

_YES = frozenset({"true", "1", "yes", "on"})
_NO = frozenset({"false", "0", "no", "off"})
SWITCH = "true, false"


def switch(text: str) -> bool:
    """true, 1, yes, on; false, 0, no, off; in any case."""
    word = text.strip().lower()
    if word not in _YES | _NO:
        raise ValueError(text)
    return word in _YES


def otel_switch(text: str) -> bool:
    """OpenTelemetry's booleans: `true` in any case is true, anything else is false."""
    return text.strip().lower() == "true"


def choice(kind: type[E]) -> Callable[[str], E]:
    """One of an enumeration's values, in any case."""

    def parse(text: str) -> E:
        return kind(text.strip().lower())

    return parse


def one_of(*words: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        word = text.strip().lower()
        if word not in words:
            raise ValueError(text)
        return word

    return parse


def names(text: str) -> tuple[str, ...]:
    """Words between commas, lower case, each once."""
    words = (word.strip().lower() for word in text.split(","))
    return tuple(dict.fromkeys(word for word in words if word))


def names_of(known: Iterable[str]) -> Callable[[str], tuple[str, ...]]:
    """Words between commas, all of them among `known`."""
    allowed = frozenset(known)

    def parse(text: str) -> tuple[str, ...]:
        words = names(text)
        if not allowed.issuperset(words):
            raise ValueError(text)
        return words

    return parse


def whole(low: int, high: int) -> Callable[[str], int]:
    """A whole number from `low` to `high`."""

    def parse(text: str) -> int:
        number = int(text.strip())
        if not low <= number <= high:
            raise ValueError(text)
        return number

    return parse


def seconds(low: float, high: float) -> Callable[[str], float]:
    """A number of seconds from `low` to `high`."""

    def parse(text: str) -> float:
        number = float(text.strip())
        if not low <= number <= high:  # NaN is in no interval
            raise ValueError(text)
        return number

    return parse


def folder(text: str) -> Path:
    """An absolute path; a leading `~` is the home folder."""
    try:
        path = Path(text.strip()).expanduser()
    except RuntimeError as error:
        raise ValueError(text) from error
    if not path.is_absolute() or "\0" in text:
        raise ValueError(text)
    return path


def redaction(text: str) -> tuple[str, ...] | None:
    """`on` is the empty tuple, `off` is None, anything else is a regular expression beside the built-in ones.

    One that matches the empty string is refused: it would mask every position of every text.
    """
    word = text.strip().lower()
    if word in ("on", "off"):
        return () if word == "on" else None
    try:
        # the redactor joins its patterns the same way: a flag that stands for the whole pattern fails there
        compiled = re.compile(f"(?:{text})")
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(text) from error
    if compiled.match("") is not None:
        raise ValueError(text)
    return (text,)
