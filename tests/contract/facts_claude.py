"""What the Claude adapters will tell of each scenario, in the order that claude-agent-sdk 0.2.189 and its CLI 2.1.332 showed.

The session id is known only at UserPromptSubmit. A message's usage is its beginning's (no output tokens); the turn's true
figures come with the ResultMessage. Nothing says that a tool begins: a call is a proposal until PostToolUse (its
`duration_ms` says when execution began) or another proof that it runs (TaskStarted); a refused one has no Post hook, and
the tool result in the next user message ends it. `can_use_tool` waits inside the run, which does not end for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hookspan.model.decision import Decision, Denied, Granted, Source
from hookspan.model.facts import Fact, ToolOrigin
from hookspan.model.usage import TokenUsage
from tests.support.contract_story import Story

NAMES: Mapping[str, str] = {
    "agent": "claude",
    "call": "toolu_T1",
    "sub_call": "toolu_S1",
    "interrupt": "can_use_tool:toolu_T1",
    "remove": "mcp__shop__remove",
    "delegate": "Agent",
    "origin": " origin=mcp",
    "before_tool": "PreToolUse",
    "keeper": "keeper",
    "editor": "editor",
    "logger": "log.sh",
    "command": "keep.sh",
}
SESSION, PROMPT, AGENT = "5f0c0a52-session", "77aa-prompt", "a91b2c3-agent"
CALL, SUB_CALL, INTERRUPT, REMOVE = NAMES["call"], NAMES["sub_call"], NAMES["interrupt"], NAMES["remove"]
FIRST, SECOND = TokenUsage(input=100, complete=False), TokenUsage(input=120, complete=False)
TURN = TokenUsage(input=220, output=22)
"""The difference of two ResultMessages' `model_usage`: all agents', as everywhere."""


def _turn(framework: str = "claude_agent_sdk") -> Story:
    return Story(framework, "query-1", "query-1")


def _until_asked(run: Story, user: str | None = None) -> Sequence[Fact]:
    """UserPromptSubmit, then the message with the tool call; its end is told with what comes next."""
    return (
        run.began(0, "claude", user=user),
        run.identified(0.5, conversation=SESSION, turn=PROMPT),
        *run.model(1, 2, "msg_1", FIRST, response_id="msg_1", response_model="scripted-1"),
        run.proposed(2, CALL, REMOVE, {"path": "x"}, origin=ToolOrigin.MCP),
    )


def _from_answer(run: Story, second: float, usage: TokenUsage = TURN) -> Sequence[Fact]:
    """The last message, Stop, ResultMessage."""
    return (
        *run.model(second, second + 1, "msg_9", SECOND, response_id="msg_9", response_model="scripted-1"),
        run.ended(second + 2, usage=usage),
    )


def denied_by_hook() -> Sequence[Fact]:
    run = _turn()
    refusal = Denied(source=Source.HOOK_CALLBACK, by=NAMES["keeper"], reason="not here")
    return (
        *_until_asked(run),
        *run.callback(3, 3.1, "PreToolUse", NAMES["keeper"], CALL, decision=refusal),
        run.refused(3.2, CALL, REMOVE, "PreToolUse:mcp__shop__remove hook error: not here", decision=refusal),
        *_from_answer(run, 4),
    )


def edited_by_hook() -> Sequence[Fact]:
    """The callback returned `updatedInput`."""
    run = _turn()
    return (
        *_until_asked(run),
        *run.callback(3, 3.05, "PreToolUse", NAMES["editor"], CALL, effects=("request",)),
        run.tool_began(3.1, "tool-1", CALL, REMOVE, {"path": "y"}, origin=ToolOrigin.MCP),
        run.tool_ended(3.5, "tool-1", "removed y", run_s=0.4),
        *_from_answer(run, 4),
    )


def _answered(run: Story, decision: Decision) -> Sequence[Fact]:
    """`can_use_tool` was called at second 3 and returned at second 63."""
    return (
        *_until_asked(run, user="ada"),
        run.interrupted(3, INTERRUPT, CALL, {"tool_input": {"path": "x"}}, ends_run=False),
        run.decided(63, CALL, REMOVE, decision),
    )


def approved() -> Sequence[Fact]:
    run = _turn()
    return (
        *_answered(run, Granted(source=Source.HUMAN, by="ada", wait_s=60.0)),
        run.tool_began(64, "tool-1", CALL, REMOVE, {"path": "x"}, origin=ToolOrigin.MCP),
        run.tool_ended(64.5, "tool-1", "removed x", run_s=0.5),
        *_from_answer(run, 65),
    )


def rejected() -> Sequence[Fact]:
    """No Post hook; `permission_denials` of the result lists it."""
    run = _turn()
    return (
        *_answered(run, Denied(source=Source.HUMAN, by="ada", reason="not here", wait_s=60.0)),
        run.refused(64, CALL, REMOVE, "not here"),
        *_from_answer(run, 65),
    )


def subagent() -> Sequence[Fact]:
    """A foreground Agent call: TaskStarted, SubagentStart; the subagent's PreToolUse came before its message; its last
    text is not forwarded, and its transcript, read at SubagentStop, has that call's figures."""
    run = _turn()
    inner = run.of(AGENT)
    asked = {"description": "look", "subagent_type": "researcher", "run_in_background": False}
    return (
        run.began(0, "claude"),
        run.identified(0.5, conversation=SESSION, turn=PROMPT),
        *run.model(1, 2, "msg_1", FIRST, response_id="msg_1", response_model="scripted-1"),
        run.proposed(2, CALL, "Agent", asked, origin=ToolOrigin.SUBAGENT),
        run.tool_began(3, "tool-1", CALL, "Agent", asked, origin=ToolOrigin.SUBAGENT),
        run.handed_off(3.1, "tool-1", "claude", "researcher", CALL, "look"),
        inner.began(3.2, "researcher", parent="tool-1"),
        inner.proposed(5, SUB_CALL, REMOVE, {"path": "x"}, origin=ToolOrigin.MCP),
        *inner.model(3.3, 5.1, "msg_s1", TokenUsage(input=7, complete=False), response_id="msg_s1", response_model="scripted-1"),
        inner.tool_began(6, "tool-s1", SUB_CALL, REMOVE, {"path": "x"}, origin=ToolOrigin.MCP),
        inner.tool_ended(6.5, "tool-s1", "removed x", run_s=0.5),
        *inner.model(7, 8, "msg_s2", TokenUsage(input=9, output=2), response_id="msg_s2", response_model="scripted-1"),
        inner.ended(9, usage=TokenUsage(input=16, output=3)),
        run.tool_ended(9.1, "tool-1", "found", run_s=6.1),
        *_from_answer(run, 10, TokenUsage(input=236, output=25)),
    )


