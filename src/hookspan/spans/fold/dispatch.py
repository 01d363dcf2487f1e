"""One fact at a time: which function folds it, what waits for what, and what is placed anyway when a run ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import cast

from hookspan.model.facts import (
    Decided,
    Fact,
    HandedOff,
    HandlerEnded,
    HandlerStarted,
    HookEnded,
    HookStarted,
    Identified,
    Interrupted,
    ModelEnded,
    ModelStarted,
    Noted,
    Resumed,
    RunEnded,
    RunStarted,
    Started,
    ToolEnded,
    ToolProposed,
    ToolSettled,
    ToolStarted,
)
from hookspan.spans.desk import Desk
from hookspan.spans.fold import decisions, hooks, runs, tools, waits
from hookspan.spans.fold.lost import lost_beginning, lost_run
from hookspan.spans.state import Node

_STARTS: Mapping[type, Callable[..., None]] = {
    RunStarted: runs.run_started,
    ModelStarted: runs.model_started,
    ToolStarted: tools.tool_started,
    HookStarted: hooks.hook_started,
    HandlerStarted: hooks.handler_started,
}
_REST: Mapping[type, Callable[..., None]] = {
    RunEnded: runs.run_ended,
    Identified: runs.identified,
    ModelEnded: runs.model_ended,
    ToolEnded: tools.tool_ended,
    HookEnded: hooks.hook_ended,
    HandlerEnded: hooks.handler_ended,
    ToolProposed: tools.tool_proposed,
    ToolSettled: tools.tool_settled,
    Decided: decisions.decided,
    HandedOff: runs.handed_off,
    Noted: runs.noted,
    Interrupted: waits.interrupted,
    Resumed: waits.resumed,
}

_ENDS = frozenset({RunEnded, ModelEnded, ToolEnded, HookEnded, HandlerEnded})
"""Told once in any case: the record is closed then."""


def fold(desk: Desk, fact: Fact) -> None:
    """Makes of one fact what can be made of it by now; the rest waits."""
    if type(fact) in _STARTS:
        _start(desk, cast("Started", fact))
        return
    node = desk.book.open.get(fact.key)
    if node is None:
        if not desk.book.seen(fact.key) and not desk.book.wait(fact.key, fact):
            desk.lose("no_room_to_wait")
        return
    if isinstance(fact, RunEnded) and fact.key == fact.run:
        force(desk, desk.book.stranded(fact.run))
    _continue(desk, fact, node)


def force(desk: Desk, facts: Sequence[Fact]) -> None:
    """Places facts whose record or parent never came: under their run, whose own beginning may be lost too."""
    book = desk.book
    for fact in facts:
        if book.place(fact.run) is None and fact.key != fact.run:
            desk.lose("run_lost")
            _start(desk, lost_run(fact), force=True)
        if isinstance(fact, Started):
            _start(desk, fact, force=True)
            continue
        if not book.seen(fact.key):
            desk.lose("beginning_lost")
            _start(desk, lost_beginning(fact), force=True)
        node = book.open.get(fact.key)
        if node is not None:
            _continue(desk, fact, node)


def _start(desk: Desk, fact: Started, *, force: bool = False) -> None:
    _STARTS[type(fact)](desk, fact, force=force)
    if fact.key in desk.book.open:
        for waited in desk.book.arrived(fact.key):
            fold(desk, waited)


def _continue(desk: Desk, fact: Fact, node: Node) -> None:
    if type(fact) not in _ENDS:
        said = _said_once(fact)
        if said in node.heard:
            return
        node.heard.add(said)
    _REST[type(fact)](desk, fact, node)


def _said_once(fact: Fact) -> tuple[object, ...]:
    """What makes two facts about one record the same; their content may be of any size and is left out."""
    return (
        type(fact),
        fact.at,
        getattr(fact, "call", None),
        getattr(fact, "decision", None),
        getattr(fact, "interrupt", None),
        getattr(fact, "target", None),
        getattr(fact, "kind", None),
    )
