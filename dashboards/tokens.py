"""What the agents used, and what it cost."""

from __future__ import annotations

from dashboards import promql as q
from dashboards.model import Board, Numbers, Row
from dashboards.parts import CONVERSATION, JAEGER_SERVICE, bars, both, choices, over_time, records, stat, table
from hookspan.spans import names as n

TOKENS = "hookspan_tokens_total"
CHAT = f'{q.RECORD}="{n.CHAT}"'
COUNT = "hookspan_duration_seconds_count"


def of(kind: str) -> str:
    return f'{q.TOKEN_TYPE}="{kind}"'


SHARE = f"sum(increase({q.series(TOKENS, of('cache_read'))}[$__range])) / (sum(increase({q.series(TOKENS, of('input'))}[$__range])) > 0) or vector(0)"
COST = "hookspan_cost_usd_total"

FIGURES = (
    stat("Input tokens", "All that went in, what came from a cache included.", q.total(TOKENS, of("input")), decimals=1, width=4),
    stat("Output tokens", "All that came out, reasoning included.", q.total(TOKENS, of("output")), decimals=1, width=4),
    stat("From cache", "Share of the input that was read from a cache.", SHARE, unit="percentunit", decimals=0, width=4),
    stat("Reasoning tokens", "The part of the output that was reasoned.", q.total(TOKENS, of("reasoning")), width=4),
    stat("Model calls", "Calls, each attempt counted.", q.total(COUNT, CHAT), width=4),
    stat(
        "Cost", "As the framework reports or estimates it; 0 where it tells none.", q.total(COST), unit="currencyUSD", decimals=2, width=4
    ),
)
COURSE = (
    over_time(
        "Tokens by kind",
        "Input holds what was cached, output what was reasoned.",
        "short",
        Numbers(q.each(TOKENS, f'{q.TOKEN_TYPE}=~"input|output"', by=(q.TOKEN_TYPE,)), f"{{{{{q.TOKEN_TYPE}}}}}"),
        bars=True,
    ),
    over_time(
        "Duration of model calls",
        "What half and what 95 % of the calls stay below.",
        "s",
        Numbers(q.quantile(0.5, CHAT, over="$__rate_interval"), "half"),
        Numbers(q.quantile(0.95, CHAT, over="$__rate_interval"), "95 %"),
    ),
)
BY_AGENT = table(
    "By agent and model",
    "Who used how much. Every model call is counted once, with the agent that made it: subagents have lines of their own.",
    {q.AGENT: "Agent", q.MODEL: "Model", "Value #A": "Input", "Value #B": "Output", "Value #C": "Calls"},
    Numbers(q.total(TOKENS, of("input"), by=(q.AGENT, q.MODEL)), table=True),
    Numbers(q.total(TOKENS, of("output"), by=(q.AGENT, q.MODEL)), table=True),
    Numbers(q.total(COUNT, CHAT, by=(q.AGENT, q.MODEL)), table=True),
    units={"Input": "short", "Output": "short"},
    first="Input",
)
BY_MODEL = bars(
    "Input by model", "Tokens that went into each model.", "short", q.total(TOKENS, of("input"), by=(q.MODEL,)), f"{{{{{q.MODEL}}}}}"
)
COST_BY_AGENT = bars(
    "Cost by agent",
    "Of runs; a subagent's cost is in the run that it served.",
    "currencyUSD",
    q.total(COST, by=(q.AGENT,)),
    f"{{{{{q.AGENT}}}}}",
    decimals=2,
)

USED = {n.USAGE_INPUT: "Input", n.USAGE_OUTPUT: "Output", n.USAGE_CACHE_READ: "Cached"}
TEMPO, JAEGER = both(
    records(
        "Runs and what they used",
        "Totals of each agent's turn, subagents included.",
        f"span.{n.USAGE_INPUT} > 0",
        {n.AGENT_NAME: "Agent", **USED, n.CONVERSATION_ID: "Conversation", n.RUN_OUTCOME: "Outcome"},
        {n.RECORD: n.AGENT},
    ),
    records(
        "One conversation",
        "Every model call of the conversation whose id stands above.",
        f'span.{n.RECORD} = "{n.CHAT}" && span.{n.CONVERSATION_ID} = "$conversation"',
        {
            n.AGENT_NAME: "Agent",
            n.REQUEST_MODEL: "Model",
            n.INPUT_TOKENS: "Input",
            n.OUTPUT_TOKENS: "Output",
            n.CACHE_READ_TOKENS: "Cached",
        },
        {n.RECORD: n.CHAT, n.CONVERSATION_ID: "$conversation"},
    ),
)

BOARD = Board(
    uid="hookspan-tokens",
    title="hookspan: tokens and cost",
    question="What did the agents use, which agent and which model used it, and what did it cost?",
    variables=choices(CONVERSATION, JAEGER_SERVICE),
    rows=(
        Row("In figures", FIGURES),
        Row("In the course of time", COURSE),
        Row("Who used it", (BY_AGENT, BY_MODEL, COST_BY_AGENT)),
        Row("The records themselves (Tempo)", TEMPO, collapsed=True),
        Row("The records themselves (Jaeger)", JAEGER, collapsed=True),
    ),
)
