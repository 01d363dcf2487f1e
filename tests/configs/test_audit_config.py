"""The audit configuration, read: what it must hold that no run of it shows. `tests/stack` runs it."""

from __future__ import annotations

import re

import pytest

from hookspan.spans import names as n
from tests.configs.configs import CONFIG, read, strings
from tests.configs.corpora import HARMLESS, PLANTED

NAMES = {value for key, value in vars(n).items() if key.isupper() and isinstance(value, str)}
RECORDS = {n.WORKFLOW, n.AGENT, n.CHAT, n.TOOL, n.HOOK, n.HOOK_COMMAND, n.HOOK_CALLBACK, n.APPROVAL, n.PAUSE, n.COMPACT}
OWN = {"hookspan.name", "hookspan.message", "hookspan.tool.start.call_id", "hookspan.tool.end.call_id"}
"""What the configuration itself puts down for a moment, and the call ids of two events (each event has keys of its own)."""
MADE_HERE = {
    *("hookspan.runs", "hookspan.turns", "hookspan.tool.calls", "hookspan.tokens", "hookspan.records", "hookspan.records.declared"),
    *(
        "hookspan.duration",
        "hookspan.handoffs",
        "hookspan.redacted",
        "hookspan.redacted.events",
        "hookspan.calls",
        "hookspan.cost.usd",
        "hookspan.cost.source",
    ),
}
"""Names of the metrics that it makes, and of two attributes that stand in the vocabulary and in no adapter yet."""
FREE_TEXT = {
    *(n.CONVERSATION_ID, n.AGENT_NAME, n.WORKFLOW_NAME, n.REQUEST_MODEL, n.RESPONSE_MODEL, n.INPUT_MESSAGES, n.OUTPUT_MESSAGES),
    *(n.TOOL_NAME, n.TOOL_ARGUMENTS, n.TOOL_RESULT, n.ERROR_TYPE, n.USER_ID, n.EXECUTABLE_NAME, n.STOP_BY, n.DECISION_BY),
    *(n.DECISION_REASON, n.DECISION_SUBJECT, n.HANDOFF_FROM, n.HANDOFF_TO, n.HANDOFF_MESSAGE, n.INTERRUPT_VALUE, n.HOOK_NAME),
    *(n.HOOK_MATCHER, n.HOOK_COMMAND_LINE),
}
"""Attributes into which somebody else can put a text."""

AUDIT = read("audit.yaml")
REDACTION = AUDIT["processors"]["redaction"]
PATTERNS = [re.compile(pattern.replace(r"\z", r"\Z")) for pattern in REDACTION["blocked_values"]]


def masked(text: str) -> str:
    for pattern in PATTERNS:
        text = pattern.sub("****", text)
    return text


@pytest.mark.parametrize("name", ["audit.yaml", "sampled.yaml"])
def test_every_telemetry_name_is_one_of_hookspan_s(name: str) -> None:
    spelled = {found for text in strings(read(name)) for found in re.findall(r"\b(?:hookspan|gen_ai)\.[a-z_.]*[a-z]", text)}
    assert spelled - NAMES - OWN - MADE_HERE == set()


def test_every_record_that_a_condition_names_exists() -> None:
    for text in strings(AUDIT):
        assert set(re.findall(r'attributes\["hookspan\.record"\] == "(\w+)"', text)) <= RECORDS


def test_no_text_of_others_is_left_unread() -> None:
    ignored = set(REDACTION["ignored_keys"])
    assert not ignored & FREE_TEXT
    assert ignored <= NAMES | OWN


@pytest.mark.parametrize("pattern", [*REDACTION["blocked_values"], *REDACTION["blocked_key_patterns"]])
def test_every_pattern_begins_with_letters_that_must_be_there(pattern: str) -> None:
    assert re.match(r"(?:\\A)?(?:[A-Za-z0-9_ \"'=:/-]|\\\.){2,}", pattern), "else it is tried at every place of every text"


@pytest.mark.parametrize(("text", "secret"), PLANTED)
def test_a_planted_secret_is_masked(text: str, secret: str) -> None:
    assert secret not in masked(text)
    assert secret[-8:] not in masked(text)


@pytest.mark.parametrize("text", HARMLESS, ids=[text[:30] for text in HARMLESS])
def test_what_is_no_secret_stays(text: str) -> None:
    assert masked(text) == text


@pytest.mark.parametrize("text", [text for text, _ in PLANTED])
def test_masking_again_changes_nothing(text: str) -> None:
    assert masked(masked(text)) == masked(text)


KINDS = ("receivers", "processors", "exporters", "connectors", "extensions")
DEPRECATED = {
    *("batch", "otlphttp", "spanmetrics", "signaltometrics", "loadbalancing", "deltatocumulative", "cumulativetodelta"),
    *("prometheusremotewrite", "filelog", "queuebatch"),
}


@pytest.mark.parametrize("name", sorted(path.name for path in CONFIG.glob("*.yaml")))
def test_nothing_deprecated_is_used(name: str) -> None:
    config = read(name)
    used = {key.split("/")[0] for kind in KINDS for key in config.get(kind) or {}}
    assert not used & DEPRECATED
    assert "otlp" not in {key.split("/")[0] for key in config.get("exporters") or {}}, "the exporter is called otlp_grpc"


def test_the_memory_limiter_is_first_in_every_pipeline_that_takes_from_the_network() -> None:
    for pipeline in AUDIT["service"]["pipelines"].values():
        if "otlp" in pipeline["receivers"]:
            assert pipeline["processors"][0] == "memory_limiter"
