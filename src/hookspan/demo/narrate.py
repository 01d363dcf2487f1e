"""The conversation on a terminal, while it goes on."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from hookspan.demo import story

_MARGIN = 12


class Narrator:
    """Prints who says what, and the calls that the assistant asks for."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def person(self, text: str) -> None:
        self._speaks(story.PERSON, "bold magenta", text)

    def assistant(self, text: str) -> None:
        self._speaks("assistant", "bold cyan", text)

    def called(self, tool: str, arguments: Mapping[str, object]) -> None:
        first = str(next(iter(arguments.values()), ""))
        self._aside(Text.assemble("→ ", (tool, "bold"), " ", (first, "dim")))

    def failed(self, tool: str, text: str) -> None:
        if tool in story.ANSWERS:
            return  # the answer of the person has been told already
        reason = next((line for line in text.splitlines() if "Error" in line), text)
        self._aside(Text.assemble(("✗ ", "red"), (tool, "bold"), " ", (reason, "red")))

    def _speaks(self, who: str, style: str, text: str) -> None:
        row = Table.grid(padding=(0, 1))
        row.add_column(width=_MARGIN - 1)
        row.add_column(overflow="fold")
        row.add_row(Text(who, style), Text(text))
        self._console.print(row)

    def _aside(self, text: Text) -> None:
        text.truncate(max(self._console.width - _MARGIN, 20), overflow="ellipsis")
        self._console.print(Padding(text, (0, 0, 0, _MARGIN)))


class Silent:
    """Says nothing: for `--json`."""

    def person(self, text: str) -> None: ...

    def assistant(self, text: str) -> None: ...

    def called(self, tool: str, arguments: Mapping[str, object]) -> None: ...

    def failed(self, tool: str, text: str) -> None: ...
