"""What Prometheus says about agents that come and go: right for one process, for ten, for a long-lived one, over a restart.

The spans are those of hookspan's recorder as the wire has them; every process has an instance id of its own, as the SDK gives it one.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from collector.local import collector, prometheus
from hookspan.spans import names as n
from tests.stack.killable import Killable, killable
from tests.stack.otlp import Plain, new_trace, request, send, span
from tests.stack.services import fetch, free_addresses, promql, until
from tests.support.otlp_receiver import over_grpc

pytestmark = pytest.mark.stack

OVER = "5m"
WITHIN_S = 40
SCRAPED_EVERY_S = 1
TOLERANCE = 0.12
"""increase() extrapolates by up to one scrape at each end: 12 % after twelve scrapes, less with every further one."""

COMMON: Mapping[str, Plain] = {n.FRAMEWORK: "langgraph", n.AGENT_NAME: "clerk"}
EXPECTED: Mapping[str, float] = {
    'hookspan_runs_total{hookspan_run_outcome="completed",hookspan_stop_reason="end_turn"}': 1,
    'hookspan_turns_total{gen_ai_agent_name="clerk"}': 1,
    'hookspan_tool_calls_total{gen_ai_tool_name="delete",hookspan_tool_outcome="denied",hookspan_decision_source="human"}': 1,
    'hookspan_tool_calls_total{gen_ai_tool_name="add",hookspan_tool_outcome="success"}': 1,
    'hookspan_tool_calls_total{gen_ai_tool_name="_OTHER"}': 1,
    'hookspan_tokens_total{gen_ai_token_type="input"}': 100,
    'hookspan_tokens_total{gen_ai_token_type="output"}': 7,
    'hookspan_handoffs_total{hookspan_handoff_from="clerk",hookspan_handoff_to="boss"}': 1,
    "hookspan_records_declared_total": 7,
    "hookspan_records_total": 7,
    'hookspan_duration_seconds_count{hookspan_record="hook_command",hookspan_hook_outcome="timeout"}': 1,
    'hookspan_duration_seconds_sum{hookspan_record="approval"}': 90,
    'hookspan_duration_seconds_sum{hookspan_record="hook_command"}': 3,
}
"""Series, and what one run of `one_run` adds to it."""


def one_run() -> list[Span]:
    trace = new_trace()

    def record(name: str, kind: str, more: Mapping[str, Plain], seconds: float = 0.01) -> Span:
        return span(name, {n.RECORD: kind, **COMMON, **more}, trace=trace, seconds=seconds)

    handoff: Mapping[str, Plain] = {n.HANDOFF_FROM: "clerk", n.HANDOFF_TO: "boss", n.HANDOFF_MECHANISM: "tool"}
    denied: Mapping[str, Plain] = {n.DECISION_VERDICT: "deny", n.DECISION_SOURCE: "human"}
    ended: Mapping[str, Plain] = {n.RUN_OUTCOME: "completed", n.STOP_REASON: "end_turn", n.RECORDS_TOTAL: 7}
    command: Mapping[str, Plain] = {n.HOOK_EVENT: "PreToolUse", n.HOOK_NAME: "guard", n.HOOK_OUTCOME: "timeout"}
    return [
        record("chat m", n.CHAT, {n.REQUEST_MODEL: "m", n.INPUT_TOKENS: 100, n.OUTPUT_TOKENS: 7}),
        record("execute_tool add", n.TOOL, {n.TOOL_NAME: "add", n.TOOL_OUTCOME: "success"}),
        record("execute_tool delete", n.TOOL, {n.TOOL_NAME: "delete", n.TOOL_OUTCOME: "denied", **denied}),
        record("execute_tool _OTHER", n.TOOL, {n.TOOL_NAME: f"made_up_{time.time_ns()}", n.TOOL_OUTCOME: "error"}),
        record("hook_command PreToolUse", n.HOOK_COMMAND, command, seconds=3),
        record("approval delete", n.APPROVAL, {n.TOOL_NAME: "delete", **denied, n.DECISION_WAIT_S: 90.0}, seconds=0),
        span(
            "invoke_agent clerk",
            {n.RECORD: n.AGENT, **COMMON, **ended},
            trace=trace,
            events=[(n.EVENT_HANDOFF, handoff), (n.EVENT_STOP, {n.STOP_REASON: "end_turn"})],
        ),
        span("their own span", {"http.request.method": "GET"}, trace=trace),
    ]


@dataclass(frozen=True)
class Way:
    """Addresses of an audit collector that is read by Prometheus, and both of them, to be ended and started again."""

    at: Mapping[str, str]
    collector: Killable
    prometheus: Killable


@pytest.fixture
def way(programs: Path, tmp_path: Path) -> Iterator[Way]:
    with over_grpc() as received:
        at = {**free_addresses(), "JAEGER_GRPC": received.endpoint.removeprefix("http://")}
        program = collector(programs, at, tmp_path / "queue")
        with (
            killable(prometheus(programs, at, tmp_path, f"{SCRAPED_EVERY_S}s"), tmp_path / "prometheus.log") as reader,
            killable(program, tmp_path / "collector.log") as counter,
        ):
            yield Way(at, counter, reader)


def says(at: Mapping[str, str], service: str, runs: int) -> None:
    """Waits until increase() and rate() over every series say what `runs` runs make, or fails with what they say."""
    wrong: dict[str, object] = {}

    def right() -> bool:
        wrong.clear()
        for series, each in EXPECTED.items():
            name, _, labels = series.partition("{")
            selected = f'{name}{{job="{service}"{"," + labels.rstrip("}") if labels else ""}}}[{OVER}]'
            said = [value for _, value in promql(at["PROMETHEUS"], f"sum(increase({selected}))")]
            a_second = [value * 300 for _, value in promql(at["PROMETHEUS"], f"sum(rate({selected}))")]
            for answer in (said, a_second):
                if len(answer) != 1 or not math.isclose(answer[0], runs * each, rel_tol=TOLERANCE):
                    wrong[selected] = (answer, runs * each)
        return not wrong

    try:
        until(right, WITHIN_S, "the right numbers")
    except AssertionError:
        raise AssertionError(wrong) from None


def test_one_process_that_made_one_run_and_ended(way: Way) -> None:
    at = way.at
    send(at["COLLECTOR_HTTP"], request(one_run(), "once"))
    says(at, "once", 1)


def test_ten_such_processes_some_at_the_same_moment(way: Way) -> None:
    at = way.at
    with ThreadPoolExecutor(5) as together:
        list(together.map(lambda _: send(at["COLLECTOR_HTTP"], request(one_run(), "ten")), range(10)))
    says(at, "ten", 10)


def test_many_at_once_lose_no_count(way: Way) -> None:
    at = way.at
    with ThreadPoolExecutor(16) as together:
        list(together.map(lambda _: send(at["COLLECTOR_HTTP"], request(one_run(), "many")), range(400)))
    says(at, "many", 400)


def test_a_process_that_lives_on_and_the_collector_restarts_in_between(way: Way) -> None:
    at = way.at
    for _ in range(5):
        send(at["COLLECTOR_HTTP"], request(one_run(), "long"))
        time.sleep(0.2)
    says(at, "long", 5)
    way.collector.end()
    way.collector.begin()
    for _ in range(7):  # more than before: a counter that begins anew is not always one that has fallen
        send(at["COLLECTOR_HTTP"], request(one_run(), "long"))
    says(at, "long", 12)


def test_prometheus_is_down_while_agents_run(way: Way) -> None:
    at = way.at
    send(at["COLLECTOR_HTTP"], request(one_run(), "down"))
    says(at, "down", 1)
    way.prometheus.end()
    for _ in range(4):
        send(at["COLLECTOR_HTTP"], request(one_run(), "down"))
        send(at["COLLECTOR_HTTP"], request(one_run(), "new meanwhile"))
        time.sleep(0.5)
    way.prometheus.begin()
    says(at, "down", 5)
    says(at, "new meanwhile", 4)


def test_only_bounded_labels(way: Way) -> None:
    at = way.at
    for _ in range(3):
        send(at["COLLECTOR_HTTP"], request(one_run(), "labels"))
    says(at, "labels", 3)
    names = {label for labels, _ in promql(at["PROMETHEUS"], '{job="labels"}') for label in labels}
    assert not {name for name in names if name.endswith(("_id", "_by", "instance_id", "pid"))}
    tools = {labels["gen_ai_tool_name"] for labels, _ in promql(at["PROMETHEUS"], 'hookspan_tool_calls_total{job="labels"}')}
    assert tools == {"add", "delete", "_OTHER"}


def test_an_exemplar_leads_to_the_trace(way: Way) -> None:
    at = way.at
    spans = one_run()
    send(at["COLLECTOR_HTTP"], request(spans, "exemplar"))

    def traces() -> set[str]:
        now = time.time()
        answer = fetch(
            f"http://{at['PROMETHEUS']}/api/v1/query_exemplars?query=hookspan_duration_seconds_bucket&start={now - 300}&end={now + 5}"
        )
        return {exemplar["labels"]["trace_id"] for series in answer["data"] for exemplar in series["exemplars"]}

    assert until(traces, WITHIN_S, "an exemplar") == {spans[0].trace_id.hex()}
