"""What agents really carry: odd values, large ones, media, none at all (cases P40 to P43, P56 to P58, P60, P61)."""

from __future__ import annotations

import datetime as dt
import json
import logging
import uuid
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import StructuredTool, tool
from langgraph.graph import START, MessagesState, StateGraph

from hookspan.store.reader import opened
from tests.payloads.conftest import Sending
from tests.support.models import Scripted, calls, says
from tests.support.otlp_receiver import over_grpc, over_http, plain


def _prompt(text: str) -> Any:
    return {"messages": [("user", text)]}


ASK = _prompt("go")
MIB = 1024 * 1024


class Unspeakable:
    def __str__(self) -> str:
        raise ValueError("nothing to say")

    __repr__ = __str__


def _cycle() -> dict[str, object]:
    loop: dict[str, object] = {}
    loop["self"] = loop
    return loop


ODD: dict[str, Any] = {
    "half an emoji": "\ud83e",
    "bytes": b"\xff",
    "not a number": float("nan"),
    "a huge integer": 2**70,
    "a path": Path("/tmp/x"),
    "a uuid": uuid.UUID(int=1),
    "a date": dt.datetime(2026, 12, 1, tzinfo=dt.UTC),
    "a set": {1},
    "unspeakable": Unspeakable(),
    "a cycle": _cycle(),
}


def _direct(value: object) -> StructuredTool:
    """A tool that the program calls itself, so that its result is the value and no message made of it."""
    return StructuredTool.from_function(lambda: value, name="odd", description="Returns something odd.")


def test_odd_values_cost_neither_their_own_record_nor_their_neighbours(sending: Sending, caplog: pytest.LogCaptureFixture) -> None:
    with over_http() as received, sending(received) as sent, caplog.at_level(logging.WARNING):
        for value in ODD.values():
            _direct(value).invoke({})
        agent = create_agent(Scripted(script=[calls(("c1", "search", {"q": "\ud83e"})), says("\ud83e")]), [_search], name="\ud83e clerk")
        for _ in range(10):
            agent.invoke(ASK)
        sent.flush()
    assert len(received.named("execute_tool odd")) == len(ODD)
    results = [plain(span.attributes)["gen_ai.tool.call.result"] for span in received.named("execute_tool odd")]
    assert results == [
        "\ufffd",
        '"<1 bytes>"',
        "null",
        '"1180591620717411303424"',
        '"/tmp/x"',
        '"00000000-0000-0000-0000-000000000001"',
        '"2026-12-01T00:00:00+00:00"',
        "[1]",
        '"<Unspeakable>"',
        '{"self":"<cycle>"}',
    ]
    assert len(received.named("invoke_agent \ufffd clerk")) == 10
    assert [record.message for record in caplog.records if record.name.startswith(("opentelemetry", "hookspan"))] == []


@tool
def _search(q: str) -> str:
    """Finds things."""
    return f"found {q}"


@pytest.mark.parametrize("receiver", [over_http, over_grpc], ids=["http", "grpc"])
def test_no_request_is_larger_than_a_receiver_takes(receiver: Any, sending: Sending) -> None:
    sizes = {f"c{number}": 200_000 for number in range(40)} | {"c40": 8_000_000}

    @tool
    def fetch(size: int) -> str:
        """Fetches that many characters."""
        return "x" * size

    step = calls(*((call, "fetch", {"size": size}) for call, size in sizes.items()))
    with receiver() as received, sending(received, HOOKSPAN_MAX_CONTENT="1048576") as sent:
        create_agent(Scripted(script=[step, says("done")]), [fetch]).invoke(ASK)
        sent.flush()
    tools = {str(plain(span.attributes)["gen_ai.tool.call.id"]): plain(span.attributes) for span in received.named("execute_tool fetch")}
    assert {call: attributes["hookspan.tool.result_bytes"] for call, attributes in tools.items()} == sizes
    assert all(len(str(attributes["gen_ai.tool.call.result"])) == min(sizes[call], 1048576) for call, attributes in tools.items())
    assert tools["c40"]["hookspan.content.truncated"] == ["gen_ai.tool.call.result=8000000"]
    assert max(received.sizes) < 4 * MIB


