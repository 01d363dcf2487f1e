"""What the environment comes to: one frozen value that the pipeline, the store and the command line read.

A plain dataclass: importing pydantic-settings takes 500 ms of CPU, which `hookspan trail` would pay at every call, and it
refuses a whole model where one bad variable must cost only that variable.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import gettempdir
from typing import TypeVar

from hookspan.export import table as t
from hookspan.export.frameworks import chosen
from hookspan.export.table import GRPC, HTTP, SETTINGS_TABLE, Setting
from hookspan.model.content import ContentMode, HookCallbacks

__all__ = ["GRPC", "HTTP", "SETTINGS_TABLE", "Setting", "Settings", "load"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of one program. `load()` makes them; `dataclasses.replace` changes them in code."""

    enabled: bool | None = None
    """None: the environment says neither yes nor no."""
    frameworks: tuple[str, ...]
    """Those to record, in the order of `export.frameworks.FRAMEWORKS`."""
    content: ContentMode | None = None
    """None: tools while the trail stays on this machine, none as soon as it is exported."""
    redact: tuple[str, ...] | None = ()
    """Regular expressions beside the built-in ones; None: nothing is masked."""
    max_content: int = t.MAX_CONTENT.default
    """Bytes."""
    hook_callbacks: HookCallbacks = HookCallbacks.CHANGED
    home: Path
    store: bool | None = None
    """As asked for; what counts is `store_enabled`."""
    store_max_mb: int = t.STORE_MAX_MB.default
    global_provider: bool = False
    exit_timeout_s: float = t.EXIT_TIMEOUT.default
    force: bool = False
    log_level: str | None = None
    """debug, info, warning, error or critical; None: as the program's logging says."""
    sdk_disabled: bool = False
    traces_exporters: tuple[str, ...] = ()
    metrics_exporters: tuple[str, ...] = ()
    traces_endpoint: str = ""
    """As it stands in the environment: the general one is a base URL, the one for spans is the whole URL."""
    metrics_endpoint: str = ""
    traces_protocol: str = HTTP
    """`HTTP` or `GRPC`."""
    metrics_protocol: str = HTTP
    traceparent: str | None = None
    """W3C trace context of the span in another process that started this program: the parent of outermost records
    where the program has no span of its own. Not a variable to set: `instrument` finds it."""
    tracestate: str | None = None
    problems: tuple[str, ...] = ()
    """One line for each variable that could not be used: its name, its value, what is allowed."""

    @property
    def otlp_enabled(self) -> bool:
        """Spans go to a collector."""
        return _otlp(self.traces_exporters, self.traces_endpoint)

    @property
    def otlp_metrics_enabled(self) -> bool:
        return _otlp(self.metrics_exporters, self.metrics_endpoint)

    @property
    def store_enabled(self) -> bool:
        """Records go to the embedded store."""
        if self.store is not None:
            return self.store
        return not self.otlp_enabled and "none" not in self.traces_exporters

    @property
    def off(self) -> str | None:
        """Why hookspan must do nothing at all in this program, or None."""
        if self.enabled is False:
            return "HOOKSPAN_ENABLED=false"
        if self.sdk_disabled:
            return "OTEL_SDK_DISABLED=true"
        if "none" in self.traces_exporters and not self.store_enabled:
            return "OTEL_TRACES_EXPORTER=none and no store"
        if not self.frameworks:
            return "every framework is switched off"
        return None


def load(environ: Mapping[str, str] | None = None) -> Settings:
    """Reads `environ` (None: the process's). Never raises: a variable that cannot be used counts as not set, and
    `problems` says so."""
    env = _Environment(os.environ if environ is None else environ)
    content = env.read(t.CONTENT)
    captured = env.read(t.CAPTURE)
    endpoint = env.read(t.ENDPOINT)
    protocol = env.read(t.PROTOCOL)
    return Settings(
        enabled=env.read(t.ENABLED),
        frameworks=chosen(env.read(t.FRAMEWORK_NAMES), env.read(t.DISABLED_INSTRUMENTATIONS)),
        content=content if content is not None else captured,
        redact=env.read(t.REDACT),
        max_content=env.read(t.MAX_CONTENT),
        hook_callbacks=env.read(t.HOOK_CALLBACKS),
        home=env.read(t.HOME) or _default_home(env.environ),
        store=env.read(t.STORE),
        store_max_mb=env.read(t.STORE_MAX_MB),
        global_provider=env.read(t.GLOBAL_PROVIDER),
        exit_timeout_s=env.read(t.EXIT_TIMEOUT),
        force=env.read(t.FORCE),
        log_level=env.read(t.LOG_LEVEL),
        sdk_disabled=env.read(t.SDK_DISABLED),
        traces_exporters=env.read(t.TRACES_EXPORTER),
        metrics_exporters=env.read(t.METRICS_EXPORTER),
        traces_endpoint=env.read(t.TRACES_ENDPOINT) or endpoint,
        metrics_endpoint=env.read(t.METRICS_ENDPOINT) or endpoint,
        traces_protocol=env.read(t.TRACES_PROTOCOL) or protocol,
        metrics_protocol=env.read(t.METRICS_PROTOCOL) or protocol,
        problems=tuple(env.problems),
    )


class _Environment:
    def __init__(self, environ: Mapping[str, str]) -> None:
        self.environ = environ
        self.problems: list[str] = []

    def read(self, setting: Setting[T]) -> T:
        text = self.environ.get(setting.name, "")
        if not text.strip():  # OpenTelemetry's rule: empty is not set
            return setting.default
        try:
            return setting.parse(text)
        except ValueError:
            self.problems.append(f"{setting.name}={text[:80]!r} is not allowed ({setting.allowed}); taken as not set ({setting.shown})")
            return setting.default


def _default_home(environ: Mapping[str, str]) -> Path:
    state = Path(environ.get("XDG_STATE_HOME", ""))
    if state.is_absolute():
        return state / "hookspan"
    try:
        return Path.home() / ".local" / "state" / "hookspan"
    except RuntimeError:
        # a container's user without a home folder
        return Path(gettempdir()) / f"hookspan-{os.getuid() if hasattr(os, 'getuid') else 'user'}"


def _otlp(exporters: tuple[str, ...], endpoint: str) -> bool:
    return any(name.startswith("otlp") for name in exporters) if exporters else bool(endpoint)
