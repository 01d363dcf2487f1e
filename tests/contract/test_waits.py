"""What a tree does not show of a wait: how long its approval lasts, and that it says nothing about other calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from hookspan.model.decision import Granted, Source
from hookspan.model.facts import Answer, Fact, Resume
from hookspan.spans import names as n
from tests.contract import facts_claude, facts_langgraph, facts_strands
from tests.support.contract_sinks import Everywhere
from tests.support.contract_story import Story

Scenarios = Mapping[str, Callable[[], Sequence[Fact]]]
MINUTE = 60_000_000_000


@pytest.mark.parametrize("scenario", ["approved", "rejected"])
def test_an_approval_lasts_as_long_as_the_run_waited_for_it(scenario: str, tmp_path: Path) -> None:
    assert _lasted(facts_claude.SCENARIOS[scenario](), tmp_path) == MINUTE


@pytest.mark.parametrize("scenario", ["approved", "rejected"])
@pytest.mark.parametrize("scenarios", [facts_langgraph.SCENARIOS, facts_strands.SCENARIOS], ids=["langgraph", "strands"])
def test_an_approval_between_two_runs_has_no_length(scenarios: Scenarios, scenario: str, tmp_path: Path) -> None:
    assert _lasted(scenarios[scenario](), tmp_path) == 0


def test_an_answer_that_shows_only_later_says_nothing_about_other_calls(tmp_path: Path) -> None:
    """Strands resumes with the interrupt's id alone; what was decided follows, and about the call that was held up only."""
    recorder = Everywhere(tmp_path / "trail.db")
    first, second = Story("strands", "run-1", "run-1", "s"), Story("strands", "run-2", "run-2", "s")
    asked = (first.began(0, "clerk"), first.proposed(1, "c1", "remove", {}), first.interrupted(2, "i1", "c1", "?"), first.ended(3))
    goes_on = (
        second.began(10, "clerk", resume=Resume("s", (Answer("i1", ()),))),
        second.decided(11, "c1", "remove", Granted(source=Source.HUMAN)),
        second.tool_began(12, "t1", "c1", "remove", {}),
        second.tool_ended(13, "t1", "removed"),
        second.tool_began(14, "t2", "c2", "look", {}),
        second.tool_ended(15, "t2", "seen"),
        second.ended(16),
    )
    for fact in (*asked, *goes_on):
        recorder.record(fact)
    bases = {
        record.attributes[n.TOOL_CALL_ID]: record.attributes[n.PERMISSION_BASIS]
        for record in recorder.arrived()["memory"]
        if n.PERMISSION_BASIS in record.attributes
    }
    assert bases == {"c1": "human", "c2": "none_asked"}


def _lasted(facts: Sequence[Fact], path: Path) -> int:
    recorder = Everywhere(path / "trail.db")
    for fact in facts:
        recorder.record(fact)
    (approval,) = [record for record in recorder.arrived()["memory"] if record.kind == n.APPROVAL]
    assert approval.end is not None
    return approval.end - approval.start
