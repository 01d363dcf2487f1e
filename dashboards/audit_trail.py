"""Who did what, who refused what and why, and why it stopped."""

from __future__ import annotations

from dashboards import promql as q
from dashboards.model import Board, Numbers, Row
from dashboards.parts import CONVERSATION, FEW_ARE_GOOD, JAEGER_SERVICE, NONE_IS_GOOD, bars, both, choices, over_time, records, stat, table
from hookspan.spans import names as n

DENIED = f'{q.TOOL_OUTCOME}="denied"'
APPROVAL = f'{q.RECORD}="approval"'
COUNT = "hookspan_duration_seconds_count"

FIGURES = (
    stat("Runs", "Runs that ended: a run that waits for a person and goes on later counts as two.", q.total("hookspan_runs_total")),
    stat(
        "Tool calls",
        "Calls that were settled, whatever came of them.",
        q.total("hookspan_tool_calls_total", f'{q.TOOL_OUTCOME}!="interrupted"'),
    ),
    stat(
        "Refused calls",
        "Calls that a person, a hook or a guard refused: they never ran.",
        q.total("hookspan_tool_calls_total", DENIED),
        thresholds=FEW_ARE_GOOD,
    ),
    stat(
        "Failed calls",
        "Calls that ran and failed.",
        q.total("hookspan_tool_calls_total", f'{q.TOOL_OUTCOME}="error"'),
        thresholds=FEW_ARE_GOOD,
    ),
    stat("Runs that paused", "Runs that ended by waiting for a person.", q.total("hookspan_runs_total", f'{q.RUN_OUTCOME}="interrupted"')),
    stat("Answers", "Approvals given or refused by a person, and requests that expired.", q.total(COUNT, APPROVAL)),
    stat("Handoffs", "From one agent to another.", q.total("hookspan_handoffs_total", of_agent=False)),
    stat(
        "No end seen",
        "Calls of which nobody knows what came: the process ended first.",
        q.total("hookspan_tool_calls_total", f'{q.TOOL_OUTCOME}="unfinished"'),
        thresholds=NONE_IS_GOOD,
    ),
)
COURSE = (
    over_time(
        "Tool calls by outcome",
        "Refused calls are red because somebody said no, failed ones because the tool did.",
        "short",
        Numbers(q.each("hookspan_tool_calls_total", by=(q.TOOL_OUTCOME,)), f"{{{{{q.TOOL_OUTCOME}}}}}"),
        bars=True,
    ),
    over_time(
        "Runs by outcome",
        "Interrupted: waits for a person. Unfinished: no end was seen.",
        "short",
        Numbers(q.each("hookspan_runs_total", by=(q.RUN_OUTCOME,)), f"{{{{{q.RUN_OUTCOME}}}}}"),
        bars=True,
    ),
)
REFUSED = table(
    "Who refused what",
    "Refused calls by tool, agent and what refused them: a person, a hook command, a callback, a guard or a policy.",
    {q.TOOL: "Tool", q.AGENT: "Agent", q.SOURCE: "Refused by", "Value": "Calls"},
    Numbers(q.total("hookspan_tool_calls_total", DENIED, by=(q.TOOL, q.AGENT, q.SOURCE)), table=True),
    first="Calls",
)
STOPPED = bars(
    "Why runs stopped",
    "The reason of each run's end.",
    "short",
    q.total("hookspan_runs_total", f'{q.STOP_REASON}!=""', by=(q.STOP_REASON,)),
    f"{{{{{q.STOP_REASON}}}}}",
)
ALLOWED = bars(
    "What let calls run",
    "What each executed call rests on: a person's answer, a rule, a grant, a permission mode, or nobody was asked.",
    "short",
    q.total("hookspan_tool_calls_total", f'{q.label(n.PERMISSION_BASIS)}!=""', by=(q.label(n.PERMISSION_BASIS),)),
    f"{{{{{q.label(n.PERMISSION_BASIS)}}}}}",
)
ANSWERS = table(
    "Answers of people",
    "What was decided about each tool, and how long the agents waited for it.",
    {q.TOOL: "Tool", q.VERDICT: "Verdict", "Value #A": "Answers", "Value #B": "Mean wait", "Value #C": "95 % within"},
    Numbers(q.total(COUNT, APPROVAL, by=(q.TOOL, q.VERDICT)), table=True),
    Numbers(q.mean(APPROVAL, by=(q.TOOL, q.VERDICT)), table=True),
    Numbers(q.quantile(0.95, APPROVAL, by=(q.TOOL, q.VERDICT)), table=True),
    units={"Mean wait": "s", "95 % within": "s"},
    first="Answers",
)
HANDOFFS = table(
    "Who handed over to whom",
    "Which agent handed over to which, and how.",
    {q.HANDOFF_FROM: "From", q.HANDOFF_TO: "To", q.HANDOFF_MECHANISM: "By", "Value": "Times"},
    Numbers(q.total("hookspan_handoffs_total", by=(q.HANDOFF_FROM, q.HANDOFF_TO, q.HANDOFF_MECHANISM), of_agent=False), table=True),
    first="Times",
)

