"""Ids of ours and span contexts of OpenTelemetry, each made from the other."""

from __future__ import annotations

import os

from opentelemetry.trace import INVALID_SPAN_ID, INVALID_TRACE_ID, Link, SpanContext, TraceFlags, TraceState

from hookspan.spans.record import SpanIds, SpanLink


def random_id(size: int) -> int:
    """A random id of `size` bytes, not 0: from the system, since a program may seed `random`, and forked children share
    its state."""
    return int.from_bytes(os.urandom(size), "big") or 1


def remote_span(traceparent: str | None, tracestate: str | None) -> SpanContext | None:
    """The span that a valid W3C `traceparent` names; None for any other text."""
    parts = (traceparent or "").strip().split("-")
    try:
        trace_id, span_id, flags = int(parts[1], 16), int(parts[2], 16), int(parts[3][:2], 16)
    except (IndexError, ValueError):
        return None
    if trace_id == INVALID_TRACE_ID or span_id == INVALID_SPAN_ID or trace_id >> 128 or span_id >> 64:
        return None
    return SpanContext(
        trace_id,
        span_id,
        is_remote=True,
        trace_flags=TraceFlags(flags & TraceFlags.SAMPLED),
        trace_state=TraceState.from_header([tracestate]) if tracestate else None,
    )


def link_of(link: SpanLink) -> Link:
    return Link(context_of(link.ids), link.attributes)


def ids_of(about: SpanContext) -> SpanIds:
    return SpanIds(about.trace_id, about.span_id, about.trace_flags.sampled)


def context_of(ids: SpanIds) -> SpanContext:
    flags = TraceFlags(TraceFlags.SAMPLED if ids.sampled else TraceFlags.DEFAULT)
    return SpanContext(ids.trace_id, ids.span_id, is_remote=False, trace_flags=flags)
