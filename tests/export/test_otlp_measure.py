"""Sizes of spans beside what the official encoder really makes of them."""

from __future__ import annotations

import logging
import math
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import Link, SpanContext, Status, StatusCode, TraceFlags, TraceState

from hookspan.export.otlp_measure import REQUEST_ROOM, fitting, resource_size, size_of

steady = settings(deadline=None, max_examples=60, derandomize=True)
pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module")
"""The SDK draws span ids with it, in threads of other tests that may still be at work."""

KEYS = st.text(min_size=1, max_size=40)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats()
    | st.binary(max_size=200)
    | st.text(max_size=200)
    | st.text("é漢😀", max_size=200)
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=5) | st.dictionaries(KEYS, inner, max_size=5), max_leaves=20
)
ATTRIBUTES = st.dictionaries(KEYS, VALUES, max_size=12)
ODD = (
    st.text(st.characters(categories=["Cs", "L"]), max_size=30)
    | st.integers(2**63, 2**70)
    | st.sampled_from([math.nan, 2**70, -(2**70), b"\xff", "\ud83e", uuid4(), {1, 2}, {"\udc00": "\ud83e"}, ["ok", "\ud83e", 2**80]])
)


def context(span_id: int = 7, state: str = "") -> SpanContext:
    return SpanContext(2**127, span_id, is_remote=True, trace_flags=TraceFlags(1), trace_state=TraceState.from_header([state]))


def span(name: str = "s", attributes: Any = None, events: Any = (), resource: Any = None, message: str | None = None) -> ReadableSpan:
    return ReadableSpan(
        name=name,
        context=context(2**63, "vendor=value"),
        parent=context(2**62),
        resource=Resource(resource if resource is not None else {"service.name": "x"}),
        attributes=attributes or {},
        events=[Event(event, attributes, 2**60) for event, attributes in events],
        links=[Link(context(9), {"k": "v"})],
        status=Status(StatusCode.ERROR, message) if message else Status(),
        start_time=2**60,
        end_time=2**60 + 5,
        instrumentation_scope=InstrumentationScope("hookspan", "1"),
    )


def wire(given: ReadableSpan) -> int:
    return encode_spans([given]).ByteSize()


@steady
@given(name=st.text(max_size=50), attributes=ATTRIBUTES, events=st.lists(st.tuples(st.text(max_size=30), ATTRIBUTES), max_size=4))
def test_the_size_is_never_below_the_encoded_one_and_close_to_it(name: str, attributes: Any, events: Any) -> None:
    one = span(name, attributes, events, message="failed")
    size = size_of(one) + resource_size(one.resource)
    entries = size_of(span()) + 400 + 64 * 200 * 5
    assert wire(one) - 32 <= size <= 2 * wire(one) + entries


@steady
@given(
    name=st.text(max_size=20) | st.just("agent \ud83e"),
    attributes=st.dictionaries(KEYS | st.just("k\ud83e"), VALUES | ODD, max_size=8),
    events=st.lists(st.tuples(st.just("e\udc00") | KEYS, st.dictionaries(KEYS, ODD, max_size=4)), max_size=2),
    resource=st.dictionaries(KEYS, ODD, max_size=2),
)
def test_whatever_a_span_holds_can_be_sent_and_the_encoder_logs_nothing(name: str, attributes: Any, events: Any, resource: Any) -> None:
    said: list[str] = []

    class Listening(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            said.append(record.getMessage())

    handler = Listening()
    odd = span(name, attributes, events, resource, message="half \ud83e")
    sent, size = fitting(odd)
    logging.getLogger().addHandler(handler)
    try:
        encoded = encode_spans([sent])
    finally:
        logging.getLogger().removeHandler(handler)
    assert said == []
    assert encoded.ByteSize() - 32 <= size
    (only,) = encoded.resource_spans[0].scope_spans[0].spans
    assert len(only.attributes) == len({key.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for key in attributes})
    assert only.status.message in ("half �", "half \ud83e")


def test_half_an_emoji_becomes_the_replacement_character_and_the_rest_stays() -> None:
    sent, _ = fitting(span("agent \ud83e", {"text": "a\ud83eb", "big": 2**70, "fine": "é"}))
    assert sent.name == "agent �"
    assert dict(sent.attributes or {}) == {"text": "a�b", "big": str(2**70), "fine": "é"}


def test_a_span_that_nothing_is_wrong_with_is_sent_as_it_is() -> None:
    one = span(attributes={"a": "b"})
    assert fitting(one)[0] is one


@pytest.mark.parametrize("text", ["x" * 8_000_000, "漢" * 3_000_000])
def test_a_span_too_large_for_any_request_is_cut_and_says_so(text: str) -> None:
    one = span(attributes={"big": text, "hookspan.record": "tool"}, events=[("e", {"also": text})])
    sent, size = fitting(one)
    assert size <= REQUEST_ROOM
    assert wire(sent) <= REQUEST_ROOM
    attributes = dict(sent.attributes or {})
    assert attributes["hookspan.record"] == "tool"
    assert str(attributes["big"]).startswith(text[:1000])
    assert attributes["hookspan.content.truncated"] == [f"big={len(text.encode())}"]
    assert sent.events[0].name == "e"


def test_thousands_of_small_values_are_cut_too() -> None:
    one = span(attributes={"many": ["x" * 100] * 60_000})
    sent, size = fitting(one)
    assert wire(sent) <= size <= REQUEST_ROOM
