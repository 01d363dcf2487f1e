"""`hookspan demo`: the assistant works, recorded, and then its trail is shown."""

from __future__ import annotations

import json
import shlex
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.rule import Rule
from rich.text import Text

import hookspan
from hookspan.cli import draw
from hookspan.cli.as_json import show_json
from hookspan.demo.narrate import Narrator
from hookspan.demo.surroundings import receiver, service, sheltered
from hookspan.export.settings import load
from hookspan.store.reader import StoredRun, opened

if TYPE_CHECKING:
    from hookspan.demo.conversation import Listener

DONE, FAILED, UNUSABLE, INTERRUPTED = 0, 1, 2, 130
_NEEDED = ("deepagents", "langchain_anthropic", "langgraph")
_WIDTH = 110
"""Where the output is no terminal."""


class _Nobody:
    """Hears nothing: standard output is for the JSON alone."""

    def person(self, text: str) -> None: ...

    def assistant(self, text: str) -> None: ...

    def called(self, tool: str, arguments: Mapping[str, object]) -> None: ...

    def failed(self, tool: str, text: str) -> None: ...


def main(*, home: str | None, as_json: bool) -> int:
    """Plays the demo and shows its trail; the exit code. The trail is kept in `home`, or in a folder `demo` beside the
    user's own trail."""
    missing = [name for name in _NEEDED if not _installed(name)]
    if missing:
        return _refuse(f"it needs {', '.join(missing)}: pip install 'hookspan[demo]'", FAILED)
    kept = Path(home).absolute() if home is not None else load().home / "demo"
    try:
        kept.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        return _refuse(f"its trail cannot be kept in {kept}: {error.strerror}; name another folder with --home", UNUSABLE)
    console = Console(width=None if sys.stdout.isatty() else _WIDTH, highlight=False)
    try:
        conversation = _played(kept, _Nobody() if as_json else _narrated(console))
    except KeyboardInterrupt:
        click.echo(f"\nhookspan demo: interrupted; what happened until then is in the trail: {_again(kept, 'show latest')}", err=True)
        return INTERRUPTED
    except (OSError, RuntimeError) as error:
        return _refuse(f"{error}; what happened until then is in the trail: {_again(kept, 'show latest')}", FAILED)
    if as_json:
        click.echo(_as_json(kept, conversation))
    else:
        _show(console, kept, conversation)
    return DONE


def _installed(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ImportError:
        return False


def _played(kept: Path, listener: Listener) -> str:
    with sheltered(kept), tempfile.TemporaryDirectory(prefix="hookspan-demo-", ignore_cleanup_errors=True) as place:
        hookspan.instrument(frameworks=["langgraph"])
        try:
            from hookspan.demo.play import play  # noqa: PLC0415 -- after the settings of the user's that would change the frameworks are away

            return play(Path(place), listener)
        finally:
            hookspan.uninstrument()


def _narrated(console: Console) -> Narrator:
    console.print(Rule("A coding assistant at work (deepagents, with a scripted model on this machine)", style="dim"))
    return Narrator(console)


def _as_json(kept: Path, conversation: str) -> str:
    with opened(kept / "trail.db") as store:
        first = _first(store.find(conversation))
        return json.dumps(show_json(first, store.spans(first.trace_id)), indent=2)


def _show(console: Console, kept: Path, conversation: str) -> None:
    with opened(kept / "trail.db") as store:
        runs = sorted(store.find(conversation), key=lambda run: run.start_ns)
        spans = store.spans(_first(runs).trace_id)
    console.print()
    console.print(Rule("What hookspan recorded: hookspan trail", style="dim"))
    draw.show(console, draw.run_table(list(reversed(runs)), width=console.width))
    console.print()
    console.print(Rule("The whole of it: hookspan trail show latest", style="dim"))
    draw.show(console, draw.trace_tree(runs, spans, width=console.width))
    console.print()
    console.print(Rule("Look again", style="dim"))
    for command, said in (
        (_again(kept), "the runs"),
        (_again(kept, "show latest --full"), "with what was kept of arguments and results"),
        (_again(kept, "why toolu_deploy"), "who refused it, and why"),
    ):
        console.print(Text.assemble("  ", (command, "bold"), "  ", (said, "dim")), soft_wrap=True)
    if (address := receiver()) is not None:
        told = Text.assemble("  ", (f"to {address}", "bold"), "  ", (f"it went by OTLP, as service {service()}", "dim"))
        console.print(told, soft_wrap=True)
    console.print(Text("Your own program: HOOKSPAN_ENABLED=true python app.py"), soft_wrap=True)


def _first(runs: Sequence[StoredRun]) -> StoredRun:
    return min(runs, key=lambda run: run.start_ns)


def _again(kept: Path, what: str = "") -> str:
    words = f"hookspan trail --home {shlex.quote(str(kept))}"
    return f"{words} {what}".strip()


def _refuse(why: str, code: int) -> int:
    click.echo(f"hookspan demo: {why}", err=True)
    return code
