"""Odd content of the user's: read without being called, warned about or waited for, and bounded whatever it is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import cast
from unittest.mock import Mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from hookspan.model.content import ContentMode
from hookspan.spans import describe
from hookspan.spans.payload import ContentPolicy, clean, kept, measured
from hookspan.spans.redact import redactor
from tests.support.programs import environ

many = settings(max_examples=300, deadline=None, derandomize=True)


class Order(BaseModel):
    count: int
    inside: object = None


class OwnDump(BaseModel):
    def model_dump(self) -> dict[str, object]:  # pyright: ignore[reportIncompatibleMethodOverride] -- users write it so
        return {"own": True}


@dataclass
class Place:
    inside: object


class Unreadable:
    def __str__(self) -> str:
        raise ValueError

    __repr__ = __str__


class UnreadableError(Exception):
    def __str__(self) -> str:
        raise ValueError


class UnreadableModel:
    def model_dump(self) -> object:
        raise RuntimeError


class NotAString:
    def __str__(self) -> str:
        return cast("str", 5)


class OwnString(str):
    """Every method that a reader of text would use raises."""

    __slots__ = ()

    def __len__(self) -> int:
        raise ValueError

    def __getitem__(self, key: object) -> str:
        raise ValueError

    def encode(self, encoding: str = "utf-8", errors: str = "strict") -> bytes:
        raise ValueError

    def isascii(self) -> bool:
        raise ValueError


class Unbound:
    """As a proxy outside of its request: even its class cannot be asked for."""

    @property
    def __class__(self) -> type:
        raise RuntimeError

    @__class__.setter
    def __class__(self, value: type) -> None:
        raise RuntimeError


class Nameless(type):
    def __getattribute__(cls, name: str) -> object:
        if name == "__name__":
            raise ValueError
        return super().__getattribute__(name)


class OfNoName(metaclass=Nameless):
    def __str__(self) -> str:
        raise ValueError


class SameHash:
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        raise ValueError

    def __bool__(self) -> bool:
        raise ValueError


class Remote:
    """A proxy that makes up every attribute, and for which each call is a request."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __getattr__(self, name: str) -> object:
        self.asked.append(name)
        return lambda: self.asked.append(f"{name}()")


ODD = [
    Unreadable,
    UnreadableError,
    UnreadableModel,
    NotAString,
    lambda: OwnString("text"),
    SameHash,
    object,
    lambda: Unreadable,
    lambda: 10**5000,
    lambda: float("inf"),
    lambda: 1j,
    lambda: (number for number in (1,)),
    lambda: {1, "a", None},
    lambda: bytearray(b"\xff"),
    lambda: Order.model_construct(count="no number"),
    OwnDump,
    lambda: Place(Place(1)),
]
leaves = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters())
    | st.text(st.characters(categories=["Cs"]), min_size=1, max_size=3)
    | st.binary(max_size=8)
    | st.sampled_from(ODD).map(lambda make: make())
)
keys = st.text(st.characters()) | st.integers() | st.none() | st.tuples(st.integers()) | st.binary(max_size=4) | st.builds(SameHash)
odd = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(keys, inner, max_size=4)
        | st.tuples(inner, inner)
        | inner.map(Place)
        | inner.map(lambda value: Order.model_construct(count=1, inside=value))
        | st.builds(lambda kind, value: {"type": kind, "data": value}, st.sampled_from(["image", "file", "text"]), inner)
    ),
    max_leaves=10,
)


@many
@given(odd, st.integers(0, 60), st.booleans())
def test_whatever_it_is_what_is_kept_is_valid_text_within_its_limit(value: object, most: int, masked: bool) -> None:
    payload = kept(value, ContentPolicy(max_bytes=most, redact=redactor() if masked else None))
    assert payload.text is not None
    assert type(payload.text) is str
    assert len(payload.text.encode("utf-8", "strict")) <= most
    assert payload.size >= 0


@many
@given(odd)
def test_whatever_it_is_what_is_kept_whole_is_json_that_anybody_can_read(value: object) -> None:
    text = kept(value, ContentPolicy(max_bytes=10**6)).text
    assert text is not None
    if type(value) not in {str, OwnString}:
        json.loads(text)


