"""Model calls as facts."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any, cast

from langchain_core.messages import BaseMessage
from langchain_core.outputs import LLMResult

from hookspan.adapters.langgraph import translate
from hookspan.adapters.langgraph.outcomes import cut_short, failure
from hookspan.adapters.langgraph.proposals import propose, tell
from hookspan.adapters.langgraph.runtree import Run, RunRole, Turn
from hookspan.adapters.langgraph.streaming import begun
from hookspan.model.clock import now
from hookspan.model.facts import ModelEnded, ModelStarted
from hookspan.spans.recorder import Recorder

_REMEMBERED_THREADS = 1000


class Models:
    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._seen: OrderedDict[tuple[str, str], int] = OrderedDict()
        """How many messages of a thread an agent's model has been given: the next call tells only newer ones."""

    def started(self, run: Run, messages: Sequence[BaseMessage], metadata: Mapping[str, Any], options: Mapping[str, Any]) -> None:
        above = run.opens()
        params = cast("Mapping[str, Any]", options.get("invocation_params") or {})
        turn = run.turn
        before = self._before(turn, len(messages)) if turn is not None else 0
        run.structured = "ls_structured_output_format" in cast("Mapping[str, Any]", options.get("options") or {})
        self._recorder.record(
            ModelStarted(
                run=run.outermost,
                key=run.own,
                at=now(),
                parent=above,
                model=translate.request_model(metadata, params),
                provider=translate.provider(metadata.get("ls_provider")),
                framework=turn.framework if turn is not None else "langgraph",
                conversation=turn.thread if turn is not None else _thread(metadata),
                messages=translate.messages(messages[before:]) if self._recorder.keeps_messages else None,
                messages_before=before,
            )
        )
        begun(run.own)

    def ended(self, run: Run, response: LLMResult) -> None:
        message = translate.answer(response)
        reasons = translate.finish_reasons(message, response)
        turn, at = run.turn, now()
        self._recorder.record(
            ModelEnded(
                run=run.outermost,
                key=run.own,
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
        propose(run, turn, turn.proposed, at)
        if not _in_node(run):
            tell(self._recorder, turn)

    def raised(self, run: Run, error: BaseException) -> None:
        cancelled = cut_short(error)
        self._recorder.record(
            ModelEnded(
                run=run.outermost,
                key=run.own,
                at=now(),
                failure=None if cancelled else failure(error),
                cancelled=cancelled,
            )
        )

    def _before(self, turn: Turn, count: int) -> int:
        if turn.thread is None:
            seen, turn.messages_seen = turn.messages_seen, count
        else:
            who = (turn.thread, turn.name)
            seen = self._seen.get(who, 0)
            self._seen[who] = count
            self._seen.move_to_end(who)
            if len(self._seen) > _REMEMBERED_THREADS:
                self._seen.popitem(last=False)
        # a shorter conversation was compacted or begun anew: all of it is new
        return seen if seen <= count else 0


def _in_node(run: Run) -> bool:
    upper = run.parent
    while upper is not None and upper.turn is run.turn:
        if upper.role is RunRole.NODE:
            return True
        upper = upper.parent
    return False


def _thread(metadata: Mapping[str, Any]) -> str | None:
    said = metadata.get("thread_id")
    return str(said) if said is not None else None
