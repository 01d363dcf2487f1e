"""A board, its rows, panels and questions, and how they become Grafana's classic dashboard JSON (schema version 41, Grafana 11 to 13).

Pure data and pure functions; `python -m dashboards.generate` writes the files. Field names in the JSON are those of
`@grafana/schema`'s `Dashboard`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

Json = Mapping[str, object]
PanelType = Literal["stat", "timeseries", "table", "bargauge", "text"]

WIDTH = 24
SCHEMA_VERSION = 41
METRICS, TRACES, JAEGER = "metrics", "traces", "jaeger"
"""Names of the variables that choose the data sources."""


@dataclass(frozen=True)
class Numbers:
    """A PromQL query. `table` gives one row per series, at one moment; else a line per series over time, or one value (`instant`)."""

    promql: str
    legend: str = ""
    instant: bool = False
    table: bool = False

    def json(self, ref: str) -> Json:
        return {
            "refId": ref,
            "datasource": {"type": "prometheus", "uid": f"${{{METRICS}}}"},
            "editorMode": "code",
            "expr": self.promql,
            "legendFormat": self.legend or "__auto",
            "range": not (self.instant or self.table),
            "instant": self.instant or self.table,
            "exemplar": False,
            "format": "table" if self.table else "time_series",
        }


@dataclass(frozen=True)
class Spans:
    """A TraceQL query whose answer is a row per span, with the selected attributes as columns."""

    traceql: str
    limit: int = 100

    def json(self, ref: str) -> Json:
        return {
            "refId": ref,
            "datasource": {"type": "tempo", "uid": f"${{{TRACES}}}"},
            "queryType": "traceql",
            "query": self.traceql,
            "limit": self.limit,
            "spss": 20,
            "tableType": "spans",
        }


@dataclass(frozen=True)
class Search:
    """A search in Jaeger: a row per trace in which one span has all of `tags` (exact values)."""

    tags: Mapping[str, str]
    operation: str = ""
    limit: int = 100

    def json(self, ref: str) -> Json:
        return {
            "refId": ref,
            "datasource": {"type": "jaeger", "uid": f"${{{JAEGER}}}"},
            "queryType": "search",
            "service": "$jaeger_service",
            "operation": self.operation,
            "tags": " ".join(f"{key}={value}" for key, value in self.tags.items()),
            "limit": self.limit,
        }


Question = Numbers | Spans | Search


@dataclass(frozen=True)
class Panel:
    """`unit` is one of Grafana's unit ids. `columns` renames a table's fields, in their order; what it does not name is hidden."""

    title: str
    description: str
    kind: PanelType
    unit: str
    questions: Sequence[Question]
    width: int = 6
    height: int = 8
    decimals: int | None = None
    options: Json = field(default_factory=dict[str, object])
    columns: Mapping[str, str] = field(default_factory=dict[str, str])
    overrides: Sequence[Json] = ()
    thresholds: Sequence[tuple[float | None, str]] = ((None, "text"),)
    custom: Json = field(default_factory=dict[str, object])
    greatest_first: str = ""
    """The shown column by which a table is sorted."""

    def json(self, identity: int, x: int, y: int) -> Json:
        first = self.questions[0].json("A")["datasource"]
        defaults: dict[str, object] = {
            "unit": self.unit,
            "color": {"mode": "thresholds"} if self.kind in {"stat", "bargauge", "table"} else {"mode": "palette-classic"},
            "thresholds": {"mode": "absolute", "steps": [{"value": value, "color": colour} for value, colour in self.thresholds]},
            "custom": dict(self.custom),
            "noValue": "0" if self.kind == "stat" else "-",
        }
        if self.decimals is not None:
            defaults["decimals"] = self.decimals
        return {
            "id": identity,
            "type": self.kind,
            "title": self.title,
            "description": self.description,
            "datasource": first,
            "gridPos": {"x": x, "y": y, "w": self.width, "h": self.height},
            "targets": [question.json(chr(ord("A") + index)) for index, question in enumerate(self.questions)],
            "fieldConfig": {"defaults": defaults, "overrides": list(self.overrides)},
            "options": dict(self.options),
            "transformations": self._transformations(),
        }

    def _transformations(self) -> list[Json]:
        if not self.columns:
            return []
        names = list(self.columns)
        order = {
            "indexByName": {name: index for index, name in enumerate(names)},
            "renameByName": {name: shown for name, shown in self.columns.items() if shown != name},
        }
        if isinstance(self.questions[0], Spans):
            # the hidden column with the trace id has to stay: the link of the span's id reads it
            return [{"id": "organize", "options": {**order, "excludeByName": {"traceService": True, "traceName": True, "name": True}}}]
        merged: list[Json] = [{"id": "merge", "options": {}}] if len(self.questions) > 1 else []
        ranked: list[Json] = (
            [{"id": "sortBy", "options": {"sort": [{"field": self.greatest_first, "desc": True}]}}] if self.greatest_first else []
        )
        return [
            *merged,
            {"id": "filterFieldsByName", "options": {"include": {"names": names}}},
            {"id": "organize", "options": order},
            *ranked,
        ]


@dataclass(frozen=True)
class Row:
    title: str
    panels: Sequence[Panel]
    collapsed: bool = False


@dataclass(frozen=True)
class Variable:
    """A choice above the board: a data source (`kind` is its type), the values of a label, or a text that is typed in."""

    name: str
    label: str
    kind: Literal["prometheus", "tempo", "jaeger", "query", "textbox"]
    query: str = ""
    every: bool = False
    description: str = ""

    def json(self) -> Json:
        common = {"name": self.name, "label": self.label, "description": self.description, "hide": 0}
        if self.kind in {"prometheus", "tempo", "jaeger"}:
            return {**common, "type": "datasource", "query": self.kind, "regex": "", "multi": False, "includeAll": False, "refresh": 1}
        if self.kind == "textbox":
            chosen = {"selected": True, "text": self.query, "value": self.query}
            return {**common, "type": "textbox", "query": self.query, "current": chosen, "options": [chosen]}
        return {
            **common,
            "type": "query",
            "datasource": {"type": "prometheus", "uid": f"${{{METRICS}}}"},
            "query": {"query": self.query, "refId": self.name},
            "refresh": 2,
            "regex": "",
            "sort": 1,
            "multi": self.every,
            "includeAll": self.every,
            **({"allValue": ".*", "current": {"text": "All", "value": "$__all"}} if self.every else {}),
        }


@dataclass(frozen=True)
class Board:
    """`question` is what an auditor asks of it; it stands in the board's description."""

    uid: str
    title: str
    question: str
    rows: Sequence[Row]
    variables: Sequence[Variable]
    tags: Sequence[str] = ("hookspan",)
    since: str = "now-6h"

    def json(self) -> Json:
        return {
            "uid": self.uid,
            "title": self.title,
            "description": self.question,
            "tags": list(self.tags),
            "schemaVersion": SCHEMA_VERSION,
            "version": 1,
            "editable": False,
            "graphTooltip": 1,
            "refresh": "30s",
            "time": {"from": self.since, "to": "now"},
            "timezone": "browser",
            "annotations": {"list": []},
            "links": [_to_the_others()],
            "templating": {"list": [variable.json() for variable in self.variables]},
            "panels": _placed(self.rows),
        }


