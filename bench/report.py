"""The figures as Markdown, for a terminal and for README.md."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from figures import added_by_length, difference_ms, per_step
from targets import verdicts
from ways import WAYS


def report(results: dict[str, Any]) -> str:
    parts = [_machine(results)]
    for name, batch in results["batches"].items():
        parts.append(_lengths(batch) if name == "flat" else _steps(batch, results["volumes"] if name == "steps" else None))
    if "startup" in results:
        parts.append(_startup(results["startup"]))
    met = [[one.target, one.measured, "yes" if one.met else "**no**"] for one in verdicts(results)]
    if met:
        parts.append("### Targets\n\n" + _table(["target", "measured", "met"], met))
    return "\n\n".join(parts) + "\n"


def _machine(results: dict[str, Any]) -> str:
    machine = results["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in machine["packages"].items())
    where = f"{machine['cpu']}{' (virtual)' if machine['virtual'] else ''}, {machine['cores']} cores, {machine['memory_gb']} GB"
    pinned = f"measured processes one at a time on CPU {results['pinned_cpu']}" if results["pinned_cpu"] is not None else "not pinned"
    return (
        f"{results['when']}: {where}, Linux {machine['kernel']}, Python {machine['python']}; load {results['load_before'][0]} before,"
        f" {results['load_after'][0]} after; {pinned}; checkout {machine['checkout']}.\n{versions}."
    )


def _steps(batch: dict[str, Any], volumes: dict[str, Any] | None) -> str:
    cpu = per_step(batch)
    head = ["way", "CPU a step, us", "added", "median", "added", "ratio"] + (["spans a step", "attributes, KB a step"] if volumes else [])
    rows: list[list[str]] = []
    for way, figure in cpu.items():
        added = figure - cpu["none"]
        row = [WAYS[way].says, f"{figure.least:,.0f}", f"{added.least:+,.0f}", f"{figure.median:,.0f}", f"{added.median:+,.0f}"]
        row.append(f"{(figure / cpu['none']).least:.2f}")
        if volumes:
            row += [f"{volumes[way]['spans_per_step']:.1f}", f"{volumes[way]['attribute_kb_per_step']:.1f}"]
        rows.append(row)
    return f"### {batch['says']} (n = {batch['rounds']} processes)\n\n" + _table(head, rows)


def _lengths(batch: dict[str, Any]) -> str:
    added = added_by_length(batch)
    lengths = list(next(iter(added.values())))
    rows = [[WAYS[way].says, *(f"{f.least:+,.0f} ({f.median:+,.0f})" for f in figures.values())] for way, figures in added.items()]
    title = f"### Added CPU a step by the length of the run: us, minima (medians), n = {batch['rounds']} processes\n\n"
    return title + _table(["way", *(f"{length} calls" for length in lengths)], rows)


def _startup(startup: dict[str, Any]) -> str:
    cpu = startup["cpu_s"]
    cases = [
        ("`python -c pass`, inert .pth", "inert", "bare"),
        ("`python -c pass`, two equal environments without it (noise)", "bare_again", "bare"),
        ("`python -c pass`, HOOKSPAN_ENABLED=true", "enabled", "inert"),
        ("`import langchain.agents`, HOOKSPAN_ENABLED=true", "import_enabled", "import"),
    ]
    rows: list[list[str]] = []
    for says, one, other in cases:
        difference = difference_ms(cpu[one], cpu[other])
        least = [f"{min(cpu[name]) * 1000:.2f}" for name in (other, one)]
        rows.append([says, *least, f"{difference.value:+.3f}", f"{difference.low:+.3f} to {difference.high:+.3f}", str(len(cpu[one]))])
    head = ["start-up, ms of CPU", "without, least", "with, least", "difference of medians", "95 %", "n"]
    return "### Start-up\n\n" + _table(head, rows)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
