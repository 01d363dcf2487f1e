"""How large a span is on the wire, and a span that the encoder refuses made into one that it takes.

The official exporters count spans, not bytes, and lose the whole batch when one span cannot be encoded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import cast

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.trace import Link, Status
from opentelemetry.util.types import AnyValue

from hookspan.spans import names as n

MAX_REQUEST_BYTES = 4 * 1024 * 1024
"""What a gRPC server takes unless it is told otherwise."""
REQUEST_ROOM = MAX_REQUEST_BYTES - 64 * 1024
"""For spans in one request; the rest is for resource, scope and framing."""

_SPAN_BYTES = 192
_PART_BYTES = 64
_ENTRY_BYTES = 24
"""Upper bounds of what surrounds a span, an event or a link, and an attribute or element: tags, lengths, numbers."""
_MAX_DEPTH = 32


def size_of(span: ReadableSpan) -> int:
    """At least as many bytes as the span's protobuf form has.

    Raises `TypeError`, `ValueError` (a text that is no Unicode) or `OverflowError` for what cannot be encoded.
    """
    size = _SPAN_BYTES + _text(span.name) + _pairs(span.attributes, 0)
    for event in span.events:
        size += _PART_BYTES + _text(event.name) + _pairs(event.attributes, 0)
    for link in span.links:
        size += _PART_BYTES + _pairs(link.attributes, 0)
    if span.status.description:
        size += _text(span.status.description)
    if span.context is not None and span.context.trace_state:
        size += _PART_BYTES * len(span.context.trace_state)
        size += sum(len(key) + len(value) for key, value in span.context.trace_state.items())
    return size


def resource_size(resource: Resource) -> int:
    """As `size_of`, for what all spans of one program share."""
    return _PART_BYTES + _pairs(resource.attributes, 0)


def fitting(span: ReadableSpan) -> tuple[ReadableSpan, int]:
    """The span, or what can be sent of it, with its size: what cannot be encoded is told as text, and texts are cut
    when the span alone is too large for a request."""
    try:
        size = size_of(span) + resource_size(span.resource)
    except (TypeError, ValueError, OverflowError):
        span = _rebuilt(span, _encodable)
        size = size_of(span) + resource_size(span.resource)
    longest = 1024 * 1024
    while size > REQUEST_ROOM and longest >= 256:
        span = _shortened(span, longest)
        size = size_of(span) + resource_size(span.resource)
        longest //= 4
    return span, size


def _text(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())


def _pairs(pairs: Mapping[str, AnyValue] | None, depth: int) -> int:
    if not pairs:
        return 0
    size = 0
    for key, value in pairs.items():
        size += _ENTRY_BYTES + _text(key) + (_text(value) if type(value) is str else _value(value, depth))
    return size


def _value(value: object, depth: int) -> int:
    if value is None or isinstance(value, bool | float):
        return 0
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise OverflowError
        return 0
    if isinstance(value, bytes):
        return len(value)
    if depth >= _MAX_DEPTH:
        raise ValueError
    if isinstance(value, Mapping):
        return _pairs(cast("Mapping[str, AnyValue]", value), depth + 1)
    if isinstance(value, Sequence):
        return sum(_ENTRY_BYTES + _value(each, depth + 1) for each in cast("Sequence[object]", value))
    raise TypeError


def _encodable(value: object, depth: int = 0) -> AnyValue:  # noqa: PLR0911 -- one line a kind of value
    """`value` as the encoder takes it."""
    if value is None or isinstance(value, bool | float | bytes):
        return value
    if isinstance(value, int):
        return value if -(2**63) <= value < 2**63 else str(value)
    if isinstance(value, str):
        return _clean(value)
    if depth >= _MAX_DEPTH:
        return "<cut>"
    if isinstance(value, Mapping):
        pairs = cast("Mapping[object, object]", value).items()
        return {_clean(str(key)): _encodable(each, depth + 1) for key, each in pairs}
    if isinstance(value, Sequence):
        return [_encodable(each, depth + 1) for each in cast("Sequence[object]", value)]
    try:
        return _clean(str(value))
    except Exception:  # noqa: BLE001 -- an object of the user's whose __str__ raises is named, not lost
        return f"<{type(value).__name__}>"


def _clean(text: str) -> str:
    """Half a surrogate pair becomes U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _shortened(span: ReadableSpan, longest: int) -> ReadableSpan:
    cut: list[str] = []

    def shorter(value: object, depth: int = 0) -> AnyValue:
        if isinstance(value, str | bytes):
            return value[:longest]
        if isinstance(value, Mapping):
            return {key: shorter(each, depth + 1) for key, each in cast("Mapping[str, object]", value).items()}
        if isinstance(value, Sequence):
            return [shorter(each, depth + 1) for each in cast("Sequence[object]", value)][: longest // 16]
        return cast("AnyValue", value)

    said = (span.attributes or {}).get(n.TRUNCATED)
    named = [str(each) for each in said] if isinstance(said, Sequence) and not isinstance(said, str | bytes) else []
    for name, value in (span.attributes or {}).items():
        size = _value(value, 0)
        if size > longest and not any(each.startswith(f"{name}=") for each in named):
            cut.append(f"{name}={size}")
    short = _rebuilt(span, shorter)
    if not cut:
        return short
    attributes: dict[str, AnyValue] = {**(short.attributes or {}), n.TRUNCATED: [*named, *cut]}
    return _with(short, attributes)


def _rebuilt(span: ReadableSpan, convert: Callable[[object], AnyValue]) -> ReadableSpan:
    def pairs(mapping: Mapping[str, AnyValue] | None) -> dict[str, AnyValue]:
        return {_clean(str(key)): convert(value) for key, value in (mapping or {}).items()}

    return _with(
        span,
        pairs(span.attributes),
        name=str(convert(str(span.name))),
        resource=Resource(pairs(span.resource.attributes), span.resource.schema_url),
        events=[Event(str(convert(event.name)), pairs(event.attributes), event.timestamp) for event in span.events],
        links=[Link(link.context, pairs(link.attributes)) for link in span.links],
        status=_status(span.status, convert),
    )


def _status(status: Status, convert: Callable[[object], AnyValue]) -> Status:
    return Status(status.status_code, str(convert(status.description))) if status.description else status


def _with(
    span: ReadableSpan,
    attributes: Mapping[str, AnyValue],
    *,
    name: str | None = None,
    resource: Resource | None = None,
    events: Sequence[Event] | None = None,
    links: Sequence[Link] | None = None,
    status: Status | None = None,
) -> ReadableSpan:
    return ReadableSpan(
        name=name if name is not None else span.name,
        context=span.context,
        parent=span.parent,
        resource=resource if resource is not None else span.resource,
        attributes=attributes,
        events=events if events is not None else span.events,
        links=links if links is not None else span.links,
        kind=span.kind,
        status=status if status is not None else span.status,
        start_time=span.start_time,
        end_time=span.end_time,
        instrumentation_scope=span.instrumentation_scope,
    )
