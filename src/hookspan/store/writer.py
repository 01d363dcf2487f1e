"""The store's sink: the program's threads hand over snapshots, one thread of the process writes them."""

from __future__ import annotations

import logging
import os
import queue
import sqlite3
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic

from hookspan.spans import forks
from hookspan.spans.record import Record
from hookspan.store import processes, prune
from hookspan.store.rows import RUN_ADD, RUN_UPSERT, SPAN_UPSERT, Snapshot, run_additions, run_row, snapshot, span_row
from hookspan.store.schema import RUNNING, CorruptStoreError, StoreError, open_for_writing, set_aside

log = logging.getLogger("hookspan")

MAX_WAITING = 20_000
"""Snapshots; more are dropped and counted."""
BATCH = 512
GATHER_S = 0.05
"""How long a batch is gathered before it is committed: what a kill -9 can cost."""
_FORK_WAITS_S = 2.0
PRUNE_EVERY = 4096
"""Rows between two looks at the file's size."""


class StoreSink:
    """Writes records to the store at `path`, kept below `max_mb` by removing the oldest finished runs.

    Nothing is opened before the first record. A store that cannot be used costs one log line, never the program;
    what it could not take is counted in `lost`.
    """

    def __init__(self, path: Path, max_mb: int | None = None) -> None:
        self._path = path
        self._max_bytes = max_mb * 1_000_000 if max_mb is not None else None
        self._at_rest = threading.Lock()
        """Held while SQLite works: a fork in the middle would leave its locks held in the child for ever."""
        self._begin()
        forks.around(self, before=StoreSink.before_fork, parent=StoreSink.after_fork, child=StoreSink.begin_again)

    def _begin(self) -> None:
        self.lost = 0
        self._queue: queue.SimpleQueue[Snapshot | threading.Event | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._over = False
        self._broken = False
        self._until_prune = 0

    def opened(self, record: Record) -> None:
        self._hand_over(record)

    def closed(self, record: Record) -> None:
        self._hand_over(record)

    def flush(self, timeout_s: float) -> bool:
        """True when all that was handed over so far is committed within the time."""
        if self._thread is None or not self._thread.is_alive():
            return self._queue.empty()
        done = threading.Event()
        self._queue.put(done)
        return done.wait(timeout_s)

    def shutdown(self, timeout_s: float) -> None:
        self._over = True
        thread = self._thread
        if thread is not None and thread.is_alive():
            self._queue.put(None)
            thread.join(timeout_s)

    def _hand_over(self, record: Record) -> None:
        shot = snapshot(record)
        if shot is None or self._over:
            return
        if self._queue.qsize() >= MAX_WAITING:
            self._lose(1)
            return
        self._queue.put(shot)
        if self._thread is None:
            with self._lock:
                if self._thread is None:
                    self._thread = threading.Thread(target=self._run, name="hookspan-store", daemon=True)
                    self._thread.start()

    def _lose(self, count: int) -> None:
        if self.lost == 0:
            log.warning("hookspan: the store does not keep up, or cannot be written: records are missing in %s", self._path)
        self.lost += count

    def _run(self) -> None:
        with self._at_rest:
            connection = self._open()
        while True:
            shots, waiting, last = self._gather()
            if shots:
                with self._at_rest:
                    connection = self._write(connection, shots)
            for event in waiting:
                event.set()
            if last:
                break
        if connection is not None:
            connection.close()

    def _gather(self) -> tuple[Sequence[Snapshot], Sequence[threading.Event], bool]:
        """Waits for something to write, then takes what comes shortly after; a flush or the end cuts it short."""
        shots: list[Snapshot] = []
        waiting: list[threading.Event] = []
        item = self._queue.get()
        until = monotonic() + GATHER_S
        while True:
            if item is None:
                return shots, waiting, True
            if isinstance(item, threading.Event):
                waiting.append(item)
                return shots, waiting, False
            shots.append(item)
            left = until - monotonic()
            if left <= 0 or len(shots) >= BATCH:
                return shots, waiting, False
            try:
                item = self._queue.get(timeout=left)
            except queue.Empty:
                return shots, waiting, False

    def _open(self) -> sqlite3.Connection | None:
        try:
            try:
                return open_for_writing(self._path)
            except CorruptStoreError as error:
                aside = set_aside(self._path)
                log.warning("hookspan: %s; it is kept as %s, and a new store is begun", error, aside)
                return open_for_writing(self._path)
        except (StoreError, OSError) as error:
            self._broken = True
            log.warning("hookspan: the trail is not stored: %s", error)
            return None

    def _write(self, connection: sqlite3.Connection | None, shots: Sequence[Snapshot]) -> sqlite3.Connection | None:
        if connection is None:
            self.lost += len(shots)
            return None
        try:
            self._commit(connection, shots)
        except (sqlite3.OperationalError, sqlite3.IntegrityError) as error:
            # a full disk, a writer that holds the file for long, a row it refuses: this batch is lost, the next may not be
            if self.lost == 0:  # one line, not one a batch
                log.warning("hookspan: records are missing in %s, which cannot be written (%s); they are counted", self._path, error)
            self.lost += len(shots)
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        except sqlite3.DatabaseError as error:
            log.warning("hookspan: %s is damaged (%s)", self._path, error)
            connection.close()
            reopened = self._open()
            if reopened is not None:
                self._commit(reopened, shots)
            return reopened
        return connection

    def _commit(self, connection: sqlite3.Connection, shots: Sequence[Snapshot]) -> None:
        pid, start = os.getpid(), processes.started(os.getpid())
        connection.execute("BEGIN IMMEDIATE")
        for shot in shots:
            row = span_row(shot)
            changed = connection.execute(SPAN_UPSERT, row).rowcount
            if shot.outermost:
                connection.execute(RUN_UPSERT, run_row(shot, pid, start))
            if changed > 0 and shot.state != RUNNING:
                size = sum(len(part) for part in row[-3:] if isinstance(part, str))
                connection.execute(RUN_ADD, run_additions(shot, size))
        connection.execute("COMMIT")
        self._until_prune -= len(shots)
        if self._max_bytes is not None and self._until_prune <= 0:
            self._until_prune = PRUNE_EVERY
            prune.prune(connection, self._max_bytes)

    def before_fork(self) -> None:
        self._at_rest.acquire(timeout=_FORK_WAITS_S)

    def after_fork(self) -> None:
        with suppress(RuntimeError):  # not held: the wait for it was given up
            self._at_rest.release()

    def begin_again(self) -> None:
        """In a forked child: a connection, thread and queue of its own."""
        self._at_rest = threading.Lock()
        self._begin()
