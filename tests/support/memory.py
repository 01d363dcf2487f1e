"""A trail in memory: records as the recorder tells them, drawn as a tree."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from hookspan.model.clock import now
from hookspan.model.content import ContentMode
from hookspan.spans.pauses import PauseIndex, PausesInMemory
from hookspan.spans.payload import ContentPolicy
from hookspan.spans.record import Record, SpanIds
from hookspan.spans.recorder import Recorder


@dataclass
class CountedIdentity:
    """Deterministic ids: trace 1, 2, … and span 1, 2, …; a record with a parent stays in its trace."""

    _traces: itertools.count[int] = field(default_factory=lambda: itertools.count(1))
    _spans: itertools.count[int] = field(default_factory=lambda: itertools.count(1))
    leaves_machine: bool = False

    def issue(self, record: Record) -> SpanIds:
        trace = record.parent.trace_id if record.parent is not None else next(self._traces)
        return SpanIds(trace, next(self._spans))

    def enter(self, record: Record) -> object:
        return None

    def leave(self, entered: object) -> None:
        return None

    def exported(self, record: Record) -> bool:
        return self.leaves_machine


@dataclass
class MemorySink:
    """Keeps every record: `open` while it runs, `ended` in the order they ended."""

    began: list[Record] = field(default_factory=list[Record])
    open: dict[int, Record] = field(default_factory=dict[int, Record])
    ended: list[Record] = field(default_factory=list[Record])

    def opened(self, record: Record) -> None:
        assert record.ids is not None
        self.began.append(record)
        self.open[record.ids.span_id] = record

    def closed(self, record: Record) -> None:
        assert record.ids is not None
        del self.open[record.ids.span_id]
        self.ended.append(record)

    def flush(self, timeout_s: float) -> bool:
        return True

    def shutdown(self, timeout_s: float) -> None:
        return None

    @property
    def records(self) -> Sequence[Record]:
        """All records in the order they began."""
        return self.began


def memory_recorder(
    *, mode: ContentMode | None = None, clock: Callable[[], int] = now, pauses: PauseIndex | None = None
) -> tuple[Recorder, MemorySink]:
    sink = MemorySink()
    recorder = Recorder(
        identity=CountedIdentity(),
        sinks=[sink],
        policy=ContentPolicy(mode=mode),
        pauses=pauses or PausesInMemory(),
        clock=clock,
        writer="w",
    )
    return recorder, sink


def tree(records: Sequence[Record], *keys: str) -> str:
    """One line a record, indented below its parent: name, then the outcome, the asked-for attributes and the events."""
    ids = {record.ids.span_id for record in records if record.ids is not None}
    below: dict[int | None, list[Record]] = {}
    for record in records:
        above = record.parent.span_id if record.parent is not None and record.parent.span_id in ids else None
        below.setdefault(above, []).append(record)

    def lines(above: int | None, depth: int) -> list[str]:
        drawn: list[str] = []
        for record in below.get(above, []):
            drawn.append("  " * depth + line(record, *keys))
            assert record.ids is not None
            drawn += lines(record.ids.span_id, depth + 1)
        return drawn

    return "\n".join(lines(None, 0))


_SHOWN = (
    "gen_ai.tool.call.id",
    "hookspan.run.outcome",
    "hookspan.stop.reason",
    "hookspan.stop.by",
    "hookspan.tool.outcome",
    "hookspan.tool.executed",
    "hookspan.tool.attempt",
    "hookspan.permission.basis",
    "hookspan.decision.verdict",
    "hookspan.decision.by",
    "hookspan.decision.reason",
    "hookspan.hook.outcome",
    "error.type",
)
_EVENTS_LEFT_OUT = {"hookspan.tool.start", "hookspan.tool.end", "hookspan.stop", "hookspan.usage"}


def line(record: Record, *keys: str) -> str:
    shown = [
        f"{key.removeprefix('hookspan.').removeprefix('gen_ai.')}={record.attributes[key]}"
        for key in (*_SHOWN, *keys)
        if key in record.attributes
    ]
    events = [event.name.removeprefix("hookspan.") for event in record.events if event.name not in _EVENTS_LEFT_OUT]
    state = [] if record.end is not None else ["OPEN"]
    failed = ["ERROR"] if record.error is not None else []
    links = [f"link->{link.ids.span_id}" for link in record.links]
    return " ".join([record.name, *state, *failed, *shown, *(f"[{event}]" for event in events), *links])
