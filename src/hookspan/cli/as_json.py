"""The trail as JSON: the command line's stable output."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from hookspan.store.reader import StoredRun, StoredSpan


def run_json(run: StoredRun) -> dict[str, Any]:
    """A run's roll-up: the fields of `StoredRun`."""
    return asdict(run)


def show_json(run: StoredRun, spans: Sequence[StoredSpan]) -> dict[str, Any]:
    """`{"trace_id", "run", "spans": [{"name", "kind", "span_id", "parent_span_id", "start_ns", "end_ns", "status",
    "attributes", "events", "links"}]}`: all spans of the run's trace. Ids are lower-case hex, times Unix nanoseconds;
    `end_ns` is null while a span runs, `status` is `{"code": "UNSET" | "ERROR", "description"}`."""
    return {"trace_id": run.trace_id, "run": run_json(run), "spans": [span_json(span) for span in spans]}


def span_json(span: StoredSpan) -> dict[str, Any]:
    return {
        "name": span.name,
        "kind": span.kind,
        "span_id": span.span_id,
        "parent_span_id": span.parent_span_id,
        "start_ns": span.start_ns,
        "end_ns": span.end_ns,
        "status": {"code": "UNSET" if span.error is None else "ERROR", "description": span.error},
        "attributes": span.attributes,
        "events": [asdict(event) for event in span.events],
        "links": list(span.links),
    }
