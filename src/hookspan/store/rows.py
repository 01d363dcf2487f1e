"""Records as rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import orjson

from hookspan.spans import names as n
from hookspan.spans.record import AttributeValue, Record, SpanEvent, SpanLink
from hookspan.store.schema import ENDED, RUNNING, UNFINISHED

Row = tuple[object, ...]

_REFUSED = frozenset({"denied", "expired", "skipped"})


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A record as it was when it was told of: made on the program's thread, so it copies and does nothing else."""

    trace_id: int
    span_id: int
    parent_id: int | None
    run_id: str
    kind: str
    name: str
    client: bool
    start: int
    end: int | None
    unfinished: bool
    error: str | None
    outermost: bool
    attributes: Mapping[str, AttributeValue]
    events: Sequence[SpanEvent]
    links: Sequence[SpanLink]

    @property
    def state(self) -> int:
        return RUNNING if self.end is None else UNFINISHED if self.unfinished else ENDED


def snapshot(record: Record) -> Snapshot | None:
    if record.ids is None:
        return None
    return Snapshot(
        trace_id=record.ids.trace_id,
        span_id=record.ids.span_id,
        parent_id=record.parent.span_id if record.parent is not None else None,
        run_id=record.run_id,
        kind=record.kind,
        name=record.name,
        client=record.client,
        start=record.start,
        end=record.end,
        unfinished=record.unfinished,
        error=record.error,
        outermost=record.outermost,
        attributes=dict(record.attributes),
        events=tuple(record.events),
        links=tuple(record.links),
    )


SPAN_UPSERT = """
INSERT INTO spans (trace_id, span_id, parent_span_id, run_id, record, name, kind, start_ns, end_ns, state, error, call_id,
                   conversation, interrupt_id, attributes, events, links)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (trace_id, span_id) DO UPDATE SET
    end_ns = excluded.end_ns, state = excluded.state, error = excluded.error, name = excluded.name,
    conversation = excluded.conversation, interrupt_id = excluded.interrupt_id,
    attributes = excluded.attributes, events = excluded.events, links = excluded.links
WHERE excluded.state > spans.state
"""

RUN_UPSERT = """
INSERT INTO runs (run_id, trace_id, span_id, record, name, framework, conversation, user, start_ns, end_ns, state, outcome,
                  stop_reason, error, writer, writer_pid, writer_start)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (run_id) DO UPDATE SET
    end_ns = excluded.end_ns, state = excluded.state, outcome = excluded.outcome, stop_reason = excluded.stop_reason,
    error = excluded.error, conversation = coalesce(excluded.conversation, runs.conversation), user = coalesce(excluded.user, runs.user)
WHERE excluded.state > runs.state
"""

RUN_ADD = """
UPDATE runs SET tools = tools + ?, refused = refused + ?, failed = failed + ?, bytes = bytes + ?,
    input_tokens = CASE WHEN ? IS NULL THEN input_tokens ELSE coalesce(input_tokens, 0) + ? END,
    output_tokens = CASE WHEN ? IS NULL THEN output_tokens ELSE coalesce(output_tokens, 0) + ? END
WHERE run_id = ?
"""


def span_row(shot: Snapshot) -> Row:
    attributes = shot.attributes
    return (
        f"{shot.trace_id:032x}",
        f"{shot.span_id:016x}",
        f"{shot.parent_id:016x}" if shot.parent_id is not None else None,
        shot.run_id,
        shot.kind,
        shot.name,
        "CLIENT" if shot.client else "INTERNAL",
        shot.start,
        shot.end,
        shot.state,
        shot.error,
        attributes.get(n.TOOL_CALL_ID),
        attributes.get(n.CONVERSATION_ID),
        attributes.get(n.INTERRUPT_ID),
        _json(attributes),
        _json([{"name": event.name, "time_ns": event.at, "attributes": event.attributes} for event in shot.events]),
        _json(
            [
                {
                    "trace_id": f"{link.ids.trace_id:032x}",
                    "span_id": f"{link.ids.span_id:016x}",
                    "attributes": link.attributes,
                }
                for link in shot.links
            ]
        ),
    )


def run_row(shot: Snapshot, writer_pid: int, writer_start: str) -> Row:
    """The roll-up row of the run whose first record `shot` is."""
    attributes = shot.attributes
    name = attributes.get(n.AGENT_NAME) or attributes.get(n.WORKFLOW_NAME) or attributes.get(n.TOOL_NAME) or shot.name
    outcome = attributes.get(n.RUN_OUTCOME)
    if outcome is None and shot.end is not None:
        outcome = "error" if shot.error is not None else "completed"
    return (
        shot.run_id,
        f"{shot.trace_id:032x}",
        f"{shot.span_id:016x}",
        shot.kind,
        name,
        attributes.get(n.FRAMEWORK),
        attributes.get(n.CONVERSATION_ID),
        attributes.get(n.USER_ID),
        shot.start,
        shot.end,
        shot.state,
        outcome,
        attributes.get(n.STOP_REASON),
        shot.error,
        attributes.get(n.WRITER_ID, ""),
        writer_pid,
        writer_start,
    )


def run_additions(shot: Snapshot, size: int) -> Row:
    """What an ended record adds to its run's totals: tokens come from model calls alone, so each counts once."""
    attributes = shot.attributes
    is_tool = shot.kind == n.TOOL
    outcome = attributes.get(n.TOOL_OUTCOME)
    executed = attributes.get(n.TOOL_EXECUTED) is True
    tokens = [attributes.get(name) if shot.kind == n.CHAT else None for name in (n.INPUT_TOKENS, n.OUTPUT_TOKENS)]
    return (
        int(is_tool and executed),
        int(is_tool and outcome in _REFUSED),
        int(shot.error is not None),
        size,
        tokens[0],
        tokens[0],
        tokens[1],
        tokens[1],
        shot.run_id,
    )


def _json(value: object) -> str:
    return orjson.dumps(value, default=str, option=orjson.OPT_NON_STR_KEYS).decode()
