"""What a node's end tells: calls that were answered without running, hooks that changed something, interrupts,
commands for the parent graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from langchain_core.messages import ToolMessage
from langgraph.errors import GraphInterrupt, ParentCommand
from langgraph.types import Interrupt

from hookspan.adapters.langgraph import translate
from hookspan.adapters.langgraph.decisions import asked_calls, kind_of, matched, verdict_of_answer
from hookspan.adapters.langgraph.middleware import Ownership, hook_of, is_limit
from hookspan.adapters.langgraph.outcomes import failure
from hookspan.adapters.langgraph.runtree import Run, Turn
from hookspan.adapters.langgraph.tools import HANDLED_ERROR
from hookspan.model.clock import now
from hookspan.model.decision import Answered, Decision, Denied, Source
from hookspan.model.facts import (
    Failure,
    HandedOff,
    HandlerEnded,
    HandlerStarted,
    HookOutcome,
    Interrupted,
    Mechanism,
    Stop,
    StopReason,
    ToolOutcome,
    ToolSettled,
)
from hookspan.model.ids import CallId, RecordKey
from hookspan.spans.recorder import Recorder

_HUMAN = "HumanInTheLoopMiddleware"
UNKNOWN_TOOL = "unknown_tool"
"""`error.type` of a call to a tool that does not exist."""


class Nodes:
    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._owners = Ownership()

    def ended(self, run: Run, outputs: object) -> None:
        turn = run.turn
        assert turn is not None
        hook = hook_of(run.name)
        if hook is not None:
            self._hook_ended(run, turn, hook, outputs)
        if turn.pending or run.answers or (hook is not None and hook[0] == _HUMAN):
            for message in translate.tool_messages(outputs):
                self._settle(run, turn, message, hook)

    def raised(self, run: Run, error: BaseException) -> None:
        turn = run.turn
        assert turn is not None
        if isinstance(error, GraphInterrupt):
            turn.interrupted = True
            for interrupt in _interrupts(error):
                self.interrupted(turn, run.root, interrupt, run.held, None)
        elif isinstance(error, ParentCommand):
            self._left(run, turn, error)
        elif isinstance(error, Exception):
            hook = hook_of(run.name)
            if hook is not None:
                self._callback(run, hook, HookOutcome.ERROR, failed=failure(error))

    def interrupted(
        self, turn: Turn, root: UUID, interrupt: Interrupt, held: Sequence[CallId], checkpoint: str | None
    ) -> None:
        """One interrupt, where it surfaced: `held` are the calls that were executing."""
        asked = asked_calls(interrupt)
        calls = matched(asked, turn.proposed) if asked else tuple(dict.fromkeys(held))
        self._recorder.record(
            Interrupted(
                run=RecordKey(str(root)),
                key=turn.key,
                at=now(),
                interrupt=interrupt.id,
                kind=kind_of(interrupt),
                framework=turn.framework,
                calls=calls,
                checkpoint=checkpoint,
                value=interrupt.value,
                thread=turn.thread,
            )
        )

    def _settle(self, run: Run, turn: Turn, message: ToolMessage, hook: tuple[str, str] | None) -> None:
        """A call got its answer from something other than its tool."""
        call = CallId(message.tool_call_id)
        by_person = verdict_of_answer(message, turn.user) if _from_person(hook, turn, call) else None
        if call in turn.started or (call not in turn.pending and call not in run.answers and by_person is None):
            return
        name = turn.pending.pop(call, None) or run.answers.get(call) or message.name or ""
        turn.started.add(call)
        outcome, decision, failed = _answer(message, by_person, turn.short_circuited.pop(call, None), run.name, hook)
        self._recorder.record(
            ToolSettled(
                run=RecordKey(str(run.root)),
                key=turn.key,
                at=now(),
                call=call,
                name=name,
                framework=turn.framework,
                outcome=outcome,
                result=message.content,  # pyright: ignore[reportUnknownMemberType] -- langchain types it list[str | dict]
                failure=failed,
                decision=decision,
            )
        )

    def _hook_ended(self, run: Run, turn: Turn, hook: tuple[str, str], outputs: object) -> None:
        owner, _ = hook
        if translate.jump(outputs) == "end":
            reason = StopReason.MAX_TURNS if is_limit(owner) else StopReason.GUARD
            turn.stopped_by = Stop(reason, by=run.name)
        changed = translate.changed_keys(outputs)
        if changed and not self._owners.framework(owner):
            self._callback(run, hook, HookOutcome.OK, effects=changed)

    def _callback(
        self,
        run: Run,
        hook: tuple[str, str],
        outcome: HookOutcome,
        effects: Sequence[str] = (),
        failed: Failure | None = None,
    ) -> None:
        assert run.turn is not None
        root, key = RecordKey(str(run.root)), RecordKey(str(run.id))
        self._recorder.record(
            HandlerStarted(
                run=root,
                key=key,
                at=run.began,
                event=hook[1],
                name=run.name,
                framework=run.turn.framework,
                command=False,
                parent=run.turn.key,
                source="code",
            )
        )
        self._recorder.record(
            HandlerEnded(run=root, key=key, at=now(), outcome=outcome, effects=effects, failure=failed)
        )

    def _left(self, run: Run, turn: Turn, error: ParentCommand) -> None:
        """A node that is no handoff tool sends its graph's parent elsewhere."""
        if turn.handed_off is not None:
            return
        turn.handed_off = Mechanism.COMMAND
        for command in translate.parent_commands(error.args[0]):
            for target in translate.targets(command):
                self._recorder.record(
                    HandedOff(
                        run=RecordKey(str(run.root)),
                        key=turn.key,
                        at=now(),
                        source=turn.name,
                        target=target,
                        mechanism=Mechanism.COMMAND,
                    )
                )


def _answer(
    message: ToolMessage, by_person: Decision | None, owner: str | None, node: str, hook: tuple[str, str] | None
) -> tuple[ToolOutcome, Decision | None, Failure | None]:
    """What became of a call that was answered without running, by whom, and whether that is a failure."""
    refused = message.status == "error"
    said = str(message.content)[:1024]  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType] -- as above
    if by_person is not None:
        return (ToolOutcome.DENIED if isinstance(by_person, Denied) else ToolOutcome.SUCCESS), by_person, None
    by = owner or (node if hook is not None else None)
    if by is None:
        # the tools node itself answered: no such tool, or arguments that it could not use
        return (ToolOutcome.ERROR, None, Failure(UNKNOWN_TOOL, said)) if refused else (ToolOutcome.SUCCESS, None, None)
    if refused:
        return ToolOutcome.DENIED, Denied(source=Source.HOOK_CALLBACK, by=by, reason=said or "refused"), None
    return ToolOutcome.SUCCESS, Answered(source=Source.HOOK_CALLBACK, by=by), None


def _from_person(hook: tuple[str, str] | None, turn: Turn, call: CallId) -> bool:
    owner = hook[0] if hook is not None else (turn.short_circuited.get(call) or "").partition(".")[0]
    return owner == _HUMAN


def _interrupts(error: GraphInterrupt) -> Sequence[Interrupt]:
    found = error.args[0] if error.args else ()
    return [one for one in found if isinstance(one, Interrupt)]


__all__ = ["HANDLED_ERROR", "Any", "Mapping", "Nodes"]
