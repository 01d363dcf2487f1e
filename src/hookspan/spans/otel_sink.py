"""Records as live OpenTelemetry spans: real ids, the real current context, so that a program's own spans nest."""

from __future__ import annotations

import threading
from contextvars import Token
from dataclasses import dataclass
from typing import Any, cast

from opentelemetry import context as otel_context
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import (
    INVALID_SPAN,
    NonRecordingSpan,
    Span,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    TraceFlags,
    set_span_in_context,
)

from hookspan.spans import forks, guard
from hookspan.spans.otel_ids import context_of, ids_of, link_of, random_id
from hookspan.spans.record import AttributeValue, Record, SpanIds
from hookspan.spans.tracers import Route, Tracers, cut

_CLIENT, _INTERNAL = SpanKind.CLIENT, SpanKind.INTERNAL


@dataclass(slots=True, eq=False)
class _Run:
    route: Route
    open: int = 0


@dataclass(slots=True, eq=False)
class _Live:
    """An open record's span, with what it was started with."""

    span: Span
    route: Route
    start: int
    attributes: dict[str, AttributeValue]
    links: int


class OTelSink:
    """`Identity` and `Sink` of the recorder. `remote` is the span in another process that started this program: the
    parent of outermost records where no span is current."""

    def __init__(self, tracers: Tracers, remote: SpanContext | None = None) -> None:
        self._tracers = tracers
        self._remote = remote
        self._live: dict[int, _Live] = {}
        self._runs: dict[str, _Run] = {}
        self._lock = threading.Lock()
        self._inherited: frozenset[int] = frozenset()
        forks.around(self, child=OTelSink.forget)

    @property
    def open_spans(self) -> int:
        return len(self._live)

    @property
    def remembered_runs(self) -> int:
        return len(self._runs)

    def issue(self, record: Record) -> SpanIds:
        above = self._live.get(record.parent.span_id) if record.parent is not None and not record.outermost else None
        if above is not None:
            route, parent = above.route, above.span
            around = trace.get_current_span()
            # without a context the SDK takes the current span: mostly the same one, or the program's own between
            context = None if around is parent or self._is_between(around, above) else set_span_in_context(parent)
        elif record.parent is not None and not record.outermost:
            # its parent has ended already
            run = self._runs.get(record.run_id)
            route = run.route if run is not None else self._tracers.choose()
            parent = NonRecordingSpan(context_of(record.parent))
            context = set_span_in_context(parent)
        else:
            route = self._tracers.choose()
            parent, context = self._callers(record)
        span, about = self._start(record, route, parent, context)
        ids = ids_of(about)
        self._live[ids.span_id] = _Live(span, route, record.start, record.attributes.copy(), len(record.links))
        with self._lock:
            run = self._runs.get(record.run_id)
            if run is None:
                run = self._runs[record.run_id] = _Run(route)
            run.open += 1
        return ids

    def enter(self, record: Record) -> object:
        live = self._live.get(record.ids.span_id) if record.ids is not None else None
        return otel_context.attach(set_span_in_context(live.span)) if live is not None else None

    def leave(self, entered: object) -> None:
        if isinstance(entered, Token):
            token = cast("Token[Any]", entered)
            try:
                # not `detach`: it logs an error where the token is another context's, as when a generator of the
                # user's is closed elsewhere
                token.var.reset(token)
            except (ValueError, RuntimeError):
                return

    def exported(self, record: Record) -> bool:
        run = self._runs.get(record.run_id)
        return run is not None and run.route.leaves_machine

    def opened(self, record: Record) -> None:
        """The span has run since its ids were issued."""

    def closed(self, record: Record) -> None:
        live = self._live.pop(record.ids.span_id, None) if record.ids is not None else None
        if live is None:
            return
        self._release(record.run_id)
        if live.span.is_recording():
            try:
                _complete(live, record)
            finally:
                live.span.end(end_time=record.end)

    def flush(self, timeout_s: float) -> bool:
        return self._tracers.flush(timeout_s)

    def shutdown(self, timeout_s: float) -> None:
        self._tracers.shutdown(timeout_s)

    def forget(self) -> None:
        """In a forked child: the open spans are the parent's to end, and nothing here is below them."""
        inherited = set(self._live)
        current = trace.get_current_span().get_span_context()
        if current.trace_id in {live.span.get_span_context().trace_id for live in self._live.values()}:
            inherited.add(current.span_id)  # a span of the program's below one of ours
        self._inherited = frozenset(inherited)
        self._live = {}
        self._runs = {}
        self._lock = threading.Lock()

    def _is_between(self, around: Span, above: _Live) -> bool:
        """Whether `around`, which is current, is a span that the program itself opened below `above`."""
        about, wanted = around.get_span_context(), above.span.get_span_context()
        return (
            about.trace_id == wanted.trace_id
            and about.span_id not in self._live
            and around.is_recording()
            and (getattr(around, "start_time", None) or 0) >= above.start
        )

    def _callers(self, record: Record) -> tuple[Span, Context | None]:
        """The parent of an outermost record: the caller's span, else the one it goes on from, else the one in the
        process that started this program."""
        ambient = trace.get_current_span()
        about = ambient.get_span_context()
        if about.is_valid and about.span_id not in self._inherited:
            record.parent = ids_of(about)
            return ambient, None
        if record.parent is not None:
            parent = NonRecordingSpan(context_of(record.parent))
            return parent, set_span_in_context(parent)
        if self._remote is not None:
            record.parent = ids_of(self._remote)
            parent = NonRecordingSpan(self._remote)
            return parent, set_span_in_context(parent)
        return INVALID_SPAN, set_span_in_context(INVALID_SPAN) if about.is_valid else None

    def _start(self, record: Record, route: Route, parent: Span, context: Context | None) -> tuple[Span, SpanContext]:
        if route.tracer is not None:
            try:
                span = route.tracer.start_span(
                    record.name,
                    context,
                    _CLIENT if record.client else _INTERNAL,
                    cut(record.attributes, route.longest),
                    [link_of(link) for link in record.links] if record.links else None,
                    record.start,
                )
                about = span.get_span_context()
                # a tracer that is switched off hands back the parent, or nothing valid
                if about.is_valid and about.span_id != parent.get_span_context().span_id:
                    return span, about
            except Exception as error:  # noqa: BLE001 -- a sampler or processor of the program's may raise
                guard.caught("starting a span", error)
        above = parent.get_span_context()
        sampled = above.trace_flags.sampled if above.is_valid else True
        flags = TraceFlags(TraceFlags.SAMPLED if sampled else TraceFlags.DEFAULT)
        trace_id = above.trace_id if above.is_valid else random_id(16)
        about = SpanContext(trace_id, random_id(8), is_remote=False, trace_flags=flags)
        return NonRecordingSpan(about), about

    def _release(self, run_id: str) -> None:
        with self._lock:
            run = self._runs.get(run_id)
            if run is not None:
                run.open -= 1
                if run.open <= 0:
                    del self._runs[run_id]


def _complete(live: _Live, record: Record) -> None:
    span, route = live.span, live.route
    began = live.attributes.get
    later = {name: value for name, value in record.attributes.items() if began(name) is not value}
    if later:
        span.set_attributes(cut(later, route.longest))
    for event in record.events:
        span.add_event(event.name, cut(event.attributes, route.longest_in_event), event.at)
    for link in record.links[live.links :]:
        span.add_link(context_of(link.ids), link.attributes)
    if record.error is not None:
        span.set_status(Status(StatusCode.ERROR, record.error))
