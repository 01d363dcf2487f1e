"""How a run ended, from the exception or the last word it ended with."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from langgraph.errors import GraphInterrupt, GraphRecursionError, ParentCommand

from hookspan.adapters.langgraph.runtree import Turn
from hookspan.model.facts import Failure, RunOutcome, Stop, StopReason

_CUT_SHORT = frozenset({"max_tokens", "length", "MAX_TOKENS", "model_length", "max_output_tokens", "incomplete"})
"""Finish reasons of the providers for an answer that hit the token limit."""


@dataclass(frozen=True, slots=True)
class Ended:
    outcome: RunOutcome
    stop: Stop | None = None
    failure: Failure | None = None


def normally(turn: Turn) -> Ended:
    """LangGraph also ends an interrupted run normally."""
    if turn.interrupted:
        return Ended(RunOutcome.INTERRUPTED, Stop(StopReason.INTERRUPT))
    if turn.stopped_by is not None:
        return Ended(RunOutcome.STOPPED, turn.stopped_by)
    if not turn.agent:
        return Ended(RunOutcome.COMPLETED)
    if turn.finish_reason in _CUT_SHORT:
        return Ended(RunOutcome.STOPPED, Stop(StopReason.MAX_TOKENS))
    return Ended(RunOutcome.COMPLETED, Stop(StopReason.END_TURN))


def raised(error: BaseException) -> Ended:
    """Control flow that travels as an exception is told by its class, never by its name, and is no failure."""
    if isinstance(error, GraphInterrupt):
        return Ended(RunOutcome.INTERRUPTED, Stop(StopReason.INTERRUPT))
    if isinstance(error, ParentCommand):
        return Ended(RunOutcome.COMPLETED, Stop(StopReason.HANDOFF))
    if isinstance(error, GraphRecursionError):
        return Ended(RunOutcome.STOPPED, Stop(StopReason.RECURSION_LIMIT))
    if isinstance(error, asyncio.CancelledError | KeyboardInterrupt | SystemExit):
        return Ended(RunOutcome.CANCELLED, Stop(StopReason.CANCELLED))
    if isinstance(error, GeneratorExit):
        return Ended(RunOutcome.ABANDONED, Stop(StopReason.ABANDONED))
    return Ended(RunOutcome.ERROR, Stop(StopReason.ERROR), failure(error))


def failure(error: BaseException) -> Failure:
    kind = type(error)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    try:
        message = str(error)
    except Exception:  # an exception of the user's whose __str__ raises still has a type
        message = ""
    return Failure(name, message)
