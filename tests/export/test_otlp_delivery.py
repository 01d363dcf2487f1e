"""What our own providers deliver, over both protocols, to receivers that are well, slow, away for a while or full."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager

import pytest
from opentelemetry import trace

from hookspan.export import otlp_worker
from hookspan.export.pipeline import Pipeline, build
from hookspan.export.settings import load
from hookspan.model.facts import Failure
from tests.support.driver import agent, begin_run, begin_tool, end_run, end_tool
from tests.support.otlp_receiver import Received, dead, over_grpc, over_http, plain

Receiving = Callable[[], AbstractContextManager[Received]]
BOTH = pytest.mark.parametrize("receiving", [over_http, over_grpc])
FOUR_MIB = 4 * 1024 * 1024


@contextmanager
def delivering(received: Received, monkeypatch: pytest.MonkeyPatch, **variables: str) -> Generator[Pipeline]:
    for name, value in {**received.environ, **variables}.items():
        monkeypatch.setenv(name, value)
    pipeline = build(load())
    try:
        yield pipeline
    finally:
        pipeline.shutdown(10)


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


@BOTH
def test_spans_and_metrics_arrive_whole(receiving: Receiving, monkeypatch: pytest.MonkeyPatch) -> None:
    with receiving() as received:
        with delivering(received, monkeypatch, OTEL_SERVICE_NAME="shop", OTEL_RESOURCE_ATTRIBUTES="team=a") as pipeline:
            agent(pipeline.recorder, tools=2)
            assert pipeline.flush(10)
            assert len(received.spans) == 4
        assert received.resources[0] | {"service.name": "shop", "team": "a", "telemetry.distro.name": "hookspan"} == received.resources[0]
        (root,) = received.named("invoke_agent coder")
        assert {span.parent_span_id for span in received.spans if span is not root} == {root.span_id}
        tool = received.named("execute_tool read_file")[0]
        attributes = plain(tool.attributes)
        assert attributes["hookspan.tool.outcome"] == "success"
        assert attributes["hookspan.run.id"] == plain(root.attributes)["hookspan.run.id"]
        # what leaves the machine has no content unless somebody asks for it
        assert "gen_ai.tool.call.result" not in attributes
        assert {"gen_ai.client.token.usage", "gen_ai.execute_tool.duration"} <= {metric.name for metric in received.metrics}


@BOTH
def test_one_odd_span_costs_neither_itself_nor_the_others(
    receiving: Receiving, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Case P40, with spans of the program's own that nothing has cleaned."""
    with receiving() as received:
        with delivering(received, monkeypatch, HOOKSPAN_GLOBAL_PROVIDER="false", HOOKSPAN_CONTENT="tools") as pipeline:
            own = pipeline.own
            assert own is not None
            assert own.tracer_provider is not None
            tracer = own.tracer_provider.get_tracer("app")
            odd = tracer.start_span("agent \ud83e", attributes={"text": "a\ud83e", "int": 2**70, "bytes": b"\xff", "nan": float("nan")})
            odd.add_event("event \udc00", {"k": "\ud83e"})
            odd.set_status(trace.StatusCode.ERROR, "half \ud83e")
            odd.end()
            agent(pipeline.recorder, "odd", agent="agent \ud83e", result={"half": "\ud83e", "big": 2**70, "set": {1, 2}})
            for number in range(10):
                agent(pipeline.recorder, f"r{number}")
            assert pipeline.flush(10)
        assert len(received.named("invoke_agent coder")) == 10
        assert len(received.named("invoke_agent agent �")) == 1
        (sent,) = received.named("agent �")
        assert plain(sent.attributes)["text"] == "a�"
        assert plain(sent.attributes)["int"] == str(2**70)
        assert plain(sent.attributes)["bytes"] == b"\xff"
    assert warnings(caplog) == []


@BOTH
def test_no_request_is_too_large_whatever_the_payloads(receiving: Receiving, monkeypatch: pytest.MonkeyPatch) -> None:
    """Case P41: 40 results of 200 kB and one of 8 MB, against gRPC's own limit."""
    with receiving() as received:
        with delivering(received, monkeypatch, HOOKSPAN_CONTENT="tools", HOOKSPAN_MAX_CONTENT="1048576") as pipeline:
            agent(pipeline.recorder, tools=40, result="é" * 100_000)
            agent(pipeline.recorder, "r2", result="y" * 8_000_000)
            assert pipeline.flush(30)
        assert len(received.spans) == 45
        assert max(received.sizes) < FOUR_MIB
        assert len(received.sizes) >= 3
        cut = [plain(span.attributes).get("hookspan.content.truncated") for span in received.named("execute_tool read_file")]
        assert cut.count(["gen_ai.tool.call.result=8000000"]) == 1


