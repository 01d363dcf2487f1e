"""`hookspan doctor`: what is installed, what would be recorded, where the trail goes, and what is wrong with that."""

from __future__ import annotations

import importlib
import json
import os
import socket
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hookspan.cli import words
from hookspan.cli.describe import BAD, FAINT, GOOD, WARN
from hookspan.export.frameworks import FRAMEWORKS
from hookspan.export.settings import GRPC, SETTINGS_TABLE, Settings, load
from hookspan.store.reader import opened
from hookspan.store.schema import StoreError

PTH = "hookspan_autoload.pth"
_SAMPLED = ("traceidratio", "always_off", "jaeger_remote", "xray")
_SECRET = ("HEADERS",)


@dataclass(frozen=True, slots=True)
class Finding:
    """`level`: ok, note or problem."""

    level: str
    subject: str
    text: str


@click.command(short_help="What is recorded here, where it goes, and what is wrong.")
@click.option("--json", "as_json", is_flag=True, help="JSON on standard output.")
def doctor(as_json: bool) -> None:
    """Looks at this environment. Exit code 1 when something is wrong."""
    settings = load()
    findings = [*_frameworks(settings), *_switch(settings), *_destinations(settings), *_problems(settings)]
    if as_json:
        told: dict[str, Any] = {
            "findings": [asdict(one) for one in findings],
            "settings": _in_force(os.environ),
            "hook_points": hook_points(),
        }
        click.echo(json.dumps(told, indent=2))
    else:
        _show(findings)
    if any(one.level == "problem" for one in findings):
        sys.exit(1)


def hook_points() -> dict[str, list[list[str]]]:
    """Framework -> [hook point, record] pairs, for the frameworks that are installed."""
    found: dict[str, list[list[str]]] = {}
    for name, framework in FRAMEWORKS.items():
        if _version(framework.distribution) is None:
            continue
        try:
            points = importlib.import_module(framework.adapter.rpartition(".")[0] + ".points").POINTS
        except (ImportError, AttributeError):
            continue
        found[name] = [list(point) for point in points]
    return found


def _frameworks(settings: Settings) -> Sequence[Finding]:
    found: list[Finding] = []
    for name, framework in FRAMEWORKS.items():
        version = _version(framework.distribution)
        if version is None:
            found.append(Finding("note", name, f"{framework.distribution} is not installed"))
            continue
        off = "" if name in settings.frameworks else "; switched off"
        numbers = tuple(int(part) if part.isdigit() else 0 for part in version.split(".")[:2])
        tested = framework.oldest <= numbers <= framework.newest
        text = f"{framework.distribution} {version}{off}"
        if tested:
            found.append(Finding("ok", name, text))
        else:
            oldest, newest = (".".join(map(str, bound)) for bound in (framework.oldest, framework.newest))
            found.append(Finding("problem", name, f"{text}; tested with {oldest} to {newest}"))
    return found


def _switch(settings: Settings) -> Sequence[Finding]:
    found: list[Finding] = []
    lines = [(folder, (folder / PTH).read_text().strip()) for folder in _site_folders() if (folder / PTH).is_file()]
    if lines:
        found.append(Finding("ok", "autoload", f"{lines[0][0] / PTH}: {lines[0][1]}"))
    else:
        found.append(Finding("problem", "autoload", f"{PTH} is not installed: HOOKSPAN_ENABLED=true has no effect here; use hookspan run"))
    if settings.off is not None:
        found.append(Finding("note", "switch", f"off, because of {settings.off}"))
    elif settings.enabled:
        found.append(Finding("ok", "switch", "HOOKSPAN_ENABLED=true: Python programs started here are recorded"))
    else:
        found.append(Finding("note", "switch", "HOOKSPAN_ENABLED is not set: hookspan run and hookspan.instrument() still record"))
    return found


