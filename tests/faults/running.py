"""Runs the program with hookspan on, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.support.programs import ROOT, environ

PROGRAM = ROOT / "tests" / "faults" / "program.py"


def start(home: Path, *words: str, **variables: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "hookspan", "run", str(PROGRAM), *words],
        env=environ(variables, home),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(home: Path, *words: str, **variables: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of a whole run."""
    with start(home, *words, **variables) as process:
        out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def trail(home: Path, *words: str) -> str:
    """What `hookspan trail` prints; its exit code is 0."""
    done = subprocess.run(
        [sys.executable, "-m", "hookspan", "trail", *words],
        env=environ({}, home),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout
