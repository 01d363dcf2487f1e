"""Which graph a run is of: what LangGraph's callbacks do not say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.graph.state import CompiledStateGraph
from langgraph.pregel import Pregel

from hookspan.model.acting import acting_user

_AGENT_MAKERS = {"langchain_create_agent", "deepagents"}
USER_KEY = "hookspan.user"
NAMELESS = "LangGraph"
"""What LangGraph calls a graph without a name."""


@dataclass(frozen=True, slots=True)
class GraphEntry:
    """One invocation of a compiled graph, seen just before its start callback."""

    name: str
    agent: bool
    framework: str
    thread: str | None
    user: str | None
    nodes: Mapping[str, object] = field(default_factory=dict[str, object])


def entry_of(graph: object, config: RunnableConfig) -> GraphEntry:
    """`graph` is the one being invoked, `config` the merged configuration of the invocation."""
    own = _own_metadata(graph)
    maker = own.get("ls_integration")
    configurable = cast("Mapping[str, Any]", config.get("configurable") or {})
    metadata = cast("Mapping[str, Any]", config.get("metadata") or {})
    thread = configurable.get("thread_id")
    user = metadata.get(USER_KEY) or configurable.get(USER_KEY) or acting_user()
    return GraphEntry(
        name=str(own.get("lc_agent_name") or _name(graph)),
        agent=maker in _AGENT_MAKERS or _is_prebuilt_agent(graph),
        framework="deepagents" if maker == "deepagents" else "langgraph",
        thread=str(thread) if thread is not None else None,
        user=str(user) if user is not None else None,
        nodes=cast("Mapping[str, object]", graph.nodes) if isinstance(graph, Pregel) else {},
    )


def _own_metadata(graph: object) -> Mapping[str, Any]:
    """What the graph's maker bound to it: the invocation's merged metadata would show a caller's as well."""
    if not isinstance(graph, Pregel) or not graph.config:
        return {}
    return cast("Mapping[str, Any]", graph.config.get("metadata") or {})


def _name(graph: object) -> str:
    if not isinstance(graph, Pregel):
        return NAMELESS
    name = graph.get_name()
    if name == NAMELESS and not isinstance(graph, CompiledStateGraph) and len(graph.nodes) == 1:
        # the functional API: the entrypoint's function is the only node
        return next(iter(graph.nodes))
    return name


def _is_prebuilt_agent(graph: object) -> bool:
    """`create_react_agent`, which langgraph-supervisor still builds on, marks nothing: its two nodes tell."""
    return isinstance(graph, Pregel) and {"agent", "tools"} <= graph.nodes.keys()
