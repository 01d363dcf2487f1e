"""Whether the trail itself is whole."""

from __future__ import annotations

from dashboards import promql as q
from dashboards.model import Board, Numbers, Row
from dashboards.parts import AMBER, GREEN, JAEGER_SERVICE, NONE_IS_GOOD, RED, bars, both, choices, over_time, records, stat, table
from hookspan.spans import names as n

COLLECTOR = 'job=~"collector.*"'
MISSING = (
    f"clamp_min(sum(increase({q.series('hookspan_records_declared_total', of_agent=False)}[$__range]))"
    f" - sum(increase({q.series('hookspan_records_total', of_agent=False)}[$__range])), 0) or vector(0)"
)


def own(metric: str, *matchers: str) -> str:
    """How many of the collector's own figure in the time that is shown; 0 where it has none."""
    return f"sum(increase({metric}{{{','.join([COLLECTOR, *matchers])}}}[$__range])) or vector(0)"


UNFINISHED = q.total("hookspan_tool_calls_total", f'{q.TOOL_OUTCOME}="unfinished"')
FIGURES = (
    stat("Records", "Records that arrived.", q.total("hookspan_records_total", of_agent=False)),
    stat(
        "Missing",
        "Declared by the agents' processes and not here. Runs that are still going have declared nothing yet.",
        MISSING,
        thresholds=((None, GREEN), (1, AMBER), (20, RED)),
    ),
    stat(
        "Lost in processes",
        "Records that the agents' processes themselves could not send.",
        q.total("hookspan_records_lost_total", of_agent=False),
        thresholds=NONE_IS_GOOD,
    ),
    stat("No end seen", "Calls that began and of which no end was recorded.", UNFINISHED, thresholds=NONE_IS_GOOD),
    stat(
        "Refused by collector",
        "Spans that the collector told its senders to send again.",
        own("otelcol_receiver_refused_spans"),
        thresholds=((None, GREEN), (1, AMBER)),
    ),
    stat(
        "Not queued",
        "Spans that did not get into a queue; their senders were told.",
        own("otelcol_exporter_enqueue_failed_spans"),
        thresholds=((None, GREEN), (1, AMBER)),
    ),
    stat(
        "Given up",
        "Spans that a backend refused for good: they are lost.",
        own("otelcol_exporter_send_failed_spans", 'exporter=~"otlp_grpc/audit.*"'),
        thresholds=NONE_IS_GOOD,
    ),
    stat(
        "Masked values",
        "Secrets that the collector found behind the agents' own redaction.",
        q.total("hookspan_redacted_total", of_agent=False),
        thresholds=((None, "text"), (1, AMBER)),
    ),
)
COURSE = (
    over_time(
        "Spans in and out",
        "What the collector took, and what the trace backend took from it: the same, a queue apart.",
        "short",
        Numbers('sum(rate(otelcol_receiver_accepted_spans{job=~"collector.*",receiver="otlp"}[$__rate_interval]))', "in"),
        Numbers(
            'sum by (exporter) (rate(otelcol_exporter_sent_spans{job=~"collector.*",exporter=~"otlp_grpc/audit.*"}[$__rate_interval]))',
            "out: {{exporter}}",
        ),
    ),
    over_time(
        "Queues",
        "How full each queue is. A full one lets senders wait; it drops nothing.",
        "percentunit",
        Numbers(
            'max by (exporter, data_type) (otelcol_exporter_queue_size{job=~"collector.*"} / otelcol_exporter_queue_capacity{job=~"collector.*"})',
            "{{exporter}} {{data_type}}",
        ),
    ),
    over_time(
        "Records by kind",
        "What arrived.",
        "short",
        Numbers(q.each("hookspan_records_total", by=(q.RECORD,), of_agent=False), f"{{{{{q.RECORD}}}}}"),
        bars=True,
    ),
    over_time(
        "Collectors up",
        "1: Prometheus reads its figures.",
        "short",
        Numbers('up{job=~"collector.*"}', "{{instance}}"),
        Numbers('up{job="hookspan"}', "numbers of {{instance}}"),
    ),
)
DETAIL = (
    table(
        "Declared and received, by service",
        "A service whose received records are fewer than its declared ones lost some on the way.",
        {"job": "Service", "Value #A": "Declared", "Value #B": "Received"},
        Numbers('sum by (job) (increase(hookspan_records_declared_total{job=~"$service"}[$__range])) > 0', table=True),
        Numbers('sum by (job) (increase(hookspan_records_total{job=~"$service"}[$__range])) > 0', table=True),
        first="Declared",
    ),
    bars(
        "Masked values by record",
        "Where the collector found secrets.",
        "short",
        q.total("hookspan_redacted_total", by=(q.RECORD,), of_agent=False),
        f"{{{{{q.RECORD}}}}}",
    ),
    bars(
        "Counts that were dropped",
        "Numbers that came out of order and were left out: the boards count too few then. The trail itself is not touched.",
        "short",
        'sum by (error) (increase(otelcol_deltatocumulative_datapoints{job=~"collector.*",error!=""}[$__range])) or label_replace(vector(0), "error", "none", "", "")',
        "{{error}}",
    ),
)
TEMPO, JAEGER = both(
    records(
        "Records without an end",
        "Calls and runs whose process ended before they did.",
        f'(span.{n.TOOL_OUTCOME} = "unfinished" || span.{n.RUN_OUTCOME} = "unfinished" || span.{n.HOOK_OUTCOME} = "unfinished")',
        {
            n.RECORD: "Record",
            n.TOOL_NAME: "Tool",
            n.TOOL_CALL_ID: "Call",
            n.AGENT_NAME: "Agent",
            n.CONVERSATION_ID: "Conversation",
            n.WRITER_ID: "Writer",
        },
        {n.TOOL_OUTCOME: "unfinished"},
    ),
    records(
        "What each writer declared",
        "The last record of each run: compare the total with how many records of its run and writer are here.",
        f"span.{n.RECORDS_TOTAL} > 0",
        {n.RUN_ID: "Run", n.WRITER_ID: "Writer", n.RECORDS_TOTAL: "Declared", n.SEQUENCE: "Sequence", n.RUN_OUTCOME: "Outcome"},
        {n.RECORD: n.AGENT},
    ),
)

BOARD = Board(
    uid="hookspan-trail-health",
    title="hookspan: trail health",
    question="Can I trust that this is all of it: is anything missing, late, masked or without an end?",
    variables=choices(JAEGER_SERVICE),
    rows=(
        Row("In figures", FIGURES),
        Row("In the course of time", COURSE),
        Row("In detail", DETAIL),
        Row("The records themselves (Tempo)", TEMPO, collapsed=True),
        Row("The records themselves (Jaeger)", JAEGER, collapsed=True),
    ),
)
