"""Facts as span names and attributes: all that was said, nothing that was not, and content by policy only."""

from __future__ import annotations

import hashlib

import pytest

from hookspan.model.content import ContentMode, Message, Text
from hookspan.model.decision import Answered, Denied, Granted, NoReasonGiven, Source, Verdict
from hookspan.model.facts import (
    HandedOff,
    HandlerEnded,
    HandlerStarted,
    HookStarted,
    Interrupted,
    ModelEnded,
    ModelStarted,
    Stop,
    ToolStarted,
)
from hookspan.model.ids import CallId, RecordKey
from hookspan.model.kinds import HookOutcome, InterruptKind, Mechanism, StopReason, ToolOrigin
from hookspan.model.usage import TokenUsage
from hookspan.spans import describe
from hookspan.spans import names as n
from hookspan.spans.payload import ContentPolicy
from hookspan.spans.redact import MASK, redactor

RUN = RecordKey("r")
CALL = CallId("call-1")
OPEN = ContentPolicy(redact=redactor())
SAID = [Message("user", [Text("hello")])]
SECRET = "password=hunter22"
NO_CONTENT = pytest.mark.parametrize("mode", [ContentMode.NONE, ContentMode.TOOLS])


@pytest.mark.parametrize(
    ("operation", "subject", "name"),
    [
        ("chat", "scripted-1", "chat scripted-1"),
        ("chat", None, "chat"),
        ("chat", "", "chat"),
        ("execute_tool", "\ud83e", "execute_tool \ufffd"),
        ("invoke_agent", "ü" * 100, "invoke_agent " + "ü" * 64),
    ],
)
def test_a_span_is_named_after_its_operation_and_its_subject_in_valid_bounded_text(operation: str, subject: str | None, name: str) -> None:
    assert describe.span_name(operation, subject) == name


def test_a_model_call_says_what_was_asked_for() -> None:
    fact = ModelStarted(run=RUN, key=RUN, at=1, model="m-1", provider="anthropic", framework="test", messages=SAID, messages_before=3)
    assert describe.model_started(fact, ContentMode.FULL, OPEN) == {
        n.OPERATION_NAME: "chat",
        n.REQUEST_MODEL: "m-1",
        n.PROVIDER_NAME: "anthropic",
        n.MESSAGES_BEFORE: 3,
        n.INPUT_MESSAGES: '[{"role":"user","parts":[{"type":"text","content":"hello"}]}]',
    }


def test_what_is_unknown_of_a_model_call_is_left_out() -> None:
    started = ModelStarted(run=RUN, key=RUN, at=1, model=None, provider=None, framework="test")
    assert describe.model_started(started, ContentMode.FULL, OPEN) == {n.OPERATION_NAME: "chat"}
    assert describe.model_ended(ModelEnded(run=RUN, key=RUN, at=2), ContentMode.FULL, OPEN) == {}


@NO_CONTENT
def test_messages_are_kept_in_the_full_mode_only(mode: ContentMode) -> None:
    started = ModelStarted(run=RUN, key=RUN, at=1, model="m", provider=None, framework="test", messages=SAID)
    ended = ModelEnded(run=RUN, key=RUN, at=2, messages=SAID)
    assert n.INPUT_MESSAGES not in describe.model_started(started, mode, OPEN)
    assert describe.model_ended(ended, mode, OPEN) == {}
    assert n.OUTPUT_MESSAGES in describe.model_ended(ended, ContentMode.FULL, OPEN)


def test_an_answer_says_its_tokens_zero_included_and_whether_they_are_all() -> None:
    usage = TokenUsage(input=100, output=0, cache_read=60, cache_creation=5, reasoning=7, complete=False)
    fact = ModelEnded(run=RUN, key=RUN, at=2, usage=usage, response_model="m-1-x", response_id="msg-1", finish_reasons=["stop", "tool_use"])
    assert describe.model_ended(fact, ContentMode.NONE, OPEN) == {
        n.RESPONSE_MODEL: "m-1-x",
        n.RESPONSE_ID: "msg-1",
        n.FINISH_REASONS: ["stop", "tool_use"],
        n.INPUT_TOKENS: 100,
        n.OUTPUT_TOKENS: 0,
        n.CACHE_READ_TOKENS: 60,
        n.CACHE_CREATION_TOKENS: 5,
        n.REASONING_TOKENS: 7,
        n.USAGE_COMPLETE: False,
    }


