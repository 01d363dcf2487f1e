"""Tokens: once, complete, and absent where nobody said them."""

# ruff: noqa: E501 -- a record is one line, however long

from __future__ import annotations

from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage
from langchain_core.tools import tool

from tests.support.models import Scripted, calls, says, tokens
from tests.support.trails import Trail, tidy
from tests.support.ways import Way, astream, every_way, stream

ASK: Any = {"messages": [("user", "go")]}
USAGE = (
    "gen_ai.usage.input_tokens",
    "gen_ai.usage.output_tokens",
    "gen_ai.usage.cache_read.input_tokens",
    "gen_ai.usage.cache_creation.input_tokens",
    "gen_ai.usage.reasoning.output_tokens",
)
TOTALS = (
    "hookspan.usage.input_tokens",
    "hookspan.usage.output_tokens",
    "hookspan.usage.cache_read.input_tokens",
    "hookspan.usage.cache_creation.input_tokens",
    "hookspan.usage.reasoning.output_tokens",
)

streamed = pytest.mark.parametrize("way", [stream, astream], ids=lambda way: way.__name__)


@tool
def add(a: int, b: int) -> int:
    """Adds."""
    return a + b


@every_way
def test_cache_and_reasoning_and_the_agents_total(trail: Trail, way: Way) -> None:
    model = Scripted(
        script=[
            calls(("c1", "add", {"a": 1, "b": 2}), usage=tokens(100, 10, cache_read=60, cache_creation=20, reasoning=4)),
            says("3", usage=tokens(200, 20, cache_read=90)),
        ]
    )
    way(create_agent(model, [add], name="adder"), ASK)
    assert trail.tree(*USAGE, *TOTALS) == tidy(
        """
        invoke_agent adder completed stop=end_turn usage.input_tokens=300 usage.output_tokens=30 usage.cache_read.input_tokens=150 usage.cache_creation.input_tokens=20 usage.reasoning.output_tokens=4
          chat scripted-1 usage.input_tokens=100 usage.output_tokens=10 usage.cache_read.input_tokens=60 usage.cache_creation.input_tokens=20 usage.reasoning.output_tokens=4
          execute_tool add (c1) success ran attempt=1 basis=none_asked
          chat scripted-1 usage.input_tokens=200 usage.output_tokens=20 usage.cache_read.input_tokens=90
        """
    )


@every_way
def test_usage_that_nobody_told_is_absent(trail: Trail, way: Way) -> None:
    way(create_agent(Scripted(script=[says("hi")]), [], name="quiet"), ASK)
    assert trail.tree(*USAGE, *TOTALS) == tidy(
        """
        invoke_agent quiet completed stop=end_turn
          chat scripted-1
        """
    )


@streamed
def test_a_stream_that_never_tells_its_usage(trail: Trail, way: Way) -> None:
    model = Scripted(script=[says("hi there", usage=tokens(10, 2))], usage_in_stream=False)
    way(create_agent(model, [], name="quiet"), ASK)
    assert trail.tree(*USAGE, *TOTALS) == tidy(
        """
        invoke_agent quiet completed stop=end_turn
          chat scripted-1
        """
    )


@streamed
def test_a_stream_that_tells_its_usage_in_the_last_chunk(trail: Trail, way: Way) -> None:
    way(create_agent(Scripted(script=[says("hi there", usage=tokens(10, 2))]), [], name="told"), ASK)
    assert trail.tree(*USAGE, *TOTALS) == tidy(
        """
        invoke_agent told completed stop=end_turn usage.input_tokens=10 usage.output_tokens=2
          chat scripted-1 usage.input_tokens=10 usage.output_tokens=2
        """
    )


def test_a_sum_over_model_calls_counts_each_token_once(trail: Trail) -> None:
    agent: Any = create_agent(
        Scripted(script=[calls(("c1", "add", {"a": 1, "b": 2}), usage=tokens(100, 10)), says("3", usage=tokens(200, 20))]),
        [add],
        name="adder",
    )
    agent.invoke(ASK)
    told = [record.attributes.get("gen_ai.usage.input_tokens") for record in trail.sink.records]
    assert sum(count for count in told if isinstance(count, int)) == 300


def test_a_failed_model_call_has_no_usage(trail: Trail) -> None:
    with pytest.raises(TimeoutError):
        Scripted(script=[TimeoutError("slow")]).invoke("hi")
    assert trail.tree(*USAGE) == "chat scripted-1 ERROR TimeoutError"


def test_the_shape_of_openai(trail: Trail) -> None:
    """The cache is part of the input already: 6459, not 12859."""
    Scripted(script=[says("hi", usage=tokens(6459, 5, cache_read=6400))]).invoke("hi")
    assert trail.tree(*USAGE) == "chat scripted-1 usage.input_tokens=6459 usage.output_tokens=5 usage.cache_read.input_tokens=6400"


@pytest.mark.parametrize("split", [False, True])
def test_the_shape_of_anthropic(trail: Trail, split: bool) -> None:
    """Through langchain-anthropic's own conversion: its API counts the cache beside the input."""
    from anthropic.types import Usage
    from langchain_anthropic.chat_models import _create_usage_metadata  # pyright: ignore[reportPrivateUsage]  # the conversion itself

    said: dict[str, Any] = {"input_tokens": 5, "output_tokens": 7, "cache_read_input_tokens": 128955, "cache_creation_input_tokens": 1253}
    if split:
        said["cache_creation"] = {"ephemeral_5m_input_tokens": 1000, "ephemeral_1h_input_tokens": 253}
    answer = AIMessage("hi", usage_metadata=_create_usage_metadata(Usage.model_validate(said)))
    Scripted(script=[answer]).invoke("hi")
    assert (
        trail.tree(*USAGE)
        == "chat scripted-1 usage.input_tokens=130213 usage.output_tokens=7 usage.cache_read.input_tokens=128955 usage.cache_creation.input_tokens=1253"
    )
