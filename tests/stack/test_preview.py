"""The boards as pictures, rendered from the real answers: no panel is empty, unitless or broken; and what the parsers say of them."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.stack.preview import FOLDER, picture
from tests.stack.traffic import told

pytestmark = [pytest.mark.stack, pytest.mark.timeout(240)]


@pytest.fixture(scope="module")
def chromium() -> str:
    """The browser, and the packages: `make test-stack` sees to both, or says why not."""
    found = os.environ.get("PREVIEW_CHROMIUM")
    if not found:
        pytest.skip("no Node.js or Chromium for the previews: see dashboards/preview/setup.sh")
    return found


def node(script: str, *arguments: str) -> tuple[int, list[dict[str, Any]]]:
    done = subprocess.run(["node", str(FOLDER / script), *arguments], capture_output=True, text=True, timeout=200, check=False)
    assert done.stderr == ""
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


def test_types_and_queries_of_every_board_are_right(chromium: str) -> None:
    assert chromium
    assert node("check.mjs") == (0, [])


def test_a_board_with_a_fault_is_found_out(chromium: str, tmp_path: Path) -> None:
    assert chromium
    board = json.loads((FOLDER.parent / "boards" / "hooks.json").read_text())
    board["panels"][1]["gridPos"]["widht"] = 3
    board["panels"][1]["targets"][0]["expr"] += ")"
    closed = next(panel for panel in board["panels"] if panel.get("panels"))
    closed["panels"][0]["targets"][0]["query"] = "{ span.a = } | select(span.b)"
    (tmp_path / "broken.json").write_text(json.dumps(board))
    code, problems = node("check.mjs", str(tmp_path / "broken.json"))
    assert code == 1
    assert [problem["panel"] for problem in problems] == [None, "Hook commands run", "Commands that timed out"]
    assert "widht" in problems[0]["problem"]


def test_every_panel_is_drawn_and_none_is_empty(chromium: str, at: Mapping[str, str], tmp_path: Path) -> None:
    told(at["COLLECTOR_HTTP"], "pictured", 1)
    code, panels = picture(at, chromium, tmp_path, "pictured")
    assert [panel for panel in panels if panel["problem"]] == []
    assert code == 0
    assert {path.name for path in tmp_path.glob("*.png")} == {"audit-trail.png", "hooks.png", "tokens.png", "trail-health.png"}
    assert all(path.stat().st_size > 50_000 for path in tmp_path.glob("*.png"))
