"""The store as writers leave it, and as a reader finds it."""

from __future__ import annotations

import logging
import multiprocessing
import signal
import sqlite3
import stat
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from hookspan.model.clock import now
from hookspan.model.facts import ToolEnded, ToolOutcome
from hookspan.model.ids import RecordKey
from hookspan.spans.record import Record, SpanIds
from hookspan.store import schema
from hookspan.store.reader import opened
from hookspan.store.writer import StoreSink
from tests.support import stories
from tests.support.stored import recording_to


def test_a_run_is_rolled_up_and_its_spans_are_whole(tmp_path: Path) -> None:
    path = tmp_path / "home" / "trail.db"
    with recording_to(path) as recorder:
        stories.simple_run(recorder)
    with opened(path) as trail:
        (run,) = trail.runs()
        spans = trail.spans(run.trace_id)
    assert (run.name, run.conversation, run.outcome, run.stop_reason) == ("clerk", "t1", "completed", "end_turn")
    assert (run.tools, run.refused, run.failed, run.input_tokens, run.output_tokens) == (1, 0, 0, 220, 21)
    assert [(span.name, span.parent_span_id, span.kind) for span in spans] == [
        ("invoke_agent clerk", None, "INTERNAL"),
        ("chat scripted-1", spans[0].span_id, "CLIENT"),
        ("execute_tool search", spans[0].span_id, "INTERNAL"),
        ("chat scripted-1", spans[0].span_id, "CLIENT"),
    ]
    assert spans[2].attributes["gen_ai.tool.call.arguments"] == '{"q":"shoes"}'
    assert [event.name for event in spans[2].events] == ["hookspan.tool.start", "hookspan.tool.end"]


def test_only_the_owner_may_read_it(tmp_path: Path) -> None:
    path = tmp_path / "home" / "trail.db"
    with recording_to(path) as recorder:
        stories.simple_run(recorder)
        assert recorder.flush(10)
        modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert set(modes.values()) == {0o600}, modes


def test_a_running_run_is_visible_to_another_reader_at_once(tmp_path: Path) -> None:
    path = tmp_path / "trail.db"
    with recording_to(path) as recorder:
        key = stories.begin(recorder, "run-1")
        stories.use_tool(recorder, key, "c1")
        assert recorder.flush(10)
        with opened(path) as trail:
            (run,) = trail.runs()
            states = [(span.name, span.end_ns is None) for span in trail.spans(run.trace_id)]
        assert run.outcome == "running"
        assert states == [("invoke_agent clerk", True), ("execute_tool search", False)]
    with opened(path) as trail:
        assert trail.runs()[0].outcome == "unfinished"


def test_a_row_never_goes_backwards(tmp_path: Path) -> None:
    sink = StoreSink(tmp_path / "trail.db")
    running = Record(RecordKey("r"), "agent", "invoke_agent a", client=False, run_id="r", start=1, attributes={}, outermost=True)
    running.ids = SpanIds(1, 1)
    ended = Record(
        RecordKey("r"), "agent", "invoke_agent a", client=False, run_id="r", start=1, attributes={"hookspan.run.outcome": "completed"}
    )
    ended.ids, ended.end, ended.outermost = SpanIds(1, 1), 5, True
    sink.closed(ended)
    sink.opened(running)
    sink.closed(ended)
    sink.shutdown(10)
    with opened(tmp_path / "trail.db") as trail:
        (run,) = trail.runs()
        (span,) = trail.spans(run.trace_id)
    assert (run.outcome, run.end_ns, span.end_ns) == ("completed", 5, 5)


_WRITER = """
import sys
from pathlib import Path
from tests.support import stories
from tests.support.stored import recording_to
with recording_to(Path(sys.argv[1]), first_id=ord(sys.argv[2]) * 1000) as recorder:
    for number in range(20):
        stories.simple_run(recorder, f"{sys.argv[2]}-{number}", thread=sys.argv[2])
"""


def test_several_processes_write_at_once(tmp_path: Path) -> None:
    path = tmp_path / "trail.db"
    writers = [subprocess.Popen([sys.executable, "-c", _WRITER, str(path), name], cwd=Path(__file__).parents[2]) for name in "abcd"]
    assert [writer.wait(60) for writer in writers] == [0, 0, 0, 0]
    with opened(path) as trail:
        assert trail.count() == (80, 320, 0)
        assert {run.outcome for run in trail.runs(limit=100)} == {"completed"}


_KILLED = """
import sys, time
from pathlib import Path
from tests.support import stories
from tests.support.stored import recording_to
with recording_to(Path(sys.argv[1])) as recorder:
    stories.simple_run(recorder, "whole")
    key = stories.begin(recorder, "cut")
    stories.use_tool(recorder, key, "c1")
    assert recorder.flush(10)
    print("ready", flush=True)
    time.sleep(60)
"""