def hook_command() -> Sequence[Fact]:
    """Shell hooks of a settings file, each told by the wrapper around its command, which reads `tool_use_id` in its input.
    Which of them refused is not in the tool result that the SDK gets: there the call's decision has no `by`."""
    run = _turn()
    shell = Story("claude_code", "query-1", "query-1", SESSION)
    refusal = Denied(source=Source.HOOK_COMMAND, by=NAMES["command"], reason="not here")
    return (
        *_until_asked(run),
        shell.hook_began(3, "hook-1", "PreToolUse", CALL, handlers=2),
        *shell.command(3.1, 3.2, "hook-1", "PreToolUse", NAMES["logger"], CALL, "log.sh", rank=0, refuses=None),
        *shell.command(3.11, 3.4, "hook-1", "PreToolUse", NAMES["command"], CALL, "keep.sh", rank=1, refuses=refusal),
        shell.hook_ended(3.5, "hook-1", refusal),
        run.refused(
            3.6,
            CALL,
            REMOVE,
            "PreToolUse:mcp__shop__remove hook error: [keep.sh]: not here",
            decision=Denied(source=Source.HOOK_COMMAND, reason="not here"),
        ),
        *_from_answer(run, 4),
    )


SCENARIOS = {
    "denied_by_hook": denied_by_hook,
    "edited_by_hook": edited_by_hook,
    "approved": approved,
    "rejected": rejected,
    "subagent": subagent,
    "hook_command": hook_command,
}
