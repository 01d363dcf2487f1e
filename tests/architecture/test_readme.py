"""The README says what the code does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hookspan.export.settings import SETTINGS_TABLE

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()


def settings_rows() -> str:
    """The table of settings as Markdown rows; to renew the README: python -m tests.architecture.test_readme."""
    cells = [(f"`{one.name}`", one.shown, one.allowed, one.means) for one in SETTINGS_TABLE]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |\n" for row in cells)


def test_the_settings_table_is_the_code_s() -> None:
    assert settings_rows() in README


def test_the_pth_line_is_the_one_that_is_installed() -> None:
    assert (ROOT / "src" / "hookspan_autoload.pth").read_text().strip() in README


@pytest.mark.parametrize("target", re.findall(r"^make ([a-z-]+)", README, re.MULTILINE))
def test_every_make_target_exists(target: str) -> None:
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE)


if __name__ == "__main__":
    renewed = re.sub(r"(\|---\|---\|---\|---\|\n)(\| `.*\n|SETTINGS\n)+", lambda match: match[1] + settings_rows() + "\n", README)
    (ROOT / "README.md").write_text(renewed.replace("|\n\n\nA bad", "|\n\nA bad"))
