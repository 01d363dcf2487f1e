"""The demo's environment: the same on every machine, nothing of it leaves the machine, and yours is as before afterwards."""

from __future__ import annotations

import os
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

_TAKEN_AWAY = ("HOOKSPAN_", "OTEL_", "LANGSMITH_", "LANGCHAIN_", "ANTHROPIC_", "TRACEPARENT", "TRACESTATE", "BAGGAGE")
"""Settings, exporters and keys that would change what the demo does, or send it somewhere."""


@contextmanager
def sheltered(home: Path) -> Generator[None]:
    """Inside the block: no setting, exporter, key or proxy of the user's; the trail is kept in `home`."""
    before = dict(os.environ)
    _replace({**{name: value for name, value in before.items() if not _disturbs(name)}, **_own(home)})
    try:
        yield
    finally:
        _replace(before)


def _own(home: Path) -> Mapping[str, str]:
    # forced: a coding agent that is itself recorded may have started the demo
    return {"HOOKSPAN_HOME": str(home), "HOOKSPAN_STORE": "true", "HOOKSPAN_FORCE": "true", "LANGSMITH_TRACING": "false"}


def _disturbs(name: str) -> bool:
    # a proxy variable must go, not only be told of 127.0.0.1: a client may refuse to start over one that it cannot use
    return name.startswith(_TAKEN_AWAY) or name.lower().endswith("_proxy")


def _replace(variables: Mapping[str, str]) -> None:
    for name in os.environ.keys() - variables.keys():
        del os.environ[name]
    os.environ.update(variables)
