"""Keeping the store below its size: the oldest finished runs go, and a tombstone of each stays."""

from __future__ import annotations

import sqlite3
import time

from hookspan.store import processes
from hookspan.store.schema import RUNNING

_TARGET = 0.9
"""Of the limit: so that the next few runs need no pruning."""

_TOMBSTONE = """
INSERT OR REPLACE INTO tombstones
SELECT run_id, trace_id, name, conversation, start_ns, outcome,
       (SELECT count(*) FROM spans WHERE spans.run_id = runs.run_id), tools, refused, input_tokens, output_tokens, ?, ?
FROM runs WHERE run_id = ?
"""


def prune(connection: sqlite3.Connection, max_bytes: int) -> int:
    """Removes runs while the store holds more than `max_bytes`; returns how many. Never one that is still open."""
    removed = 0
    if used_bytes(connection) <= max_bytes:
        return 0
    policy = f"size over {max_bytes} bytes"
    for run_id, state, pid, start in connection.execute(
        "SELECT run_id, state, writer_pid, writer_start FROM runs ORDER BY start_ns"
    ).fetchall():
        if used_bytes(connection) <= max_bytes * _TARGET:
            break
        if state == RUNNING and processes.alive(pid, start):
            continue
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(_TOMBSTONE, (now, policy, run_id))
        connection.execute("DELETE FROM spans WHERE run_id = ?", (run_id,))
        connection.execute("DELETE FROM runs WHERE run_id = ?", (run_id,))
        connection.execute("COMMIT")
        removed += 1
    return removed


def used_bytes(connection: sqlite3.Connection) -> int:
    """The bytes that pages in use take; free pages are filled again before the file grows."""
    pages, free, size = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size"))
    return (pages - free) * size
