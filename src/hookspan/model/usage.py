"""Tokens of a model call."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Tokens of one model call, None where the framework did not say.

    `input` counts all input, cache reads and writes included, and `output` includes reasoning
    (OpenTelemetry GenAI convention); an adapter whose framework counts the cache beside the input folds it in.
    """

    input: int | None = None
    output: int | None = None
    cache_read: int | None = None
    cache_creation: int | None = None
    reasoning: int | None = None
    complete: bool = True
    """False when the framework gave only a part."""

    def __bool__(self) -> bool:
        return any(v is not None for v in (self.input, self.output, self.cache_read, self.cache_creation, self.reasoning))


def added(a: TokenUsage, b: TokenUsage) -> TokenUsage:
    """The sum of both; a figure that neither has stays None."""

    def plus(x: int | None, y: int | None) -> int | None:
        return y if x is None else x if y is None else x + y

    return TokenUsage(
        input=plus(a.input, b.input),
        output=plus(a.output, b.output),
        cache_read=plus(a.cache_read, b.cache_read),
        cache_creation=plus(a.cache_creation, b.cache_creation),
        reasoning=plus(a.reasoning, b.reasoning),
        complete=a.complete and b.complete,
    )
