"""Calls that got their answer from something other than their tool: who gave it, and what became of the call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from langchain_core.messages import ToolMessage

from hookspan.adapters.langgraph.callbacks import refusal
from hookspan.adapters.langgraph.decisions import verdict_of_answer
from hookspan.adapters.langgraph.middleware import HUMAN, Hook
from hookspan.adapters.langgraph.runtree import Run, Turn
from hookspan.model.decision import Decision, Denied, Source
from hookspan.model.facts import Failure, ToolOutcome
from hookspan.model.ids import CallId

UNKNOWN_TOOL = "unknown_tool"
"""`error.type` of a call to a tool that does not exist."""
HANDLED_ERROR = "tool_error"
"""`error.type` where somebody made the exception into a message before anyone was told its class."""


@dataclass(frozen=True, slots=True)
class Settled:
    """`executed` is None where nobody saw whether the tool ran."""

    outcome: ToolOutcome
    decision: Decision | None = None
    failure: Failure | None = None
    executed: bool | None = False
    known: bool = True


def settled(run: Run, turn: Turn, message: ToolMessage, tool: str, hook: Hook | None) -> Settled:
    """`run` is the node in whose output `message` answers the call, `hook` the middleware's hook that this node is."""
    owner = turn.short_circuited.pop(CallId(message.tool_call_id), None)
    if (hook is not None and hook.asks_people) or (owner or "").partition(".")[0] == HUMAN:
        decision = verdict_of_answer(message, turn.user)
        if decision is not None:
            return _by(decision)
    if hook is not None:
        return _by(refusal(message, Source.GUARD if hook.is_limit else Source.HOOK_CALLBACK, hook.name))
    if owner is not None:
        return _by(refusal(message, Source.HOOK_CALLBACK, owner))
    failed = message.status == "error"
    said = str(cast("object", message.content))[:1024]
    if not turn.has_tools(run.name):
        # the application's own code answered
        outcome = ToolOutcome.ERROR if failed else ToolOutcome.SUCCESS
        return Settled(outcome, failure=Failure(HANDLED_ERROR, said) if failed else None, executed=None)
    if failed and not turn.knows_tool(run.name, tool):
        return Settled(ToolOutcome.ERROR, failure=Failure(UNKNOWN_TOOL, said), known=False)
    # a wrapper that was there before we were
    return _by(refusal(message, Source.HOOK_CALLBACK, turn.wrapper_of(run.name)))


def _by(decision: Decision) -> Settled:
    return Settled(ToolOutcome.DENIED if isinstance(decision, Denied) else ToolOutcome.SUCCESS, decision)
