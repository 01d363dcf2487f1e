"""Hook point -> record, for people who ask what is recorded."""

from __future__ import annotations

POINTS: tuple[tuple[str, str], ...] = (
    ("graph run (invoke, stream, batch; sync and async)", "agent (create_agent, create_deep_agent, create_react_agent) or workflow"),
    ("model call (invoke, stream; each attempt)", "chat"),
    ("tool call that runs (each attempt)", "tool"),
    ("tool call that a person, a middleware or the tool node answered, or that a stop left undone", "tool, never executed"),
    ("task tool of deepagents", "tool > agent, with the handoff"),
    ("Command(goto, graph=PARENT) from a tool or node", "handoff on the tool or agent"),
    ("interrupt(), HumanInTheLoopMiddleware, breakpoints", "pause, at once"),
    ("Command(resume=...)", "a new run, linked to the paused one; approval for each answer of a person"),
    ("middleware: before_agent, before_model, after_model, after_agent", "hook_callback (HOOKSPAN_HOOK_CALLBACKS)"),
    ("middleware: wrap_tool_call, wrap_model_call", "hook_callback (HOOKSPAN_HOOK_CALLBACKS)"),
)
"""What happens in a program, and the record it becomes."""
