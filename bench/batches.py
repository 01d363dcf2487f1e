"""What is measured: the batches, each a set of ways whose processes are interleaved."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from processes import measure
from ways import WAYS

SLOW = ("openllmetry", "openinference")
"""Measured once in a process, the others `repeats` times: the slow ones' history grows, and their noise is small beside it."""


@dataclass(frozen=True)
class Batch:
    """`job` is child.py's; `steps` the steps of one sample."""

    says: str
    ways: tuple[str, ...]
    job: dict[str, Any]
    steps: int
    repeats: int = 2
    environ: dict[str, str] = field(default_factory=dict[str, str])


def batches(receiver: str) -> dict[str, Batch]:
    """`receiver` is the address of the OTLP receiver that forgets."""
    loop = {"mode": "alone", "calls": 200, "runs": 1, "export": "null"}
    lengths = {"mode": "flat", "calls": [20, 200, 400], "steps": 400, "export": "null"}
    return {
        "steps": Batch("200 tool calls in one run", tuple(WAYS), loop, 200),
        "flat": Batch(
            "the same number of steps in runs of 20, 200 and 400 tool calls",
            ("floor", "hookspan-none", "hookspan-full", "hookspan-store"),
            lengths,
            400,
            repeats=1,
        ),
        "fresh": Batch("50 runs of one tool call", tuple(WAYS), loop | {"calls": 1, "runs": 50}, 50),
        "async": Batch(
            "200 tool calls in one run, ainvoke",
            ("none", "floor", "hookspan-none", "hookspan-full", "genai"),
            loop | {"async": True},
            200,
        ),
        "otlp": Batch(
            "200 tool calls in one run, OTLP over HTTP encoded and sent",
            ("none", "floor", "hookspan-none", "hookspan-full", *SLOW),
            loop | {"export": "otlp"},
            200,
            environ={"BENCH_RECEIVER": receiver},
        ),
    }


def measured(batch: Batch, rounds: int, progress: Callable[[str], None]) -> dict[str, Any]:
    """In each round every way once, in a new random order; the round's hash seed is the same for all."""
    found: dict[str, list[dict[str, Any]]] = {way: [] for way in batch.ways}
    for number in range(rounds):
        order = random.sample(batch.ways, len(batch.ways))
        for way in order:
            job = batch.job | {"way": way, "repeats": 1 if way in SLOW else batch.repeats}
            result = measure(job, WAYS[way].environ | batch.environ, seed=number + 1)
            found[way].append({"round": number + 1, "place": order.index(way) + 1, **result})
        progress(f"round {number + 1} of {rounds}")
    return {"says": batch.says, "job": batch.job, "steps": batch.steps, "rounds": rounds, "ways": found}


def volumes(calls: int) -> dict[str, dict[str, float]]:
    """Spans and characters of attributes a step, of each way; not timed."""
    job = {"mode": "alone", "calls": calls, "runs": 1, "repeats": 1, "export": "weigh"}
    found: dict[str, dict[str, float]] = {}
    for way in WAYS:
        result = measure(job | {"way": way}, WAYS[way].environ, seed=1)
        found[way] = {name: round(result[name], 3) for name in ("spans_per_step", "attribute_kb_per_step")}
    return found


def to_stderr(line: str) -> None:
    print(f"bench: {line}", file=sys.stderr, flush=True)
