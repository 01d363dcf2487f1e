"""What every test stands on: faults of ours raise, and no test sees the machine's own settings or home."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from hookspan.spans import guard

os.environ["_HOOKSPAN_TEST_RERAISE"] = "1"

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # a shell starts what it puts in the background so, and every program that a test starts would inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def faults_of_ours_raise(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A swallowed fault fails the test, wherever it was swallowed."""
    monkeypatch.setattr(guard, "reraise", True)
    guard.failures.clear()
    yield
    assert guard.failures == {}, f"hookspan swallowed faults of its own: {guard.failures}"


@pytest.fixture(autouse=True)
def own_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A home of the test's own, no exporter, no proxy between the test and 127.0.0.1."""
    for name in list(os.environ):
        if name.startswith(("OTEL_", "HOOKSPAN_", "LANGSMITH_", "LANGCHAIN_", "TRACEPARENT")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOOKSPAN_HOME", str(tmp_path / "hookspan-home"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
    monkeypatch.setenv("LANGSMITH_TRACING", "false")
