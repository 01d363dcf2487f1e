"""The shipped configurations, as they are written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
CONFIG = ROOT / "collector" / "config"

COMBINATIONS = (
    ("audit.yaml",),
    ("audit.yaml", "sampled.yaml"),
    ("audit.yaml", "to-tempo.yaml"),
    ("audit.yaml", "to-tempo.yaml", "sampled.yaml"),
    ("gateway.yaml",),
)
"""The configurations of the collector in the ways in which they are laid over each other."""


def read(name: str) -> Mapping[str, Any]:
    """A configuration of collector/config; its variables are still `${env:…}` texts."""
    return yaml.safe_load((CONFIG / name).read_text())


def strings(of: object) -> Iterator[str]:
    """Every text in a configuration, keys too."""
    match of:
        case str():
            yield of
        case dict():
            for key, value in of.items():
                yield from strings(key)
                yield from strings(value)
        case list():
            for value in of:
                yield from strings(value)
        case _:
            pass
