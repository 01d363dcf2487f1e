"""What each panel with numbers must say about spans that were sent, worked out from the spans themselves."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from opentelemetry.sdk.trace import ReadableSpan

from hookspan.spans import names as n

Labels = frozenset[tuple[str, str]]
Answer = dict[Labels, tuple[float, float]]
"""By labels: the least and the greatest value that is right (before the tolerance of increase())."""
Expect = Callable[[Sequence[ReadableSpan]], Answer]
Where = Mapping[str, str | set[str]]

BUCKETS = (0.0, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 14400, 86400)
"""Bounds of the histogram in audit.yaml, in seconds."""


def _said(span: ReadableSpan, name: str) -> str | None:
    value = (span.attributes or {}).get(name)
    return None if value is None else str(value)


def _fits(span: ReadableSpan, where: Where) -> bool:
    return all(_said(span, name) in ({wanted} if isinstance(wanted, str) else wanted) for name, wanted in where.items())


def _labels(said: Mapping[str, object], by: Sequence[str]) -> Labels:
    return frozenset((name.replace(".", "_"), str(said[name])) for name in by if name in said)


def seconds(span: ReadableSpan) -> float:
    """A record's duration; an answer's is the wait."""
    attributes = span.attributes or {}
    if attributes.get(n.RECORD) == n.APPROVAL and n.DECISION_WAIT_S in attributes:
        return float(str(attributes[n.DECISION_WAIT_S]))
    return ((span.end_time or 0) - (span.start_time or 0)) / 1e9


@dataclass(frozen=True)
class Of:
    """Spans with these attribute values; `has` must be there."""

    where: Where
    has: Sequence[str] = ()

    def found(self, spans: Sequence[ReadableSpan]) -> list[ReadableSpan]:
        return [span for span in spans if _fits(span, self.where) and all(_said(span, name) is not None for name in self.has)]

    def summed(self, value: Callable[[ReadableSpan], float], *by: str) -> Expect:
        def expect(spans: Sequence[ReadableSpan]) -> Answer:
            totals: dict[Labels, float] = defaultdict(float)
            for span in self.found(spans):
                totals[_labels(span.attributes or {}, by)] += value(span)
            return {labels: (total, total) for labels, total in totals.items() if total} or ({} if by else {frozenset(): (0, 0)})

        return expect

    def count(self, *by: str) -> Expect:
        return self.summed(lambda _: 1, *by)

    def of(self, name: str, *by: str) -> Expect:
        """The sum over one attribute."""
        return Of(self.where, (*self.has, name)).summed(lambda span: float(str((span.attributes or {})[name])), *by)

    def mean(self, *by: str) -> Expect:
        def expect(spans: Sequence[ReadableSpan]) -> Answer:
            grouped = self._grouped(spans, by)
            return {labels: (mean, mean) for labels, all_ in grouped.items() for mean in [sum(all_) / len(all_)]}

        return expect

    def quantile(self, share: float, *by: str) -> Expect:
        """Between the bounds of the bucket that holds it: a histogram cannot say more."""

        def expect(spans: Sequence[ReadableSpan]) -> Answer:
            grouped = self._grouped(spans, by)
            return {labels: _bucket(sorted(all_), share) for labels, all_ in grouped.items()}

        return expect

    def _grouped(self, spans: Sequence[ReadableSpan], by: Sequence[str]) -> Mapping[Labels, list[float]]:
        grouped: dict[Labels, list[float]] = defaultdict(list)
        for span in self.found(spans):
            grouped[_labels(span.attributes or {}, by)].append(seconds(span))
        return grouped


def _bucket(durations: Sequence[float], share: float) -> tuple[float, float]:
    """Bounds of the buckets that hold the two records around the share; a bucket holds its upper bound."""
    rank = share * len(durations)
    below, above = durations[max(math.ceil(rank) - 1, 0)], durations[min(int(rank), len(durations) - 1)]
    return max(bound for bound in BUCKETS if bound < below or bound == 0), min(bound for bound in BUCKETS if bound >= above and bound > 0)


def ratio(above: Expect, below: Expect) -> Expect:
    def expect(spans: Sequence[ReadableSpan]) -> Answer:
        (over, _), (under, _) = above(spans)[frozenset()], below(spans)[frozenset()]
        return {frozenset(): (over / under, over / under)}

    return expect


def events(name: str, *by: str) -> Expect:
    def expect(spans: Sequence[ReadableSpan]) -> Answer:
        counted: dict[Labels, float] = defaultdict(float)
        for span in spans:
            for event in span.events:
                if event.name == name:
                    counted[_labels(event.attributes or {}, by)] += 1
        return {labels: (count, count) for labels, count in counted.items()}

    return expect


def always(value: float, **labels: str) -> Expect:
    return lambda _: {frozenset(labels.items()): (value, value)}


RUNS = Of({n.RECORD: {n.AGENT, n.WORKFLOW}}, (n.RECORDS_TOTAL,))
TOOLS, CHATS, RECORDS = Of({n.RECORD: n.TOOL}), Of({n.RECORD: n.CHAT}), Of({}, (n.RECORD,))
ANSWERS, COMMANDS = Of({n.RECORD: n.APPROVAL}), Of({n.RECORD: n.HOOK_COMMAND})
HANDLERS = Of({n.RECORD: {n.HOOK_COMMAND, n.HOOK_CALLBACK}})
DENIED = Of({n.RECORD: n.TOOL, n.TOOL_OUTCOME: "denied"})


def handlers(*outcomes: str) -> Of:
    return Of({**HANDLERS.where, n.HOOK_OUTCOME: set(outcomes)})


OUTCOMES = {"success", "error", "denied", "cancelled", "skipped", "expired", "unfinished"}
SPANS: Mapping[str, Mapping[str, Sequence[Expect]]] = {
    "hookspan-audit-trail": {
        "Runs": [RUNS.count()],
        "Tool calls": [Of({n.RECORD: n.TOOL, n.TOOL_OUTCOME: OUTCOMES}).count()],
        "Refused calls": [DENIED.count()],
        "Failed calls": [Of({n.RECORD: n.TOOL, n.TOOL_OUTCOME: "error"}).count()],
        "Runs that paused": [Of({**RUNS.where, n.RUN_OUTCOME: "interrupted"}, RUNS.has).count()],
        "Answers": [ANSWERS.count()],
        "Handoffs": [events(n.EVENT_HANDOFF)],
        "Who handed over to whom": [events(n.EVENT_HANDOFF, n.HANDOFF_FROM, n.HANDOFF_TO, n.HANDOFF_MECHANISM)],
        "No end seen": [Of({n.RECORD: n.TOOL, n.TOOL_OUTCOME: "unfinished"}).count()],
        "Tool calls by outcome": [TOOLS.count(n.TOOL_OUTCOME)],
        "Runs by outcome": [RUNS.count(n.RUN_OUTCOME)],
        "Who refused what": [DENIED.count(n.TOOL_NAME, n.AGENT_NAME, n.DECISION_SOURCE)],
        "Why runs stopped": [Of(RUNS.where, (*RUNS.has, n.STOP_REASON)).count(n.STOP_REASON)],
        "What let calls run": [Of(TOOLS.where, (n.PERMISSION_BASIS,)).count(n.PERMISSION_BASIS)],
        "Answers of people": [
            ANSWERS.count(n.TOOL_NAME, n.DECISION_VERDICT),
            ANSWERS.mean(n.TOOL_NAME, n.DECISION_VERDICT),
            ANSWERS.quantile(0.95, n.TOOL_NAME, n.DECISION_VERDICT),
        ],
    },
    "hookspan-hooks": {
        "Hook commands run": [COMMANDS.count()],
        "Callbacks recorded": [Of({n.RECORD: n.HOOK_CALLBACK}).count()],
        "Blocked": [handlers("block").count()],
        "Failed": [handlers("error", "launch_failed", "invalid_output").count()],
        "Timed out": [handlers("timeout").count()],
        "Time spent": [HANDLERS.summed(seconds)],
        "Slowest handlers": [
            HANDLERS.quantile(0.95, n.HOOK_EVENT, n.HOOK_NAME),
            HANDLERS.mean(n.HOOK_EVENT, n.HOOK_NAME),
            HANDLERS.count(n.HOOK_EVENT, n.HOOK_NAME),
        ],
        "What came of them": [HANDLERS.count(n.HOOK_EVENT, n.HOOK_NAME, n.HOOK_OUTCOME, n.HOOK_SOURCE)],
        "Executions by outcome": [HANDLERS.count(n.HOOK_OUTCOME)],
        "Duration of hook commands": [COMMANDS.quantile(0.5), COMMANDS.quantile(0.95)],
        "By event": [HANDLERS.count(n.HOOK_EVENT)],
        "What they decided": [Of(HANDLERS.where, (n.DECISION_VERDICT,)).count(n.DECISION_VERDICT)],
        "Tools that hooks refused": [Of({**DENIED.where, n.DECISION_SOURCE: {"hook_command", "hook_callback"}}).count(n.TOOL_NAME)],
    },
    "hookspan-tokens": {
        "Input tokens": [CHATS.of(n.INPUT_TOKENS)],
        "Output tokens": [CHATS.of(n.OUTPUT_TOKENS)],
        "From cache": [ratio(CHATS.of(n.CACHE_READ_TOKENS), CHATS.of(n.INPUT_TOKENS))],
        "Reasoning tokens": [CHATS.of(n.REASONING_TOKENS)],
        "Model calls": [CHATS.count()],
        "Duration of model calls": [CHATS.quantile(0.5), CHATS.quantile(0.95)],
        "By agent and model": [
            CHATS.of(n.INPUT_TOKENS, n.AGENT_NAME, n.REQUEST_MODEL),
            CHATS.of(n.OUTPUT_TOKENS, n.AGENT_NAME, n.REQUEST_MODEL),
            CHATS.count(n.AGENT_NAME, n.REQUEST_MODEL),
        ],
        "Input by model": [CHATS.of(n.INPUT_TOKENS, n.REQUEST_MODEL)],
    },
    "hookspan-trail-health": {
        "Records": [RECORDS.count()],
        "Missing": [always(0)],
        "No end seen": [Of({n.RECORD: n.TOOL, n.TOOL_OUTCOME: "unfinished"}).count()],
        "Records by kind": [RECORDS.count(n.RECORD)],
        "Lost in processes": [always(0)],
        "Refused by collector": [always(0)],
        "Not queued": [always(0)],
        "Given up": [always(0)],
    },
}
"""By board and panel, in the order of the panel's questions."""
