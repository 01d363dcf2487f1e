"""A run that pauses in one process and goes on in another, over a durable checkpointer."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from hookspan.spans import names as n
from hookspan.store.reader import StoredRun, StoredSpan, opened
from tests.support.programs import environ

PROGRAM = """
import json, sys
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.tools import tool
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command
from tests.support.models import Scripted, calls, says


@tool
def remove(path: str) -> str:
    "Removes a file."
    return f"{path} is gone"


with SqliteSaver.from_conn_string(sys.argv[1]) as saver:
    agent = create_agent(
        Scripted(script=[calls(("c1", "remove", {"path": "/tmp/a"})), says("done")]),
        [remove],
        middleware=[HumanInTheLoopMiddleware(interrupt_on={"remove": True})],
        checkpointer=saver,
        name="cleaner",
    )
    given = json.loads(sys.argv[2])
    given = given if "messages" in given else Command(**given)
    out = agent.invoke(given, {"configurable": {"thread_id": "t1"}, "metadata": {"hookspan.user": "ada"}})
    print(json.dumps({"waits": "__interrupt__" in out, "last": out["messages"][-1].text}))
"""
START = {"messages": [["user", "go"]]}
PAUSED_FOR_S = 0.4

Say = Callable[..., Mapping[str, Any]]


@pytest.fixture
def say(tmp_path: Path) -> Say:
    """Runs the program in a process of its own: what it is given, and the home of its trail."""
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)

    def run(given: Mapping[str, Any], home: str = "home") -> Mapping[str, Any]:
        done = subprocess.run(
            [sys.executable, "-m", "hookspan", "run", str(program), str(tmp_path / "checkpoints.db"), json.dumps(given)],
            env=environ({"HOOKSPAN_CONTENT": "tools"}, tmp_path / home),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
        return json.loads(done.stdout)

    return run


def answer(**decision: Any) -> Mapping[str, Any]:
    return {"resume": {"decisions": [decision]}}


def kept(home: Path) -> tuple[Sequence[StoredRun], Sequence[StoredSpan]]:
    """All runs in the order they began, and all their spans."""
    with opened(home / "trail.db") as store:
        runs = sorted(store.runs(), key=lambda run: run.start_ns)
        return runs, [span for trace in dict.fromkeys(run.trace_id for run in runs) for span in store.spans(trace)]


def test_an_approval_given_in_another_process_joins_the_trace_and_tells_the_wait(say: Say, tmp_path: Path) -> None:
    assert say(START)["waits"]
    time.sleep(PAUSED_FOR_S)
    assert say(answer(type="approve")) == {"waits": False, "last": "done"}

    (first, second), spans = kept(tmp_path / "home")
    assert (first.outcome, second.outcome) == ("interrupted", "completed")
    assert first.trace_id == second.trace_id
    assert first.run_id != second.run_id
    turns = [span for span in spans if span.record == n.AGENT]
    assert turns[1].parent_span_id == turns[0].span_id
    assert [link["span_id"] for link in turns[1].links] == [turns[0].span_id]
    held, ran = (span.attributes for span in spans if span.record == n.TOOL)
    assert held[n.TOOL_CALL_ID] == ran[n.TOOL_CALL_ID] == "c1"
    assert (held[n.TOOL_OUTCOME], held[n.TOOL_EXECUTED]) == ("interrupted", False)
    assert (ran[n.TOOL_OUTCOME], ran[n.TOOL_EXECUTED], ran[n.PERMISSION_BASIS]) == ("success", True, "human")
    (approval,) = (span.attributes for span in spans if span.record == n.APPROVAL)
    assert (approval[n.DECISION_VERDICT], approval[n.DECISION_BY]) == ("allow", "ada")
    wait = approval[n.DECISION_WAIT_S]
    assert isinstance(wait, float)
    assert PAUSED_FOR_S <= wait < 60
    assert ran[n.DECISION_WAIT_S] == wait


def test_a_refusal_given_in_another_process_has_the_call_s_record(say: Say, tmp_path: Path) -> None:
    say(START)
    say(answer(type="reject", message="too risky"))
    _, spans = kept(tmp_path / "home")
    refused = [span.attributes for span in spans if span.record == n.TOOL][-1]
    assert (refused[n.TOOL_OUTCOME], refused[n.TOOL_EXECUTED]) == ("denied", False)
    assert (refused[n.DECISION_SOURCE], refused[n.DECISION_BY], refused[n.DECISION_REASON]) == ("human", "ada", "too risky")


def test_an_edit_made_in_another_process_is_told(say: Say, tmp_path: Path) -> None:
    say(START)
    say(answer(type="edit", edited_action={"name": "remove", "args": {"path": "/tmp/b"}}))
    _, spans = kept(tmp_path / "home")
    ran = [span.attributes for span in spans if span.record == n.TOOL][-1]
    assert (ran[n.TOOL_OUTCOME], ran[n.DECISION_VERDICT], ran[n.TOOL_INPUT_EDITED]) == ("success", "edit", True)
    assert ran[n.TOOL_ARGUMENTS] == '{"path":"/tmp/b"}'


def test_going_elsewhere_on_the_thread_is_no_resume(say: Say, tmp_path: Path) -> None:
    say(START)
    say({"goto": "model"})
    (first, second), spans = kept(tmp_path / "home")
    assert first.trace_id != second.trace_id
    assert not [link for span in spans for link in span.links]
    assert not [span for span in spans if span.record == n.APPROVAL]


def test_where_the_pause_is_not_known_the_run_and_its_decision_are_still_told(say: Say, tmp_path: Path) -> None:
    say(START)
    say(answer(type="approve"), home="another")
    (run,), spans = kept(tmp_path / "another")
    assert run.outcome == "completed"
    (ran,) = (span.attributes for span in spans if span.record == n.TOOL)
    assert (ran[n.TOOL_OUTCOME], ran[n.TOOL_EXECUTED]) == ("success", True)
    (approval,) = (span.attributes for span in spans if span.record == n.APPROVAL)
    assert (approval[n.DECISION_VERDICT], approval[n.DECISION_BY]) == ("allow", "ada")
    assert n.DECISION_WAIT_S not in approval
