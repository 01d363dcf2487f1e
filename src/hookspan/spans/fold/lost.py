"""Stand-ins for beginnings that were lost: what an end alone still tells is kept."""

from __future__ import annotations

from hookspan.model.facts import (
    Fact,
    HandlerEnded,
    HandlerStarted,
    HookEnded,
    HookStarted,
    ModelEnded,
    ModelStarted,
    RunKind,
    RunStarted,
    Started,
    ToolEnded,
    ToolStarted,
)

UNKNOWN = "unknown"
"""Names what only an end was seen of."""


def lost_run(fact: Fact) -> RunStarted:
    """The outermost run of `fact`, begun when the fact happened."""
    return RunStarted(run=fact.run, key=fact.run, at=fact.at, kind=RunKind.WORKFLOW, name=UNKNOWN, framework=UNKNOWN)


def lost_beginning(fact: Fact) -> Started:
    """The record that `fact` is about, zero-length."""
    if isinstance(fact, ModelEnded):
        return ModelStarted(run=fact.run, key=fact.key, at=fact.at, model=fact.response_model, provider=None, framework=UNKNOWN)
    if isinstance(fact, ToolEnded):
        return ToolStarted(run=fact.run, key=fact.key, at=fact.at, name=UNKNOWN, framework=UNKNOWN)
    if isinstance(fact, HookEnded):
        return HookStarted(run=fact.run, key=fact.key, at=fact.at, event=UNKNOWN, framework=UNKNOWN)
    if isinstance(fact, HandlerEnded):
        command = fact.exit_code is not None
        return HandlerStarted(run=fact.run, key=fact.key, at=fact.at, event=UNKNOWN, name=UNKNOWN, framework=UNKNOWN, command=command)
    return RunStarted(run=fact.run, key=fact.key, at=fact.at, kind=RunKind.WORKFLOW, name=UNKNOWN, framework=UNKNOWN)
