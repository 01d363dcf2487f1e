"""The committed boards, read: in step with their generator, complete, and about names that exist. `tests/stack` asks their questions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from dashboards.generate import BOARDS, FOLDER, path_of, text_of
from dashboards.model import WIDTH, Board
from hookspan.spans import names as n
from tests.configs.configs import read, strings

NAMES = {value for key, value in vars(n).items() if key.isupper() and isinstance(value, str)}
COLLECTOR = {name.replace(".", "_") for text in strings(read("audit.yaml")) for name in re.findall(r"hookspan\.[a-z_.]+", text)}
"""Metrics and labels that the audit configuration makes, as PromQL spells them."""
SUFFIXES = r"(?:_total|_seconds)?(?:_bucket|_count|_sum)?$"
UNITS = {"short", "s", "ns", "percentunit", "currencyUSD", "string", "µs", "dateTimeAsIso"}

every = pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.uid)


def panels(board: Board) -> Iterator[Mapping[str, Any]]:
    """All panels but the rows' titles, those in closed rows too."""
    written: Any = board.json()
    for panel in written["panels"]:
        yield from (inner for inner in (panel, *panel.get("panels", ())) if inner["type"] != "row")


@every
def test_the_committed_file_is_what_the_generator_writes(board: Board) -> None:
    assert path_of(board).read_text() == text_of(board), "run `make dashboards`"


def test_no_board_is_left_over() -> None:
    assert {path.name for path in FOLDER.iterdir()} == {path_of(board).name for board in BOARDS}
    assert len({board.uid for board in BOARDS}) == len(BOARDS)


@every
def test_every_panel_says_what_it_is_and_in_which_unit(board: Board) -> None:
    assert board.question.endswith("?")
    for panel in panels(board):
        assert panel["title"]
        assert panel["description"].endswith((".", "!")), panel["title"]
        assert panel["fieldConfig"]["defaults"]["unit"] in UNITS
        assert len(panel["title"]) <= 40


@every
def test_ids_are_unique_and_nothing_overlaps(board: Board) -> None:
    written: Any = board.json()
    rows = [panel for panel in written["panels"] if panel["type"] == "row"]
    ids = [panel["id"] for panel in [*panels(board), *rows]]
    assert len(ids) == len(set(ids))
    open_ones = [panel["gridPos"] for panel in written["panels"]]
    taken = {(x, y) for at in open_ones for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
    assert len(taken) == sum(at["w"] * at["h"] for at in open_ones)
    assert all(at["x"] + at["w"] <= WIDTH for at in open_ones)


@every
def test_every_question_goes_to_a_source_that_can_be_chosen(board: Board) -> None:
    written: Any = board.json()
    sources = {f"${{{one['name']}}}": one["query"] for one in written["templating"]["list"] if one["type"] == "datasource"}
    for panel in panels(board):
        for target in panel["targets"]:
            assert sources[target["datasource"]["uid"]] == target["datasource"]["type"]
    variables = {one["name"] for one in written["templating"]["list"]}
    used = set(re.findall(r"\$\{?([a-z_]+)\}?", text_of(board))) - {"__range", "__interval", "__rate_interval", "__all"}
    assert used <= variables | {"__range", "__interval", "__rate_interval", "__all"}


@every
def test_every_telemetry_name_exists(board: Board) -> None:
    for panel in panels(board):
        for target in panel["targets"]:
            spoken = re.findall(r"span\.((?:hookspan|gen_ai|process|user|error)[a-z_.]*)", target.get("query", ""))
            spoken += [pair.split("=")[0] for pair in target.get("tags", "").split()]
            assert set(spoken) <= NAMES, panel["title"]
            for name in re.findall(r"\b(?:hookspan|gen_ai)_[a-z_]+", target.get("expr", "")):
                known = COLLECTOR | {label.replace(".", "_") for label in NAMES}
                assert {name, re.sub(SUFFIXES, "", name), name.removesuffix("_total")} & known, name


@every
def test_what_tempo_is_asked_has_its_twin_for_jaeger(board: Board) -> None:
    asked: dict[str, set[str]] = {"tempo": set(), "jaeger": set(), "prometheus": set()}
    for panel in panels(board):
        for target in panel["targets"]:
            asked[target["datasource"]["type"]].add(panel["title"])
    assert asked["tempo"] == asked["jaeger"]
    assert len(asked["prometheus"]) >= 8
