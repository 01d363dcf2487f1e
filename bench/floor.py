"""The floor: what a callback handler costs that does nothing but make the four spans of a step (two nodes, chat, tool)."""

# ruff: noqa: ARG002 -- the signatures are LangChain's
from __future__ import annotations

from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace import Span, set_span_in_context


class Floor(BaseCallbackHandler):
    """A handful of attributes a span; arguments and results cut to 4096 characters; no messages, no redaction, no current
    span, no guard, no store. A bound, not an equal."""

    run_inline = True

    def __init__(self, provider: TracerProvider) -> None:
        self._tracer = provider.get_tracer("floor")
        self._open: dict[UUID, Span] = {}

    def _start(self, name: str, run_id: UUID, parent_run_id: UUID | None, attributes: dict[str, Any]) -> None:
        parent = self._open.get(parent_run_id) if parent_run_id is not None else None
        context = set_span_in_context(parent) if parent is not None else None
        self._open[run_id] = self._tracer.start_span(name, context=context, attributes=attributes)

    def _end(self, run_id: UUID, attributes: dict[str, Any] | None = None) -> None:
        span = self._open.pop(run_id, None)
        if span is not None:
            span.set_attributes(attributes or {})
            span.end()

    def on_chain_start(self, serialized: Any, inputs: Any, *, run_id: UUID, parent_run_id: UUID | None = None, **rest: Any) -> None:
        self._start(f"chain {rest.get('name')}", run_id, parent_run_id, {"gen_ai.operation.name": "invoke_agent"})

    def on_chain_end(self, outputs: Any, *, run_id: UUID, **rest: Any) -> None:
        self._end(run_id)

    def on_chat_model_start(self, serialized: Any, messages: Any, *, run_id: UUID, parent_run_id: UUID | None = None, **rest: Any) -> None:
        attributes = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "scripted", "messages": len(messages[0])}
        self._start("chat scripted", run_id, parent_run_id, attributes)

    def on_llm_end(self, response: Any, *, run_id: UUID, **rest: Any) -> None:
        usage = response.generations[0][0].message.usage_metadata
        self._end(run_id, {"gen_ai.usage.input_tokens": usage["input_tokens"], "gen_ai.usage.output_tokens": usage["output_tokens"]})

    def on_tool_start(self, serialized: Any, input_str: str, *, run_id: UUID, parent_run_id: UUID | None = None, **rest: Any) -> None:
        attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": serialized["name"],
            "gen_ai.tool.call.id": rest.get("tool_call_id") or "",
            "gen_ai.tool.call.arguments": input_str[:4096],
        }
        self._start(f"execute_tool {serialized['name']}", run_id, parent_run_id, attributes)

    def on_tool_end(self, output: Any, *, run_id: UUID, **rest: Any) -> None:
        self._end(run_id, {"gen_ai.tool.call.result": str(getattr(output, "content", output))[:4096]})
