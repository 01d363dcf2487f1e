"""Opens, marks and closes records; what sinks must be told is queued, to be told outside the lock, in this order."""

from __future__ import annotations

from collections.abc import Sequence

from hookspan.model.facts import Failure
from hookspan.model.ids import RecordKey
from hookspan.spans import names as n
from hookspan.spans.parents import Book
from hookspan.spans.pauses import PauseIndex
from hookspan.spans.payload import ContentPolicy, short_text
from hookspan.spans.record import Attributes, AttributeValue, Identity, Record, Sink, SpanEvent, SpanIds, SpanLink
from hookspan.spans.state import AgentState, Node, Place, RunState
from hookspan.spans.telling import Teller

MAX_EVENTS = 32

_CLIENT_KINDS = frozenset({n.CHAT, n.HOOK_COMMAND})


class Desk:
    def __init__(self, identity: Identity, sinks: Sequence[Sink], policy: ContentPolicy, pauses: PauseIndex, writer: str) -> None:
        self.book = Book()
        self.policy = policy
        self.pauses = pauses
        self.writer = writer
        self.lost: dict[str, int] = {}
        self._identity = identity
        self.teller = Teller(sinks, self.lose)

    def open(
        self,
        *,
        key: RecordKey,
        kind: str,
        name: str,
        start: int,
        above: Place | None,
        run: RunState,
        framework: str,
        attributes: dict[str, AttributeValue],
        agent: AgentState | None = None,
        link: SpanLink | None = None,
        join: SpanIds | None = None,
    ) -> Node:
        """Begins a record below `above`. `agent` is given by agents and workflows: their own books. `join` is the
        parent of a run that goes on in a trace begun earlier; it gives way to the caller's span."""
        run.sequence += 1
        parent = self.book.above(above)
        if above is not None and start < above.start:
            # a call that was proposed before what it runs in began: backends would move it
            start = above.start
        holder = agent or (above.agent if above is not None else AgentState())
        if agent is not None and above is not None:
            agent.above = above.agent
        attributes[n.RECORD] = kind
        attributes[n.FRAMEWORK] = framework
        attributes[n.RUN_ID] = run.run_id
        attributes[n.WRITER_ID] = self.writer
        attributes[n.SEQUENCE] = run.sequence
        if run.conversation is not None:
            attributes[n.CONVERSATION_ID] = run.conversation
        if run.turn is not None:
            attributes[n.TURN_ID] = run.turn
        if holder.name is not None and n.AGENT_NAME not in attributes:
            attributes[n.AGENT_NAME] = short_text(holder.name)
        record = Record(
            key=key,
            kind=kind,
            name=name,
            client=kind in _CLIENT_KINDS,
            run_id=run.run_id,
            start=start,
            attributes=attributes,
            parent=above.ids if above is not None else join,
            # given here: a default of a generic type costs more than the rest of the record
            events=[],
            links=[],
            outermost=run.sequence == 1,
        )
        if link is not None:
            record.links.append(link)
        try:
            record.ids = ids = self._identity.issue(record)
        except BaseException:
            run.sequence -= 1  # a gap would say that a record was lost on its way
            raise
        if record.outermost:
            run.mode = self.policy.in_force(exported=self._identity.exported(record))
        place = Place(key, run, ids, holder, framework, above, start)
        node = Node(record, place, parent, {}, agent is not None, began=start, heard=set())
        self.book.add(node)
        self.teller.opened(record)
        return node

    def close(self, node: Node, end: int, *, unfinished: bool = False) -> None:
        record = node.record
        record.end = max(end, record.start)
        record.unfinished = unfinished
        if record.outermost or _late(node):
            record.attributes[n.RECORDS_TOTAL] = node.place.run.sequence
        self.book.remove(node)
        self.teller.closed(record)

    def event(self, node: Node, name: str, at: int, attributes: Attributes) -> None:
        """Adds an event; beyond 32 they are counted instead."""
        record = node.record
        if len(record.events) < MAX_EVENTS:
            record.events.append(SpanEvent(name, at, attributes))
            return
        omitted = record.attributes.get(n.EVENTS_OMITTED, 0)
        record.attributes[n.EVENTS_OMITTED] = (omitted if isinstance(omitted, int) else 0) + 1

    def fail(self, node: Node, failure: Failure | None) -> None:
        """Marks a real failure; None changes nothing."""
        if failure is not None:
            node.record.attributes[n.ERROR_TYPE] = short_text(failure.type)
            node.record.error = short_text(failure.message or failure.type, 1024, self.policy.redact)

    def lose(self, reason: str) -> None:
        self.lost[reason] = self.lost.get(reason, 0) + 1


def _late(node: Node) -> bool:
    """A record that outlives its run's first one: the total that was given there is no longer the last word."""
    upper, run = node.parent, node.place.run
    while upper is not None:
        if upper.record.outermost and upper.place.run is run:
            return False
        upper = upper.parent
    return True
