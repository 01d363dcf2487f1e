"""LangChain's run ids: which run is inside which, and which record each belongs to.

Held from a run's start callback to its end callback, and dropped with the outermost run on every path.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from itertools import count
from uuid import UUID

from langchain_core.messages import ToolCall
from langgraph.prebuilt import ToolNode

from hookspan.adapters.langgraph.middleware import Hook, node_hook
from hookspan.model.facts import Mechanism, Stop, ToolProposed
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
    nodes: Mapping[str, object]
    """LangGraph's own nodes by name: what a node's callbacks do not say of it."""
    user: str | None = None
    goes_on: bool = False
    """Invoked without input: goes on from its last checkpoint."""
    interrupted: bool = False
    finish_reason: str | None = None
    stopped_by: Stop | None = None
    handed_off: Mechanism | None = None
    messages_seen: int = 0
    proposed: list[ToolCall] = field(default_factory=list[ToolCall])
    """The latest model answer's calls."""
    pending: dict[CallId, ToolProposed] = field(default_factory=dict[CallId, ToolProposed])
    """Proposed calls that neither began nor were answered."""
    untold: list[ToolProposed] = field(default_factory=list[ToolProposed])
    """Of those, what the recorder does not know yet: a structured answer looks like a call until its node ends."""
    started: set[CallId] = field(default_factory=set[CallId])
    short_circuited: dict[CallId, str] = field(default_factory=dict[CallId, str])
    """Calls that a middleware answered in the tool's place, with the middleware's name."""
    hooks: dict[str, Hook | None] = field(default_factory=dict[str, "Hook | None"])
    """The hook that a node is, by the node's name, once it was asked for."""
    callbacks: count[int] = field(default_factory=count)
    """Numbers the executions of middleware hooks that have no callback run of their own."""

    def has_tools(self, node: str) -> bool:
        """Whether `node` executes tools: it answers calls that it cannot execute, too."""
        return isinstance(self._runnable(node), ToolNode)

    def knows_tool(self, node: str, tool: str) -> bool:
        runnable = self._runnable(node)
        return isinstance(runnable, ToolNode) and tool in runnable.tools_by_name

    def wrapper_of(self, node: str) -> str | None:
        """The name of the function that was given to a hand-made tool node as `wrap_tool_call`."""
        wrapper: object = getattr(self._runnable(node), "_wrap_tool_call", None)
        module = str(getattr(wrapper, "__module__", ""))
        return getattr(wrapper, "__qualname__", None) if not module.startswith("langchain.") else None

    def hook_of(self, node: str) -> Hook | None:
        """The middleware's hook that `node` is, None where it is none."""
        if not self.agent:
            return None
        if node not in self.hooks:
            runnable = self._runnable(node)
            function: object = getattr(runnable, "func", None) or getattr(runnable, "afunc", None)
            self.hooks[node] = node_hook(node, getattr(function, "__self__", None))
        return self.hooks[node]

    def _runnable(self, node: str) -> object:
        return getattr(self.nodes.get(node), "bound", None)


@dataclass(slots=True, eq=False)
class Run:
    """One callback run. `key` is its own record's or the nearest one's above; None outside any record. `top` is the
    outermost record's, and `root` the outermost callback run, whatever it is (None: this one)."""

    id: UUID
    role: RunRole
    root: Run | None
    top: RecordKey | None
    key: RecordKey | None
    turn: Turn | None
    parent: Run | None
    record: RecordKey | None = None
    """`own`, once it was asked for."""
    began: int = 0
    name: str = ""
    within: dict[int, Run] | None = None
    """Of an outermost run: those inside it that have not ended."""
    call: CallId | None = None
    structured: bool = False
    """A model call whose tool calls are its structured answer, not calls."""
    answers: Mapping[CallId, str] = field(default_factory=dict[CallId, str])
    """A tools node's calls, by id with their tool's name."""
    held: list[CallId] = field(default_factory=list[CallId])
    """Calls inside a node that an interrupt ended."""
    delegates_to: str | None = None
    """Of a tool that starts a subagent: the subagent's name, until it has started."""
    message: str | None = None
    """What a subagent is asked to do."""

    @property
    def outermost(self) -> RecordKey:
        """The key that the facts of this run's record name as their run."""
        return self.top or self.own

    @property
    def own(self) -> RecordKey:
        """The key of the run's own record."""
        if self.record is None:
            self.record = RecordKey(str(self.id))
        return self.record

    def opens(self) -> RecordKey | None:
        """Gives the run a record of its own, below the one that is returned (None: an outermost one)."""
        above, self.key = self.key, self.own
        self.top = self.top or self.own
        return above


def inside(run_id: UUID, parent: Run | None, role: RunRole, name: str) -> Run:
    if parent is None:
        return Run(run_id, role, None, None, None, None, None, name=name, answers={}, held=[])
    return Run(run_id, role, parent.root or parent, parent.top, parent.key, parent.turn, parent, name=name, answers={}, held=[])


class RunTree:
    """All runs that have started and not ended, by the number of their id: a UUID hashes and compares in Python."""

    def __init__(self) -> None:
        self.runs: dict[int, Run] = {}

    def add(self, run: Run) -> None:
        number = run.id.int
        self.runs[number] = run
        if run.root is not None:
            if run.root.within is None:
                run.root.within = {}
            run.root.within[number] = run

    def get(self, run_id: UUID | None) -> Run | None:
        return self.runs.get(run_id.int) if run_id is not None else None

    def end(self, run_id: UUID) -> Run | None:
        """Forgets a run; with an outermost one, all that never ended inside it."""
        run = self.runs.pop(run_id.int, None)
        if run is None:
            return None
        if run.root is None:
            for member in run.within or ():
                self.runs.pop(member, None)
            run.within = None
        elif run.root.within is not None:
            run.root.within.pop(run_id.int, None)
        return run

    def clear(self) -> None:
        self.runs.clear()
