"""Ctrl-C and SIGKILL in the middle of a run: the trail is whole, and says what became of it."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from hookspan.spans import names as n
from hookspan.store.reader import opened
from tests.faults.running import start, trail
from tests.support.otlp_receiver import over_http, plain


def test_ctrl_c_in_a_tool_leaves_a_whole_trail_and_python_s_own_end(tmp_path: Path) -> None:
    with start(tmp_path, "2") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "waiting\n"
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGINT
    assert err.rstrip().endswith("KeyboardInterrupt")
    assert "hookspan:" not in err
    with opened(tmp_path / "trail.db") as store:
        newest, first = store.runs()
        assert (first.outcome, newest.outcome) == ("completed", "cancelled")
        spans = store.spans(newest.trace_id)
    assert all(span.end_ns is not None for span in spans)
    (tool,) = (span.attributes for span in spans if span.record == n.TOOL)
    # the framework waits for the tool's thread: it may have come to its end by then
    assert tool[n.TOOL_OUTCOME] in ("cancelled", "success")


def test_a_kill_leaves_the_finished_turns_and_a_run_that_is_unfinished(tmp_path: Path) -> None:
    """Case P55: what was finished before is there, and is found by its conversation."""
    with over_http() as received, start(tmp_path, "60", HOOKSPAN_STORE="true", **received.environ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "waiting\n"
        received.wait_for(2)
        shown = _when_there_are_two(tmp_path)
        process.kill()
        process.communicate(timeout=60)
    assert shown == ["running", "completed"]
    runs = json.loads(trail(tmp_path, "--conversation", "talk", "--json"))["runs"]
    assert [run["outcome"] for run in runs] == ["unfinished", "completed"]
    assert "unfinished" in trail(tmp_path, "show", runs[0]["run_id"])
    sent = [plain(span.attributes) for span in received.spans if span.name == "invoke_agent clerk"]
    assert [(turn[n.CONVERSATION_ID], turn[n.RUN_OUTCOME]) for turn in sent] == [("talk", "completed")]


def _when_there_are_two(home: Path) -> Sequence[str]:
    """The outcomes of the conversation's runs, as another process sees them while they run."""
    shown: Sequence[str] = []
    for _ in range(1000):
        with suppress(FileNotFoundError), opened(home / "trail.db") as store:
            shown = [run.outcome for run in store.runs(conversation="talk")]
        if len(shown) == 2:
            break
        time.sleep(0.01)
    return shown
