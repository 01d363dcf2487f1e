"""The end of the program: normal, by an exception, by `sys.exit`, by SIGTERM, in a worker of multiprocessing.

`os._exit` and SIGKILL leave no time: what was not sent by then is lost, and cannot be counted.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
from collections.abc import Callable
from time import monotonic, sleep
from types import FrameType
from typing import Protocol

from hookspan.spans.guard import shielded
from hookspan.spans.record import Record

_LOCKING = tuple(
    os.path.join("hookspan", *parts)  # noqa: PTH118 -- compared with the file names of code objects, which are text
    for parts in (("spans", "recorder.py"), ("spans", "otel_sink.py"), ("export", "otlp_"), ("store", ""))
)
"""Code that holds locks which the end needs: a signal that finds the main thread in it is handled a little later."""
_RETRY_S = 0.002
_RETRIES = 500


class Close(Protocol):
    def __call__(self, timeout_s: float, *, all_providers: bool) -> None: ...


class Ending:
    """A sink that sees to it that `close` (ends what is open, delivers it) and `shutdown` run in time, both within
    `timeout_s` together. `shutdown` may be called more than once."""

    def __init__(self, close: Close, shutdown: Callable[[float], None], timeout_s: float) -> None:
        self._close = close
        self._shutdown = shutdown
        self._timeout_s = timeout_s
        self._deadline: float | None = None
        self._armed_in = 0
        self._handles_term = False
        self._terminating = False
        self._retries = 0

    def arm(self) -> None:
        atexit.register(self._last)
        if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            # only where the default action stands: a program with a handler of its own ends as it likes
            signal.signal(signal.SIGTERM, self._on_term)
            self._handles_term = True

    def undo(self) -> None:
        atexit.unregister(self._last)
        atexit.unregister(self._first)
        if self._handles_term and threading.current_thread() is threading.main_thread():
            self._handles_term = False
            if signal.getsignal(signal.SIGTERM) == self._on_term:
                signal.signal(signal.SIGTERM, signal.SIG_DFL)

    def opened(self, record: Record) -> None:
        if not record.outermost:
            return
        # what is registered last runs first: before the end of the tracer provider that the run's spans go to
        atexit.unregister(self._first)
        atexit.register(self._first)
        if self._armed_in != os.getpid():
            self._armed_in = os.getpid()
            self._arm_worker()

    def closed(self, record: Record) -> None:
        """Nothing to do: a run's end is not the program's."""

    def flush(self, timeout_s: float) -> bool:  # noqa: ARG002 -- a sink's interface
        return True

    def shutdown(self, timeout_s: float) -> None:
        """A sink's interface: the pipeline calls `undo` itself."""

    def _arm_worker(self) -> None:
        """A forked worker of multiprocessing leaves by `os._exit`, after the finalizers that were made in it."""
        process = sys.modules.get("multiprocessing.process")
        if process is not None and process.parent_process() is not None:
            from multiprocessing import util  # noqa: PLC0415 -- only where the program uses it

            util.Finalize(None, self._last, exitpriority=0)

    def _first(self) -> None:
        with shielded("ending the trail"):
            self._close(self._left(), all_providers=False)

    def _last(self) -> None:
        with shielded("ending the trail"):
            self._shutdown(self._left())

    def _at_term(self) -> None:
        with shielded("ending the trail"):
            self._close(self._left(), all_providers=True)
        self._last()

    def _left(self) -> float:
        if self._deadline is None:
            self._deadline = monotonic() + self._timeout_s
        return max(0.0, self._deadline - monotonic())

    def _on_term(self, number: int, frame: FrameType | None) -> None:
        if not self._terminating and _holds_locks(frame) and self._retries < _RETRIES:
            self._retries += 1
            threading.Thread(target=_again, args=(number,), daemon=True).start()
            return
        if not self._terminating:  # a second signal does not wait
            self._terminating = True
            # beside the main thread: whatever lock that one holds, the wait is bounded
            thread = threading.Thread(target=self._at_term, daemon=True)
            thread.start()
            thread.join(self._timeout_s)
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)


def _again(number: int) -> None:
    sleep(_RETRY_S)
    os.kill(os.getpid(), number)


def _holds_locks(frame: FrameType | None) -> bool:
    """Whether the innermost frames are in code of ours that may hold a lock."""
    for _ in range(40):
        if frame is None:
            return False
        if any(part in frame.f_code.co_filename for part in _LOCKING) and frame.f_code.co_name != "scope":
            return True
        frame = frame.f_back
    return False
