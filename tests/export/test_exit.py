"""Every way a program ends: what ended is delivered, the exit status is the program's own, the wait is bounded (P35, P36)."""

from __future__ import annotations

import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.otlp_receiver import dead, over_grpc, over_http, silent
from tests.support.programs import run, start

WAYS = {
    "return": ("agent(recorder)", 0),
    "sys.exit": ("agent(recorder); sys.exit(3)", 3),
    "exception": ("agent(recorder); raise ValueError('the program')", 1),
    "SIGTERM": ("agent(recorder); os.kill(os.getpid(), signal.SIGTERM); time.sleep(30)", -signal.SIGTERM),
    "thread": ("worker = threading.Thread(target=agent, args=(recorder,)); worker.start()", 0),
    "asyncio": ("import asyncio\nasync def main(): agent(recorder)\nasyncio.run(main())", 0),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_short_program_delivers_its_run(way: str, tmp_path: Path) -> None:
    body, code = WAYS[way]
    with over_http() as received:
        ended = run(body, {**received.environ, "HOOKSPAN_STORE": "true"}, tmp_path)
        assert ended.code == code
        assert len(received.spans) == 3
        assert len({span.span_id for span in received.spans}) == 3
        assert [metric.name for metric in received.metrics].count("gen_ai.invoke_agent.duration") == 1
    assert stored(tmp_path) == 3
    assert ("ValueError" in ended.err) == (way == "exception")
    assert "hookspan" not in ended.err


def stored(home: Path) -> int:
    with closing(sqlite3.connect(home / "trail.db")) as store, store:
        (count,) = store.execute("SELECT count(*) FROM spans WHERE end_ns IS NOT NULL").fetchone()
    return int(count)


@pytest.mark.parametrize("way", ["return", "SIGTERM"])
def test_over_grpc_too(way: str, tmp_path: Path) -> None:
    body, code = WAYS[way]
    with over_grpc() as received:
        ended = run(body, received.environ, tmp_path)
        assert (ended.code, len(received.spans), ended.err) == (code, 3, "")


def test_os_exit_loses_what_was_not_sent(tmp_path: Path) -> None:
    """Documented: no code of ours runs."""
    with over_http() as received:
        ended = run("agent(recorder); os._exit(4)", {**received.environ, "OTEL_BSP_SCHEDULE_DELAY": "60000"}, tmp_path)
        assert (ended.code, received.spans) == (4, [])


def test_what_is_open_at_the_end_is_unfinished_and_arrives(tmp_path: Path) -> None:
    with over_http() as received:
        ended = run("run = begin_run(recorder, 'r1'); begin_tool(recorder, run, 'c1'); sys.exit(3)", received.environ, tmp_path)
        assert ended.code == 3
        assert sorted(span.name for span in received.spans) == ["execute_tool read_file", "invoke_agent coder"]
    assert ended.err == ""


def test_a_provider_of_the_programs_own_gets_what_was_open_before_it_ends(tmp_path: Path) -> None:
    """It was made after us, so that its exit handler runs before ours would."""
    body = """
        from opentelemetry import trace
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        provider = TracerProvider()
        provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
        trace.set_tracer_provider(provider)
        begin_run(recorder, "open")
        agent(recorder)
        if len(sys.argv) > 1 or os.environ.get("BY_SIGNAL"):
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(30)
    """
    for by_signal, code in (("", 0), ("1", -signal.SIGTERM)):
        with over_http() as received:
            ended = run(body, {**received.environ, "BY_SIGNAL": by_signal}, tmp_path)
            assert (ended.code, ended.err) == (code, "")
            assert len(received.named("invoke_agent coder")) == 2


def test_a_handler_of_the_programs_own_is_left_alone(tmp_path: Path) -> None:
    body = """
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))
        other = build(load())
        agent(other.recorder)
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(30)
    """
    with over_http() as received:
        ended = run(body, received.environ, tmp_path)
        assert (ended.code, len(received.spans), ended.err) == (7, 3, "")


def test_shutting_down_puts_the_default_back(tmp_path: Path) -> None:
    body = """
        before = signal.getsignal(signal.SIGTERM)
        pipeline.shutdown(1)
        print(before != signal.SIG_DFL, signal.getsignal(signal.SIGTERM) == signal.SIG_DFL)
    """
    assert run(body, {}, tmp_path).out == "True True\n"


def test_a_signal_in_the_midst_of_recording_does_not_hang(tmp_path: Path) -> None:
    """The main thread may hold any lock of ours, or of the SDK, when the signal comes."""
    body = """
        print("ready", flush=True)
        number = 0
        while True:
            number += 1
            agent(recorder, f"r{number}", tools=3)
            time.sleep(0.002)  # about as long as it records: more than that, no exporter sends in the time it has
    """
    for _ in range(5):
        with over_http() as received:
            with start(body, {**received.environ, "HOOKSPAN_STORE": "true"}, tmp_path) as process:
                assert process.stdout is not None
                process.stdout.readline()
                received.wait_for(1)
                process.send_signal(signal.SIGTERM)
                try:
                    _, err = process.communicate(timeout=10)
                finally:
                    process.kill()
                assert process.returncode == -signal.SIGTERM
            assert err == ""
            roots = {span.trace_id for span in received.named("invoke_agent coder")}
            assert roots == {span.trace_id for span in received.spans}


RUN = "for number in range(4):\n    agent(recorder, f'r{number}', tools=2)\nprint('end', flush=True)"


@pytest.mark.parametrize("protocol", ["http/protobuf", "grpc"])
@pytest.mark.parametrize("collector", ["dead", "silent"])
def test_a_collector_that_does_not_answer_bounds_the_end(collector: str, protocol: str, tmp_path: Path) -> None:
    with silent() as endpoint:
        variables = {"OTEL_EXPORTER_OTLP_ENDPOINT": dead() if collector == "dead" else endpoint, "OTEL_EXPORTER_OTLP_PROTOCOL": protocol}
        ended = run(RUN, {**variables, "HOOKSPAN_EXIT_TIMEOUT": "1.5"}, tmp_path)
    assert ended.code == 0
    assert 1.0 < ended.took_s < 3.5
    (said,) = ended.err.splitlines()
    assert said.startswith("hookspan: 16 spans for http://127.0.0.1:")


def test_by_default_the_end_takes_no_longer_than_five_seconds(tmp_path: Path) -> None:
    ended = run(RUN, {"OTEL_EXPORTER_OTLP_ENDPOINT": dead()}, tmp_path)
    assert ended.code == 0
    assert ended.took_s < 5
    assert len(ended.err.splitlines()) == 1


def test_a_program_without_a_run_starts_no_thread_and_ends_at_once(tmp_path: Path) -> None:
    ended = run("print(threading.active_count()); print('end', flush=True)", {"OTEL_EXPORTER_OTLP_ENDPOINT": dead()}, tmp_path)
    assert (ended.out, ended.err) == ("1\nend\n", "")
    assert ended.took_s < 0.5
