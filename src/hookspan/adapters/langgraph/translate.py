"""LangChain's types as facts' values. Pure: each function fails alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum, auto
from functools import lru_cache
from typing import Any, cast

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, Generation, LLMResult
from langgraph.types import Command

from hookspan.model.content import CallPart, Media, Message, Part, ResultPart, Text
from hookspan.model.ids import CallId
from hookspan.model.usage import TokenUsage

_ROLES = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool", "developer": "system"}
_PROVIDERS = {
    "anthropic": "anthropic",
    "openai": "openai",
    "azure": "azure.ai.openai",
    "azure_openai": "azure.ai.openai",
    "bedrock": "aws.bedrock",
    "amazon_bedrock": "aws.bedrock",
    "aws": "aws.bedrock",
    "google_genai": "gcp.gemini",
    "google_vertexai": "gcp.vertex_ai",
    "mistral": "mistral_ai",
    "mistralai": "mistral_ai",
    "xai": "x_ai",
}
"""LangChain's provider names that OpenTelemetry's `gen_ai.provider.name` spells otherwise."""


def provider(named: object) -> str | None:
    if not named:
        return None
    return _PROVIDERS.get(str(named), str(named))


def request_model(metadata: Mapping[str, Any], params: Mapping[str, Any]) -> str | None:
    for value in (metadata.get("ls_model_name"), params.get("model"), params.get("model_name"), params.get("model_id")):
        if isinstance(value, str) and value:
            return value
    return None


def answer(result: LLMResult) -> AIMessage | None:
    """The model's message, where the call was to a chat model."""
    first = _first(result)
    if isinstance(first, ChatGeneration) and isinstance(first.message, AIMessage):
        return first.message
    return None


def usage(message: AIMessage | None, result: LLMResult) -> TokenUsage:
    """LangChain's `usage_metadata` already counts the cache as input, as the convention wants."""
    if message is not None and message.usage_metadata is not None:
        said = message.usage_metadata
        read = said.get("input_token_details") or {}
        written = said.get("output_token_details") or {}
        return TokenUsage(
            input=said["input_tokens"],
            output=said["output_tokens"],
            cache_read=read.get("cache_read"),
            cache_creation=_written(cast("Mapping[str, Any]", read)),
            reasoning=written.get("reasoning"),
        )
    counts = cast("Mapping[str, Any]", (result.llm_output or {}).get("token_usage") or {})
    return TokenUsage(input=_whole(counts.get("prompt_tokens")), output=_whole(counts.get("completion_tokens")))


def finish_reasons(message: AIMessage | None, result: LLMResult) -> tuple[str, ...]:
    metadata = cast("Mapping[str, Any]", message.response_metadata if message is not None else {})
    first = _first(result)
    info = cast("Mapping[str, Any]", (first.generation_info if first is not None else None) or {})
    for source in (metadata, info):
        for name in ("stop_reason", "finish_reason", "stopReason", "done_reason"):
            said = source.get(name)
            if isinstance(said, str) and said:
                return (said,)
    return ()


def response_model(message: AIMessage | None) -> str | None:
    metadata = cast("Mapping[str, Any]", message.response_metadata if message is not None else {})
    for name in ("model_name", "model"):
        said = metadata.get(name)
        if isinstance(said, str) and said:
            return said
    return None


def response_id(message: AIMessage | None) -> str | None:
    """The provider's id; LangChain's own run id in its place says nothing."""
    if message is None:
        return None
    metadata = cast("Mapping[str, Any]", message.response_metadata)
    said = metadata.get("id") or message.id
    return str(said) if said and not str(said).startswith(("run-", "run--", "lc_run--")) else None


def messages(told: Iterable[BaseMessage]) -> tuple[Message, ...]:
    return tuple(_message(message) for message in told)


def tool_messages(output: object) -> tuple[ToolMessage, ...]:
    """The tool messages in a tool's or a node's output: as it is, in a state update, in a `Command`, in a list."""
    found: list[ToolMessage] = []
    _collect(output, found)
    return tuple(found)


def _collect(output: object, found: list[ToolMessage]) -> None:
    shape = _shape(type(output))
    if shape is _Shape.TOOL_MESSAGE:
        found.append(cast("ToolMessage", output))
    elif shape is _Shape.COMMAND:
        _collect(cast("Command[Any]", output).update, found)
    elif shape is _Shape.MAPPING:
        _collect(cast("Mapping[str, object]", output).get("messages"), found)
    elif shape is _Shape.SEQUENCE:
        for item in cast("Sequence[object]", output):
            inner = _shape(type(item))
            if inner is _Shape.TOOL_MESSAGE:
                found.append(cast("ToolMessage", item))
            elif inner is _Shape.COMMAND or inner is _Shape.MAPPING:
                _collect(item, found)


