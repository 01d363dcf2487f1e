"""What a node's end tells: calls that were answered without running, hooks that changed something, interrupts,
commands for the parent graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from langchain_core.messages import ToolMessage
from langgraph.errors import GraphInterrupt, ParentCommand
from langgraph.types import Interrupt

from hookspan.adapters.langgraph import translate
from hookspan.adapters.langgraph.answers import settled
from hookspan.adapters.langgraph.callbacks import Callbacks, Did
from hookspan.adapters.langgraph.decisions import arguments_asked_about, asked_calls, kind_of, matched
from hookspan.adapters.langgraph.middleware import Hook
from hookspan.adapters.langgraph.outcomes import failure
from hookspan.adapters.langgraph.proposals import tell, withdraw
from hookspan.adapters.langgraph.runtree import Run, Turn
from hookspan.model.clock import now
from hookspan.model.facts import HandedOff, Interrupted, Mechanism, Stop, StopReason, ToolSettled
from hookspan.model.ids import CallId
from hookspan.spans.recorder import Recorder

_STRUCTURED_OUTPUT = "langchain.agents.structured_output"


class Nodes:
    def __init__(self, recorder: Recorder, callbacks: Callbacks) -> None:
        self._recorder = recorder
        self._callbacks = callbacks

    def ended(self, run: Run, turn: Turn, outputs: object) -> None:
        hook = turn.hook_of(run.name)
        relevant = turn.pending or run.answers or (hook is not None and hook.asks_people)
        messages = translate.tool_messages(outputs) if relevant else ()
        if hook is not None:
            self._hook_ended(run, turn, hook, outputs)
        elif messages and turn.agent and turn.untold and not turn.has_tools(run.name):
            # an agent's model node that answers calls itself: they are its structured answer
            withdraw(turn, [CallId(message.tool_call_id) for message in messages])
        tell(self._recorder, turn)
        asked = arguments_asked_about(outputs) if messages and hook is not None and hook.asks_people else None
        for message in messages:
            self._settle(run, turn, message, hook, asked.get(CallId(message.tool_call_id)) if asked is not None else None)

    def raised(self, run: Run, turn: Turn, error: BaseException) -> None:
        if type(error).__module__ == _STRUCTURED_OUTPUT:
            withdraw(turn, [proposal.call for proposal in turn.untold])
        tell(self._recorder, turn)
        if isinstance(error, GraphInterrupt):
            turn.interrupted = True
            for interrupt in _interrupts(error):
                self.interrupted(run, turn, interrupt, run.held, None)
        elif isinstance(error, ParentCommand):
            self._left(run, turn, error)
        elif isinstance(error, Exception):
            hook = turn.hook_of(run.name)
            if hook is not None:
                if hook.is_limit:
                    turn.stopped_by = Stop(StopReason.MAX_TURNS, by=hook.name)
                self._callbacks.node_ended(run, turn, hook, Did(failure=failure(error)))

    def interrupted(self, run: Run, turn: Turn, interrupt: Interrupt, held: Sequence[CallId], checkpoint: str | None) -> None:
        """One interrupt, where it surfaced: `held` are the calls that were executing."""
        asked = asked_calls(interrupt)
        calls = matched(asked, turn.proposed) if asked else tuple(dict.fromkeys(held))
        self._recorder.record(
            Interrupted(
                run=run.outermost,
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

    def _settle(self, run: Run, turn: Turn, message: ToolMessage, hook: Hook | None, arguments: object) -> None:
        """A call got its answer from something other than its tool."""
        call = CallId(message.tool_call_id)
        known = call in turn.pending or call in run.answers or (hook is not None and hook.asks_people)
        if call in turn.started or not known:
            return
        turn.started.add(call)
        proposal = turn.pending.pop(call, None)
        name = proposal.name if proposal is not None else run.answers.get(call) or message.name or ""
        became = settled(run, turn, message, name, hook)
        self._recorder.record(
            ToolSettled(
                run=run.outermost,
                key=turn.key,
                at=now(),
                call=call,
                name=name,
                framework=turn.framework,
                outcome=became.outcome,
                result=message.content,
                failure=became.failure,
                arguments=arguments,
                decision=became.decision,
                executed=became.executed,
                known=became.known,
            )
        )

    def _hook_ended(self, run: Run, turn: Turn, hook: Hook, outputs: object) -> None:
        ends = translate.jump(outputs) == "end"
        if ends:
            turn.stopped_by = Stop(StopReason.MAX_TURNS if hook.is_limit else StopReason.GUARD, by=hook.name)
        effects = translate.changed_keys(outputs)
        self._callbacks.node_ended(run, turn, hook, Did(effects, decided=True if ends else None))

    def _left(self, run: Run, turn: Turn, error: ParentCommand) -> None:
        """A node that is no handoff tool sends its graph's parent elsewhere."""
        if turn.handed_off is not None:
            return
        turn.handed_off = Mechanism.COMMAND
        for command in translate.parent_commands(_carried(error)):
            for target in translate.targets(command):
                self._recorder.record(
                    HandedOff(
                        run=run.outermost,
                        key=turn.key,
                        at=now(),
                        source=turn.name,
                        target=target,
                        mechanism=Mechanism.COMMAND,
                    )
                )


def _interrupts(error: GraphInterrupt) -> Sequence[Interrupt]:
    found = _carried(error)
    several = cast("Sequence[object]", found) if isinstance(found, list | tuple) else ()
    return [cast("Interrupt", one) for one in several if isinstance(one, Interrupt)]


def _carried(error: BaseException) -> object:
    """What a control-flow exception carries."""
    return error.args[0] if error.args else None
