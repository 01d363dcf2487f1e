"""The Messages API's two directions, as pure functions: a body becomes `Asked`, a turn becomes JSON or events."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from hookspan.demo.script import Asked, Block, Call, Result, Say, Tokens, Turn

Json = Mapping[str, object]

TEXT_PIECE = 24
"""Characters of one text delta: short enough that every answer of more than a few words comes in several."""


class InvalidRequestError(ValueError):
    """The body is not what the Messages API takes; the text is what it answers with status 400."""


def read(body: bytes) -> Asked:
    """The request of a Messages API body.

    Raises InvalidRequestError where the real API would answer 400: no JSON object, a field missing or of the wrong type,
    messages that do not begin with the user, a tool call left without its result, a result without its call.
    """
    try:
        parsed: object = json.loads(body)
    except ValueError as error:
        raise InvalidRequestError(f"body: not JSON ({error})") from None
    request = _mapping(parsed, "body")
    messages = [_mapping(message, "messages") for message in _list(request.get("messages"), "messages")]
    results = _paired_results(messages)
    max_tokens = request.get("max_tokens")
    if not isinstance(max_tokens, int) or max_tokens < 1:
        raise InvalidRequestError("max_tokens: a positive integer is required")
    return Asked(
        model=_text(request.get("model"), "model"),
        system=_flat(request.get("system")),
        tools=frozenset(_text(_mapping(tool, "tools").get("name"), "tools.name") for tool in _list(request.get("tools") or [], "tools")),
        results=results,
        said=_flat(messages[-1].get("content")),
        streaming=request.get("stream") is True,
        max_tokens=max_tokens,
    )


def message(turn: Turn, *, id: str, model: str) -> Json:  # noqa: A002 -- the field's name in the API
    """The answer to a request that does not stream."""
    return {
        **_envelope(id, model),
        "content": [_block(block) for block in turn.blocks],
        "stop_reason": turn.stop_reason,
        "usage": _usage(turn.tokens),
    }


def events(turn: Turn, *, id: str, model: str) -> Iterator[bytes]:  # noqa: A002 -- the field's name in the API
    """The answer to a request that streams: server-sent events, in the order and pieces of the real API."""
    opening: Json = {**_envelope(id, model), "content": (), "usage": {**_usage(turn.tokens), "output_tokens": 1}}
    yield event("message_start", {"message": opening})
    for index, block in enumerate(turn.blocks):
        yield event("content_block_start", {"index": index, "content_block": _empty(block)})
        for delta in _deltas(block):
            yield event("content_block_delta", {"index": index, "delta": delta})
        yield event("content_block_stop", {"index": index})
    ending = {"stop_reason": turn.stop_reason, "stop_sequence": None}
    yield event("message_delta", {"delta": ending, "usage": _usage(turn.tokens)})
    yield event("message_stop", {})


def event(kind: str, data: Json) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n".encode()


def failure(kind: str, text: str) -> Json:
    return {"type": "error", "error": {"type": kind, "message": text}}


def _envelope(id: str, model: str) -> Json:  # noqa: A002 -- the field's name in the API
    return {"id": id, "type": "message", "role": "assistant", "model": model, "stop_reason": None, "stop_sequence": None}


def _usage(tokens: Tokens) -> Json:
    return {
        "output_tokens": tokens.output,
        "input_tokens": tokens.input,
        "cache_read_input_tokens": tokens.cache_read,
        "cache_creation_input_tokens": tokens.cache_creation,
    }


def _block(block: Block) -> Json:
    match block:
        case Say(text):
            return {"type": "text", "text": text}
        case Call(id, name, arguments):
            return {"type": "tool_use", "id": id, "name": name, "input": dict(arguments)}


def _empty(block: Block) -> Json:
    match block:
        case Say():
            return {"type": "text", "text": ""}
        case Call(id, name):
            return {"type": "tool_use", "id": id, "name": name, "input": {}}


def _deltas(block: Block) -> Iterator[Json]:
    match block:
        case Say(text):
            for piece in _pieces(text):
                yield {"type": "text_delta", "text": piece}
        case Call(input=arguments):
            for piece in _pieces(json.dumps(dict(arguments))):
                yield {"type": "input_json_delta", "partial_json": piece}


def _pieces(text: str) -> Iterator[str]:
    return (text[at : at + TEXT_PIECE] for at in range(0, len(text), TEXT_PIECE))


def _paired_results(messages: Sequence[Json]) -> Sequence[Result]:
    """All tool results; each must answer a call of the message before it, and each call must be answered."""
    if not messages or messages[0].get("role") != "user":
        raise InvalidRequestError("messages: the first one must have the role user")
    results: list[Result] = []
    waiting: set[str] = set()
    for number, one in enumerate(messages):
        blocks = _blocks(one.get("content"))
        found = [_result(block) for block in blocks if block.get("type") == "tool_result"]
        answered = {result.call for result in found}
        if unasked := answered - waiting:
            raise InvalidRequestError(f"messages.{number}: tool_result without a tool_use in the message before it: {_names(unasked)}")
        if unanswered := waiting - answered:
            raise InvalidRequestError(f"messages.{number}: tool_use without a tool_result immediately after it: {_names(unanswered)}")
        results += found
        waiting = {_text(block.get("id"), "tool_use.id") for block in blocks if block.get("type") == "tool_use"}
    if waiting:
        raise InvalidRequestError(f"messages: tool_use without a tool_result: {_names(waiting)}")
    return results


def _result(block: Json) -> Result:
    return Result(
        call=_text(block.get("tool_use_id"), "tool_result.tool_use_id"),
        text=_flat(block.get("content")),
        is_error=block.get("is_error") is True,
    )


def _blocks(content: object) -> Sequence[Json]:
    return [] if isinstance(content, str) else [_mapping(block, "content") for block in _list(content or [], "content")]


def _flat(content: object) -> str:
    """The text of a `system` or `content` field, whether it is a string or blocks."""
    if content is None or isinstance(content, str):
        return content or ""
    return "\n".join(str(block.get("text", "")) for block in _blocks(content) if block.get("type") == "text")


def _names(ids: set[str]) -> str:
    return ", ".join(sorted(ids))


def _mapping(value: object, where: str) -> Json:
    if not isinstance(value, dict):
        raise InvalidRequestError(f"{where}: an object is required")
    return cast("Json", value)


def _list(value: object, where: str) -> Sequence[object]:
    if not isinstance(value, list):
        raise InvalidRequestError(f"{where}: a list is required")
    return cast("Sequence[object]", value)


def _text(value: object, where: str) -> str:
    if not isinstance(value, str) or not value:
        raise InvalidRequestError(f"{where}: a string is required")
    return value
