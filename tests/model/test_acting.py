"""Who acts: said for a block, for its own context only."""

from __future__ import annotations

import asyncio
import threading

import pytest

from hookspan.model.acting import acting_as, acting_user


def test_nobody_acts_unless_it_is_said() -> None:
    assert acting_user() is None


def test_the_inner_name_counts_and_the_outer_one_is_back_afterwards() -> None:
    with acting_as("ada"):
        with acting_as("bob"):
            assert acting_user() == "bob"
        assert acting_user() == "ada"
    assert acting_user() is None


def test_the_name_is_gone_after_an_error_in_the_block() -> None:
    with pytest.raises(ZeroDivisionError), acting_as("ada"):
        raise ZeroDivisionError
    assert acting_user() is None


def test_another_thread_does_not_act_for_them() -> None:
    seen: list[str | None] = []
    with acting_as("ada"):
        thread = threading.Thread(target=lambda: seen.append(acting_user()))
        thread.start()
        thread.join()
    assert seen == [None]


async def test_tasks_side_by_side_act_each_for_their_own() -> None:
    both = asyncio.Barrier(2)

    async def agent(user: str) -> tuple[str | None, str | None]:
        with acting_as(user):
            await both.wait()
            inside = acting_user()
            await both.wait()
        return inside, acting_user()

    assert await asyncio.gather(agent("ada"), agent("bob")) == [("ada", None), ("bob", None)]


async def test_a_task_that_is_started_in_the_block_acts_for_them() -> None:
    async def who() -> str | None:
        return acting_user()

    with acting_as("ada"):
        task = asyncio.create_task(who())
    assert await task == "ada"
