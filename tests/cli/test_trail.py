"""What a person reads: the list, the tree, one call."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

from hookspan.cli.words import block, duration, plain, tokens
from tests.cli.conftest import CommandLine
from tests.support import stories
from tests.support.stored import recording_to


def _same_times(text: str) -> str:
    """Times and durations differ from run to run, and the columns with them."""
    text = re.sub(r"(\d{4}-)?\d\d-\d\d \d\d:\d\d:\d\d", "<when>", text)
    text = re.sub(r"<?\b\d+(\.\d+)? (ms|s)\b", "<time>", text)
    return "\n".join(re.sub(r"(?<=\S) {2,}", "  ", line).rstrip() for line in text.strip().splitlines())


def test_the_list_has_a_line_for_each_run(hookspan: CommandLine) -> None:
    hookspan.record()
    result = hookspan("trail")
    assert result.exit_code == 0
    assert _same_times(result.output) == (
        "run  agent  conversation  started  took  outcome  tools  refused  tokens\n"
        "umed-run  clerk  t1  <when>  <time>  completed  0  1  100 → 10\n"
        "used-run  clerk  t1  <when>  <time>  interrupted  0  0  100 → 10\n"
        "run-1  clerk  other  <when>  <time>  completed  1  0  220 → 21"
    )


def test_the_list_can_be_narrowed(hookspan: CommandLine) -> None:
    hookspan.record()
    assert len(json.loads(hookspan("trail", "--json", "--conversation", "t1").output)["runs"]) == 2
    assert [run["run_id"] for run in json.loads(hookspan("trail", "--json", "--outcome", "interrupted").output)["runs"]] == ["paused-run"]
    assert [run["run_id"] for run in json.loads(hookspan("trail", "--json", "--limit", "1").output)["runs"]] == ["resumed-run"]
    assert hookspan("trail", "--since", "2h").exit_code == 0
    nothing = hookspan("trail", "--since", "2999-01-01")
    assert (nothing.exit_code, nothing.output) == (1, "Error: no run is like that; `hookspan trail` lists all\n")


def test_the_tree_tells_of_a_refusal_over_the_paused_and_the_resumed_run(hookspan: CommandLine) -> None:
    hookspan.record()
    result = hookspan("trail", "show", "latest")
    assert result.exit_code == 0
    assert _same_times(result.output) == (
        "clerk  langgraph  conversation t1  <when>  completed\n"
        "trace 00000000000000000000000000000002  2 runs, 0 tool calls, 1 refused, 200 → 20 tokens\n"
        "\n"
        "invoke_agent clerk  interrupted · 100 → 10 tokens  <time>\n"
        "├─ chat scripted-1  100 → 10 tokens  <time>\n"
        '├─ execute_tool rm call-rm  interrupted · never ran · {"path":"/"}  <time>\n'
        "│  └─ pause  paused for an answer (approval)\n"
        "└─ invoke_agent clerk  completed · resumed, waited <time> · 100 → 10 tokens  <time>\n"
        "   ├─ approval rm  deny by ada (human), waited <time>: too risky\n"
        "   ├─ execute_tool rm call-rm  REFUSED by ada (human): too risky · waited <time>\n"
        "   └─ chat scripted-1  100 → 10 tokens  <time>"
    )


def test_full_shows_the_content(hookspan: CommandLine) -> None:
    hookspan.record()
    assert "result: User said no" not in hookspan("trail", "show", "latest").output
    assert "result: User said no" in hookspan("trail", "show", "latest", "--full").output


def test_a_run_is_found_by_id_trace_conversation_beginning_and_end(hookspan: CommandLine) -> None:
    hookspan.record()
    for named in ("run-1", "00000000000000000000000000000001", "other", "oth", "run-"):
        found = hookspan("trail", "show", named, "--json")
        if named == "oth":
            assert found.exit_code == 1
        else:
            assert json.loads(found.output)["run"]["run_id"] == "run-1", named
    assert json.loads(hookspan("trail", "show", "umed-run", "--json").output)["run"]["run_id"] == "resumed-run"


def test_json_has_the_promised_shape(hookspan: CommandLine) -> None:
    hookspan.record()
    told = json.loads(hookspan("trail", "show", "latest", "--json").output)
    assert sorted(told) == ["run", "spans", "trace_id"]
    keys = ["name", "kind", "span_id", "parent_span_id", "start_ns", "end_ns", "status", "attributes", "events", "links"]
    assert all(list(span) == keys for span in told["spans"])
    resumed = next(span for span in told["spans"] if span["attributes"].get("hookspan.run.id") == "resumed-run")
    paused = told["spans"][0]
    assert resumed["links"] == [{"trace_id": told["trace_id"], "span_id": paused["span_id"], "attributes": {"hookspan.interrupt.id": "i1"}}]
    assert resumed["parent_span_id"] == paused["span_id"]
    assert paused["status"] == {"code": "UNSET", "description": None}


def test_why_explains_one_call_on_one_screen(hookspan: CommandLine) -> None:
    hookspan.record()
    result = hookspan("trail", "why", "call-rm")
    assert result.exit_code == 0
    assert _same_times(result.output) == (
        "call  rm  call-rm\n"
        "in  conversation t1\n"
        "asked  by clerk at <when>\n"
        '          {"path":"/"}\n'
        "held up  at <when> (approval)\n"
        "decided  deny by ada (human), waited <time>: too risky\n"
        "executed  no  interrupted at <when>\n"
        "executed  no  denied at <when>\n"
        "outcome  refused\n"
        "result  User said no"
    )


def test_why_of_an_approved_call(hookspan: CommandLine) -> None:
    hookspan.record(verdict="approve")
    told = json.loads(hookspan("trail", "why", "call-rm", "--json").output)
    assert (told["executed"], told["outcome"], told["result"]) == (True, "success", "gone")
    assert [(one["verdict"], one["source"], one["by"]) for one in told["decisions"]] == [("allow", "human", "ada")]
    assert [(one["executed"], one["permission"]) for one in told["attempts"]] == [(False, None), (True, "human")]


def test_a_denial_without_a_reason_says_so(hookspan: CommandLine) -> None:
    hookspan.record(verdict="silent")
    assert "REFUSED by ada (human): no reason given" in hookspan("trail", "show", "latest").output


def test_what_is_not_there_is_named_with_a_way_out(hookspan: CommandLine) -> None:
    nothing = hookspan("trail")
    assert nothing.exit_code == 1
    assert "no runs yet" in nothing.output
    assert "HOOKSPAN_ENABLED=true python app.py" in nothing.output
    hookspan.record()
    unknown = hookspan("trail", "show", "nonsense")
    assert (unknown.exit_code, unknown.output) == (
        1,
        "Error: no run 'nonsense' in the trail; the latest is resumed-run (clerk); `hookspan trail` lists them\n",
    )
    call = hookspan("trail", "why", "call-rn")
    assert (call.exit_code, call.output) == (1, "Error: no tool call 'call-rn' in the trail; there is call-rm\n")
    wrong = hookspan("trail", "--since", "yesterday")
    assert wrong.exit_code == 2
    assert "15m" in wrong.output


def test_a_removed_run_is_remembered(hookspan: CommandLine) -> None:
    with recording_to(hookspan.home / "trail.db", max_mb=1) as recorder:
        for number in range(60):
            key = stories.begin(recorder, f"run-{number:02}")
            for call in range(90):
                stories.use_tool(recorder, key, f"c{call}", result="x" * 400)
            stories.end(recorder, key)
            recorder.flush(10)
    gone = hookspan("trail", "show", "run-00")
    assert gone.exit_code == 1
    assert "run run-00 (clerk, completed, 90 tool calls, 0 refused) was removed on" in gone.output


def test_a_store_that_cannot_be_used_is_named(hookspan: CommandLine) -> None:
    path = hookspan.home / "trail.db"
    path.write_bytes(b"rubbish " * 1000)
    damaged = hookspan("trail")
    assert damaged.exit_code == 2
    assert f"{path} is damaged or no store of hookspan" in damaged.output
    path.unlink()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA user_version = 99")
    newer = hookspan("trail")
    assert newer.exit_code == 2
    assert "written by a newer hookspan" in newer.output


def test_what_an_agent_wrote_cannot_steer_the_terminal(hookspan: CommandLine) -> None:
    with recording_to(hookspan.home / "trail.db") as recorder:
        key = stories.begin(recorder, "run-1", name="\x1b[31mred\x1b]0;title\x07")
        stories.use_tool(recorder, key, "c1\x1b[2J", result="\x1b[2J\rgone")
        stories.end(recorder, key)
    for words in (("trail",), ("trail", "show", "latest", "--full"), ("trail", "why", "c1\x1b[2J")):
        assert "\x1b" not in hookspan(*words).output
        assert "\r" not in hookspan(*words).output


def test_help_names_no_command_that_is_not_there(hookspan: CommandLine) -> None:
    text = hookspan("--help").output
    assert re.findall(r"^  (\w+)  ", text, re.MULTILINE) == ["demo", "doctor", "run", "trail"]


def test_words() -> None:
    assert [duration(ns) for ns in (4_200_000, 99_000_000, 1_500_000_000, 75 * 10**9, 2 * 3600 * 10**9)] == [
        "4.2 ms",
        "99 ms",
        "1.5 s",
        "1 min 15 s",
        "2 h 0 min",
    ]
    assert tokens(1204, 88) == "1,204 → 88"
    assert tokens(None, None) == ""
    assert plain("a\n\tb\x1b[0m", 5) == "a b\ufffd…"
    assert block("a\x07b\nc") == "a b\nc"


def test_the_home_can_be_named(tmp_path: Path, hookspan: CommandLine) -> None:
    with recording_to(tmp_path / "elsewhere" / "trail.db") as recorder:
        stories.simple_run(recorder)
    assert hookspan("trail").exit_code == 1
    assert hookspan("trail", "--home", str(tmp_path / "elsewhere")).exit_code == 0
    assert hookspan("trail", "show", "latest", "--home", str(tmp_path / "elsewhere")).exit_code == 0
