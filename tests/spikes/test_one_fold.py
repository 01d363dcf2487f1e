"""One fold, two sinks, whatever provider: the same facts, live until `kill -9` and replayed from a file, give the identical
tree in the OTel sink and in the store; and the application's choice of a tracer provider changes nothing of it."""

from __future__ import annotations

import json
import pickle
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from hookspan.spans import names as n
from hookspan.store.reader import StoredSpan, opened
from tests.support.programs import environ
from tests.support.two_sinks import exported, recording

LIVE = """
import pickle, sys, time
from pathlib import Path
from tests.support.two_sinks import story, recording

home = Path(sys.argv[1])
recorder = recording(home)
with open(home / "facts", "wb") as facts:
    for fact in story():
        pickle.dump(fact, facts)
        facts.flush()
        recorder.record(fact)
    assert recorder.flush(10)
    print("told", flush=True)
    time.sleep(60)
"""

Seen = Mapping[str, Any]


def test_facts_told_live_until_a_kill_and_replayed_are_the_same_tree_in_both_sinks(tmp_path: Path) -> None:
    live, again = tmp_path / "live", tmp_path / "again"
    live.mkdir()
    again.mkdir()
    with subprocess.Popen([sys.executable, "-c", LIVE, str(live)], env=environ({}, live), stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "told\n"
        program.send_signal(signal.SIGKILL)
    assert program.returncode == -signal.SIGKILL

    recorder = recording(again)
    with (live / "facts").open("rb") as facts:
        while facts.peek(1):
            recorder.record(pickle.load(facts))
    assert recorder.flush(10)

    stored = _stored(live)
    assert stored == _stored(again)
    assert exported(live) == exported(again)
    # the story stops inside an agent's second turn: a call, a subagent and their agent have not ended
    assert [span["name"] for span in stored if span["end"] is None] == ["invoke_agent coder", "execute_tool task", "invoke_agent helper"]
    assert exported(live) == [span for span in stored if span["end"] is not None]
    assert len(exported(live)) >= 9

    recorder.shutdown(10)
    ended = _stored(again)
    assert exported(again) == ended
    assert [span["attributes"][n.RUN_OUTCOME] for span in ended if span["name"] in ("invoke_agent coder", "invoke_agent helper")][-2:] == [
        "unfinished",
        "unfinished",
    ]


def _stored(home: Path) -> Sequence[Seen]:
    with opened(home / "trail.db") as store:
        traces = {run.trace_id for run in store.runs()}
        spans = [span for trace in traces for span in store.spans(trace)]
    parents = {span.span_id: span for span in spans}
    return sorted((_seen(span, parents) for span in spans), key=lambda one: (one["start"], one["name"]))


def _seen(span: StoredSpan, spans: Mapping[str, StoredSpan]) -> Seen:
    """All of it but what is random or names the process; the parent by name and beginning."""
    above = spans.get(span.parent_span_id or "")
    return {
        "name": span.name,
        "kind": span.kind,
        "parent": [above.name, above.start_ns] if above is not None else None,
        "start": span.start_ns,
        "end": span.end_ns,
        "error": span.error,
        "attributes": {name: value for name, value in span.attributes.items() if name != n.WRITER_ID},
        "events": [[event.name, event.time_ns, dict(event.attributes)] for event in span.events],
        "links": len(span.links),
    }


APPLICATION = """
import json, sys
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from langchain.agents import create_agent
from langchain_core.tools import tool
import hookspan
from tests.support.models import Scripted, calls, says

choice = sys.argv[1]
exporter = InMemorySpanExporter()
mine = TracerProvider()
mine.add_span_processor(SimpleSpanProcessor(exporter))


class Foreign(trace.TracerProvider):
    "As another vendor's: no add_span_processor, no resource, no shutdown."

    def get_tracer(self, *args, **kwargs):
        return mine.get_tracer(*args, **kwargs)


@tool
def add(a: int, b: int) -> int:
    "Adds."
    with trace.get_tracer("app").start_as_current_span("inner"):
        return a + b


agent = create_agent(Scripted(script=[calls(("c1", "add", {"a": 1, "b": 2})), says("three")]), [add], name="clerk")
if choice == "before":
    trace.set_tracer_provider(mine)
hookspan.instrument()
if choice == "after":
    trace.set_tracer_provider(mine)
if choice == "foreign":
    trace.set_tracer_provider(Foreign())
agent.invoke({"messages": [("user", "add")]})
hookspan.uninstrument()
spans = exporter.get_finished_spans()
names = {span.context.span_id: span.name for span in spans}
print(json.dumps({
    "spans": sorted([span.name, names.get(span.parent.span_id) if span.parent else None] for span in spans),
    "own": trace.get_tracer_provider() is mine,
}))
"""
OURS = [
    ["chat scripted-1", "invoke_agent clerk"],
    ["chat scripted-1", "invoke_agent clerk"],
    ["execute_tool add", "invoke_agent clerk"],
    ["invoke_agent clerk", None],
]


@pytest.mark.parametrize("choice", ["before", "after", "never", "foreign"])
def test_the_application_s_provider_is_used_whenever_and_whatever_it_is(choice: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", APPLICATION, choice],
        env=environ({"HOOKSPAN_STORE": "true"}, tmp_path),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    seen = json.loads(done.stdout)
    if choice == "never":
        assert seen == {"spans": [], "own": False}
    else:
        # the program's own span stands inside the tool's
        assert seen == {"spans": sorted([*OURS, ["inner", "execute_tool add"]], key=str), "own": choice != "foreign"}
    with opened(tmp_path / "trail.db") as store:
        (run,) = store.runs()
        spans = store.spans(run.trace_id)
    names = {span.span_id: span.name for span in spans}
    assert sorted(([span.name, names.get(span.parent_span_id or "")] for span in spans), key=str) == sorted(OURS, key=str)
