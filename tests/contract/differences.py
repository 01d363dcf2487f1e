"""Attributes that one framework tells and another cannot know, each with its reason: the vocabulary says "where it has one"."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hookspan.spans import names as n


@dataclass(frozen=True)
class Own:
    """`more` are told by this framework alone; `fewer` by the others, where this one leaves them out."""

    more: Mapping[str, str]
    fewer: Mapping[str, str]


ONLY_IN: Mapping[str, Own] = {
    "langgraph": Own(
        more={n.CHECKPOINT_ID: "only LangGraph has checkpoints"},
        fewer={n.FINISH_REASONS: "the provider's word: the scripted model says none with a tool call"},
    ),
    "strands": Own(more={}, fewer={}),
    "claude": Own(
        more={
            n.TURN_ID: "the prompt id; the others have no id of a turn",
            n.RESPONSE_ID: "the message id; LangChain's scripted model and Strands give none",
            n.RESPONSE_MODEL: "as above",
            n.USAGE_COMPLETE: "a message's usage is its beginning's",
        },
        fewer={
            n.OUTPUT_TOKENS: "a message's usage is its beginning's; the turn's total is whole",
            n.FINISH_REASONS: "None in every message of the SDK",
        },
    ),
}


def between(one: str, other: str) -> set[str]:
    """The attributes in which these two may differ."""
    return {name for own in (ONLY_IN[one], ONLY_IN[other]) for name in (*own.more, *own.fewer)}
