"""Calls that nothing more was heard of when their run ended: none of them, and no refusal, goes without a record."""

from __future__ import annotations

from hookspan.model.decision import Denied, Source, Verdict
from hookspan.model.facts import RunOutcome, ToolOutcome, ToolSettled
from hookspan.model.ids import CallId
from hookspan.spans.desk import Desk
from hookspan.spans.fold.decisions import mark
from hookspan.spans.fold.lost import UNKNOWN
from hookspan.spans.fold.tools import tool_settled
from hookspan.spans.state import Node, Verdicts

CALLS_OF_ENDED_RUN = {
    RunOutcome.INTERRUPTED: ToolOutcome.INTERRUPTED,
    RunOutcome.CANCELLED: ToolOutcome.CANCELLED,
    RunOutcome.ABANDONED: ToolOutcome.CANCELLED,
}
_REFUSED = {
    Verdict.DENY: ToolOutcome.DENIED,
    Verdict.BLOCK: ToolOutcome.DENIED,
    Verdict.SKIP: ToolOutcome.SKIPPED,
    Verdict.EXPIRED: ToolOutcome.EXPIRED,
}


def settle_leftovers(desk: Desk, node: Node, outcome: RunOutcome, at: int) -> None:
    """Settles what the run `node` leaves behind: proposed calls that never began, and decisions that no call took."""
    agent = node.place.agent
    for proposal in list(agent.proposals.values()):
        _settle(desk, node, proposal.call, proposal.name, CALLS_OF_ENDED_RUN.get(outcome, ToolOutcome.SKIPPED), at)
    _refusals(desk, node, agent.verdicts, at)
    if node.record.outermost and outcome is not RunOutcome.INTERRUPTED:
        # an interrupted run is asked again, and answers again: the refusal is told then
        _refusals(desk, node, node.place.run.verdicts, at)


def _refusals(desk: Desk, node: Node, verdicts: Verdicts, at: int) -> None:
    agent = node.place.agent
    for call, decisions in list(verdicts.pending.items()):
        if isinstance(decisions[-1], Denied) and call not in agent.attempts:
            _settle(desk, node, call, agent.tools.get(call, UNKNOWN), ToolOutcome.DENIED, at)
            continue
        for decision in verdicts.pending.pop(call):
            if decision.source is not Source.HUMAN:  # a person's has a record of its own
                mark(desk, node, decision, at, call)


def _settle(desk: Desk, node: Node, call: CallId, name: str, outcome: ToolOutcome, at: int) -> None:
    decisions = node.place.agent.verdicts.pending.get(call) or node.place.run.verdicts.pending.get(call) or ()
    if decisions and isinstance(decisions[-1], Denied):
        outcome = _REFUSED[decisions[-1].verdict]
    settled = ToolSettled(
        run=node.record.key, key=node.record.key, at=at, call=call, name=name, framework=node.place.framework, outcome=outcome
    )
    tool_settled(desk, settled, node)
