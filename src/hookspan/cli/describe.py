"""One span in a person's words: what became of it, who decided, what it cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from rich.text import Text

from hookspan.cli.words import plain, tokens, waited
from hookspan.spans import names as n
from hookspan.store.reader import StoredSpan

REFUSED = frozenset({"denied", "expired"})
_QUIET_FINISH = frozenset({"stop", "end_turn", "tool_use", "tool_calls"})

BAD, WARN, GOOD, FAINT = "bold red", "yellow", "green", "dim"


@dataclass(frozen=True, slots=True)
class Told:
    """`title` names the span, `note` says what became of it, `aside` is what may be cut; all without a duration."""

    title: Text
    note: Text
    aside: Text


def told(span: StoredSpan, *, alive: bool) -> Told:
    """`alive`: whether the process that writes the span's run still runs."""
    note = _note(span)
    if span.end_ns is None:
        note = _joined([Text("running" if alive else "unfinished", WARN), note])
    elif span.record in (n.CHAT, n.HOOK, n.HOOK_CALLBACK, n.HOOK_COMMAND) and span.error is None and not note:
        note = Text()
    return Told(_title(span), note, _arguments(span))


def _title(span: StoredSpan) -> Text:
    attributes = span.attributes
    operation, _, subject = plain(span.name).partition(" ")
    if span.record == n.TOOL:
        # the span of a tool that does not exist is not named after what a model made up
        subject = plain(attributes.get(n.TOOL_NAME, subject))
    bad = attributes.get(n.TOOL_OUTCOME) in REFUSED or span.error is not None
    title = Text.assemble((operation, BAD if bad else "cyan"))
    if subject:
        title.append(f" {subject}", BAD if bad else "bold")
    call = attributes.get(n.TOOL_CALL_ID)
    if call is not None and span.record == n.TOOL:
        title.append(f" {plain(call, 40)}", FAINT)
    return title


def _note(span: StoredSpan) -> Text:
    if span.record in (n.AGENT, n.WORKFLOW):
        return _run(span)
    if span.record == n.CHAT:
        return _chat(span)
    if span.record == n.TOOL:
        return _tool(span)
    if span.record == n.APPROVAL:
        return _joined([decision(span.attributes)])
    if span.record == n.PAUSE:
        return Text(f"paused for an answer ({span.attributes.get(n.INTERRUPT_KIND, 'interrupt')})", WARN)
    return _hook(span)


def _run(span: StoredSpan) -> Text:
    attributes = span.attributes
    outcome = str(attributes.get(n.RUN_OUTCOME, ""))
    reason = attributes.get(n.STOP_REASON)
    parts = [Text(outcome, _outcome_style(outcome))] if outcome else []
    if reason is not None and reason not in (outcome, "interrupt", "end_turn"):
        by = attributes.get(n.STOP_BY)
        parts.append(Text(str(reason) + (f" by {plain(by)}" if by else ""), WARN))
    parts += _handoffs(span)
    waits = [event.attributes.get(n.RESUME_WAIT_S) for event in span.events if event.name == n.EVENT_RESUME]
    if waits and waits[0] is not None:
        parts.append(Text(f"resumed, {waited(waits[0])}", "magenta"))
    spent = tokens(attributes.get(n.USAGE_INPUT), attributes.get(n.USAGE_OUTPUT))
    if spent:
        parts.append(Text(f"{spent} tokens", FAINT))
    return _joined([*parts, *_error(span)])


def _chat(span: StoredSpan) -> Text:
    attributes = span.attributes
    parts: list[Text] = []
    spent = tokens(attributes.get(n.INPUT_TOKENS), attributes.get(n.OUTPUT_TOKENS))
    if spent:
        cached = attributes.get(n.CACHE_READ_TOKENS)
        parts.append(Text(f"{spent} tokens" + (f", {cached:,} cached" if isinstance(cached, int) and cached else "")))
    reasons = cast("list[str]", attributes.get(n.FINISH_REASONS) or [])
    parts += [Text(plain(reason), WARN) for reason in reasons if reason not in _QUIET_FINISH]
    return _joined([*parts, *_error(span)])


