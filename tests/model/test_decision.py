"""A denial without a reason cannot be built, nor a decision whose verdict means something else."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from hookspan.model.content import ContentMode
from hookspan.model.decision import Answered, Denied, Granted, NoReasonGiven, Source, Verdict
from hookspan.spans import describe
from hookspan.spans import names as n
from hookspan.spans.payload import ContentPolicy

MEANT = {
    Granted: {Verdict.ALLOW, Verdict.EDIT, Verdict.CONTINUE},
    Denied: {Verdict.DENY, Verdict.BLOCK, Verdict.SKIP, Verdict.EXPIRED},
    Answered: {Verdict.RESPOND, Verdict.NONE, Verdict.ASK, Verdict.DEFER},
}


def build(kind: type[Granted | Denied | Answered], verdict: Verdict) -> Granted | Denied | Answered:
    if issubclass(kind, Denied):
        return kind(source=Source.GUARD, verdict=verdict, reason="r")
    return kind(source=Source.GUARD, verdict=verdict)


@pytest.mark.parametrize("kind", MEANT)
@pytest.mark.parametrize("verdict", Verdict)
def test_a_verdict_is_taken_by_the_kind_of_decision_it_means_and_refused_by_the_others(
    kind: type[Granted | Denied | Answered], verdict: Verdict
) -> None:
    if verdict in MEANT[kind]:
        assert build(kind, verdict).verdict is verdict
    else:
        with pytest.raises(ValueError, match=str(verdict)):
            build(kind, verdict)


def test_each_verdict_belongs_to_exactly_one_kind_of_decision() -> None:
    assert sorted(verdict for verdicts in MEANT.values() for verdict in verdicts) == sorted(Verdict)


def test_a_denial_without_a_reason_cannot_be_built() -> None:
    with pytest.raises(TypeError, match="reason"):
        Denied(source=Source.HUMAN)  # pyright: ignore[reportCallIssue] -- what the type checker refuses is refused when it runs, too


@pytest.mark.parametrize("reason", ["", " ", "\n\t "])
def test_an_empty_reason_is_none(reason: str) -> None:
    with pytest.raises(ValueError, match="NoReasonGiven"):
        Denied(source=Source.HUMAN, reason=reason)


@pytest.mark.parametrize(("reason", "said", "given"), [("too risky", "too risky", True), (NoReasonGiven(), "no reason given", False)])
def test_a_denial_is_always_told_with_a_reason_and_whether_it_was_given(reason: str | NoReasonGiven, said: str, given: bool) -> None:
    denied = Denied(source=Source.HOOK_COMMAND, by="guard.sh", reason=reason)
    assert describe.decision(denied, ContentMode.NONE, ContentPolicy()) == {
        n.DECISION_VERDICT: "deny",
        n.DECISION_SOURCE: "hook_command",
        n.DECISION_BY: "guard.sh",
        n.DECISION_REASON: said,
        n.DECISION_REASON_GIVEN: given,
    }


def test_a_decision_is_a_value_that_cannot_be_changed() -> None:
    granted = Granted(source=Source.HUMAN, by="ada")
    assert granted == Granted(source=Source.HUMAN, by="ada", verdict=Verdict.ALLOW)
    assert len({granted, Granted(source=Source.HUMAN, by="ada"), Granted(source=Source.HUMAN)}) == 2
    with pytest.raises(FrozenInstanceError):
        granted.by = "eve"  # pyright: ignore[reportAttributeAccessIssue] -- that is what is refused


def test_nobody_is_named_who_was_not_said() -> None:
    described = describe.decision(Granted(source=Source.HUMAN), ContentMode.FULL, ContentPolicy())
    assert described == {n.DECISION_VERDICT: "allow", n.DECISION_SOURCE: "human"}