def test_a_model_that_tells_nothing_leaves_no_empty_attributes(sending: Sending, caplog: pytest.LogCaptureFixture) -> None:
    with over_http() as received, sending(received) as sent, caplog.at_level(logging.WARNING):
        create_agent(Scripted(script=[AIMessage("hi", id=None)], model=""), []).invoke(ASK, {"metadata": {"odd": None}})
        sent.flush()
    (chat,) = [span for span in received.spans if span.name.startswith("chat")]
    attributes = plain(chat.attributes)
    assert None not in attributes.values()
    assert "" not in attributes.values()
    assert not {"gen_ai.usage.input_tokens", "gen_ai.response.id", "gen_ai.response.finish_reasons"} & attributes.keys()
    assert [record.message for record in caplog.records if record.name.startswith("opentelemetry")] == []


def test_media_are_told_by_type_and_size_and_text_stays(sending: Sending) -> None:
    pdf = "JVBERi0x" * 650_000
    content: Any = [
        {"type": "text", "text": "what is in this?"},
        {"type": "file", "mime_type": "application/pdf", "base64": pdf},
    ]

    def passes_on(state: MessagesState) -> dict[str, Any]:
        return {}

    def reads(state: MessagesState) -> dict[str, Any]:
        return {"messages": [Scripted(script=[says("a report")]).invoke(state["messages"])]}

    graph = StateGraph(MessagesState)
    names = [f"step{number}" for number in range(5)]
    for name in names:
        graph.add_node(name, passes_on)
    graph.add_node("model", reads)
    graph.add_edge(START, names[0])
    for first, second in zip(names, [*names[1:], "model"], strict=True):
        graph.add_edge(first, second)
    compiled: Any = graph.compile()
    with over_http() as received, sending(received) as sent:
        compiled.invoke({"messages": [HumanMessage(content)]})
        sent.flush()
    assert sum(received.sizes) < MIB
    (chat,) = [span for span in received.spans if span.name.startswith("chat")]
    told = json.loads(str(plain(chat.attributes)["gen_ai.input.messages"]))
    assert told[0]["parts"][0] == {"type": "text", "content": "what is in this?"}
    assert told[0]["parts"][1]["mime_type"] == "application/pdf"
    assert told[0]["parts"][1]["size_bytes"] >= len(pdf)


def test_history_is_told_once(sending: Sending) -> None:
    """100 turns over a history of 100 kB: a trace that repeats it in each model call has 10 MB."""
    steps = [calls((f"c{number}", "search", {"q": str(number)})) for number in range(100)]

    @tool
    def search(q: str) -> str:
        """Finds a thousand characters."""
        return "y" * 1000

    agent = create_agent(Scripted(script=[*steps, says("done")]), [search])
    with over_http() as received, sending(received) as sent:
        agent.invoke(ASK, {"recursion_limit": 500})
        sent.flush()
    assert sum(received.sizes) < 1.5 * MIB
    chats = [plain(span.attributes) for span in received.spans if span.name.startswith("chat")]
    before = sorted(int(str(chat["hookspan.content.messages_before"])) for chat in chats)
    assert before == [0, *range(1, 200, 2)]


def test_names_stay_few_whatever_agents_invent(sending: Sending) -> None:
    with over_http() as received, sending(received) as sent:
        for number in range(200):
            invented = calls((f"c{number}", f"invented_{number}", {}))
            agent = create_agent(Scripted(script=[invented, says(f"answer {number}")]), [_search], name="clerk")
            agent.invoke(_prompt(f"prompt {uuid.uuid4()}"), {"configurable": {"thread_id": str(uuid.uuid4())}})
        sent.flush()
    names = {span.name for span in received.spans}
    assert len(names) < 50, sorted(names)[:60]


