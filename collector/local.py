"""Collector, Jaeger and Prometheus on this machine, without Docker: `python collector/local.py PROGRAMS [WORK]` (`make stack`).

PROGRAMS is the folder that build/build.sh names; WORK keeps the queue, the traces and the numbers. Ends all three on Ctrl-C.
Exit code 1 with one line if one of them does not become ready. Standard library only; the tests start them the same way.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

CONFIG = Path(__file__).parent / "config"
READY_WITHIN_S = 60
ENDS_WITHIN_S = 30
FEATURES = "exemplar-storage,created-timestamp-zero-ingestion"

DEFAULTS: Mapping[str, str] = {
    "COLLECTOR_HEALTH": "127.0.0.1:13133",
    "COLLECTOR_GRPC": "127.0.0.1:4317",
    "COLLECTOR_HTTP": "127.0.0.1:4318",
    "COLLECTOR_DELTAS": "127.0.0.1:4320",
    "COLLECTOR_METRICS": "127.0.0.1:8889",
    "COLLECTOR_SELF": "127.0.0.1:8888",
    "JAEGER_HEALTH": "127.0.0.1:13134",
    "JAEGER_QUERY": "127.0.0.1:16686",
    "JAEGER_QUERY_GRPC": "127.0.0.1:16685",
    "JAEGER_GRPC": "127.0.0.1:14317",
    "PROMETHEUS": "127.0.0.1:9090",
}
"""Address (host:port) by use. The names are those of the variables that the configurations read."""


class NotReadyError(Exception):
    """A program ended, or did not answer in time; the message has the end of its log."""


@dataclass(frozen=True)
class Program:
    """One program of the stack: how it is started, which URL answers 200 when it is ready, the variables it reads."""

    name: str
    command: Sequence[str]
    ready: str
    environ: Mapping[str, str] = field(default_factory=dict[str, str])


def collector(programs: Path, at: Mapping[str, str], queue: Path, *configs: str) -> Program:
    """The audit collector with `audit.yaml` and the given files of config/ laid over it. `queue` is made by the collector."""
    host, _, port = at["COLLECTOR_SELF"].rpartition(":")
    environ = {
        **{use: address for use, address in at.items() if use.startswith("COLLECTOR_")},
        "COLLECTOR_SELF_HOST": host,
        "COLLECTOR_SELF_PORT": port,
        "COLLECTOR_QUEUE_DIR": str(queue),
        "TRACES_BACKEND": at["JAEGER_GRPC"],
    }
    files = [part for name in ("audit.yaml", *configs) for part in ("--config", str(CONFIG / name))]
    return Program("collector", [str(programs / "collector"), *files], f"http://{at['COLLECTOR_HEALTH']}", environ)


def gateway(programs: Path, at: Mapping[str, str], queue: Path, collectors: str) -> Program:
    """The first tier of a scale-out; `collectors` is a JSON list of the addresses (OTLP/gRPC) of the audit collectors."""
    host, _, port = at["COLLECTOR_SELF"].rpartition(":")
    environ = {
        **{use: address for use, address in at.items() if use.startswith("COLLECTOR_")},
        "COLLECTOR_SELF_HOST": host,
        "COLLECTOR_SELF_PORT": port,
        "COLLECTOR_QUEUE_DIR": str(queue),
        "COLLECTORS": collectors,
    }
    command = [str(programs / "collector"), "--config", str(CONFIG / "gateway.yaml")]
    return Program("gateway", command, f"http://{at['COLLECTOR_HEALTH']}", environ)


def jaeger(programs: Path, at: Mapping[str, str], config: str = "jaeger-memory.yaml", data: Path | None = None) -> Program:
    """Jaeger with a configuration of config/; `data` is the folder of the one that keeps its traces."""
    environ = {use: address for use, address in at.items() if use.startswith("JAEGER_")}
    if data is not None:
        environ["JAEGER_DIR"] = str(data)
    return Program("jaeger", [str(programs / "jaeger"), "--config", str(CONFIG / config)], f"http://{at['JAEGER_HEALTH']}/status", environ)


def prometheus(programs: Path, at: Mapping[str, str], work: Path, scrape_interval: str = "5s") -> Program:
    """Prometheus on a copy of prometheus.yml that has this stack's addresses in it (it reads no variables)."""
    text = (CONFIG / "prometheus.yml").read_text().replace("scrape_interval: 5s", f"scrape_interval: {scrape_interval}")
    text = text.replace("[alerts.yaml]", f"[{CONFIG / 'alerts.yaml'}]")
    for use in ("COLLECTOR_METRICS", "COLLECTOR_SELF"):
        text = text.replace(DEFAULTS[use], at[use])
    config = work / "prometheus.yml"
    config.write_text(text)
    command = [
        str(programs / "prometheus"),
        f"--config.file={config}",
        f"--storage.tsdb.path={work / 'prometheus'}",
        f"--web.listen-address={at['PROMETHEUS']}",
        f"--enable-feature={FEATURES}",
    ]
    return Program("prometheus", command, f"http://{at['PROMETHEUS']}/-/ready")


def _answers(url: str) -> bool:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=5) as answer:
            return answer.status == 200
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False


def start(program: Program, log: Path) -> subprocess.Popen[bytes]:
    """The running program, ready. Raises NotReadyError; then it has been ended."""
    with log.open("ab") as out:
        process = subprocess.Popen(
            program.command,
            env={**os.environ, **program.environ},
            stdout=out,
            stderr=out,
            stdin=subprocess.DEVNULL,
            cwd=log.parent,
            start_new_session=True,  # Ctrl-C is this program's: it ends the others in their order
        )
    end = time.monotonic() + READY_WITHIN_S
    while time.monotonic() < end and process.poll() is None:
        if _answers(program.ready):
            return process
        time.sleep(0.05)
    stop(process)
    raise NotReadyError(f"{program.name} is not ready: {log.read_text(errors='replace')[-2000:]}")


def stop(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
    try:
        process.wait(ENDS_WITHIN_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextmanager
def running(program: Program, work: Path) -> Generator[subprocess.Popen[bytes]]:
    """The program from its first "ready" to its end; its log is WORK/NAME.log."""
    process = start(program, work / f"{program.name}.log")
    try:
        yield process
    finally:
        stop(process)


WHERE = """
Agents send to   OTEL_EXPORTER_OTLP_ENDPOINT=http://{COLLECTOR_HTTP}     (for example: … hookspan demo)
Traces           http://{JAEGER_QUERY}
Numbers          http://{PROMETHEUS}
Logs and data    {work}
Ctrl-C ends all three.
"""


def main(programs: Path, work: Path) -> int:
    work.mkdir(parents=True, exist_ok=True)
    at = DEFAULTS
    try:
        with ExitStack() as stack:
            for program in (
                prometheus(programs, at, work),
                jaeger(programs, at, "jaeger.yaml", work / "jaeger"),
                collector(programs, at, work / "queue"),
            ):
                stack.enter_context(running(program, work))
            print(WHERE.format(**at, work=work), flush=True)
            signal.pause()
    except KeyboardInterrupt:
        return 0
    except NotReadyError as problem:
        print(problem, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else Path.cwd() / ".stack"))
