"""Runs of agents and workflows, and their model calls."""

from __future__ import annotations

from hookspan.model.facts import (
    HandedOff,
    Identified,
    ModelEnded,
    ModelStarted,
    Noted,
    RunEnded,
    RunKind,
    RunOutcome,
    RunStarted,
    ToolOutcome,
)
from hookspan.model.usage import added
from hookspan.spans import describe
from hookspan.spans import names as n
from hookspan.spans.desk import Desk
from hookspan.spans.fold import waits
from hookspan.spans.fold.leftovers import CALLS_OF_ENDED_RUN, settle_leftovers
from hookspan.spans.fold.placing import place
from hookspan.spans.payload import short_text
from hookspan.spans.record import AttributeValue
from hookspan.spans.state import AgentState, Node

_RUN_INSIDE_ENDED_RUN = {RunOutcome.INTERRUPTED, RunOutcome.CANCELLED, RunOutcome.ABANDONED}


def run_started(desk: Desk, fact: RunStarted, *, force: bool = False) -> None:
    placed = place(desk, fact, force=force)
    if placed is None:
        return
    agent = fact.kind is RunKind.AGENT
    state = AgentState(key=fact.key, name=fact.name if agent else None)
    operation = n.INVOKE_AGENT if agent else n.INVOKE_WORKFLOW
    attributes: dict[str, AttributeValue] = {
        n.OPERATION_NAME: operation,
        (n.AGENT_NAME if agent else n.WORKFLOW_NAME): short_text(fact.name),
    }
    if fact.user is not None:
        attributes[n.USER_ID] = short_text(fact.user)
    pauses = waits.pauses_of(desk, fact)
    node = desk.open(
        key=fact.key,
        kind=n.AGENT if agent else n.WORKFLOW,
        name=describe.span_name(operation, fact.name),
        start=fact.at,
        above=placed.above,
        run=placed.run,
        framework=fact.framework,
        attributes=attributes,
        agent=state,
        link=waits.link_to(pauses),
        join=waits.joined(pauses),
    )
    node.background = fact.background
    if fact.resume is not None:
        waits.resume(desk, node, fact.resume, pauses, fact.at)


def identified(desk: Desk, fact: Identified, node: Node) -> None:
    """Set on all that is open of the run, and on all that begins from now on."""
    run = node.place.run
    run.conversation, run.turn = fact.conversation or run.conversation, fact.turn or run.turn
    told = {n.CONVERSATION_ID: run.conversation, n.TURN_ID: run.turn}
    for other in desk.book.open.values():
        if other.place.run is run:
            other.record.attributes.update({name: said for name, said in told.items() if said is not None})


def run_ended(desk: Desk, fact: RunEnded, node: Node) -> None:
    _end_inside(desk, node, fact.outcome, fact.at)
    settle_leftovers(desk, node, fact.outcome, fact.at)
    attributes = node.record.attributes
    attributes[n.RUN_OUTCOME] = fact.outcome.value
    if fact.stop is not None:
        stop = describe.stop(fact.stop)
        attributes.update(stop)
        desk.event(node, n.EVENT_STOP, fact.at, stop)
    usage = describe.usage_total(fact.usage or node.place.agent.usage)
    if usage:
        attributes.update(usage)
        desk.event(node, n.EVENT_USAGE, fact.at, usage)
    desk.fail(node, fact.failure)
    desk.close(node, fact.at, unfinished=fact.outcome is RunOutcome.UNFINISHED)


def model_started(desk: Desk, fact: ModelStarted, *, force: bool = False) -> None:
    placed = place(desk, fact, force=force)
    if placed is None:
        return
    node = desk.open(
        key=fact.key,
        kind=n.CHAT,
        name=describe.span_name(n.OP_CHAT, fact.model),
        start=fact.at,
        above=placed.above,
        run=placed.run,
        framework=fact.framework,
        attributes=describe.model_started(fact, placed.run.mode, desk.policy),
    )
    if fact.messages is not None and node.record.outermost:
        # the mode of a run that is one model call is known only now
        node.record.attributes.update(describe.model_started(fact, placed.run.mode, desk.policy))


def model_ended(desk: Desk, fact: ModelEnded, node: Node) -> None:
    node.record.attributes.update(describe.model_ended(fact, node.place.run.mode, desk.policy))
    if fact.usage:
        upper: Node | None = node
        while upper is not None:
            if upper.owns_agent:
                upper.place.agent.usage = added(upper.place.agent.usage, fact.usage)
            upper = upper.parent
    desk.fail(node, fact.failure)
    desk.close(node, fact.at)


def handed_off(desk: Desk, fact: HandedOff, node: Node) -> None:
    described = describe.handoff(fact, node.place.run.mode, desk.policy)
    node.record.attributes.update({key: described[key] for key in (n.HANDOFF_FROM, n.HANDOFF_TO, n.HANDOFF_MECHANISM)})
    desk.event(node, n.EVENT_HANDOFF, fact.at, described)


def noted(desk: Desk, fact: Noted, node: Node) -> None:
    name = f"{n.SCOPE}.{fact.kind}"
    if name in n.NOTED_EVENTS:
        details = {
            f"{name}.{key}": short_text(value, 256, desk.policy.redact) if isinstance(value, str) else value
            for key, value in fact.details.items()
        }
        desk.event(node, name, fact.at, details)


def _end_inside(desk: Desk, node: Node, outcome: RunOutcome, at: int) -> None:
    """What is still open below a run that ended: its end was never seen, or the run took it along."""
    for child in list(node.children.values()):
        if not child.background:
            end_unseen(desk, child, outcome, at)


def end_unseen(desk: Desk, node: Node, outcome: RunOutcome, at: int) -> None:
    """Ends a record, and all below it, whose own end was not seen; `outcome` is the one of what ended above it."""
    took_along = outcome in _RUN_INSIDE_ENDED_RUN
    _end_inside(desk, node, outcome, at)
    kind, attributes = node.record.kind, node.record.attributes
    if node.owns_agent:
        ended = outcome if took_along else RunOutcome.UNFINISHED
        run_ended(desk, RunEnded(run=node.record.key, key=node.record.key, at=at, outcome=ended), node)
        return
    if kind == n.TOOL:
        call = CALLS_OF_ENDED_RUN.get(outcome, ToolOutcome.UNFINISHED)
        attributes[n.TOOL_OUTCOME] = call.value
    elif kind in (n.HOOK_COMMAND, n.HOOK_CALLBACK, n.HOOK):
        attributes[n.HOOK_OUTCOME] = "cancelled" if took_along else "unfinished"
    desk.close(node, at, unfinished=not took_along)
