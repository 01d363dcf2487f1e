"""Short histories told as facts, for what reads a trail."""

from __future__ import annotations

from hookspan.model.clock import now
from hookspan.model.decision import Denied, Granted, NoReasonGiven, Source
from hookspan.model.facts import (
    Answer,
    Interrupted,
    InterruptKind,
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
    ToolOutcome,
    ToolProposed,
    ToolSettled,
    ToolStarted,
)
from hookspan.model.ids import CallId, RecordKey
from hookspan.model.usage import TokenUsage
from hookspan.spans.recorder import Recorder

FRAMEWORK = "langgraph"


def begin(recorder: Recorder, run: str, *, thread: str = "t1", name: str = "clerk", resume: Resume | None = None) -> RecordKey:
    key = RecordKey(run)
    recorder.record(
        RunStarted(
            run=key,
            key=key,
            at=now(),
            kind=RunKind.AGENT,
            name=name,
            framework=FRAMEWORK,
            conversation=thread,
            resume=resume,
        )
    )
    return key


def ask_model(recorder: Recorder, run: RecordKey, number: int, *, tokens: tuple[int, int] = (100, 10)) -> None:
    key = RecordKey(f"{run}/chat{number}")
    recorder.record(ModelStarted(run=run, key=key, at=now(), parent=run, model="scripted-1", provider="anthropic", framework=FRAMEWORK))
    recorder.record(ModelEnded(run=run, key=key, at=now(), usage=TokenUsage(input=tokens[0], output=tokens[1])))


def use_tool(
    recorder: Recorder,
    run: RecordKey,
    call: str,
    *,
    name: str = "search",
    result: object = "found",
    outcome: ToolOutcome = ToolOutcome.SUCCESS,
) -> None:
    key = RecordKey(f"{run}/{call}")
    recorder.record(
        ToolStarted(run=run, key=key, at=now(), parent=run, name=name, framework=FRAMEWORK, call=CallId(call), arguments={"q": "shoes"})
    )
    recorder.record(ToolEnded(run=run, key=key, at=now(), outcome=outcome, result=result))


def end(recorder: Recorder, run: RecordKey, outcome: RunOutcome = RunOutcome.COMPLETED, reason: StopReason = StopReason.END_TURN) -> None:
    recorder.record(RunEnded(run=run, key=run, at=now(), outcome=outcome, stop=Stop(reason)))


def simple_run(recorder: Recorder, run: str = "run-1", *, thread: str = "t1") -> None:
    """One model call, one tool call, one more model call: 220 tokens in, 21 out."""
    key = begin(recorder, run, thread=thread)
    ask_model(recorder, key, 1)
    use_tool(recorder, key, f"{run}-call")
    ask_model(recorder, key, 2, tokens=(120, 11))
    end(recorder, key)


def approval(recorder: Recorder, *, verdict: str = "reject") -> None:
    """A call waits for a person in one run; the next one goes on with the answer."""
    first = begin(recorder, "paused-run")
    ask_model(recorder, first, 1)
    call = CallId("call-rm")
    recorder.record(ToolProposed(run=first, key=first, at=now(), call=call, name="rm", arguments={"path": "/"}))
    recorder.record(
        Interrupted(
            run=first, key=first, at=now(), interrupt="i1", kind=InterruptKind.APPROVAL, framework=FRAMEWORK, calls=(call,), thread="t1"
        )
    )
    end(recorder, first, RunOutcome.INTERRUPTED, StopReason.INTERRUPT)
    answers = {
        "reject": Denied(source=Source.HUMAN, by="ada", reason="too risky"),
        "silent": Denied(source=Source.HUMAN, by="ada", reason=NoReasonGiven()),
        "approve": Granted(source=Source.HUMAN, by="ada"),
    }
    second = begin(recorder, "resumed-run", resume=Resume("t1", (Answer(None, (answers[verdict],)),)))
    if verdict == "approve":
        use_tool(recorder, second, call, name="rm", result="gone")
    else:
        recorder.record(
            ToolSettled(
                run=second,
                key=second,
                at=now(),
                call=call,
                name="rm",
                framework=FRAMEWORK,
                outcome=ToolOutcome.DENIED,
                result="User said no",
            )
        )
    ask_model(recorder, second, 2)
    end(recorder, second)
