"""Writes the boards as Grafana reads them: `python -m dashboards.generate` (`make dashboards`)."""

from __future__ import annotations

import json
from pathlib import Path

from dashboards import audit_trail, hooks, tokens, trail_health
from dashboards.model import Board

BOARDS = (audit_trail.BOARD, hooks.BOARD, tokens.BOARD, trail_health.BOARD)
FOLDER = Path(__file__).parent / "boards"


def path_of(board: Board) -> Path:
    return FOLDER / f"{board.uid.removeprefix('hookspan-')}.json"


def text_of(board: Board) -> str:
    return json.dumps(board.json(), indent=2, ensure_ascii=False) + "\n"


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for board in BOARDS:
        path_of(board).write_text(text_of(board))


if __name__ == "__main__":
    main()
