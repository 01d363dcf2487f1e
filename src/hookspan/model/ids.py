"""Ids that tie facts together, and the ids of records that are rebuilt after the fact."""

from __future__ import annotations

import hashlib
from typing import NewType

RecordKey = NewType("RecordKey", str)
"""Names one record for the recorder: unique within a process, chosen by the adapter (a framework's run id)."""

CallId = NewType("CallId", str)
"""The tool call id that the model or the framework gave."""


def derived_trace_id(run: str) -> int:
    """The 128-bit trace id of a run that is rebuilt outside the process that made it: the same run, the same id."""
    return int.from_bytes(hashlib.sha256(f"hookspan/trace/{run}".encode()).digest()[:16], "big") or 1


def derived_span_id(run: str, key: str) -> int:
    """The 64-bit span id of a rebuilt record: the same run and key, the same id."""
    return int.from_bytes(hashlib.sha256(f"hookspan/span/{run}/{key}".encode()).digest()[:8], "big") or 1
