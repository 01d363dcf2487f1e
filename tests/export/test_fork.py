"""Children by fork and by multiprocessing: every run arrives once, from its own process, with ids of its own (P37)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from tests.support.otlp_receiver import Received, over_grpc, over_http
from tests.support.programs import PRELUDE, run, run_file

QUIET = {"PYTHONWARNINGS": "ignore:This process:DeprecationWarning"}
"""Python 3.12 and later warn of a fork in any program with threads, and hookspan sends from one."""

PATIENT = {"HOOKSPAN_EXIT_TIMEOUT": "30"}
"""On a machine that has much else to do, a child may wait for its turn longer than 4 s."""

FORK = """
    def child(name):
        pid = os.fork()
        if pid == 0:
            agent(recorder, name, agent=name)
            sys.exit(0)
        return pid

    outer = begin_run(recorder, "outer")
    with recorder.scope(outer):
        tool = begin_tool(recorder, outer, "c1")
        with recorder.scope(tool):
            agent(recorder, "inside", agent="inside")
            pids = [child("first"), child("second")]
            codes = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids]
        end_tool(recorder, outer, tool)
    end_run(recorder, outer)
    print(codes)
"""


def whole(received: Received, *agents: str) -> None:
    """One tree for each agent, no id twice."""
    assert len({span.span_id for span in received.spans}) == len(received.spans)
    for name in agents:
        (root,) = received.named(f"invoke_agent {name}")
        mine = [span for span in received.spans if span.trace_id == root.trace_id]
        assert {span.parent_span_id for span in mine if span is not root} == {root.span_id}
        assert root.parent_span_id == b""
        assert len(mine) == 3


@pytest.mark.parametrize("receiving", [over_http, over_grpc])
def test_forked_children_send_their_own_runs_and_nothing_of_the_parents(
    receiving: Callable[[], AbstractContextManager[Received]], tmp_path: Path
) -> None:
    with receiving() as received:
        ended = run(FORK, {**received.environ, **QUIET, **PATIENT}, tmp_path, within_s=20)
        assert ended.out == "[0, 0]\n"
        whole(received, "first", "second")
        # below the parent's open spans there is only the parent's own work
        (outer,) = received.named("invoke_agent coder")
        (inside,) = received.named("invoke_agent inside")
        assert inside.trace_id == outer.trace_id
        assert len(received.spans) == 2 + 3 + 3 + 3
        assert ended.err == ""
        # a child's metrics count the child's runs only
        counts = [
            point.count
            for metric in received.metrics
            if metric.name == "gen_ai.invoke_agent.duration"
            for point in metric.histogram.data_points
        ]
        assert sorted(counts) == [1, 1, 1, 1]


def test_forking_while_other_threads_record_never_hangs(tmp_path: Path) -> None:
    body = """
        stop = threading.Event()

        def busy(name):
            number = 0
            while not stop.is_set():
                number += 1
                agent(recorder, f"{name}{number}", agent="busy")
                time.sleep(0.001)

        threads = [threading.Thread(target=busy, args=(str(index),)) for index in range(3)]
        for thread in threads:
            thread.start()
        codes = []
        for number in range(10):
            pid = os.fork()
            if pid == 0:
                agent(recorder, f"child{number}", agent="child")
                sys.exit(0)
            codes.append(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        stop.set()
        for thread in threads:
            thread.join()
        print(codes)
    """
    with over_http() as received:
        ended = run(body, {**received.environ, **QUIET, **PATIENT, "HOOKSPAN_STORE": "true"}, tmp_path, within_s=60)
        assert ended.err == ""
        assert ended.out == f"{[0] * 10}\n"
        assert len(received.named("invoke_agent child")) == 10
        assert len({span.span_id for span in received.spans}) == len(received.spans)
    assert ended.err == ""


WORKERS = """
from multiprocessing import get_context

def work(name):
    agent(recorder, name, agent=name)

if __name__ == "__main__":
    agent(recorder, "parent", agent="parent")
    context = get_context("%s")
    workers = [context.Process(target=work, args=(name,)) for name in ("first", "second")]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    print([worker.exitcode for worker in workers])
"""


@pytest.mark.parametrize("way", ["fork", "spawn", "forkserver"])
def test_workers_of_multiprocessing(way: str, tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(PRELUDE + WORKERS % way)
    with over_http() as received:
        ended = run_file(script, received.environ, tmp_path)
        assert ended.out == "[0, 0]\n"
        whole(received, "parent", "first", "second")
        assert len(received.spans) == 9
    assert ended.err == ""
