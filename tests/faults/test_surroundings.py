"""Wrong settings and homes that cannot be: the program runs as without hookspan, and one line names the thing."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hookspan.store.reader import opened
from tests.faults.running import PROGRAM, ended, trail
from tests.support.programs import environ


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("HOOKSPAN_CONTENT", "all", "none, tools, full"),
        ("HOOKSPAN_REDACT", "(", "regular expression"),
        ("HOOKSPAN_MAX_CONTENT", "-1", "from 0"),
        ("HOOKSPAN_STORE_MAX_MB", "much", "megabytes"),
        ("HOOKSPAN_EXIT_TIMEOUT", "soon", "seconds"),
        ("HOOKSPAN_FRAMEWORKS", "langraph", "langgraph"),
        ("HOOKSPAN_HOOK_CALLBACKS", "some", "changed, all, off"),
    ],
)
def test_a_wrong_setting_costs_one_line_that_says_what_is_allowed(tmp_path: Path, name: str, value: str, allowed: str) -> None:
    code, out, err = ended(tmp_path, **{name: value})
    assert (code, out) == (0, "done\n")
    assert err.count("\n") == 1
    assert name in err
    assert value in err
    assert allowed in err


def a_file(home: Path) -> None:
    home.write_text("not a folder")


def a_dangling_link(home: Path) -> None:
    home.symlink_to(home.with_name("nowhere") / "deeper")


def below_a_file(home: Path) -> None:
    home.parent.joinpath("file").write_text("")
    home.symlink_to(home.parent / "file" / "home")


@pytest.mark.parametrize("spoil", [a_file, a_dangling_link, below_a_file])
def test_a_home_that_cannot_be_costs_one_line(tmp_path: Path, spoil: Callable[[Path], None]) -> None:
    home = tmp_path / "home"
    spoil(home)
    code, out, err = ended(home)
    assert (code, out) == (0, "done\n")
    assert err.count("\n") == 1
    assert str(home) in err
    assert "HOOKSPAN_HOME" in err


def test_a_full_disk_costs_one_line_and_what_was_written_stays_readable(tmp_path: Path) -> None:
    """The limit on the size of files stands in for the disk: writing beyond it fails in the same way."""
    assert ended(tmp_path)[:2] == (0, "done\n")
    room = (tmp_path / "trail.db").stat().st_size + 4096
    many = "import runpy, sys\nsys.argv[0:] = [sys.argv[1]]\nfor _ in range(30):\n    runpy.run_path(sys.argv[0], run_name='__main__')\n"
    (tmp_path / "many.py").write_text(many)
    done = subprocess.run(
        [sys.executable, "-m", "hookspan", "run", str(tmp_path / "many.py"), str(PROGRAM)],
        env=environ({}, tmp_path),
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, room)),
    )
    assert (done.returncode, done.stdout) == (0, "done\n" * 30)
    assert done.stderr.count("\n") == 1, done.stderr
    assert str(tmp_path / "trail.db") in done.stderr
    assert "clerk" in trail(tmp_path)


def test_a_damaged_store_is_set_aside_and_never_deleted(tmp_path: Path) -> None:
    (tmp_path / "trail.db").write_bytes(b"no database" * 1000)
    code, out, err = ended(tmp_path)
    assert (code, out) == (0, "done\n")
    assert err.count("\n") == 1
    (aside,) = tmp_path.glob("trail.db.damaged-*")
    assert aside.name in err
    assert aside.read_bytes() == b"no database" * 1000
    with opened(tmp_path / "trail.db") as store:
        assert [run.outcome for run in store.runs()] == ["completed"]
