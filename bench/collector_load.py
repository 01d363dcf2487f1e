"""Load for the audit collector: spans of two shapes, serialised once, sent with ids of their own; and what it costs a process."""

from __future__ import annotations

import http.client
import itertools
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from opentelemetry.proto.trace.v1.trace_pb2 import Span

from hookspan.spans import names as n
from tests.stack.otlp import Plain, request, span
from tests.support.otlp_receiver import over_http

SPANS_A_REQUEST = 512


def plain_shape() -> list[Span]:
    """As in the first draft's figure: 12 attributes, two events, about 750 bytes."""
    said: Mapping[str, Plain] = {
        n.RECORD: n.TOOL,
        n.OPERATION_NAME: "execute_tool",
        n.TOOL_NAME: "read_file",
        n.FRAMEWORK: "langgraph",
        n.AGENT_NAME: "clerk",
        n.RUN_ID: "0af7651916cd43dd8448eb211c80319c",
        n.CONVERSATION_ID: "thread-1",
        n.TOOL_OUTCOME: "success",
        n.TOOL_ARGUMENTS_BYTES: 123,
        n.TOOL_ARGUMENTS: '{"file_path":"/src/app/main.py","offset":0,"limit":200}' + "x" * 60,
    }
    call = [f"call_{number:08d}" for number in range(SPANS_A_REQUEST)]
    ends = ((n.EVENT_TOOL_START, "hookspan.tool.start.call_id"), (n.EVENT_TOOL_END, "hookspan.tool.end.call_id"))
    return [
        span(
            "execute_tool read_file", {**said, n.TOOL_CALL_ID: one, n.SEQUENCE: number}, events=[(event, {key: one}) for event, key in ends]
        )
        for number, one in enumerate(call)
    ]


def demo_shape() -> list[Span]:
    """The records of `hookspan demo`, as they go over the wire."""
    with over_http() as received, tempfile.TemporaryDirectory() as home:
        environ = {**os.environ, "HOOKSPAN_HOME": home, **received.environ}
        subprocess.run([sys.executable, "-m", "hookspan", "demo", "--json"], env=environ, stdout=subprocess.DEVNULL, check=True)
        return [Span.FromString(received.spans[number % len(received.spans)].SerializeToString()) for number in range(SPANS_A_REQUEST)]


class Requests:
    """Serialised requests, each with ids of its own, made by replacing bytes: sending costs next to nothing."""

    def __init__(self, spans: Sequence[Span]) -> None:
        for number, one in enumerate(spans):
            one.trace_id = b"TRACE%03d" % (number // 26) + b"RUNRUNXX"
            one.span_id = b"%04dXXXX" % number
            if one.parent_span_id:
                one.parent_span_id = b"%04dXXXX" % (number // 26 * 26)
        self.template = request(spans, "bench").SerializeToString()
        self._numbers = itertools.count(random.getrandbits(31))

    def next(self) -> bytes:
        number = next(self._numbers) & 0xFFFFFFFF
        return self.template.replace(b"RUNRUNXX", b"%08x" % number).replace(b"XXXX", number.to_bytes(4, "big"))


def cpu_s(process: subprocess.Popen[bytes]) -> float:
    fields = Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def send_all(address: str, requests: Requests, count: int) -> None:
    left, lock = [count // SPANS_A_REQUEST], threading.Lock()

    def run() -> None:
        connection = http.client.HTTPConnection(address)
        while True:
            with lock:
                if left[0] <= 0:
                    return
                left[0] -= 1
                body = requests.next()
            while True:
                connection.request("POST", "/v1/traces", body, {"Content-Type": "application/x-protobuf"})
                answer = connection.getresponse()
                answer.read()
                if answer.status == 200:
                    break
                time.sleep(0.05)

    senders = [threading.Thread(target=run) for _ in range(2)]
    for sender in senders:
        sender.start()
    for sender in senders:
        sender.join()
