"""OTLP receivers on loopback, HTTP and gRPC, that can also be slow, silent, down or refuse: what arrives, as protobuf."""

from __future__ import annotations

import gzip
import socket
import threading
import time
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import grpc
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest, ExportMetricsServiceResponse
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2_grpc import (
    MetricsServiceServicer,
    add_MetricsServiceServicer_to_server,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest, ExportTraceServiceResponse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2_grpc import TraceServiceServicer, add_TraceServiceServicer_to_server
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.metrics.v1.metrics_pb2 import Metric
from opentelemetry.proto.trace.v1.trace_pb2 import Span

Value = str | bool | int | float | bytes | list[object] | dict[str, object] | None


@dataclass
class Received:
    """Everything that arrived so far. `before` runs in the server before each request is answered: it may sleep;
    `refuse` answers that many requests as unavailable first."""

    endpoint: str = ""
    protocol: str = ""
    spans: list[Span] = field(default_factory=list[Span])
    metrics: list[Metric] = field(default_factory=list[Metric])
    sizes: list[int] = field(default_factory=list[int])
    """Bytes of each request with spans, uncompressed."""
    resources: list[dict[str, Value]] = field(default_factory=list[dict[str, Value]])
    before: Callable[[], None] = lambda: None
    refuse: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def environ(self) -> dict[str, str]:
        """The standard variables that send a program's spans and metrics here."""
        return {"OTEL_EXPORTER_OTLP_ENDPOINT": self.endpoint, "OTEL_EXPORTER_OTLP_PROTOCOL": self.protocol, "NO_PROXY": "127.0.0.1"}

    def named(self, name: str) -> list[Span]:
        return [span for span in self.spans if span.name == name]

    def accepts(self) -> bool:
        """False when this request is to be answered as unavailable."""
        self.before()
        with self._lock:
            self.refuse -= 1
            return self.refuse < 0

    def take_spans(self, request: ExportTraceServiceRequest) -> None:
        with self._lock:
            self.sizes.append(request.ByteSize())
            for group in request.resource_spans:
                self.resources.append(plain(group.resource.attributes))
                for scoped in group.scope_spans:
                    self.spans += scoped.spans

    def take_metrics(self, request: ExportMetricsServiceRequest) -> None:
        with self._lock:
            for group in request.resource_metrics:
                for scoped in group.scope_metrics:
                    self.metrics += scoped.metrics

    def wait_for(self, count: int, within_s: float = 20.0) -> None:
        """Until `count` spans are here."""
        until = time.monotonic() + within_s
        while len(self.spans) < count and time.monotonic() < until:
            time.sleep(0.01)
        assert len(self.spans) >= count, f"{len(self.spans)} of {count} spans arrived"


@contextmanager
def over_http() -> Generator[Received]:
    received = Received(protocol="http/protobuf")

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            if self.headers.get("content-encoding") == "gzip":
                body = gzip.decompress(body)
            accepted = received.accepts()
            if accepted and self.path == "/v1/traces":
                received.take_spans(ExportTraceServiceRequest.FromString(body))
            elif accepted and self.path == "/v1/metrics":
                received.take_metrics(ExportMetricsServiceRequest.FromString(body))
            self.send_response(200 if accepted else 503)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the base class names it so
            return None

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    received.endpoint = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield received
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Traces(TraceServiceServicer):
    def __init__(self, received: Received) -> None:
        self._received = received

    def Export(  # noqa: N802 -- the service names it so
        self, request: ExportTraceServiceRequest, context: grpc.ServicerContext
    ) -> ExportTraceServiceResponse:
        if self._received.accepts():
            self._received.take_spans(request)
        else:
            context.set_code(grpc.StatusCode.UNAVAILABLE)
        return ExportTraceServiceResponse()


class _Metrics(MetricsServiceServicer):
    def __init__(self, received: Received) -> None:
        self._received = received

    def Export(  # noqa: N802 -- the service names it so
        self, request: ExportMetricsServiceRequest, context: grpc.ServicerContext
    ) -> ExportMetricsServiceResponse:
        if self._received.accepts():
            self._received.take_metrics(request)
        else:
            context.set_code(grpc.StatusCode.UNAVAILABLE)
        return ExportMetricsServiceResponse()


@contextmanager
def over_grpc() -> Generator[Received]:
    """With gRPC's own limit of 4 MiB a message."""
    received = Received(protocol="grpc")
    server = grpc.server(ThreadPoolExecutor(4))
    add_TraceServiceServicer_to_server(_Traces(received), server)
    add_MetricsServiceServicer_to_server(_Metrics(received), server)
    received.endpoint = f"http://127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    server.start()
    try:
        yield received
    finally:
        server.stop(None).wait()


@contextmanager
def silent() -> Generator[str]:
    """The endpoint of a collector that accepts connections and never answers."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        listener.close()


def dead() -> str:
    """An endpoint where nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return f"http://127.0.0.1:{listener.getsockname()[1]}"


def plain(pairs: Iterable[KeyValue]) -> dict[str, Value]:
    return {pair.key: _plain(pair.value) for pair in pairs}


def _plain(value: AnyValue) -> Value:
    kind = value.WhichOneof("value")
    if kind is None:
        return None
    if kind == "array_value":
        return [_plain(each) for each in value.array_value.values]
    if kind == "kvlist_value":
        return {pair.key: _plain(pair.value) for pair in value.kvlist_value.values}
    found: Value = getattr(value, kind)
    return found
