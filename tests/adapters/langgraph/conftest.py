"""A recorder in memory that listens to every LangGraph run of the test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hookspan.adapters.langgraph.install import install
from tests.support.memory import memory_recorder
from tests.support.trails import Trail


@pytest.fixture
def trail() -> Iterator[Trail]:
    recorder, sink = memory_recorder()
    uninstall = install(recorder)
    try:
        yield Trail(recorder, sink)
    finally:
        uninstall()
