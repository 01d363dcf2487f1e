"""The table of every environment variable that hookspan reads: README and `hookspan doctor` print it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from hookspan.export import values
from hookspan.export.capture import CAPTURE_VALUES, capture_mode
from hookspan.export.frameworks import FRAMEWORKS
from hookspan.model.content import ContentMode, HookCallbacks
from hookspan.spans.payload import MAX_CONTENT_BYTES

T = TypeVar("T")

HTTP, GRPC = "http/protobuf", "grpc"


@dataclass(frozen=True)
class Setting(Generic[T]):
    """One variable. `parse` raises `ValueError` for what is not `allowed`; `shown` is the default in words."""

    name: str
    parse: Callable[[str], T]
    default: T
    shown: str
    allowed: str
    means: str


ENABLED = Setting[bool | None](
    "HOOKSPAN_ENABLED",
    values.switch,
    None,
    "not set",
    values.SWITCH,
    "true records every Python program of this environment, without code; false switches hookspan off, whatever the code says",
)
FRAMEWORK_NAMES = Setting[tuple[str, ...] | None](
    "HOOKSPAN_FRAMEWORKS",
    values.names_of(FRAMEWORKS),
    None,
    "all",
    f"names with commas between: {', '.join(FRAMEWORKS)}",
    "only these frameworks are recorded",
)
CONTENT = Setting[ContentMode | None](
    "HOOKSPAN_CONTENT",
    values.choice(ContentMode),
    None,
    "tools; none as soon as spans are exported",
    ", ".join(ContentMode),
    "what content is recorded: none, tools (arguments, results, commands) or full (messages too)",
)
REDACT = Setting[tuple[str, ...] | None](
    "HOOKSPAN_REDACT",
    values.redaction,
    (),
    "on",
    "on, off, or a regular expression that matches no empty text (several: a|b; flags inside: (?i:a))",
    "what is masked in content: known kinds of secrets, and what the expression matches",
)
MAX_CONTENT = Setting[int](
    "HOOKSPAN_MAX_CONTENT",
    values.whole(0, 1_048_576),
    MAX_CONTENT_BYTES,
    str(MAX_CONTENT_BYTES),
    "bytes, from 0 to 1048576",
    "longer content is cut to this length",
)
HOOK_CALLBACKS = Setting[HookCallbacks](
    "HOOKSPAN_HOOK_CALLBACKS",
    values.choice(HookCallbacks),
    HookCallbacks.CHANGED,
    str(HookCallbacks.CHANGED),
    ", ".join(HookCallbacks),
    "which of the program's own hook callbacks get a record: those that decided, changed something, raised or were slow; all; off: none",
)
HOME = Setting[Path | None](
    "HOOKSPAN_HOME",
    values.folder,
    None,
    "$XDG_STATE_HOME/hookspan, else ~/.local/state/hookspan",
    "an absolute path",
    "folder of the embedded store, readable by its owner only",
)
STORE = Setting[bool | None](
    "HOOKSPAN_STORE",
    values.switch,
    None,
    "true unless OTLP is configured",
    values.SWITCH,
    "keep the trail in the embedded store; true keeps it beside OTLP too",
)
STORE_MAX_MB = Setting[int](
    "HOOKSPAN_STORE_MAX_MB",
    values.whole(1, 1_048_576),
    512,
    "512",
    "megabytes, from 1 to 1048576",
    "the oldest finished runs leave the store when it is larger; a tombstone stays",
)
GLOBAL_PROVIDER = Setting[bool](
    "HOOKSPAN_GLOBAL_PROVIDER",
    values.switch,
    False,
    "false",
    values.SWITCH,
    "offer hookspan's tracer provider as OpenTelemetry's global one, when the program has set none",
)
EXIT_TIMEOUT = Setting[float](
    "HOOKSPAN_EXIT_TIMEOUT",
    values.seconds(0, 300),
    4.0,
    "4",
    "seconds, from 0 to 300",
    "the end of the program waits at most this long for the export",
)
FORCE = Setting[bool](
    "HOOKSPAN_FORCE",
    values.switch,
    False,
    "false",
    values.SWITCH,
    "record a Python program that an agent started, with a trail of its own",
)
LOG_LEVEL = Setting[str | None](
    "HOOKSPAN_LOG_LEVEL",
    values.one_of("debug", "info", "warning", "error", "critical"),
    None,
    "as the program's logging says, else warning",
    "debug, info, warning, error, critical",
    "level of the logger `hookspan`, which writes to stderr unless the program has set up logging",
)
SDK_DISABLED = Setting[bool](
    "OTEL_SDK_DISABLED",
    values.otel_switch,
    False,
    "false",
    values.SWITCH,
    "true switches hookspan off",
)
DISABLED_INSTRUMENTATIONS = Setting[tuple[str, ...]](
    "OTEL_PYTHON_DISABLED_INSTRUMENTATIONS",
    values.names,
    (),
    "none",
    "names with commas between, or *",
    "these frameworks are not recorded",
)
TRACES_EXPORTER = Setting[tuple[str, ...]](
    "OTEL_TRACES_EXPORTER",
    values.names,
    (),
    "otlp when an endpoint is set",
    "otlp, console (to stderr), none; others are the program's own affair",
    "none switches hookspan off, unless HOOKSPAN_STORE=true",
)
METRICS_EXPORTER = Setting[tuple[str, ...]](
    "OTEL_METRICS_EXPORTER",
    values.names,
    (),
    "otlp when an endpoint is set",
    "otlp, none; others are the program's own affair",
    "none sends no metrics",
)
ENDPOINT = Setting[str](
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    str.strip,
    "",
    "not set",
    "a URL",
    "the collector; the trail goes there instead of into the store",
)
TRACES_ENDPOINT = Setting[str](
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    str.strip,
    "",
    "as OTEL_EXPORTER_OTLP_ENDPOINT",
    "a URL",
    "the same, for spans alone",
)
METRICS_ENDPOINT = Setting[str](
    "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
    str.strip,
    "",
    "as OTEL_EXPORTER_OTLP_ENDPOINT",
    "a URL",
    "the same, for metrics alone",
)
PROTOCOL = Setting[str](
    "OTEL_EXPORTER_OTLP_PROTOCOL",
    values.one_of(HTTP, GRPC),
    HTTP,
    HTTP,
    f"{HTTP}, {GRPC}",
    "how OTLP is sent",
)
TRACES_PROTOCOL = Setting[str | None](
    "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL",
    values.one_of(HTTP, GRPC),
    None,
    "as OTEL_EXPORTER_OTLP_PROTOCOL",
    f"{HTTP}, {GRPC}",
    "the same, for spans alone",
)
METRICS_PROTOCOL = Setting[str | None](
    "OTEL_EXPORTER_OTLP_METRICS_PROTOCOL",
    values.one_of(HTTP, GRPC),
    None,
    "as OTEL_EXPORTER_OTLP_PROTOCOL",
    f"{HTTP}, {GRPC}",
    "the same, for metrics alone",
)
CAPTURE = Setting[ContentMode | None](
    "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT",
    capture_mode,
    None,
    "not set",
    CAPTURE_VALUES,
    "honoured when HOOKSPAN_CONTENT is not set: SPAN_ONLY and SPAN_AND_EVENT are full, the others none",
)
SERVICE_NAME = Setting[str]("OTEL_SERVICE_NAME", str, "", "unknown_service", "any text", "names the program in every backend")
RESOURCE = Setting[str]("OTEL_RESOURCE_ATTRIBUTES", str, "", "none", "key=value pairs with commas between", "attributes of the program")
SAMPLER = Setting[str](
    "OTEL_TRACES_SAMPLER",
    str,
    "",
    "parentbased_always_on",
    "OpenTelemetry's samplers",
    "which runs are exported over OTLP (argument: OTEL_TRACES_SAMPLER_ARG); the store always has all",
)
HEADERS = Setting[str]("OTEL_EXPORTER_OTLP_HEADERS", str, "", "none", "key=value pairs with commas between", "sent with every OTLP request")
TIMEOUT = Setting[str]("OTEL_EXPORTER_OTLP_TIMEOUT", str, "", "10", "seconds", "for one OTLP request, with its retries")

SETTINGS_TABLE: tuple[Setting[Any], ...] = (
    ENABLED,
    FRAMEWORK_NAMES,
    CONTENT,
    REDACT,
    MAX_CONTENT,
    HOOK_CALLBACKS,
    HOME,
    STORE,
    STORE_MAX_MB,
    GLOBAL_PROVIDER,
    EXIT_TIMEOUT,
    FORCE,
    LOG_LEVEL,
    SDK_DISABLED,
    DISABLED_INSTRUMENTATIONS,
    TRACES_EXPORTER,
    METRICS_EXPORTER,
    ENDPOINT,
    TRACES_ENDPOINT,
    METRICS_ENDPOINT,
    PROTOCOL,
    TRACES_PROTOCOL,
    METRICS_PROTOCOL,
    HEADERS,
    TIMEOUT,
    SERVICE_NAME,
    RESOURCE,
    SAMPLER,
    CAPTURE,
)
"""In the order in which they are shown. What hookspan does not parse (headers, sampler, ...) OpenTelemetry's SDK reads."""
