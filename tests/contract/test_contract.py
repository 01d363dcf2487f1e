"""One vocabulary for three frameworks: the facts of each give the contract's tree, in every sink."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from hookspan.model.facts import Fact
from hookspan.spans import names as n
from tests.contract import facts_claude, facts_langgraph, facts_strands
from tests.contract.differences import ONLY_IN, between
from tests.contract.trees import ABSENT, FORCED, TREES
from tests.support.contract_draw import Line, drawn, lines
from tests.support.contract_sinks import Everywhere
from tests.support.trails import tidy

Tell = Callable[[], Sequence[Fact]]
FRAMEWORKS: Mapping[str, tuple[Mapping[str, Tell], Mapping[str, str]]] = {
    "langgraph": (facts_langgraph.SCENARIOS, facts_langgraph.NAMES),
    "strands": (facts_strands.SCENARIOS, facts_strands.NAMES),
    "claude": (facts_claude.SCENARIOS, facts_claude.NAMES),
}
EVERY = [(scenario, framework) for scenario in TREES for framework in FRAMEWORKS if (scenario, framework) not in ABSENT]


def expected(scenario: str, framework: str) -> str:
    forced = FORCED.get((scenario, framework))
    return tidy(forced.tree if forced is not None else TREES[scenario]).format_map(FRAMEWORKS[framework][1])


def recorded(scenario: str, framework: str, path: Path) -> Everywhere:
    recorder = Everywhere(path / "trail.db")
    for fact in FRAMEWORKS[framework][0][scenario]():
        recorder.record(fact)
    return recorder


@pytest.mark.parametrize(("scenario", "framework"), EVERY)
def test_the_facts_give_the_expected_tree_in_every_sink(scenario: str, framework: str, tmp_path: Path) -> None:
    arrived = recorded(scenario, framework, tmp_path).arrived()
    assert {sink: drawn(records) for sink, records in arrived.items()} == dict.fromkeys(
        ("memory", "otel", "store"), expected(scenario, framework)
    )


@pytest.mark.parametrize(("scenario", "framework"), EVERY)
def test_every_sink_has_the_same_of_each_record(scenario: str, framework: str, tmp_path: Path) -> None:
    arrived = recorded(scenario, framework, tmp_path).arrived()
    told = {sink: [_all(one) for one in lines(records)] for sink, records in arrived.items()}
    assert told["memory"] == told["otel"] == told["store"]


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_framework_has_every_scenario_that_it_can_have(framework: str) -> None:
    missing = {scenario for scenario, who in ABSENT if who == framework}
    assert set(FRAMEWORKS[framework][0]) == set(TREES) - missing


@pytest.mark.parametrize(("scenario", "framework"), FORCED)
def test_a_forced_tree_has_the_contracts_lines_and_its_own(scenario: str, framework: str) -> None:
    forced = FORCED[scenario, framework]
    shared = Counter(_records(TREES[scenario]))
    own = Counter(_records(forced.tree)) - shared
    assert own.total() > 0, "nothing is forced: the contract's tree will do"
    assert [record for record in own if not record.startswith(tuple(forced.own))] == []


@pytest.mark.parametrize("framework", ["strands", "claude"])
@pytest.mark.parametrize("scenario", TREES)
def test_a_record_has_the_same_attributes_in_every_framework(scenario: str, framework: str, tmp_path: Path) -> None:
    if (scenario, framework) in ABSENT:
        assert scenario not in FRAMEWORKS[framework][0]
        return
    ours = _by_line(scenario, framework, tmp_path / framework)
    theirs = _by_line(scenario, "langgraph", tmp_path / "langgraph")
    common = ours.keys() & theirs.keys()
    assert len(common) >= 4, "too few records of the two trees correspond"
    forced = {name for where in (framework, "langgraph") if (scenario, where) in FORCED for name in FORCED[scenario, where].fewer}
    allowed = between(framework, "langgraph") | forced
    differing = {record: ours[record] ^ theirs[record] for record in common}
    assert {record: names - allowed for record, names in differing.items() if names - allowed} == {}
    assert forced - {name for names in differing.values() for name in names} == set(), "forced without need"


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_no_difference_is_allowed_that_is_not_made(framework: str, tmp_path: Path) -> None:
    """A list that only grows would hide what it was made to show."""
    own = ONLY_IN[framework]
    told = {each: _told(each, tmp_path / each) for each in FRAMEWORKS}
    others = [record for each, records in told.items() if each != framework for record in records]
    for name in own.more:
        assert any(name in record for record in told[framework]), name
        assert not any(name in record for record in others), name
    for name in own.fewer:
        where = {record[n.RECORD] for record in others if name in record}
        assert where, name
        assert any(name not in record for record in told[framework] if record[n.RECORD] in where), name


def _told(framework: str, path: Path) -> Sequence[Mapping[str, object]]:
    return [
        one.attributes
        for scenario in FRAMEWORKS[framework][0]
        for one in recorded(scenario, framework, path / scenario).arrived()["memory"]
    ]


def _by_line(scenario: str, framework: str, path: Path) -> Mapping[str, set[str]]:
    """The names of a record's attributes by its line, with the framework's ids and names turned back into braces."""
    names = FRAMEWORKS[framework][1]
    tree = FORCED[scenario, framework].tree if (scenario, framework) in FORCED else TREES[scenario]
    found = lines(recorded(scenario, framework, path).arrived()["memory"])
    written = _records(tree)
    assert [one.text for one in found] == [record.format_map(names) for record in written]
    return {record: _names(one) for record, one in zip(written, found, strict=True)}


def _names(one: Line) -> set[str]:
    """Of the record and of its events: `event/attribute`."""
    return set(one.record.attributes) | {f"{event.name}/{name}" for event in one.record.events for name in event.attributes}


def _records(tree: str) -> list[str]:
    return [record.strip() for record in tidy(tree).splitlines()]


def _all(one: Line) -> tuple[object, ...]:
    record = one.record
    events = [(event.name, event.at, _plain(event.attributes)) for event in record.events]
    links = [_plain(link.attributes) for link in record.links]
    return (one.text, record.client, record.start, record.end, record.error, _plain(record.attributes), events, links)


def _plain(attributes: Mapping[str, object]) -> dict[str, object]:
    """Each sink has its own way to write a sequence."""
    return {name: list(value) if isinstance(value, list | tuple) else value for name, value in attributes.items()}
