"""A whole pipeline in this process: LangGraph in, OTLP out to a receiver on loopback, and the store beside it."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from hookspan.adapters.langgraph.install import install
from hookspan.export.pipeline import Pipeline, build
from hookspan.export.settings import load
from tests.support.otlp_receiver import Received


@dataclass(frozen=True)
class Sent:
    """`received` has all that left the program once `flush` was called."""

    received: Received
    pipeline: Pipeline
    store: Path

    def flush(self) -> Received:
        assert self.pipeline.flush(20)
        return self.received


Sending = Callable[..., AbstractContextManager[Sent]]


@pytest.fixture
def sending(tmp_path: Path) -> Sending:
    """`with sending(received, content="full") as sent:` records into both."""

    @contextmanager
    def start(received: Received, *, content: str = "full", **more: str) -> Generator[Sent]:
        environ = {**received.environ, "HOOKSPAN_HOME": str(tmp_path), "HOOKSPAN_STORE": "true", "HOOKSPAN_CONTENT": content, **more}
        environ["OTEL_METRICS_EXPORTER"] = "none"
        with pytest.MonkeyPatch.context() as patch:
            for name, value in environ.items():
                patch.setenv(name, value)
            pipeline = build(load())
            uninstall = install(pipeline.recorder)
            try:
                yield Sent(received, pipeline, tmp_path / "trail.db")
            finally:
                uninstall()
                pipeline.shutdown(10)

    return start
