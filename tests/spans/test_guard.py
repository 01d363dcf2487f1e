"""The one error policy: our faults are swallowed, said once and counted; what is not ours to stop passes."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hookspan.spans import guard
from hookspan.spans.guard import guarded, note, shielded
from tests.support.programs import environ

NOT_OURS = [asyncio.CancelledError, GeneratorExit, KeyboardInterrupt, SystemExit]


@pytest.fixture
def as_in_use(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As in the user's program: faults are swallowed."""
    monkeypatch.setattr(guard, "reraise", False)
    yield
    guard.failures.clear()


@guarded
def halved(number: int, *, by: int = 2) -> float:
    "Docstring."
    return number / by


@guarded
def raising(error: BaseException) -> None:
    raise error


def test_what_works_is_as_it_was() -> None:
    assert halved(4) == 2
    assert halved(4, by=4) == 1
    assert (halved.__name__, halved.__doc__) == ("halved", "Docstring.")
    done: list[str] = []
    with shielded("a block"):
        done.append("all of it")
    assert done == ["all of it"]
    assert guard.failures == {}


@pytest.mark.usefixtures("as_in_use")
def test_a_fault_becomes_none_and_is_counted_and_logged_once_a_kind(caplog: pytest.LogCaptureFixture) -> None:
    assert [halved(1, by=0), halved(1, by=0), halved(1, by=0)] == [None, None, None]
    with shielded("a block"):
        raise ValueError
    with shielded("a block"):
        raise TypeError
    assert guard.failures == {"halved: ZeroDivisionError": 3, "a block: ValueError": 1, "a block: TypeError": 1}
    assert [(record.name, record.levelno, record.args) for record in caplog.records] == [
        ("hookspan", logging.WARNING, ("halved",)),
        ("hookspan", logging.WARNING, ("a block",)),
        ("hookspan", logging.WARNING, ("a block",)),
    ]
    assert all(record.exc_info for record in caplog.records)


@pytest.mark.usefixtures("as_in_use")
@pytest.mark.parametrize("kind", NOT_OURS)
def test_what_ends_a_task_a_generator_or_the_program_passes_as_it_is(kind: type[BaseException]) -> None:
    mine = kind()
    with pytest.raises(kind) as raised:
        raising(mine)
    assert raised.value is mine
    with pytest.raises(kind) as raised, shielded("a block"):
        raise mine
    assert raised.value is mine
    assert guard.failures == {}


def test_under_our_own_tests_a_fault_is_raised_and_still_counted() -> None:
    with pytest.raises(ZeroDivisionError):
        halved(1, by=0)
    with pytest.raises(ValueError, match="inside"), shielded("a block"):
        raise ValueError("inside")
    assert guard.failures == {"halved: ZeroDivisionError": 1, "a block: ValueError": 1}
    guard.failures.clear()


class Broken(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        raise OSError("no space left")


@pytest.mark.usefixtures("as_in_use")
def test_a_log_handler_that_raises_does_not_reach_the_agent() -> None:
    handler = Broken()
    guard.log.addHandler(handler)
    try:
        note("a block", ValueError())
        assert halved(1, by=0) is None
    finally:
        guard.log.removeHandler(handler)
    assert guard.failures == {"a block: ValueError": 1, "halved: ZeroDivisionError": 1}


@pytest.mark.usefixtures("as_in_use")
async def test_a_cancelled_task_is_cancelled_through_our_code() -> None:
    inside = asyncio.Event()

    async def agent() -> None:
        with shielded("a block"):
            inside.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(agent())
    await inside.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert task.cancelled()
    assert guard.failures == {}


PROGRAM = """
from hookspan.spans import guard

@guard.guarded
def broken():
    raise ValueError("ours")

print(guard.reraise, broken(), broken())
"""


@pytest.mark.parametrize(
    ("variables", "swallowed"), [({}, True), ({"PYTEST_CURRENT_TEST": "theirs"}, True), ({"_HOOKSPAN_TEST_RERAISE": "1"}, False)]
)
def test_the_promise_holds_in_anybody_s_program_and_under_somebody_else_s_tests(
    variables: dict[str, str], swallowed: bool, tmp_path: Path
) -> None:
    env = environ(variables, tmp_path)
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=env, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode == 0) is swallowed
    if swallowed:
        assert done.stdout == "False None None\n"
        # said once, with its traceback, and not on stdout
        assert done.stderr.count("ValueError: ours") == 1
