"""A trail in the test's home, and the command line on it."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hookspan.cli.main import cli
from tests.support import stories
from tests.support.stored import recording_to


class CommandLine:
    """`hookspan` with the test's home; `home` is its folder."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def __call__(self, *words: str) -> Result:
        return CliRunner(env={"NO_COLOR": "1"}).invoke(cli, words)

    def record(self, *, verdict: str = "reject") -> None:
        with recording_to(self.home / "trail.db") as recorder:
            stories.simple_run(recorder, "run-1", thread="other")
            stories.approval(recorder, verdict=verdict)


@pytest.fixture
def hookspan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    monkeypatch.setenv("HOOKSPAN_HOME", str(tmp_path))
    return CommandLine(tmp_path)
