"""Pauses on disk: a run that goes on in another process, or days later, still finds the one that waited.

One small file a pause and one a thread, under `<home>/pauses`, written when a run pauses: the wait for a person that
follows outlasts it by far.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from hookspan.spans.guard import shielded
from hookspan.spans.pauses import Pause, PausesInMemory

MAX_FILES = 4000
_PAUSES = TypeAdapter(list[Pause])


class PauseFiles:
    """A `PauseIndex` under `home`, shared by all processes that use it. Where the disk refuses, this process still
    remembers its own. The oldest files go when there are more than `MAX_FILES`."""

    def __init__(self, home: Path) -> None:
        self._folder = home / "pauses"
        self._memory = PausesInMemory()

    def put(self, pause: Pause) -> None:
        self._memory.put(pause)
        with shielded("keeping a pause on disk"):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._write(_name("interrupt", pause.interrupt), [pause])
            if pause.thread is not None:
                name = _name("thread", pause.thread)
                same_run = [one for one in self._read(name) if one.run_id == pause.run_id and one.interrupt != pause.interrupt]
                self._write(name, [*same_run, pause])
            self._prune()

    def find(self, interrupts: Sequence[str], thread: str | None) -> Sequence[Pause]:
        """Another process may have paused the thread since: the disk is asked first."""
        with shielded("looking for a pause on disk"):
            named = [pause for name in interrupts for pause in self._read(_name("interrupt", name))]
            found = named or (self._read(_name("thread", thread)) if thread is not None else [])
            if found:
                return found
        return self._memory.find(interrupts, thread)

    def _read(self, name: str) -> list[Pause]:
        try:
            return _PAUSES.validate_json((self._folder / name).read_bytes())
        except (OSError, ValidationError):
            return []

    def _write(self, name: str, pauses: Sequence[Pause]) -> None:
        # written beside and renamed: a reader in another process sees the old file or the new one, never half of one
        beside = self._folder / f".{name}.{os.getpid()}"
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(_PAUSES.dump_json(list(pauses)))
        beside.replace(self._folder / name)

    def _prune(self) -> None:
        files = list(os.scandir(self._folder))
        if len(files) <= MAX_FILES:
            return
        files.sort(key=lambda entry: entry.stat().st_mtime_ns)
        for entry in files[: len(files) // 4]:
            with suppress(OSError):
                Path(entry.path).unlink()


def _name(kind: str, said: str) -> str:
    return f"{kind}-{hashlib.sha256(said.encode('utf-8', 'replace')).hexdigest()[:32]}.json"
