"""The trail read back: runs and their spans, as values."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import orjson

from hookspan.store import processes
from hookspan.store.schema import RUNNING, open_for_reading

Attributes = dict[str, Any]


@dataclass(frozen=True, slots=True)
class StoredRun:
    """One run's roll-up. Times in Unix nanoseconds; tokens None when no model call told any."""

    run_id: str
    trace_id: str
    name: str
    framework: str | None
    conversation: str | None
    user: str | None
    start_ns: int
    end_ns: int | None
    outcome: str
    """As recorded; `running` while its process lives, `unfinished` when that ended without a word."""
    stop_reason: str | None
    tools: int
    refused: int
    failed: int
    input_tokens: int | None
    output_tokens: int | None


@dataclass(frozen=True, slots=True)
class StoredEvent:
    name: str
    time_ns: int
    attributes: Attributes


@dataclass(frozen=True, slots=True)
class StoredSpan:
    trace_id: str
    span_id: str
    parent_span_id: str | None
    run_id: str
    record: str
    name: str
    kind: str
    start_ns: int
    end_ns: int | None
    error: str | None
    attributes: Attributes
    events: Sequence[StoredEvent]
    links: Sequence[dict[str, Any]]


class Trail:
    """The store at `path`, opened for reading. Raises what `schema.open_for_reading` raises."""

    def __init__(self, path: Path) -> None:
        self._connection = open_for_reading(path)

    def close(self) -> None:
        self._connection.close()

    def runs(
        self, *, limit: int = 20, conversation: str | None = None, outcome: str | None = None, since_ns: int | None = None
    ) -> Sequence[StoredRun]:
        """The newest first."""
        where, values = ["start_ns >= ?"], cast("list[object]", [since_ns or 0])
        if conversation is not None:
            where.append("conversation = ?")
            values.append(conversation)
        query = f"SELECT * FROM runs WHERE {' AND '.join(where)} ORDER BY start_ns DESC"  # noqa: S608 -- the conditions are ours, the values bound
        found: list[StoredRun] = []
        with closing(self._connection.execute(query, values)) as rows:
            for row in rows:
                run = _run(row)
                if outcome is None or run.outcome == outcome:
                    found.append(run)
                if len(found) >= limit:
                    break
        return found

    def find(self, named: str) -> Sequence[StoredRun]:
        """The runs that `named` means, the newest first: `latest`, a run id, a trace id, a conversation, or the
        beginning of one of the ids."""
        if named == "latest":
            return self.runs(limit=1)
        exact = self._runs("run_id = ? OR trace_id = ? OR conversation = ?", (named, named, named))
        if exact or len(named) < 4:
            return exact
        pattern = named.replace("*", "").replace("?", "").replace("[", "") + "*"
        return self._runs("run_id GLOB ? OR trace_id GLOB ? OR conversation GLOB ?", (pattern, pattern, pattern))

    def tombstone(self, run_id: str) -> Attributes | None:
        """What stayed of a run that was removed to keep the store's size."""
        row = self._connection.execute("SELECT * FROM tombstones WHERE run_id = ? OR trace_id = ?", (run_id, run_id)).fetchone()
        return dict(row) if row is not None else None

    def spans(self, trace_id: str) -> Sequence[StoredSpan]:
        """A trace's spans in the order they began."""
        return self._spans("trace_id = ?", (trace_id,))

    def call(self, call_id: str) -> Sequence[StoredSpan]:
        """All that names a tool call: its attempts, approvals, pauses and hooks, in the order they began."""
        return self._spans("call_id = ?", (call_id,))

    def calls_like(self, beginning: str, limit: int = 5) -> Sequence[str]:
        rows = self._connection.execute(
            "SELECT DISTINCT call_id FROM spans WHERE call_id >= ? AND call_id < ? LIMIT ?", (beginning, beginning + "\U0010ffff", limit)
        )
        return [str(row[0]) for row in rows]

    def count(self) -> tuple[int, int, int]:
        """How many runs, spans and tombstones the store holds."""
        one = self._connection.execute(
            "SELECT (SELECT count(*) FROM runs), (SELECT count(*) FROM spans), (SELECT count(*) FROM tombstones)"
        ).fetchone()
        return int(one[0]), int(one[1]), int(one[2])

    def _runs(self, where: str, values: Sequence[object]) -> Sequence[StoredRun]:
        query = f"SELECT * FROM runs WHERE {where} ORDER BY start_ns DESC LIMIT 200"  # noqa: S608 -- the condition is ours, the values bound
        return [_run(row) for row in self._connection.execute(query, values)]

    def _spans(self, where: str, values: Sequence[object]) -> Sequence[StoredSpan]:
        query = f"SELECT * FROM spans WHERE {where} ORDER BY start_ns, json_extract(attributes, '$.\"hookspan.sequence\"')"  # noqa: S608 -- as above
        return [_span(row) for row in self._connection.execute(query, values)]


@contextmanager
def opened(path: Path) -> Generator[Trail]:
    trail = Trail(path)
    try:
        yield trail
    finally:
        trail.close()


def _run(row: sqlite3.Row) -> StoredRun:
    if row["state"] == RUNNING:
        outcome = "running" if processes.alive(row["writer_pid"], row["writer_start"]) else "unfinished"
    else:
        outcome = row["outcome"] or "unfinished"
    return StoredRun(
        run_id=row["run_id"],
        trace_id=row["trace_id"],
        name=row["name"],
        framework=row["framework"],
        conversation=row["conversation"],
        user=row["user"],
        start_ns=row["start_ns"],
        end_ns=row["end_ns"],
        outcome=outcome,
        stop_reason=row["stop_reason"],
        tools=row["tools"],
        refused=row["refused"],
        failed=row["failed"],
        input_tokens=row["input_tokens"],
        output_tokens=row["output_tokens"],
    )


def _span(row: sqlite3.Row) -> StoredSpan:
    return StoredSpan(
        trace_id=row["trace_id"],
        span_id=row["span_id"],
        parent_span_id=row["parent_span_id"],
        run_id=row["run_id"],
        record=row["record"],
        name=row["name"],
        kind=row["kind"],
        start_ns=row["start_ns"],
        end_ns=row["end_ns"],
        error=row["error"],
        attributes=orjson.loads(row["attributes"]),
        events=[StoredEvent(**event) for event in orjson.loads(row["events"])],
        links=orjson.loads(row["links"]),
    )
