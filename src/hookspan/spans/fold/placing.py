"""Finding the place of a record that begins."""

from __future__ import annotations

from dataclasses import dataclass

from hookspan.model.facts import RunStarted, Started
from hookspan.model.ids import RecordKey
from hookspan.spans import parents
from hookspan.spans.desk import Desk
from hookspan.spans.state import Place, RunState


@dataclass(frozen=True, slots=True)
class Placed:
    """`above` is None for an outermost record."""

    above: Place | None
    run: RunState


def place(desk: Desk, fact: Started, *, force: bool) -> Placed | None:
    """Where the record of `fact` belongs; None when it is known already, or has to wait for its parent.

    With `force` nothing waits: an unknown parent gives way to the run's first record.
    """
    book = desk.book
    if book.seen(fact.key):
        return None
    if isinstance(fact, RunStarted) and fact.parent is None and fact.key == fact.run:
        above = parents.current.get()
    else:
        above = _above(desk, fact.parent or fact.run, fact.run, force=force)
        if above is None and fact.key != fact.run:
            if not force:
                if not book.wait(fact.parent or fact.run, fact):
                    desk.lose("no_room_to_wait")
                return None
        elif above is None:
            above = parents.current.get()
    run = above.run if above is not None else _new_run(fact)
    return Placed(above, run)


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
