"""Every question of every board is asked of the real Prometheus and Jaeger, about known traffic, and again about more of it."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
import time
import urllib.parse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from opentelemetry.sdk.trace import ReadableSpan

from dashboards.generate import BOARDS
from dashboards.model import Board, Numbers, Panel, Search
from hookspan.spans import names as n
from tests.stack.expected import SPANS, Answer, Labels
from tests.stack.services import fetch, promql, until
from tests.stack.traffic import PLANTED, told

pytestmark = pytest.mark.stack

RANGE = "5m"
WITHIN_S = 60
TOLERANCE = 0.12
"""What increase() adds for the time between two scrapes (1 s here); it is less than this twelve scrapes after the traffic."""

UNTOLD = {"Cost by agent": "no adapter tells a cost yet: no series"}
EVERY: Sequence[tuple[Board, Panel, int, Numbers]] = [
    (board, panel, place, question)
    for board in BOARDS
    for row in board.rows
    for panel in row.panels
    for place, question in enumerate(panel.questions)
    if isinstance(question, Numbers) and panel.title not in UNTOLD
]
IDS = [f"{board.uid}: {panel.title}, {place + 1}" for board, panel, place, _ in EVERY]


def asked(promql_text: str, service: str) -> str:
    """With the choices above the board filled in as Grafana does: one service, all agents, the time that is shown."""
    for variable, value in {
        "$__range": RANGE,
        "$__interval": RANGE,
        "$__rate_interval": RANGE,
        "$service": service,
        "$agent": ".*",
    }.items():
        promql_text = promql_text.replace(variable, value)
    assert "$" not in promql_text
    return promql_text


@dataclass(frozen=True)
class Known:
    service: str
    sent: list[ReadableSpan]


@pytest.fixture(scope="module", params=[1, 3], ids=["once", "three processes"])
def known(request: pytest.FixtureRequest, at: Mapping[str, str]) -> Known:
    """Traffic of a service of its own; more of it gives other right numbers."""
    rounds: int = request.param
    service = f"known-{rounds}"
    sent = list(told(at["COLLECTOR_HTTP"], service, rounds))
    declared = f'sum(hookspan_records_total{{job="{service}"}})'
    until(
        lambda: promql(at["PROMETHEUS"], declared) and promql(at["PROMETHEUS"], declared)[0][1] == len(sent),
        WITHIN_S,
        "all records counted",
    )
    time.sleep(13)  # scrapes that increase() needs
    return Known(service, sent)


def differs(said: Mapping[Labels, float], wanted: Answer) -> str | None:
    if said.keys() != wanted.keys():
        return f"series {sorted(map(sorted, said))} instead of {sorted(map(sorted, wanted))}"
    for labels, (least, most) in wanted.items():
        if not (least * (1 - TOLERANCE) - 1e-9 <= said[labels] <= most * (1 + TOLERANCE) + 1e-9) or math.isnan(said[labels]):
            return f"{sorted(labels)}: {said[labels]} instead of {least} to {most}"
    return None


@pytest.mark.parametrize(("board", "panel", "place", "question"), EVERY, ids=IDS)
def test_a_panel_says_the_right_numbers(
    board: Board, panel: Panel, place: int, question: Numbers, known: Known, at: Mapping[str, str]
) -> None:
    said = {
        frozenset((key, value) for key, value in labels.items() if not key.startswith("__")): value
        for labels, value in promql(at["PROMETHEUS"], asked(question.promql, known.service))
    }
    assert said, "an empty answer"
    special = SPECIAL.get(panel.title)
    if special is not None:
        special(said, known)
        return
    assert differs(said, SPANS[board.uid][panel.title][place](known.sent)) is None


def _tokens_by_kind(said: Mapping[Labels, float], known: Known) -> None:
    chats = [span.attributes or {} for span in known.sent if (span.attributes or {}).get(n.RECORD) == n.CHAT]
    of = {
        kind: sum(int(str(chat.get(name, 0))) for chat in chats) for kind, name in (("input", n.INPUT_TOKENS), ("output", n.OUTPUT_TOKENS))
    }
    assert differs(said, {frozenset({("gen_ai_token_type", kind)}): (count, count) for kind, count in of.items()}) is None


def _cost(said: Mapping[Labels, float], known: Known) -> None:
    """No adapter tells a cost yet: the panel says 0."""
    assert set(said.values()) == {0.0}, known


def _flows(said: Mapping[Labels, float], known: Known) -> None:
    """The collector's own figures are of all traffic of the session. They have no start time: their first value is no increase."""
    before = len(known.sent) if known.service == "known-1" else 0
    assert all(rate * 300 >= (len(known.sent) - before) * (1 - TOLERANCE) for rate in said.values())


def _queues(said: Mapping[Labels, float], known: Known) -> None:
    exporters = {dict(labels)["exporter"] for labels in said}
    assert exporters == {"otlp_grpc/audit", "otlp_grpc/deltas"}, known
    assert all(0 <= share < 0.1 for share in said.values())


def _up(said: Mapping[Labels, float], known: Known) -> None:
    assert set(said.values()) == {1.0}, known


def _masked(said: Mapping[Labels, float], known: Known) -> None:
    planted = [span for span in known.sent if PLANTED in str((span.attributes or {}).get(n.DECISION_REASON, ""))]
    assert math.isclose(sum(said.values()), len(planted), rel_tol=TOLERANCE)


