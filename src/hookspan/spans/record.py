"""A record: one span of the trail while the recorder still holds it, and the form a sink gets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from hookspan.model.ids import RecordKey

AttributeValue = str | bool | int | float | Sequence[str]
Attributes = Mapping[str, AttributeValue]


@dataclass(frozen=True, slots=True)
class SpanIds:
    """A span's identity: 128-bit trace id, 64-bit span id, and whether the backend's sampler keeps it."""

    trace_id: int
    span_id: int
    sampled: bool = True


@dataclass(frozen=True, slots=True)
class SpanEvent:
    name: str
    at: int
    attributes: Attributes


@dataclass(frozen=True, slots=True)
class SpanLink:
    ids: SpanIds
    attributes: Attributes


@dataclass(slots=True, eq=False)
class Record:
    """`end` is None while it runs. `error` is the status description of a real failure; an outcome that is none
    (denied, paused, handed over, cancelled) leaves it None."""

    key: RecordKey
    kind: str
    name: str
    client: bool
    run_id: str
    start: int
    attributes: dict[str, AttributeValue]
    parent: SpanIds | None = None
    ids: SpanIds | None = None
    end: int | None = None
    unfinished: bool = False
    error: str | None = None
    events: list[SpanEvent] = field(default_factory=list[SpanEvent])
    links: list[SpanLink] = field(default_factory=list[SpanLink])
    outermost: bool = False
    """The run's first record: its parent, if any, is not ours."""


class Sink(Protocol):
    """Takes records. Called outside the recorder's lock, from any thread; `opened` always before `closed`."""

    def opened(self, record: Record) -> None: ...

    def closed(self, record: Record) -> None: ...

    def flush(self, timeout_s: float) -> bool:
        """True when all that was taken is delivered within the time."""
        ...

    def shutdown(self, timeout_s: float) -> None: ...


class Identity(Protocol):
    """Gives a record its ids before any sink sees it, and enters it as the current span."""

    def issue(self, record: Record) -> SpanIds:
        """Called once, when the record begins; `record.parent` is the parent's ids, or None for an outermost one."""
        ...

    def enter(self, record: Record) -> object:
        """Makes the record's span OpenTelemetry's current one; returns what `leave` needs."""
        ...

    def leave(self, entered: object) -> None: ...

    def exported(self, record: Record) -> bool:
        """Whether the record's run leaves this machine."""
        ...
