"""Runs of graphs as facts: agents and workflows from their first input to their last word."""

from __future__ import annotations

from uuid import UUID

from langgraph.callbacks import GraphInterruptEvent, GraphResumeEvent

from hookspan.adapters.langgraph.decisions import resume_of
from hookspan.adapters.langgraph.graphs import NAMELESS, GraphEntry
from hookspan.adapters.langgraph.outcomes import Ended
from hookspan.adapters.langgraph.proposals import tell
from hookspan.adapters.langgraph.runtree import Run, RunRole, Turn, inside
from hookspan.model.clock import now
from hookspan.model.decision import Denied, NoReasonGiven, Source, Verdict
from hookspan.model.facts import (
    Interrupted,
    InterruptKind,
    Resume,
    Resumed,
    RunEnded,
    RunKind,
    RunStarted,
    StopReason,
    ToolOutcome,
    ToolSettled,
)
from hookspan.spans.recorder import Recorder


class Graphs:
    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def started(self, entry: GraphEntry, run_id: UUID, parent: Run | None, inputs: object) -> Run:
        run = inside(run_id, parent, RunRole.GRAPH, _name(entry, parent))
        upper, above = run.turn, run.opens()
        run.turn = Turn(
            key=run.own,
            name=run.name,
            framework=upper.framework if upper is not None and upper.framework == "deepagents" else entry.framework,
            thread=entry.thread,
            agent=entry.agent,
            nodes=entry.nodes,
            user=entry.user,
            goes_on=inputs is None,
        )
        self._recorder.record(
            RunStarted(
                run=run.outermost,
                key=run.own,
                at=now(),
                kind=RunKind.AGENT if entry.agent else RunKind.WORKFLOW,
                name=run.name,
                framework=run.turn.framework,
                parent=above,
                conversation=entry.thread,
                user=entry.user,
                resume=resume_of(inputs, entry.thread, entry.user),
            )
        )
        return run

    def ended(self, run: Run, turn: Turn, ended: Ended) -> None:
        tell(self._recorder, turn)
        self._skip(run, turn)
        self._recorder.record(
            RunEnded(run=run.outermost, key=turn.key, at=now(), outcome=ended.outcome, stop=ended.stop, failure=ended.failure)
        )

    def interrupted(self, run: Run, turn: Turn, event: GraphInterruptEvent) -> None:
        """A static breakpoint: every other interrupt was told by the node it came from."""
        self._recorder.record(
            Interrupted(
                run=run.outermost,
                key=turn.key,
                at=now(),
                interrupt=event.checkpoint_id,
                kind=InterruptKind.BREAKPOINT,
                framework=turn.framework,
                checkpoint=event.checkpoint_id,
                thread=turn.thread,
            )
        )

    def resumed(self, run: Run, turn: Turn, event: GraphResumeEvent) -> None:
        """LangGraph calls every further run of a thread that stands in its middle a resume; without an answer it is
        one only where the run was invoked without input."""
        if turn.goes_on:
            self._recorder.record(
                Resumed(run=run.outermost, key=turn.key, at=now(), resume=Resume(turn.thread), checkpoint=event.checkpoint_id)
            )

    def _skip(self, run: Run, turn: Turn) -> None:
        """The calls that a middleware left undone when it ended the run."""
        stop = turn.stopped_by
        if stop is None:
            return
        source = Source.GUARD if stop.reason is StopReason.MAX_TURNS else Source.HOOK_CALLBACK
        for proposal in turn.pending.values():
            self._recorder.record(
                ToolSettled(
                    run=run.outermost,
                    key=turn.key,
                    at=now(),
                    call=proposal.call,
                    name=proposal.name,
                    framework=turn.framework,
                    outcome=ToolOutcome.SKIPPED,
                    decision=Denied(verdict=Verdict.SKIP, source=source, by=stop.by, reason=NoReasonGiven()),
                )
            )


def _name(entry: GraphEntry, parent: Run | None) -> str:
    """A nameless graph that is a node has the node's name."""
    if entry.name == NAMELESS and parent is not None and parent.role is RunRole.NODE:
        return parent.name
    return entry.name
