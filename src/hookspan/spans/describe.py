"""Facts as span names and attributes: pure, one function a kind of fact."""

from __future__ import annotations

import hashlib

from hookspan.model.content import ContentMode
from hookspan.model.decision import Decision, Denied, NoReasonGiven
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
from hookspan.model.usage import TokenUsage
from hookspan.spans import names as n
from hookspan.spans.messages import messages_json
from hookspan.spans.payload import ContentPolicy, Payload, bounded, kept, measured, short_text
from hookspan.spans.record import AttributeValue

NO_REASON = "no reason given"
Described = dict[str, AttributeValue]


def span_name(operation: str, subject: str | None) -> str:
    """`{operation} {subject}`, or the operation alone where there is no name."""
    return f"{operation} {short_text(subject, 128)}" if subject else operation


def model_started(fact: ModelStarted, mode: ContentMode, policy: ContentPolicy) -> Described:
    described: Described = {n.OPERATION_NAME: n.OP_CHAT}
    if fact.model is not None:
        described[n.REQUEST_MODEL] = short_text(fact.model)
    if fact.provider is not None:
        described[n.PROVIDER_NAME] = short_text(fact.provider)
    if fact.messages_before is not None:
        described[n.MESSAGES_BEFORE] = fact.messages_before
    if fact.messages is not None and mode is ContentMode.FULL:
        _content(described, n.INPUT_MESSAGES, messages_json(fact.messages, policy))
    return described


def model_ended(fact: ModelEnded, mode: ContentMode, policy: ContentPolicy) -> Described:
    described: Described = {}
    if fact.response_model:
        described[n.RESPONSE_MODEL] = short_text(fact.response_model)
    if fact.response_id:
        described[n.RESPONSE_ID] = short_text(fact.response_id)
    if fact.finish_reasons:
        described[n.FINISH_REASONS] = [short_text(reason) for reason in fact.finish_reasons]
    usage = fact.usage
    for name, count in (
        (n.INPUT_TOKENS, usage.input),
        (n.OUTPUT_TOKENS, usage.output),
        (n.CACHE_READ_TOKENS, usage.cache_read),
        (n.CACHE_CREATION_TOKENS, usage.cache_creation),
        (n.REASONING_TOKENS, usage.reasoning),
    ):
        if count is not None:
            described[name] = count
    if not usage.complete:
        described[n.USAGE_COMPLETE] = False
    if fact.messages is not None and mode is ContentMode.FULL:
        _content(described, n.OUTPUT_MESSAGES, messages_json(fact.messages, policy))
    return described


def usage_total(usage: TokenUsage) -> Described:
    """A run's totals, under names of ours so that a sum over spans counts each token once."""
    described: Described = {}
    for name, count in (
        (n.USAGE_INPUT, usage.input),
        (n.USAGE_OUTPUT, usage.output),
        (n.USAGE_CACHE_READ, usage.cache_read),
        (n.USAGE_CACHE_CREATION, usage.cache_creation),
        (n.USAGE_REASONING, usage.reasoning),
    ):
        if count is not None:
            described[name] = count
    if not usage.complete:
        described[n.USAGE_COMPLETE] = False
    return described


def tool(name: str, call: str | None, origin: str) -> Described:
    described: Described = {
        n.OPERATION_NAME: n.EXECUTE_TOOL,
        n.TOOL_NAME: short_text(name),
        n.TOOL_TYPE: "function",
        n.TOOL_ORIGIN: origin,
    }
    if call is not None:
        described[n.TOOL_CALL_ID] = short_text(call)
    return described


def tool_started(fact: ToolStarted, attempt: int) -> Described:
    described = tool(fact.name, fact.call, fact.origin.value)
    described[n.TOOL_EXECUTED] = True
    described[n.TOOL_ATTEMPT] = attempt
    return described


def content(described: Described, name: str, size_name: str, value: object, mode: ContentMode, policy: ContentPolicy) -> None:
    """A tool's arguments or result: its size in every mode, its text by policy."""
    if value is None:
        return
    if mode is ContentMode.NONE:
        described[size_name] = measured(value)
        return
    payload = kept(value, policy)
    described[size_name] = payload.size
    _content(described, name, payload)


def _content(described: Described, name: str, payload: Payload) -> None:
    if payload.text is None:
        described[n.DROPPED] = name
        return
    described[name] = payload.text
    if payload.cut:
        so_far = described.get(n.TRUNCATED, ())
        described[n.TRUNCATED] = [*(so_far if isinstance(so_far, list) else ()), f"{name}={payload.size}"]


