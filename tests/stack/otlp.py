"""Spans for the collector, made and sent without an SDK: what a test puts in is what goes over the wire."""

from __future__ import annotations

import itertools
import os
import time
import urllib.request
from collections.abc import Iterable, Mapping, Sequence

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, KeyValue, KeyValueList
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

Plain = str | bool | int | float | list[str] | Mapping[str, str]

_ids = itertools.count(1)


def value(plain: Plain) -> AnyValue:
    match plain:
        case str():
            return AnyValue(string_value=plain)
        case bool():
            return AnyValue(bool_value=plain)
        case int():
            return AnyValue(int_value=plain)
        case float():
            return AnyValue(double_value=plain)
        case list():
            return AnyValue(array_value=ArrayValue(values=[value(one) for one in plain]))
        case _:
            return AnyValue(kvlist_value=KeyValueList(values=pairs(plain)))


def pairs(attributes: Mapping[str, str] | Mapping[str, Plain]) -> list[KeyValue]:
    return [KeyValue(key=key, value=value(plain)) for key, plain in attributes.items()]


def new_trace() -> bytes:
    return os.urandom(16)


def span(
    name: str,
    attributes: Mapping[str, Plain],
    *,
    trace: bytes | None = None,
    parent: bytes = b"",
    seconds: float = 0.01,
    error: str = "",
    events: Sequence[tuple[str, Mapping[str, Plain]]] = (),
    links: Sequence[Mapping[str, Plain]] = (),
) -> Span:
    """One span that ends now. `error` is the status message of a failed one; `links` are the attributes of each link."""
    end = time.time_ns()
    return Span(
        name=name,
        trace_id=trace or new_trace(),
        span_id=next(_ids).to_bytes(4, "big") + os.urandom(4),
        parent_span_id=parent,
        start_time_unix_nano=end - int(seconds * 1e9),
        end_time_unix_nano=end,
        attributes=pairs(attributes),
        status=Status(code=Status.STATUS_CODE_ERROR, message=error) if error else None,
        events=[Span.Event(name=event, time_unix_nano=end, attributes=pairs(said)) for event, said in events],
        links=[Span.Link(trace_id=new_trace(), span_id=os.urandom(8), attributes=pairs(said)) for said in links],
    )


def request(spans: Iterable[Span], service: str, resource: Mapping[str, Plain] | None = None) -> ExportTraceServiceRequest:
    """As one process sends it: with an instance id of its own."""
    message = ExportTraceServiceRequest()
    block = message.resource_spans.add()
    block.resource.attributes.extend(
        pairs({"service.name": service, "service.instance.id": os.urandom(8).hex(), "process.pid": os.getpid(), **(resource or {})})
    )
    scope = block.scope_spans.add()
    scope.scope.name = "hookspan"
    scope.spans.extend(spans)
    return message


def send(address: str, message: ExportTraceServiceRequest) -> None:
    """Sends it by OTLP/HTTP. Raises HTTPError when the collector does not take it."""
    post = urllib.request.Request(
        f"http://{address}/v1/traces", message.SerializeToString(), {"Content-Type": "application/x-protobuf"}, method="POST"
    )
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(post, timeout=30) as answer:
        assert answer.status == 200
