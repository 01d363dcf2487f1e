"""The demo is the same on every machine, and changes nobody's environment."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hookspan.demo.surroundings import receiver, sheltered

DISTURBING = {
    "HTTP_PROXY": "http://127.0.0.1:1",
    "https_proxy": "http://127.0.0.1:1",
    "ALL_PROXY": "socks5://127.0.0.1:1",
    "ANTHROPIC_API_KEY": "secret",
    "ANTHROPIC_PROXY": "http://127.0.0.1:1",
    "LANGSMITH_API_KEY": "secret",
    "OTEL_TRACES_EXPORTER": "console",
    "OTEL_SDK_DISABLED": "true",
    "HOOKSPAN_ENABLED": "false",
    "HOOKSPAN_FRAMEWORKS": "none",
    "TRACEPARENT": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
}


def test_nothing_of_the_user_s_that_would_change_or_send_it_is_there_and_all_is_back_afterwards(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name, value in DISTURBING.items():
        monkeypatch.setenv(name, value)
    before = dict(os.environ)
    inside: dict[str, str] = {}

    def interrupted() -> None:
        with sheltered(tmp_path):
            inside.update(os.environ)
            os.environ["LEFT_BY_A_LIBRARY"] = "x"
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()

    assert dict(os.environ) == before
    assert not DISTURBING.keys() & inside.keys()
    assert inside["HOOKSPAN_HOME"] == str(tmp_path)
    assert inside["PATH"] == before["PATH"]


def test_a_receiver_that_the_user_names_stays_and_is_told_the_service(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, value in DISTURBING.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-tenant=a")
    monkeypatch.delenv("OTEL_SERVICE_NAME", raising=False)

    with sheltered(tmp_path):
        inside = dict(os.environ)

    assert receiver() == "http://127.0.0.1:1"
    sent = {name: value for name, value in inside.items() if name.startswith("OTEL_")}
    assert sent == {
        "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1",
        "OTEL_EXPORTER_OTLP_HEADERS": "x-tenant=a",
        "OTEL_SERVICE_NAME": "hookspan-demo",
    }
