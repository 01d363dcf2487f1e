"""Hook events and the executions of their handlers."""

from __future__ import annotations

from hookspan.model.facts import HandlerEnded, HandlerStarted, HookEnded, HookStarted
from hookspan.spans import describe
from hookspan.spans import names as n
from hookspan.spans.desk import Desk
from hookspan.spans.fold.decisions import mark
from hookspan.spans.fold.placing import place
from hookspan.spans.state import Node


def hook_started(desk: Desk, fact: HookStarted, *, force: bool = False) -> None:
    placed = place(desk, fact, force=force)
    if placed is None:
        return
    node = desk.open(
        key=fact.key,
        kind=n.HOOK,
        name=describe.span_name(n.HOOK, fact.event),
        start=fact.at,
        above=placed.above,
        run=placed.run,
        framework=fact.framework,
        attributes=describe.hook_started(fact),
    )
    node.call = fact.call


def hook_ended(desk: Desk, fact: HookEnded, node: Node) -> None:
    node.record.attributes[n.HOOK_OUTCOME] = fact.outcome.value
    _decision(desk, node, fact)
    desk.close(node, fact.at)


def handler_started(desk: Desk, fact: HandlerStarted, *, force: bool = False) -> None:
    placed = place(desk, fact, force=force)
    if placed is None:
        return
    kind = n.HOOK_COMMAND if fact.command else n.HOOK_CALLBACK
    node = desk.open(
        key=fact.key,
        kind=kind,
        name=describe.span_name(kind, fact.event),
        start=fact.at,
        above=placed.above,
        run=placed.run,
        framework=fact.framework,
        attributes=describe.handler_started(fact, placed.run.mode, desk.policy),
    )
    node.call = fact.call


def handler_ended(desk: Desk, fact: HandlerEnded, node: Node) -> None:
    node.record.attributes.update(describe.handler_ended(fact))
    _decision(desk, node, fact)
    desk.fail(node, fact.failure)
    desk.close(node, fact.at)


def _decision(desk: Desk, node: Node, fact: HookEnded | HandlerEnded) -> None:
    if fact.decision is not None:
        node.record.attributes.update(describe.decision(fact.decision, node.place.run.mode, desk.policy))
        mark(desk, node, fact.decision, fact.at)