def test_a_run_s_total_stands_under_names_of_its_own() -> None:
    usage = TokenUsage(input=1, output=2, cache_read=3, cache_creation=4, reasoning=5)
    total = describe.usage_total(usage)
    assert total == {n.USAGE_INPUT: 1, n.USAGE_OUTPUT: 2, n.USAGE_CACHE_READ: 3, n.USAGE_CACHE_CREATION: 4, n.USAGE_REASONING: 5}
    assert not total.keys() & describe.model_ended(ModelEnded(run=RUN, key=RUN, at=2, usage=usage), ContentMode.NONE, OPEN).keys()
    assert describe.usage_total(TokenUsage()) == {}


@pytest.mark.parametrize("call", [CALL, None])
def test_a_tool_call_says_which_attempt_it_is_and_its_call_id_where_it_has_one(call: CallId | None) -> None:
    fact = ToolStarted(run=RUN, key=RUN, at=1, name="search", framework="test", call=call, origin=ToolOrigin.MCP)
    assert describe.tool_started(fact, 2) == {
        n.OPERATION_NAME: "execute_tool",
        n.TOOL_NAME: "search",
        n.TOOL_TYPE: "function",
        n.TOOL_ORIGIN: "mcp",
        n.TOOL_EXECUTED: True,
        n.TOOL_ATTEMPT: 2,
        **({n.TOOL_CALL_ID: "call-1"} if call else {}),
    }


@pytest.mark.parametrize("value", ["grüße", {"q": "ü"}, [], 0, False, ""])
def test_a_tool_s_content_has_its_size_in_every_mode_and_its_text_by_policy(value: object) -> None:
    told: dict[ContentMode, describe.Described] = {mode: {} for mode in ContentMode}
    for mode, described in told.items():
        describe.content(described, "text", "size", value, mode, OPEN)
    size = told[ContentMode.NONE]["size"]
    assert told[ContentMode.NONE] == {"size": size}
    assert told[ContentMode.TOOLS] == told[ContentMode.FULL]
    assert len(str(told[ContentMode.TOOLS]["text"]).encode()) == size


def test_no_content_is_none_and_not_the_word_null() -> None:
    described: describe.Described = {}
    describe.content(described, "text", "size", None, ContentMode.FULL, OPEN)
    assert described == {}


def test_each_content_that_is_cut_is_named_with_its_original_size() -> None:
    described: describe.Described = {}
    for name, value in (("a", "x" * 50), ("b", "short"), ("c", "ü" * 50)):
        describe.content(described, name, f"{name}_size", value, ContentMode.TOOLS, ContentPolicy(max_bytes=11))
    assert described == {
        "a": "x" * 11,
        "a_size": 50,
        "b": "short",
        "b_size": 5,
        "c": "ü" * 5,
        "c_size": 100,
        n.TRUNCATED: ["a=50", "c=100"],
    }


def test_a_decision_says_who_why_for_how_long_and_after_what_wait() -> None:
    granted = Granted(source=Source.HUMAN, by="ada", scope="thread", expires_at="2027-01-01", subject="rm *", reason=SECRET, wait_s=2.5)
    described = describe.decision(granted, ContentMode.TOOLS, OPEN, wait_s=9.0)
    assert described == {
        n.DECISION_VERDICT: "allow",
        n.DECISION_SOURCE: "human",
        n.DECISION_BY: "ada",
        n.DECISION_SCOPE: "thread",
        n.DECISION_EXPIRES_AT: "2027-01-01",
        n.DECISION_SUBJECT: "rm *",
        n.DECISION_REASON: f"password={MASK}",
        n.DECISION_WAIT_S: 2.5,
    }
    assert n.DECISION_SUBJECT not in describe.decision(granted, ContentMode.NONE, OPEN)
    waited = describe.decision(Granted(source=Source.HUMAN), ContentMode.NONE, OPEN, wait_s=0.0)
    assert waited[n.DECISION_WAIT_S] == 0.0


@pytest.mark.parametrize("mode", ContentMode)
def test_a_reason_is_told_in_every_mode_bounded_and_without_secrets(mode: ContentMode) -> None:
    denied = Denied(source=Source.GUARD, verdict=Verdict.BLOCK, reason=f"{SECRET} " + "ü" * 500)
    reason = describe.decision(denied, mode, OPEN)[n.DECISION_REASON]
    assert isinstance(reason, str)
    assert reason.startswith(f"password={MASK} ü")
    assert len(reason.encode()) <= 256
    assert describe.decision(Denied(source=Source.GUARD, reason=NoReasonGiven()), mode, OPEN)[n.DECISION_REASON_GIVEN] is False
    assert n.DECISION_REASON not in describe.decision(Answered(source=Source.HUMAN), mode, OPEN)


