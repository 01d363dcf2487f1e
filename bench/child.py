"""One process of the benchmark: `child.py '{"mode": ..., "way": ..., "calls": ..., "runs": ..., "export": ...}'`.

Prints one JSON object: for each measurement the CPU seconds of the whole process (all threads), including what is
needed to deliver every span, and the spans that arrived. Started by run.py; the environment is made there.
"""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult

from agent import QUESTION, agent, config
from ways import Watching, switch_on


class Null(SpanExporter):
    """Counts spans; with `weigh` also the characters of their attributes, which costs, so never while CPU is measured."""

    def __init__(self, *, weigh: bool) -> None:
        self.weigh = weigh
        self.spans = 0
        self.characters = 0

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        self.spans += len(spans)
        if self.weigh:
            self.characters += sum(len(str(value)) for span in spans for value in (span.attributes or {}).values())
        return SpanExportResult.SUCCESS


def exporter_of(job: dict[str, Any]) -> SpanExporter:
    if job["export"] == "otlp":
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415 -- a process imports only what it measures

        return OTLPSpanExporter(endpoint=os.environ["BENCH_RECEIVER"])
    return Null(weigh=job["export"] == "weigh")


def runner(job: dict[str, Any], callbacks: list[Any], calls: int) -> Callable[[], None]:
    """One measured unit: `runs` runs of `calls` tool calls."""
    runs = job["runs"]
    asynchronous = job.get("async", False)
    graph, how = agent(calls, asynchronous=asynchronous), config(calls, callbacks)

    def sync() -> None:
        for _ in range(runs):
            graph.invoke(QUESTION, how)

    async def asynchronously() -> None:
        for _ in range(runs):
            await graph.ainvoke(QUESTION, how)

    return (lambda: asyncio.run(asynchronously())) if asynchronous else sync


def measured(work: Callable[[], None], watching: Watching) -> dict[str, float]:
    """CPU seconds of `work`, and of `work` with the delivery of its spans."""
    gc.collect()
    began, wall = time.process_time(), time.perf_counter()
    work()
    done, wall_done = time.process_time(), time.perf_counter()
    watching.flush()
    return {"cpu_s": time.process_time() - began, "caller_cpu_s": done - began, "wall_s": wall_done - wall}


def alone(job: dict[str, Any]) -> dict[str, Any]:
    """One way in this process: warmed up, then measured `repeats` times."""
    exporter = exporter_of(job)
    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(exporter, max_queue_size=100_000))
    watching = switch_on(job["way"], provider)
    warm = runner(job | {"runs": 3}, watching.callbacks, 1)
    warm()
    watching.flush()
    before = getattr(exporter, "spans", 0), getattr(exporter, "characters", 0)
    work = runner(job, watching.callbacks, job["calls"])
    samples = [measured(work, watching) for _ in range(job["repeats"])]
    steps = job["runs"] * job["calls"] * job["repeats"]
    result: dict[str, Any] = {"samples": samples, "spans_per_step": (getattr(exporter, "spans", 0) - before[0]) / steps}
    if job["export"] == "weigh":
        result["attribute_kb_per_step"] = (getattr(exporter, "characters", 0) - before[1]) / steps / 1024
    watching.off()
    return result


def beside_nothing(job: dict[str, Any]) -> dict[str, Any]:
    """Watched and not watched alternately in this one process, in the order A B B A: what differs between processes
    (addresses, hash seeds) falls out of the difference. `calls` is a list here; each unit has the same number of steps."""
    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(Null(weigh=False), max_queue_size=100_000))
    lengths: dict[str, dict[str, list[dict[str, float]]]] = {str(calls): {"none": [], job["way"]: []} for calls in job["calls"]}
    order = ["none", job["way"], job["way"], "none"] * job["repeats"]
    for name in ("none", job["way"]):
        _unit(job, name, 1, 5, provider)
    for way in order:
        for calls in job["calls"]:
            lengths[str(calls)][way].append(_unit(job, way, calls, job["steps"] // calls, provider))
    return {"lengths": lengths}


def _unit(job: dict[str, Any], way: str, calls: int, runs: int, provider: TracerProvider) -> dict[str, float]:
    watching = switch_on(way, provider)
    try:
        runner(job | {"runs": 1}, watching.callbacks, 1)()  # what comes once (threads, a store's file) is no part of a step
        watching.flush()
        return measured(runner(job | {"runs": runs}, watching.callbacks, calls), watching)
    finally:
        watching.off()


def main() -> None:
    job = json.loads(sys.argv[1])
    # Peers that put a whole history on a span pass the SDK's limit of 128 attributes, and the SDK logs a line for each one
    # dropped: it would double their cost. Silenced for all, in the peers' favour.
    logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)
    result = beside_nothing(job) if job["mode"] == "flat" else alone(job)
    json.dump(result, sys.stdout)


if __name__ == "__main__":
    main()
