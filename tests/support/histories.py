"""Histories of runs as facts, drawn by hypothesis: what any adapter could tell, and what becomes of it on a bad way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from hypothesis import strategies as st

from hookspan.model.decision import Answered, Decision, Denied, Granted, NoReasonGiven, Source, Verdict
from hookspan.model.facts import (
    Answer,
    Decided,
    Fact,
    Failure,
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
    Noted,
    Resume,
    Resumed,
    RunEnded,
    RunKind,
    RunOutcome,
    RunStarted,
    Started,
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

BEGAN = 1_000_000_000_000
RUNS = st.sampled_from([RunOutcome.COMPLETED, RunOutcome.STOPPED, RunOutcome.CANCELLED, RunOutcome.ABANDONED, RunOutcome.ERROR])
CALLS = st.sampled_from([ToolOutcome.SUCCESS, ToolOutcome.ERROR, ToolOutcome.CANCELLED, ToolOutcome.INTERRUPTED])
DECISIONS: st.SearchStrategy[Decision] = st.sampled_from(
    [
        Granted(source=Source.HUMAN, by="ada"),
        Granted(source=Source.HOOK_COMMAND, by="guard.sh", verdict=Verdict.EDIT),
        Denied(source=Source.HUMAN, by="ada", reason="no"),
        Denied(source=Source.POLICY, reason=NoReasonGiven(), verdict=Verdict.BLOCK),
        Answered(source=Source.HOOK_CALLBACK, by="cache"),
    ]
)
RESUMES: st.SearchStrategy[Resume] = st.builds(
    Resume,
    thread=st.just("c"),
    answers=st.lists(st.builds(Answer, st.sampled_from([None, "i1"]), st.lists(DECISIONS, max_size=2)), max_size=1),
)


@dataclass
class History:
    """`facts` in the order they happened."""

    facts: list[Fact] = field(default_factory=list[Fact])
    resumes: bool = True
    open: list[Started] = field(default_factory=list[Started])
    number: int = 0

    def at(self) -> int:
        self.number += 1
        return BEGAN + self.number * 1000

    def key(self, run: RecordKey) -> RecordKey:
        self.number += 1
        return RecordKey(f"{run}.{self.number}")

    def begin(self, fact: Started) -> None:
        self.facts.append(fact)
        self.open.append(fact)

    def agents(self) -> list[RunStarted]:
        return [fact for fact in self.open if isinstance(fact, RunStarted)]

    def inside(self, fact: Started) -> list[Started]:
        """What is open below `fact`, the innermost first."""
        keys = {fact.key}
        found: list[Started] = []
        for one in self.open:
            if one.parent in keys:
                keys.add(one.key)
                found.append(one)
        return found[::-1]

    def end(self, fact: Started, draw: st.DrawFn) -> None:
        """Ends a record, after all that is open inside it."""
        for inner in self.inside(fact):
            self.end(inner, draw)
        if fact in self.open:
            self.open.remove(fact)
            self.facts.append(_end(fact, self.at(), draw))


def _end(fact: Started, at: int, draw: st.DrawFn) -> Fact:
    run, key = fact.run, fact.key
    failure = Failure("ValueError", "it broke") if draw(st.booleans()) else None
    match fact:
        case RunStarted():
            return RunEnded(run=run, key=key, at=at, outcome=draw(RUNS), stop=Stop(draw(st.sampled_from(StopReason))))
        case ModelStarted():
            return ModelEnded(run=run, key=key, at=at, usage=TokenUsage(input=100, output=7), failure=failure)
        case ToolStarted():
            return ToolEnded(run=run, key=key, at=at, outcome=draw(CALLS), result="r", failure=failure)
        case HookStarted():
            return HookEnded(run=run, key=key, at=at, outcome=draw(st.sampled_from(HookOutcome)))
        case HandlerStarted():
            return HandlerEnded(run=run, key=key, at=at, outcome=draw(st.sampled_from(HookOutcome)))


def _a_run(history: History, draw: st.DrawFn) -> None:
    inside = draw(st.booleans()) and history.agents()
    if not inside:
        key = RecordKey(f"run{history.number}")
        resume = draw(st.none() | RESUMES) if history.resumes else None
        history.begin(
            RunStarted(
                run=key, key=key, at=history.at(), kind=RunKind.AGENT, name="root", framework="test", conversation="c", resume=resume
            )
        )
        return
    above = draw(st.sampled_from(history.open))
    kind = draw(st.sampled_from(RunKind))
    history.begin(
        RunStarted(
            run=above.run, key=history.key(above.run), at=history.at(), parent=above.key, kind=kind, name=f"sub-{kind}", framework="test"
        )
    )


def _a_model_call(history: History, draw: st.DrawFn) -> None:
    above = draw(st.sampled_from(history.open))
    history.begin(
        ModelStarted(
            run=above.run, key=history.key(above.run), at=history.at(), parent=above.key, model="m", provider=None, framework="test"
        )
    )


def _a_tool_call(history: History, draw: st.DrawFn) -> None:
    above = draw(st.sampled_from(history.open))
    call = CallId(draw(st.sampled_from(["c1", "c2", "c3"]))) if draw(st.booleans()) else None
    history.begin(
        ToolStarted(
            run=above.run,
            key=history.key(above.run),
            at=history.at(),
            parent=above.key,
            name="search",
            framework="test",
            call=call,
            arguments={"q": 1},
        )
    )


def _a_hook(history: History, draw: st.DrawFn) -> None:
    above = draw(st.sampled_from(history.open))
    key = history.key(above.run)
    if isinstance(above, HookStarted):
        command = draw(st.booleans())
        history.begin(
            HandlerStarted(
                run=above.run,
                key=key,
                at=history.at(),
                parent=above.key,
                event="PreToolUse",
                name="guard",
                framework="test",
                command=command,
            )
        )
    else:
        history.begin(HookStarted(run=above.run, key=key, at=history.at(), parent=above.key, event="PreToolUse", framework="test"))


def _something_said(history: History, draw: st.DrawFn) -> None:
    """About an agent, or a call of it."""
    agent = draw(st.sampled_from(history.agents()))
    run, key, at = agent.run, agent.key, history.at()
    call = CallId(draw(st.sampled_from(["c1", "c2", "p1", "p2"])))
    said: Sequence[Fact] = [
        ToolProposed(run=run, key=key, at=at, call=call, name="search", arguments={"q": 1}),
        ToolSettled(run=run, key=key, at=at, call=call, name="search", framework="test", outcome=ToolOutcome.DENIED),
        Decided(run=run, key=key, at=at, decision=draw(DECISIONS), call=call, tool="search"),
        Decided(run=run, key=key, at=at, decision=draw(DECISIONS)),
        HandedOff(run=run, key=key, at=at, source="root", target="other", mechanism=Mechanism.TOOL),
        Interrupted(run=run, key=key, at=at, interrupt="i1", kind=InterruptKind.APPROVAL, framework="test", calls=(call,), thread="c"),
        *([Resumed(run=run, key=key, at=at, resume=draw(RESUMES), checkpoint="k")] if history.resumes else []),
        Identified(run=run, key=key, at=at, conversation="later"),
        Noted(run=run, key=key, at=at, kind="retry", details={"attempt": 1}),
    ]
    history.facts.append(draw(st.sampled_from(said)))


_STEPS: Sequence[Callable[[History, st.DrawFn], None]] = (
    _a_run,
    _a_model_call,
    _a_tool_call,
    _a_tool_call,
    _a_hook,
    _something_said,
    _something_said,
)


@st.composite
def histories(draw: st.DrawFn, most: int = 25, *, resumes: bool = True) -> Sequence[Fact]:
    """Facts of some runs, nested and side by side, each of which ended. With `resumes`, some go on where another paused:
    what they know of it depends on which was told first."""
    history = History(resumes=resumes)
    _a_run(history, draw)
    for _ in range(draw(st.integers(0, most))):
        if len(history.agents()) == 0:
            _a_run(history, draw)
        elif draw(st.integers(0, 3)) == 0:
            history.end(draw(st.sampled_from(history.open)), draw)
        else:
            draw(st.sampled_from(_STEPS))(history, draw)
    while history.open:
        history.end(history.open[0], draw)
    return history.facts


@st.composite
def mangled(draw: st.DrawFn, most: int = 25) -> Sequence[Fact]:
    """A history of which some facts come twice, some never, and all in any order."""
    facts = list(draw(histories(most)))
    lost = draw(st.sets(st.integers(0, len(facts) - 1), max_size=len(facts) // 2))
    kept = [fact for number, fact in enumerate(facts) if number not in lost]
    twice = draw(st.lists(st.sampled_from(kept), max_size=6)) if kept else []
    return draw(st.permutations([*kept, *twice]))


@st.composite
def reordered(draw: st.DrawFn, most: int = 25) -> tuple[Sequence[Fact], Sequence[Fact]]:
    """A history, and the same in another order, in which what is inside a run still comes before its end, and what was
    said about calls in the order it was said."""
    facts = list(draw(histories(most, resumes=False)))
    # a call whose beginning waits for what is above it is overtaken by a later use of the same id: another call by then
    above = {fact.key: fact.parent for fact in facts if isinstance(fact, Started)}
    holds_calls: set[RecordKey | None] = set()
    for fact in facts:
        upper = fact.parent if isinstance(fact, ToolStarted) else None
        while upper is not None:
            holds_calls.add(upper)
            upper = above[upper]
    free = [
        fact
        for fact in facts
        if isinstance(fact, RunStarted | ModelStarted | ModelEnded | HookStarted | HandlerStarted) and fact.key not in holds_calls
    ]
    rest = [fact for fact in facts if fact not in free]
    places = draw(st.lists(st.integers(0, len(rest)), min_size=len(free), max_size=len(free)))
    last = {fact.run: number for number, fact in enumerate(rest) if isinstance(fact, RunEnded)}
    buckets: list[list[Fact]] = [[] for _ in range(len(rest) + 1)]
    for fact, place in zip(draw(st.permutations(free)), places, strict=True):
        ends = [number for number, other in enumerate(rest) if isinstance(other, RunEnded) and _may_hold(other, fact)]
        buckets[min([place, last[fact.run], *ends])].append(fact)
    mixed: list[Fact] = []
    for number, bucket in enumerate(buckets):
        mixed += bucket
        mixed += rest[number : number + 1]
    return facts, mixed


def _may_hold(end: RunEnded, fact: Fact) -> bool:
    return end.run == fact.run and end.at >= fact.at
