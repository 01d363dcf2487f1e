"""Content as it is kept: whatever its type, bounded, redacted, and never the reason that a record is lost."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from hookspan.model.content import CallPart, ContentMode, Media, Message, ResultPart, Text
from hookspan.spans.messages import messages_json
from hookspan.spans.payload import ContentPolicy, Payload, kept, measured
from hookspan.spans.redact import MASK, redactor

POLICY = ContentPolicy(redact=redactor())


class Order(BaseModel):
    item: str
    count: int


@dataclass
class Place:
    name: str
    inside: object = None


class Unreadable:
    def __str__(self) -> str:
        raise ValueError


class UnreadableModel:
    def model_dump(self) -> object:
        raise ValueError


class ItsOwnDump:
    def model_dump(self) -> object:
        return self


class ClosedDict(dict[object, object]):
    def get(self, key: object, default: object = None, /) -> object:
        raise ValueError

    def items(self) -> Iterator[tuple[object, object]]:  # pyright: ignore[reportIncompatibleMethodOverride] -- as broken as users' may be
        raise ValueError


def a_cycle() -> object:
    cycle: dict[str, object] = {"n": 1}
    cycle["self"] = cycle
    return cycle


def deep(levels: int) -> object:
    value: object = "bottom"
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("as it is", "as it is"),
        ("", ""),
        ('{"already": "json"}', '{"already": "json"}'),
        (None, "null"),
        (True, "true"),
        (1.5, "1.5"),
        (float("nan"), "null"),
        (2**70, '"1180591620717411303424"'),
        ({"b": [1, None], "a": "ü"}, '{"b":[1,null],"a":"ü"}'),
        ((1, (2,)), "[1,[2]]"),
        ({3, 1, 2}, "[1,2,3]"),
        ({1: "a", None: "b", (1, 2): "c"}, '{"1":"a","None":"b","(1, 2)":"c"}'),
        (b"\xff\x00", '"<2 bytes>"'),
        ([memoryview(b"abc")], '["<3 bytes>"]'),
        (datetime(2026, 1, 2, tzinfo=UTC), '"2026-01-02T00:00:00+00:00"'),
        (Decimal("1.10"), '"1.10"'),
        (Path("/a/b"), '"/a/b"'),
        (Order(item="tea", count=2), '{"item":"tea","count":2}'),
        (Place("x", Order(item="tea", count=2)), '{"name":"x","inside":{"item":"tea","count":2}}'),
        ({"kind": Order}, f'{{"kind":"{Order!s}"}}'),
        ("a\ud800b", "a\ufffdb"),
        ({"k\ud800": "\ud800"}, '{"k\ufffd":"\ufffd"}'),
        (a_cycle(), '{"n":1,"self":"<cycle>"}'),
        (Unreadable(), '"<Unreadable>"'),
        ({"a": UnreadableModel()}, '{"a":"<UnreadableModel>"}'),
        (ItsOwnDump(), '"<cycle>"'),
        (ClosedDict({"a": 1}), '{"a":1}'),
        (ClosedDict({"a": 2**70}), '"<ClosedDict>"'),
        # only what cannot be read is lost, not what is around it
        ({"a": ClosedDict({"b": 2**70}), "c": 2**70}, '{"a":"<ClosedDict>","c":"1180591620717411303424"}'),
        # a JSON schema, where `type` is no string
        ({"type": ["string", "null"], "enum": ["image"]}, '{"type":["string","null"],"enum":["image"]}'),
    ],
    # an address in a name would be another in each worker
    ids=lambda value: type(value).__name__ if " at 0x" in repr(value) else repr(value)[:40],
)
def test_a_string_stays_as_it_is_and_anything_else_is_json(value: object, text: str) -> None:
    payload = kept(value, POLICY)
    assert payload == Payload(text, measured(value))
    assert text.encode("utf-8", "strict") == text.encode()


@pytest.mark.parametrize("value", ["grüße", "x" * 99_999, {"a": [1, 2, "ü"]}, list(range(9_999)), {"a": b"x" * 10}])
def test_the_size_is_the_whole_in_bytes_however_much_is_kept(value: object) -> None:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=lambda _: "<10 bytes>")
    assert measured(value) == len(text.encode())
    for most in (0, 10, 10**6):
        assert kept(value, ContentPolicy(max_bytes=most)).size == len(text.encode())


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.text(), st.integers(0, 40))
def test_what_is_kept_is_a_whole_beginning_of_at_most_so_many_bytes(text: str, most: int) -> None:
    payload = kept(text, ContentPolicy(max_bytes=most))
    assert payload.text is not None
    assert text.startswith(payload.text)
    assert len(payload.text.encode()) <= most
    # as much as fits: the next character would not
    rest = text[len(payload.text) :]
    assert payload.cut == bool(rest)
    assert rest == "" or len((payload.text + rest[0]).encode()) > most


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()) | st.binary(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text() | st.integers() | st.none(), inner, max_size=4) | st.tuples(inner)
    ),
    max_leaves=12,
)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(anything)
def test_any_plain_value_is_json_that_can_be_read(value: object) -> None:
    payload = kept(value, ContentPolicy(max_bytes=10**6))
    assert payload.text is not None
    assert not payload.cut
    if not isinstance(value, str):
        json.loads(payload.text)


@pytest.mark.parametrize("value", [deep(5_000), {str(n): [n] for n in range(30_000)} | {"huge": 2**70}, [a_cycle() for _ in range(30_000)]])
def test_what_is_deep_wide_or_endless_is_written_in_bounds(value: object) -> None:
    payload = kept(value, ContentPolicy(max_bytes=100))
    assert payload.text is not None
    assert len(payload.text) <= 100
    # the slow way stops after so many values, and says so where it stopped
    assert "<cut>" in (kept(value, ContentPolicy(max_bytes=10**7)).text or "")


@pytest.mark.parametrize(
    ("block", "text"),
    [
        ({"type": "image", "data": "A" * 1000}, '{"type":"image","data":"<1000 characters of media>"}'),
        ({"type": "image_url", "image_url": {"url": "B" * 1000}}, '{"type":"image_url","image_url":{"url":"<1000 characters of media>"}}'),
        ({"type": "file", "name": "a.pdf", "data": b"C" * 9}, '{"type":"file","name":"a.pdf","data":"<9 bytes>"}'),
        (
            {"type": "video", "parts": ["D" * 600, ("E" * 513,)]},
            '{"type":"video","parts":["<600 characters of media>",["<513 characters of media>"]]}',
        ),
    ],
)
def test_media_is_told_by_type_and_size_and_the_text_beside_it_stays(block: Mapping[str, object], text: str) -> None:
    value = [{"type": "text", "text": "look"}, {"content": [block]}]
    payload = kept(value, POLICY)
    assert payload.text == f'[{{"type":"text","text":"look"}},{{"content":[{text}]}}]'
    assert payload.size == measured(value)


def test_messages_are_json_of_the_convention_without_media() -> None:
    messages = [
        Message("user", [Text("pay, password=hunter22"), Media("image/png", 12_345)]),
        Message("assistant", [CallPart("c1", "pay", {"n": 1})], finish_reason="tool_call"),
        Message("tool", [ResultPart("c1", {"ok": True})]),
    ]
    payload = messages_json(messages, POLICY)
    assert payload.text is not None
    assert json.loads(payload.text) == [
        {
            "role": "user",
            "parts": [
                {"type": "text", "content": f"pay, password={MASK}"},
                {"type": "blob", "mime_type": "image/png", "size_bytes": 12_345},
            ],
        },
        {
            "role": "assistant",
            "parts": [{"type": "tool_call", "id": "c1", "name": "pay", "arguments": {"n": 1}}],
            "finish_reason": "tool_call",
        },
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "result": {"ok": True}}]},
    ]


@pytest.mark.parametrize(
    ("mode", "exported", "in_force"),
    [
        (None, False, ContentMode.TOOLS),
        (None, True, ContentMode.NONE),
        (ContentMode.FULL, True, ContentMode.FULL),
        (ContentMode.NONE, False, ContentMode.NONE),
    ],
)
def test_content_stays_out_of_what_leaves_the_machine_unless_it_is_asked_for(
    mode: ContentMode | None, exported: bool, in_force: ContentMode
) -> None:
    assert ContentPolicy(mode=mode).in_force(exported=exported) is in_force
