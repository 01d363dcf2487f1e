"""How a run ended, from the exception or the last word it ended with."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from types import TracebackType

from langgraph.errors import GraphInterrupt, GraphRecursionError, ParentCommand

from hookspan.adapters.langgraph.runtree import Turn
from hookspan.model.facts import Failure, RunOutcome, Stop, StopReason

_CUT_OFF = frozenset({"max_tokens", "length", "MAX_TOKENS", "model_length", "max_output_tokens", "incomplete"})
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
    if turn.finish_reason in _CUT_OFF:
        return Ended(RunOutcome.STOPPED, Stop(StopReason.MAX_TOKENS))
    return Ended(RunOutcome.COMPLETED, Stop(StopReason.END_TURN))


def raised(error: BaseException, turn: Turn) -> Ended:  # noqa: PLR0911 -- one line a kind of exception
    """Control flow that travels as an exception is told by its class, never by its name, and is no failure."""
    if isinstance(error, GraphInterrupt):
        return Ended(RunOutcome.INTERRUPTED, Stop(StopReason.INTERRUPT))
    if isinstance(error, ParentCommand):
        return Ended(RunOutcome.COMPLETED, Stop(StopReason.HANDOFF))
    if isinstance(error, GraphRecursionError):
        return Ended(RunOutcome.STOPPED, Stop(StopReason.RECURSION_LIMIT))
    if isinstance(error, GeneratorExit):
        return Ended(RunOutcome.ABANDONED, Stop(StopReason.ABANDONED))
    if cut_short(error):
        return Ended(RunOutcome.CANCELLED, Stop(StopReason.CANCELLED))
    if turn.stopped_by is not None:
        return Ended(RunOutcome.STOPPED, turn.stopped_by)
    return Ended(RunOutcome.ERROR, Stop(StopReason.ERROR), failure(error))


def cut_short(error: BaseException) -> bool:
    """Whether somebody stopped the work, rather than that it failed."""
    return isinstance(error, asyncio.CancelledError | GeneratorExit | KeyboardInterrupt | SystemExit)


def before_the_tool(error: BaseException) -> bool:
    """Whether langchain raised `error` while it checked a call's arguments: the tool itself never began."""
    trace: TracebackType | None = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_name == "_parse_input" and trace.tb_frame.f_globals.get("__name__") == "langchain_core.tools.base":
            return True
        trace = trace.tb_next
    return False


def failure(error: BaseException) -> Failure:
    kind = type(error)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    try:
        message = str(error)
    except Exception:  # noqa: BLE001 -- an exception of the user's whose __str__ raises still has a type
        message = ""
    return Failure(name, message)
