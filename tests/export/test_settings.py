"""What the environment comes to: defaults, precedence, and bad values that cost only themselves."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from hookspan.export.settings import GRPC, HTTP, SETTINGS_TABLE, Setting, Settings, load
from hookspan.model.content import ContentMode, HookCallbacks
from hookspan.spans.redact import redactor

OTLP = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}


def test_an_empty_environment_records_langgraph_into_the_store() -> None:
    settings = load({"HOME": "/nowhere"})

    assert settings.off is None
    assert settings.frameworks == ("langgraph",)
    assert (settings.store_enabled, settings.otlp_enabled, settings.otlp_metrics_enabled) == (True, False, False)
    assert (settings.content, settings.redact, settings.max_content) == (None, (), 16_384)
    assert settings.traces_protocol == HTTP
    assert settings.problems == ()


@pytest.mark.parametrize("setting", SETTINGS_TABLE, ids=lambda setting: setting.name)
def test_every_row_has_what_a_reader_needs_and_an_empty_value_is_its_default(setting: Setting[object]) -> None:
    assert setting.shown
    assert setting.allowed
    assert setting.means
    assert load({setting.name: "  "}) == load({})


def test_names_are_unique() -> None:
    names = [setting.name for setting in SETTINGS_TABLE]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("environ", "field", "value"),
    [
        ({"HOOKSPAN_ENABLED": "TRUE"}, "enabled", True),
        ({"HOOKSPAN_ENABLED": "0"}, "enabled", False),
        ({"HOOKSPAN_FRAMEWORKS": "LangGraph, "}, "frameworks", ("langgraph",)),
        ({"OTEL_PYTHON_DISABLED_INSTRUMENTATIONS": "urllib3,langgraph"}, "frameworks", ()),
        ({"OTEL_PYTHON_DISABLED_INSTRUMENTATIONS": "*"}, "frameworks", ()),
        ({"HOOKSPAN_CONTENT": "Full"}, "content", ContentMode.FULL),
        ({"HOOKSPAN_REDACT": "off"}, "redact", None),
        ({"HOOKSPAN_REDACT": "on"}, "redact", ()),
        ({"HOOKSPAN_REDACT": r"EMP-\d{6}|(?i:project x)"}, "redact", (r"EMP-\d{6}|(?i:project x)",)),
        ({"HOOKSPAN_MAX_CONTENT": "0"}, "max_content", 0),
        ({"HOOKSPAN_HOOK_CALLBACKS": "ALL"}, "hook_callbacks", HookCallbacks.ALL),
        ({"HOOKSPAN_HOME": "/srv/trail"}, "home", Path("/srv/trail")),
        ({"XDG_STATE_HOME": "/x/state"}, "home", Path("/x/state/hookspan")),
        ({"HOOKSPAN_STORE_MAX_MB": "2"}, "store_max_mb", 2),
        ({"HOOKSPAN_GLOBAL_PROVIDER": "yes"}, "global_provider", True),
        ({"HOOKSPAN_EXIT_TIMEOUT": "0.5"}, "exit_timeout_s", 0.5),
        ({"HOOKSPAN_FORCE": "true"}, "force", True),
        ({"HOOKSPAN_LOG_LEVEL": "DEBUG"}, "log_level", "debug"),
        ({"OTEL_SDK_DISABLED": "TRUE"}, "sdk_disabled", True),
        ({"OTEL_SDK_DISABLED": "1"}, "sdk_disabled", False),
        ({"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, "traces_protocol", GRPC),
        ({"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/protobuf"}, "traces_protocol", HTTP),
        ({"OTEL_EXPORTER_OTLP_METRICS_PROTOCOL": "grpc"}, "metrics_protocol", GRPC),
        ({**OTLP, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://t/v1/traces"}, "traces_endpoint", "http://t/v1/traces"),
        ({**OTLP, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://t/v1/traces"}, "metrics_endpoint", "http://127.0.0.1:4318"),
    ],
)
def test_a_variable_and_what_it_comes_to(environ: dict[str, str], field: str, value: object) -> None:
    settings = load(environ)

    assert getattr(settings, field) == value
    assert settings.problems == ()


@pytest.mark.parametrize(
    ("environ", "store", "otlp"),
    [
        ({}, True, False),
        (OTLP, False, True),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://t/v1/traces"}, False, True),
        ({"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "http://m/v1/metrics"}, True, False),
        ({"OTEL_TRACES_EXPORTER": "otlp"}, False, True),
        ({"OTEL_TRACES_EXPORTER": "console,otlp"}, False, True),
        ({"OTEL_TRACES_EXPORTER": "otlp_proto_grpc"}, False, True),
        ({"OTEL_TRACES_EXPORTER": "console"}, True, False),
        ({**OTLP, "OTEL_TRACES_EXPORTER": "none"}, False, False),
        ({**OTLP, "HOOKSPAN_STORE": "true"}, True, True),
        ({"OTEL_TRACES_EXPORTER": "none", "HOOKSPAN_STORE": "true"}, True, False),
        ({"HOOKSPAN_STORE": "false"}, False, False),
    ],
)
def test_where_the_trail_goes(environ: dict[str, str], store: bool, otlp: bool) -> None:
    settings = load(environ)

    assert (settings.store_enabled, settings.otlp_enabled) == (store, otlp)


@pytest.mark.parametrize(
    ("environ", "why"),
    [
        ({"HOOKSPAN_ENABLED": "false"}, "HOOKSPAN_ENABLED=false"),
        ({"OTEL_SDK_DISABLED": "TRUE", "HOOKSPAN_ENABLED": "true"}, "OTEL_SDK_DISABLED=true"),
        ({"OTEL_TRACES_EXPORTER": "none"}, "OTEL_TRACES_EXPORTER=none and no store"),
        ({**OTLP, "OTEL_TRACES_EXPORTER": "none"}, "OTEL_TRACES_EXPORTER=none and no store"),
        ({"OTEL_TRACES_EXPORTER": "none", "HOOKSPAN_STORE": "true"}, None),
        ({"OTEL_PYTHON_DISABLED_INSTRUMENTATIONS": "langgraph"}, "every framework is switched off"),
        # a program may bring a provider of its own: there is still somebody to tell
        ({"HOOKSPAN_STORE": "false"}, None),
    ],
)
def test_off_means_off_and_says_why(environ: dict[str, str], why: str | None) -> None:
    assert load(environ).off == why


@pytest.mark.parametrize(
    ("capture", "mode"),
    [
        ("NO_CONTENT", ContentMode.NONE),
        ("span_only", ContentMode.FULL),
        ("SPAN_AND_EVENT", ContentMode.FULL),
        ("EVENT_ONLY", ContentMode.NONE),
        ("true", ContentMode.FULL),
    ],
)
def test_opentelemetrys_content_variable_counts_only_where_ours_is_not_set(capture: str, mode: ContentMode) -> None:
    theirs = {"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": capture}

    assert load(theirs).content is mode
    assert load({**theirs, "HOOKSPAN_CONTENT": "tools"}).content is ContentMode.TOOLS


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("HOOKSPAN_ENABLED", "yess"),
        ("HOOKSPAN_FRAMEWORKS", "langgraf"),
        ("HOOKSPAN_CONTENT", "some"),
        ("HOOKSPAN_REDACT", "("),
        ("HOOKSPAN_REDACT", "x*"),
        ("HOOKSPAN_REDACT", "(?i)token"),
        ("HOOKSPAN_MAX_CONTENT", "-1"),
        ("HOOKSPAN_MAX_CONTENT", "1 MB"),
        ("HOOKSPAN_HOOK_CALLBACKS", "some"),
        ("HOOKSPAN_HOME", "trail"),
        ("HOOKSPAN_STORE", "sqlite"),
        ("HOOKSPAN_STORE_MAX_MB", "0"),
        ("HOOKSPAN_GLOBAL_PROVIDER", "maybe"),
        ("HOOKSPAN_EXIT_TIMEOUT", "nan"),
        ("HOOKSPAN_LOG_LEVEL", "loud"),
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json"),
        ("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "some"),
    ],
)
def test_a_bad_value_is_named_with_what_is_allowed_and_counts_as_not_set(name: str, value: str) -> None:
    settings = load({name: value, "HOOKSPAN_LOG_LEVEL": "info"} if name != "HOOKSPAN_LOG_LEVEL" else {name: value})
    allowed = next(setting.allowed for setting in SETTINGS_TABLE if setting.name == name)

    assert len(settings.problems) == 1
    assert settings.problems[0].startswith(f"{name}={value!r} is not allowed ({allowed})")
    clean = load({"HOOKSPAN_LOG_LEVEL": "info"} if name != "HOOKSPAN_LOG_LEVEL" else {})
    assert {**_fields(settings), "problems": ()} == _fields(clean)


def test_a_pattern_that_is_taken_is_one_that_the_redactor_can_use() -> None:
    settings = load({"HOOKSPAN_REDACT": "EMP-[0-9]{6}"})

    assert settings.redact is not None
    assert redactor(settings.redact)("badge EMP-123456") == "badge [redacted]"


def _fields(settings: Settings) -> dict[str, object]:
    return {field.name: getattr(settings, field.name) for field in fields(settings)}