@pytest.mark.parametrize("thread", ["t1", uuid.UUID(int=7)], ids=["text", "uuid"])
def test_every_span_has_the_conversation_when_it_starts(thread: object, sending: Sending) -> None:
    @tool
    def broken() -> str:
        """Fails."""
        raise ValueError("no")

    agent = create_agent(Scripted(script=[calls(("c1", "broken", {}))]), [broken])
    with over_http() as received, sending(received) as sent:
        with pytest.raises(ValueError, match="no"):
            agent.invoke(ASK, {"configurable": {"thread_id": thread}})
        sent.flush()
        with opened(sent.store) as trail:
            stored = {span.attributes["gen_ai.conversation.id"] for span in trail.spans(trail.runs()[0].trace_id)}
    assert len(received.spans) == 3
    assert {str(plain(span.attributes)["gen_ai.conversation.id"]) for span in received.spans} == {str(thread)}
    assert stored == {str(thread)}


def test_tool_content_stands_where_backends_look(sending: Sending) -> None:
    @tool
    def word(a: int) -> str:
        """Returns a word."""
        return "done"

    @tool
    def facts(a: int) -> dict[str, int]:
        """Returns a dictionary."""
        return {"a": a}

    step = calls(("c1", "word", {"a": 1}), ("c2", "facts", {"a": 1}))
    agent = create_agent(Scripted(script=[step, says("done")]), [word, facts])
    with over_http() as received, sending(received, content="tools") as sent:
        agent.invoke(ASK)
        sent.flush()
    on = {str(plain(span.attributes)["gen_ai.tool.call.id"]): plain(span.attributes) for span in received.spans if "tool" in span.name}
    assert [on[call]["gen_ai.tool.call.arguments"] for call in ("c1", "c2")] == ['{"a":1}', '{"a":1}']
    assert on["c1"]["gen_ai.tool.call.result"] == "done"
    assert json.loads(str(on["c2"]["gen_ai.tool.call.result"])) == {"a": 1}
    with over_http() as received, sending(received, content="none") as sent:
        agent.invoke(ASK)
        sent.flush()
    for span in received.spans:
        if "tool" in span.name:
            off = plain(span.attributes)
            assert not {"gen_ai.tool.call.arguments", "gen_ai.tool.call.result"} & off.keys()
            assert {"gen_ai.tool.call.id", "gen_ai.tool.name", "hookspan.tool.outcome", "hookspan.tool.result_bytes"} <= off.keys()


def test_short_facts_stand_on_their_own_beside_long_content(sending: Sending) -> None:
    @tool
    def fetch() -> str:
        """Returns ten thousand characters."""
        return "z" * 10_000

    with over_http() as received, sending(received, content="tools") as sent:
        create_agent(Scripted(script=[calls(("c1", "fetch", {})), says("done")]), [fetch]).invoke(ASK)
        sent.flush()
    (span,) = received.named("execute_tool fetch")
    attributes = plain(span.attributes)
    facts = {"gen_ai.tool.call.id": "c1", "hookspan.tool.outcome": "success", "hookspan.tool.result_bytes": 10_000}
    assert {name: attributes[name] for name in facts} == facts
    long = [name for name, value in attributes.items() if isinstance(value, str) and len(value) > 256]
    assert long == ["gen_ai.tool.call.result"]


def test_secrets_are_masked_before_they_are_kept_anywhere(sending: Sending) -> None:
    secret = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"

    @tool
    def deploy(key: str) -> str:
        """Deploys."""
        return f"deployed with password={key[::-1]} and {key}"

    script = [calls(("c1", "deploy", {"key": secret})), says(f"I used {secret}")]
    with over_http() as received, sending(received) as sent:
        create_agent(Scripted(script=script), [deploy]).invoke(_prompt(f"use {secret}"))
        sent.flush()
        everything = "".join(span.SerializeToString().decode("utf-8", "replace") for span in received.spans)
        stored = b"".join(file.read_bytes() for file in sent.store.parent.glob("trail.db*"))
    assert "[redacted]" in everything
    assert secret not in everything
    assert secret[::-1] not in everything
    assert secret.encode() not in stored
