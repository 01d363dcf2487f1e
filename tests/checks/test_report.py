"""The closing summary hides nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tools.report import Closing, Outcome, of_pytest, of_tool

MIXED = """
import pytest
def test_good(): pass
def test_bad(): assert False
@pytest.mark.skip(reason="no such machine")
def test_left_out(): pass
@pytest.mark.xfail(reason="known", strict=True)
def test_expected(): assert False
@pytest.fixture
def broken(): raise RuntimeError
def test_error(broken): pass
"""


def outcome_of(folder: Path, source: str) -> Outcome:
    (folder / "test_sample.py").write_text(source)
    (folder / "pytest.ini").write_text("[pytest]\n")
    xml = folder / "report.xml"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--junitxml", str(xml), "test_sample.py"]
    code = subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode
    return of_pytest("sample", code, xml, 1.0)


def test_each_test_counts_once_and_every_skip_and_failure_has_its_line(tmp_path: Path) -> None:
    closing = Closing([outcome_of(tmp_path, MIXED), of_tool("ruff check", 0, 0.1), of_tool("pyright", 1, 9.0)])
    assert closing.lines() == [
        "",
        "--- steps",
        "  sample                    1.0 s   1 passed, 2 failed, 2 skipped",
        "  ruff check                0.1 s   0 passed, 0 failed, 0 skipped",
        "  pyright                   9.0 s   0 passed, 1 failed, 0 skipped",
        "--- skipped",
        "  known",
        "      sample: test_sample::test_expected",
        "  no such machine",
        "      sample: test_sample::test_left_out",
        "--- failed",
        "  sample: test_sample::test_bad",
        "  sample: test_sample::test_error",
        "  pyright: exit code 1, see above",
        "",
        "1 passed, 3 failed, 2 skipped",
    ]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("", "pytest ended with exit code 5: it found no test"),
        ("import os\ndef test_dies(): os._exit(7)", "pytest ended with exit code 7 and left no report"),
        ("import nothing_of_this_name", "::test_sample"),
    ],
)
def test_a_run_that_did_not_come_to_its_tests_has_failed(source: str, said: str, tmp_path: Path) -> None:
    assert outcome_of(tmp_path, source).failed == (said,)
