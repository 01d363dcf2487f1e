"""Runs told as facts, without a framework: what a framework's adapter would tell of an agent with tools."""

from __future__ import annotations

from collections.abc import Callable

from hookspan.model.clock import now
from hookspan.model.facts import (
    Failure,
    ModelEnded,
    ModelStarted,
    RunEnded,
    RunKind,
    RunOutcome,
    RunStarted,
    ToolEnded,
    ToolOutcome,
    ToolStarted,
)
from hookspan.model.ids import CallId, RecordKey
from hookspan.model.usage import TokenUsage
from hookspan.spans.recorder import Recorder


def begin_run(recorder: Recorder, name: str, agent: str = "coder") -> RecordKey:
    run = RecordKey(name)
    recorder.record(RunStarted(run=run, key=run, at=now(), kind=RunKind.AGENT, name=agent, framework="langgraph", conversation="c1"))
    return run


def end_run(recorder: Recorder, run: RecordKey) -> None:
    recorder.record(RunEnded(run=run, key=run, at=now(), outcome=RunOutcome.COMPLETED))


def model_call(recorder: Recorder, run: RecordKey, name: str, *, failure: Failure | None = None) -> None:
    key = RecordKey(f"{run}/{name}")
    recorder.record(ModelStarted(run=run, key=key, at=now(), model="scripted-1", provider="test", framework="langgraph", parent=run))
    usage = TokenUsage(input=10, output=5)
    recorder.record(ModelEnded(run=run, key=key, at=now(), usage=usage, response_model="scripted-1", failure=failure))


def begin_tool(recorder: Recorder, run: RecordKey, call: str, tool: str = "read_file", arguments: object = None) -> RecordKey:
    key = RecordKey(f"{run}/{call}")
    recorder.record(
        ToolStarted(run=run, key=key, at=now(), name=tool, framework="langgraph", call=CallId(call), parent=run, arguments=arguments)
    )
    return key


def end_tool(recorder: Recorder, run: RecordKey, key: RecordKey, *, result: object = "ok", failure: Failure | None = None) -> None:
    outcome = ToolOutcome.SUCCESS if failure is None else ToolOutcome.ERROR
    recorder.record(ToolEnded(run=run, key=key, at=now(), outcome=outcome, result=result, failure=failure))


def agent(
    recorder: Recorder,
    name: str = "r1",
    *,
    tools: int = 1,
    result: object = "ok",
    agent: str = "coder",
    inside: Callable[[], None] | None = None,
) -> None:
    """A whole run: one model call, `tools` tool calls with `result`; `inside` runs within each tool."""
    run = begin_run(recorder, name, agent)
    with recorder.scope(run):
        model_call(recorder, run, "m")
        for number in range(tools):
            tool = begin_tool(recorder, run, f"call-{number}")
            with recorder.scope(tool):
                if inside is not None:
                    inside()
            end_tool(recorder, run, tool, result=result)
    end_run(recorder, run)
