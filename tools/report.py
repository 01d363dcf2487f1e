"""What the steps of a check came to: counts from pytest's own reports, and the closing lines."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree as ET


@dataclass(frozen=True)
class Outcome:
    """One step's counts. `failed` holds names; `skipped` pairs of (reason, name)."""

    step: str
    passed: int = 0
    failed: tuple[str, ...] = ()
    skipped: tuple[tuple[str, str], ...] = ()
    seconds: float = 0.0


@dataclass
class Closing:
    outcomes: list[Outcome] = field(default_factory=list[Outcome])

    @property
    def failed(self) -> int:
        return sum(len(outcome.failed) for outcome in self.outcomes)

    def lines(self) -> list[str]:
        """Times per step, everything that was skipped with its reason, every failure; the last line holds the counts."""
        passed = sum(outcome.passed for outcome in self.outcomes)
        skipped = [skip for outcome in self.outcomes for skip in outcome.skipped]
        failures = [f"  {outcome.step}: {name}" for outcome in self.outcomes for name in outcome.failed]
        return [
            "",
            "--- steps",
            *(_step_line(outcome) for outcome in self.outcomes),
            *(["--- skipped", *_by_reason(skipped)] if skipped else []),
            *(["--- failed", *failures] if failures else []),
            "",
            f"{passed} passed, {self.failed} failed, {len(skipped)} skipped",
        ]


def _step_line(outcome: Outcome) -> str:
    counts = f"{outcome.passed} passed, {len(outcome.failed)} failed, {len(outcome.skipped)} skipped"
    return f"  {outcome.step:<22} {outcome.seconds:6.1f} s   {counts}"


def _by_reason(skipped: list[tuple[str, str]]) -> list[str]:
    names: dict[str, list[str]] = defaultdict(list)
    for reason, name in skipped:
        names[reason].append(name)
    return [line for reason, group in sorted(names.items()) for line in (f"  {reason}", *(f"      {name}" for name in group))]


def of_tool(step: str, code: int, seconds: float) -> Outcome:
    """A linter or a type checker: no tests to count, so only its failure counts."""
    failed = () if code == 0 else (f"exit code {code}, see above",)
    return Outcome(step, failed=failed, seconds=seconds)


def of_pytest(step: str, code: int, xml: Path, seconds: float) -> Outcome:
    """Counts of one pytest run; a run that found no test or left no whole report has failed."""
    try:
        cases = list(ET.parse(xml).getroot().iter("testcase"))
    except (OSError, ET.ParseError):
        return Outcome(step, failed=(f"pytest ended with exit code {code} and left no report",), seconds=seconds)
    failed = [_name(case) for case in cases if case.find("failure") is not None or case.find("error") is not None]
    skips = [(_reason(case), f"{step}: {_name(case)}") for case in cases if case.find("skipped") is not None]
    if code and not failed:
        failed = [f"pytest ended with exit code {code}" + (": it found no test" if code == 5 else "")]
    good = sum(1 for case in cases if all(case.find(tag) is None for tag in ("failure", "error", "skipped")))
    return Outcome(step, good, tuple(failed), tuple(skips), seconds)


def _name(case: ET.Element) -> str:
    return f"{case.get('classname', '')}::{case.get('name', '')}"


def _reason(case: ET.Element) -> str:
    skipped = case.find("skipped")
    return "" if skipped is None else skipped.get("message", "no reason given")
