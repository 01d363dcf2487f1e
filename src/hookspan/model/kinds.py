"""The words that facts choose from."""

from __future__ import annotations

from enum import StrEnum


class RunKind(StrEnum):
    AGENT = "agent"
    WORKFLOW = "workflow"


class RunOutcome(StrEnum):
    COMPLETED = "completed"
    STOPPED = "stopped"
    INTERRUPTED = "interrupted"
    CANCELLED = "cancelled"
    ABANDONED = "abandoned"
    ERROR = "error"
    UNFINISHED = "unfinished"
    """No end was ever seen."""


class ToolOutcome(StrEnum):
    SUCCESS = "success"
    ERROR = "error"
    DENIED = "denied"
    CANCELLED = "cancelled"
    SKIPPED = "skipped"
    INTERRUPTED = "interrupted"
    EXPIRED = "expired"
    UNFINISHED = "unfinished"


class ToolOrigin(StrEnum):
    FUNCTION = "function"
    BUILTIN = "builtin"
    MCP = "mcp"
    BRIDGED = "bridged"
    SUBAGENT = "subagent"
    CLIENT = "client"


class StopReason(StrEnum):
    END_TURN = "end_turn"
    MAX_TOKENS = "max_tokens"
    MAX_TURNS = "max_turns"
    RECURSION_LIMIT = "recursion_limit"
    BUDGET = "budget"
    STOP_HOOK = "stop_hook"
    GUARD = "guard"
    EXTERNAL_SIGNAL = "external_signal"
    INTERRUPT = "interrupt"
    HANDOFF = "handoff"
    CANCELLED = "cancelled"
    ABANDONED = "abandoned"
    ERROR = "error"


class InterruptKind(StrEnum):
    APPROVAL = "approval"
    QUESTION = "question"
    BREAKPOINT = "breakpoint"
    """A static one (LangGraph's `interrupt_before` and `interrupt_after`): nobody asked anything."""
    HOOK_TRANSPORT = "hook_transport"


class HookOutcome(StrEnum):
    OK = "ok"
    BLOCK = "block"
    ERROR = "error"
    TIMEOUT = "timeout"
    LAUNCH_FAILED = "launch_failed"
    INVALID_OUTPUT = "invalid_output"
    CANCELLED = "cancelled"
    UNFINISHED = "unfinished"


class Mechanism(StrEnum):
    TOOL = "tool"
    COMMAND = "command"
    SWARM = "swarm"
    GRAPH_EDGE = "graph_edge"
    SUBAGENT = "subagent"
