"""Tool calls: proposed, decided about, executed or not, settled."""

from __future__ import annotations

from hookspan.model.decision import Answered, Basis, Decision, Denied, Source, Verdict
from hookspan.model.facts import (
    BASIS_BY_SOURCE,
    Decided,
    ToolEnded,
    ToolOutcome,
    ToolProposed,
    ToolSettled,
    ToolStarted,
)
from hookspan.model.ids import CallId, RecordKey
from hookspan.spans import describe
from hookspan.spans import names as n
from hookspan.spans.desk import Desk
from hookspan.spans.fold.placing import place
from hookspan.spans.payload import short_text
from hookspan.spans.state import Node, RunState

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


def tool_proposed(_desk: Desk, fact: ToolProposed, node: Node) -> None:
    agent = node.place.agent
    if fact.call not in agent.attempts:
        agent.proposals.setdefault(fact.call, fact)


def tool_started(desk: Desk, fact: ToolStarted, *, force: bool = False) -> None:
    placed = place(desk, fact, force=force)
    if placed is None:
        return
    agent = placed.above.agent if placed.above is not None else None
    run = placed.run
    proposal = agent.proposals.pop(fact.call, None) if agent is not None and fact.call is not None else None
    attempt = 1
    if agent is not None and fact.call is not None:
        attempt = agent.attempts.get(fact.call, run.attempts.get(fact.call, 0)) + 1
        agent.attempts[fact.call] = attempt
    attributes = describe.tool_started(fact, attempt)
    if proposal is not None and (proposal.name != fact.name or _differ(proposal.arguments, fact.arguments)):
        attributes[n.TOOL_INPUT_EDITED] = True
    node = desk.open(
        key=fact.key,
        kind=n.TOOL,
        name=describe.span_name(n.EXECUTE_TOOL, fact.name),
        start=min(proposal.at, fact.at) if proposal is not None else fact.at,
        above=placed.above,
        run=run,
        framework=fact.framework,
        attributes=attributes,
    )
    describe.content(attributes, n.TOOL_ARGUMENTS, n.TOOL_ARGUMENTS_BYTES, fact.arguments, run.mode, desk.policy)
    node.began, node.call = fact.at, fact.call
    if fact.call is not None:
        for decision in run.decisions.pop(fact.call, ()):
            mark(desk, node, decision, fact.at)
        if agent is not None:
            agent.last[fact.call], agent.running[fact.call] = node.place.ids, fact.key
            agent.tools[fact.call] = fact.name
    attributes[n.PERMISSION_BASIS] = _basis(run, fact.call).value
    desk.event(node, n.EVENT_TOOL_START, fact.at, {f"{n.EVENT_TOOL_START}.call_id": fact.call} if fact.call else {})


def tool_ended(desk: Desk, fact: ToolEnded, node: Node) -> None:
    attributes = node.record.attributes
    attributes[n.TOOL_OUTCOME] = fact.outcome.value
    if fact.executed:
        attributes[n.TOOL_RUN_S] = fact.run_s if fact.run_s is not None else max(0, fact.at - node.began) / 1e9
    else:
        attributes[n.TOOL_EXECUTED] = False
        attributes.pop(n.PERMISSION_BASIS, None)
    if fact.result_edited:
        attributes[n.TOOL_RESULT_EDITED] = True
    describe.content(attributes, n.TOOL_RESULT, n.TOOL_RESULT_BYTES, fact.result, node.place.run.mode, desk.policy)
    desk.fail(node, fact.failure)
    call = node.call
    desk.event(node, n.EVENT_TOOL_END, fact.at, {f"{n.EVENT_TOOL_END}.call_id": call} if call is not None else {})
    if call is not None:
        running = node.place.agent.running
        if running.get(call) == fact.key:
            del running[call]
    desk.close(node, fact.at, unfinished=fact.outcome is ToolOutcome.UNFINISHED)


def tool_settled(desk: Desk, fact: ToolSettled, node: Node) -> None:
    """A record for a call that never ran; a call that has one already is left as it is."""
    agent, run = node.place.agent, node.place.run
    if fact.call in agent.attempts:
        return
    agent.attempts[fact.call] = 0
    proposal = agent.proposals.pop(fact.call, None)
    name = proposal.name if proposal is not None else fact.name
    attributes = describe.tool(name, fact.call, "function")
    if fact.executed is not None:
        attributes[n.TOOL_EXECUTED] = fact.executed
    attributes[n.TOOL_OUTCOME] = fact.outcome.value
    arguments = proposal.arguments if proposal is not None else fact.arguments
    describe.content(attributes, n.TOOL_ARGUMENTS, n.TOOL_ARGUMENTS_BYTES, arguments, run.mode, desk.policy)
    describe.content(attributes, n.TOOL_RESULT, n.TOOL_RESULT_BYTES, fact.result, run.mode, desk.policy)
    settled = desk.open(
        key=RecordKey(f"{node.record.key}/{fact.call}"),
        kind=n.TOOL,
        name=describe.span_name(n.EXECUTE_TOOL, name),
        start=min(proposal.at, fact.at) if proposal is not None else fact.at,
        above=node.place,
        run=run,
        framework=fact.framework,
        attributes=attributes,
    )
    settled.call = fact.call
    agent.last[fact.call] = settled.place.ids
    decisions = run.decisions.pop(fact.call, None) or ([fact.decision] if fact.decision is not None else [])
    for decision in decisions:
        mark(desk, settled, decision, fact.at)
    desk.fail(settled, fact.failure)
    desk.close(settled, fact.at)


def decided(desk: Desk, fact: Decided, node: Node) -> None:
    decide(desk, node, fact.decision, fact.call, fact.tool, fact.at)


def decide(desk: Desk, node: Node, decision: Decision, call: CallId | None, tool: str | None, at: int) -> None:
    """Files a decision with the call's open record, or keeps it for its next one; a person's is a record too."""
    run, agent = node.place.run, node.place.agent
    if decision.source is Source.HUMAN or decision.verdict is Verdict.EXPIRED:
        _approval(desk, node, decision, call, tool, at)
    if call is None:
        mark(desk, node, decision, at)
        return
    if not isinstance(decision, Denied | Answered):
        run.bases[call] = BASIS_BY_SOURCE.get(decision.source.value, Basis.UNKNOWN)
    running = desk.book.open.get(agent.running.get(call, RecordKey("")))
    if running is not None:
        mark(desk, running, decision, at, call)
        running.record.attributes[n.PERMISSION_BASIS] = _basis(run, call).value
        return
    run.decisions.setdefault(call, []).append(decision)


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


def settle_leftovers(desk: Desk, node: Node, outcome: ToolOutcome, at: int) -> None:
    """Calls that the model proposed and that nothing more was heard of when the run ended."""
    for proposal in list(node.place.agent.proposals.values()):
        fact = ToolSettled(
            run=proposal.run,
            key=node.record.key,
            at=at,
            call=proposal.call,
            name=proposal.name,
            framework=node.place.framework,
            outcome=outcome,
        )
        tool_settled(desk, fact, node)


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


def _basis(run: RunState, call: CallId | None) -> Basis:
    found = run.bases.get(call) if call is not None else None
    if found is not None:
        return found
    return Basis.UNKNOWN if run.unmatched_answers else Basis.NONE_ASKED


def _differ(proposed: object, started: object) -> bool:
    if proposed is None or started is None:
        return False
    try:
        return bool(proposed != started)
    except Exception:  # noqa: BLE001 -- a value of the user's that cannot be compared is not known to be edited
        return False
