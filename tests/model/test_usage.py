"""Tokens add up, and what nobody said stays unsaid."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookspan.model.usage import TokenUsage, added

FIGURES = ("input", "output", "cache_read", "cache_creation", "reasoning")
figures = st.none() | st.integers(0, 10**9)
usages = st.builds(TokenUsage, **dict.fromkeys(FIGURES, figures), complete=st.booleans())
many = settings(max_examples=100, deadline=None, derandomize=True)


def test_each_figure_is_the_sum_of_those_that_were_said() -> None:
    one = TokenUsage(input=100, output=10, cache_read=60)
    two = TokenUsage(input=1, reasoning=5, cache_creation=0)
    assert added(one, two) == TokenUsage(input=101, output=10, cache_read=60, cache_creation=0, reasoning=5)


def test_a_figure_that_was_never_said_is_none_and_not_zero() -> None:
    assert added(TokenUsage(), TokenUsage()) == TokenUsage()
    assert added(TokenUsage(), TokenUsage(output=0)).output == 0
    assert added(TokenUsage(), TokenUsage(output=0)).input is None


@pytest.mark.parametrize(("one", "two", "whole"), [(True, True, True), (True, False, False), (False, True, False), (False, False, False)])
def test_a_sum_is_complete_when_each_part_is(one: bool, two: bool, whole: bool) -> None:
    assert added(TokenUsage(input=1, complete=one), TokenUsage(input=1, complete=two)).complete is whole


@many
@given(usages, usages, usages)
def test_the_order_of_adding_makes_no_difference(a: TokenUsage, b: TokenUsage, c: TokenUsage) -> None:
    assert added(a, b) == added(b, a)
    assert added(added(a, b), c) == added(a, added(b, c))
    assert added(a, TokenUsage()) == a


@many
@given(st.lists(usages, max_size=8))
def test_a_total_is_the_sum_of_each_figure_by_itself(several: list[TokenUsage]) -> None:
    total = reduce(added, several, TokenUsage())
    for figure in FIGURES:
        said = [count for usage in several if (count := getattr(usage, figure)) is not None]
        assert getattr(total, figure) == (sum(said) if said else None)


@pytest.mark.parametrize("figure", FIGURES)
def test_a_usage_is_something_as_soon_as_one_figure_was_said_even_zero(figure: str) -> None:
    said = replace(TokenUsage(complete=False), **{figure: 0})
    assert said
    assert not replace(said, **{figure: None})
