"""Interrupts, resumes and what people answered, in LangGraph's own types and HumanInTheLoopMiddleware's values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from langchain_core.messages import AIMessage, ToolMessage
from langgraph.types import Command, Interrupt

from hookspan.model.decision import Answered, Decision, Denied, Granted, NoReasonGiven, Source, Verdict
from hookspan.model.facts import Answer, InterruptKind, Resume
from hookspan.model.ids import CallId

_INTERRUPT_ID = re.compile(r"[0-9a-f]{32}\Z")
"""`langgraph.types.Interrupt.id` (an xxh3-128 hex digest): a resume value keyed by these answers several interrupts."""


@dataclass(frozen=True, slots=True)
class AskedCall:
    """A call as an approval request names it: no id in the batched form, only name and arguments."""

    name: str
    arguments: object
    call: CallId | None = None


def kind_of(interrupt: Interrupt) -> InterruptKind:
    return InterruptKind.APPROVAL if asked_calls(interrupt) else InterruptKind.QUESTION


def asked_calls(interrupt: Interrupt) -> tuple[AskedCall, ...]:
    """The calls that HumanInTheLoopMiddleware asks about, in its order; empty for any other interrupt."""
    value = cast("object", interrupt.value)
    if not isinstance(value, Mapping):
        return ()
    asked = cast("Mapping[str, Any]", value)
    if asked.get("type") == "tool_approval" and asked.get("tool_call_id"):
        return (AskedCall(str(asked.get("name")), asked.get("args"), CallId(str(asked["tool_call_id"]))),)
    requests = asked.get("action_requests")
    if not isinstance(requests, list) or "review_configs" not in asked:
        return ()
    return tuple(AskedCall(str(request.get("name")), request.get("args")) for request in cast("list[Mapping[str, Any]]", requests))


def matched(asked: Sequence[AskedCall], calls: Sequence[Mapping[str, Any]]) -> tuple[CallId, ...]:
    """The ids of the asked calls among the model's, in order; a call is taken once. Empty unless all are found."""
    left = list(calls)
    found: list[CallId] = []
    for one in asked:
        if one.call is not None:
            found.append(one.call)
            continue
        call = next((c for c in left if c.get("name") == one.name and c.get("args") == one.arguments), None)
        if call is None or not call.get("id"):
            return ()
        left.remove(call)
        found.append(CallId(str(call["id"])))
    return tuple(found)


def arguments_asked_about(output: object) -> Mapping[CallId, object]:
    """The arguments of the calls in HumanInTheLoopMiddleware's output: the run that goes on with a person's answer never
    heard the model propose them."""
    messages = cast("Mapping[str, object]", output).get("messages") if isinstance(output, Mapping) else None
    found: dict[CallId, object] = {}
    for message in cast("list[object]", messages) if isinstance(messages, list) else ():
        if isinstance(message, AIMessage):
            found |= {CallId(call["id"]): call["args"] for call in message.tool_calls if call["id"]}
    return found


def resume_of(inputs: object, thread: str | None, user: str | None) -> Resume | None:
    """What a graph's input resumes; None for new input, and for a command that only goes somewhere."""
    if not isinstance(inputs, Command):
        return None
    value = cast("object", cast("Command[Any]", inputs).resume)
    if value is None:
        return None
    several = _by_interrupt(value)
    if several:
        return Resume(thread, tuple(Answer(name, decisions(said, user)) for name, said in several.items()))
    return Resume(thread, (Answer(None, decisions(value, user)),))


def _by_interrupt(value: object) -> Mapping[str, object]:
    """The answers of a resume value that names its interrupts; empty for any other value."""
    if not isinstance(value, Mapping):
        return {}
    several = cast("Mapping[str, object]", value)
    return several if all(_INTERRUPT_ID.match(str(key)) for key in several) else {}


def decisions(value: object, by: str | None) -> tuple[Decision, ...]:
    """HumanInTheLoopMiddleware's answers one by one; any other answer is a person's response."""
    if isinstance(value, Mapping):
        said = cast("Mapping[str, Any]", value)
        several = said.get("decisions")
        if isinstance(several, list):
            return tuple(_decision(one, by) for one in cast("list[object]", several))
        if said.get("type") in ("approve", "edit", "reject", "respond"):
            return (_decision(said, by),)
    return (Answered(source=Source.HUMAN, by=by),)


def verdict_of_answer(message: ToolMessage, by: str | None) -> Decision | None:
    """The decision that HumanInTheLoopMiddleware notes on the message it puts in a tool's place (langchain-core 1.7.2
    on). Ask it only of that middleware's own output: whoever sends input to a thread can set these keys."""
    notes = cast("Mapping[str, Any]", message.additional_kwargs)
    data = notes.get("lc_data")
    if notes.get("lc_source") != "hitl_interrupt_decision" or not isinstance(data, Mapping):
        return None
    return _decision({"type": cast("Mapping[str, Any]", data).get("decision"), "message": str(cast("object", message.content))}, by)


def _decision(said: object, by: str | None) -> Decision:
    answer: Mapping[str, Any] = cast("Mapping[str, Any]", said) if isinstance(said, Mapping) else {}
    kind, message = answer.get("type"), answer.get("message")
    reason = str(message) if message else None
    if kind == "reject":
        return Denied(source=Source.HUMAN, by=by, reason=reason or NoReasonGiven())
    if kind == "respond":
        return Answered(source=Source.HUMAN, by=by)
    if kind == "edit":
        return Granted(source=Source.HUMAN, by=by, verdict=Verdict.EDIT, reason=reason)
    return Granted(source=Source.HUMAN, by=by, reason=reason)
