"""What a sender was told is kept arrives: whatever goes down, is killed or is full in between."""

from __future__ import annotations

import random
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import pytest

from collector.local import collector
from tests.stack.killable import killable
from tests.stack.load import Told, under_load
from tests.stack.services import free_addresses, until
from tests.support.otlp_receiver import Received, over_grpc

pytestmark = [pytest.mark.stack, pytest.mark.timeout(180)]

DOWN = 10**9
ARRIVES_WITHIN_S = 60


@pytest.fixture
def backend() -> Iterator[Received]:
    with over_grpc() as received:
        yield received


def before(backend: Received) -> Mapping[str, str]:
    return {**free_addresses(), "JAEGER_GRPC": backend.endpoint.removeprefix("http://")}


def all_arrive(told: Told, *backends: Received) -> None:
    def missing() -> int:
        here = {one.span_id for backend in backends for one in list(backend.spans)}
        return len(told.acknowledged.keys() - here)

    try:
        until(lambda: missing() == 0, ARRIVES_WITHIN_S, "all that was acknowledged")
    except AssertionError:
        raise AssertionError(f"{missing()} of {len(told.acknowledged)} acknowledged spans are missing") from None
    assert told.refusals == []


def test_a_backend_that_is_down_for_a_while(backend: Received, programs: Path, tmp_path: Path) -> None:
    at = before(backend)
    with killable(collector(programs, at, tmp_path / "queue"), tmp_path / "log"):
        with under_load(at) as told:
            time.sleep(1)
            backend.refuse = DOWN
            time.sleep(3)
            kept_meanwhile = len(told.acknowledged) - len(backend.spans)
            backend.refuse = 0
            time.sleep(1)
        all_arrive(told, backend)
    assert kept_meanwhile > 1000, "the queue took over"


def test_a_collector_that_is_killed_again_and_again(backend: Received, programs: Path, tmp_path: Path) -> None:
    at = before(backend)
    dice = random.Random(4)
    with killable(collector(programs, at, tmp_path / "queue"), tmp_path / "log") as running:
        with under_load(at) as told:
            for _ in range(6):
                time.sleep(dice.uniform(0.2, 1.5))
                running.kill()
                running.begin()
            time.sleep(1)
        all_arrive(told, backend)
        assert told.waits > 0
        assert len(told.acknowledged) > 5000


def test_a_queue_that_is_full_lets_senders_wait_also_over_a_restart(
    backend: Received, programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLLECTOR_QUEUE_BYTES", "4000000")
    at = before(backend)
    backend.refuse = DOWN
    with killable(collector(programs, at, tmp_path / "queue"), tmp_path / "log") as running:
        with under_load(at) as told:
            until(lambda: told.waits > 4, 60, "senders that have to wait")
            taken = len(told.acknowledged)
            running.kill()
            running.begin()
            time.sleep(3)
            assert len(told.acknowledged) - taken < 8000, "what is sent and not taken is not in the queue's size"
            backend.refuse = 0
            until(lambda: len(told.acknowledged) > taken + 10000, 60, "room again")
        all_arrive(told, backend)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 64 MB."""
    place = tmp_path / "small"
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", str(place)], capture_output=True, text=True, check=False)
    if mounted.returncode:
        pytest.skip(f"a small disk cannot be mounted here: {mounted.stderr.strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_disk_that_somebody_fills_also_over_a_restart(backend: Received, small_disk: Path, programs: Path, tmp_path: Path) -> None:
    at = before(backend)
    backend.refuse = DOWN
    filler = small_disk / "somebody's"
    with killable(collector(programs, at, small_disk / "queue"), tmp_path / "log") as running:
        with under_load(at) as told:
            time.sleep(1)
            with suppress(OSError), filler.open("wb", buffering=0) as big:
                while True:
                    big.write(bytes(65536))
            until(lambda: told.waits > 20, 60, "senders that have to wait")
            running.kill()
            running.begin()
            waited = told.waits
            until(lambda: told.waits > waited + 10, 60, "senders that have to wait again")
            backend.refuse = 0
            filler.unlink()
            taken = len(told.acknowledged)
            until(lambda: len(told.acknowledged) > taken + 2000, 60, "room again")
        all_arrive(told, backend)
    assert "no space left on device" in (tmp_path / "log").read_text(errors="replace")


def test_the_numbers_go_on_after_kills(backend: Received, programs: Path, tmp_path: Path) -> None:
    from tests.stack.otlp import request, send, span
    from tests.stack.test_redaction import scraped

    at = before(backend)
    with killable(collector(programs, at, tmp_path / "queue"), tmp_path / "log") as running:
        for _ in range(3):
            running.kill()
            running.begin()
        secret = "sk-" + "aB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW0xY"
        send(at["COLLECTOR_HTTP"], request([span("call", {"hookspan.record": "tool", "a": secret})], "after"))
        until(lambda: scraped(at["COLLECTOR_METRICS"]), 20, "numbers after three kills")
