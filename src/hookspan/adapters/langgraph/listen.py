"""The callback handler: LangChain's and LangGraph's callbacks, each handed to who translates it into facts.

One handler serves every run of the process. It runs inline (langchain calls it in the caller's own thread and, in
asynchronous runs, before the awaited code goes on), returns None from every hook and keeps what it needs of a run
until the run's end callback.

The callbacks of every step catch faults themselves: to wrap them would cost more than all else they do.
"""

# ruff: noqa: ARG002 -- langchain fixes the signatures

from __future__ import annotations

from typing import Any
from uuid import UUID

from langchain_core.messages import BaseMessage
from langchain_core.outputs import LLMResult
from langgraph.callbacks import GraphCallbackHandler, GraphInterruptEvent, GraphResumeEvent

from hookspan.adapters.langgraph import translate
from hookspan.adapters.langgraph.callbacks import Callbacks
from hookspan.adapters.langgraph.graphs import GraphEntry
from hookspan.adapters.langgraph.models import Models
from hookspan.adapters.langgraph.nodes import Nodes
from hookspan.adapters.langgraph.outcomes import normally, raised
from hookspan.adapters.langgraph.runs import Graphs
from hookspan.adapters.langgraph.runtree import Run, RunRole, RunTree, inside
from hookspan.adapters.langgraph.tools import Tools
from hookspan.model.clock import now
from hookspan.model.ids import RecordKey
from hookspan.spans import forks, guard
from hookspan.spans.guard import guarded
from hookspan.spans.recorder import Recorder


class Listener(GraphCallbackHandler):
    """Has to be a `GraphCallbackHandler` for `on_interrupt` and `on_resume` (langgraph 1.2)."""

    run_inline = True
    raise_error = False

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.tree = RunTree()
        self.entries: dict[UUID, GraphEntry] = {}
        """Graphs whose start callback comes next."""
        self.callbacks = Callbacks(recorder, self.tree)
        self._graphs = Graphs(recorder)
        self._nodes = Nodes(recorder, self.callbacks)
        self._models = Models(recorder)
        self._tools = Tools(recorder)
        # what a forked child runs is below nothing of its parent's: those runs end there
        forks.around(self, child=Listener.clear)

    def __deepcopy__(self, _memo: object) -> Listener:
        return self

    def __copy__(self) -> Listener:
        return self

    def clear(self) -> None:
        """Forgets all runs."""
        self.tree.clear()
        self.entries.clear()

    def key_of(self, run_id: UUID | None) -> RecordKey | None:
        """The record that a callback run belongs to."""
        run = self.tree.get(run_id)
        return run.key if run is not None else None

    # -- graphs, nodes, other runnables

    def on_chain_start(
        self,
        serialized: dict[str, Any],
        inputs: Any,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        metadata: dict[str, Any] | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        try:
            parent = self.tree.get(parent_run_id)
            if parent is not None and parent.delegates_to is not None:
                self._tools.delegated(parent)
            entry = self.entries.pop(run_id, None) if self.entries else None
            if entry is not None:
                self.tree.add(self._graphs.started(entry, run_id, parent, inputs))
                return
            is_node = (
                parent is not None and parent.role is RunRole.GRAPH and metadata is not None and metadata.get("langgraph_node") == name
            )
            run = inside(run_id, parent, RunRole.NODE if is_node else RunRole.OTHER, name or "")
            if is_node:
                run.began = now()
                run.answers = translate.node_calls(inputs)
            self.tree.add(run)
        except Exception as error:  # noqa: BLE001 -- the promise, inline: see the top of the file
            guard.caught("on_chain_start", error)

    def on_chain_end(self, outputs: Any, *, run_id: UUID, **kwargs: Any) -> None:
        try:
            run = self.tree.end(run_id)
            if run is None or run.turn is None:
                return
            if run.role is RunRole.GRAPH:
                self._graphs.ended(run, run.turn, normally(run.turn))
            elif run.role is RunRole.NODE:
                self._nodes.ended(run, run.turn, outputs)
        except Exception as error:  # noqa: BLE001 -- as above
            guard.caught("on_chain_end", error)

    @guarded
    def on_chain_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        run = self.tree.end(run_id)
        if run is None or run.turn is None:
            return
        if run.role is RunRole.GRAPH:
            self._graphs.ended(run, run.turn, raised(error, run.turn))
        elif run.role is RunRole.NODE:
            self._nodes.raised(run, run.turn, error)

    # -- model calls

    def on_chat_model_start(
        self,
        serialized: dict[str, Any],
        messages: list[list[BaseMessage]],
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        try:
            run = self._begin(run_id, parent_run_id, RunRole.CHAT)
            self._models.started(run, messages[0] if messages else (), metadata or {}, kwargs)
        except Exception as error:  # noqa: BLE001 -- as above
            guard.caught("on_chat_model_start", error)

    @guarded
    def on_llm_start(
        self,
        serialized: dict[str, Any],
        prompts: list[str],
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        run = self._begin(run_id, parent_run_id, RunRole.CHAT)
        self._models.started(run, (), metadata or {}, kwargs)

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **kwargs: Any) -> None:
        try:
            run = self.tree.end(run_id)
            if run is not None:
                self._models.ended(run, response)
        except Exception as error:  # noqa: BLE001 -- as above
            guard.caught("on_llm_end", error)

    @guarded
    def on_llm_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        run = self.tree.end(run_id)
        if run is not None:
            self._models.raised(run, error)

    # -- tools

    def on_tool_start(
        self,
        serialized: dict[str, Any],
        input_str: str,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        inputs: dict[str, Any] | None = None,
        tool_call_id: str | None = None,
        **kwargs: Any,
    ) -> None:
        try:
            run = self._begin(run_id, parent_run_id, RunRole.TOOL, str(serialized.get("name") or ""))
            self._tools.started(run, inputs if inputs is not None else input_str, tool_call_id)
        except Exception as error:  # noqa: BLE001 -- as above
            guard.caught("on_tool_start", error)

    def on_tool_end(self, output: Any, *, run_id: UUID, **kwargs: Any) -> None:
        try:
            run = self.tree.end(run_id)
            if run is not None:
                self._tools.ended(run, output)
        except Exception as error:  # noqa: BLE001 -- as above
            guard.caught("on_tool_end", error)

    @guarded
    def on_tool_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        run = self.tree.end(run_id)
        if run is not None:
            self._tools.raised(run, error)

    # -- LangGraph's own lifecycle

    @guarded
    def on_interrupt(self, event: GraphInterruptEvent) -> None:
        run = self.tree.get(event.run_id)
        if run is None or run.turn is None:
            return
        run.turn.interrupted = True
        for interrupt in event.interrupts:
            self._nodes.interrupted(run, run.turn, interrupt, (), event.checkpoint_id)
        if not event.interrupts:
            self._graphs.interrupted(run, run.turn, event)

    @guarded
    def on_resume(self, event: GraphResumeEvent) -> None:
        run = self.tree.get(event.run_id)
        if run is not None and run.turn is not None and not event.checkpoint_ns:
            self._graphs.resumed(run, run.turn, event)

    def _begin(self, run_id: UUID, parent_run_id: UUID | None, role: RunRole, name: str = "") -> Run:
        run = inside(run_id, self.tree.get(parent_run_id), role, name)
        self.tree.add(run)
        return run
