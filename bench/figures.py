"""Raw measurements made into figures: microseconds of CPU a step, and what a way adds."""

from __future__ import annotations

import random
import statistics
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Figure:
    """By minima over the processes, and by medians over the processes. Each process counts with its best sample."""

    least: float
    median: float

    def __sub__(self, other: Figure) -> Figure:
        return Figure(self.least - other.least, self.median - other.median)

    def __truediv__(self, other: Figure | float) -> Figure:
        if isinstance(other, Figure):
            return Figure(self.least / other.least, self.median / other.median)
        return Figure(self.least / other, self.median / other)


def per_step(batch: dict[str, Any]) -> dict[str, Figure]:
    """Microseconds of CPU a step, of each way of a batch."""
    found: dict[str, Figure] = {}
    for way, processes in batch["ways"].items():
        best = [min(sample["cpu_s"] for sample in process["samples"]) / batch["steps"] * 1e6 for process in processes]
        found[way] = Figure(min(best), statistics.median(best))
    return found


def added_by_length(batch: dict[str, Any]) -> dict[str, dict[str, Figure]]:
    """Way -> calls in a run -> added microseconds a step. `least` is the difference of the least samples; `median` the
    median over the processes of the difference of the means within one process (A B B A)."""
    found: dict[str, dict[str, Figure]] = {}
    for way, processes in batch["ways"].items():
        found[way] = {length: _difference(processes, length, way, batch["steps"]) for length in processes[0]["lengths"]}
    return found


def _difference(processes: list[dict[str, Any]], length: str, way: str, steps: int) -> Figure:
    watched = [[sample["cpu_s"] for sample in process["lengths"][length][way]] for process in processes]
    alone = [[sample["cpu_s"] for sample in process["lengths"][length]["none"]] for process in processes]
    least = min(map(min, watched)) - min(map(min, alone))
    paired = [statistics.fmean(one) - statistics.fmean(other) for one, other in zip(watched, alone, strict=True)]
    return Figure(least / steps * 1e6, statistics.median(paired) / steps * 1e6)


@dataclass(frozen=True)
class Interval:
    """A difference of medians in milliseconds, with its 95 % interval by bootstrap."""

    value: float
    low: float
    high: float

    @property
    def holds_zero(self) -> bool:
        return self.low <= 0 <= self.high


def difference_ms(watched: list[float], alone: list[float]) -> Interval:
    """The samples of one index belong to one round; rounds are drawn again, whole."""
    dice = random.Random(1)
    rounds = range(len(alone))
    drawn: list[float] = []
    for _ in range(1000):
        chosen = [dice.choice(rounds) for _ in rounds]
        drawn.append(statistics.median(watched[i] for i in chosen) - statistics.median(alone[i] for i in chosen))
    drawn.sort()
    value = statistics.median(watched) - statistics.median(alone)
    return Interval(value * 1000, drawn[25] * 1000, drawn[974] * 1000)
