"""What the audit collector costs and keeps: `python bench/audit_collector.py speed|loss|size --programs FOLDER`; prints, writes raw JSON.

speed  spans per CPU second of the collector, with each part left out in turn, and of Jaeger taking the same load, interleaved
loss   spans acknowledged and missing over 50 `kill -9` under load
size   bytes on the wire, in the queue and in Jaeger's files
PROGRAMS is what collector/build/build.sh prints. Run it on a quiet machine: `make bench-collector`.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:] = [str(ROOT), str(ROOT / "src"), *(place for place in sys.path if Path(place) != ROOT / "bench")]

from bench.collector_load import SPANS_A_REQUEST, Requests, cpu_s, demo_shape, plain_shape, send_all  # noqa: E402 -- after the path
from collector.local import Program, collector, jaeger, start, stop  # noqa: E402 -- after the path
from tests.stack.killable import killable  # noqa: E402 -- after the path
from tests.stack.load import under_load  # noqa: E402 -- after the path
from tests.stack.services import free_addresses  # noqa: E402 -- after the path
from tests.support.otlp_receiver import over_grpc  # noqa: E402 -- after the path

SPANS = 150_000
ROUNDS = 3
KILLS = 50
OVERLAYS: Mapping[str, str] = {
    "memory.yaml": "exporters: {otlp_grpc/audit: {sending_queue: {storage: null}}}\n",
    "unmasked.yaml": "service: {pipelines: {traces/in: {receivers: [otlp], processors: [memory_limiter], exporters: [forward/clean]}}}\n",
    "uncounted.yaml": (
        "exporters: {debug: {verbosity: basic}}\n"
        "service: {pipelines: {traces/numbers: {receivers: [forward/clean], processors: [], exporters: [debug]},"
        " metrics/deltas: {receivers: [otlp], processors: [], exporters: [otlp_grpc/deltas]}}}\n"
    ),
}


@dataclass(frozen=True)
class Way:
    name: str
    configs: Sequence[str] = ()
    overlay: str = ""
    gogc: str = "400"


WAYS = (
    Way("everything: masked, counted, sampled, queue on disk", ["sampled.yaml"]),
    Way("the same, Go's own GOGC=100", ["sampled.yaml"], gogc="100"),
    Way("the same, queue in memory", ["sampled.yaml"], "memory.yaml"),
    Way("without tail sampling"),
    Way("without masking", ["sampled.yaml"], "unmasked.yaml"),
    Way("without numbers", ["sampled.yaml"], "uncounted.yaml"),
)


def until_idle(processes: Sequence[subprocess.Popen[bytes]]) -> None:
    before = -1.0
    while (now := sum(map(cpu_s, processes))) - before > 0.05:
        before = now
        time.sleep(1.2)


@contextmanager
def started(programs: Path, way: Way, work: Path) -> Any:
    at = free_addresses()
    program = collector(programs, at, work / "queue", *way.configs)
    if way.overlay:
        (work / way.overlay).write_text(OVERLAYS[way.overlay])
        program = replace(program, command=[*program.command, "--config", str(work / way.overlay)])
    program = replace(program, environ={**program.environ, "GOGC": way.gogc, "SAMPLED_BACKEND": at["JAEGER_GRPC"]})
    with ExitStack() as stack:
        running: list[subprocess.Popen[bytes]] = []
        for one in (jaeger(programs, at), program):
            running.append(start(one, work / f"{one.name}.log"))
            stack.callback(stop, running[-1])
        yield at, running


def one_round(programs: Path, way: Way, requests: Requests) -> dict[str, float]:
    work = Path(tempfile.mkdtemp(prefix="hookspan-bench-", dir=Path.cwd()))  # a disk, not a memory file system
    try:
        with started(programs, way, work) as (at, (backend, measured)):
            begin, cpu, behind = time.monotonic(), cpu_s(measured), cpu_s(backend)
            send_all(at["COLLECTOR_HTTP"], requests, SPANS)
            wall = time.monotonic() - begin
            until_idle([measured, backend])
            return {
                "collector": SPANS / (cpu_s(measured) - cpu),
                "jaeger": SPANS / (cpu_s(backend) - behind),
                "wall_s": wall,
                "memory_mb": peak_mb(measured),
            }
    finally:
        shutil.rmtree(work)


def peak_mb(process: subprocess.Popen[bytes]) -> float:
    line = next(line for line in Path(f"/proc/{process.pid}/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


def speed(programs: Path) -> dict[str, object]:
    shapes = {"12 attributes, two events": Requests(plain_shape()), "the demo's records": Requests(demo_shape())}
    figures: dict[str, dict[str, list[dict[str, float]]]] = {shape: {way.name: [] for way in WAYS} for shape in shapes}
    for number in range(ROUNDS):
        for shape, requests in shapes.items():
            for way in random.sample(WAYS, len(WAYS)):
                figures[shape][way.name].append(one_round(programs, way, requests))
                print(
                    f"round {number + 1}, {shape}, {way.name}: {figures[shape][way.name][-1]['collector']:,.0f} spans per CPU second",
                    flush=True,
                )
    return {
        "spans": SPANS,
        "bytes a span": {shape: len(requests.template) / SPANS_A_REQUEST for shape, requests in shapes.items()},
        "ways": [asdict(way) for way in WAYS],
        "rounds": figures,
    }


def loss(programs: Path) -> dict[str, object]:
    work = Path(tempfile.mkdtemp(prefix="hookspan-bench-", dir=Path.cwd()))
    try:
        with over_grpc() as backend:
            at = {**free_addresses(), "JAEGER_GRPC": backend.endpoint.removeprefix("http://")}
            with killable(collector(programs, at, work / "queue"), work / "log") as running:
                with under_load(at) as told:
                    for number in range(KILLS):
                        time.sleep(random.uniform(0.1, 1.2))
                        running.kill()
                        running.begin()
                        print(f"kill {number + 1}: {len(told.acknowledged):,} acknowledged", flush=True)
                    time.sleep(1)
                deadline = time.monotonic() + 120
                while (missing := told.acknowledged.keys() - {one.span_id for one in list(backend.spans)}) and time.monotonic() < deadline:
                    time.sleep(1)
            arrived = len(backend.spans)
        acknowledged = len(told.acknowledged)
        return {
            "kills": KILLS,
            "acknowledged": acknowledged,
            "missing": len(missing),
            "told to wait": told.waits,
            "refused for good": len(told.refusals),
            "arrived, with what came twice": arrived,
        }
    finally:
        shutil.rmtree(work)


def size(programs: Path) -> dict[str, object]:
    """Bytes of the demo's records on the wire, in the queue's file while the backend is away, and in Jaeger's files."""
    count = 100_352
    requests = Requests(demo_shape())
    work = Path(tempfile.mkdtemp(prefix="hookspan-bench-", dir=Path.cwd()))
    try:
        at = free_addresses()
        kept = jaeger(programs, at, "jaeger.yaml", work / "jaeger")
        with ExitStack() as stack:
            running = start(collector(programs, at, work / "queue"), work / "log")
            stack.callback(stop, running)
            send_all(at["COLLECTOR_HTTP"], requests, count)
            time.sleep(3)
            queued = used(work / "queue")
            behind: Program = kept
            backend = start(behind, work / "jaeger.log")
            stack.callback(stop, backend)
            until_idle([running, backend])
            time.sleep(5)
        return {
            "spans": count,
            "bytes a span on the wire": len(requests.template) / SPANS_A_REQUEST,
            "queue": queued,
            "jaeger": used(work / "jaeger"),
        }
    finally:
        shutil.rmtree(work)


