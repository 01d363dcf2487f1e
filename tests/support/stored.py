"""A recorder that writes to a store, and reading it back."""

from __future__ import annotations

import itertools
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from hookspan.spans.pauses import PausesInMemory
from hookspan.spans.payload import ContentPolicy
from hookspan.spans.recorder import Recorder
from hookspan.store.writer import StoreSink
from tests.support.memory import CountedIdentity


@contextmanager
def recording_to(path: Path, *, max_mb: int | None = None, first_id: int = 1) -> Generator[Recorder]:
    """A recorder with the store at `path` as its only sink; all of it is on disk at the end.
    Ids are counted from `first_id`."""
    identity = CountedIdentity(itertools.count(first_id), itertools.count(first_id))
    recorder = Recorder(identity=identity, sinks=[StoreSink(path, max_mb)], policy=ContentPolicy(), pauses=PausesInMemory())
    yield recorder
    recorder.shutdown(10)