def _to_the_others() -> Json:
    return {
        "type": "dashboards",
        "title": "hookspan",
        "tags": ["hookspan"],
        "asDropdown": True,
        "includeVars": True,
        "keepTime": True,
        "targetBlank": False,
        "icon": "external link",
        "tooltip": "",
        "url": "",
    }


def _placed(rows: Sequence[Row]) -> list[Json]:
    """Panels from left to right, a new line where the width is used up; each row under its title, closed rows hold their panels."""
    out: list[Json] = []
    identity, y = 1, 0
    for row in rows:
        title: dict[str, object] = {
            "id": identity,
            "type": "row",
            "title": row.title,
            "collapsed": row.collapsed,
            "gridPos": {"x": 0, "y": y, "w": WIDTH, "h": 1},
        }
        identity, y = identity + 1, y + 1
        inside: list[Json] = []
        x = tallest = 0
        top = y
        for panel in row.panels:
            if x + panel.width > WIDTH:
                x, top, tallest = 0, top + tallest, 0
            inside.append(panel.json(identity, x, top))
            identity, x, tallest = identity + 1, x + panel.width, max(tallest, panel.height)
        if row.collapsed:
            out.append({**title, "panels": inside})
        else:
            out.extend([{**title, "panels": []}, *inside])
            y = top + tallest
    return out
