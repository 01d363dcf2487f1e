"""The callback handler: LangChain's and LangGraph's callbacks, each translated into facts.

One handler serves every run of the process. It runs inline (langchain calls it in the caller's own thread and, in
asynchronous runs, before the awaited code goes on), returns None from every hook and keeps what it needs of a run
until the run's end callback.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from langchain_core.messages import BaseMessage
from langchain_core.outputs import LLMResult
from langgraph.callbacks import GraphCallbackHandler, GraphInterruptEvent, GraphResumeEvent

from hookspan.adapters.langgraph import translate
from hookspan.adapters.langgraph.decisions import resume_of
from hookspan.adapters.langgraph.graphs import GraphEntry
from hookspan.adapters.langgraph.models import Models
from hookspan.adapters.langgraph.nodes import Nodes
from hookspan.adapters.langgraph.outcomes import Ended, normally, raised
from hookspan.adapters.langgraph.runtree import Run, RunRole, RunTree, Turn
from hookspan.adapters.langgraph.tools import Tools
from hookspan.model.clock import now
from hookspan.model.facts import InterruptKind, Interrupted, Resume, Resumed, RunEnded, RunKind, RunStarted
from hookspan.model.ids import CallId, RecordKey
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
        self._nodes = Nodes(recorder)
        self._models = Models(recorder)
        self._tools = Tools(recorder)

    def __deepcopy__(self, _memo: object) -> Listener:
        return self

    def __copy__(self) -> Listener:
        return self

    # -- graphs, nodes, other runnables

    @guarded
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
        parent = self.tree.get(parent_run_id)
        entry = self.entries.pop(run_id, None)
        if entry is not None:
            self._graph_started(entry, run_id, parent, inputs)
            return
        is_node = name is not None and metadata is not None and metadata.get("langgraph_node") == name
        run = _inside(run_id, parent, RunRole.NODE if is_node else RunRole.OTHER, name or "")
        if is_node:
            run.began = now()
            run.answers = translate.node_calls(inputs)
        self.tree.add(run)

    @guarded
    def on_chain_end(self, outputs: Any, *, run_id: UUID, **kwargs: Any) -> None:
        run = self.tree.end(run_id)
        if run is None or run.turn is None:
            return
        if run.role is RunRole.GRAPH:
            self._graph_ended(run, normally(run.turn))
        elif run.role is RunRole.NODE:
            self._nodes.ended(run, outputs)

    @guarded
    def on_chain_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        run = self.tree.end(run_id)
        if run is None or run.turn is None:
            return
        if run.role is RunRole.GRAPH:
            self._graph_ended(run, raised(error))
        elif run.role is RunRole.NODE:
            self._nodes.raised(run, error)

    def _graph_started(self, entry: GraphEntry, run_id: UUID, parent: Run | None, inputs: object) -> None:
        key = RecordKey(str(run_id))
        upper = parent.turn if parent is not None else None
        resume = resume_of(inputs, entry.thread, entry.user) if parent is None else None
        turn = Turn(
            key=key,
            name=entry.name,
            framework=upper.framework if upper is not None and upper.framework == "deepagents" else entry.framework,
            thread=entry.thread,
            agent=entry.agent,
            resumed=resume is not None or (upper is not None and upper.resumed),
            user=entry.user,
        )
        root = parent.root if parent is not None and parent.key is not None else run_id
        self.tree.add(Run(run_id, RunRole.GRAPH, root, key, turn, parent))
        self.recorder.record(
            RunStarted(
                run=RecordKey(str(root)),
                key=key,
                at=now(),
                kind=RunKind.AGENT if entry.agent else RunKind.WORKFLOW,
                name=entry.name,
                framework=turn.framework,
                parent=parent.key if parent is not None else None,
                conversation=entry.thread,
                user=entry.user,
                resume=resume,
            )
        )

    def _graph_ended(self, run: Run, ended: Ended) -> None:
        assert run.turn is not None
        self.recorder.record(
            RunEnded(
                run=RecordKey(str(run.root)),
                key=run.turn.key,
                at=now(),
                outcome=ended.outcome,
                stop=ended.stop,
                failure=ended.failure,
            )
        )

    # -- model calls

    @guarded
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
        run = _inside(run_id, self.tree.get(parent_run_id), RunRole.CHAT, "")
        self.tree.add(run)
        self._models.started(run, messages[0] if messages else (), metadata or {}, kwargs)

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
        run = _inside(run_id, self.tree.get(parent_run_id), RunRole.CHAT, "")
        self.tree.add(run)
        self._models.started(run, (), metadata or {}, kwargs)

    @guarded
    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **kwargs: Any) -> None:
        run = self.tree.end(run_id)
        if run is not None:
            self._models.ended(run, response)

    @guarded
    def on_llm_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        run = self.tree.end(run_id)
        if run is not None:
            self._models.raised(run, error)

    # -- tools

    @guarded
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
        run = _inside(run_id, self.tree.get(parent_run_id), RunRole.TOOL, str(serialized.get("name") or ""))
        self.tree.add(run)
        self._tools.started(run, inputs if inputs is not None else input_str, tool_call_id)

    @guarded
    def on_tool_end(self, output: Any, *, run_id: UUID, **kwargs: Any) -> None:
        run = self.tree.end(run_id)
        if run is not None:
            self._tools.ended(run, output)

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
            self._nodes.interrupted(run.turn, run.root, interrupt, (), event.checkpoint_id)
        if not event.interrupts:
            self.recorder.record(
                Interrupted(
                    run=RecordKey(str(run.root)),
                    key=run.turn.key,
                    at=now(),
                    interrupt=event.checkpoint_id,
                    kind=InterruptKind.BREAKPOINT,
                    framework=run.turn.framework,
                    checkpoint=event.checkpoint_id,
                    thread=run.turn.thread,
                )
            )

    @guarded
    def on_resume(self, event: GraphResumeEvent) -> None:
        run = self.tree.get(event.run_id)
        if run is None or run.turn is None or event.checkpoint_ns:
            return
        self.recorder.record(
            Resumed(
                run=RecordKey(str(run.root)),
                key=run.turn.key,
                at=now(),
                resume=Resume(run.turn.thread),
                checkpoint=event.checkpoint_id,
            )
        )

    # -- what patches tell

    def short_circuited(self, call: str, owner: str) -> None:
        """A middleware answered `call` in the tool's place, in the agent whose code runs here."""
        key = self.recorder.current_key()
        run = self.tree.get(UUID(key)) if key is not None else None
        if run is not None and run.turn is not None:
            run.turn.short_circuited.setdefault(CallId(call), owner)

    def key_of(self, run_id: UUID | None) -> RecordKey | None:
        """The record that a callback run belongs to."""
        run = self.tree.get(run_id)
        return run.key if run is not None else None


def _inside(run_id: UUID, parent: Run | None, role: RunRole, name: str) -> Run:
    if parent is None:
        return Run(run_id, role, run_id, None, None, None, name=name)
    return Run(run_id, role, parent.root, parent.key, parent.turn, parent, name=name)


__all__ = ["Listener", "Mapping", "Sequence"]
