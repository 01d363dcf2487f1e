"""Who decided what about a call: kept until the call has a record, and told there."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace

from hookspan.model.decision import Answered, Basis, Decision, Denied, Source, Verdict
from hookspan.model.facts import BASIS_BY_SOURCE, Decided
from hookspan.model.ids import CallId, RecordKey
from hookspan.spans import describe
from hookspan.spans import names as n
from hookspan.spans.desk import Desk
from hookspan.spans.payload import short_text
from hookspan.spans.state import AgentState, Node, Place, Verdicts

_SPAN_KEYS = (
    n.DECISION_VERDICT,
    n.DECISION_SOURCE,
    n.DECISION_BY,
    n.DECISION_REASON,
    n.DECISION_REASON_GIVEN,
    n.DECISION_WAIT_S,
    n.DECISION_SCOPE,
)
"""Of a decision, what panels group and filter by: on the span as well as on the event."""


def decided(desk: Desk, fact: Decided, node: Node) -> None:
    if fact.call is not None and fact.tool is not None:
        node.place.agent.tools.setdefault(fact.call, fact.tool)
    decide(desk, node, node.place.agent.verdicts, _timed(fact, node), fact.call, fact.tool, fact.at)


def _timed(fact: Decided, node: Node) -> Decision:
    """A person's answer to an earlier run that shows only in this one: how long that run had waited when this one began."""
    decision = fact.decision
    if decision.source is not Source.HUMAN or decision.wait_s is not None:
        return decision
    paused = [pause.at for pause in node.place.run.resumed_from if any(held.call == fact.call for held in pause.calls)]
    if not paused:
        return decision
    while node.parent is not None:
        node = node.parent
    return replace(decision, wait_s=max(0, node.record.start - paused[0]) / 1e9)


def decide(desk: Desk, node: Node, verdicts: Verdicts, decision: Decision, call: CallId | None, tool: str | None, at: int) -> None:
    """Files a decision with the call's open record, or keeps it in `verdicts` for its next one; a person's is a record too."""
    agent = node.place.agent
    running = desk.book.open.get(agent.running[call]) if call is not None and call in agent.running else None
    if decision.source is Source.HUMAN or decision.verdict is Verdict.EXPIRED:
        _approval(desk, running or node, decision, call, tool, at)
    if call is None:
        mark(desk, node, decision, at)
        return
    if not isinstance(decision, Denied | Answered):
        verdicts.bases[call] = BASIS_BY_SOURCE.get(decision.source.value, Basis.UNKNOWN)
    if running is not None:
        mark(desk, running, decision, at, call)
        running.record.attributes[n.PERMISSION_BASIS] = basis(running.place, call).value
        return
    verdicts.pending.setdefault(call, []).append(decision)


def mark(desk: Desk, node: Node, decision: Decision, at: int, call: CallId | None = None) -> None:
    """The decision as an event of the record, and what panels need of it on the span."""
    described = describe.decision(decision, node.place.run.mode, desk.policy)
    attributes = node.record.attributes
    if node.record.kind == n.TOOL:
        attributes.update({key: described[key] for key in _SPAN_KEYS if key in described})
        if decision.verdict is Verdict.EDIT:
            attributes[n.TOOL_INPUT_EDITED] = True
    about = call or node.call
    if about is not None:
        described[n.DECISION_CALL_ID] = short_text(about)
    desk.event(node, n.EVENT_DECISION, at, described)


def taken(place: Place, call: CallId) -> Sequence[Decision]:
    """The decisions that waited for a record of the call at `place`: its own agent's, else those of one above, else a
    person's answers to the run before. Call ids of other agents may be the same."""
    for verdicts in _around(place):
        if call in verdicts.pending:
            return verdicts.pending.pop(call)
    return ()


def basis(place: Place, call: CallId | None) -> Basis:
    """Why the call at `place` was allowed to run."""
    if call is not None:
        for verdicts in _around(place):
            if call in verdicts.bases:
                return verdicts.bases[call]
    return Basis.UNKNOWN if place.run.unmatched_answers else Basis.NONE_ASKED


def _around(place: Place) -> Generator[Verdicts]:
    agent: AgentState | None = place.agent
    while agent is not None:
        yield agent.verdicts
        agent = agent.above
    yield place.run.verdicts


def _approval(desk: Desk, node: Node, decision: Decision, call: CallId | None, tool: str | None, at: int) -> None:
    described = describe.decision(decision, node.place.run.mode, desk.policy)
    wait = described.get(n.DECISION_WAIT_S)
    in_this_run = not node.place.run.resumed_from and isinstance(wait, float)
    if call is not None:
        described[n.TOOL_CALL_ID] = short_text(call)
    if tool is not None:
        described[n.TOOL_NAME] = short_text(tool)
    number = node.place.run.sequence + 1
    approval = desk.open(
        key=RecordKey(f"{node.record.key}/approval/{number}"),
        kind=n.APPROVAL,
        name=describe.span_name(n.APPROVAL, tool),
        start=at - int(wait * 1e9) if in_this_run and isinstance(wait, float) else at,
        above=node.place,
        run=node.place.run,
        framework=node.place.framework,
        attributes=described,
    )
    desk.close(approval, at)
