"""The file: its tables, its version, and what is done with one that cannot be used."""

from __future__ import annotations

import os
import sqlite3
import time
from pathlib import Path

VERSION = 1

RUNNING, UNFINISHED, ENDED = 0, 1, 2
"""States of a row; a row's state never goes down."""

_TABLES = """
CREATE TABLE IF NOT EXISTS spans (
    trace_id TEXT NOT NULL, span_id TEXT NOT NULL, parent_span_id TEXT,
    run_id TEXT NOT NULL, record TEXT NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL,
    start_ns INTEGER NOT NULL, end_ns INTEGER, state INTEGER NOT NULL,
    error TEXT, call_id TEXT, conversation TEXT, interrupt_id TEXT,
    attributes TEXT NOT NULL, events TEXT NOT NULL, links TEXT NOT NULL,
    PRIMARY KEY (trace_id, span_id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS spans_by_run ON spans (run_id, start_ns);
CREATE INDEX IF NOT EXISTS spans_by_call ON spans (call_id) WHERE call_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS spans_by_interrupt ON spans (interrupt_id) WHERE interrupt_id IS NOT NULL;
CREATE TABLE IF NOT EXISTS runs (
    run_id TEXT PRIMARY KEY, trace_id TEXT NOT NULL, span_id TEXT NOT NULL,
    record TEXT NOT NULL, name TEXT NOT NULL, framework TEXT, conversation TEXT, user TEXT,
    start_ns INTEGER NOT NULL, end_ns INTEGER, state INTEGER NOT NULL,
    outcome TEXT, stop_reason TEXT, error TEXT,
    tools INTEGER NOT NULL DEFAULT 0, refused INTEGER NOT NULL DEFAULT 0, failed INTEGER NOT NULL DEFAULT 0,
    input_tokens INTEGER, output_tokens INTEGER,
    bytes INTEGER NOT NULL DEFAULT 0, writer TEXT NOT NULL, writer_pid INTEGER NOT NULL, writer_start TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS runs_by_start ON runs (start_ns);
CREATE INDEX IF NOT EXISTS runs_by_conversation ON runs (conversation, start_ns);
CREATE INDEX IF NOT EXISTS runs_by_trace ON runs (trace_id);
CREATE TABLE IF NOT EXISTS tombstones (
    run_id TEXT PRIMARY KEY, trace_id TEXT NOT NULL, name TEXT NOT NULL, conversation TEXT,
    start_ns INTEGER NOT NULL, outcome TEXT, spans INTEGER NOT NULL, tools INTEGER NOT NULL, refused INTEGER NOT NULL,
    input_tokens INTEGER, output_tokens INTEGER, removed_at TEXT NOT NULL, policy TEXT NOT NULL
) WITHOUT ROWID;
"""


class StoreError(Exception):
    """The store cannot be used; the message names the file and the way out."""


class NewerStoreError(StoreError):
    """A later hookspan wrote it."""


class CorruptStoreError(StoreError):
    """It is no store, or a damaged one."""


def open_for_writing(path: Path) -> sqlite3.Connection:
    """The store at `path`, made when it is not there: folder 0700, file 0600, write-ahead log.

    Raises NewerStoreError, CorruptStoreError, or StoreError when the folder or file cannot be written.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # SQLite gives its side files the mode of the main one
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        connection = sqlite3.connect(path, timeout=10.0, isolation_level=None, check_same_thread=False)
    except (OSError, sqlite3.Error) as error:
        raise StoreError(f"{path} cannot be written ({error}); set HOOKSPAN_HOME to a folder that can") from error
    try:
        _check_version(connection, path)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.executescript(f"BEGIN IMMEDIATE;{_TABLES}PRAGMA user_version = {VERSION};COMMIT;")
    except sqlite3.OperationalError as error:
        connection.close()
        raise StoreError(f"{path} cannot be written ({error})") from error
    except sqlite3.DatabaseError as error:
        connection.close()
        raise CorruptStoreError(f"{path} is damaged or no store of hookspan ({error})") from error
    except StoreError:
        connection.close()
        raise
    return connection


def open_for_reading(path: Path) -> sqlite3.Connection:
    """The store at `path`, read only, also while others write.

    Raises FileNotFoundError when there is none, NewerStoreError, CorruptStoreError or StoreError.
    """
    if not path.exists():
        raise FileNotFoundError(path)
    try:
        connection = sqlite3.connect(f"file:{_quoted(path)}?mode=ro", uri=True, timeout=10.0, isolation_level=None)
        try:
            connection.row_factory = sqlite3.Row
            _check_version(connection, path)
            connection.execute("SELECT 1 FROM runs LIMIT 1").fetchall()
        except BaseException:
            connection.close()
            raise
    except sqlite3.OperationalError as error:
        if "no such table" in str(error):
            raise FileNotFoundError(path) from error
        raise StoreError(f"{path} cannot be read ({error})") from error
    except sqlite3.DatabaseError as error:
        raise CorruptStoreError(
            f"{path} is damaged or no store of hookspan ({error}); the next recorded run sets it aside and begins a new one"
        ) from error
    return connection


def set_aside(path: Path) -> Path:
    """Moves a store that cannot be used out of the way, with its side files; returns where it is now. Never deletes."""
    aside = path.with_name(f"{path.name}.damaged-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}")
    path.rename(aside)
    for suffix in ("-wal", "-shm"):
        side = path.with_name(path.name + suffix)
        if side.exists():
            side.rename(aside.with_name(aside.name + suffix))
    return aside


def _check_version(connection: sqlite3.Connection, path: Path) -> None:
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    if found > VERSION:
        raise NewerStoreError(
            f"{path} was written by a newer hookspan (its version is {found}, this one knows {VERSION}); "
            "install that one, or set HOOKSPAN_HOME to another folder"
        )


def _quoted(path: Path) -> str:
    return str(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
