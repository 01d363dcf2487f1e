"""What a scripted model says: turns, each with the request it answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

StopReason = Literal["end_turn", "tool_use", "max_tokens", "stop_sequence", "refusal"]


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool answered, as the client told the model."""

    call: str
    text: str
    is_error: bool


@dataclass(frozen=True, slots=True)
class Asked:
    """One request to the Messages API: what a script can tell agents and turns apart by.

    `results` are all tool results of the conversation so far, `said` is the last message's own text.
    """

    model: str
    system: str
    tools: frozenset[str]
    results: Sequence[Result]
    said: str
    streaming: bool
    max_tokens: int


When = Callable[[Asked], bool]


@dataclass(frozen=True, slots=True)
class Say:
    """A text block."""

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """A tool_use block. `id` is the call id that the whole trail names the call by."""

    id: str
    name: str
    input: Mapping[str, object] = field(default_factory=dict[str, object])


Block = Say | Call


@dataclass(frozen=True, slots=True)
class Tokens:
    """As the Messages API counts: `input` is what neither came from the cache nor went into it."""

    input: int
    output: int
    cache_read: int = 0
    cache_creation: int = 0


@dataclass(frozen=True, slots=True)
class Turn:
    """One answer. `stop` None: tool_use if there is a call, else end_turn. `delay_s` passes before the first byte.
    After `times` answers the turn is used up, and the next one that fits is taken."""

    when: When
    blocks: Sequence[Block]
    tokens: Tokens
    stop: StopReason | None = None
    delay_s: float = 0.0
    times: int | None = None

    @property
    def stop_reason(self) -> StopReason:
        if self.stop is not None:
            return self.stop
        return "tool_use" if any(isinstance(block, Call) for block in self.blocks) else "end_turn"


@dataclass(frozen=True, slots=True)
class Refusal:
    """An error instead of an answer: 529 overloaded_error, 400 invalid_request_error, 429 rate_limit_error."""

    when: When
    status: int
    kind: str
    message: str
    delay_s: float = 0.0
    times: int | None = None


Script = Sequence[Turn | Refusal]


def asked(agent: str = "", *, results: int | None = None) -> When:
    """Fits a request whose system prompt holds `agent`, and that brings exactly `results` tool results so far
    (None: any number)."""

    def fits(request: Asked) -> bool:
        return agent in request.system and (results is None or len(request.results) == results)

    return fits
