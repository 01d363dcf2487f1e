"""The program's end: normal, by an exception, by `sys.exit`, by SIGTERM. `os._exit` and SIGKILL leave no time."""

from __future__ import annotations

import atexit
import os
import signal
import threading
from collections.abc import Callable
from multiprocessing import util
from types import FrameType

from hookspan.spans.guard import shielded


class Ending:
    """Has the trail delivered before the program goes. `timeout_s` bounds how long it waits for that."""

    def __init__(self, flush: Callable[[float], bool], shutdown: Callable[[float], None], timeout_s: float) -> None:
        self._flush = flush
        self._shutdown = shutdown
        self._timeout_s = timeout_s
        self._handles_sigterm = False

    def arm(self) -> None:
        atexit.register(self._at_exit)
        # a forked worker of multiprocessing leaves by os._exit, after running the finalizers that were made in it
        util.register_after_fork(self, Ending._in_worker)
        if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            # only where the default action stands: a program with a handler of its own ends as it likes
            signal.signal(signal.SIGTERM, self._on_sigterm)
            self._handles_sigterm = True

    def undo(self) -> None:
        atexit.unregister(self._at_exit)
        if self._handles_sigterm and threading.current_thread() is threading.main_thread():
            self._handles_sigterm = False
            if signal.getsignal(signal.SIGTERM) == self._on_sigterm:
                signal.signal(signal.SIGTERM, signal.SIG_DFL)

    def _in_worker(self) -> None:
        util.Finalize(None, self._at_exit, exitpriority=0)

    def _at_exit(self) -> None:
        with shielded("ending"):
            self._shutdown(self._timeout_s)

    def _on_sigterm(self, _number: int, _frame: FrameType | None) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        with shielded("ending by SIGTERM"):
            self._shutdown(self._timeout_s)
        os.kill(os.getpid(), signal.SIGTERM)
