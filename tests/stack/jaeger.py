"""A trace as Jaeger's query API gives it, in the trail's own terms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.stack.services import fetch

# What Jaeger adds to the attributes that were sent.
ADDED = {"otel.scope.name", "otel.scope.version", "otel.status_code", "otel.status_description", "span.kind", "error", "w3c.tracestate"}


@dataclass(frozen=True)
class Stored:
    """One span. Ids are hexadecimal; `events` holds names; `links` pairs of (trace id, span id)."""

    name: str
    trace_id: str
    span_id: str
    parent_span_id: str | None
    start_us: int
    attributes: dict[str, Any]
    events: tuple[str, ...]
    links: tuple[tuple[str, str], ...]
    error: bool


def traces(address: str, service: str) -> list[list[Stored]]:
    """All traces of a service, the oldest first, the spans of each by their start."""
    answer = fetch(f"http://{address}/api/traces?service={service}&lookback=1h&limit=100")
    found = [[_stored(span) for span in trace["spans"]] for trace in answer["data"] or []]
    return sorted((sorted(trace, key=_begin) for trace in found), key=lambda trace: trace[0].start_us)


def drawn(trace: list[Stored], *keys: str) -> str:
    """The tree, one line a span: name, the asked-for attributes, `ERROR` if it failed, the events in brackets."""
    ids = {span.span_id for span in trace}

    def lines(above: str | None, depth: int) -> list[str]:
        below = [span for span in trace if (span.parent_span_id if span.parent_span_id in ids else None) == above]
        return [text for span in below for text in ("  " * depth + _line(span, *keys), *lines(span.span_id, depth + 1))]

    return "\n".join(lines(None, 0))


def _line(span: Stored, *keys: str) -> str:
    shown = [f"{_short(key)}={span.attributes[key]}" for key in keys if key in span.attributes]
    return " ".join([span.name, *(["ERROR"] if span.error else []), *shown, *(f"[{_short(event)}]" for event in span.events)])


def _short(name: str) -> str:
    return name.removeprefix("hookspan.").removeprefix("gen_ai.")


def _begin(span: Stored) -> tuple[int, int]:
    return span.start_us, int(span.attributes.get("hookspan.sequence", 0))


def _stored(span: dict[str, Any]) -> Stored:
    tags = {tag["key"]: tag["value"] for tag in span["tags"]}
    # A parent that is linked to as well (a resumed run below the paused one) comes as one reference, FOLLOWS_FROM.
    near = sorted((ref for ref in span["references"] if ref["traceID"] == span["traceID"]), key=lambda ref: ref["refType"])
    links = [(ref["traceID"], ref["spanID"]) for ref in span["references"] if ref["refType"] == "FOLLOWS_FROM"]
    events = [field["value"] for log in span["logs"] for field in log["fields"] if field["key"] == "event"]
    return Stored(
        name=span["operationName"],
        trace_id=span["traceID"],
        span_id=span["spanID"],
        parent_span_id=near[0]["spanID"] if near else None,
        start_us=span["startTime"],
        attributes={key: value for key, value in tags.items() if key not in ADDED},
        events=tuple(events),
        links=tuple(links),
        error=tags.get("otel.status_code") == "ERROR",
    )
