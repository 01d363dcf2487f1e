"""The targets, each with what was measured and whether it was met; a target counts as met when minima and medians meet it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from figures import Figure, added_by_length, difference_ms, per_step


@dataclass(frozen=True)
class Verdict:
    target: str
    measured: str
    met: bool


def verdicts(results: dict[str, Any]) -> list[Verdict]:
    """Of the batches that `results` holds; none for a batch that was not run."""
    batches = results["batches"]
    found: list[Verdict] = []
    if "steps" in batches:
        found += _steps(batches["steps"], results["volumes"])
    if "flat" in batches:
        found += [_flat(way, lengths) for way, lengths in added_by_length(batches["flat"]).items() if way != "floor"]
    if "startup" in results:
        found += _startup(results["startup"]["cpu_s"])
    return found


def _steps(batch: dict[str, Any], volumes: dict[str, Any]) -> list[Verdict]:
    cpu = per_step(batch)
    added = {way: figure - cpu["none"] for way, figure in cpu.items()}
    per_span = {way: added[way] / volumes[way]["spans_per_step"] for way in ("hookspan-none", "genai")}
    return [
        _ratio("content none: added CPU at most 2x the floor's", added["hookspan-none"], added["floor"], 2),
        _ratio("content none: at most 1/20 of OpenInference's", added["hookspan-none"], added["openinference"], 1 / 20),
        _ratio("content none: at most 1/20 of OpenLLMetry's", added["hookspan-none"], added["openllmetry"], 1 / 20),
        _ratio("content none: per span no more than the genai package's", per_span["hookspan-none"], per_span["genai"], 1),
        _ratio("content full: at most 1/10 of OpenInference's", added["hookspan-full"], added["openinference"], 1 / 10),
    ]


def _ratio(target: str, ours: Figure, theirs: Figure, most: float) -> Verdict:
    ratio = ours / theirs
    if most < 1:
        words = f"1/{1 / ratio.least:.0f} (medians 1/{1 / ratio.median:.0f})" if min(ratio.least, ratio.median) > 0 else "nothing added"
    else:
        words = f"{ratio.least:.2f}x (medians {ratio.median:.2f}x)"
    return Verdict(target, words, ratio.least <= most and ratio.median <= most)


def _flat(way: str, lengths: dict[str, Figure]) -> Verdict:
    least = [figure.least for figure in lengths.values()]
    medians = [figure.median for figure in lengths.values()]
    spread = Figure(max(least) / min(least) - 1, max(medians) / min(medians) - 1)
    return Verdict(
        f"{way}: added CPU a step at {', '.join(lengths)} calls differs by at most 15 %",
        f"{spread.least:.0%} (medians {spread.median:.0%})",
        spread.least <= 0.15 and spread.median <= 0.15,
    )


def _startup(cpu: dict[str, list[float]]) -> list[Verdict]:
    inert = difference_ms(cpu["inert"], cpu["bare"])
    noise = difference_ms(cpu["bare_again"], cpu["bare"])
    enabled = difference_ms(cpu["enabled"], cpu["inert"])
    return [
        Verdict(
            "inert .pth: not measurable",
            f"{inert.value:+.3f} ms (95 %: {inert.low:+.3f} to {inert.high:+.3f}; two equal environments: {noise.value:+.3f},"
            f" {noise.low:+.3f} to {noise.high:+.3f})",
            inert.holds_zero or noise.low <= inert.value <= noise.high,
        ),
        Verdict(
            "switched on, no framework imported: at most 15 ms of CPU",
            f"{enabled.value:+.2f} ms (95 %: {enabled.low:+.2f} to {enabled.high:+.2f})",
            enabled.value <= 15,
        ),
    ]
