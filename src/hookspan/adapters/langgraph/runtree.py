"""LangChain's run ids: which run is inside which, and which record each belongs to.

Held from a run's start callback to its end callback, and dropped with the outermost run on every path.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto
from uuid import UUID

from langchain_core.messages import ToolCall

from hookspan.model.facts import Mechanism, Stop
from hookspan.model.ids import CallId, RecordKey


class RunRole(Enum):
    GRAPH = auto()
    CHAT = auto()
    TOOL = auto()
    NODE = auto()
    OTHER = auto()
    """A runnable that has no record of its own."""


@dataclass(slots=True, eq=False)
class Turn:
    """One run of a graph, as far as its later callbacks need it."""

    key: RecordKey
    name: str
    framework: str
    thread: str | None
    agent: bool
    resumed: bool = False
    user: str | None = None
    interrupted: bool = False
    finish_reason: str | None = None
    stopped_by: Stop | None = None
    handed_off: Mechanism | None = None
    messages_seen: int = 0
    proposed: list[ToolCall] = field(default_factory=list[ToolCall])
    """The latest model answer's calls."""
    pending: dict[CallId, str] = field(default_factory=dict[CallId, str])
    """Proposed calls by id, with their tool's name, that neither began nor were answered."""
    started: set[CallId] = field(default_factory=set[CallId])
    short_circuited: dict[CallId, str] = field(default_factory=dict[CallId, str])
    """Calls that a middleware answered in the tool's place, with the middleware's name."""


@dataclass(slots=True, eq=False)
class Run:
    """One callback run. `key` is its own record's or the nearest one's above; None outside any record."""

    id: UUID
    role: RunRole
    root: UUID
    key: RecordKey | None
    turn: Turn | None
    parent: Run | None
    began: int = 0
    name: str = ""
    call: CallId | None = None
    structured: bool = False
    """A model call whose tool calls are its structured answer, not calls."""
    answers: dict[CallId, str] = field(default_factory=dict[CallId, str])
    """A tools node's calls, by id with their tool's name."""
    held: list[CallId] = field(default_factory=list[CallId])
    """Calls inside a node that an interrupt ended."""


class RunTree:
    """All runs that have started and not ended."""

    def __init__(self) -> None:
        self.runs: dict[UUID, Run] = {}
        self._members: dict[UUID, set[UUID]] = {}

    def add(self, run: Run) -> None:
        self.runs[run.id] = run
        self._members.setdefault(run.root, set()).add(run.id)

    def get(self, run_id: UUID | None) -> Run | None:
        return self.runs.get(run_id) if run_id is not None else None

    def end(self, run_id: UUID) -> Run | None:
        """Forgets a run; with an outermost one, all that never ended inside it."""
        run = self.runs.pop(run_id, None)
        if run is None:
            return None
        if run.root == run.id:
            for member in self._members.pop(run.id, ()):
                self.runs.pop(member, None)
        else:
            members = self._members.get(run.root)
            if members is not None:
                members.discard(run_id)
        return run

    def clear(self) -> None:
        self.runs.clear()
        self._members.clear()
