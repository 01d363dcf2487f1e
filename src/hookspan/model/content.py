"""Messages and media as every framework's are told to the recorder, and what of them may be kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class ContentMode(StrEnum):
    """What of the content is recorded; ids, names, outcomes, decisions and sizes always are."""

    NONE = "none"
    TOOLS = "tools"
    """Tool arguments and results, hook commands, subjects of decisions."""
    FULL = "full"
    """Messages too."""


class HookCallbacks(StrEnum):
    """Which executions of hooks in the agent's own process get a record."""

    CHANGED = "changed"
    """Those of the user's and third parties' hooks that decided or changed something, raised, or were slow."""
    ALL = "all"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class Text:
    content: str


@dataclass(frozen=True, slots=True)
class CallPart:
    """A tool call that the model proposes."""

    id: str | None
    name: str
    arguments: object


@dataclass(frozen=True, slots=True)
class ResultPart:
    """What a tool call answered."""

    id: str | None
    result: object


@dataclass(frozen=True, slots=True)
class Media:
    """Image, audio, file: told by type and size, never kept."""

    media_type: str
    size_bytes: int


Part = Text | CallPart | ResultPart | Media


@dataclass(frozen=True, slots=True)
class Message:
    role: str
    """system, user, assistant or tool."""
    parts: Sequence[Part]
    finish_reason: str | None = None