def test_what_was_committed_outlives_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "trail.db"
    with subprocess.Popen(
        [sys.executable, "-c", _KILLED, str(path)], cwd=Path(__file__).parents[2], stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
        writer.send_signal(signal.SIGKILL)
        writer.wait(10)
    with opened(path) as trail:
        assert {run.run_id: run.outcome for run in trail.runs()} == {"whole": "completed", "cut": "unfinished"}
        cut = next(run for run in trail.runs() if run.run_id == "cut")
        assert [span.name for span in trail.spans(cut.trace_id)] == ["invoke_agent clerk", "execute_tool search"]


def test_a_damaged_store_is_set_aside_and_a_new_one_begun(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "trail.db"
    path.write_bytes(b"no database at all, but long enough to be read as one" * 100)
    with caplog.at_level(logging.WARNING), recording_to(path) as recorder:
        stories.simple_run(recorder)
    with opened(path) as trail:
        assert trail.count()[0] == 1
    (aside,) = tmp_path.glob("trail.db.damaged-*")
    assert aside.read_bytes().startswith(b"no database at all")
    assert str(aside) in caplog.text


def test_a_newer_store_is_left_alone_and_the_loss_is_said_and_counted(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "trail.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"PRAGMA user_version = {schema.VERSION + 1}")
    before = path.read_bytes()
    sink = StoreSink(path)
    record = Record(RecordKey("r"), "agent", "invoke_agent a", client=False, run_id="r", start=1, attributes={}, outermost=True)
    record.ids = SpanIds(1, 1)
    with caplog.at_level(logging.WARNING):
        sink.opened(record)
        sink.shutdown(10)
    assert path.read_bytes() == before
    assert sink.lost == 1
    assert len(caplog.records) == 1
    assert "newer hookspan" in caplog.text
    assert str(path) in caplog.text
    with pytest.raises(schema.NewerStoreError, match="newer hookspan"), opened(path):
        pass


def test_a_home_that_cannot_be_made_costs_one_line(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "home").write_text("a file where the folder should be")
    with caplog.at_level(logging.WARNING), recording_to(tmp_path / "home" / "trail.db") as recorder:
        stories.simple_run(recorder, "one")
        stories.simple_run(recorder, "two")
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "HOOKSPAN_HOME" in caplog.text


def test_the_oldest_finished_runs_leave_a_tombstone(tmp_path: Path) -> None:
    path = tmp_path / "trail.db"
    with recording_to(path, max_mb=1) as recorder:
        still_open = stories.begin(recorder, "open-run")
        for number in range(60):
            key = stories.begin(recorder, f"run-{number:02}")
            for call in range(90):
                stories.use_tool(recorder, key, f"c{number}-{call}", result="x" * 400)
            stories.ask_model(recorder, key, 1)
            stories.end(recorder, key)
            assert recorder.flush(10)
        recorder.record(ToolEnded(run=still_open, key=RecordKey("nobody"), at=now(), outcome=ToolOutcome.SUCCESS))
        assert recorder.flush(10)
        with opened(path) as trail:
            runs, _, gone = trail.count()
            left = {run.run_id for run in trail.runs(limit=100)}
            tombstone = trail.tombstone("run-00")
    assert gone > 0
    assert runs + gone == 61
    assert {"open-run", "run-59"} <= left
    assert "run-00" not in left
    assert tombstone is not None
    assert (tombstone["tools"], tombstone["spans"], tombstone["outcome"], tombstone["input_tokens"]) == (90, 92, "completed", 100)
    assert tombstone["policy"] == "size over 1000000 bytes"


def test_a_forked_child_writes_by_itself(tmp_path: Path) -> None:
    path = tmp_path / "trail.db"
    with recording_to(path) as recorder:
        stories.simple_run(recorder, "parent-before")
        child = multiprocessing.get_context("fork").Process(target=_child_run, args=(recorder,))
        child.start()
        child.join(20)
        assert child.exitcode == 0
        stories.simple_run(recorder, "parent-after", thread="t9")
    with opened(path) as trail:
        assert {run.run_id for run in trail.runs()} == {"parent-before", "child", "parent-after"}


def _child_run(recorder: object) -> None:
    from hookspan.spans.recorder import Recorder

    assert isinstance(recorder, Recorder)
    for _ in range(100):  # counted ids would meet the parent's in the same store
        identity = recorder._identity  # pyright: ignore[reportPrivateUsage] -- the counter is the test's own
        identity.issue(Record(RecordKey("x"), "agent", "x", client=False, run_id="x", start=1, attributes={}))
    stories.simple_run(recorder, "child")
    assert recorder.flush(10)


def test_a_handover_costs_the_program_little_and_the_queue_has_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from hookspan.store import writer

    monkeypatch.setattr(writer, "MAX_WAITING", 50)
    monkeypatch.setattr(writer, "open_for_writing", _slowly)
    sink = StoreSink(tmp_path / "trail.db")
    for number in range(200):
        record = Record(RecordKey(str(number)), "chat", "chat", client=True, run_id="r", start=1, attributes={})
        record.ids = SpanIds(1, number + 1)
        sink.opened(record)
    sink.shutdown(10)
    assert 100 < sink.lost < 200


def _slowly(path: Path) -> sqlite3.Connection:
    time.sleep(0.5)
    return schema.open_for_writing(path)


def test_reading_needs_no_right_to_write(tmp_path: Path) -> None:
    path = tmp_path / "trail.db"
    with recording_to(path) as recorder:
        stories.simple_run(recorder)
    path.chmod(0o400)
    with opened(path) as trail:
        assert trail.count()[0] == 1