def _tool(span: StoredSpan) -> Text:
    attributes = span.attributes
    outcome = str(attributes.get(n.TOOL_OUTCOME, ""))
    verdict = attributes.get(n.DECISION_VERDICT)
    parts: list[Text] = []
    if outcome in REFUSED:
        parts.append(Text.assemble(("REFUSED ", BAD), who(attributes)))
    elif outcome == "error":
        parts.append(Text("error", BAD))
    elif outcome:
        parts.append(Text("ok" if outcome == "success" else outcome, GOOD if outcome == "success" else WARN))
    if verdict in ("allow", "edit"):
        parts.append(Text.assemble("approved " if verdict == "allow" else "edited ", who(attributes, reason=False)))
    elif verdict == "respond":
        parts.append(Text.assemble("answered ", who(attributes, reason=False)))
    if verdict is not None and attributes.get(n.DECISION_WAIT_S) is not None:
        parts.append(Text(waited(attributes[n.DECISION_WAIT_S]), "magenta"))
    if outcome not in REFUSED and attributes.get(n.TOOL_EXECUTED) is False:
        parts.append(Text("never ran", WARN))
    attempt = attributes.get(n.TOOL_ATTEMPT)
    if isinstance(attempt, int) and attempt > 1:
        parts.append(Text(f"attempt {attempt}", WARN))
    parts += _handoffs(span)
    return _joined([*parts, *_error(span)])


def _hook(span: StoredSpan) -> Text:
    attributes = span.attributes
    outcome = str(attributes.get(n.HOOK_OUTCOME, ""))
    parts = [Text(outcome, FAINT if outcome == "ok" else WARN)] if outcome else []
    name = attributes.get(n.HOOK_NAME)
    if name is not None:
        parts.insert(0, Text(plain(name)))
    if n.DECISION_VERDICT in attributes:
        parts.append(decision(attributes))
    effects = attributes.get(n.HOOK_EFFECTS)
    if effects:
        parts.append(Text(f"changed {', '.join(plain(effect) for effect in effects)}", FAINT))
    return _joined([*parts, *_error(span)])


def decision(attributes: dict[str, object]) -> Text:
    """`deny by ada (human), waited 2.1 s: too risky`."""
    verdict = str(attributes.get(n.DECISION_VERDICT, ""))
    style = BAD if verdict in ("deny", "block", "expired") else GOOD
    text = Text.assemble((verdict, style), " ", who(attributes, reason=False))
    wait = attributes.get(n.DECISION_WAIT_S)
    if wait is not None:
        text.append(f", {waited(wait)}", "magenta")
    reason = attributes.get(n.DECISION_REASON)
    if reason is not None:
        text.append(f": {plain(reason)}")
    return text


def who(attributes: dict[str, object], *, reason: bool = True) -> Text:
    source = plain(attributes.get(n.DECISION_SOURCE, "unknown")).replace("_", " ")
    by = attributes.get(n.DECISION_BY)
    text = Text(f"by {plain(by)}" if by is not None else f"by a {source}")
    if by is not None:
        text.append(f" ({source})", FAINT)
    said = attributes.get(n.DECISION_REASON)
    if reason and said is not None:
        text.append(f": {plain(said)}")
    return text


def _handoffs(span: StoredSpan) -> Sequence[Text]:
    return [
        Text(f"hands over to {plain(event.attributes.get(n.HANDOFF_TO, '?'))}", "magenta")
        for event in span.events
        if event.name == n.EVENT_HANDOFF
    ]


def _error(span: StoredSpan) -> Sequence[Text]:
    if span.error is None:
        return []
    kind = plain(span.attributes.get(n.ERROR_TYPE, "")).rpartition(".")[2]
    said = plain(span.error, 120)
    return [Text(kind if said.endswith(kind) or not kind else f"{kind}: {said}", BAD)]


def _arguments(span: StoredSpan) -> Text:
    arguments = span.attributes.get(n.TOOL_ARGUMENTS)
    return Text(plain(arguments, 120), FAINT) if arguments not in (None, "{}", "") else Text()


def _outcome_style(outcome: str) -> str:
    if outcome == "completed":
        return GOOD
    return BAD if outcome == "error" else WARN


def _joined(parts: Sequence[Text]) -> Text:
    # not `Text.join`, and no `+`: what is joined would take on the first one's style
    shown = [part for part in parts if part]
    return Text.assemble(*(piece for part in shown for piece in ((" · ", FAINT), part)))[3:] if shown else Text()
