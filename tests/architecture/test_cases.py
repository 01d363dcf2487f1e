"""tests/cases.md tells of every case, and of tests that exist."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Sequence
from functools import cache

import pytest

from tests.architecture.sources import ROOT

NUMBERS = (
    *(1, 2, *range(4, 13), 16, 17, 18, 19, 20, 21, *range(23, 30), 31, 32, 33, *range(35, 39), *range(40, 44)),
    *(45, 46, *range(48, 51), *range(52, 62), 63),
)
"""The field's cases; gaps are cases that fell together with others."""
EXPECTED = {f"P{number:02}" for number in NUMBERS} | {"secrets", "uninstall"}
TEST = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")


def rows() -> Sequence[Sequence[str]]:
    lines = (ROOT / "tests" / "cases.md").read_text().splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    return cells[2:]


@cache
def names_in(path: str) -> frozenset[str]:
    file = ROOT / path
    if not file.exists():
        return frozenset()
    tree = ast.parse(file.read_text())
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def test_every_case_has_one_row_with_all_its_cells() -> None:
    assert Counter(row[0] for row in rows()) == Counter(EXPECTED)
    assert [row for row in rows() if len(row) != 4 or not all(row)] == []


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0])
def test_a_row_names_tests_that_exist_or_the_issue_that_will_bring_them(row: Sequence[str]) -> None:
    named = TEST.findall(row[3])
    assert [f"{path}::{name}" for path, name in named if name not in names_in(path)] == []
    rest = TEST.sub("", row[3]).strip()
    assert re.fullmatch(r"(issue [4-7]\s*)*", rest), rest
    assert named or rest
