"""`HOOKSPAN_ENABLED=true`: what the .pth file starts in every Python program of the environment.

Standard library only. All that is heavy waits for the first import of a framework; a program that imports none pays for
this file and its three neighbours alone.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from hookspan.export import ancestry
from hookspan.export.frameworks import FRAMEWORKS, Framework, chosen
from hookspan.export.watch import Watch

_YES = ("true", "1", "yes", "on")
_NO = ("", "false", "0", "no", "off")

_started: list[bool] = []
_watches: dict[str, Watch] = {}


def start() -> None:
    """Waits for the frameworks that the environment asks for. Starting twice (`site` can run a .pth twice) is once."""
    if _started:
        return
    _started.append(True)
    word = os.environ.get("HOOKSPAN_ENABLED", "").strip().lower()
    if word in _YES:
        wait_for(tuple(FRAMEWORKS))
    elif word not in _NO:
        _say(f"HOOKSPAN_ENABLED={word[:80]!r} is not allowed (true, false); taken as not set")


def wait_for(names: tuple[str, ...]) -> None:
    """Records those of the frameworks `names` that are imported later, unless the environment switches them off or
    this process must be silent. What is waited for already is not waited for twice."""
    wanted = [name for name in _allowed(os.environ) if name in names and name not in _watches]
    if not wanted or ancestry.here() == ancestry.SILENT:
        return
    for name in wanted:
        _watches[name] = watch = Watch([FRAMEWORKS[name]], _imported)
        watch.start()


def stop() -> None:
    """Waits no longer."""
    for watch in list(_watches.values()):
        watch.stop()
    _watches.clear()


def _imported(framework: Framework) -> None:
    try:
        from hookspan.export.instrument import join  # noqa: PLC0415 -- heavy, and only now needed
    except Exception as error:  # noqa: BLE001 -- a broken installation of ours must not break the program's import
        _say(f"recording {framework.name} is not possible: {error!r}")
        return
    join(framework.name)


def _allowed(environ: Mapping[str, str]) -> tuple[str, ...]:
    """The frameworks that nothing switches off; `export.settings` has the last word, once a framework is there."""
    if environ.get("HOOKSPAN_ENABLED", "true").strip().lower() in _NO[1:]:
        return ()
    if environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return ()
    exporters = _names(environ.get("OTEL_TRACES_EXPORTER", ""))
    if "none" in exporters and environ.get("HOOKSPAN_STORE", "").strip().lower() not in _YES:
        return ()
    only = [name for name in _names(environ.get("HOOKSPAN_FRAMEWORKS", "")) if name in FRAMEWORKS]
    return chosen(only or None, _names(environ.get("OTEL_PYTHON_DISABLED_INSTRUMENTATIONS", "")))


def _names(text: str) -> list[str]:
    return [word.strip().lower() for word in text.split(",")]


def _say(line: str) -> None:
    """One line where logging would write it; importing logging costs more than all of this."""
    if sys.stderr is not None:
        sys.stderr.write(f"hookspan: {line}\n")
