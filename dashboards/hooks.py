"""Which hooks slow the agents, fail, block or time out."""

from __future__ import annotations

from dashboards import promql as q
from dashboards.model import Board, Numbers, Row
from dashboards.parts import FEW_ARE_GOOD, JAEGER_SERVICE, NONE_IS_GOOD, bars, both, choices, over_time, records, stat, table
from hookspan.spans import names as n

COUNT = "hookspan_duration_seconds_count"
COMMANDS = f'{q.RECORD}="{n.HOOK_COMMAND}"'
CALLBACKS = f'{q.RECORD}="{n.HOOK_CALLBACK}"'
HANDLERS = f'{q.RECORD}=~"{n.HOOK_COMMAND}|{n.HOOK_CALLBACK}"'
FAILED = f'{q.HOOK_OUTCOME}=~"error|launch_failed|invalid_output"'
HANDLER = (q.HOOK_EVENT, q.HOOK_NAME)

FIGURES = (
    stat("Hook commands run", "Executions of hook commands.", q.total(COUNT, COMMANDS), width=4),
    stat(
        "Callbacks recorded",
        "Callbacks in the agents' processes that decided, changed, failed or were slow.",
        q.total(COUNT, CALLBACKS),
        width=4,
    ),
    stat("Blocked", "Handlers that said no.", q.total(COUNT, HANDLERS, f'{q.HOOK_OUTCOME}="block"'), thresholds=FEW_ARE_GOOD, width=4),
    stat(
        "Failed",
        "Handlers that failed, did not start, or answered nonsense.",
        q.total(COUNT, HANDLERS, FAILED),
        thresholds=NONE_IS_GOOD,
        width=4,
    ),
    stat(
        "Timed out",
        "Commands that ran into their time limit.",
        q.total(COUNT, HANDLERS, f'{q.HOOK_OUTCOME}="timeout"'),
        thresholds=NONE_IS_GOOD,
        width=4,
    ),
    stat(
        "Time spent",
        "Seconds that handlers took together: commands of one event run at the same time, so agents waited less.",
        q.total("hookspan_duration_seconds_sum", HANDLERS),
        unit="s",
        decimals=1,
        width=4,
    ),
)
SLOWEST = table(
    "Slowest handlers",
    "Duration of each handler: the mean, and what 95 % of its executions stay below.",
    {q.HOOK_EVENT: "Event", q.HOOK_NAME: "Handler", "Value #A": "95 % within", "Value #B": "Mean", "Value #C": "Executions"},
    Numbers(q.quantile(0.95, HANDLERS, by=HANDLER), table=True),
    Numbers(q.mean(HANDLERS, by=HANDLER), table=True),
    Numbers(q.total(COUNT, HANDLERS, by=HANDLER), table=True),
    units={"95 % within": "s", "Mean": "s"},
    first="95 % within",
)
WHAT_CAME = table(
    "What came of them",
    "Executions by event, handler and outcome; block is a handler's no, not a failure.",
    {q.HOOK_EVENT: "Event", q.HOOK_NAME: "Handler", q.HOOK_OUTCOME: "Outcome", q.HOOK_SOURCE: "From", "Value": "Executions"},
    Numbers(q.total(COUNT, HANDLERS, by=(*HANDLER, q.HOOK_OUTCOME, q.HOOK_SOURCE)), table=True),
    first="Executions",
)
COURSE = (
    over_time(
        "Executions by outcome",
        "Hook commands and recorded callbacks.",
        "short",
        Numbers(q.each(COUNT, HANDLERS, by=(q.HOOK_OUTCOME,)), f"{{{{{q.HOOK_OUTCOME}}}}}"),
        bars=True,
    ),
    over_time(
        "Duration of hook commands",
        "What half and what 95 % of the executions stay below.",
        "s",
        Numbers(q.quantile(0.5, COMMANDS, over="$__rate_interval"), "half"),
        Numbers(q.quantile(0.95, COMMANDS, over="$__rate_interval"), "95 %"),
    ),
)
BY_EVENT = bars(
    "By event",
    "Executions by the event that they were run for.",
    "short",
    q.total(COUNT, HANDLERS, by=(q.HOOK_EVENT,)),
    f"{{{{{q.HOOK_EVENT}}}}}",
    width=8,
)
VERDICTS = bars(
    "What they decided",
    "Verdicts of handlers; none: asked, and had no opinion.",
    "short",
    q.total(COUNT, HANDLERS, f'{q.VERDICT}!=""', by=(q.VERDICT,)),
    f"{{{{{q.VERDICT}}}}}",
    width=8,
)
REFUSED = bars(
    "Tools that hooks refused",
    "Refused calls whose refusal came from a hook command or a callback.",
    "short",
    q.total("hookspan_tool_calls_total", f'{q.TOOL_OUTCOME}="denied"', f'{q.SOURCE}=~"hook_command|hook_callback"', by=(q.TOOL,)),
    f"{{{{{q.TOOL}}}}}",
    width=8,
)

SHOWN = {
    n.HOOK_EVENT: "Event",
    n.HOOK_NAME: "Handler",
    n.HOOK_OUTCOME: "Outcome",
    n.DECISION_VERDICT: "Verdict",
    n.DECISION_REASON: "Reason",
    n.EXIT_CODE: "Exit code",
    n.HOOK_TIMEOUT_S: "Limit (s)",
    n.TOOL_CALL_ID: "Call",
    n.CONVERSATION_ID: "Conversation",
}
TEMPO, JAEGER = both(
    records(
        "Commands that timed out",
        "Executions that ran into their time limit.",
        f'span.{n.HOOK_OUTCOME} = "timeout"',
        SHOWN,
        {n.HOOK_OUTCOME: "timeout"},
    ),
    records(
        "Handlers that said no",
        "Executions that blocked a call, a prompt or a stop.",
        f'span.{n.HOOK_OUTCOME} = "block"',
        SHOWN,
        {n.HOOK_OUTCOME: "block"},
    ),
    records(
        "Handlers that failed",
        "Executions that failed, did not start, or answered what cannot be read.",
        f'(span.{n.HOOK_OUTCOME} = "error" || span.{n.HOOK_OUTCOME} = "launch_failed" || span.{n.HOOK_OUTCOME} = "invalid_output")',
        SHOWN,
        {n.HOOK_OUTCOME: "error"},
    ),
    records(
        "Handlers that changed something",
        "Executions that edited a request, a result or the state.",
        f"span.{n.HOOK_EFFECTS} != nil",
        {**SHOWN, n.HOOK_EFFECTS: "Changed"},
        {n.RECORD: n.HOOK_CALLBACK},
    ),
)

BOARD = Board(
    uid="hookspan-hooks",
    title="hookspan: hooks",
    question="Which hook slowed, refused, steered or failed an agent: which event, which handler, how often and for how long?",
    variables=choices(JAEGER_SERVICE),
    rows=(
        Row("In figures", FIGURES),
        Row("Handlers", (SLOWEST, WHAT_CAME)),
        Row("In the course of time", COURSE),
        Row("Events and decisions", (BY_EVENT, VERDICTS, REFUSED)),
        Row("The records themselves (Tempo)", TEMPO, collapsed=True),
        Row("The records themselves (Jaeger)", JAEGER, collapsed=True),
    ),
)
