"""The trail on a terminal: a table of runs, a tree of one trace."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from hookspan.cli import words
from hookspan.cli.describe import BAD, FAINT, GOOD, WARN, told
from hookspan.spans import names as n
from hookspan.store.reader import StoredRun, StoredSpan

_SPARE_TITLE = 46
_FULL_CONTENT = (n.TOOL_ARGUMENTS, n.TOOL_RESULT, n.INPUT_MESSAGES, n.OUTPUT_MESSAGES, n.INTERRUPT_VALUE, n.HOOK_COMMAND_LINE)


def run_table(runs: Sequence[StoredRun]) -> Table:
    """One line a run."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style=FAINT)
    for heading in ("run", "agent", "conversation", "started"):
        table.add_column(heading, no_wrap=True, overflow="ellipsis")
    table.add_column("took", justify="right", no_wrap=True)
    table.add_column("outcome", no_wrap=True)
    table.add_column("tools", justify="right")
    table.add_column("refused", justify="right")
    table.add_column("tokens", justify="right", no_wrap=True)
    for run in runs:
        table.add_row(
            run.run_id[-8:],
            Text(words.plain(run.name, 24), "bold"),
            words.plain(run.conversation or "", 20),
            words.moment(run.start_ns),
            words.duration(run.end_ns - run.start_ns) if run.end_ns is not None else "",
            _outcome(run),
            str(run.tools),
            Text(str(run.refused), BAD) if run.refused else Text("0", FAINT),
            words.tokens(run.input_tokens, run.output_tokens),
        )
    return table


def trace_tree(runs: Sequence[StoredRun], spans: Sequence[StoredSpan], *, full: bool = False, width: int = 100) -> RenderableType:
    """A trace's runs as one tree: `runs` in the order they began, `spans` all of the trace's."""
    alive = {run.run_id for run in runs if run.outcome == "running"}
    known = {span.span_id for span in spans}
    below: dict[str | None, list[StoredSpan]] = {}
    for span in spans:
        below.setdefault(span.parent_span_id if span.parent_span_id in known else None, []).append(span)
    table = Table.grid(padding=(0, 2), expand=True)
    table.add_column(no_wrap=True, overflow="ellipsis", min_width=20, max_width=max(_SPARE_TITLE, width // 2 - 4))
    table.add_column(overflow="fold", ratio=1)
    table.add_column(justify="right", no_wrap=True, min_width=7)

    def add(span: StoredSpan, lead: str, turn: str, rest: str) -> None:
        said = told(span, alive=span.run_id in alive)
        took = words.duration(span.end_ns - span.start_ns) if span.end_ns is not None and span.end_ns > span.start_ns else ""
        table.add_row(Text(lead + turn, FAINT) + said.title, said.note, Text(took, FAINT))
        children = below.get(span.span_id, [])
        if full:
            for line in _content(span):
                table.add_row(Text(lead + rest + ("│ " if children else "  "), FAINT), line, "")
        for number, child in enumerate(children):
            last = number == len(children) - 1
            add(child, lead + rest, "└─ " if last else "├─ ", "   " if last else "│  ")

    for root in below.get(None, []):
        add(root, "", "", "")
    return Group(_heading(runs), Text(), table)


def _heading(runs: Sequence[StoredRun]) -> Text:
    first, last = runs[0], runs[-1]
    head = Text(words.plain(first.name), "bold")
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
    text = Text(run.outcome, style)
    if run.stop_reason is not None and run.stop_reason not in ("end_turn", "interrupt", run.outcome):
        text.append(f" ({run.stop_reason})", FAINT)
    return text


def _content(span: StoredSpan) -> Sequence[Text]:
    lines: list[Text] = []
    for name in _FULL_CONTENT:
        value = span.attributes.get(name)
        if value is not None:
            lines.append(Text(f"{name.rpartition('.')[2]}: ", FAINT) + Text(words.block(value)))
    cut = span.attributes.get(n.TRUNCATED)
    if cut:
        lines.append(Text(f"cut: {', '.join(words.plain(one) for one in cut)}", WARN))
    return lines


def show(console: Console, drawn: RenderableType) -> None:
    console.print(drawn, soft_wrap=False)
