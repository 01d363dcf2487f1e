"""Who is whose parent: by id, never by thread or by what came last.

A record's parent is the one its fact names; the outermost record's is the one that is current where it begins. A fact
whose record or parent has not been seen yet waits for it, and is placed under its run when that ends.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from contextvars import ContextVar

from hookspan.model.facts import Ended, Fact, Started
from hookspan.model.ids import RecordKey
from hookspan.spans.state import Node, Place

MAX_WAITING = 4096
MAX_REMEMBERED = 1024

current: ContextVar[Place | None] = ContextVar("hookspan_current", default=None)
"""The record whose code runs here; set at execution boundaries only."""


class Book:
    """Open records by key, the places of those that ended lately, and facts that wait for a record."""

    def __init__(self) -> None:
        self.open: dict[RecordKey, Node] = {}
        self._ended: OrderedDict[RecordKey, Place] = OrderedDict()
        self._waiting: dict[RecordKey, list[Fact]] = {}
        self._waiting_count = 0

    def place(self, key: RecordKey) -> Place | None:
        """Where `key` stands or stood; None when it is not known."""
        node = self.open.get(key)
        return node.place if node is not None else self._ended.get(key)

    def above(self, place: Place | None) -> Node | None:
        """The innermost record that is open at `place`."""
        while place is not None:
            node = self.open.get(place.key)
            if node is not None:
                return node
            place = place.above
        return None

    def seen(self, key: RecordKey) -> bool:
        return key in self.open or key in self._ended

    def add(self, node: Node) -> None:
        self.open[node.record.key] = node
        if node.parent is not None:
            node.parent.children[node.record.key] = node

    def remove(self, node: Node) -> None:
        key = node.record.key
        self.open.pop(key, None)
        if node.parent is not None:
            node.parent.children.pop(key, None)
        for child in node.children.values():
            # what goes on below an ended record is still to be ended with the run
            child.parent = node.parent
            if node.parent is not None:
                node.parent.children[child.record.key] = child
        self._ended[key] = node.place
        if len(self._ended) > MAX_REMEMBERED:
            self._ended.popitem(last=False)

    def wait(self, key: RecordKey, fact: Fact) -> bool:
        """Keeps `fact` until `key` begins; False when there is no room for it."""
        if self._waiting_count >= MAX_WAITING:
            return False
        self._waiting.setdefault(key, []).append(fact)
        self._waiting_count += 1
        return True

    def arrived(self, key: RecordKey) -> list[Fact]:
        """The facts that waited for `key`, and those that waited for records which these begin, in the order they
        happened: an end that came early must not end what it should find inside."""
        if not self._waiting:
            return []
        facts: list[Fact] = []
        begun = [key]
        while begun:
            mine = self._waiting.pop(begun.pop(), [])
            facts += mine
            begun += [fact.key for fact in mine if isinstance(fact, Started)]
        self._waiting_count -= len(facts)
        return sorted(facts, key=_order) if len(facts) > 1 else facts

    def stranded(self, run: RecordKey | None = None) -> list[Fact]:
        """All facts (of `run`) that still wait, in the order they happened; a beginning comes after its parent's."""
        found: list[Fact] = []
        for key in list(self._waiting):
            mine = [fact for fact in self._waiting[key] if run is None or fact.run == run]
            if mine:
                rest = [fact for fact in self._waiting[key] if run is not None and fact.run != run]
                if rest:
                    self._waiting[key] = rest
                else:
                    del self._waiting[key]
                found += mine
        self._waiting_count -= len(found)
        return _parents_first(sorted(found, key=_order))


def _order(fact: Fact) -> tuple[int, int]:
    rank = 0 if isinstance(fact, Started) else 2 if isinstance(fact, Ended) else 1
    return (fact.at, rank)


def _parents_first(facts: Sequence[Fact]) -> list[Fact]:
    """`facts` in their order, but a beginning before everything about it or below it, whatever the clocks said."""
    begins = {fact.key: fact for fact in facts if isinstance(fact, Started)}
    ordered: list[Fact] = []
    for fact in facts:
        chain: list[Fact] = [] if isinstance(fact, Started) else [fact]
        wanted: RecordKey | None = fact.key
        while wanted is not None and (begin := begins.pop(wanted, None)) is not None:
            chain.append(begin)
            wanted = begin.parent
        ordered += reversed(chain)
    return ordered
