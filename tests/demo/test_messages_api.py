"""The scripted Messages API, asked by Anthropic's own client."""

from __future__ import annotations

import json
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from typing import Any

import anthropic
import pytest
from anthropic.types import MessageParam, ToolParam

from hookspan.demo.messages_api import HOST, MessagesApi
from hookspan.demo.script import Call, Refusal, Say, Tokens, Turn, asked

LOOK: ToolParam = {"name": "look", "description": "looks", "input_schema": {"type": "object"}}
HELLO: MessageParam = {"role": "user", "content": "hello"}
SCRIPT = [
    Turn(
        asked("boss", results=0),
        [Say("I look at both."), Call("toolu_a", "look", {"at": "a" * 60}), Call("toolu_b", "look", {"at": "b"})],
        Tokens(input=10, output=20, cache_read=300, cache_creation=40),
    ),
    Turn(asked("boss", results=2), [Say("Seen.")], Tokens(input=5, output=6)),
]


def client(api: MessagesApi, *, retries: int = 0) -> anthropic.Anthropic:
    return anthropic.Anthropic(base_url=api.url, api_key="k", max_retries=retries, timeout=5)


def ask(api: MessagesApi, *messages: MessageParam, system: str = "the boss", retries: int = 0) -> anthropic.types.Message:
    with client(api, retries=retries) as asking:
        return asking.messages.create(model="m-1", max_tokens=100, system=system, tools=[LOOK], messages=list(messages) or [HELLO])


def results(*answers: tuple[str, str]) -> list[MessageParam]:
    calls: list[Any] = [{"type": "tool_use", "id": call, "name": "look", "input": {}} for call, _ in answers]
    told: list[Any] = [{"type": "tool_result", "tool_use_id": call, "content": text} for call, text in answers]
    return [HELLO, {"role": "assistant", "content": calls}, {"role": "user", "content": told}]


def test_a_turn_is_chosen_by_agent_and_by_the_results_so_far() -> None:
    with MessagesApi(SCRIPT) as api:
        first = ask(api)
        second = ask(api, *results(("toolu_a", "A"), ("toolu_b", "B")))

    assert [(block.type, getattr(block, "id", None)) for block in first.content] == [
        ("text", None),
        ("tool_use", "toolu_a"),
        ("tool_use", "toolu_b"),
    ]
    assert first.stop_reason == "tool_use"
    assert (first.id, second.id) == ("msg_01_1", "msg_02_1")
    assert second.stop_reason == "end_turn"
    assert (first.usage.input_tokens, first.usage.output_tokens) == (10, 20)
    assert (first.usage.cache_read_input_tokens, first.usage.cache_creation_input_tokens) == (300, 40)
    assert [result.text for result in api.requests[1].results] == ["A", "B"]
    assert api.complaints == []


def test_a_streamed_answer_adds_up_to_the_plain_one_and_comes_in_pieces() -> None:
    with MessagesApi(SCRIPT) as api, client(api) as asking:
        plain = ask(api)
        with asking.messages.stream(model="m-1", max_tokens=100, system="the boss", tools=[LOOK], messages=[HELLO]) as stream:
            pieces = [event for event in stream if event.type == "input_json"]
            streamed = stream.get_final_message()

    assert len(pieces) > 3
    assert streamed.id == "msg_01_2"  # the same turn, used again
    assert streamed.model_dump(exclude={"id"}) == plain.model_dump(exclude={"id"})


def test_a_failure_that_happens_once_is_over_for_the_client_that_tries_again() -> None:
    script = [Refusal(asked("boss"), 529, "overloaded_error", "Overloaded", times=1), *SCRIPT]
    with MessagesApi(script) as api:
        with pytest.raises(anthropic.APIStatusError, match="Overloaded") as failed:
            ask(api, retries=0)
        assert failed.value.status_code == 529
        assert ask(api).id == "msg_02_1"

    with MessagesApi(script) as api:
        assert ask(api, retries=1).id == "msg_02_1"
        assert len(api.requests) == 2


def test_an_answer_can_stop_at_its_token_limit() -> None:
    with MessagesApi([Turn(asked(), [Say("and then")], Tokens(1, 100), stop="max_tokens")]) as api:
        assert ask(api).stop_reason == "max_tokens"