class _Shape(Enum):
    TOOL_MESSAGE = auto()
    COMMAND = auto()
    MAPPING = auto()
    SEQUENCE = auto()
    OTHER = auto()
    """And nothing in langgraph's Overwrite(value=[...]), which holds old messages again."""


@lru_cache(maxsize=256)
def _shape(kind: type) -> _Shape:
    """Remembered by type: `isinstance` of pydantic's and of abstract classes is slow, and asked of every message."""
    for classes, shape in (
        (ToolMessage, _Shape.TOOL_MESSAGE),
        (Command, _Shape.COMMAND),
        (Mapping, _Shape.MAPPING),
        ((list, tuple), _Shape.SEQUENCE),
    ):
        if issubclass(kind, classes):
            return shape
    return _Shape.OTHER


def parent_commands(output: object) -> tuple[Command[Any], ...]:
    """The commands that leave the graph for its parent."""
    shape = _shape(type(output))
    if shape is _Shape.COMMAND:
        command = cast("Command[Any]", output)
        return (command,) if command.graph == Command.PARENT and command.goto else ()
    if shape is _Shape.SEQUENCE:
        return tuple(found for item in cast("Sequence[object]", output) for found in parent_commands(item))
    return ()


def targets(command: Command[Any]) -> tuple[str, ...]:
    """The names of the nodes a command goes to."""
    goto = cast("object", command.goto)
    several = cast("Sequence[object]", goto) if isinstance(goto, list | tuple) else (goto,)
    return tuple(str(getattr(one, "node", one)) for one in several if one)


def jump(output: object) -> str | None:
    """Where a middleware's hook sends the agent (`jump_to`), where it says so."""
    if isinstance(output, Mapping):
        said = cast("Mapping[str, object]", output).get("jump_to")
        return said if isinstance(said, str) else None
    if isinstance(output, Command):
        return jump(cast("Command[Any]", output).update)
    return None


def changed_keys(output: object) -> tuple[str, ...]:
    """The names of the state keys that a hook's output changes."""
    if isinstance(output, Mapping):
        return tuple(sorted(str(key) for key in cast("Mapping[object, object]", output)))
    if isinstance(output, Command):
        return changed_keys(cast("Command[Any]", output).update)
    return ()


def node_calls(inputs: object) -> dict[CallId, str]:
    """The calls that a tools node was sent, by id with the tool's name."""
    if isinstance(inputs, dict):
        inside = cast("dict[str, object]", inputs)
        if inside.get("__type") == "tool_call_with_context":
            return node_calls([inside.get("tool_call")])
        return {}
    if not isinstance(inputs, list):
        return {}
    found: dict[CallId, str] = {}
    for item in cast("list[object]", inputs):
        if isinstance(item, Mapping):
            call = cast("Mapping[str, object]", item)
            if call.get("type") == "tool_call" and call.get("id"):
                found[CallId(str(call["id"]))] = str(call.get("name"))
    return found


def _first(result: LLMResult) -> Generation | None:
    generations = cast("Sequence[Sequence[Generation]]", result.generations)
    return generations[0][0] if generations and generations[0] else None


def _written(details: Mapping[str, Any]) -> int | None:
    """Anthropic's writes may come split by lifetime, with the plain figure 0 beside them."""
    plain = _whole(details.get("cache_creation"))
    split = [_whole(details.get(name)) for name in ("ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens")]
    known = [count for count in split if count is not None]
    return plain if not known or (plain or 0) > sum(known) else sum(known)


def _whole(count: object) -> int | None:
    return count if isinstance(count, int) and not isinstance(count, bool) else None


def _message(message: BaseMessage) -> Message:
    parts = list(_parts(cast("object", message.content)))
    if isinstance(message, AIMessage):
        parts += [CallPart(call["id"], call["name"], call["args"]) for call in message.tool_calls]
    if isinstance(message, ToolMessage):
        return Message("tool", (ResultPart(message.tool_call_id, cast("object", message.content)),))
    return Message(_ROLES.get(message.type, message.type), tuple(parts))


def _parts(content: object) -> Iterable[Part]:
    if isinstance(content, str):
        if content:
            yield Text(content)
        return
    for block in cast("Sequence[object]", content):
        if isinstance(block, str):
            yield Text(block)
        elif isinstance(block, Mapping):
            part = _block(cast("Mapping[str, object]", block))
            if part is not None:
                yield part


def _block(block: Mapping[str, object]) -> Part | None:
    kind = block.get("type")
    if kind in ("text", "thinking", "reasoning"):
        return Text(str(block.get("text") or block.get("thinking") or block.get("reasoning") or ""))
    if kind in ("tool_use", "tool_call", "function_call"):
        return None  # told by the message's tool_calls
    media = str(block.get("mime_type") or block.get("media_type") or kind)
    return Media(media, sum(len(value) for value in block.values() if isinstance(value, str | bytes)))
