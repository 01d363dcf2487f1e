"""What the recorder remembers of a run while it runs, and nothing longer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from hookspan.model.content import ContentMode
from hookspan.model.decision import Basis, Decision
from hookspan.model.facts import ToolProposed
from hookspan.model.ids import CallId, RecordKey
from hookspan.model.usage import TokenUsage
from hookspan.spans.pauses import Pause
from hookspan.spans.record import Record, SpanIds


@dataclass(slots=True, eq=False)
class Verdicts:
    """What was decided about calls that have no record yet, and why calls may run."""

    pending: dict[CallId, list[Decision]] = field(default_factory=dict[CallId, "list[Decision]"])
    bases: dict[CallId, Basis] = field(default_factory=dict[CallId, Basis])


@dataclass(slots=True, eq=False)
class RunState:
    """One outermost invocation, shared by all that runs inside it."""

    run_id: str
    conversation: str | None = None
    turn: str | None = None
    user: str | None = None
    mode: ContentMode = ContentMode.NONE
    sequence: int = 0
    """Records begun so far; the newest one's position."""
    verdicts: Verdicts = field(default_factory=Verdicts)
    """A person's answers to an earlier run: which agent of this one makes the call is not known."""
    interrupts: set[tuple[RecordKey, str]] = field(default_factory=set[tuple[RecordKey, str]])
    """Which record told of which interrupt."""
    resumed_from: Sequence[Pause] = ()
    unmatched_answers: bool = False
    """A person answered, and it is not known about which calls."""


@dataclass(slots=True, eq=False)
class AgentState:
    """The tool calls and tokens of one agent's turn (or one workflow's run)."""

    key: RecordKey | None = None
    name: str | None = None
    above: AgentState | None = None
    verdicts: Verdicts = field(default_factory=Verdicts)
    proposals: dict[CallId, ToolProposed] = field(default_factory=dict[CallId, ToolProposed])
    attempts: dict[CallId, int] = field(default_factory=dict[CallId, int])
    last: dict[CallId, Place] = field(default_factory=dict[CallId, "Place"])
    """The latest record of each call, open or not."""
    tools: dict[CallId, str] = field(default_factory=dict[CallId, str])
    running: dict[CallId, RecordKey] = field(default_factory=dict[CallId, RecordKey])
    heard: dict[CallId, int] = field(default_factory=dict[CallId, int])
    """When a call with a record was last heard of."""
    usage: TokenUsage = field(default_factory=TokenUsage)


@dataclass(slots=True, eq=False)
class Place:
    """Where a record stands, remembered for a while after it ended: children may come late."""

    key: RecordKey
    run: RunState
    ids: SpanIds
    agent: AgentState
    framework: str
    above: Place | None = None
    start: int = 0
    """Nothing below it begins earlier, even what comes after it ended."""


@dataclass(slots=True, eq=False)
class Node:
    """An open record with what belongs to it."""

    record: Record
    place: Place
    parent: Node | None
    children: dict[RecordKey, Node] = field(default_factory=dict[RecordKey, "Node"])
    owns_agent: bool = False
    background: bool = False
    began: int = 0
    """When execution began; a tool's record may begin earlier, with its proposal."""
    call: CallId | None = None
    heard: set[object] = field(default_factory=set[object])
    """What was said of the record so far: the same again changes nothing."""
