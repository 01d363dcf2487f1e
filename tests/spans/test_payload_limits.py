"""Content at its limits: what is cut, what the redactor sees, and what a cut may not leave of a secret."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from hookspan.model.content import ContentMode
from hookspan.model.facts import RunEnded, RunKind, RunOutcome, RunStarted, ToolEnded, ToolOutcome, ToolStarted
from hookspan.model.ids import RecordKey
from hookspan.spans import guard
from hookspan.spans.pauses import PausesInMemory
from hookspan.spans.payload import ContentPolicy, Payload, bounded, kept, short_text
from hookspan.spans.recorder import Recorder
from hookspan.spans.redact import MASK, redactor
from tests.support.memory import CountedIdentity, MemorySink

JWT = f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ{'aB3dE5fG7h' * 50}.{'aB3dE5fG7h' * 4}"


@pytest.mark.parametrize("length", [1_000, 100_000, 3_000_000])
@pytest.mark.parametrize("unit", ["password=", "eyJa.", "-----BEGIN ", "http://u:", "curl -u a", "token:", 'secret:"', "ü", " "])
def test_a_redactor_sees_bounded_text_however_long_the_content_is(unit: str, length: int) -> None:
    seen: list[int] = []
    real = redactor()

    def counting(text: str) -> str:
        seen.append(len(text))
        return real(text)

    text = (unit * length)[:length]
    for value in (text, {"a": text}):
        kept(value, ContentPolicy(max_bytes=1_000, redact=counting))
    assert len(seen) == 2
    assert max(seen) <= 1_000 + 8_192


@pytest.mark.parametrize("before", range(900, 1_010, 7))
def test_a_secret_that_the_cut_would_split_is_gone_as_a_whole(before: int) -> None:
    text = "." * before + " " + JWT + " and more" * 2_000
    payload = kept(text, ContentPolicy(max_bytes=1_000, redact=redactor()))
    assert payload.text is not None
    assert "eyJ" not in payload.text
    assert payload.cut


@pytest.mark.parametrize("write", [" ".join, json.dumps, "\n".join, lambda many: json.dumps(many, separators=(",", ":"))])
@pytest.mark.parametrize("shift", range(0, len(JWT), 29))
def test_a_secret_that_the_window_splits_is_gone_however_short_the_mask_makes_what_is_before_it(
    shift: int, write: Callable[[list[str]], str]
) -> None:
    text = "." * shift + " " + write([JWT] * 60)
    payload = kept(text, ContentPolicy(max_bytes=1_000, redact=redactor()))
    assert payload.text is not None
    assert "eyJ" not in payload.text
    assert MASK in payload.text
    assert payload.cut


def test_text_that_masks_make_longer_than_the_limit_is_told_as_cut() -> None:
    text = "password=abcd " * 10
    payload = kept(text, ContentPolicy(max_bytes=len(text), redact=redactor()))
    assert payload.text == ("password=[redacted] " * 10)[: len(text)]
    assert payload.cut


def test_short_text_is_redacted_bounded_and_valid() -> None:
    assert short_text("search") == "search"
    assert short_text("ü" * 200) == "ü" * 128
    assert short_text("a\ud800") == "a\ufffd"
    assert short_text("password=hunter22", 256, redactor()) == f"password={MASK}"
    assert short_text("x" * 10**6, 1024) == "x" * 1024


def failing(text: str) -> str:
    raise RuntimeError


def test_a_redactor_that_raises_drops_the_text_and_is_counted() -> None:
    assert bounded("secret", 6, 100, failing) == Payload(None, 6)
    assert short_text("secret", 100, failing) == ""
    assert guard.failures == {"the redactor: RuntimeError": 2}
    guard.failures.clear()


def test_a_redactor_that_raises_costs_the_content_and_not_the_record() -> None:
    sink = MemorySink()
    policy = ContentPolicy(mode=ContentMode.TOOLS, redact=failing)
    recorder = Recorder(identity=CountedIdentity(), sinks=[sink], policy=policy, pauses=PausesInMemory())
    run, tool = RecordKey("r"), RecordKey("t")
    recorder.record(RunStarted(run=run, key=run, at=1, kind=RunKind.AGENT, name="coder", framework="test"))
    recorder.record(ToolStarted(run=run, key=tool, at=2, parent=run, name="search", framework="test", arguments="secret"))
    recorder.record(ToolEnded(run=run, key=tool, at=3, outcome=ToolOutcome.SUCCESS, result="secret"))
    recorder.record(RunEnded(run=run, key=run, at=4, outcome=RunOutcome.COMPLETED))
    (record,) = [record for record in sink.ended if record.key == tool]
    assert "secret" not in str(record.attributes)
    assert record.attributes["hookspan.tool.arguments_bytes"] == record.attributes["hookspan.tool.result_bytes"] == 6
    assert record.attributes["hookspan.tool.outcome"] == "success"
    guard.failures.clear()