def _destinations(settings: Settings) -> Sequence[Finding]:
    found: list[Finding] = []
    content = settings.content.value if settings.content is not None else "none" if settings.otlp_enabled else "tools"
    found.append(Finding("ok", "content", f"{content} ({'as set' if settings.content is not None else 'the default here'})"))
    if settings.store_enabled:
        found.append(_store(settings))
    else:
        found.append(Finding("note", "store", "not written: the trail goes to the collector alone; HOOKSPAN_STORE=true keeps both"))
    if settings.otlp_enabled:
        endpoint = settings.traces_endpoint or ("http://localhost:4317" if settings.traces_protocol == GRPC else "http://localhost:4318")
        problem = _unreachable(endpoint, settings.traces_protocol)
        text = f"{endpoint} by {settings.traces_protocol}"
        found.append(Finding("ok", "otlp", f"{text}, reachable") if problem is None else Finding("problem", "otlp", f"{text}: {problem}"))
        sampler = os.environ.get("OTEL_TRACES_SAMPLER", "")
        if any(word in sampler for word in _SAMPLED):
            share = os.environ.get("OTEL_TRACES_SAMPLER_ARG", "")
            store = "the store stays complete" if settings.store_enabled else "HOOKSPAN_STORE=true would keep a complete trail here"
            found.append(Finding("problem", "sampling", f"{sampler} {share}: the collector gets only a part of the runs; {store}"))
    else:
        found.append(Finding("note", "otlp", "not configured; OTEL_EXPORTER_OTLP_ENDPOINT sends the trail to a collector"))
    return found


def _store(settings: Settings) -> Finding:
    path = settings.home / "trail.db"
    try:
        with opened(path) as trail:
            runs, spans, gone = trail.count()
        size = path.stat().st_size / 1e6
    except FileNotFoundError:
        return Finding("ok", "store", f"{path} (no runs yet)") if _can_be_made(path) else _unwritable(path)
    except (StoreError, OSError) as error:
        return Finding("problem", "store", str(error))
    if not os.access(path, os.W_OK):
        return _unwritable(path)
    removed = f", {words.counted(gone, 'run')} removed to keep the size" if gone else ""
    return Finding(
        "ok",
        "store",
        f"{path}: {words.counted(runs, 'run')}, {words.counted(spans, 'span')}, {size:.1f} of {settings.store_max_mb} MB{removed}",
    )


def _unwritable(path: Path) -> Finding:
    return Finding("problem", "store", f"{path} cannot be written; set HOOKSPAN_HOME to a folder that can")


def _can_be_made(path: Path) -> bool:
    folder = path.parent
    while not folder.exists():
        folder = folder.parent
    return folder.is_dir() and os.access(folder, os.W_OK)


def _problems(settings: Settings) -> Sequence[Finding]:
    return [Finding("problem", "setting", problem) for problem in settings.problems]


def _in_force(environ: Mapping[str, str]) -> list[dict[str, str]]:
    shown: list[dict[str, str]] = []
    for setting in SETTINGS_TABLE:
        value = environ.get(setting.name, "")
        hidden = any(word in setting.name for word in _SECRET) and value
        shown.append(
            {
                "name": setting.name,
                "value": "(set)" if hidden else value or setting.shown,
                "source": "environment" if value else "default",
                "allowed": setting.allowed,
                "about": setting.means,
            }
        )
    return shown


def _show(findings: Sequence[Finding]) -> None:
    console = Console(width=None if sys.stdout.isatty() else 100, highlight=False)
    marks = {"ok": Text("ok", GOOD), "note": Text("--", FAINT), "problem": Text("!!", BAD)}
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for one in findings:
        table.add_row(marks[one.level], Text(one.subject, "bold"), words.plain(one.text))
    console.print(table)
    console.print()
    chosen = [row for row in _in_force(os.environ) if row["source"] == "environment"]
    if chosen:
        settings = Table.grid(padding=(0, 2))
        for row in chosen:
            settings.add_row(row["name"], Text(words.plain(row["value"]), WARN), Text(row["about"], FAINT))
        console.print(Text("Settings from the environment", "bold"))
        console.print(settings)
        console.print()
    for name, points in hook_points().items():
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style=FAINT)
        table.add_column(f"{name}: hook point")
        table.add_column("record")
        for point, record in points:
            table.add_row(point, record)
        console.print(table)


def _unreachable(endpoint: str, protocol: str) -> str | None:
    """Whether a connection can be made; no request is sent."""
    parts = urlsplit(endpoint if "//" in endpoint else f"//{endpoint}")
    try:
        port = parts.port or (4317 if protocol == GRPC else {"https": 443}.get(parts.scheme, 80))
    except ValueError as error:
        return str(error)
    if not parts.hostname:
        return "no host in it"
    try:
        with socket.create_connection((parts.hostname, port), timeout=1.0):
            return None
    except OSError as error:
        return f"nothing answers ({error.strerror or error})"


def _site_folders() -> Sequence[Path]:
    return [Path(entry) for entry in sys.path if entry and Path(entry).is_dir()]


def _version(distribution: str) -> str | None:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None
