"""The queue before the collector: bounds in spans and bytes, what is dropped first, and that all is counted."""

from __future__ import annotations

import threading

from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.trace import SpanContext, TraceFlags

from hookspan.export.otlp_queue import SpanQueue

PARENT = SpanContext(1, 2, is_remote=False, trace_flags=TraceFlags(1))


def child(name: str, **attributes: str) -> ReadableSpan:
    said = {f"hookspan.{key.replace('__', '.')}": value for key, value in attributes.items()}
    return ReadableSpan(name, context=SpanContext(1, 3, is_remote=False), parent=PARENT, attributes=said)


def root(name: str) -> ReadableSpan:
    return ReadableSpan(name, context=SpanContext(1, 3, is_remote=False))


def names(queue: SpanQueue) -> list[str]:
    return [waiting.span.name for waiting in queue.take(1000)]


def test_a_full_queue_keeps_runs_refusals_decisions_and_pauses() -> None:
    queue = SpanQueue(10, 1 << 30)
    for number in range(10):
        queue.put(child(f"tool {number}", record="tool", tool__outcome="success"))
    precious = [
        root("run"),
        child("agent", record="agent"),
        child("refused", record="tool", tool__outcome="denied"),
        child("expired", record="tool", tool__outcome="expired"),
        child("allowed", record="tool", tool__outcome="success", decision__verdict="allow"),
        child("approval", record="approval"),
        child("pause", record="pause"),
    ]
    for each in precious:
        assert queue.put(each)
    assert not queue.put(child("one more", record="tool"))
    assert queue.lost == {"queue_full": 8}
    assert names(queue) == [*(each.name for each in precious), "tool 0", "tool 1", "tool 2"]


def test_when_all_is_precious_the_newest_is_dropped() -> None:
    queue = SpanQueue(3, 1 << 30)
    assert [queue.put(root(str(number))) for number in range(5)] == [True, True, True, False, False]
    assert queue.lost == {"queue_full": 2}
    assert names(queue) == ["0", "1", "2"]


def test_bytes_are_bounded_as_well_as_spans() -> None:
    queue = SpanQueue(1000, 100_000)
    for number in range(50):
        queue.put(child(str(number), result="x" * 10_000))
    assert len(queue) == 8
    assert queue.bytes <= 100_000
    assert queue.lost == {"queue_full": 42}
    names(queue)
    assert queue.bytes == 0


def test_what_could_not_be_sent_waits_in_front() -> None:
    queue = SpanQueue(10, 1 << 30)
    for name in "abc":
        queue.put(child(name))
    taken = queue.take(2)
    queue.give_back(taken)
    again = queue.take(10)
    assert [(waiting.span.name, waiting.tries) for waiting in again] == [("a", 1), ("b", 1), ("c", 0)]


def test_what_comes_back_to_a_full_queue_is_counted() -> None:
    queue = SpanQueue(2, 1 << 30)
    queue.put(child("a"))
    queue.put(child("b"))
    taken = queue.take(2)
    queue.put(child("c"))
    queue.give_back(taken)
    assert names(queue) == ["b", "c"]
    assert queue.lost == {"queue_full": 1}


def test_waiting_ends_when_all_arrived_and_not_before() -> None:
    queue = SpanQueue(10, 1 << 30)
    queue.put(child("a"))
    assert not queue.wait(0.01)
    taken = queue.take(1)
    threading.Timer(0.05, queue.settle, (len(taken),)).start()
    assert queue.wait(10)


def test_waiting_ends_as_soon_as_sending_failed() -> None:
    queue = SpanQueue(10, 1 << 30)
    queue.put(child("a"))
    taken = queue.take(1)
    threading.Timer(0.05, queue.give_back, (taken,)).start()
    assert not queue.wait(10)


@given(st.lists(st.sampled_from(["put", "precious", "big", "send", "refuse", "lose"]), max_size=60))
def test_no_span_leaves_uncounted(steps: list[str]) -> None:
    queue, put, sent = SpanQueue(5, 40_000), 0, 0
    for step in steps:
        if step in ("put", "precious", "big"):
            put += 1
            queue.put(root("r") if step == "precious" else child("c", result="x" * (15_000 if step == "big" else 10)))
        elif step == "send":
            count = len(queue.take(3))
            sent += count
            queue.settle(count)
        elif step == "refuse":
            queue.give_back(queue.take(3))
        else:
            queue.lose("export_failed", len(queue.take(1)))
        assert len(queue) <= 5
        assert queue.bytes <= 40_000
        assert put == sent + len(queue) + sum(queue.lost.values())
    assert queue.abandon("exit") == len(queue) + queue.lost.get("exit", 0)
    assert put == sent + sum(queue.lost.values())
