"""The trail on a terminal: a table of runs, a tree of one trace."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from hookspan.cli import words
from hookspan.cli.describe import BAD, FAINT, GOOD, WARN, Told, told
from hookspan.spans import names as n
from hookspan.store.reader import StoredRun, StoredSpan

_HEADINGS = ("run", "agent", "conversation", "started", "took", "outcome", "tools", "refused", "tokens")
_COUNTS = frozenset({"took", "tools", "refused", "tokens"})
_YIELDING = ("agent", "conversation")
_LEAST_NAME = 8
_SPARE_TITLE = 46
_TOOK = 7
_GAP = 2
_WORTHWHILE = 12
_PLAIN = Console(width=1000)
"""Wraps text; prints nothing."""
_FULL_CONTENT = (n.TOOL_ARGUMENTS, n.TOOL_RESULT, n.INPUT_MESSAGES, n.OUTPUT_MESSAGES, n.INTERRUPT_VALUE, n.HOOK_COMMAND_LINE)


def run_table(runs: Sequence[StoredRun], *, width: int = 100) -> Table:
    """One line a run. Where it is narrow, names give way: ids, outcomes and counts stay whole."""
    table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), header_style=FAINT)
    rows = [_cells(run) for run in runs]
    longest = {head: max([len(head), *(row[at].cell_len for row in rows)]) for at, head in enumerate(_HEADINGS)}
    short = max(sum(longest.values()) + _GAP * len(longest) - width, 0)
    for yielding in _YIELDING:
        given = min(longest[yielding] - _LEAST_NAME, -(-short // 2) if yielding is _YIELDING[0] else short)
        longest[yielding] -= max(given, 0)
        short -= max(given, 0)
    for head, wide in longest.items():
        table.add_column(head, justify="right" if head in _COUNTS else "left", no_wrap=True, overflow="ellipsis", width=wide)
    for row in rows:
        table.add_row(*row)
    return table


def _cells(run: StoredRun) -> Sequence[Text]:
    return (
        Text(run.run_id[-8:]),
        Text(words.plain(run.name, 24), "bold"),
        Text(words.plain(run.conversation or "", 20)),
        Text(words.lately(run.start_ns, time.time())),
        Text(words.duration(run.end_ns - run.start_ns) if run.end_ns is not None else ""),
        _outcome(run),
        Text(str(run.tools)),
        Text(str(run.refused), BAD) if run.refused else Text("0", FAINT),
        Text(words.tokens(run.input_tokens, run.output_tokens)),
    )


@dataclass(frozen=True, slots=True)
class _Row:
    lead: str
    """The guides of the tree before the title."""
    below: str
    """The same in the lines that a long note needs besides."""
    told: Told | None
    note: Text
    took: str = ""


def trace_tree(runs: Sequence[StoredRun], spans: Sequence[StoredSpan], *, full: bool = False, width: int = 100) -> RenderableType:
    """A trace's runs as one tree: `runs` in the order they began, `spans` all of the trace's."""
    rows = _rows(runs, spans, full=full)
    longest = max((cell_len(row.lead) + row.told.title.cell_len for row in rows if row.told is not None), default=0)
    titles = min(longest, max(_SPARE_TITLE, width * 3 // 5))
    notes = max(width - titles - _TOOK - 2 * _GAP, 10)
    drawn: list[Text] = []
    for row in rows:
        title = row.told.title if row.told is not None else Text()
        lines = _with_aside(row, notes).wrap(_PLAIN, notes) or [Text()]
        drawn.append(_line(Text.assemble((row.lead, FAINT), title), titles, lines[0], notes, row.took))
        drawn += [_line(Text(row.below, FAINT), titles, line, notes, "") for line in lines[1:]]
    return Group(_heading(runs), Text(), *drawn)


def _line(title: Text, titles: int, note: Text, notes: int, took: str) -> Text:
    """Three columns. Not rich's table: its versions differ in what a column's width holds."""
    left, middle = title.copy(), note.copy()
    left.truncate(titles, overflow="ellipsis", pad=True)
    middle.truncate(notes, overflow="ellipsis", pad=True)
    gap = " " * _GAP
    return Text.assemble(left, gap, middle, gap, (took.rjust(_TOOK), FAINT), no_wrap=True)


def _rows(runs: Sequence[StoredRun], spans: Sequence[StoredSpan], *, full: bool) -> Sequence[_Row]:
    alive = {run.run_id for run in runs if run.outcome == "running"}
    known = {span.span_id for span in spans}
    below: dict[str | None, list[StoredSpan]] = {}
    for span in spans:
        below.setdefault(span.parent_span_id if span.parent_span_id in known else None, []).append(span)
    rows: list[_Row] = []

    def add(span: StoredSpan, lead: str, turn: str, rest: str) -> None:
        said = told(span, alive=span.run_id in alive)
        took = words.duration(span.end_ns - span.start_ns) if span.end_ns is not None and span.end_ns > span.start_ns else ""
        children = below.get(span.span_id, [])
        guides = lead + rest + ("│ " if children else "  ")
        rows.append(_Row(lead + turn, guides, said, said.note, took))
        if full:
            rows.extend(_Row(guides, guides, None, line) for line in _content(span))
        for number, child in enumerate(children):
            last = number == len(children) - 1
            add(child, lead + rest, "└─ " if last else "├─ ", "   " if last else "│  ")

    for root in below.get(None, []):
        add(root, "", "", "")
    return rows


def _with_aside(row: _Row, room: int) -> Text:
    """The note, and as much of the aside as its line has room for."""
    if row.told is None or not row.told.aside:
        return row.note
    note = Text.assemble(row.note, (" · ", FAINT)) if row.note else Text()
    left = room - note.cell_len
    if left < _WORTHWHILE:
        return row.note
    aside = row.told.aside.copy()
    aside.truncate(left, overflow="ellipsis")
    return note + aside


def _heading(runs: Sequence[StoredRun]) -> Text:
    first, last = runs[0], runs[-1]
    head = Text.assemble((words.plain(first.name), "bold"))
    for part in (first.framework, f"conversation {words.plain(first.conversation)}" if first.conversation else None):
        if part:
            head.append(f"  {part}", FAINT)
    head.append(f"  {words.moment(first.start_ns)}")
    head.append("  ")
    head.append_text(_outcome(last))
    tools, refused = sum(run.tools for run in runs), sum(run.refused for run in runs)
    read = [run.input_tokens for run in runs if run.input_tokens is not None]
    written = [run.output_tokens for run in runs if run.output_tokens is not None]
    spent = words.tokens(sum(read) if read else None, sum(written) if written else None)
    head.append(f"\ntrace {first.trace_id}  {words.counted(len(runs), 'run')}, {words.counted(tools, 'tool call')}, ", FAINT)
    head.append(f"{refused} refused", BAD if refused else FAINT)
    if spent:
        head.append(f", {spent} tokens", FAINT)
    return head


def _outcome(run: StoredRun) -> Text:
    style = GOOD if run.outcome == "completed" else BAD if run.outcome == "error" else WARN
    text = Text.assemble((run.outcome, style))
    if run.stop_reason is not None and run.stop_reason not in ("end_turn", "interrupt", run.outcome):
        text.append(f" ({run.stop_reason})", FAINT)
    return text


def _content(span: StoredSpan) -> Sequence[Text]:
    lines: list[Text] = []
    for name in _FULL_CONTENT:
        value = span.attributes.get(name)
        if value is not None:
            lines.append(Text.assemble((f"{name.rpartition('.')[2]}: ", FAINT), words.block(value)))
    cut = span.attributes.get(n.TRUNCATED)
    if cut:
        lines.append(Text(f"cut: {', '.join(words.plain(one) for one in cut)}", WARN))
    return lines


def show(console: Console, drawn: RenderableType) -> None:
    console.print(drawn, soft_wrap=False)