def test_a_stop_says_who_said_so_and_what_went_on_before_where_that_is_known() -> None:
    assert describe.stop(Stop(StopReason.END_TURN)) == {n.STOP_REASON: "end_turn"}
    stopped = describe.stop(Stop(StopReason.STOP_HOOK, by="enough.sh", continuations=0))
    assert stopped == {n.STOP_REASON: "stop_hook", n.STOP_BY: "enough.sh", n.STOP_CONTINUATIONS: 0}


@pytest.mark.parametrize("mode", ContentMode)
def test_a_handoff_says_from_whom_to_whom_and_its_message_by_policy(mode: ContentMode) -> None:
    fact = HandedOff(run=RUN, key=RUN, at=1, source="a", target="b", mechanism=Mechanism.SWARM, call=CALL, message=SECRET + "x" * 2000)
    described = describe.handoff(fact, mode, OPEN)
    message = described.pop(n.HANDOFF_MESSAGE, None)
    assert described == {n.HANDOFF_FROM: "a", n.HANDOFF_TO: "b", n.HANDOFF_MECHANISM: "swarm", n.HANDOFF_CALL_ID: "call-1"}
    assert message == (None if mode is ContentMode.NONE else f"password={MASK}")


@pytest.mark.parametrize("mode", ContentMode)
def test_a_pause_says_what_it_holds_up_and_what_was_asked_by_policy(mode: ContentMode) -> None:
    fact = Interrupted(
        run=RUN,
        key=RUN,
        at=1,
        interrupt="i1",
        kind=InterruptKind.APPROVAL,
        framework="test",
        calls=(CALL, CallId("call-2")),
        checkpoint="c1",
        value={"ask": SECRET},
    )
    described = describe.interrupt(fact, mode, OPEN)
    asked = described.pop(n.INTERRUPT_VALUE, None)
    assert described == {
        n.INTERRUPT_ID: "i1",
        n.INTERRUPT_KIND: "approval",
        n.INTERRUPT_CALL_IDS: ["call-1", "call-2"],
        n.CHECKPOINT_ID: "c1",
    }
    assert asked == (None if mode is ContentMode.NONE else f'{{"ask":"password={MASK}"}}')


def test_a_hook_says_its_event_and_how_many_handlers_matched() -> None:
    fact = HookStarted(run=RUN, key=RUN, at=1, event="PreToolUse", framework="test", call=CALL, handlers=0)
    assert describe.hook_started(fact) == {n.HOOK_EVENT: "PreToolUse", n.TOOL_CALL_ID: "call-1", n.HOOK_HANDLERS: 0}


@pytest.mark.parametrize("mode", ContentMode)
def test_a_hook_command_is_told_by_its_hash_always_and_its_line_by_policy(mode: ContentMode) -> None:
    line = f"./guard.sh --{SECRET} \ud800"
    fact = HandlerStarted(
        run=RUN,
        key=RUN,
        at=1,
        event="PreToolUse",
        name="guard",
        framework="test",
        command=True,
        call=CALL,
        matcher="Bash",
        source="project",
        rank=0,
        timeout_s=1.5,
        executable="sh",
        command_line=line,
    )
    assert describe.handler_started(fact, mode, OPEN) == {
        n.HOOK_EVENT: "PreToolUse",
        n.HOOK_NAME: "guard",
        n.TOOL_CALL_ID: "call-1",
        n.HOOK_MATCHER: "Bash",
        n.HOOK_SOURCE: "project",
        n.EXECUTABLE_NAME: "sh",
        n.HOOK_RANK: 0,
        n.HOOK_TIMEOUT_S: 1.5,
        n.HOOK_COMMAND_HASH: hashlib.sha256(line.encode("utf-8", "replace")).hexdigest(),
        **({} if mode is ContentMode.NONE else {n.HOOK_COMMAND_LINE: f"./guard.sh --password={MASK} \ufffd"}),
    }


def test_a_handler_s_end_says_each_figure_zero_and_false_included() -> None:
    fact = HandlerEnded(
        run=RUN,
        key=RUN,
        at=2,
        outcome=HookOutcome.BLOCK,
        decided=False,
        effects=["updated_input"],
        exit_code=0,
        pid=7,
        stdout_bytes=0,
        stderr_bytes=3,
    )
    assert describe.handler_ended(fact) == {
        n.HOOK_OUTCOME: "block",
        n.HOOK_EFFECTS: ["updated_input"],
        n.HOOK_DECIDED: False,
        n.EXIT_CODE: 0,
        n.PID: 7,
        n.HOOK_STDOUT_BYTES: 0,
        n.HOOK_STDERR_BYTES: 3,
    }
    assert describe.handler_ended(HandlerEnded(run=RUN, key=RUN, at=2, outcome=HookOutcome.OK)) == {n.HOOK_OUTCOME: "ok"}
