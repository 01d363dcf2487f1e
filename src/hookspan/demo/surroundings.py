"""The demo's environment: the same on every machine, and yours is as before afterwards.

Nothing leaves the machine, unless you name a receiver: with OTEL_EXPORTER_OTLP_ENDPOINT (or _TRACES_ENDPOINT) set, the
variables OTEL_EXPORTER_OTLP_* and OTEL_SERVICE_NAME stay, and the trail is sent there, too.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

_TAKEN_AWAY = ("HOOKSPAN_", "OTEL_", "LANGSMITH_", "LANGCHAIN_", "ANTHROPIC_", "TRACEPARENT", "TRACESTATE", "BAGGAGE")
"""Settings, exporters and keys that would change what the demo does, or send it somewhere."""
_RECEIVERS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_OF_SENDING = ("OTEL_EXPORTER_OTLP_", "OTEL_SERVICE_NAME")


def receiver() -> str | None:
    """The address that the demo's trail is sent to; None if it stays on this machine."""
    return next((os.environ[name] for name in _RECEIVERS if os.environ.get(name)), None)


def service() -> str:
    """The service's name on what is sent: yours, if one is set."""
    return os.environ.get("OTEL_SERVICE_NAME") or "hookspan-demo"


@contextmanager
def sheltered(home: Path) -> Generator[None]:
    """Inside the block: no setting, exporter, key or proxy of the user's; the trail is kept in `home`."""
    before = dict(os.environ)
    sent: Mapping[str, str] = _sending(before) if receiver() is not None else {}
    _replace({**{name: value for name, value in before.items() if not _disturbs(name)}, **_own(home), **sent})
    try:
        yield
    finally:
        _replace(before)


def _own(home: Path) -> Mapping[str, str]:
    # forced: a coding agent that is itself recorded may have started the demo
    return {"HOOKSPAN_HOME": str(home), "HOOKSPAN_STORE": "true", "HOOKSPAN_FORCE": "true", "LANGSMITH_TRACING": "false"}


def _sending(variables: Mapping[str, str]) -> Mapping[str, str]:
    # what is sent keeps no content by default; the demo's is made up, and shows more with it
    named = {name: value for name, value in variables.items() if name.startswith(_OF_SENDING)}
    return {**named, "OTEL_SERVICE_NAME": service(), "HOOKSPAN_CONTENT": "tools"}


def _disturbs(name: str) -> bool:
    # a proxy variable must go, not only be told of 127.0.0.1: a client may refuse to start over one that it cannot use
    return name.startswith(_TAKEN_AWAY) or name.lower().endswith("_proxy")


def _replace(variables: Mapping[str, str]) -> None:
    for name in os.environ.keys() - variables.keys():
        del os.environ[name]
    os.environ.update(variables)
