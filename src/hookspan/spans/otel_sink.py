"""Records as live spans of an OpenTelemetry SDK, so that the user's own spans nest below them."""

from __future__ import annotations

import os
import random
import weakref
from collections import OrderedDict
from collections.abc import Mapping
from contextlib import suppress
from contextvars import Token
from dataclasses import dataclass
from typing import Protocol, cast

from opentelemetry import trace
from opentelemetry.context import Context, attach, get_current
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.trace import Link, NonRecordingSpan, Span, SpanContext, SpanKind, Status, StatusCode, Tracer
from opentelemetry.trace import TraceFlags as Flags

from hookspan.spans.record import AttributeValue, Record, SpanIds

MAX_RUNS = 1024
"""Runs whose tracer is remembered for children that come late."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """Where one run's spans go. `tracer` None: nowhere, they only carry the context on."""

    tracer: Tracer | None
    exported: bool
    """Whether spans leave this machine."""


class Tracers(Protocol):
    """Says at the beginning of each run where its spans go, and what surrounds a run that no span surrounds here."""

    def choose(self) -> Chosen: ...

    def surrounding(self) -> Context | None: ...


@dataclass(frozen=True, slots=True)
class _Live:
    span: Span
    start: int
    begun_with: Mapping[str, AttributeValue]
    links: int


class OTelSink:
    """Gives records their ids (`Identity`) and ends their spans (`Sink`)."""

    def __init__(self, tracers: Tracers) -> None:
        self._tracers = tracers
        self._live: dict[int, _Live] = {}
        self._runs: OrderedDict[str, Chosen] = OrderedDict()
        self._before_fork: frozenset[int] = frozenset()
        _forget_in_child(self)

    def issue(self, record: Record) -> SpanIds:
        """Starts the record's span below its parent's, with what is known by now, so that samplers see it."""
        chosen = self._chosen(record)
        context = self._context(record)
        if chosen.tracer is None:
            span: Span = NonRecordingSpan(_carried_on(context))
        else:
            span = chosen.tracer.start_span(
                record.name,
                context=context,
                kind=SpanKind.CLIENT if record.client else SpanKind.INTERNAL,
                attributes=record.attributes,
                links=[Link(_remote(link.ids), link.attributes) for link in record.links],
                start_time=record.start,
            )
        ids = span.get_span_context()
        self._live[ids.span_id] = _Live(span, record.start, dict(record.attributes), len(record.links))
        return SpanIds(ids.trace_id, ids.span_id, ids.trace_flags.sampled)

    def enter(self, record: Record) -> object:
        live = self._live.get(record.ids.span_id) if record.ids is not None else None
        return attach(trace.set_span_in_context(live.span)) if live is not None else None

    def leave(self, entered: object) -> None:
        # not opentelemetry.context.detach: that logs an error when a generator of the user's was closed in another context
        if isinstance(entered, Token):
            with suppress(ValueError):
                cast("Token[Context]", entered).var.reset(cast("Token[Context]", entered))

    def exported(self, record: Record) -> bool:
        chosen = self._runs.get(record.run_id)
        return chosen is not None and chosen.exported

    def opened(self, record: Record) -> None:  # noqa: ARG002 -- Sink's; the span began with its ids
        return None

    def closed(self, record: Record) -> None:
        live = self._live.pop(record.ids.span_id, None) if record.ids is not None else None
        if live is None or not live.span.is_recording():
            return
        span, before = live.span, live.begun_with
        later = {key: value for key, value in record.attributes.items() if before.get(key) is not value}
        if later:
            span.set_attributes(later)
        for event in record.events:
            span.add_event(event.name, event.attributes, event.at)
        for link in record.links[live.links :]:
            span.add_link(_remote(link.ids), link.attributes)
        if record.error is not None:
            span.set_status(Status(StatusCode.ERROR, record.error))
        span.end(record.end)

    def flush(self, timeout_s: float) -> bool:  # noqa: ARG002 -- Sink's; the provider's owner flushes
        return True

    def shutdown(self, timeout_s: float) -> None:  # noqa: ARG002 -- Sink's; nothing to wait for
        self._live.clear()
        self._runs.clear()

    def _chosen(self, record: Record) -> Chosen:
        """A run stays where its first record went, whatever the application sets up meanwhile."""
        chosen = self._runs.get(record.run_id)
        if chosen is None:
            chosen = self._runs[record.run_id] = self._tracers.choose()
            if len(self._runs) > MAX_RUNS:
                self._runs.popitem(last=False)
        return chosen

    def _context(self, record: Record) -> Context:
        here = get_current()
        around = trace.get_current_span(here)
        known = around.get_span_context()
        if record.parent is None or record.outermost:
            if known.is_valid and known.span_id not in self._before_fork:
                # the caller's span: a trace that could be joined gives way to it
                record.parent = None
                return here
            if record.parent is None:
                return self._tracers.surrounding() or Context()
            return trace.set_span_in_context(NonRecordingSpan(_remote(record.parent)), Context())
        live = self._live.get(record.parent.span_id)
        if live is None:
            return trace.set_span_in_context(NonRecordingSpan(_remote(record.parent)), here)
        if self._is_between(around, known, record.parent, live):
            return here
        return trace.set_span_in_context(live.span, here)

    def _is_between(self, around: Span, known: SpanContext, parent: SpanIds, live: _Live) -> bool:
        """Whether a span of the user's, opened inside the parent record, surrounds the new one."""
        return (
            known.trace_id == parent.trace_id
            and known.span_id != parent.span_id
            and known.span_id not in self._live
            and isinstance(around, ReadableSpan)
            and around.is_recording()
            and (around.start_time or 0) >= live.start
        )

    def forget(self) -> None:
        """In a forked child: the parent process ends its spans, and none of ours here is below one of them."""
        self._before_fork = frozenset(self._live)
        self._live = {}


def _carried_on(context: Context) -> SpanContext:
    above = trace.get_current_span(context).get_span_context()
    trace_id = above.trace_id if above.is_valid else random.getrandbits(128) or 1
    span_id = random.getrandbits(64) or 1
    return SpanContext(trace_id, span_id, is_remote=False, trace_flags=Flags(Flags.SAMPLED))


def _remote(ids: SpanIds) -> SpanContext:
    return SpanContext(ids.trace_id, ids.span_id, is_remote=True, trace_flags=Flags(Flags.SAMPLED if ids.sampled else Flags.DEFAULT))


def _forget_in_child(sink: OTelSink) -> None:
    reference = weakref.ref(sink)

    def after() -> None:
        alive = reference()
        if alive is not None:
            alive.forget()

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=after)
