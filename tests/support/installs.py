"""Real installs of the checkout: the wheel or the editable install, by pip or uv, in an environment of a test's own."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
PTH = "hookspan_autoload.pth"
BUILD = "import sys, hatchling.build as backend; print(getattr(backend, sys.argv[1])(sys.argv[2]))"
UNWANTED = ("HOOKSPAN_", "OTEL_", "PYTHON", "TRACE", "LANGSMITH_", "LANGCHAIN_", "VIRTUAL_ENV", "_HOOKSPAN_", "COVERAGE_")


def build(kind: str, folder: Path) -> Path:
    """What `pip install .` (build_wheel) and `pip install -e .` (build_editable) ask the build backend for."""
    made = subprocess.run([sys.executable, "-c", BUILD, kind, str(folder)], cwd=ROOT, check=True, capture_output=True, text=True)
    return folder / made.stdout.split()[-1]


def site_packages(home: Path) -> Path:
    return next((home / "lib").glob("python*/site-packages"))


def installer(kind: str, python: Path, *words: str) -> list[str]:
    if kind == "pip":
        return [sys.executable, "-m", "pip", "--python", str(python), *words]
    return [str(Path(sys.executable).parent / "uv"), "pip", *words[:1], "--python", str(python), *words[1:]]


def quietly(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)


@dataclass(frozen=True)
class Place:
    """An environment with hookspan in it, and a home folder for the programs that a test runs there."""

    python: Path
    home: Path

    @property
    def packages(self) -> Path:
        return site_packages(self.python.parent.parent)

    def run(self, *words: str | Path, env: Mapping[str, str] | None = None, timeout: float = 60) -> subprocess.CompletedProcess[str]:
        """`python words` in the home folder, with `env` and nothing of the machine's own settings."""
        command = [str(self.python), *map(str, words)]
        return subprocess.run(command, cwd=self.home, env=self.environ(env), capture_output=True, text=True, timeout=timeout, check=False)

    def environ(self, env: Mapping[str, str] | None = None) -> dict[str, str]:
        return {**clean(os.environ), "HOME": str(self.home), "HOOKSPAN_HOME": str(self.home / "trail"), **(env or {})}

    def write(self, name: str, text: str) -> Path:
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path


def clean(environ: Mapping[str, str]) -> dict[str, str]:
    kept = {key: value for key, value in environ.items() if not key.startswith(UNWANTED)}
    return {**kept, "NO_PROXY": "127.0.0.1,localhost", "LANGSMITH_TRACING": "false"}


def made(folder: Path, *, kind: str = "build_wheel", tool: str = "pip", everything: bool = True, also: Sequence[str] = ()) -> Place:
    """hookspan installed for real; beside it `everything` that this test run has, or hookspan's own requirements alone
    and those of the distributions in `also`."""
    python = folder / "venv" / "bin" / "python"
    venv.create(folder / "venv", with_pip=False, symlinks=True)
    quietly(*installer(tool, python, "install", "--no-deps", "--no-index", str(build(kind, folder))))
    packages = site_packages(folder / "venv")
    ours = Path(str(metadata.distribution("click").locate_file("")))
    if everything:
        # a line that is a path is put on sys.path; the .pth files in there are not run a second time
        (packages / "zz_test_run.pth").write_text(f"{ours}\n")
    else:
        for entry in sorted({entry for name in _closure("hookspan", packages) | _all(also) for entry in _entries(name)}):
            (packages / entry).symlink_to(ours / entry)
    home = folder / "home"
    home.mkdir()
    return Place(python, home)


def _all(names: Sequence[str]) -> set[str]:
    return {found for name in names for found in _closure(name)}


def _closure(name: str, folder: Path | None = None) -> set[str]:
    """The distributions that `name` requires without extras, itself included unless it stands in `folder`."""
    found = next(iter(metadata.distributions(name=name, path=[str(folder)]))) if folder else metadata.distribution(name)
    seen: set[str] = set() if folder else {name}
    todo = [found]
    while todo:
        for text in todo.pop().requires or ():
            requirement = Requirement(text)
            if requirement.name not in seen and (requirement.marker is None or requirement.marker.evaluate({"extra": ""})):
                seen.add(requirement.name)
                todo.append(metadata.distribution(requirement.name))
    return seen


def _entries(name: str) -> Iterator[str]:
    for file in metadata.distribution(name).files or ():
        top = file.parts[0]
        if top not in ("..", "__pycache__"):
            yield top