def _declared(said: Mapping[Labels, float], known: Known) -> None:
    assert {dict(labels)["job"] for labels in said} == {known.service}
    assert math.isclose(sum(said.values()), len(known.sent), rel_tol=TOLERANCE)


def _none_dropped(said: Mapping[Labels, float], known: Known) -> None:
    assert said == {frozenset({("error", "none")}): 0.0}, known


SPECIAL = {
    "Tokens by kind": _tokens_by_kind,
    "Cost": _cost,
    "Spans in and out": _flows,
    "Queues": _queues,
    "Collectors up": _up,
    "Masked values": _masked,
    "Masked values by record": _masked,
    "Declared and received, by service": _declared,
    "Counts that were dropped": _none_dropped,
}
"""Panels whose right answer is not a sum over spans."""
SEARCHES: Sequence[tuple[Panel, Search]] = [
    (panel, question)
    for board in BOARDS
    for row in board.rows
    for panel in row.panels
    for question in panel.questions
    if isinstance(question, Search)
]


@pytest.mark.parametrize(("panel", "search"), SEARCHES, ids=[f"{place}: {panel.title}" for place, (panel, _) in enumerate(SEARCHES)])
def test_a_search_in_jaeger_finds_the_traces_and_no_others(panel: Panel, search: Search, known: Known, at: Mapping[str, str]) -> None:
    conversation = "c-hooks-0" if n.RECORD not in search.tags else "thread-1"
    tags = {key: value.replace("$conversation", conversation) for key, value in search.tags.items()}
    wanted = {
        span.get_span_context().trace_id  # pyright: ignore[reportOptionalMemberAccess]  # an ended span has one
        for span in known.sent
        if all(str((span.attributes or {}).get(key)) == value for key, value in tags.items())
    }
    query = urllib.parse.urlencode({"service": known.service, "tags": json.dumps(tags), "lookback": "1h", "limit": 1000})
    found = {int(trace["traceID"], 16) for trace in fetch(f"http://{at['JAEGER_QUERY']}/api/traces?{query}")["data"] or []}
    assert found == wanted
    assert wanted or panel.title == "One conversation"


def test_jaeger_has_the_records_with_their_events_ids_and_links(known: Known, at: Mapping[str, str]) -> None:
    query = urllib.parse.urlencode({"service": known.service, "lookback": "1h", "limit": 1000})
    stored: dict[str, Any] = {
        span["spanID"]: span for trace in fetch(f"http://{at['JAEGER_QUERY']}/api/traces?{query}")["data"] for span in trace["spans"]
    }
    assert len(stored) == len(known.sent)
    for span in known.sent:
        kept = stored[f"{span.get_span_context().span_id:016x}"]  # pyright: ignore[reportOptionalMemberAccess]  # an ended span has one
        tags = {tag["key"]: str(tag["value"]) for tag in kept["tags"]}
        for name in (n.RECORD, n.TOOL_CALL_ID, n.TOOL_OUTCOME, n.DECISION_VERDICT, n.INTERRUPT_ID, n.RUN_ID):
            value = (span.attributes or {}).get(name)
            assert tags.get(name) == (None if value is None else str(value))
        told_events = sorted(event.name for event in span.events)
        assert sorted(field["value"] for log in kept["logs"] for field in log["fields"] if field["key"] == "event") == told_events
        links = [reference for reference in kept["references"] if reference["refType"] == "FOLLOWS_FROM"]
        assert [int(link["spanID"], 16) for link in links] == [link.context.span_id for link in span.links]
        assert PLANTED not in json.dumps(kept)


@pytest.fixture(scope="module")
def demo(at: Mapping[str, str], tmp_path_factory: pytest.TempPathFactory) -> str:
    """`hookspan demo`, sent here."""
    environ = {
        **os.environ,
        "HOOKSPAN_HOME": str(tmp_path_factory.mktemp("home")),
        "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://{at['COLLECTOR_HTTP']}",
        "OTEL_SERVICE_NAME": "the-demo",
    }
    done = subprocess.run(
        [sys.executable, "-m", "hookspan", "demo", "--json"], env=environ, capture_output=True, text=True, timeout=90, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return "the-demo"


def test_the_demo_s_refusal_is_counted_with_its_tool_and_who_refused_it(demo: str, at: Mapping[str, str]) -> None:
    refused = f'hookspan_tool_calls_total{{job="{demo}",hookspan_tool_outcome="denied"}}'
    found = until(lambda: promql(at["PROMETHEUS"], refused), WITHIN_S, "the refusal")
    assert [(labels["gen_ai_tool_name"], labels["hookspan_decision_source"], value) for labels, value in found] == [
        ("deploy", "human", 1.0)
    ]
    handoffs = promql(at["PROMETHEUS"], f'hookspan_handoffs_total{{job="{demo}"}}')
    assert {(labels["hookspan_handoff_from"], labels["hookspan_handoff_to"]) for labels, _ in handoffs} == {
        ("coding-assistant", "reviewer"),
        ("coding-assistant", "researcher"),
    }


def test_every_panel_with_numbers_is_asked() -> None:
    told_of = {title for panels in SPANS.values() for title in panels} | SPECIAL.keys()
    assert {panel.title for _, panel, _, _ in EVERY} == told_of
    assert not re.search(r"\$(?!__range|__interval|__rate_interval|service|agent)", " ".join(question.promql for *_, question in EVERY))
