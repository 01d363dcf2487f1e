"""The benchmark: `make bench`, or `python bench/run.py` in an environment of requirements/peers.txt.

Measures, writes bench/results/<date>-<name>.json, prints the tables. Takes about 40 minutes; `--quick` 3 (figures that
mean nothing, to see that everything runs). Exit code 0 when all ran, whether the targets are met or not.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import machine
import startup
from batches import batches, measured, to_stderr, volumes
from processes import PINNED, pin
from report import report

HERE = Path(__file__).resolve().parent
BATCHES = ("steps", "flat", "fresh", "async", "otlp", "startup")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="hookspan's overhead beside its peers")
    parser.add_argument("--name", default="run", help="part of the result file's name")
    parser.add_argument("--rounds", type=int, default=9, help="processes of each way and batch (default 9)")
    parser.add_argument("--only", default=",".join(BATCHES), help=f"some of {','.join(BATCHES)}")
    parser.add_argument("--quick", action="store_true", help="one round of each")
    parser.add_argument("--report", type=Path, help="print the tables of this result file, measure nothing")
    return parser.parse_args()


@contextmanager
def receiver() -> Generator[str]:
    """On the other CPU, if there is one: its work is not ours to measure."""
    others = sorted(set(range(os.cpu_count() or 1)) - {PINNED}) if PINNED is not None else []
    process = subprocess.Popen([sys.executable, str(HERE / "receiver.py")], stdout=subprocess.PIPE, text=True)
    if others:
        os.sched_setaffinity(process.pid, {others[0]})
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait()


def run(rounds: int, only: list[str], *, quick: bool) -> dict[str, Any]:
    results: dict[str, Any] = {
        "when": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "machine": machine.described(),
        "pinned_cpu": PINNED,
        "load_before": machine.load(),
    }
    results["volumes"] = volumes(20 if quick else 200) if "steps" in only else {}
    results["batches"] = {}
    with receiver() as address:
        for name, batch in batches(address).items():
            if name in only:
                to_stderr(f"{name}: {batch.says}, load {machine.load()[0]}")
                before = machine.load()
                results["batches"][name] = measured(batch, rounds, to_stderr) | {"load_before": before, "load_after": machine.load()}
    if "startup" in only:
        results["startup"] = startup.measured(5 if quick else 200, 2 if quick else 2 * rounds, to_stderr)
    results["load_after"] = machine.load()
    return results


def main() -> int:
    asked = arguments()
    if asked.report is not None:
        print(report(json.loads(asked.report.read_text())))
        return 0
    only = asked.only.split(",")
    unknown = [name for name in only if name not in BATCHES]
    if unknown:
        print(f"bench: --only {','.join(unknown)} is not known (allowed: {','.join(BATCHES)})", file=sys.stderr)
        return 2
    pin()
    results = run(1 if asked.quick else asked.rounds, only, quick=asked.quick)
    path = HERE / "results" / f"{datetime.now(UTC):%Y-%m-%d}-{asked.name}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(results, indent=1) + "\n")
    print(report(results))
    to_stderr(f"raw figures in {path.relative_to(HERE.parent)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
