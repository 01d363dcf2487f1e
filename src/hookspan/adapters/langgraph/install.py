"""Attaches the adapter to langchain-core, langgraph and langchain, without the user's code, and takes it off again."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from contextlib import AbstractContextManager
from contextvars import Context, ContextVar
from types import TracebackType
from typing import Any, cast
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.callbacks.manager import BaseRunManager
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import base as tools_base
from langchain_core.tracers import context as tracers_context
from langchain_core.utils.uuid import uuid7
from langgraph._internal import _runnable
from langgraph.pregel import main as pregel

from hookspan.adapters.langgraph.graphs import entry_of
from hookspan.adapters.langgraph.listen import Listener
from hookspan.adapters.langgraph.streaming import async_stepping, stepping
from hookspan.adapters.langgraph.wrapping import MODEL, TOOL, active, watching
from hookspan.adapters.patching import Original, Patches
from hookspan.spans import guard
from hookspan.spans.guard import shielded
from hookspan.spans.recorder import Recorder

_COMPOSERS = (
    ("_chain_tool_call_wrappers", TOOL, False),
    ("_chain_async_tool_call_wrappers", TOOL, True),
    ("_chain_model_call_handlers", MODEL, False),
    ("_chain_async_model_call_handlers", MODEL, True),
)
"""Functions of `langchain.agents.factory` that compose middleware's wrapping hooks, and whether those are asynchronous."""


def install(recorder: Recorder) -> Callable[[], None]:
    """Listens to every run of the process from now on. Returns what undoes it.

    Raises `HookPointMissing` when the installed versions lack a hook point; nothing stays patched then.
    """
    listener = Listener(recorder)
    patches = Patches()
    try:
        _patch(patches, listener)
        hook = _configure_hook(listener)
    except BaseException:
        patches.undo()
        raise

    active.watcher = listener.callbacks

    def uninstall() -> None:
        patches.undo()
        hook()
        if active.watcher is listener.callbacks:
            active.watcher = None
        listener.clear()

    return uninstall


def _configure_hook(listener: Listener) -> Callable[[], None]:
    """The handler joins every callback manager through langchain-core's public `register_configure_hook`; its variable
    has the handler as default, so that no context has to be prepared."""
    variable: ContextVar[BaseCallbackHandler | None] = ContextVar("hookspan_langgraph", default=listener)
    tracers_context.register_configure_hook(variable, inheritable=True)
    hooks = cast("list[tuple[Any, ...]]", tracers_context._configure_hooks)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] -- there is no public way to take a hook back
    mine = hooks[-1]

    def remove() -> None:
        hooks[:] = [one for one in hooks if one is not mine]

    return remove


def _patch(patches: Patches, listener: Listener) -> None:
    for name in ("get_callback_manager_for_config", "get_async_callback_manager_for_config"):
        patches.wrap(pregel, name, _announcing(listener))
    for name in ("get_sync_graph_callback_manager_for_config", "get_async_graph_callback_manager_for_config"):
        patches.wrap(pregel, name, _lifecycle(listener))
    for module in (tools_base, _runnable):
        patches.wrap(module, "set_config_context", _entering(listener))
    patches.wrap(BaseChatModel, "_generate_with_cache", _model_scope(listener))
    patches.wrap(BaseChatModel, "_agenerate_with_cache", _async_model_scope(listener))
    patches.wrap(BaseChatModel, "stream", stepping(listener.recorder))
    patches.wrap(BaseChatModel, "astream", async_stepping(listener.recorder))
    factory = _agent_factory()
    if factory is not None:
        for name, event, asynchronous in _COMPOSERS:
            patches.wrap(factory, name, watching(event, asynchronous=asynchronous))


def _agent_factory() -> object | None:
    """Langchain is optional beside langgraph."""
    try:
        from langchain.agents import factory  # noqa: PLC0415 -- optional: imported only where it is there
    except ImportError:
        return None
    return factory


