"""The recorder: the only code that begins and ends spans.

What it promises of the facts of one run, and `tests/spans` hold it to:

- **Total.** No fact raises, whatever is in it. After `close()` nothing is open and nothing waits; what never ended has a
  declared outcome.
- **One tree.** Each key is one record, below its run's first record, in its run's trace. A fact that comes again changes nothing
  (for as long as the record is remembered: `parents.MAX_REMEMBERED` records after it ended).
- **Any order.** A fact waits for the record it is about, a record for its parent. Records, names, outcomes and parents are the
  same in every order in which a run's end comes after what happened inside it, a tool's end after its decisions, and the
  second use of a call id after its first. What comes
  after the run ended is too late to change it: a record that begins then is still below it, one that was open then has
  been ended with it (unless it goes on in the background).
- **Lost facts.** A lost end makes the record unfinished, or cancelled with its run. A lost beginning makes a record named
  `unknown` from its end, below its run; a lost run makes a workflow named `unknown`. Each is counted in `lost`.
- **Counted.** `hookspan.sequence` is 1, 2, … without a gap; the run's first record, and each that ends after it, says how many
  there were by then in `hookspan.records.total`.
- **Sinks** are told of a record's beginning once, then of its end once, in that order, outside the recorder's lock.
- **Bounded.** What waits, and what is remembered of ended records, has a fixed room; what finds none is counted in `lost`.

The same facts in the same order give the same tree, live or replayed.
"""

from __future__ import annotations

import os
import threading
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextvars import Token
from dataclasses import dataclass
from types import TracebackType

from hookspan.model.clock import now
from hookspan.model.content import HookCallbacks
from hookspan.model.facts import Fact, RunOutcome
from hookspan.model.ids import RecordKey
from hookspan.spans import forks, guard, parents
from hookspan.spans.desk import Desk
from hookspan.spans.fold import runs
from hookspan.spans.fold.dispatch import fold, force
from hookspan.spans.guard import guarded, shielded
from hookspan.spans.pauses import PauseIndex
from hookspan.spans.payload import ContentPolicy
from hookspan.spans.record import Identity, Sink
from hookspan.spans.state import Place


@dataclass(slots=True, eq=False)
class Entered:
    """What `leave` needs to undo an `enter`."""

    place: Token[Place | None]
    span: object


class Scope:
    """A class, since a generator's context manager costs four times as much at every model call."""

    __slots__ = ("_entered", "_key", "_recorder")

    def __init__(self, recorder: Recorder, key: RecordKey) -> None:
        self._recorder = recorder
        self._key = key
        self._entered: Entered | None = None

    def __enter__(self) -> None:
        try:
            self._entered = self._recorder.enter(self._key)
        except Exception as error:  # noqa: BLE001 -- the promise: never into the program
            guard.caught("entering a span", error)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        try:
            self._recorder.leave(self._entered)
        except Exception as fault:  # noqa: BLE001 -- as above
            guard.caught("leaving a span", fault)


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
        forks.around(self, child=Recorder.forget)

    def _begin(self) -> None:
        # re-entrant: a span processor of the user's may run an agent inside on_start
        self._lock = threading.RLock()
        writer = self._writer or f"{os.getpid()}-{uuid.uuid4().hex[:8]}"
        self._desk = Desk(self._identity, self._sinks, self._policy, self._pauses, writer)

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
            try:
                with self._lock:
                    fold(self._desk, fact)
            finally:
                self._desk.teller.tell()
        except Exception as error:  # noqa: BLE001 -- the promise: total
            self._desk.lose("fault")
            guard.caught(f"recording {type(fact).__name__}", error)

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

    def scope(self, key: RecordKey) -> Scope:
        """`with recorder.scope(key):` what runs inside is below the record `key`. Never around a yield to user code."""
        return Scope(self, key)

    @guarded
    def close(self) -> None:
        """Ends all that is open, as unfinished."""
        with self._lock:
            force(self._desk, self._desk.book.stranded())
            at = self._clock()
            for node in [node for node in self._desk.book.open.values() if node.parent is None or node.background]:
                runs.end_unseen(self._desk, node, RunOutcome.UNFINISHED, at)
        self._desk.teller.tell()

    def flush(self, timeout_s: float) -> bool:
        """Delivers what ended so far; True when every sink did within the time."""
        self._desk.teller.settle(timeout_s)
        delivered = [_kept(sink.flush, timeout_s) for sink in self._sinks]
        return all(delivered)

    def shutdown(self, timeout_s: float) -> None:
        """Ends what is open and closes the sinks."""
        self.close()
        self._desk.teller.settle(timeout_s)
        for sink in self._sinks:
            with shielded("closing a sink"):
                sink.shutdown(timeout_s)

    def forget(self) -> None:
        """In a forked child: the parent's open records are the parent's to end."""
        self._begin()
        parents.current.set(None)


def _kept(flush: Callable[[float], bool], timeout_s: float) -> bool:
    with shielded("flushing a sink"):
        return flush(timeout_s)
    return False