@pytest.mark.parametrize(
    ("messages", "complaint"),
    [
        ([{"role": "assistant", "content": "hm"}], "role user"),
        (results(("toolu_a", "A"))[:2], "tool_use without a tool_result: toolu_a"),
        ([*results(("toolu_a", "A"))[:2], HELLO], "tool_use without a tool_result immediately after it: toolu_a"),
        ([HELLO, results(("toolu_a", "A"))[2]], "tool_result without a tool_use in the message before it: toolu_a"),
        (results(("toolu_a", "A")), "no turn for 1 tool results of the agent with the system prompt 'the boss'"),
    ],
)
def test_what_the_real_api_refuses_is_refused(messages: list[MessageParam], complaint: str) -> None:
    with MessagesApi(SCRIPT) as api:
        with pytest.raises(anthropic.BadRequestError, match=complaint):
            ask(api, *messages)
        assert len(api.complaints) == 1
        assert complaint in api.complaints[0]


def test_a_script_that_calls_a_tool_nobody_offered_is_told() -> None:
    script = [Turn(asked(), [Call("toolu_x", "fly")], Tokens(1, 1))]
    with MessagesApi(script) as api, pytest.raises(anthropic.BadRequestError, match="does not offer: fly"):
        ask(api)


@pytest.mark.parametrize(
    ("path", "headers", "body", "status", "text"),
    [
        ("/v1/else", {"x-api-key": "k"}, b"{}", 404, "no such path"),
        ("/v1/messages", {}, b"{}", 401, "x-api-key"),
        ("/v1/messages", {"x-api-key": "k"}, b"{}", 400, "anthropic-version"),
        ("/v1/messages", {"x-api-key": "k", "anthropic-version": "2023-06-01"}, b"{", 400, "not JSON"),
        ("/v1/messages", {"x-api-key": "k", "anthropic-version": "2023-06-01"}, b"[]", 400, "an object is required"),
        ("/v1/messages", {"x-api-key": "k", "anthropic-version": "2023-06-01"}, b'{"messages":[{"role":"user"}]}', 400, "max_tokens"),
    ],
)
def test_a_bad_request_gets_an_error_in_the_api_s_form(path: str, headers: dict[str, str], body: bytes, status: int, text: str) -> None:
    with MessagesApi(SCRIPT) as api:
        connection = HTTPConnection(api.url.removeprefix("http://"), timeout=5)
        connection.request("POST", path, body, headers)
        response = connection.getresponse()
        answer = json.loads(response.read())
        connection.close()

    assert response.status == status
    assert answer["type"] == "error"
    assert text in answer["error"]["message"]


def test_parallel_agents_are_served_at_the_same_time() -> None:
    together = threading.Barrier(2, timeout=5)

    class Meeting(MessagesApi):
        def wait(self, seconds: float) -> None:
            together.wait()

    with Meeting([Turn(asked(), [Say("ok")], Tokens(1, 1))]) as api, ThreadPoolExecutor(2) as agents:
        answers = [agents.submit(ask, api, system=name) for name in ("one", "two")]
        assert [answer.result(5).stop_reason for answer in answers] == ["end_turn", "end_turn"]


def test_it_stops_by_itself_even_while_an_answer_is_delayed() -> None:
    begun = time.monotonic()
    with ThreadPoolExecutor(1) as agents:
        with MessagesApi([Turn(asked(), [Say("late")], Tokens(1, 1), delay_s=60)]) as api:
            waiting = agents.submit(ask, api)
            while not api.requests:
                time.sleep(0.01)
        assert waiting.result(5).stop_reason == "end_turn"

    assert time.monotonic() - begun < 5
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((HOST, int(api.url.rpartition(":")[2])), timeout=1)


def test_a_client_that_goes_away_in_the_middle_leaves_no_trace_on_the_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    long = Turn(asked(), [Say("x" * 4_000_000)], Tokens(1, 1))
    with MessagesApi([long]) as api:
        asking = client(api)
        with asking.messages.stream(model="m", max_tokens=9, messages=[HELLO]) as stream:
            next(iter(stream))
        asking.close()
        while any(thread.name.startswith("Thread-") and "process_request" in thread.name for thread in threading.enumerate()):
            time.sleep(0.01)

    assert capfd.readouterr().err == ""


def test_a_taken_port_is_named() -> None:
    with socket.create_server((HOST, 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(OSError, match=f"cannot listen on {HOST}:{port}"), MessagesApi(SCRIPT, port=port):
            pass
