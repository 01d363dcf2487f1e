"""`hookspan demo` as a person starts it: offline, beside settings of theirs, twice, interrupted, without its packages."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from hookspan.spans import names as n
from hookspan.store.reader import opened
from tests.support.otlp_receiver import Received, over_grpc, over_http

ROOT = Path(__file__).resolve().parents[2]
Span = Mapping[str, Any]


def start(*arguments: str, home: Path, **variables: str) -> subprocess.Popen[str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("HOOKSPAN_", "OTEL_"))}
    return subprocess.Popen(
        [sys.executable, "-m", "hookspan", "demo", *arguments],
        env={**kept, "PYTHONPATH": str(ROOT / "src"), "HOOKSPAN_HOME": str(home), **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(program: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = program.communicate(timeout=90)
    return program.returncode, out, err


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    """What `--json` prints, with a proxy and a key of the user's in the environment that lead nowhere."""
    home = tmp_path_factory.mktemp("home")
    dead = "http://127.0.0.1:9"
    code, out, err = ended(start("--json", home=home, https_proxy=dead, HTTP_PROXY=dead, ANTHROPIC_API_KEY="k"))
    assert (code, err) == (0, "")
    return json.loads(out)


def spans(shown: Mapping[str, Any], record: str) -> Sequence[Span]:
    return [span for span in shown["spans"] if span["attributes"][n.RECORD] == record]


def call(shown: Mapping[str, Any], call_id: str) -> Sequence[Span]:
    return [span for span in spans(shown, n.TOOL) if span["attributes"][n.TOOL_CALL_ID] == call_id]


def test_it_is_one_trace_with_one_root(shown: Mapping[str, Any]) -> None:
    ids = {span["span_id"] for span in shown["spans"]}
    assert len(ids) == len(shown["spans"])
    roots = [span for span in shown["spans"] if span["parent_span_id"] not in ids]
    assert [(root["name"], root["parent_span_id"]) for root in roots] == [("invoke_agent coding-assistant", None)]
    assert all(span["end_ns"] is not None for span in shown["spans"])


def test_every_span_tells_the_conversation_and_the_person(shown: Mapping[str, Any]) -> None:
    assert {span["attributes"][n.CONVERSATION_ID] for span in shown["spans"]} == {shown["run"]["conversation"]}
    turns = [span for span in spans(shown, n.AGENT) if span["attributes"][n.AGENT_NAME] == "coding-assistant"]
    assert {span["attributes"][n.USER_ID] for span in turns} == {"ada"}


def test_the_refused_call_never_ran_and_says_who_why_and_how_long_it_waited(shown: Mapping[str, Any]) -> None:
    refused = call(shown, "toolu_deploy")[-1]["attributes"]
    assert refused[n.TOOL_OUTCOME] == "denied"
    assert refused[n.TOOL_EXECUTED] is False
    assert refused[n.DECISION_VERDICT] == "deny"
    assert (refused[n.DECISION_SOURCE], refused[n.DECISION_BY]) == ("human", "ada")
    assert refused[n.DECISION_REASON] == "Not on a Friday. Open a pull request instead."
    assert refused[n.DECISION_WAIT_S] >= 0.5


def test_the_approved_call_ran_once_by_leave_of_the_person(shown: Mapping[str, Any]) -> None:
    held, ran = (span["attributes"] for span in call(shown, "toolu_edit_cart"))
    assert (held[n.TOOL_OUTCOME], held[n.TOOL_EXECUTED]) == ("interrupted", False)
    assert (ran[n.TOOL_OUTCOME], ran[n.TOOL_EXECUTED], ran[n.PERMISSION_BASIS]) == ("success", True, "human")
    approval = next(span["attributes"] for span in spans(shown, n.APPROVAL) if span["attributes"][n.TOOL_CALL_ID] == "toolu_edit_cart")
    assert (approval[n.DECISION_VERDICT], approval[n.DECISION_BY]) == ("allow", "ada")
    assert approval[n.DECISION_WAIT_S] >= 0.8
    assert len(spans(shown, n.PAUSE)) == 2


def test_both_subagents_stand_below_their_task_calls_with_their_own_work(shown: Mapping[str, Any]) -> None:
    by_id = {span["span_id"]: span for span in shown["spans"]}
    below = {
        span["attributes"][n.AGENT_NAME]: by_id[span["parent_span_id"]]["attributes"][n.TOOL_CALL_ID]
        for span in spans(shown, n.AGENT)
        if span["attributes"][n.AGENT_NAME] != "coding-assistant"
    }
    assert below == {"reviewer": "toolu_task_review", "researcher": "toolu_task_research"}
    working = {span["attributes"][n.TOOL_CALL_ID]: by_id[span["parent_span_id"]]["name"] for span in spans(shown, n.TOOL)}
    assert working["toolu_review_read"] == "invoke_agent reviewer"
    assert working["toolu_research_grep"] == working["toolu_research_read"] == "invoke_agent researcher"


