"""The stack runs once for all tests of this folder that only look at it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.stack.services import whole_stack


@pytest.fixture(scope="session")
def programs() -> Path:
    """The folder of the built programs (collector, jaeger, prometheus, promtool)."""
    named = os.environ.get("STACK_PROGRAMS")
    if not named:
        pytest.skip("the stack is built and named by `make test-stack`")
    return Path(named)


@pytest.fixture(scope="session")
def at(programs: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, str]]:
    """Addresses by use (COLLECTOR_GRPC, JAEGER_QUERY, PROMETHEUS, …) of the running stack."""
    with whole_stack(programs, tmp_path_factory.mktemp("stack")) as running:
        yield running