def used(folder: Path) -> int:
    """Bytes on the disk: the files are longer than what is in them."""
    return sum(path.stat().st_blocks * 512 for path in folder.rglob("*") if path.is_file())


WHAT: Mapping[str, Callable[[Path], dict[str, object]]] = {"speed": speed, "loss": loss, "size": size}


def shown(what: str, figures: Mapping[str, Any]) -> str:
    if what != "speed":
        return json.dumps(figures, indent=2)
    lines: list[str] = []
    for shape, ways in figures["rounds"].items():
        lines += [
            f"\n{shape}, {figures['bytes a span'][shape]:,.0f} bytes a span",
            "| way | best | median | Jaeger behind it | memory, MB |",
            "| --- | --- | --- | --- | --- |",
        ]
        for name, rounds in ways.items():
            best, middle = max(one["collector"] for one in rounds), statistics.median(one["collector"] for one in rounds)
            behind, memory = statistics.median(one["jaeger"] for one in rounds), max(one["memory_mb"] for one in rounds)
            lines.append(f"| {name} | {best:,.0f} | {middle:,.0f} | {behind:,.0f} | {memory:,.0f} |")
    return "\n".join(lines)


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("what", choices=WHAT)
    arguments.add_argument("--programs", type=Path, required=True)
    given = arguments.parse_args()
    figures = WHAT[given.what](given.programs)
    path = ROOT / "bench" / "results" / f"{time.strftime('%Y-%m-%d')}-collector-{given.what}.json"
    path.write_text(
        json.dumps({"machine": os.uname().machine, "cores": os.cpu_count(), "load": os.getloadavg(), "figures": figures}, indent=1)
    )
    print(shown(given.what, figures))


if __name__ == "__main__":
    main()
