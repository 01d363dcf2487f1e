"""An agent of two model calls and one tool, beside somebody else's instrumentation or provider: `program.py WITH HOOKSPAN`.

Prints one JSON line: the spans that the application's own exporter got, by scope, and what was logged.
"""

from __future__ import annotations

import importlib
import json
import logging
import sys
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

import hookspan

INSTRUMENTORS = {
    "openinference": "openinference.instrumentation.langchain:LangChainInstrumentor",
    "openllmetry": "opentelemetry.instrumentation.langchain:LangchainInstrumentor",
    "genai": "opentelemetry.instrumentation.genai.langchain:LangChainInstrumentor",
}


class Model(GenericFakeChatModel):
    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self


@tool
def search(query: str) -> str:
    """Finds things."""
    with trace.get_tracer("application").start_as_current_span("inner"):
        return f"found {query}"


class Logged(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(f"{record.name}: {record.getMessage()}")


def ask() -> None:
    usage = {"input_tokens": 100, "output_tokens": 10, "total_tokens": 110}
    call = {"name": "search", "args": {"query": "shoes"}, "id": "call-1"}
    answers = [AIMessage("", tool_calls=[call], usage_metadata=usage), AIMessage("done", usage_metadata=usage)]
    agent = create_agent(Model(messages=iter(answers)), [search], name="clerk")
    with trace.get_tracer("application").start_as_current_span("request"):
        question: Any = {"messages": [("user", "hi")]}
        agent.invoke(question, {"configurable": {"thread_id": "t1"}})


def sdk(exporter: InMemorySpanExporter) -> None:
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)


def surround(name: str, exporter: InMemorySpanExporter) -> None:
    if name == "logfire":
        import logfire  # pyright: ignore[reportMissingImports]  # in the peers' environment only

        logfire.configure(send_to_logfire=False, console=False, additional_span_processors=[SimpleSpanProcessor(exporter)])
        return
    if name == "ddtrace":
        from ddtrace.opentelemetry import TracerProvider as DatadogProvider  # pyright: ignore[reportMissingImports]  # as above

        trace.set_tracer_provider(DatadogProvider())
        return
    sdk(exporter)
    if name in INSTRUMENTORS:
        module, _, kind = INSTRUMENTORS[name].partition(":")
        getattr(importlib.import_module(module), kind)().instrument()


def told(span: ReadableSpan) -> dict[str, Any]:
    assert span.context is not None
    return {
        "scope": span.instrumentation_scope.name if span.instrumentation_scope is not None else "",
        "name": span.name,
        "trace": span.context.trace_id,
        "id": span.context.span_id,
        "parent": span.parent.span_id if span.parent is not None else None,
        "attributes": {key: value for key, value in (span.attributes or {}).items() if isinstance(value, str | int | float | bool)},
    }


def main(name: str, ours: str) -> None:
    logged = Logged()
    logging.getLogger().addHandler(logged)
    exporter = InMemorySpanExporter()
    if ours == "before":
        hookspan.instrument()
    surround(name, exporter)
    if ours == "after":
        hookspan.instrument()
    ask()
    hookspan.uninstrument()
    print(json.dumps({"spans": [told(span) for span in exporter.get_finished_spans()], "logged": logged.lines}))


if __name__ == "__main__":
    main(*sys.argv[1:])
