"""Pauses on disk."""

from __future__ import annotations

import stat
from dataclasses import replace
from pathlib import Path

import pytest

from hookspan.export import pause_files
from hookspan.export.pause_files import PauseFiles
from hookspan.spans import guard
from hookspan.spans.pauses import HeldCall, Pause

PAUSE = Pause(
    interrupt="i1",
    thread="t1",
    run_id="r1",
    trace_id=2**127 + 5,
    span_id=2**63 + 7,
    sampled=True,
    at=5,
    kind="approval",
    calls=(HeldCall("c1", "rm"),),
)


def test_another_process_finds_a_pause_by_interrupt_and_by_thread(tmp_path: Path) -> None:
    PauseFiles(tmp_path).put(PAUSE)
    elsewhere = PauseFiles(tmp_path)
    assert list(elsewhere.find(["i1"], None)) == [PAUSE]
    assert list(elsewhere.find((), "t1")) == [PAUSE]
    assert list(elsewhere.find(["i2"], "t2")) == []


def test_a_thread_gives_the_pauses_of_the_run_that_paused_last(tmp_path: Path) -> None:
    index = PauseFiles(tmp_path)
    second, third = replace(PAUSE, interrupt="i2", run_id="r2", at=6), replace(PAUSE, interrupt="i3", run_id="r2", at=7)
    for pause in (PAUSE, second, third):
        index.put(pause)
    assert list(PauseFiles(tmp_path).find((), "t1")) == [second, third]


def test_only_the_owner_may_read_them(tmp_path: Path) -> None:
    PauseFiles(tmp_path).put(PAUSE)
    folder = tmp_path / "pauses"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()} == {0o600}


def test_a_disk_that_refuses_leaves_this_process_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "reraise", False)
    (tmp_path / "pauses").write_text("a file in the folder's place")
    index = PauseFiles(tmp_path)
    index.put(PAUSE)
    assert list(index.find(["i1"], None)) == [PAUSE]
    assert "keeping a pause on disk: FileExistsError" in guard.failures
    guard.failures.clear()


def test_half_a_file_is_no_pause(tmp_path: Path) -> None:
    PauseFiles(tmp_path).put(PAUSE)
    for file in (tmp_path / "pauses").iterdir():
        file.write_bytes(file.read_bytes()[:20])
    assert list(PauseFiles(tmp_path).find(["i1"], "t1")) == []


def test_the_oldest_go_when_there_are_too_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pause_files, "MAX_FILES", 10)
    index = PauseFiles(tmp_path)
    for number in range(12):
        index.put(replace(PAUSE, interrupt=f"i{number}", thread=None))
    assert len(list((tmp_path / "pauses").iterdir())) <= 10
    assert len(PauseFiles(tmp_path).find(["i11"], None)) == 1