WHERE = {n.CONVERSATION_ID: "Conversation", n.AGENT_NAME: "Agent"}
CALL = {n.TOOL_NAME: "Tool", n.TOOL_CALL_ID: "Call"}
DECISION = {n.DECISION_VERDICT: "Verdict", n.DECISION_SOURCE: "Source", n.DECISION_BY: "By", n.DECISION_REASON: "Reason"}
TEMPO, JAEGER = both(
    records(
        "Refused calls",
        "Each call that was refused: by whom, and why.",
        f'span.{n.TOOL_OUTCOME} = "denied"',
        {**CALL, **DECISION, **WHERE},
        {n.TOOL_OUTCOME: "denied"},
    ),
    records(
        "Answers of people",
        "Each approval, refusal and expiry: who answered, and how long the run had waited (seconds).",
        f'span.{n.RECORD} = "{n.APPROVAL}"',
        {**CALL, **DECISION, n.DECISION_WAIT_S: "Waited (s)", **WHERE},
        {n.RECORD: n.APPROVAL},
    ),
    records(
        "Tool calls",
        "Every call with its id, what came of it, and what let it run.",
        f'span.{n.RECORD} = "{n.TOOL}"',
        {**CALL, n.TOOL_OUTCOME: "Outcome", n.PERMISSION_BASIS: "Let run by", n.TOOL_ORIGIN: "Origin", **WHERE},
        {n.RECORD: n.TOOL},
    ),
    records(
        "Runs, and why they stopped",
        "Every turn of an agent; one that was interrupted and its resumption have the same interrupt id.",
        f'span.{n.RECORD} = "{n.AGENT}"',
        {n.RUN_OUTCOME: "Outcome", n.STOP_REASON: "Stopped by", n.STOP_BY: "Set by", n.INTERRUPT_ID: "Interrupt", **WHERE},
        {n.RECORD: n.AGENT},
    ),
    records(
        "Handoffs",
        "Each handover from one agent to another.",
        f'span.{n.HANDOFF_TO} != ""',
        {n.HANDOFF_FROM: "From", n.HANDOFF_TO: "To", n.HANDOFF_MECHANISM: "How", **WHERE},
        {n.HANDOFF_MECHANISM: "subagent"},
    ),
    records(
        "Hook commands that ran",
        "Each execution of a hook command with its exit code.",
        f'span.{n.RECORD} = "{n.HOOK_COMMAND}"',
        {
            n.HOOK_EVENT: "Event",
            n.HOOK_NAME: "Handler",
            n.HOOK_OUTCOME: "Outcome",
            n.EXIT_CODE: "Exit code",
            n.TOOL_CALL_ID: "Call",
            **WHERE,
        },
        {n.RECORD: n.HOOK_COMMAND},
    ),
    records(
        "One conversation",
        "All records of the conversation whose id stands above, in the order of their beginning.",
        f'span.{n.CONVERSATION_ID} = "$conversation"',
        {n.RECORD: "Record", **CALL, n.TOOL_OUTCOME: "Outcome", n.DECISION_VERDICT: "Verdict", n.AGENT_NAME: "Agent"},
        {n.CONVERSATION_ID: "$conversation"},
    ),
)

BOARD = Board(
    uid="hookspan-audit-trail",
    title="hookspan: audit trail",
    question="What did the agents do, what was refused to them, by whom and why, who was asked, and why did each run stop?",
    variables=choices(CONVERSATION, JAEGER_SERVICE),
    rows=(
        Row("In figures", FIGURES),
        Row("In the course of time", COURSE),
        Row("Decisions", (REFUSED, STOPPED, ALLOWED, ANSWERS, HANDOFFS)),
        Row("The records themselves (Tempo)", TEMPO, collapsed=True),
        Row("The records themselves (Jaeger)", JAEGER, collapsed=True),
    ),
)
