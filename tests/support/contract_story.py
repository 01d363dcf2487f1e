"""Facts of one run, written down by hand: each method is one hook point's fact with the run, the framework and the time filled in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hookspan.model.decision import Decision
from hookspan.model.facts import (
    Decided,
    Fact,
    HandedOff,
    HandlerEnded,
    HandlerStarted,
    HookEnded,
    HookOutcome,
    HookStarted,
    Identified,
    Interrupted,
    InterruptKind,
    Mechanism,
    ModelEnded,
    ModelStarted,
    Resume,
    RunEnded,
    RunKind,
    RunOutcome,
    RunStarted,
    Stop,
    StopReason,
    ToolEnded,
    ToolOrigin,
    ToolOutcome,
    ToolProposed,
    ToolSettled,
    ToolStarted,
)
from hookspan.model.ids import CallId, RecordKey
from hookspan.model.usage import TokenUsage

NOON = 1_796_126_400_000_000_000
"""2026-12-01 12:00:00 UTC: second 0 of every story."""
MODEL = "scripted-1"


def at(second: float) -> int:
    return NOON + round(second * 1e9)


@dataclass(frozen=True)
class Story:
    """`key` names the agent whose facts follow; `run` the outermost one."""

    framework: str
    run: str
    key: str
    conversation: str | None = None
    provider: str = "anthropic"

    def of(self, key: str) -> Story:
        """The same run, told by another of its agents."""
        return Story(self.framework, self.run, key, self.conversation, self.provider)

    def began(
        self,
        second: float,
        name: str,
        *,
        kind: RunKind = RunKind.AGENT,
        parent: str | None = None,
        user: str | None = None,
        resume: Resume | None = None,
    ) -> Fact:
        return RunStarted(
            **self._about(second),
            kind=kind,
            name=name,
            framework=self.framework,
            parent=RecordKey(parent) if parent is not None else None,
            conversation=self.conversation,
            user=user,
            resume=resume,
        )

    def identified(self, second: float, *, conversation: str, turn: str) -> Fact:
        return Identified(**self._about(second), conversation=conversation, turn=turn)

    def ended(
        self,
        second: float,
        *,
        outcome: RunOutcome = RunOutcome.COMPLETED,
        stop: StopReason | None = StopReason.END_TURN,
        usage: TokenUsage | None = None,
    ) -> Fact:
        return RunEnded(**self._about(second), outcome=outcome, stop=Stop(stop) if stop is not None else None, usage=usage)

    def model(self, began: float, ended: float, key: str, usage: TokenUsage, **said: Any) -> Sequence[Fact]:
        about: Any = {"run": RecordKey(self.run), "key": RecordKey(key)}
        return (
            ModelStarted(
                **about,
                at=at(began),
                model=MODEL,
                provider=self.provider,
                framework=self.framework,
                parent=RecordKey(self.key),
                conversation=self.conversation,
            ),
            ModelEnded(**about, at=at(ended), usage=usage, **said),
        )

    def proposed(self, second: float, call: str, name: str, arguments: object, *, origin: ToolOrigin = ToolOrigin.FUNCTION) -> Fact:
        return ToolProposed(**self._about(second), call=CallId(call), name=name, arguments=arguments, origin=origin)

    def tool_began(
        self, second: float, key: str, call: str, name: str, arguments: object, *, origin: ToolOrigin = ToolOrigin.FUNCTION
    ) -> Fact:
        return ToolStarted(
            run=RecordKey(self.run),
            key=RecordKey(key),
            at=at(second),
            name=name,
            framework=self.framework,
            call=CallId(call),
            parent=RecordKey(self.key),
            origin=origin,
            arguments=arguments,
            conversation=self.conversation,
        )

    def tool_ended(self, second: float, key: str, result: object, *, run_s: float | None = None) -> Fact:
        return ToolEnded(
            run=RecordKey(self.run), key=RecordKey(key), at=at(second), outcome=ToolOutcome.SUCCESS, result=result, run_s=run_s
        )

    def refused(
        self, second: float, call: str, name: str, result: object, *, arguments: object = None, decision: Decision | None = None
    ) -> Fact:
        return ToolSettled(
            **self._about(second),
            call=CallId(call),
            name=name,
            framework=self.framework,
            outcome=ToolOutcome.DENIED,
            result=result,
            arguments=arguments,
            decision=decision,
        )

    def decided(self, second: float, call: str, tool: str, decision: Decision) -> Fact:
        return Decided(**self._about(second), decision=decision, call=CallId(call), tool=tool, framework=self.framework)

    def handed_off(self, second: float, key: str, source: str, target: str, call: str, message: str) -> Fact:
        return HandedOff(
            run=RecordKey(self.run),
            key=RecordKey(key),
            at=at(second),
            source=source,
            target=target,
            mechanism=Mechanism.SUBAGENT,
            call=CallId(call),
            message=message,
        )

    def interrupted(self, second: float, interrupt: str, call: str, value: object, *, ends_run: bool = True, **said: Any) -> Fact:
        return Interrupted(
            **self._about(second),
            interrupt=interrupt,
            kind=InterruptKind.APPROVAL,
            framework=self.framework,
            calls=(CallId(call),),
            value=value,
            thread=self.conversation,
            ends_run=ends_run,
            **said,
        )

    def callback(
        self,
        began: float,
        ended: float,
        event: str,
        name: str,
        call: str,
        *,
        decision: Decision | None = None,
        effects: Sequence[str] = (),
    ) -> Sequence[Fact]:
        """A callback in this process that decided or changed something."""
        about: Any = {"run": RecordKey(self.run), "key": RecordKey(f"{self.key}/{name}/{call}")}
        return (
            HandlerStarted(
                **about,
                at=at(began),
                event=event,
                name=name,
                framework=self.framework,
                command=False,
                parent=RecordKey(self.key),
                call=CallId(call),
                source="code",
            ),
            HandlerEnded(
                **about,
                at=at(ended),
                outcome=HookOutcome.BLOCK if decision is not None else HookOutcome.OK,
                decision=decision,
                decided=True if decision is not None else None,
                effects=effects,
            ),
        )

    def hook_began(self, second: float, key: str, event: str, call: str, *, handlers: int) -> Fact:
        return HookStarted(
            run=RecordKey(self.run),
            key=RecordKey(key),
            at=at(second),
            event=event,
            framework=self.framework,
            parent=RecordKey(self.key),
            call=CallId(call),
            handlers=handlers,
        )

    def hook_ended(self, second: float, key: str, decision: Decision) -> Fact:
        return HookEnded(run=RecordKey(self.run), key=RecordKey(key), at=at(second), outcome=HookOutcome.BLOCK, decision=decision)

    def command(
        self, began: float, ended: float, hook: str, event: str, name: str, call: str, line: str, *, rank: int, refuses: Decision | None
    ) -> Sequence[Fact]:
        """One hook command below the hook `hook`: exit code 2 refuses the call."""
        about: Any = {"run": RecordKey(self.run), "key": RecordKey(f"{hook}/{rank}")}
        return (
            HandlerStarted(
                **about,
                at=at(began),
                event=event,
                name=name,
                framework=self.framework,
                command=True,
                parent=RecordKey(hook),
                call=CallId(call),
                source="project",
                rank=rank,
                timeout_s=600.0,
                command_line=line,
                executable=line.partition(" ")[0],
            ),
            HandlerEnded(
                **about,
                at=at(ended),
                outcome=HookOutcome.BLOCK if refuses is not None else HookOutcome.OK,
                decision=refuses,
                decided=True if refuses is not None else None,
                exit_code=2 if refuses is not None else 0,
                pid=4000 + rank,
                stdout_bytes=0,
                stderr_bytes=8 if refuses is not None else 0,
            ),
        )

    def _about(self, second: float) -> Any:
        return {"run": RecordKey(self.run), "key": RecordKey(self.key), "at": at(second)}
