"""One tool call explained: asked, decided, executed, answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from hookspan.cli import words
from hookspan.cli.describe import BAD, FAINT, GOOD, REFUSED, WARN, decision
from hookspan.spans import names as n
from hookspan.store.reader import StoredSpan

_DECISION_KEYS = {
    "verdict": n.DECISION_VERDICT,
    "source": n.DECISION_SOURCE,
    "by": n.DECISION_BY,
    "reason": n.DECISION_REASON,
    "wait_s": n.DECISION_WAIT_S,
    "scope": n.DECISION_SCOPE,
}


def explained(call_id: str, spans: Sequence[StoredSpan]) -> dict[str, Any]:
    """`{"call_id", "tool", "conversation", "asked", "paused", "decisions", "attempts", "executed", "outcome", "result"}`.

    A call id that several conversations use is explained for the latest of them.
    """
    conversation = spans[-1].attributes.get(n.CONVERSATION_ID)
    mine = [span for span in spans if span.attributes.get(n.CONVERSATION_ID) == conversation]
    tools = [span for span in mine if span.record == n.TOOL]
    last = tools[-1] if tools else mine[-1]
    first = tools[0] if tools else mine[0]
    return {
        "call_id": call_id,
        "tool": next((span.attributes[n.TOOL_NAME] for span in mine if n.TOOL_NAME in span.attributes), None),
        "conversation": conversation,
        "other_conversations": len({span.attributes.get(n.CONVERSATION_ID) for span in spans}) - 1,
        "asked": {
            "by": first.attributes.get(n.AGENT_NAME),
            "at_ns": first.start_ns,
            "run": first.run_id,
            "arguments": first.attributes.get(n.TOOL_ARGUMENTS),
            "arguments_bytes": first.attributes.get(n.TOOL_ARGUMENTS_BYTES),
        },
        "paused": [
            {"at_ns": span.start_ns, "kind": span.attributes.get(n.INTERRUPT_KIND), "interrupt": span.attributes.get(n.INTERRUPT_ID)}
            for span in mine
            if span.record == n.PAUSE
        ],
        "decisions": _decisions(mine, tools),
        "attempts": [_attempt(span) for span in tools],
        "executed": any(span.attributes.get(n.TOOL_EXECUTED) is True for span in tools),
        "outcome": last.attributes.get(n.TOOL_OUTCOME),
        "result": last.attributes.get(n.TOOL_RESULT),
        "result_bytes": last.attributes.get(n.TOOL_RESULT_BYTES),
        "error": last.error,
    }


def show(console: Console, told: Mapping[str, Any]) -> None:
    table = Table.grid(padding=(0, 2))
    table.add_column(style=FAINT, no_wrap=True)
    table.add_column(overflow="fold")
    asked = told["asked"]
    table.add_row("call", Text.assemble((words.plain(told["tool"] or "?"), "bold"), (f"  {words.plain(told['call_id'])}", FAINT)))
    if told["conversation"] is not None:
        others = told["other_conversations"]
        note = f"  ({words.counted(others, 'other conversation')} used this id too)" if others else ""
        table.add_row("in", f"conversation {words.plain(told['conversation'])}{note}")
    table.add_row("asked", f"by {words.plain(asked['by'] or 'the program')} at {words.moment(asked['at_ns'])}")
    if asked["arguments"] is not None:
        table.add_row("", Text(words.block(asked["arguments"])))
    elif asked["arguments_bytes"] is not None:
        table.add_row("", Text(f"{asked['arguments_bytes']} bytes of arguments, not kept", FAINT))
    for pause in told["paused"]:
        table.add_row("held up", f"at {words.moment(pause['at_ns'])} ({pause['kind']})")
    for decided in told["decisions"]:
        table.add_row("decided", decision({_DECISION_KEYS[key]: value for key, value in decided.items() if value is not None}))
    if not told["decisions"]:
        table.add_row("decided", Text("nobody was asked", FAINT))
    for attempt in told["attempts"]:
        table.add_row("executed", _executed(attempt))
    table.add_row("outcome", _outcome(told))
    if told["result"] is not None:
        table.add_row("result", Text(words.block(told["result"])))
    console.print(table)


def _decisions(mine: Sequence[StoredSpan], tools: Sequence[StoredSpan]) -> list[dict[str, Any]]:
    """From the approvals where there are any, else from the events of the call's own records."""
    sources: list[Mapping[str, Any]] = [span.attributes for span in mine if span.record == n.APPROVAL]
    if not sources:
        sources = [event.attributes for span in tools for event in span.events if event.name == n.EVENT_DECISION]
    return [{key: source.get(name) for key, name in _DECISION_KEYS.items()} for source in sources]


def _attempt(span: StoredSpan) -> dict[str, Any]:
    attributes = span.attributes
    return {
        "run": span.run_id,
        "at_ns": span.start_ns,
        "attempt": attributes.get(n.TOOL_ATTEMPT),
        "executed": attributes.get(n.TOOL_EXECUTED),
        "run_s": attributes.get(n.TOOL_RUN_S),
        "outcome": attributes.get(n.TOOL_OUTCOME),
        "permission": attributes.get(n.PERMISSION_BASIS),
        "error": span.error,
    }


def _executed(attempt: Mapping[str, Any]) -> Text:
    if attempt["executed"] is not True:
        return Text.assemble(("no", WARN), (f"  {attempt['outcome']} at {words.moment(attempt['at_ns'])}", FAINT))
    took = f" in {words.duration(int(attempt['run_s'] * 1e9))}" if attempt["run_s"] is not None else ""
    return Text.assemble(("yes", GOOD), (f"  attempt {attempt['attempt']}{took}, allowed by: {attempt['permission']}", FAINT))


def _outcome(told: Mapping[str, Any]) -> Text:
    outcome = str(told["outcome"])
    bad = outcome in REFUSED or outcome == "error"
    text = Text("refused" if outcome in REFUSED else outcome, BAD if bad else GOOD)
    if told["error"] is not None:
        text.append(f": {words.plain(told['error'], 200)}")
    return text
