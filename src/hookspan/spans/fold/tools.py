"""Tool calls: proposed, decided about, executed or not, settled."""

from __future__ import annotations

from hookspan.model.facts import (
    ToolEnded,
    ToolOutcome,
    ToolProposed,
    ToolSettled,
    ToolStarted,
)
from hookspan.model.ids import RecordKey
from hookspan.spans import describe
from hookspan.spans import names as n
from hookspan.spans.desk import Desk
from hookspan.spans.fold import decisions
from hookspan.spans.fold.placing import place
from hookspan.spans.state import Node


def tool_proposed(_desk: Desk, fact: ToolProposed, node: Node) -> None:
    """Some models number their calls anew in each answer: an id that was settled before is another call then."""
    agent = node.place.agent
    if fact.call in agent.attempts:
        if fact.call in agent.running or fact.at <= agent.heard.get(fact.call, fact.at):
            return
        del agent.attempts[fact.call]
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
        attempt = agent.attempts.get(fact.call, 0) + 1
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
        for decision in decisions.taken(node.place, fact.call):
            decisions.mark(desk, node, decision, fact.at)
        if agent is not None:
            agent.last[fact.call], agent.running[fact.call] = node.place, fact.key
            agent.tools[fact.call] = fact.name
            agent.heard[fact.call] = fact.at
    attributes[n.PERMISSION_BASIS] = decisions.basis(node.place, fact.call).value
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
            node.place.agent.heard[call] = fact.at
    desk.close(node, fact.at, unfinished=fact.outcome is ToolOutcome.UNFINISHED)


def tool_settled(desk: Desk, fact: ToolSettled, node: Node) -> None:
    """A record for a call that never ran; a call that has one already is left as it is."""
    agent, run = node.place.agent, node.place.run
    if fact.call in agent.attempts:
        return
    agent.attempts[fact.call] = 0
    agent.heard[fact.call] = fact.at
    key = RecordKey(f"{node.record.key}/{fact.call}")
    proposal = agent.proposals.pop(fact.call, None)
    name = proposal.name if proposal is not None else fact.name
    origin = proposal.origin if proposal is not None else fact.origin
    attributes = describe.tool(name, fact.call, origin.value)
    if fact.executed is not None:
        attributes[n.TOOL_EXECUTED] = fact.executed
    attributes[n.TOOL_OUTCOME] = fact.outcome.value
    arguments = proposal.arguments if proposal is not None else fact.arguments
    describe.content(attributes, n.TOOL_ARGUMENTS, n.TOOL_ARGUMENTS_BYTES, arguments, run.mode, desk.policy)
    describe.content(attributes, n.TOOL_RESULT, n.TOOL_RESULT_BYTES, fact.result, run.mode, desk.policy)
    settled = desk.open(
        key=RecordKey(f"{key}/{run.sequence}") if desk.book.seen(key) else key,
        kind=n.TOOL,
        name=describe.span_name(n.EXECUTE_TOOL, name if fact.known else n.OTHER),
        start=min(proposal.at, fact.at) if proposal is not None else fact.at,
        above=node.place,
        run=run,
        framework=fact.framework,
        attributes=attributes,
    )
    settled.call = fact.call
    agent.last[fact.call] = settled.place
    for decision in decisions.taken(settled.place, fact.call) or ([fact.decision] if fact.decision is not None else []):
        decisions.mark(desk, settled, decision, fact.at)
    desk.fail(settled, fact.failure)
    desk.close(settled, fact.at)


def _differ(proposed: object, started: object) -> bool:
    if proposed is None or started is None:
        return False
    try:
        return bool(proposed != started)
    except Exception:  # noqa: BLE001 -- a value of the user's that cannot be compared is not known to be edited
        return False
