"""An OTLP/HTTP receiver on loopback: what arrives, decoded by OpenTelemetry's own protobuf classes."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue

Value = str | bool | int | float | list[object] | None


@dataclass(frozen=True)
class Arrived:
    """One span as it came over the wire. Ids are lower-case hex, `parent` is empty for a root."""

    name: str
    trace: str
    span: str
    parent: str
    attributes: dict[str, Value]
    scope: str
    resource: dict[str, Value]


@dataclass
class Receiver:
    endpoint: str = ""
    requests: list[str] = field(default_factory=list[str])
    """Paths, in the order in which they came."""
    spans: list[Arrived] = field(default_factory=list[Arrived])

    @property
    def environ(self) -> dict[str, str]:
        return {"OTEL_EXPORTER_OTLP_ENDPOINT": self.endpoint, "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"}

    def take(self) -> list[Arrived]:
        """What arrived since the last call."""
        spans, self.spans = self.spans, []
        self.requests.clear()
        return spans

    def accept(self, body: bytes) -> None:
        for group in ExportTraceServiceRequest.FromString(body).resource_spans:
            resource = {pair.key: _plain(pair.value) for pair in group.resource.attributes}
            for scoped in group.scope_spans:
                self.spans += [
                    Arrived(
                        name=span.name,
                        trace=span.trace_id.hex(),
                        span=span.span_id.hex(),
                        parent=span.parent_span_id.hex(),
                        attributes={pair.key: _plain(pair.value) for pair in span.attributes},
                        scope=scoped.scope.name,
                        resource=resource,
                    )
                    for span in scoped.spans
                ]


@contextmanager
def receiving() -> Generator[Receiver]:
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        takes: ClassVar[Receiver] = receiver

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            if self.headers.get("content-encoding") == "gzip":
                body = gzip.decompress(body)
            self.takes.requests.append(self.path)
            if self.path == "/v1/traces":
                self.takes.accept(body)
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the base class's name
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    receiver.endpoint = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


def _plain(value: AnyValue) -> Value:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_plain(one) for one in value.array_value.values]
    return getattr(value, kind) if kind is not None else None
