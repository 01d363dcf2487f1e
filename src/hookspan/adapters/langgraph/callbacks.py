"""Executions of middleware hooks as facts: those that decided, changed something, raised or were slow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast
from uuid import UUID

from langchain_core.messages import ToolMessage
from langgraph.errors import GraphBubbleUp

from hookspan.adapters.langgraph.middleware import Hook
from hookspan.adapters.langgraph.outcomes import failure
from hookspan.adapters.langgraph.runtree import Run, RunTree, Turn
from hookspan.adapters.langgraph.wrapping import TOOL, Seen
from hookspan.model.clock import now
from hookspan.model.content import HookCallbacks
from hookspan.model.decision import Answered, Decision, Denied, NoReasonGiven, Source
from hookspan.model.facts import Failure, HandlerEnded, HandlerStarted, HookOutcome
from hookspan.model.ids import CallId, RecordKey
from hookspan.spans.recorder import Recorder

SLOW_NS = 100_000_000
"""A hook that takes longer by itself has a record, whatever it did."""


@dataclass(frozen=True, slots=True)
class Did:
    """What one execution of a hook did."""

    effects: Sequence[str] = ()
    decision: Decision | None = None
    decided: bool | None = None
    failure: Failure | None = None

    @property
    def something(self) -> bool:
        return bool(self.effects or self.decision or self.decided or self.failure)

    @property
    def outcome(self) -> HookOutcome:
        if self.failure is not None:
            return HookOutcome.ERROR
        return HookOutcome.BLOCK if isinstance(self.decision, Denied) else HookOutcome.OK


class Callbacks:
    def __init__(self, recorder: Recorder, tree: RunTree) -> None:
        self._recorder = recorder
        self._tree = tree

    def node_ended(self, run: Run, turn: Turn, hook: Hook, did: Did) -> None:
        """A hook that is a node of its own (`before_model` and its like)."""
        if self._worth(hook, did, now() - run.began):
            self._record(run.outermost, turn, RecordKey(str(run.id)), hook, run.began, did, None)

    def wants(self, hook: Hook) -> bool:
        if hook.event == TOOL:
            return True  # who answered a call in the tool's place is told in every mode
        mode = self._recorder.hook_callbacks
        return mode is HookCallbacks.ALL or (mode is HookCallbacks.CHANGED and not hook.of_framework)

    def wrapped(self, seen: Seen, result: object, error: BaseException | None) -> None:
        """A hook around a tool or model call returned or raised, in the agent whose code runs here."""
        key = self._recorder.current_key()
        run = self._tree.get(UUID(key)) if key is not None else None
        if run is None or run.turn is None:
            return
        call = _call(seen) if seen.hook.event == TOOL else None
        if seen.calls == 0 and error is None and call is not None:
            run.turn.short_circuited.setdefault(call, seen.hook.name)
        did = _did(seen, result, error)
        if self._worth(seen.hook, did, now() - seen.began - seen.inside_ns):
            record = RecordKey(f"{run.turn.key}/{seen.hook.name}/{next(run.turn.callbacks)}")
            self._record(run.outermost, run.turn, record, seen.hook, seen.began, did, call)

    def _worth(self, hook: Hook, did: Did, took_ns: int) -> bool:
        mode = self._recorder.hook_callbacks
        if mode is HookCallbacks.CHANGED:
            return (did.something or took_ns > SLOW_NS) and not hook.of_framework
        return mode is HookCallbacks.ALL

    def _record(self, run: RecordKey, turn: Turn, key: RecordKey, hook: Hook, began: int, did: Did, call: CallId | None) -> None:
        self._recorder.record(
            HandlerStarted(
                run=run,
                key=key,
                at=began,
                event=hook.event,
                name=hook.name,
                framework=turn.framework,
                command=False,
                parent=turn.key,
                call=call,
                source="code",
            )
        )
        self._recorder.record(
            HandlerEnded(
                run=run,
                key=key,
                at=now(),
                outcome=did.outcome,
                decision=did.decision,
                decided=did.decided,
                effects=did.effects,
                failure=did.failure,
            )
        )


def refusal(message: ToolMessage, source: Source, by: str | None) -> Decision:
    """What somebody decided who answered a call in the tool's place: an error refuses it."""
    if message.status != "error":
        return Answered(source=source, by=by)
    said = str(cast("object", message.content))[:1024]
    return Denied(source=source, by=by, reason=said if said.strip() else NoReasonGiven())


def _did(seen: Seen, result: object, error: BaseException | None) -> Did:
    if error is not None:
        own = isinstance(error, Exception) and not isinstance(error, GraphBubbleUp) and error is not seen.raised_inside
        return Did(failure=failure(error) if own else None)
    if seen.calls == 0:
        decision = refusal(result, Source.HOOK_CALLBACK, seen.hook.name) if isinstance(result, ToolMessage) else None
        return Did(decision=decision or Answered(source=Source.HOOK_CALLBACK, by=seen.hook.name), decided=True)
    effects = (
        ("request", seen.passed_on is not seen.request),
        ("repeated", seen.calls > 1),
        ("result", result is not seen.answer),
    )
    return Did(tuple(name for name, changed in effects if changed))


def _call(seen: Seen) -> CallId | None:
    call = cast("Mapping[str, Any]", seen.request.tool_call).get("id")
    return CallId(str(call)) if call else None
