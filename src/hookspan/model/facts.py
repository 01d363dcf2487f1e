"""Facts: what a framework's hook points said, as frozen values.

Every fact names its record by `key`, its outermost invocation by `run` (equal to `key` for that one) and the time
it happened by `at`, Unix time in nanoseconds from `hookspan.model.clock`. Facts may come twice, late, out of order or
not at all: the recorder makes one tree of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hookspan.model.content import Message
from hookspan.model.decision import Basis, Decision
from hookspan.model.ids import CallId, RecordKey
from hookspan.model.kinds import HookOutcome, InterruptKind, Mechanism, RunKind, RunOutcome, StopReason, ToolOrigin, ToolOutcome
from hookspan.model.usage import TokenUsage


@dataclass(frozen=True, slots=True)
class Failure:
    """A real failure: `type` is the low-cardinality class name, `message` is text."""

    type: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class Stop:
    """Why an agent stopped, and who said so where that is known."""

    reason: StopReason
    by: str | None = None
    continuations: int | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back for one interrupt (None: for the only one): a decision for each held-up call, in their order.
    No decisions where the framework does not say what the answer means: each follows as `Decided`, when it shows."""

    interrupt: str | None
    decisions: Sequence[Decision]


@dataclass(frozen=True, slots=True)
class Resume:
    """A run goes on where another paused: by the conversation's thread, and the interrupts where they are named."""

    thread: str | None
    answers: Sequence[Answer] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fact:
    run: RecordKey
    key: RecordKey
    at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted(_Fact):
    """An agent's turn or an orchestration's run begins. `parent` is None for the outermost one: the recorder then
    takes the record that is current where the run began, else the caller's span. One in the `background` goes on after
    what started it ended (a Claude subagent outlives the turn)."""

    kind: RunKind
    name: str
    framework: str
    parent: RecordKey | None = None
    conversation: str | None = None
    turn: str | None = None
    user: str | None = None
    resume: Resume | None = None
    background: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Identified(_Fact):
    """The conversation, or the framework's turn, became known only after the run `key` began (a Claude session id)."""

    conversation: str | None = None
    turn: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnded(_Fact):
    outcome: RunOutcome
    stop: Stop | None = None
    failure: Failure | None = None
    usage: TokenUsage | None = None
    """The framework's own total of all that ran inside; else the recorder's sum over the model calls it saw."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelStarted(_Fact):
    """One attempt of a model call. `messages` are the new ones only, None unless the policy keeps messages;
    `messages_before` counts those that came before."""

    model: str | None
    provider: str | None
    framework: str
    parent: RecordKey | None = None
    conversation: str | None = None
    messages: Sequence[Message] | None = None
    messages_before: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelEnded(_Fact):
    usage: TokenUsage = field(default_factory=TokenUsage)
    response_model: str | None = None
    response_id: str | None = None
    finish_reasons: Sequence[str] = ()
    messages: Sequence[Message] | None = None
    failure: Failure | None = None
    cancelled: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolProposed(_Fact):
    """The model asked for a call. `key` is the agent's: a proposal has no record until it starts or is settled."""

    call: CallId
    name: str
    arguments: object = None
    origin: ToolOrigin = ToolOrigin.FUNCTION


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolStarted(_Fact):
    """One attempt of a call begins to execute."""

    name: str
    framework: str
    call: CallId | None = None
    parent: RecordKey | None = None
    origin: ToolOrigin = ToolOrigin.FUNCTION
    arguments: object = None
    conversation: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolEnded(_Fact):
    outcome: ToolOutcome
    result: object = None
    failure: Failure | None = None
    run_s: float | None = None
    """Seconds of execution alone where the framework says; else the recorder's own figure."""
    result_edited: bool = False
    executed: bool = True
    """False where the call ended before its tool began: its arguments did not fit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSettled(_Fact):
    """A proposed call that never ran got its answer. `key` is the agent's. `framework` and `name` stand in when no
    proposal of the call was seen."""

    call: CallId
    name: str
    framework: str
    outcome: ToolOutcome
    result: object = None
    failure: Failure | None = None
    arguments: object = None
    origin: ToolOrigin = ToolOrigin.FUNCTION
    decision: Decision | None = None
    """Who kept it from running; counts only where no decision about the call was seen before."""
    executed: bool | None = False
    """None where nobody saw whether it ran: the application answered by itself."""
    known: bool = True
    """False when there is no such tool: only a model invented the name, and no span or series is named after it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided(_Fact):
    """Somebody decided about a call. `key` is the agent's; the decision goes to the call's next record, or to the
    open one, or to the agent where there is no call."""

    decision: Decision
    call: CallId | None = None
    tool: str | None = None
    framework: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandedOff(_Fact):
    """`key` is the tool's or the agent's record."""

    source: str
    target: str
    mechanism: Mechanism
    call: CallId | None = None
    message: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Interrupted(_Fact):
    """A run pauses. `key` is the agent's or workflow's; `calls` are the tool calls that are held up. With `ends_run`
    False it waits where it is (a permission callback that asks a person), and no other run goes on for it."""

    interrupt: str
    kind: InterruptKind
    framework: str
    calls: Sequence[CallId] = ()
    checkpoint: str | None = None
    value: object = None
    thread: str | None = None
    ends_run: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed(_Fact):
    """The framework confirms a resume: says the checkpoint, and is the only word of it where a run goes on without
    an answer (a breakpoint)."""

    resume: Resume
    checkpoint: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HookStarted(_Fact):
    """A hook event for which at least one handler matched."""

    event: str
    framework: str
    parent: RecordKey | None = None
    call: CallId | None = None
    conversation: str | None = None
    handlers: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HookEnded(_Fact):
    outcome: HookOutcome = HookOutcome.OK
    decision: Decision | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HandlerStarted(_Fact):
    """One execution of a hook's handler: a command (`command=True`) or a callback in this process."""

    event: str
    name: str
    framework: str
    command: bool
    parent: RecordKey | None = None
    call: CallId | None = None
    conversation: str | None = None
    matcher: str | None = None
    source: str | None = None
    rank: int | None = None
    timeout_s: float | None = None
    command_line: str | None = None
    executable: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HandlerEnded(_Fact):
    outcome: HookOutcome
    decision: Decision | None = None
    decided: bool | None = None
    effects: Sequence[str] = ()
    failure: Failure | None = None
    exit_code: int | None = None
    pid: int | None = None
    stdout_bytes: int | None = None
    stderr_bytes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted(_Fact):
    """Something worth an event on the record `key`: a retry, a repaired name, a rewritten context, a notification."""

    kind: str
    details: Mapping[str, str | int | float | bool] = field(default_factory=dict[str, "str | int | float | bool"])


Started = RunStarted | ModelStarted | ToolStarted | HookStarted | HandlerStarted
Ended = RunEnded | ModelEnded | ToolEnded | HookEnded | HandlerEnded
Fact = Started | Ended | Identified | ToolProposed | ToolSettled | Decided | HandedOff | Interrupted | Resumed | Noted

BASIS_BY_SOURCE: Mapping[str, Basis] = {
    "human": Basis.HUMAN,
    "hook_command": Basis.HOOK,
    "hook_callback": Basis.HOOK,
    "guard": Basis.HOOK,
    "policy": Basis.RULE,
    "permission_mode": Basis.PERMISSION_MODE,
    "grant": Basis.GRANT,
}
"""Why a call ran, from who let it."""
