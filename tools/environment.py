"""Makes or renews one environment of the checkout: `python tools/environment.py NAME LOCK`.

The environment is stamped with a hash over everything that it was made from, so that a second call does nothing.
Run by the Python that the environment is to have; standard library only. Exit code 0, or 1 with one line on stderr.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STAMP = "hookspan-stamp"


def metadata() -> str:
    """The part of pyproject.toml that an install takes over; settings of tools may change without a new environment."""
    whole = tomllib.loads((ROOT / "pyproject.toml").read_text())
    return repr((whole["build-system"], whole["project"], whole["tool"]["hatch"]))


def fingerprint(lock: Path) -> str:
    """A hash over what decides the environment's content: Python, lock, package metadata, the .pth and this file."""
    seen = hashlib.sha256(f"{sys.version}\n{ROOT}\n{metadata()}\n".encode())
    for path in (lock, ROOT / "src" / "hookspan_autoload.pth", Path(__file__)):
        seen.update(path.read_bytes())
    return seen.hexdigest()


def clean_environ() -> dict[str, str]:
    """The environment without what would send an installer elsewhere, or put our own spans into it."""
    unwanted = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "HOOKSPAN_ENABLED")
    return {key: value for key, value in os.environ.items() if key not in unwanted}


def run(*command: str | Path) -> bool:
    return subprocess.run([str(part) for part in command], cwd=ROOT, env=clean_environ(), check=False).returncode == 0


def uv_line(lock: Path) -> str:
    """The part of the lock that names uv with its hashes."""
    blocks = lock.read_text().replace("\\\n", " ").splitlines()
    return next(line for line in blocks if line.startswith("uv=="))


def install(python: Path, lock: Path) -> bool:
    """Everything of the lock, then the checkout itself as an editable install.

    uv is only for speed: where it does not reach the registry that pip is configured for, pip does the same.
    """
    tools = python.parent.parent / "uv.txt"
    tools.write_text(uv_line(lock) + "\n")
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    fast = run(*pip, "--require-hashes", "-r", tools)
    uv = [python.parent / "uv", "pip", "install", "--quiet", "--python", python]
    locked = (fast and run(*uv, "--require-hashes", "-r", lock)) or run(*pip, "--require-hashes", "-r", lock)
    return locked and run(*pip, "--no-deps", "--no-build-isolation", "--editable", ROOT)


def main(name: str, lock_name: str) -> int:
    home, lock = ROOT / name, ROOT / lock_name
    stamp, wanted = home / STAMP, fingerprint(lock)
    if stamp.exists() and stamp.read_text() == wanted:
        return 0
    print(f"hookspan: making {name} with Python {sys.version.split()[0]} from {lock_name} ...", flush=True)
    shutil.rmtree(home, ignore_errors=True)
    if not run(sys.executable, "-m", "venv", home):
        print(
            f"hookspan: {sys.executable} could not make {name}: run 'apt-get install python3-venv' or name another with PYTHON=",
            file=sys.stderr,
        )
        return 1
    if not install(home / "bin" / "python", lock):
        print(f"hookspan: installing {lock_name} into {name} failed; the installer's own words stand above", file=sys.stderr)
        return 1
    stamp.write_text(wanted)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