@many
@given(odd)
def test_the_size_is_that_of_the_whole_text_in_every_mode(value: object) -> None:
    sizes: set[object] = set()
    for mode in ContentMode:
        described: describe.Described = {}
        describe.content(described, "text", "size", value, mode, ContentPolicy(max_bytes=7))
        sizes.add(described.get("size"))
    whole = kept(value, ContentPolicy(max_bytes=10**6)).text or ""
    # where nothing is lightened, the size is that of what is kept
    assert sizes == ({None} if value is None else {measured(value)})
    if "of media>" not in whole and "bytes>" not in whole:
        assert measured(value) == len(whole.encode())


# the last two would break hypothesis itself, which asks for names and classes
@pytest.mark.parametrize("make", [*ODD, OfNoName, Unbound], ids=range(len(ODD) + 2))
def test_one_odd_value_costs_nothing_that_is_around_it(make: object) -> None:
    assert callable(make)
    text = kept({"before": 1, "odd": [make()], "after": 2}, ContentPolicy(max_bytes=10**6)).text
    assert text is not None
    read = json.loads(text)
    assert (read["before"], read["after"]) == (1, 2)
    assert len(read["odd"]) == 1


@pytest.mark.parametrize(
    ("text", "size"), [("\ud800", 3), ("a\udfffb", 5), ("\ud83d\ude00", 4), ("ü\ud800", 5), ("", 0), ("é😀", 6), ("a\u0301", 3)]
)
def test_a_string_s_size_is_that_of_the_valid_text_it_becomes(text: str, size: int) -> None:
    assert measured(text) == size == len(clean(text).encode())
    assert kept(text, ContentPolicy(max_bytes=size)).cut is False


@pytest.mark.parametrize("character", ["ü", "世", "😀", "e\u0301", "\ud800"])
@pytest.mark.parametrize("most", range(12))
def test_a_cut_never_splits_a_character_and_names_the_original_size(character: str, most: int) -> None:
    described: describe.Described = {}
    describe.content(described, "text", "size", character * 20, ContentMode.TOOLS, ContentPolicy(max_bytes=most))
    text, whole = described["text"], clean(character * 20)
    assert isinstance(text, str)
    assert whole.startswith(text)
    assert len(text.encode()) <= most < len((text + whole[len(text)]).encode())
    assert described["hookspan.content.truncated"] == [f"text={len(whole.encode())}"]


def test_a_model_that_holds_what_it_does_not_declare_warns_nobody() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert kept(Order.model_construct(count="two"), ContentPolicy()).text == '{"count":"two","inside":null}'
        assert kept([OwnDump()], ContentPolicy()).text == '[{"own":true}]'


def test_what_makes_up_attributes_is_not_called() -> None:
    remote, mock = Remote(), Mock()
    kept({"service": remote, "double": mock}, ContentPolicy())
    measured([remote, mock])
    assert remote.asked == []
    assert mock.mock_calls == []


HANGS = {
    "a list that holds itself many times": "value = []; value.extend([value] * 200)",
    "children that know their parent": "value = {'children': []}; value['children'] = [{'n': n, 'up': value} for n in range(20_000)]",
    "media that hold themselves": "value = {'type': 'image'}; value['parts'] = [value] * 10_000",
    "the same list on every level": "value = ['x']\nfor _ in range(6): value = [value] * 10",
    "a list as deep as can be": "value = []\nfor _ in range(100_000): value = [value]",
    "a dict as deep as can be": "value = {}\nfor _ in range(100_000): value = {'a': value}",
    "a million numbers": "value = list(range(1_000_000))",
    "a million odd ones": "value = [1j] * 1_000_000",
    "a million huge ones": "value = [2**70] * 1_000_000",
}


@pytest.mark.parametrize("built", HANGS.values(), ids=HANGS)
def test_what_is_endless_or_huge_is_written_before_anybody_gives_up_waiting(built: str, tmp_path: Path) -> None:
    program = f"""
from hookspan.spans.payload import ContentPolicy, kept, measured
{built}
print(len(kept(value, ContentPolicy(max_bytes=100)).text) <= 100, measured(value) > 0, flush=True)
import os; os._exit(0)  # taking such values apart again is not ours to wait for
"""
    done = subprocess.run(
        [sys.executable, "-c", program], env=environ({}, tmp_path), capture_output=True, text=True, timeout=20, check=False
    )
    assert done.stdout == f"True True{os.linesep}", done.stderr[-500:]
