"""The kinds of panel that the boards are made of, the choices above them, and how outcomes look: the same on every board."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from dashboards.model import JAEGER, METRICS, TRACES, Json, Numbers, Panel, Question, Search, Spans, Variable
from hookspan.spans import names as n

GREEN, RED, DARK_RED, AMBER, BLUE, GREY, PURPLE = "green", "red", "dark-red", "orange", "blue", "#8e8e8e", "purple"
OUTCOME_COLOURS: Mapping[str, str] = {
    "success": GREEN,
    "completed": GREEN,
    "ok": GREEN,
    "allow": GREEN,
    "continue": GREEN,
    "error": RED,
    "denied": RED,
    "deny": RED,
    "timeout": RED,
    "launch_failed": RED,
    "invalid_output": RED,
    "unfinished": RED,
    "interrupted": AMBER,
    "block": AMBER,
    "ask": AMBER,
    "expired": AMBER,
    "abandoned": AMBER,
    "cancelled": GREY,
    "skipped": GREY,
    "stopped": BLUE,
    "edit": BLUE,
    "respond": BLUE,
}
"""One colour per outcome, run outcome, hook outcome and verdict. Refused is red because an auditor looks for it, not because it failed."""

WIDTHS: Mapping[str, int] = {
    "Span": 150,
    "Trace": 270,
    "When": 165,
    "Took": 85,
    "Verdict": 85,
    "Outcome": 110,
    "Source": 120,
    "By": 90,
    "Exit code": 90,
    "Limit (s)": 85,
    "Waited (s)": 95,
    "Origin": 90,
    "Record": 130,
    "Event": 130,
    "Writer": 130,
    "Input": 90,
    "Output": 90,
    "Cached": 90,
}
"""Columns in pixels, where what stands in them has one length; the others share the rest."""

GOOD = ((None, "text"),)
NONE_IS_GOOD = ((None, GREEN), (1, RED))
FEW_ARE_GOOD = ((None, "text"), (1, AMBER))


def prometheus_name(name: str) -> str:
    """A telemetry name as PromQL spells it."""
    return name.replace(".", "_")


def choices(*more: Variable) -> Sequence[Variable]:
    return (
        Variable(METRICS, "Numbers", "prometheus"),
        Variable(TRACES, "Tempo", "tempo"),
        Variable(JAEGER, "Jaeger", "jaeger"),
        Variable("service", "Service", "query", "label_values(hookspan_records_total, job)", every=True, description="OTEL_SERVICE_NAME"),
        Variable(
            "agent",
            "Agent",
            "query",
            f'label_values(hookspan_turns_total{{job=~"$service"}}, {prometheus_name(n.AGENT_NAME)})',
            every=True,
            description="Holds for the numbers; trace tables name the agent in a column",
        ),
        *more,
    )


CONVERSATION = Variable(
    "conversation", "Conversation", "textbox", "", description="The id of a conversation, for the panels about one of them"
)
JAEGER_SERVICE = Variable(
    "jaeger_service",
    "Jaeger: service",
    "query",
    "label_values(hookspan_records_total, job)",
    description="Jaeger searches one service at a time",
)


def stat(
    title: str, description: str, promql: str, *, unit: str = "short", thresholds: Sequence[tuple[float | None, str]] = GOOD, **more: int
) -> Panel:
    """One number, for the whole time that is shown."""
    return Panel(
        title,
        description,
        "stat",
        unit,
        [Numbers(promql, instant=True)],
        width=more.get("width", 3),
        height=more.get("height", 4),
        decimals=more.get("decimals", 0),
        thresholds=thresholds,
        options={
            "reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False},
            "colorMode": "value",
            "graphMode": "none",
            "justifyMode": "auto",
            "orientation": "auto",
            "textMode": "value",
        },
    )


def over_time(title: str, description: str, unit: str, *questions: Numbers, bars: bool = False, width: int = 12, height: int = 8) -> Panel:
    """Lines, or bars that stand on each other (counts); outcomes have their colours."""
    custom: Json = {
        "drawStyle": "bars" if bars else "line",
        "fillOpacity": 80 if bars else 0,
        "lineWidth": 1,
        "showPoints": "never",
        "stacking": {"mode": "normal" if bars else "none", "group": "A"},
        "axisSoftMin": 0,
    }
    return Panel(
        title,
        description,
        "timeseries",
        unit,
        questions,
        width=width,
        height=height,
        custom=custom,
        decimals=0 if bars else None,
        overrides=_coloured(),
        options={
            "legend": {"displayMode": "list", "placement": "bottom", "showLegend": True, "calcs": []},
            "tooltip": {"mode": "multi", "sort": "desc"},
        },
    )


def bars(
    title: str, description: str, unit: str, promql: str, legend: str, *, width: int = 6, height: int = 8, decimals: int | None = 0
) -> Panel:
    """A bar per series, the longest first; for the whole time that is shown."""
    return Panel(
        title,
        description,
        "bargauge",
        unit,
        [Numbers(promql, legend, instant=True)],
        width=width,
        height=height,
        decimals=decimals,
        thresholds=((None, BLUE),),
        overrides=_coloured(),
        options={
            "reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False},
            "orientation": "horizontal",
            "displayMode": "basic",
            "valueMode": "text",
            "namePlacement": "left",
            "showUnfilled": False,
            "minVizHeight": 16,
            "sizing": "auto",
            "legend": {"showLegend": False, "displayMode": "list", "placement": "bottom", "calcs": []},
        },
    )


def table(
    title: str,
    description: str,
    columns: Mapping[str, str],
    *questions: Question,
    unit: str = "short",
    width: int = 12,
    height: int = 8,
    units: Mapping[str, str] | None = None,
    decimals: int | None = 0,
    first: str = "",
) -> Panel:
    """Rows and columns; `columns` maps a field to the name that a person reads, `units` a shown column to its unit, `first` is
    the column whose greatest value stands on top."""
    measured = [_override(column, {"unit": of, "decimals": None}) for column, of in (units or {}).items()]
    sized = [_override(column, {"custom.width": WIDTHS[column]}) for column in columns.values() if column in WIDTHS]
    return Panel(
        title,
        description,
        "table",
        unit,
        questions,
        width=width,
        height=height,
        columns=columns,
        decimals=decimals,
        custom={"align": "left", "cellOptions": {"type": "auto"}, "filterable": True, "minWidth": 90},
        overrides=[*_outcomes_in(columns.values()), *measured, *sized],
        greatest_first=first,
        options={"showHeader": True, "cellHeight": "sm", "footer": {"show": False, "reducer": ["sum"], "countRows": False, "fields": ""}},
    )


def records(title: str, description: str, condition: str, selected: Mapping[str, str], tags: Mapping[str, str]) -> tuple[Panel, Panel]:
    """A table of spans from Tempo, and its twin from Jaeger (which finds traces, not spans).

    `condition` is TraceQL; `selected` maps attributes to column names; `tags` is what Jaeger searches for.
    """
    asked = f'{{ resource.service.name =~ "$service" && {condition} }} | select({", ".join(f"span.{name}" for name in selected)})'
    columns = {"spanID": "Span", "time": "When", **selected, "duration": "Took"}
    tempo = table(title, description, columns, Spans(asked), unit="string", width=24, height=9, units={"Took": "ns"}, decimals=None)
    twin = table(
        title,
        f"{description} Jaeger finds the traces in which there is one; open the trace to see which call it was.",
        {"traceID": "Trace", "traceName": "Begins with", "startTime": "When", "duration": "Took"},
        Search(tags),
        unit="string",
        width=24,
        height=7,
        units={"Took": "µs", "When": "dateTimeAsIso"},
        decimals=None,
    )
    return tempo, twin


def _override(field: str, properties: Mapping[str, object]) -> Json:
    return {
        "matcher": {"id": "byName", "options": field},
        "properties": [{"id": name, "value": value} for name, value in properties.items()],
    }


def _coloured() -> Sequence[Json]:
    return [_override(outcome, {"color": {"mode": "fixed", "fixedColor": colour}}) for outcome, colour in OUTCOME_COLOURS.items()]


def _outcomes_in(columns: Iterable[str]) -> Sequence[Json]:
    looks = {outcome: {"color": colour, "index": index} for index, (outcome, colour) in enumerate(OUTCOME_COLOURS.items())}
    told = {"mappings": [{"type": "value", "options": looks}], "custom.cellOptions": {"type": "color-text"}}
    return [_override(column, told) for column in columns if column in {"Outcome", "Verdict"}]


def both(*found: tuple[Panel, Panel]) -> tuple[Sequence[Panel], Sequence[Panel]]:
    """The tables of Tempo, and their twins of Jaeger."""
    return [tempo for tempo, _ in found], [twin for _, twin in found]
