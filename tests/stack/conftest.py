"""The stack runs once for all tests of this folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stack.services import whole_stack


@pytest.fixture(scope="session")
def ports(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, int]]:
    """Ports by use (COLLECTOR_GRPC, JAEGER_QUERY, PROMETHEUS, …) of the running stack."""
    programs = os.environ.get("STACK_PROGRAMS")
    if not programs:
        pytest.skip("the stack is built and named by `make test-stack`")
    with whole_stack(Path(programs), tmp_path_factory.mktemp("stack")) as running:
        yield running
