"""Calls that a model proposed, until they begin or are answered."""

from __future__ import annotations

from collections.abc import Iterable

from langchain_core.messages import ToolCall

from hookspan.adapters.langgraph.runtree import Run, Turn
from hookspan.model.facts import ToolOrigin, ToolProposed
from hookspan.model.ids import CallId
from hookspan.spans.recorder import Recorder


def propose(run: Run, turn: Turn, calls: Iterable[ToolCall], at: int) -> None:
    """Notes the calls of a model's answer. The recorder is told of them later: a structured answer of an agent comes
    as a call, and only its node's end tells it from one."""
    for call in calls:
        if call["id"]:
            proposal = ToolProposed(
                run=run.outermost,
                key=turn.key,
                at=at,
                call=CallId(call["id"]),
                name=call["name"],
                arguments=call["args"],
                origin=ToolOrigin.SUBAGENT if delegates(turn, call["name"]) else ToolOrigin.FUNCTION,
            )
            turn.pending[proposal.call] = proposal
            turn.untold.append(proposal)


def delegates(turn: Turn, name: str) -> bool:
    """Whether a tool of this name starts a subagent."""
    return name == "task" and turn.framework == "deepagents"


def tell(recorder: Recorder, turn: Turn) -> None:
    """Tells the recorder of the calls that it does not know yet."""
    while turn.untold:
        recorder.record(turn.untold.pop(0))


def withdraw(turn: Turn, calls: Iterable[CallId]) -> None:
    """These were no calls."""
    gone = set(calls)
    turn.untold[:] = [proposal for proposal in turn.untold if proposal.call not in gone]
    for call in gone:
        turn.pending.pop(call, None)


def call_of(turn: Turn, name: str, arguments: object) -> CallId | None:
    """The call that a tool executes which was given its arguments alone (`tool.invoke(call["args"])`): the oldest
    proposed one of the same name and arguments that did not begin yet."""
    for proposal in turn.pending.values():
        if proposal.name == name and _same(proposal.arguments, arguments):
            return proposal.call
    return None


def _same(proposed: object, given: object) -> bool:
    try:
        return bool(proposed == given)
    except Exception:  # noqa: BLE001 -- a value of the user's that cannot be compared is not the same
        return False
