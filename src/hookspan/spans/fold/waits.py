"""Pauses, and the runs that go on after them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hookspan.model.decision import Decision
from hookspan.model.facts import Interrupted, Resume, Resumed, RunStarted, ToolOutcome, ToolSettled
from hookspan.model.ids import CallId, RecordKey
from hookspan.spans import describe
from hookspan.spans import names as n
from hookspan.spans.desk import Desk
from hookspan.spans.fold.decisions import decide
from hookspan.spans.fold.tools import tool_settled
from hookspan.spans.pauses import HeldCall, Pause
from hookspan.spans.payload import short_text
from hookspan.spans.record import SpanIds, SpanLink
from hookspan.spans.state import Node, Place


def interrupted(desk: Desk, fact: Interrupted, node: Node) -> None:
    """The run's wait becomes visible at once: a pause record below what is held up, exported when it is made.

    One interrupt surfaces in every agent above the one that raised it; the pause is made once, at the innermost.
    """
    run, agent = node.place.run, node.place.agent
    if fact.checkpoint is not None:
        node.record.attributes[n.CHECKPOINT_ID] = short_text(fact.checkpoint)
    if (node.record.key, fact.interrupt) in run.interrupts:
        return
    known = any(interrupt == fact.interrupt for _, interrupt in run.interrupts)
    run.interrupts.add((node.record.key, fact.interrupt))
    described = describe.interrupt(fact, run.mode, desk.policy)
    desk.event(node, n.EVENT_INTERRUPT, fact.at, described)
    node.record.attributes[n.INTERRUPT_ID] = described[n.INTERRUPT_ID]
    node.record.attributes[n.INTERRUPT_KIND] = described[n.INTERRUPT_KIND]
    if known:
        return
    held = tuple(HeldCall(call, _tool_of(node, call)) for call in fact.calls)
    for call in fact.calls:
        proposal = agent.proposals.get(call)
        if proposal is not None and fact.ends_run:
            settled = ToolSettled(
                run=fact.run,
                key=fact.key,
                at=fact.at,
                call=call,
                name=proposal.name,
                framework=fact.framework,
                outcome=ToolOutcome.INTERRUPTED,
            )
            tool_settled(desk, settled, node)
    above = _held_up(node, fact.calls)
    pause = desk.open(
        key=RecordKey(f"{fact.key}/pause/{fact.interrupt}"),
        kind=n.PAUSE,
        name=n.PAUSE,
        start=fact.at,
        above=above,
        run=run,
        framework=fact.framework,
        attributes=_pause_attributes(described, fact.calls),
    )
    desk.close(pause, fact.at)
    if not fact.ends_run:
        return
    top = _top(node)
    desk.pauses.put(
        Pause(
            interrupt=fact.interrupt,
            thread=fact.thread,
            run_id=run.run_id,
            trace_id=top.place.ids.trace_id,
            span_id=top.place.ids.span_id,
            sampled=top.place.ids.sampled,
            at=fact.at,
            kind=fact.kind.value,
            calls=held,
        )
    )


def pauses_of(desk: Desk, fact: RunStarted) -> Sequence[Pause]:
    """The pauses that a run answers, as far as they are known here."""
    if fact.resume is None:
        return ()
    named = [answer.interrupt for answer in fact.resume.answers if answer.interrupt is not None]
    return desk.pauses.find(named, fact.resume.thread)


def link_to(pauses: Sequence[Pause]) -> SpanLink | None:
    """A link to the run that paused."""
    if not pauses:
        return None
    return SpanLink(_ids(pauses[0]), {n.INTERRUPT_ID: pauses[0].interrupt})


def joined(pauses: Sequence[Pause]) -> SpanIds | None:
    """The paused run's first span: the parent of a run that goes on with no span around it, so that the whole
    conversation about one call is one trace."""
    return _ids(pauses[0]) if pauses else None


def resume(desk: Desk, node: Node, resumed: Resume, pauses: Sequence[Pause], at: int) -> None:
    run = node.place.run
    run.resumed_from = pauses
    for pause in pauses:
        wait = max(0, at - pause.at) / 1e9
        desk.event(node, n.EVENT_RESUME, at, {n.RESUME_INTERRUPT_ID: pause.interrupt, n.RESUME_WAIT_S: wait})
        node.record.attributes[n.INTERRUPT_ID] = pause.interrupt
    if not pauses and resumed.answers:
        desk.event(node, n.EVENT_RESUME, at, _named_interrupts(resumed))
    for answer in resumed.answers:
        pause = _answered(answer.interrupt, pauses)
        _decide_all(desk, node, answer.decisions, pause, at)


def resumed(desk: Desk, fact: Resumed, node: Node) -> None:
    if fact.checkpoint is not None:
        node.record.attributes[n.CHECKPOINT_ID] = fact.checkpoint
    if node.place.run.resumed_from or not node.record.outermost or fact.resume.answers:
        return
    # by the checkpoint that it goes on from: the thread's latest pause may have been answered long ago
    pauses = desk.pauses.find((fact.checkpoint,), None) if fact.checkpoint is not None else ()
    link = link_to(pauses)
    if link is not None:
        node.record.links.append(link)
        resume(desk, node, fact.resume, pauses, fact.at)


def _decide_all(desk: Desk, node: Node, decisions: Sequence[Decision], pause: Pause | None, at: int) -> None:
    wait = max(0, at - pause.at) / 1e9 if pause is not None else None
    held = pause.calls if pause is not None else ()
    if decisions and len(held) != len(decisions):
        node.place.run.unmatched_answers = True
    for number, decision in enumerate(decisions):
        timed = replace(decision, wait_s=wait) if decision.wait_s is None else decision
        about = held[number] if len(held) == len(decisions) else None
        call = CallId(about.call) if about is not None else None
        decide(desk, node, node.place.run.verdicts, timed, call, about.tool if about is not None else None, at)


def _answered(interrupt: str | None, pauses: Sequence[Pause]) -> Pause | None:
    if interrupt is None:
        return pauses[0] if len(pauses) == 1 else None
    return next((pause for pause in pauses if pause.interrupt == interrupt), None)


def _named_interrupts(resumed: Resume) -> dict[str, str]:
    named = [answer.interrupt for answer in resumed.answers if answer.interrupt is not None]
    return {n.RESUME_INTERRUPT_ID: named[0]} if named else {}


def _held_up(node: Node, calls: Sequence[CallId]) -> Place:
    """The call's own record where exactly one is held up, else the agent's."""
    held = node.place.agent.last.get(calls[0]) if len(calls) == 1 else None
    return held if held is not None else node.place


def _tool_of(node: Node, call: CallId) -> str:
    proposal = node.place.agent.proposals.get(call)
    return proposal.name if proposal is not None else node.place.agent.tools.get(call, "")


def _pause_attributes(described: describe.Described, calls: Sequence[CallId]) -> describe.Described:
    attributes = dict(described)
    if len(calls) == 1:
        attributes[n.TOOL_CALL_ID] = calls[0]
    return attributes


def _top(node: Node) -> Node:
    """The outermost run's record that is still open: what a later run is linked to."""
    top = node
    while top.parent is not None:
        top = top.parent
    return top


def _ids(pause: Pause) -> SpanIds:
    return SpanIds(pause.trace_id, pause.span_id, pause.sampled)
