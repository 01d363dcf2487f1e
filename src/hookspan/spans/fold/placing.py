"""Finding the place of a record that begins."""

from __future__ import annotations

from dataclasses import dataclass

from hookspan.model.facts import HandlerStarted, HookStarted, RunStarted, Started
from hookspan.model.ids import RecordKey
from hookspan.spans import parents
from hookspan.spans.desk import Desk
from hookspan.spans.state import Place, RunState


@dataclass(slots=True, eq=False)
class Placed:
    """`above` is None for an outermost record."""

    above: Place | None
    run: RunState


def place(desk: Desk, fact: Started, *, force: bool) -> Placed | None:
    """Where the record of `fact` belongs; None when it is known already, or has to wait for its parent.

    With `force` nothing waits: an unknown parent gives way to the run's first record. What is current in the thread that
    forces has nothing to do with the run then.
    """
    book = desk.book
    if book.seen(fact.key):
        return None
    around = None if force else parents.current.get()
    if isinstance(fact, RunStarted) and fact.parent is None and fact.key == fact.run:
        above = around
    else:
        above = _above(desk, fact.parent or fact.run, fact.run, force=force)
        if above is None and fact.key != fact.run:
            if not force:
                if not book.wait(fact.parent or fact.run, fact):
                    desk.lose("no_room_to_wait")
                return None
        elif above is None:
            above = around
    if above is not None and isinstance(fact, HookStarted | HandlerStarted):
        above = _held_up(desk, above, fact)
    run = above.run if above is not None else _new_run(fact)
    return Placed(above, run)


def _held_up(desk: Desk, above: Place, fact: HookStarted | HandlerStarted) -> Place:
    """The record of the call that the hook is about, where an adapter named its agent and the call runs."""
    running = above.agent.running.get(fact.call) if fact.call is not None and above.key == above.agent.key else None
    node = desk.book.open.get(running) if running is not None else None
    return node.place if node is not None else above


def _above(desk: Desk, wanted: RecordKey, run: RecordKey, *, force: bool) -> Place | None:
    found = desk.book.place(wanted)
    if found is None and force:
        found = desk.book.place(run)
    return found


def _new_run(fact: Started) -> RunState:
    run = RunState(run_id=fact.run, conversation=fact.conversation)
    if isinstance(fact, RunStarted):
        run.turn, run.user = fact.turn, fact.user
    return run
