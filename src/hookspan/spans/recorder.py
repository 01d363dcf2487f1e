"""The recorder: the only code that begins and ends spans.

It folds facts into records: total (never raises), idempotent, keyed by ids, bounded. The same facts give the same
tree, live or replayed.
"""

from __future__ import annotations

import os
import threading
import uuid
import weakref
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import Token
from dataclasses import dataclass

from hookspan.model.clock import now
from hookspan.model.content import HookCallbacks
from hookspan.model.facts import (
    Decided,
    Fact,
    HandedOff,
    HandlerEnded,
    HandlerStarted,
    HookEnded,
    HookStarted,
    Interrupted,
    ModelEnded,
    ModelStarted,
    Noted,
    Resumed,
    RunEnded,
    RunOutcome,
    RunStarted,
    Started,
    ToolEnded,
    ToolProposed,
    ToolSettled,
    ToolStarted,
)
from hookspan.model.ids import RecordKey
from hookspan.spans import guard, parents
from hookspan.spans.desk import Desk, Telling
from hookspan.spans.fold import hooks, runs, tools, waits
from hookspan.spans.fold.lost import lost_beginning, lost_run
from hookspan.spans.guard import guarded, note, shielded
from hookspan.spans.pauses import PauseIndex
from hookspan.spans.payload import ContentPolicy
from hookspan.spans.record import Identity, Sink
from hookspan.spans.state import Place

_STARTS: Mapping[type, Callable[..., None]] = {
    RunStarted: runs.run_started,
    ModelStarted: runs.model_started,
    ToolStarted: tools.tool_started,
    HookStarted: hooks.hook_started,
    HandlerStarted: hooks.handler_started,
}
_REST: Mapping[type, Callable[..., None]] = {
    RunEnded: runs.run_ended,
    ModelEnded: runs.model_ended,
    ToolEnded: tools.tool_ended,
    HookEnded: hooks.hook_ended,
    HandlerEnded: hooks.handler_ended,
    ToolProposed: tools.tool_proposed,
    ToolSettled: tools.tool_settled,
    Decided: tools.decided,
    HandedOff: runs.handed_off,
    Noted: runs.noted,
    Interrupted: waits.interrupted,
    Resumed: waits.resumed,
}


@dataclass(frozen=True, slots=True)
class Entered:
    """What `leave` needs to undo an `enter`."""

    place: Token[Place | None]
    span: object


