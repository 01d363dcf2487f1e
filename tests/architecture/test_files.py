"""Files stay small, and whoever silences a check says why in the same line."""

from __future__ import annotations

import re
import tomllib

import pytest

from tests.architecture.sources import ROOT, python_files

EVERYWHERE = python_files("src", "tests", "tools", "bench")
SILENCED = re.compile(r"#\s*(noqa|pyright:\s*(ignore|basic|report)|type:\s*ignore|ruff:\s*noqa)")
WITH_REASON = re.compile(
    r"#\s*(?:(?:ruff:\s*)?noqa:\s*[A-Z]+\d+(?:,\s*[A-Z]+\d+)*|pyright:\s*ignore\[[\w, ]+\]|pyright:\s*report\w+=false)\s+(?:--|#)\s*\S+ \S+"
)
OWN_FILE = "test_files.py"


def test_no_file_is_longer_than_300_lines() -> None:
    lengths = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in EVERYWHERE}
    assert {name: length for name, length in lengths.items() if length > 300} == {}


def test_every_ignore_names_its_rule_and_its_reason() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in EVERYWHERE
        if path.name != OWN_FILE
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if SILENCED.search(line) and not WITH_REASON.search(line)
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("line", "good"),
    [
        ("x = 1  # noqa: N801 -- reads like a word", True),
        ("x = 1  # pyright: ignore[reportPrivateUsage]  # the only way in", True),
        ("# ruff: noqa: ARG001 -- the signatures are the framework's", True),
        ("# pyright: reportPrivateUsage=false", False),
        ("x = 1  # noqa", False),
        ("x = 1  # noqa: N801", False),
        ("x = 1  # pyright: ignore", False),
        ("x = 1  # pyright: ignore[reportPrivateUsage]", False),
        ("x = 1  # type: ignore[attr-defined]  # mypy is not used", False),
    ],
)
def test_the_check_tells_a_reason_from_none(line: str, good: bool) -> None:
    assert SILENCED.search(line)
    assert bool(WITH_REASON.search(line)) is good


def test_every_rule_switched_off_for_the_project_has_its_reason() -> None:
    text = (ROOT / "pyproject.toml").read_text()
    ruff = tomllib.loads(text)["tool"]["ruff"]["lint"]
    codes = {*ruff["ignore"], *(code for codes in ruff["per-file-ignores"].values() for code in codes)}
    switched_off = re.compile(rf'^\s*(?:"(?:{"|".join(sorted(codes))})",|"[^"]+" = \[.*\]$|report\w+ = false)')
    wrong = [line for line in text.splitlines() if switched_off.search(line) and not re.search(r"#\s*\S+ \S+", line)]
    assert codes
    assert wrong == []


@pytest.mark.parametrize("lock", ["dev", "oldest", "peers"])
def test_a_lock_has_hashes_and_no_addresses(lock: str) -> None:
    text = (ROOT / "requirements" / f"{lock}.txt").read_text()
    requirements = [line for line in text.splitlines() if re.match(r"[a-z0-9]", line)]
    assert requirements
    assert [line for line in requirements if not line.endswith("\\")] == []
    assert "://" not in text


def test_no_file_knows_where_this_checkout_lies() -> None:
    made_by_hand = [
        *EVERYWHERE,
        *(ROOT / "tools").glob("*.sh"),
        *(ROOT / "requirements").iterdir(),
        ROOT / "Makefile",
        ROOT / "pyproject.toml",
    ]
    assert [str(path) for path in made_by_hand if str(ROOT) + "/" in path.read_text()] == []
