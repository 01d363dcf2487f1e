"""Messages in the JSON form of the GenAI conventions (`gen_ai.input.messages`, `gen_ai.output.messages`)."""

from __future__ import annotations

from collections.abc import Sequence

from hookspan.model.content import CallPart, Media, Message, Part, Text
from hookspan.spans.payload import ContentPolicy, Payload, kept


def messages_json(messages: Sequence[Message], policy: ContentPolicy) -> Payload:
    """`[{"role", "parts": [{"type", ...}], "finish_reason"?}]` as JSON text."""
    return kept([_message(message) for message in messages], policy)


def _message(message: Message) -> dict[str, object]:
    plain: dict[str, object] = {"role": message.role, "parts": [_part(part) for part in message.parts]}
    if message.finish_reason is not None:
        plain["finish_reason"] = message.finish_reason
    return plain


def _part(part: Part) -> dict[str, object]:
    if isinstance(part, Text):
        return {"type": "text", "content": part.content}
    if isinstance(part, CallPart):
        return {"type": "tool_call", "id": part.id, "name": part.name, "arguments": part.arguments}
    if isinstance(part, Media):
        return {"type": "blob", "mime_type": part.media_type, "size_bytes": part.size_bytes}
    return {"type": "tool_call_response", "id": part.id, "result": part.result}
