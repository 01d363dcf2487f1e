"""Executions of tools as facts."""

from __future__ import annotations

import asyncio

from langchain_core.messages import ToolMessage
from langgraph.errors import GraphBubbleUp, GraphInterrupt
from langgraph.types import Command

from hookspan.adapters.langgraph import translate
from hookspan.adapters.langgraph.outcomes import failure
from hookspan.adapters.langgraph.runtree import Run
from hookspan.model.clock import now
from hookspan.model.facts import Failure, HandedOff, Mechanism, ToolEnded, ToolOrigin, ToolOutcome, ToolStarted
from hookspan.model.ids import CallId, RecordKey
from hookspan.spans.recorder import Recorder

HANDLED_ERROR = "tool_error"
"""`error.type` where the framework made the exception into a message before anyone was told its class."""


class Tools:
    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def started(self, run: Run, arguments: object, call: str | None) -> None:
        parent, run.key = run.key, RecordKey(str(run.id))
        turn, at = run.turn, now()
        run.call = CallId(call) if call else None
        if turn is not None and run.call is not None:
            turn.pending.pop(run.call, None)
            turn.started.add(run.call)
        delegates = run.name == "task" and turn is not None and turn.framework == "deepagents"
        self._recorder.record(
            ToolStarted(
                run=RecordKey(str(run.root)),
                key=run.key,
                at=at,
                name=run.name,
                framework=turn.framework if turn is not None else "langgraph",
                call=run.call,
                parent=parent,
                origin=ToolOrigin.SUBAGENT if delegates else ToolOrigin.FUNCTION,
                arguments=arguments,
                conversation=turn.thread if turn is not None else None,
            )
        )
        if delegates and isinstance(arguments, dict) and turn is not None:
            self._hand_over(run, turn.name, str(arguments.get("subagent_type")), Mechanism.SUBAGENT, arguments.get("description"))

    def ended(self, run: Run, output: object) -> None:
        answers = translate.tool_messages(output)
        mine = next((message for message in answers if message.tool_call_id == run.call), None)
        mine = mine or (answers[0] if len(answers) == 1 else None)
        failed = mine is not None and mine.status == "error"
        for command in translate.parent_commands(output):
            for target in translate.targets(command):
                self._hand_over(run, run.turn.name if run.turn is not None else "", target, Mechanism.TOOL, None)
                if run.turn is not None:
                    run.turn.handed_off = Mechanism.TOOL
        result = _content(mine) if mine is not None else _plain(output)
        self._end(
            run,
            ToolOutcome.ERROR if failed else ToolOutcome.SUCCESS,
            result,
            Failure(HANDLED_ERROR, _said(result)) if failed else None,
        )

    def raised(self, run: Run, error: BaseException) -> None:
        if isinstance(error, GraphInterrupt):
            node = run.parent
            while node is not None and node.turn is run.turn:
                if run.call is not None:
                    node.held.append(run.call)
                node = node.parent
            self._end(run, ToolOutcome.INTERRUPTED)
        elif isinstance(error, GraphBubbleUp):
            self._end(run, ToolOutcome.SUCCESS)
        elif isinstance(error, asyncio.CancelledError | GeneratorExit | KeyboardInterrupt | SystemExit):
            self._end(run, ToolOutcome.CANCELLED)
        else:
            self._end(run, ToolOutcome.ERROR, failed=failure(error))

    def _end(self, run: Run, outcome: ToolOutcome, result: object = None, failed: Failure | None = None) -> None:
        assert run.key is not None
        self._recorder.record(
            ToolEnded(run=RecordKey(str(run.root)), key=run.key, at=now(), outcome=outcome, result=result, failure=failed)
        )

    def _hand_over(self, run: Run, source: str, target: str, mechanism: Mechanism, message: object) -> None:
        assert run.key is not None
        self._recorder.record(
            HandedOff(
                run=RecordKey(str(run.root)),
                key=run.key,
                at=now(),
                source=source,
                target=target,
                mechanism=mechanism,
                call=run.call,
                message=message if isinstance(message, str) else None,
            )
        )


def _content(message: ToolMessage) -> object:
    return message.content  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] -- langchain types it list[str | dict]


def _plain(output: object) -> object:
    """A tool's output where no message carries it: a command's update is state, not a result."""
    return None if isinstance(output, Command) else output


def _said(result: object) -> str:
    return result[:1024] if isinstance(result, str) else ""
