"""What hookspan costs a Python program before any agent runs: CPU of whole processes, user and system."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from processes import cpu_of, environ

ROOT = Path(__file__).resolve().parent.parent
PTH = "hookspan_autoload.pth"
ON = {"HOOKSPAN_ENABLED": "true"}


def measured(rounds: int, imports: int, progress: Callable[[str], None]) -> dict[str, Any]:
    """`rounds` of `python -c pass`, `imports` of `import langchain.agents`; each round has every case once, shuffled.

    `bare` and `bare_again` are two equal environments without our .pth: their difference is the noise.
    """
    with tempfile.TemporaryDirectory(prefix="hookspan-bench-") as home:
        pythons = _environments(Path(home))
        empty = {name: ([str(python), "-c", "pass"], {}) for name, python in pythons.items()}
        empty["enabled"] = ([str(pythons["inert"]), "-c", "pass"], ON)
        cpu = _interleaved(empty, rounds, home)
        progress(f"start-up: {rounds} rounds")
        load = [sys.executable, "-c", "import langchain.agents"]
        loaded = _interleaved({"import": (load, {}), "import_enabled": (load, ON)}, imports, home)
        progress(f"import: {imports} rounds")
    return {"rounds": rounds, "imports": imports, "cpu_s": cpu | loaded}


def _environments(home: Path) -> dict[str, Path]:
    """Three environments that hold hookspan as installed from the checkout; only `inert` has the .pth."""
    first = _environment(home / "inert")
    where = first.parent.parent / "lib" / f"python{sysconfig.get_python_version()}" / "site-packages"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--target", str(where), str(ROOT)], check=True)
    pythons = {"inert": first}
    for name in ("bare", "bare_again"):
        pythons[name] = _environment(home / name)
        there = Path(str(where).replace(str(home / "inert"), str(home / name)))
        shutil.copytree(where, there, dirs_exist_ok=True)
        (there / PTH).unlink()
    return pythons


def _environment(where: Path) -> Path:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(where)], check=True)
    return where / "bin" / "python"


def _interleaved(cases: dict[str, tuple[list[str], dict[str, str]]], rounds: int, home: str) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {name: [] for name in cases}
    for command, extra in cases.values():
        cpu_of(command, environ(home, extra, 1), home)  # byte code written, files in the page cache
    for number in range(rounds):
        for name in random.sample(list(cases), len(cases)):
            command, extra = cases[name]
            found[name].append(cpu_of(command, environ(home, extra, number + 1), home))
    return found
