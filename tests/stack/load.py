"""Senders that remember what they were told: the ids of every span whose request was acknowledged, and how often they had to wait."""

from __future__ import annotations

import itertools
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

import grpc
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2_grpc import TraceServiceStub

from hookspan.spans import names as n
from tests.stack.otlp import Plain, new_trace, request, span

SPANS_A_REQUEST = 60
SPANS_A_TRACE = 6
WAIT = {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.CANCELLED}
ARGUMENTS = '{"file_path":"/src/app/main.py","offset":0,"limit":200}' * 4


@dataclass
class Told:
    """What senders were told. `acknowledged` maps a span's id to its trace's."""

    acknowledged: dict[bytes, bytes] = field(default_factory=dict[bytes, bytes])
    waits: int = 0
    """Answers that mean: send it again later (503, 429, UNAVAILABLE, RESOURCE_EXHAUSTED), and connections that were refused or cut."""
    refusals: list[str] = field(default_factory=list[str])
    """Answers that mean: never send it again."""
    lock: threading.Lock = field(default_factory=threading.Lock)


def batch(number: int) -> ExportTraceServiceRequest:
    spans = [
        span(
            "execute_tool read_file",
            {**_SAID, n.SEQUENCE: place, n.TOOL_CALL_ID: f"call-{number}-{place}"},
            trace=trace,
            events=[(n.EVENT_TOOL_START, {"hookspan.tool.start.call_id": f"call-{number}-{place}"})],
        )
        for trace in (new_trace() for _ in range(SPANS_A_REQUEST // SPANS_A_TRACE))
        for place in range(SPANS_A_TRACE)
    ]
    return request(spans, "load")


_SAID: Mapping[str, Plain] = {
    n.RECORD: n.TOOL,
    n.TOOL_NAME: "read_file",
    n.AGENT_NAME: "clerk",
    n.FRAMEWORK: "langgraph",
    n.TOOL_OUTCOME: "success",
    n.CONVERSATION_ID: "thread-1",
    n.RUN_ID: "9f86d081884c7d659a2feaa0c55ad015",
    n.TOOL_ARGUMENTS: ARGUMENTS,
}


def _by_http(address: str, message: ExportTraceServiceRequest) -> str:
    post = urllib.request.Request(
        f"http://{address}/v1/traces", message.SerializeToString(), {"Content-Type": "application/x-protobuf"}, method="POST"
    )
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(post, timeout=5):
            return "yes"
    except urllib.error.HTTPError as error:
        return "wait" if error.code in {429, 502, 503, 504} else f"HTTP {error.code}: {error.read()[:200]!r}"
    except (OSError, TimeoutError):
        return "wait"


def _by_grpc(stub: TraceServiceStub, message: ExportTraceServiceRequest) -> str:
    try:
        stub.Export(message, timeout=5)
    except grpc.RpcError as error:
        code = error.code()
        return "wait" if code in WAIT else f"{code}: {error.details()}"
    return "yes"


@contextmanager
def under_load(at: Mapping[str, str], senders: int = 4, pause_s: float = 0.01) -> Generator[Told]:
    """Senders, half by HTTP and half by gRPC, until the block ends. Each sends a request until it is acknowledged or the block ends."""
    told, over, numbers = Told(), threading.Event(), itertools.count()

    def send(by_http: bool) -> None:
        channel = grpc.insecure_channel(at["COLLECTOR_GRPC"], options=[("grpc.max_reconnect_backoff_ms", 500)])
        stub = TraceServiceStub(channel)
        while not over.is_set():
            message = batch(next(numbers))
            while not over.is_set():
                said = _by_http(at["COLLECTOR_HTTP"], message) if by_http else _by_grpc(stub, message)
                with told.lock:
                    if said == "yes":
                        spans = message.resource_spans[0].scope_spans[0].spans
                        told.acknowledged.update((one.span_id, one.trace_id) for one in spans)
                    elif said == "wait":
                        told.waits += 1
                    else:
                        told.refusals.append(said)
                if said == "yes":
                    break
                time.sleep(0.1)
            time.sleep(pause_s)
        channel.close()

    threads = [threading.Thread(target=send, args=(number % 2 == 0,), daemon=True) for number in range(senders)]
    for thread in threads:
        thread.start()
    try:
        yield told
    finally:
        over.set()
        for thread in threads:
            thread.join(20)
