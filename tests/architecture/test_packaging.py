"""The wheel and the editable install both put the one-line .pth where Python reads it, and take it away again."""

from __future__ import annotations

import venv
import zipfile
from pathlib import Path

import pytest

from tests.support.installs import PTH, ROOT, build, installer, quietly, site_packages


@pytest.mark.parametrize("tool", ["pip", "uv"])
@pytest.mark.parametrize("kind", ["build_wheel", "build_editable"])
def test_the_pth_comes_and_goes_with_the_package(kind: str, tool: str, tmp_path: Path) -> None:
    wheel = build(kind, tmp_path)
    home = tmp_path / "venv"
    venv.create(home, with_pip=False, symlinks=True)
    python = home / "bin" / "python"

    quietly(*installer(tool, python, "install", "--no-deps", "--no-index", str(wheel)))
    landed = site_packages(home) / PTH
    assert landed.read_text() == (ROOT / "src" / PTH).read_text()

    quietly(*installer(tool, python, "uninstall", *(["--yes"] if tool == "pip" else []), "hookspan"))
    assert not landed.exists()


def test_the_wheel_holds_the_package_and_nothing_else(tmp_path: Path) -> None:
    names = zipfile.ZipFile(build("build_wheel", tmp_path)).namelist()
    assert {name.split("/")[0] for name in names} == {"hookspan", PTH, "hookspan-0.1.0.dist-info"}
    assert "hookspan/py.typed" in names


def test_the_pth_is_one_line_that_python_executes() -> None:
    lines = (ROOT / "src" / PTH).read_text().splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("import ")