class Recorder:
    """Folds facts into records and tells `sinks` of them.

    `identity` gives each record its ids and enters it as the current span; `policy` says what content is kept;
    `pauses` ties resumed runs to paused ones; `writer` names this process among those that write one run.
    """

    def __init__(
        self,
        *,
        identity: Identity,
        sinks: Sequence[Sink],
        policy: ContentPolicy,
        pauses: PauseIndex,
        clock: Callable[[], int] = now,
        writer: str | None = None,
        hook_callbacks: HookCallbacks = HookCallbacks.CHANGED,
    ) -> None:
        self._identity = identity
        self._sinks = tuple(sinks)
        self._policy = policy
        self._pauses = pauses
        self._clock = clock
        self._writer = writer
        self.hook_callbacks = hook_callbacks
        """Read by the adapters: which executions of in-process hooks they tell of."""
        self._begin()
        _forget_in_child(self)

    def _begin(self) -> None:
        # re-entrant: a span processor of the user's may run an agent inside on_start
        self._lock = threading.RLock()
        self._desk = Desk(self._identity, self._policy, self._pauses, self._writer or f"{os.getpid()}-{uuid.uuid4().hex[:8]}")

    @property
    def open_records(self) -> int:
        return len(self._desk.book.open)

    @property
    def lost(self) -> Mapping[str, int]:
        """How many facts were dropped, by reason."""
        return self._desk.lost

    @property
    def keeps_messages(self) -> bool:
        """Whether any run may keep messages: an adapter need not translate them otherwise."""
        return self._policy.mode is not None and self._policy.mode.value == "full"

    def record(self, fact: Fact) -> None:
        """Takes one fact. Never raises, whatever the fact; a repeated one changes nothing."""
        try:
            with self._lock:
                self._fold(fact)
                telling = self._desk.told()
            self._tell(telling)
        except Exception as error:  # noqa: BLE001 -- the promise: total
            note(f"recording {type(fact).__name__}", error)
            self._desk.lose("fault")
            _reraise(error)

    def current_key(self) -> RecordKey | None:
        """The record whose code runs here."""
        place = parents.current.get()
        return place.key if place is not None else None

    def enter(self, key: RecordKey) -> Entered | None:
        """Makes the open record `key` the current one, for our records and as OpenTelemetry's current span.

        None when it is not open or is the current one already. Undo it with `leave` in the same context, or enter
        inside a copied context that is thrown away.
        """
        node = self._desk.book.open.get(key)
        if node is None or parents.current.get() is node.place:
            return None
        return Entered(parents.current.set(node.place), self._identity.enter(node.record))

    def leave(self, entered: Entered | None) -> None:
        if entered is None:
            return
        self._identity.leave(entered.span)
        try:
            parents.current.reset(entered.place)
        except ValueError:
            # a generator of the user's was closed in another context: that one never held our value
            return

    @contextmanager
    def scope(self, key: RecordKey) -> Generator[None]:
        """`with recorder.scope(key):` what runs inside is below the record `key`. Never around a yield to user code."""
        entered = None
        with shielded("entering a span"):
            entered = self.enter(key)
        try:
            yield
        finally:
            with shielded("leaving a span"):
                self.leave(entered)

    @guarded
    def close(self) -> None:
        """Ends all that is open, as unfinished."""
        with self._lock:
            self._force(self._desk.book.stranded())
            at = self._clock()
            for node in [node for node in self._desk.book.open.values() if node.parent is None]:
                runs.end_unseen(self._desk, node, RunOutcome.UNFINISHED, at)
            for node in list(self._desk.book.open.values()):
                runs.end_unseen(self._desk, node, RunOutcome.UNFINISHED, at)
            telling = self._desk.told()
        self._tell(telling)

    def flush(self, timeout_s: float) -> bool:
        """Delivers what ended so far; True when every sink did within the time."""
        delivered = [_kept(sink.flush, timeout_s) for sink in self._sinks]
        return all(delivered)

    def shutdown(self, timeout_s: float) -> None:
        """Ends what is open and closes the sinks."""
        self.close()
        for sink in self._sinks:
            with shielded("closing a sink"):
                sink.shutdown(timeout_s)

    def _fold(self, fact: Fact) -> None:
        start = _STARTS.get(type(fact))
        if start is not None:
            start(self._desk, fact)
            if fact.key in self._desk.book.open:
                for waited in self._desk.book.arrived(fact.key):
                    self._fold(waited)
            return
        node = self._desk.book.open.get(fact.key)
        if node is None:
            if not self._desk.book.seen(fact.key) and not self._desk.book.wait(fact.key, fact):
                self._desk.lose("no_room_to_wait")
            return
        if isinstance(fact, RunEnded) and fact.key == fact.run:
            self._force(self._desk.book.stranded(fact.run))
        _REST[type(fact)](self._desk, fact, node)

    def _force(self, facts: Sequence[Fact]) -> None:
        """Places facts whose record or parent never came: under their run, whose own beginning may be lost too."""
        book = self._desk.book
        for fact in facts:
            if book.place(fact.run) is None and fact.key != fact.run:
                self._fold(lost_run(fact))
            if isinstance(fact, Started):
                _STARTS[type(fact)](self._desk, fact, force=True)
                continue
            if not book.seen(fact.key):
                self._desk.lose("beginning_lost")
                _start_anyway(self._desk, lost_beginning(fact))
            node = book.open.get(fact.key)
            if node is not None:
                _REST[type(fact)](self._desk, fact, node)

    def _tell(self, telling: Sequence[Telling]) -> None:
        for tell, record in telling:
            for sink in self._sinks:
                try:
                    tell(sink, record)
                except Exception as error:  # noqa: BLE001 -- one sink's fault is not another's
                    note(f"telling {type(sink).__name__}", error)
                    self._desk.lose("sink")
                    _reraise(error)

    def forget(self) -> None:
        """In a forked child: the parent's open records are the parent's to end."""
        self._begin()
        parents.current.set(None)


def _start_anyway(desk: Desk, fact: Started) -> None:
    _STARTS[type(fact)](desk, fact, force=True)


def _kept(flush: Callable[[float], bool], timeout_s: float) -> bool:
    with shielded("flushing a sink"):
        return flush(timeout_s)
    return False


def _reraise(error: Exception) -> None:
    if guard.reraise:
        raise error


def _forget_in_child(recorder: Recorder) -> None:
    reference = weakref.ref(recorder)

    def after() -> None:
        alive = reference()
        if alive is not None:
            alive.forget()

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=after)
