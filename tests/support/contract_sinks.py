"""A recorder with everything behind it at once: memory, a real OpenTelemetry SDK, a SQLite store; and the facts it was told."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from hookspan.model.content import ContentMode
from hookspan.model.facts import Fact
from hookspan.spans.otel_sink import OTelSink
from hookspan.spans.pauses import PausesInMemory
from hookspan.spans.payload import ContentPolicy
from hookspan.spans.record import Record
from hookspan.spans.recorder import Recorder
from hookspan.spans.tracers import Tracers
from hookspan.store.reader import opened
from hookspan.store.writer import StoreSink
from tests.support.contract_draw import of_rows, of_spans
from tests.support.memory import MemorySink


class Everywhere(Recorder):
    """Records into the store at `path`, an SDK provider of its own, and memory."""

    def __init__(self, path: Path) -> None:
        self.facts: list[Fact] = []
        self.memory = MemorySink()
        self._path = path
        self._exporter = InMemorySpanExporter()
        provider = TracerProvider(shutdown_on_exit=False)
        provider.add_span_processor(SimpleSpanProcessor(self._exporter))
        spans = OTelSink(Tracers(provider))
        super().__init__(
            identity=spans,
            sinks=[spans, self.memory, StoreSink(path, None)],
            policy=ContentPolicy(mode=ContentMode.TOOLS),
            pauses=PausesInMemory(),
            writer="w",
        )

    def record(self, fact: Fact) -> None:
        self.facts.append(fact)
        super().record(fact)

    def arrived(self) -> dict[str, Sequence[Record]]:
        """What each sink has, once all is delivered. Nothing may be open or lost by then."""
        assert self.open_records == 0, [record.name for record in self.memory.open.values()]
        assert dict(self.lost) == {}
        self.shutdown(10)
        with opened(self._path) as trail:
            rows = [row for trace in sorted({run.trace_id for run in trail.runs()}) for row in trail.spans(trace)]
        return {"memory": self.memory.records, "otel": of_spans(self._exporter.get_finished_spans()), "store": of_rows(rows)}