def decision(decided: Decision, mode: ContentMode, policy: ContentPolicy, wait_s: float | None = None) -> Described:
    """What was decided, by whom and why; a denial always has a reason."""
    described: Described = {n.DECISION_VERDICT: decided.verdict.value, n.DECISION_SOURCE: decided.source.value}
    reason = decided.reason
    if isinstance(reason, NoReasonGiven):
        described[n.DECISION_REASON] = NO_REASON
        described[n.DECISION_REASON_GIVEN] = False
    elif reason:
        described[n.DECISION_REASON] = short_text(reason, 256, policy.redact or str)
        if isinstance(decided, Denied):
            described[n.DECISION_REASON_GIVEN] = True
    for name, said in (
        (n.DECISION_BY, decided.by),
        (n.DECISION_SCOPE, decided.scope),
        (n.DECISION_EXPIRES_AT, decided.expires_at),
        (n.DECISION_SUBJECT, decided.subject if mode is not ContentMode.NONE else None),
    ):
        if said is not None:
            described[name] = short_text(said, 256, policy.redact)
    waited = decided.wait_s if decided.wait_s is not None else wait_s
    if waited is not None:
        described[n.DECISION_WAIT_S] = waited
    return described


def stop(stopped: Stop) -> Described:
    described: Described = {n.STOP_REASON: stopped.reason.value}
    if stopped.by is not None:
        described[n.STOP_BY] = short_text(stopped.by)
    if stopped.continuations is not None:
        described[n.STOP_CONTINUATIONS] = stopped.continuations
    return described


def handoff(fact: HandedOff, mode: ContentMode, policy: ContentPolicy) -> Described:
    described: Described = {
        n.HANDOFF_FROM: short_text(fact.source),
        n.HANDOFF_TO: short_text(fact.target),
        n.HANDOFF_MECHANISM: fact.mechanism.value,
    }
    if fact.call is not None:
        described[n.HANDOFF_CALL_ID] = short_text(fact.call)
    if fact.message and mode is not ContentMode.NONE:
        described[n.HANDOFF_MESSAGE] = bounded(fact.message, 0, 1024, policy.redact).text or ""
    return described


def interrupt(fact: Interrupted, mode: ContentMode, policy: ContentPolicy) -> Described:
    described: Described = {n.INTERRUPT_ID: short_text(fact.interrupt), n.INTERRUPT_KIND: fact.kind.value}
    if fact.calls:
        described[n.INTERRUPT_CALL_IDS] = [short_text(call) for call in fact.calls]
    if fact.checkpoint is not None:
        described[n.CHECKPOINT_ID] = short_text(fact.checkpoint)
    if fact.value is not None and mode is not ContentMode.NONE:
        described[n.INTERRUPT_VALUE] = kept(fact.value, policy).text or ""
    return described


def hook_started(fact: HookStarted) -> Described:
    described: Described = {n.HOOK_EVENT: short_text(fact.event)}
    if fact.call is not None:
        described[n.TOOL_CALL_ID] = short_text(fact.call)
    if fact.handlers is not None:
        described[n.HOOK_HANDLERS] = fact.handlers
    return described


def handler_started(fact: HandlerStarted, mode: ContentMode, policy: ContentPolicy) -> Described:
    described: Described = {n.HOOK_EVENT: short_text(fact.event), n.HOOK_NAME: short_text(fact.name)}
    for name, said in (
        (n.TOOL_CALL_ID, fact.call),
        (n.HOOK_MATCHER, fact.matcher),
        (n.HOOK_SOURCE, fact.source),
        (n.EXECUTABLE_NAME, fact.executable),
    ):
        if said is not None:
            described[name] = short_text(said)
    if fact.rank is not None:
        described[n.HOOK_RANK] = fact.rank
    if fact.timeout_s is not None:
        described[n.HOOK_TIMEOUT_S] = fact.timeout_s
    if fact.command_line is not None:
        described[n.HOOK_COMMAND_HASH] = hashlib.sha256(fact.command_line.encode("utf-8", "replace")).hexdigest()
        if mode is not ContentMode.NONE:
            _content(described, n.HOOK_COMMAND_LINE, kept(fact.command_line, policy))
    return described


def handler_ended(fact: HandlerEnded) -> Described:
    described: Described = {n.HOOK_OUTCOME: fact.outcome.value}
    if fact.effects:
        described[n.HOOK_EFFECTS] = [short_text(effect) for effect in fact.effects]
    for name, said in (
        (n.HOOK_DECIDED, fact.decided),
        (n.EXIT_CODE, fact.exit_code),
        (n.PID, fact.pid),
        (n.HOOK_STDOUT_BYTES, fact.stdout_bytes),
        (n.HOOK_STDERR_BYTES, fact.stderr_bytes),
    ):
        if said is not None:
            described[name] = said
    return described
