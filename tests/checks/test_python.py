"""A machine that cannot make the environments gets one line that says what to do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# What Debian's python3 is without python3-venv: the same interpreter, but no ensurepip.
WITHOUT_ENSUREPIP = f"""#!/bin/sh
[ "$1" = -c ] && exec "{sys.executable}" -c 'import sys; sys.modules["ensurepip"] = None; exec(sys.argv[1])' "$2"
exec "{sys.executable}" "$@"
"""


def make_demo(python: Path) -> subprocess.CompletedProcess[str]:
    environ = {key: value for key, value in os.environ.items() if key != "MAKEFLAGS"}
    return subprocess.run(["make", "-s", f"PYTHON={python}", "demo"], cwd=ROOT, env=environ, capture_output=True, text=True, check=False)


def own_lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith("make")]


def test_a_python_without_ensurepip(tmp_path: Path) -> None:
    python = tmp_path / "python3"
    python.write_text(WITHOUT_ENSUREPIP)
    python.chmod(0o755)
    done = make_demo(python)
    assert done.returncode != 0
    assert done.stdout == ""
    assert own_lines(done.stderr) == [
        (
            f"hookspan: {python} cannot make virtual environments (ensurepip or venv is missing): "
            "run 'apt-get install python3-venv', or name another Python: make PYTHON=/path/to/python3.11 ..."
        )
    ]


def test_no_python_at_all(tmp_path: Path) -> None:
    done = make_demo(tmp_path / "nowhere")
    assert done.returncode != 0
    assert own_lines(done.stderr) == [
        (
            f"hookspan: no Python 3.11 or newer found (looked for {tmp_path / 'nowhere'}): "
            "run 'apt-get install python3 python3-venv', or name one: make PYTHON=/path/to/python3.11 ..."
        )
    ]


def test_another_version_is_found_or_the_answer_is_no() -> None:
    found = subprocess.run(["sh", "tools/python.sh", "2.0"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout, found.stderr) == (1, "", "")
