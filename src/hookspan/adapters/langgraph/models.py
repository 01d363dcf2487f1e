"""Model calls as facts."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any, cast

from langchain_core.messages import BaseMessage
from langchain_core.outputs import LLMResult

from hookspan.adapters.langgraph import translate
from hookspan.adapters.langgraph.outcomes import failure
from hookspan.adapters.langgraph.runtree import Run
from hookspan.model.clock import now
from hookspan.model.facts import ModelEnded, ModelStarted, ToolProposed
from hookspan.model.ids import CallId, RecordKey
from hookspan.spans.recorder import Recorder

_REMEMBERED_THREADS = 1000


class Models:
    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._seen: OrderedDict[tuple[str, str], int] = OrderedDict()
        """How many messages of a conversation an agent's model has been given: the next call tells only newer ones."""

    def started(self, run: Run, messages: Sequence[BaseMessage], metadata: Mapping[str, Any], options: Mapping[str, Any]) -> None:
        parent, run.key = run.key, RecordKey(str(run.id))
        params = cast("Mapping[str, Any]", options.get("invocation_params") or {})
        turn = run.turn
        before = self._before(run, len(messages))
        run.structured = "ls_structured_output_format" in cast("Mapping[str, Any]", options.get("options") or {})
        self._recorder.record(
            ModelStarted(
                run=RecordKey(str(run.root)),
                key=run.key,
                at=now(),
                parent=parent,
                model=translate.request_model(metadata, params),
                provider=translate.provider(metadata.get("ls_provider")),
                framework=turn.framework if turn is not None else "langgraph",
                conversation=turn.thread if turn is not None else _thread(metadata),
                messages=translate.messages(messages[before:]) if self._recorder.keeps_messages else None,
                messages_before=before,
            )
        )

    def ended(self, run: Run, response: LLMResult) -> None:
        message = translate.answer(response)
        reasons = translate.finish_reasons(message, response)
        turn, at = run.turn, now()
        assert run.key is not None
        self._recorder.record(
            ModelEnded(
                run=RecordKey(str(run.root)),
                key=run.key,
                at=at,
                usage=translate.usage(message, response),
                response_model=translate.response_model(message),
                response_id=translate.response_id(message),
                finish_reasons=reasons,
                messages=translate.messages([message]) if message is not None and self._recorder.keeps_messages else None,
            )
        )
        if turn is None:
            return
        turn.finish_reason = reasons[0] if reasons else None
        if message is None or run.structured:
            return
        turn.proposed = message.tool_calls
        for call in turn.proposed:
            if call["id"]:
                proposed = CallId(call["id"])
                turn.pending[proposed] = call["name"]
                self._recorder.record(
                    ToolProposed(
                        run=RecordKey(str(run.root)), key=turn.key, at=at, call=proposed, name=call["name"], arguments=call["args"]
                    )
                )

    def raised(self, run: Run, error: BaseException) -> None:
        assert run.key is not None
        cancelled = isinstance(error, asyncio.CancelledError | GeneratorExit | KeyboardInterrupt | SystemExit)
        self._recorder.record(
            ModelEnded(
                run=RecordKey(str(run.root)),
                key=run.key,
                at=now(),
                failure=None if cancelled else failure(error),
                cancelled=cancelled,
            )
        )

    def _before(self, run: Run, count: int) -> int:
        turn = run.turn
        if turn is None:
            return 0
        who = (turn.thread or turn.key, turn.name)
        seen = self._seen.get(who, 0)
        self._seen[who] = count
        self._seen.move_to_end(who)
        if len(self._seen) > _REMEMBERED_THREADS:
            self._seen.popitem(last=False)
        # a shorter conversation was compacted or begun anew: all of it is new
        return seen if seen <= count else 0


def _thread(metadata: Mapping[str, Any]) -> str | None:
    said = metadata.get("thread_id")
    return str(said) if said is not None else None
