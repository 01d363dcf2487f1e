"""`model.stream()` called by the program itself: what the provider does between two chunks is below the model call.

The call begins inside the first step of a generator, and its consumer runs between the steps. So the call is entered
for each step and left before the chunk is handed out.
"""

from __future__ import annotations

import functools
from collections.abc import AsyncGenerator, Callable, Generator
from contextvars import ContextVar
from typing import Any

from hookspan.model.ids import RecordKey
from hookspan.spans.guard import shielded
from hookspan.spans.recorder import Entered, Recorder


class Step:
    """One step of one stream. `key` is the model call's, once it has begun."""

    __slots__ = ("entered", "key", "recorder")

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.key: RecordKey | None = None
        self.entered: Entered | None = None

    def begun(self, key: RecordKey) -> None:
        """The model call began in this very step; one inside it is another's."""
        if self.key is None:
            self.key = key
            self.entered = self.recorder.enter(key)

    def enter(self) -> None:
        if self.key is not None:
            self.entered = self.recorder.enter(self.key)

    def leave(self) -> None:
        entered, self.entered = self.entered, None
        self.recorder.leave(entered)


_step: ContextVar[Step | None] = ContextVar("hookspan_langgraph_step", default=None)


def begun(key: RecordKey) -> None:
    """A model call began here; it may be in the first step of a stream."""
    step = _step.get()
    if step is not None:
        step.begun(key)


def stepping(recorder: Recorder) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A wrapper for `BaseChatModel.stream`."""

    def wrapper(original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def stream(*args: Any, **kwargs: Any) -> Generator[Any]:
            chunks, step = original(*args, **kwargs), Step(recorder)
            try:
                while True:
                    token = _before(step)
                    try:
                        chunk = next(chunks)
                    except StopIteration:
                        return
                    finally:
                        _after(step, token)
                    yield chunk
            finally:
                chunks.close()

        return stream

    return wrapper


def async_stepping(recorder: Recorder) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A wrapper for `BaseChatModel.astream`."""

    def wrapper(original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        async def astream(*args: Any, **kwargs: Any) -> AsyncGenerator[Any]:
            chunks, step = original(*args, **kwargs), Step(recorder)
            try:
                while True:
                    token = _before(step)
                    try:
                        chunk = await anext(chunks)
                    except StopAsyncIteration:
                        return
                    finally:
                        _after(step, token)
                    yield chunk
            finally:
                await chunks.aclose()

        return astream

    return wrapper


def _before(step: Step) -> Any:
    with shielded("entering a stream's step"):
        step.enter()
        return _step.set(step)
    return None


def _after(step: Step, token: Any) -> None:
    with shielded("leaving a stream's step"):
        step.leave()
        try:
            _step.reset(token)
        except ValueError:
            # the generator was closed in another context: that one never held our value
            return
