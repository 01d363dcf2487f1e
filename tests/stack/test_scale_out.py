"""A gateway before three audit collectors: each trace is whole on one of them, and nothing is lost when tiers are killed."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest

from collector.local import collector, gateway
from tests.stack.killable import killable
from tests.stack.load import under_load
from tests.stack.services import free_addresses
from tests.stack.test_no_loss import all_arrive
from tests.support.otlp_receiver import Received, over_grpc

pytestmark = [pytest.mark.stack, pytest.mark.timeout(240)]

COLLECTORS = 3
KILLS = 6


def test_tiers_that_are_killed_under_load_lose_nothing_and_split_no_trace(programs: Path, tmp_path: Path) -> None:
    dice = random.Random(7)
    with ExitStack() as stack:
        backends: list[Received] = [stack.enter_context(over_grpc()) for _ in range(COLLECTORS)]
        places: list[Mapping[str, str]] = [
            {**free_addresses(), "JAEGER_GRPC": backend.endpoint.removeprefix("http://")} for backend in backends
        ]
        tiers = [
            stack.enter_context(killable(collector(programs, at, tmp_path / f"queue-{number}"), tmp_path / f"log-{number}"))
            for number, at in enumerate(places)
        ]
        front = free_addresses()
        behind = json.dumps([at["COLLECTOR_GRPC"] for at in places])
        tiers.append(stack.enter_context(killable(gateway(programs, front, tmp_path / "queue", behind), tmp_path / "log")))
        with under_load(front) as told:
            for _ in range(KILLS):
                time.sleep(dice.uniform(0.3, 1.2))
                fallen = dice.choice(tiers)
                fallen.kill()
                time.sleep(dice.uniform(0.0, 0.5))
                fallen.begin()
            time.sleep(1)
        all_arrive(told, *backends)
        seen = [{one.trace_id for one in backend.spans} for backend in backends]
        assert len(told.acknowledged) > 5000
        assert [len(first & second) for number, first in enumerate(seen) for second in seen[number + 1 :]] == [0, 0, 0]
        shares = [len(traces) / sum(map(len, seen)) for traces in seen]
        assert min(shares) > 0.15, "every collector has its part"
