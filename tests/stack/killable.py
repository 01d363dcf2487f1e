"""A program of the stack that can be killed and started again on the same data."""

from __future__ import annotations

import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from collector.local import Program, start, stop


class Killable:
    def __init__(self, program: Program, log: Path) -> None:
        self._program, self._log = program, log
        self._process: subprocess.Popen[bytes] = start(program, log)

    def kill(self) -> None:
        """As a power cut ends it: nothing is flushed."""
        self._process.kill()
        self._process.wait(30)

    def begin(self) -> None:
        """Starts it again; it is ready afterwards."""
        self._process = start(self._program, self._log)

    def end(self) -> None:
        stop(self._process)


@contextmanager
def killable(program: Program, log: Path) -> Generator[Killable]:
    running = Killable(program, log)
    try:
        yield running
    finally:
        running.end()