def test_large_spans_of_the_programs_own_are_cut_to_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    with over_grpc() as received:
        with delivering(received, monkeypatch) as pipeline:
            own = pipeline.own
            assert own is not None
            assert own.tracer_provider is not None
            tracer = own.tracer_provider.get_tracer("app")
            for number in range(3):
                tracer.start_span(f"s{number}", attributes={"document": "z" * 6_000_000}).end()
            assert pipeline.flush(30)
        assert sorted(span.name for span in received.spans) == ["s0", "s1", "s2"]
        assert max(received.sizes) < FOUR_MIB


def test_a_collector_that_is_away_for_a_while_gets_everything(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(otlp_worker, "_PAUSE_S", 0.05)
    with over_http() as received:
        received.refuse = 3
        with delivering(received, monkeypatch, OTEL_EXPORTER_OTLP_TIMEOUT="0.5", OTEL_METRICS_EXPORTER="none") as pipeline:
            agent(pipeline.recorder)
            received.wait_for(3)
        assert len(received.spans) == 3
    assert warnings(caplog) == []


def test_a_burst_before_a_slow_collector_is_counted_and_said_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Case P38: 5000 tools; runs, refusals and decisions are not what is dropped."""
    with over_http() as received:
        told = threading.Event()

        def wait() -> None:
            told.wait(20)

        received.before = wait
        with delivering(received, monkeypatch, OTEL_BSP_MAX_QUEUE_SIZE="600", OTEL_BSP_MAX_EXPORT_BATCH_SIZE="100") as pipeline:
            run = begin_run(pipeline.recorder, "r1")
            for number in range(5000):
                end_tool(pipeline.recorder, run, begin_tool(pipeline.recorder, run, f"c{number}"), failure=Failure("E", "e"))
            end_run(pipeline.recorder, run)
            told.set()
            own = pipeline.own
            assert own is not None
            own.flush(10)
            dropped = own.lost["queue_full"]
        assert dropped > 3000
        assert len(received.spans) + dropped == 5001
        assert len(received.named("invoke_agent coder")) == 1
        (lost,) = [metric for metric in received.metrics if metric.name == "hookspan.records.lost"][-1:]
        assert [int(point.as_int) for point in lost.sum.data_points] == [dropped]
        assert lost.sum.is_monotonic
    (said,) = warnings(caplog)
    assert "queue_full: " in said


def test_a_pause_is_shown_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from hookspan.model.clock import now
    from hookspan.model.facts import Interrupted, InterruptKind
    from hookspan.model.ids import CallId

    with over_http() as received, delivering(received, monkeypatch, OTEL_BSP_SCHEDULE_DELAY="60000") as pipeline:
        run = begin_run(pipeline.recorder, "r1")
        waits = Interrupted(
            run=run, key=run, at=now(), interrupt="i1", kind=InterruptKind.APPROVAL, framework="langgraph", calls=[CallId("c1")]
        )
        pipeline.recorder.record(waits)
        end_run(pipeline.recorder, run)
        received.wait_for(1, within_s=10)
        assert "pause" in {span.name.split(maxsplit=1)[0] for span in received.spans}


def test_the_programs_thread_never_waits_for_the_collector(monkeypatch: pytest.MonkeyPatch) -> None:
    with over_http() as received:
        received.before = lambda: time.sleep(1)
        with delivering(received, monkeypatch, OTEL_BSP_MAX_EXPORT_BATCH_SIZE="5", OTEL_METRICS_EXPORTER="none") as pipeline:
            agent(pipeline.recorder, "warm")
            took = time.perf_counter()
            for number in range(20):
                agent(pipeline.recorder, f"r{number}")
            took = time.perf_counter() - took
            assert pipeline.own is not None
            pipeline.own.shutdown(0)
        assert took < 0.9


def test_nobody_listens_one_warning_with_the_number_and_a_bounded_end(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", dead())
    pipeline = build(load())
    for number in range(4):
        agent(pipeline.recorder, f"r{number}", tools=2)
    took = time.perf_counter()
    pipeline.shutdown(1.0)
    assert time.perf_counter() - took < 1.5
    (said,) = warnings(caplog)
    assert said.startswith("hookspan: 16 spans for http://127.0.0.1:")
    assert "exit: 16" in said
