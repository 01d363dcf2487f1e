"""Executions of tools as facts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from langchain_core.messages import ToolMessage
from langgraph.errors import GraphBubbleUp, GraphInterrupt
from langgraph.types import Command

from hookspan.adapters.langgraph import translate
from hookspan.adapters.langgraph.answers import HANDLED_ERROR
from hookspan.adapters.langgraph.outcomes import before_the_tool, cut_short, failure
from hookspan.adapters.langgraph.proposals import call_of, delegates, tell
from hookspan.adapters.langgraph.runtree import Run
from hookspan.model.clock import now
from hookspan.model.facts import Failure, HandedOff, Mechanism, ToolEnded, ToolOrigin, ToolOutcome, ToolStarted
from hookspan.model.ids import CallId
from hookspan.spans.recorder import Recorder


class Tools:
    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def started(self, run: Run, arguments: object, call: str | None) -> None:
        above, at, turn = run.opens(), now(), run.turn
        run.call = CallId(call) if call else None
        if turn is not None:
            run.call = run.call or call_of(turn, run.name, arguments)
            tell(self._recorder, turn)
            if run.call is not None:
                turn.pending.pop(run.call, None)
                turn.started.add(run.call)
        to_subagent = turn is not None and delegates(turn, run.name)
        self._recorder.record(
            ToolStarted(
                run=run.outermost,
                key=run.own,
                at=at,
                name=run.name,
                framework=turn.framework if turn is not None else "langgraph",
                call=run.call,
                parent=above,
                origin=ToolOrigin.SUBAGENT if to_subagent else ToolOrigin.FUNCTION,
                arguments=arguments,
                conversation=turn.thread if turn is not None else None,
            )
        )
        if to_subagent and isinstance(arguments, Mapping):
            asked = cast("Mapping[str, object]", arguments)
            run.delegates_to = str(asked.get("subagent_type"))
            run.message = str(asked.get("description") or "") or None

    def delegated(self, run: Run) -> None:
        """The subagent that a tool was to start has started."""
        target, run.delegates_to = run.delegates_to, None
        if target is not None:
            self._hand_over(run, target, Mechanism.SUBAGENT, run.message)

    def ended(self, run: Run, output: object) -> None:
        answers = translate.tool_messages(output)
        mine = next((message for message in answers if message.tool_call_id == run.call), None)
        mine = mine or (answers[0] if len(answers) == 1 else None)
        failed = mine is not None and mine.status == "error"
        for command in translate.parent_commands(output):
            for target in translate.targets(command):
                self._hand_over(run, target, Mechanism.TOOL, None)
                if run.turn is not None:
                    run.turn.handed_off = Mechanism.TOOL
        result = _content(mine) if mine is not None else _plain(output)
        self._end(
            run,
            ToolOutcome.ERROR if failed else ToolOutcome.SUCCESS,
            result,
            Failure(HANDLED_ERROR, result[:1024] if isinstance(result, str) else "") if failed else None,
        )

    def raised(self, run: Run, error: BaseException) -> None:
        if isinstance(error, GraphInterrupt):
            self._hold_up(run)
            self._end(run, ToolOutcome.INTERRUPTED)
        elif isinstance(error, GraphBubbleUp):
            self._end(run, ToolOutcome.SUCCESS)
        elif cut_short(error):
            self._end(run, ToolOutcome.CANCELLED)
        else:
            self._end(run, ToolOutcome.ERROR, failed=failure(error), executed=not before_the_tool(error))

    def _hold_up(self, run: Run) -> None:
        """The nodes around a call that waits learn of it: the interrupt itself names no call."""
        node = run.parent
        while run.call is not None and node is not None and node.turn is run.turn:
            node.held.append(run.call)
            node = node.parent

    def _end(self, run: Run, outcome: ToolOutcome, result: object = None, failed: Failure | None = None, *, executed: bool = True) -> None:
        self._recorder.record(
            ToolEnded(run=run.outermost, key=run.own, at=now(), outcome=outcome, result=result, failure=failed, executed=executed)
        )

    def _hand_over(self, run: Run, target: str, mechanism: Mechanism, message: str | None) -> None:
        self._recorder.record(
            HandedOff(
                run=run.outermost,
                key=run.own,
                at=now(),
                source=run.turn.name if run.turn is not None else "",
                target=target,
                mechanism=mechanism,
                call=run.call,
                message=message,
            )
        )


def _content(message: ToolMessage) -> object:
    return cast("object", message.content)


def _plain(output: object) -> object:
    """A tool's output where no message carries it: a command's update is state, not a result."""
    return None if isinstance(output, Command) else output
