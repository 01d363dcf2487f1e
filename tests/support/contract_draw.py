"""A trail drawn for the contract, from wherever it went: the recorder's records, exported spans, rows of the store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.trace import SpanKind, StatusCode

from hookspan.model.ids import RecordKey
from hookspan.spans import names as n
from hookspan.spans.record import Record, SpanEvent, SpanIds, SpanLink
from hookspan.store.reader import StoredSpan
from tests.support.trails import line

_MORE: Mapping[str, Sequence[str]] = {
    n.AGENT: (n.USAGE_INPUT, n.INTERRUPT_ID),
    n.WORKFLOW: (n.USAGE_INPUT,),
    n.CHAT: (n.INPUT_TOKENS,),
    n.TOOL: (n.DECISION_WAIT_S,),
    n.APPROVAL: (n.DECISION_WAIT_S,),
    n.PAUSE: (n.INTERRUPT_ID,),
    n.HOOK: (n.TOOL_CALL_ID, n.HOOK_OUTCOME, n.HOOK_HANDLERS),
    n.HOOK_COMMAND: (n.TOOL_CALL_ID, n.HOOK_NAME, n.HOOK_OUTCOME, n.HOOK_DECIDED, n.EXIT_CODE),
    n.HOOK_CALLBACK: (n.HOOK_DECIDED,),
}
"""What a line shows beside name, outcome, decision and events, by kind of record."""


@dataclass(frozen=True)
class Line:
    """One record of a drawn trail."""

    text: str
    depth: int
    record: Record

    def __str__(self) -> str:
        return "  " * self.depth + self.text


def lines(records: Sequence[Record]) -> Sequence[Line]:
    """Parents before children, siblings in the order they began; span ids in links counted in that order."""
    ordered = sorted(records, key=lambda record: (record.start, record.attributes[n.SEQUENCE]))
    numbers = {_own(record): number for number, record in enumerate(ordered, 1)}

    def below(above: int | None, depth: int) -> list[Line]:
        found: list[Line] = []
        for record in ordered:
            parent = record.parent.span_id if record.parent is not None and record.parent.span_id in numbers else None
            if parent == above:
                told = [SpanLink(SpanIds(1, numbers.get(link.ids.span_id, 0)), link.attributes) for link in record.links]
                drawn = line(_with_links(record, told), *_MORE.get(record.kind, ()))
                found += [Line(f"{record.kind}: {drawn}", depth, record), *below(_own(record), depth + 1)]
        return found

    return below(None, 0)


def drawn(records: Sequence[Record]) -> str:
    return "\n".join(str(one) for one in lines(records))


def of_spans(spans: Sequence[ReadableSpan]) -> Sequence[Record]:
    return [_of_span(span) for span in spans]


def _of_span(span: ReadableSpan) -> Record:
    attributes = _plain(span.attributes)
    assert span.context is not None
    assert span.start_time is not None
    return Record(
        key=RecordKey(""),
        kind=attributes[n.RECORD],
        name=span.name,
        client=span.kind is SpanKind.CLIENT,
        run_id=attributes[n.RUN_ID],
        start=span.start_time,
        attributes=attributes,
        parent=SpanIds(span.parent.trace_id, span.parent.span_id) if span.parent is not None else None,
        ids=SpanIds(span.context.trace_id, span.context.span_id),
        end=span.end_time,
        error=span.status.description if span.status.status_code is StatusCode.ERROR else None,
        events=[SpanEvent(event.name, event.timestamp, _plain(event.attributes)) for event in span.events],
        links=[SpanLink(SpanIds(link.context.trace_id, link.context.span_id), _plain(link.attributes)) for link in span.links],
    )


def _plain(attributes: Mapping[str, Any] | None) -> dict[str, Any]:
    return dict(attributes or {})


def of_rows(rows: Sequence[StoredSpan]) -> Sequence[Record]:
    return [_of_row(row) for row in rows]


def _of_row(row: StoredSpan) -> Record:
    trace = int(row.trace_id, 16)
    return Record(
        key=RecordKey(""),
        kind=row.record,
        name=row.name,
        client=row.kind == "CLIENT",
        run_id=row.run_id,
        start=row.start_ns,
        attributes=row.attributes,
        parent=SpanIds(trace, int(row.parent_span_id, 16)) if row.parent_span_id is not None else None,
        ids=SpanIds(trace, int(row.span_id, 16)),
        end=row.end_ns,
        error=row.error,
        events=[SpanEvent(event.name, event.time_ns, event.attributes) for event in row.events],
        links=[SpanLink(SpanIds(int(link["trace_id"], 16), int(link["span_id"], 16)), link["attributes"]) for link in row.links],
    )


def _own(record: Record) -> int:
    assert record.ids is not None
    return record.ids.span_id


def _with_links(record: Record, links: list[SpanLink]) -> Record:
    return Record(
        key=record.key,
        kind=record.kind,
        name=record.name,
        client=record.client,
        run_id=record.run_id,
        start=record.start,
        attributes=record.attributes,
        end=record.end,
        unfinished=record.unfinished,
        error=record.error,
        events=record.events,
        links=links,
    )