def _announcing(listener: Listener) -> Callable[[Original], Original]:
    """`Pregel.stream` and `astream` ask for their callback manager just before they start their run: the one moment
    that tells a graph's run from any other chain's, and which graph it is."""

    def wrapper(original: Original) -> Original:
        @functools.wraps(original)
        def get_manager(config: RunnableConfig, *args: Any, **kwargs: Any) -> Any:
            manager = original(config, *args, **kwargs)
            with shielded("announcing a graph"):
                entry = entry_of(_caller(), config)
                start = manager.on_chain_start

                def on_chain_start(serialized: Any, inputs: Any, run_id: UUID | None = None, **rest: Any) -> Any:
                    named = run_id if run_id is not None else uuid7()
                    listener.entries[named] = entry
                    return start(serialized, inputs, run_id=named, **rest)

                manager.on_chain_start = on_chain_start
            return manager

        return get_manager

    return wrapper


def _caller() -> object:
    """The graph whose method asks for a callback manager: its arguments do not name it."""
    frame = inspect.currentframe()
    for _ in range(2):
        frame = frame.f_back if frame is not None else None
    return frame.f_locals.get("self") if frame is not None else None


def _lifecycle(listener: Listener) -> Callable[[Original], Original]:
    """The manager of `on_interrupt` and `on_resume` is made from the user's callbacks alone."""

    def wrapper(original: Original) -> Original:
        @functools.wraps(original)
        def get_manager(*args: Any, **kwargs: Any) -> Any:
            manager = original(*args, **kwargs)
            with shielded("joining the graph's lifecycle"):
                if listener not in manager.handlers:
                    manager.add_handler(listener, inherit=False)
            return manager

        return get_manager

    return wrapper


def _entering(listener: Listener) -> Callable[[Original], Original]:
    """Tools and nodes run in a copied context that is thrown away after them: what is entered there needs no leaving."""

    def wrapper(original: Original) -> Original:
        @functools.wraps(original)
        def set_config_context(config: RunnableConfig, *args: Any) -> AbstractContextManager[Context]:
            return _Entering(original(config, *args), listener, config)

        return set_config_context

    return wrapper


class _Entering(AbstractContextManager[Context]):
    """The framework's own context manager, whose context enters the record of `config`'s run."""

    __slots__ = ("_config", "_inner", "_listener")

    def __init__(self, inner: AbstractContextManager[Context], listener: Listener, config: RunnableConfig) -> None:
        self._inner = inner
        self._listener = listener
        self._config = config

    def __enter__(self) -> Context:
        context = self._inner.__enter__()
        try:
            key = self._listener.key_of(getattr(self._config.get("callbacks"), "parent_run_id", None))
            if key is not None:
                context.run(self._listener.recorder.enter, key)
        except Exception as error:  # noqa: BLE001 -- the promise: never into the program
            guard.caught("entering a tool or node", error)
        return context

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> bool | None:
        return self._inner.__exit__(kind, error, trace)


def _model_scope(listener: Listener) -> Callable[[Original], Original]:
    def wrapper(original: Original) -> Original:
        @functools.wraps(original)
        def generate(self: BaseChatModel, *args: Any, **kwargs: Any) -> Any:
            key = listener.key_of(_run_id(args, kwargs))
            if key is None:
                return original(self, *args, **kwargs)
            with listener.recorder.scope(key):
                return original(self, *args, **kwargs)

        return generate

    return wrapper


def _async_model_scope(listener: Listener) -> Callable[[Original], Original]:
    def wrapper(original: Original) -> Original:
        @functools.wraps(original)
        async def generate(self: BaseChatModel, *args: Any, **kwargs: Any) -> Any:
            key = listener.key_of(_run_id(args, kwargs))
            if key is None:
                return await original(self, *args, **kwargs)
            with listener.recorder.scope(key):
                return await original(self, *args, **kwargs)

        return generate

    return wrapper


def _run_id(args: tuple[Any, ...], kwargs: dict[str, Any]) -> UUID | None:
    """Of `(messages, stop=None, run_manager=None, **kwargs)`, however it was called: arguments are passed on as they came."""
    manager = kwargs.get("run_manager", args[2] if len(args) > 2 else None)
    return manager.run_id if isinstance(manager, BaseRunManager) else None
