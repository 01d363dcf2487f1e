"""One framework's adapter, attached or not: a framework that is not what the tests know costs one warning."""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable
from importlib import metadata

from hookspan.adapters.patching import HookPointMissing
from hookspan.export.frameworks import Framework
from hookspan.spans.recorder import Recorder

log = logging.getLogger("hookspan")


def install(framework: Framework, recorder: Recorder) -> Callable[[], None] | None:
    """Attaches the adapter; returns what takes it off, or None when it could not be attached. Never raises."""
    version = _version(framework.distribution)
    named = f"{framework.name} {version or '(unknown version)'} (tested: {_dotted(framework.oldest)} to {_dotted(framework.newest)})"
    try:
        uninstall: Callable[[], None] = importlib.import_module(framework.adapter).install(recorder)
    except HookPointMissing as missing:
        log.warning("hookspan: %s has no %s; its runs are not recorded", named, missing)
        return None
    except Exception as error:  # noqa: BLE001 -- whatever an unknown version does to the adapter, the program goes on
        log.warning("hookspan: %s does not fit the adapter, its runs are not recorded: %r", named, error)
        return None
    if version is None or not framework.oldest <= _major_minor(version) <= framework.newest:
        log.warning("hookspan: %s is not a version that hookspan was tested with; records may be incomplete", named)
    return uninstall


def _version(distribution: str) -> str | None:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def _major_minor(version: str) -> tuple[int, int]:
    """(0, 0) for a version that does not begin with two numbers."""
    words = version.split(".")[:2]
    return (int(words[0]), int(words[1])) if len(words) == 2 and all(word.isdigit() for word in words) else (0, 0)


def _dotted(version: tuple[int, int]) -> str:
    return f"{version[0]}.{version[1]}"
