"""Secrets that reach the collector do not leave it, wherever in a span they stand; what is no secret leaves as it came."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from collector.local import collector, running
from hookspan.spans import names as n
from tests.configs.corpora import HARMLESS, PLANTED
from tests.stack.otlp import Plain, request, send, span
from tests.stack.services import free_addresses, until
from tests.support.otlp_receiver import Received, over_grpc, plain

pytestmark = pytest.mark.stack

OURS: Mapping[str, Plain] = {n.RECORD: n.TOOL, n.SEQUENCE: 3}
ADDED = {"redaction.masked.count"}


@pytest.fixture(scope="module")
def way(programs: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Received]]:
    """The address that takes spans, and what came out behind the audit collector."""
    work = tmp_path_factory.mktemp("redaction")
    with over_grpc() as received:
        at = {**free_addresses(), "JAEGER_GRPC": received.endpoint.removeprefix("http://")}
        with running(collector(programs, at, work / "queue"), work):
            yield at["COLLECTOR_HTTP"], received


def through(way: tuple[str, Received], *spans: Span, resource: Mapping[str, Plain] | None = None) -> tuple[list[Span], dict[str, object]]:
    """The spans as they came out, in the order in which they were put in, and the resource of the last one."""
    address, received = way
    send(address, request(spans, "planted", resource))
    wanted = [one.span_id for one in spans]

    def arrived() -> dict[bytes, Span] | None:
        by_id = {one.span_id: one for one in list(received.spans)}
        return by_id if set(wanted) <= by_id.keys() else None

    by_id = until(arrived, 30, "the spans behind the collector")
    return [by_id[one] for one in wanted], dict(received.resources[-1])


def everything(of: Span) -> str:
    """All of a span as one text, with what stands in lists and maps."""
    return of.__repr__().encode().decode("unicode_escape", errors="replace")


def test_a_secret_is_masked_wherever_in_a_record_it_stands(way: tuple[str, Received]) -> None:
    spans = [
        span(
            f"execute_tool {text}",
            {**OURS, n.TOOL_ARGUMENTS: text, n.INTERRUPT_CALL_IDS: ["a", text], "map": {"inner": text}, n.AGENT_NAME: text},
            error=text,
            events=[("exception", {"exception.message": text}), (f"note {text}", {"x": 1})],
        )
        for text, _ in PLANTED
    ]
    out, _ = through(way, *spans)
    for (text, secret), came in zip(PLANTED, out, strict=True):
        found = plain(came.attributes)
        texts = [came.name, came.status.message, *(event.name for event in came.events), *map(str, found.values())]
        texts += [str(value) for event in came.events for value in plain(event.attributes).values()]
        assert not [one for one in texts if secret in one], text
        # arguments, agent, and for a moment name and message; list and map are looked at as JSON, where a quote in a quote hides
        assert found["redaction.masked.count"] == (4 if "quo\\" in text else 6), text
        assert [plain(event.attributes)["redaction.masked.count"] for event in came.events] == [1, 1]
        assert found[n.SEQUENCE] == 3


def test_a_key_that_names_a_secret_is_enough(way: tuple[str, Received]) -> None:
    keys = ["password", "db_password", "client_secret", "api_key", "http.request.header.authorization", "x-api-key", "GITHUB_TOKEN"]
    (came,), _ = through(way, span("call", {**OURS, **dict.fromkeys(keys, "hunter2"), "pin_password": 1234}))
    found = plain(came.attributes)
    assert {key: found[key] for key in [*keys, "pin_password"]} == dict.fromkeys([*keys, "pin_password"], "****")
    assert found["redaction.masked.count"] == len(keys) + 1


def test_a_resource_is_masked_too(way: tuple[str, Received]) -> None:
    text, secret = PLANTED[0]
    _, resource = through(way, span("call", OURS), resource={"process.command_args": ["run", f"--token={text}"], "note": text})
    assert secret not in str(resource)
    assert resource["redaction.masked.count"] == 2


def test_links_of_ours_stay_and_those_of_others_are_counted_as_dropped(way: tuple[str, Received]) -> None:
    _, secret = PLANTED[0]
    (ours, foreign), _ = through(
        way,
        span("invoke_agent", OURS, links=[{n.INTERRUPT_ID: "f00d"}]),
        span("their span", {"x": 1}, links=[{"note": secret}, {"note": "harmless"}]),
    )
    assert [plain(link.attributes) for link in ours.links] == [{n.INTERRUPT_ID: "f00d"}]
    assert (len(foreign.links), foreign.dropped_links_count) == (0, 2)


def test_what_is_no_secret_comes_out_as_it_went_in(way: tuple[str, Received]) -> None:
    numbers: Mapping[str, Plain] = {
        n.INPUT_TOKENS: 31309,
        n.OUTPUT_TOKENS: 569,
        n.CACHE_READ_TOKENS: 0,
        n.TOOL_RUN_S: 0.005269028,
        n.TOOL_EXECUTED: False,
        n.FINISH_REASONS: ["tool_use"],
        n.TOOL_CALL_ID: "toolu_01A09q90qw90lq917835lq9",
        n.RUN_ID: "9f86d081884c7d659a2feaa0c55ad015",
        n.TRUNCATED: ["gen_ai.tool.call.result=48213"],
    }
    spans = [
        span(
            f"execute_tool {text}",
            {**OURS, **numbers, n.TOOL_RESULT: text},
            error=text,
            events=[("exception", {"exception.message": text}), ("hookspan.tool.start", {"hookspan.tool.start.call_id": "toolu_1"})],
            links=[{n.INTERRUPT_ID: "f00d"}],
        )
        for text in HARMLESS
        if text
    ]
    out, resource = through(way, *spans)
    assert [one.SerializeToString(deterministic=True) for one in out] == [one.SerializeToString(deterministic=True) for one in spans]
    assert not ADDED & resource.keys()


def test_masking_is_counted_in_numbers(way: tuple[str, Received], programs: Path, tmp_path: Path) -> None:
    text, _ = PLANTED[0]
    at = {**free_addresses(), "JAEGER_GRPC": way[1].endpoint.removeprefix("http://")}
    with running(collector(programs, at, tmp_path / "queue"), tmp_path):
        send(at["COLLECTOR_HTTP"], request([span("call", {**OURS, "a": text, "b": text}, events=[("e", {"c": text})])], "counted"))

        def counted() -> set[str] | None:
            lines = scraped(at["COLLECTOR_METRICS"])
            return lines if len(lines) >= 2 else None

        assert until(counted, 20, "the counts") == {
            'hookspan_redacted_total{hookspan_record="tool",job="counted"} 2',
            'hookspan_redacted_events_total{job="counted"} 1',
        }


def scraped(address: str) -> set[str]:
    """The lines that a scrape gives about masking."""
    import urllib.request

    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(f"http://{address}/metrics", timeout=5) as answer:
        text = answer.read().decode()
    return {line for line in text.splitlines() if line.startswith("hookspan_redacted")}