def test_parallel_calls_overlap(shown: Mapping[str, Any]) -> None:
    (review,), (research,) = call(shown, "toolu_task_review"), call(shown, "toolu_task_research")
    assert review["parent_span_id"] == research["parent_span_id"]
    assert max(review["start_ns"], research["start_ns"]) < min(review["end_ns"], research["end_ns"])


def test_the_failing_tool_is_an_error_and_the_run_is_not(shown: Mapping[str, Any]) -> None:
    (failed,) = call(shown, "toolu_test_before")
    assert failed["status"]["code"] == "ERROR"
    assert failed["attributes"][n.TOOL_OUTCOME] == "error"
    assert {span["status"]["code"] for span in spans(shown, n.AGENT)} == {"UNSET"}
    (passed,) = call(shown, "toolu_test_after")
    assert passed["attributes"][n.TOOL_OUTCOME] == "success"


def test_tokens_are_those_of_the_model_once_with_the_cache_counted_in(shown: Mapping[str, Any]) -> None:
    chats = [span["attributes"] for span in spans(shown, n.CHAT)]
    assert sum(chat[n.INPUT_TOKENS] for chat in chats) == 49_566
    assert sum(chat[n.OUTPUT_TOKENS] for chat in chats) == 710
    assert chats[0][n.INPUT_TOKENS] == 412 + 5210
    assert not any(n.INPUT_TOKENS in span["attributes"] for span in spans(shown, n.AGENT))


def test_it_tells_why_each_run_stopped(shown: Mapping[str, Any]) -> None:
    turns = [span["attributes"] for span in spans(shown, n.AGENT) if span["attributes"][n.AGENT_NAME] == "coding-assistant"]
    assert [turn[n.STOP_REASON] for turn in turns] == ["interrupt", "interrupt", "end_turn"]
    assert [turn[n.RUN_OUTCOME] for turn in turns] == ["interrupted", "interrupted", "completed"]


def test_a_person_sees_the_conversation_the_tree_and_how_to_look_again_and_a_second_time_too(tmp_path: Path) -> None:
    for _ in range(2):
        code, out, err = ended(start(home=tmp_path))
        assert (code, err) == (0, "")
        assert "REFUSED by ada (human): Not on a" in out
        assert "invoke_agent reviewer" in out
        assert f"hookspan trail --home {tmp_path}/demo" in out
    with opened(tmp_path / "demo" / "trail.db") as store:
        assert len({run.trace_id for run in store.runs()}) == 2
        assert len({run.conversation for run in store.runs()}) == 2
    assert not (tmp_path / "trail.db").exists()


def test_ctrl_c_leaves_a_whole_trail_and_says_where(tmp_path: Path) -> None:
    program = start(home=tmp_path)
    assert program.stdout is not None
    for line in program.stdout:
        if "Now I run the tests" in line:
            break
    time.sleep(0.05)
    program.send_signal(signal.SIGINT)
    code, _, err = ended(program)
    assert code == 130
    assert "Traceback" not in err
    assert f"hookspan trail --home {tmp_path}/demo show latest" in err
    with opened(tmp_path / "demo" / "trail.db") as store:
        (run,) = store.runs()
        assert run.outcome == "cancelled"
        assert all(span.end_ns is not None for span in store.spans(run.trace_id))


def test_without_its_packages_it_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\n"
        "class Absent:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'deepagents':\n"
        "            raise ModuleNotFoundError(name)\n"
        "sys.meta_path.insert(0, Absent())\n"
    )
    program = start(home=tmp_path, PYTHONPATH=os.pathsep.join([str(ROOT / "src"), str(tmp_path)]))
    assert ended(program) == (1, "", "hookspan demo: it needs deepagents: pip install 'hookspan[demo]'\n")


def test_a_home_that_cannot_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    code, out, err = ended(start("--home", str(tmp_path / "file" / "below"), home=tmp_path))
    assert (code, out) == (2, "")
    assert err == (f"hookspan demo: its trail cannot be kept in {tmp_path}/file/below: Not a directory; name another folder with --home\n")


@pytest.mark.parametrize("receiving", [over_http, over_grpc])
def test_it_sends_the_same_trail_to_a_receiver_that_the_user_names(
    receiving: Callable[[], AbstractContextManager[Received]], tmp_path: Path
) -> None:
    with receiving() as received:
        code, out, err = ended(start("--json", home=tmp_path, **received.environ))
        assert (code, err) == (0, "")
        stored = {span["span_id"]: span["name"] for span in json.loads(out)["spans"]}
        assert {span.span_id.hex(): span.name for span in received.spans} == stored
        assert [resource["service.name"] for resource in received.resources][-1] == "hookspan-demo"


def test_a_receiver_that_is_not_there_is_named_and_the_trail_is_shown_all_the_same(tmp_path: Path) -> None:
    code, out, err = ended(start(home=tmp_path, OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:9"))
    assert code == 0
    assert "to http://127.0.0.1:9" in out
    assert "REFUSED by ada" in out
    assert "127.0.0.1:9" in err
