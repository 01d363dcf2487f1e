"""`python -m tests.stack.preview OUT` (`make dashboards-preview`): the boards as pictures, over the demo and the contract's scenarios.

Starts collector, Jaeger and Prometheus, sends both, waits until they are counted, and draws. Prints what is wrong with a panel.
Reads STACK_PROGRAMS (build/build.sh) and PREVIEW_CHROMIUM (preview/setup.sh).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.stack.services import fetch, promql, until, whole_stack
from tests.stack.traffic import told

FOLDER = Path(__file__).resolve().parents[2] / "dashboards" / "preview"
SERVICE = "hookspan-demo"
ROUNDS, APART_S = 4, 15


def picture(
    at: Mapping[str, str], chromium: str, out: Path, service: str, minutes: float = 10, *more: str
) -> tuple[int, list[dict[str, Any]]]:
    """The exit code of the renderer, and what it says of each panel. Waits until the numbers are there."""
    counted = f'sum(hookspan_records_total{{job="{service}"}})'
    until(lambda: promql(at["PROMETHEUS"], counted), 30, "the numbers")
    time.sleep(6)
    begin = time.time() - minutes * 60
    choices = {"jaeger_service": service, "conversation": conversation(at, service)}
    done = subprocess.run(
        [
            *("node", str(FOLDER / "render.mjs"), "--chromium", chromium, "--out", str(out), "--from", str(int(begin * 1000))),
            *("--prometheus", f"http://{at['PROMETHEUS']}", "--jaeger", f"http://{at['JAEGER_QUERY']}"),
            *(part for name, value in choices.items() for part in ("--var", f"{name}={value}")),
            *more,
        ],
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.stderr == "", done.stderr
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


def conversation(at: Mapping[str, str], service: str) -> str:
    """The conversation of the newest trace that has tool calls with a person's answer in it."""
    traces = fetch(
        f"http://{at['JAEGER_QUERY']}/api/traces?service={service}&lookback=1h&limit=200&tags=%7B%22hookspan.record%22%3A%22approval%22%7D"
    )
    spans = [span for trace in traces["data"] for span in trace["spans"]]
    newest = max(spans, key=lambda span: span["startTime"])
    return next(tag["value"] for tag in newest["tags"] if tag["key"] == "gen_ai.conversation.id")


def main(out: Path) -> int:
    programs, chromium = Path(os.environ["STACK_PROGRAMS"]), os.environ["PREVIEW_CHROMIUM"]
    with tempfile.TemporaryDirectory() as place, whole_stack(programs, Path(place)) as at:
        environ = {
            **os.environ,
            "HOOKSPAN_HOME": place,
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://{at['COLLECTOR_HTTP']}",
            "OTEL_SERVICE_NAME": SERVICE,
        }
        for number in range(ROUNDS):
            print(f"sending {number + 1} of {ROUNDS} ...", flush=True)
            told(at["COLLECTOR_HTTP"], SERVICE, 1)
            subprocess.run([sys.executable, "-m", "hookspan", "demo", "--json"], env=environ, stdout=subprocess.DEVNULL, check=True)
            time.sleep(APART_S)
        _, panels = picture(at, chromium, out, SERVICE, 2.5)
        picture(at, chromium, out / "closed", SERVICE, 2.5, "--closed")
    wrong = [f"{panel['board']}: {panel['title']}: {panel['problem']}" for panel in panels if panel["problem"]]
    print("\n".join([*wrong, f"{len(panels)} panels, pictures in {out}"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
