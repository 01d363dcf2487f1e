"""Metrics of ended records, read back through the real SDK."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import HistogramDataPoint, InMemoryMetricReader, NumberDataPoint

from hookspan.model.clock import now
from hookspan.model.content import ContentMode
from hookspan.model.facts import Failure, ToolOutcome, ToolSettled
from hookspan.model.ids import CallId
from hookspan.spans import metrics as module
from hookspan.spans.metrics import MetricsSink
from hookspan.spans.pauses import PausesInMemory
from hookspan.spans.payload import ContentPolicy
from hookspan.spans.recorder import Recorder
from tests.support.driver import agent, begin_run, begin_tool, end_run, end_tool, model_call
from tests.support.memory import CountedIdentity

Points = list[HistogramDataPoint | NumberDataPoint]


class Meters:
    def __init__(self) -> None:
        self._reader = InMemoryMetricReader()
        self.provider = MeterProvider([self._reader], shutdown_on_exit=False)

    def read(self) -> dict[str, Points]:
        data = self._reader.get_metrics_data()
        found: dict[str, Points] = {}
        for group in data.resource_metrics if data is not None else ():
            for scoped in group.scope_metrics:
                for metric in scoped.metrics:
                    found[metric.name] = cast("Points", list(metric.data.data_points))
        return found


def measuring(meters: Meters, lost: Mapping[str, int] | None = None) -> Recorder:
    sink = MetricsSink(lambda: lost or {}, meters.provider)
    return Recorder(identity=CountedIdentity(), sinks=[sink], policy=ContentPolicy(mode=ContentMode.NONE), pauses=PausesInMemory())


def histogram(points: Points) -> HistogramDataPoint:
    (point,) = points
    assert isinstance(point, HistogramDataPoint)
    return point


def test_each_record_is_measured_once_with_bounded_labels() -> None:
    meters = Meters()
    agent(measuring(meters), tools=3)
    read = meters.read()
    assert set(read) == {
        "gen_ai.client.token.usage",
        "gen_ai.client.operation.duration",
        "gen_ai.invoke_agent.duration",
        "gen_ai.execute_tool.duration",
    }
    tokens = {dict(point.attributes or {})["gen_ai.token.type"]: point for point in read["gen_ai.client.token.usage"]}
    assert {kind: point.sum for kind, point in tokens.items() if isinstance(point, HistogramDataPoint)} == {"input": 10, "output": 5}
    tool = histogram(read["gen_ai.execute_tool.duration"])
    assert tool.count == 3
    assert dict(tool.attributes or {}) == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "read_file",
        "gen_ai.tool.type": "function",
        "gen_ai.agent.name": "coder",
        "hookspan.framework": "langgraph",
        "hookspan.tool.origin": "function",
        "hookspan.tool.outcome": "success",
    }
    assert tool.explicit_bounds[:3] == (0.01, 0.02, 0.04)
    agents = histogram(read["gen_ai.invoke_agent.duration"])
    assert dict(agents.attributes or {})["hookspan.run.outcome"] == "completed"
    assert agents.explicit_bounds[-1] == 409.6


def test_failures_are_labelled() -> None:
    meters = Meters()
    recorder = measuring(meters)
    run = begin_run(recorder, "r1")
    model_call(recorder, run, "m", failure=Failure(type="RateLimitError", message="slow down"))
    end_tool(recorder, run, begin_tool(recorder, run, "c1"), failure=Failure(type="OSError", message="no disk"))
    end_run(recorder, run)
    read = meters.read()
    for name, failed in (("gen_ai.client.operation.duration", "RateLimitError"), ("gen_ai.execute_tool.duration", "OSError")):
        assert dict(histogram(read[name]).attributes or {})["error.type"] == failed


def test_a_tool_that_only_the_model_invented_makes_no_series() -> None:
    meters = Meters()
    recorder = measuring(meters)
    run = begin_run(recorder, "r1")
    for number in range(50):
        settled = ToolSettled(
            run=run,
            key=run,
            at=now(),
            call=CallId(f"c{number}"),
            name=f"invented_{number}",
            framework="langgraph",
            outcome=ToolOutcome.ERROR,
        )
        recorder.record(settled)
    end_run(recorder, run)
    tools = meters.read().get("gen_ai.execute_tool.duration", [])
    assert all((point.attributes or {})["gen_ai.tool.name"] == "_OTHER" for point in tools)


def test_a_label_with_too_many_values_folds() -> None:
    meters = Meters()
    recorder = measuring(meters)
    run = begin_run(recorder, "r1")
    for number in range(module.MAX_VALUES + 50):
        end_tool(recorder, run, begin_tool(recorder, run, f"c{number}", tool=f"tool_{number}"))
    end_run(recorder, run)
    tools = meters.read()["gen_ai.execute_tool.duration"]
    named = {dict(point.attributes or {})["gen_ai.tool.name"]: point for point in tools}
    assert len(named) == module.MAX_VALUES + 1
    folded = named["_OTHER"]
    assert isinstance(folded, HistogramDataPoint)
    assert folded.count == 50


def test_lost_records_are_counted_by_reason() -> None:
    meters, lost = Meters(), {"queue_full": 7}
    agent(measuring(meters, lost), tools=0)
    (point,) = meters.read()["hookspan.records.lost"]
    assert isinstance(point, NumberDataPoint)
    assert (point.value, dict(point.attributes or {})) == (7, {"hookspan.lost.reason": "queue_full"})
