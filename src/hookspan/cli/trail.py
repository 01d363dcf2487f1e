"""`hookspan trail`: the runs, one of them, one call."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console

from hookspan.cli import draw, why
from hookspan.cli.as_json import run_json, show_json
from hookspan.export.settings import load
from hookspan.store.reader import StoredRun, Trail, opened
from hookspan.store.schema import StoreError

_AGO = re.compile(r"(\d+)([smhd])\Z")
_LATEST = 2**63 - 1  # what SQLite's integers hold
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
OUTCOMES = ("completed", "stopped", "interrupted", "cancelled", "abandoned", "error", "running", "unfinished")

_home = click.option(
    "--home", type=click.Path(path_type=Path), help="The folder of the trail (default: HOOKSPAN_HOME, else where hookspan keeps it)."
)
_json = click.option("--json", "as_json", is_flag=True, help="JSON on standard output.")


class NotThereError(click.ClickException):
    """What was asked for is not in the trail: exit code 1."""

    exit_code = 1


class StoreProblemError(click.ClickException):
    """The store cannot be used: exit code 2."""

    exit_code = 2


if TYPE_CHECKING:
    _Nanoseconds = click.ParamType[int]
else:
    _Nanoseconds = click.ParamType  # older versions are generic for type checkers only


class Since(_Nanoseconds):
    """`90s`, `15m`, `2h`, `7d` ago, or a date: Unix nanoseconds."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        ago = _AGO.match(str(value))
        if ago is not None:
            return int((time.time() - int(ago[1]) * _SECONDS[ago[2]]) * 1e9)
        for form in ("%Y-%m-%d", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S"):
            try:
                return min(int(time.mktime(time.strptime(str(value), form)) * 1e9), _LATEST)
            except ValueError:
                continue
        return self.fail(f"{value!r} is no time (allowed: 90s, 15m, 2h, 7d, 2026-12-31, 2026-12-31T08:00:00)", param, ctx)


@click.group(invoke_without_command=True, short_help="The recorded runs: list them, show one, explain one call.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=20, show_default=True, help="How many runs.")
@click.option("--conversation", help="Only runs of this conversation (thread or session id).")
@click.option("--outcome", type=click.Choice(OUTCOMES), help="Only runs that ended so.")
@click.option("--since", type=Since(), help="Only runs begun since: 90s, 15m, 2h, 7d ago, or a date.")
@_json
@_home
@click.pass_context
def trail(
    context: click.Context,
    limit: int,
    conversation: str | None,
    outcome: str | None,
    since: int | None,
    as_json: bool,
    home: Path | None,
) -> None:
    """Lists the recorded runs, the newest first."""
    context.obj = home
    if context.invoked_subcommand is not None:
        return
    with _trail(home) as store:
        runs = store.runs(limit=limit, conversation=conversation, outcome=outcome, since_ns=since)
        if as_json:
            click.echo(json.dumps({"runs": [run_json(run) for run in runs]}, indent=2))
        elif runs:
            screen = console()
            draw.show(screen, draw.run_table(runs, width=screen.width))
        elif store.count()[0]:
            raise NotThereError("no run is like that; `hookspan trail` lists all")
        else:
            raise NotThereError(_nothing_yet(_path(home)))


@trail.command(short_help="One run's whole trace as a tree.")
@click.argument("run")
@click.option("--full", is_flag=True, help="With all the content that was kept.")
@_json
@_home
@click.pass_context
def show(context: click.Context, run: str, full: bool, as_json: bool, home: Path | None) -> None:
    """Draws the trace of RUN: a run id or trace id (or how one begins or ends), a conversation, or `latest`.

    A run that a person's answer resumed stands below the one that paused.
    """
    with _trail(home or context.obj) as store:
        found = _one(store, run)
        spans = store.spans(found.trace_id)
        if as_json:
            click.echo(json.dumps(show_json(found, spans), indent=2))
            return
        runs = sorted((one for one in store.find(found.trace_id)), key=lambda one: one.start_ns)
        screen = console()
        draw.show(screen, draw.trace_tree(runs, spans, full=full, width=screen.width))


@trail.command(name="why", short_help="One tool call: asked, decided, executed, answered.")
@click.argument("call_id")
@_json
@_home
@click.pass_context
def explain(context: click.Context, call_id: str, as_json: bool, home: Path | None) -> None:
    """Says of one tool call, by its id, who asked for it, who decided what about it, whether it ran, and what came of
    it, over paused and resumed runs."""
    with _trail(home or context.obj) as store:
        spans = store.call(call_id)
        if not spans:
            near = store.calls_like(call_id[: max(4, len(call_id) // 2)])
            hint = f"; there is {', '.join(near)}" if near else "; `hookspan trail show latest` shows the ids of the latest run"
            raise NotThereError(f"no tool call {call_id!r} in the trail{hint}")
        told = why.explained(call_id, spans)
        if as_json:
            click.echo(json.dumps(told, indent=2))
        else:
            why.show(console(), told)


def console() -> Console:
    """A terminal's own width; 100 columns where the output is no terminal."""
    return Console(width=None if sys.stdout.isatty() else 100, highlight=False)


@contextmanager
def _trail(home: Path | None) -> Generator[Trail]:
    path = _path(home)
    try:
        with opened(path) as store:
            yield store
    except FileNotFoundError:
        raise NotThereError(_nothing_yet(path)) from None
    except (StoreError, PermissionError) as error:
        raise StoreProblemError(str(error)) from None


def _path(home: Path | None) -> Path:
    return (home or load().home) / "trail.db"


def _nothing_yet(path: Path) -> str:
    return (
        f"no runs yet in {path}\nrecord one: HOOKSPAN_ENABLED=true python app.py, or hookspan run app.py; "
        "see what a trail looks like: hookspan demo"
    )


def _one(store: Trail, named: str) -> StoredRun:
    found = store.find(named)
    if not found:
        found = [run for run in store.runs(limit=10_000) if len(named) >= 4 and run.run_id.endswith(named)]
    if found:
        traces = {run.trace_id for run in found}
        conversations = {run.conversation for run in found}
        if len(traces) > 1 and conversations != {named}:
            raise NotThereError(f"{named!r} means several runs: {', '.join(run.run_id for run in found[:5])}")
        return found[0]
    gone = store.tombstone(named)
    if gone is not None:
        raise NotThereError(
            f"run {named} ({gone['name']}, {gone['outcome']}, {gone['tools']} tool calls, {gone['refused']} refused) was removed "
            f"on {gone['removed_at']} to keep the store's size ({gone['policy']})"
        )
    latest = store.runs(limit=1)
    hint = f"; the latest is {latest[0].run_id} ({latest[0].name})" if latest else ""
    raise NotThereError(f"no run {named!r} in the trail{hint}; `hookspan trail` lists them")


__all__: Sequence[str] = ["trail"]
