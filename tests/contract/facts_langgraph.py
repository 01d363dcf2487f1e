"""What the LangGraph adapter tells of each scenario: `test_langgraph.py` holds these to the real framework, fact by fact.

The hook commands are deepagents-code's: LangGraph itself runs none. There the client process tells of turn, hook and
commands, the server process of the agent; the interrupt that carries a hook from one to the other is told by neither.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hookspan.model.decision import Denied, Granted, Source
from hookspan.model.facts import Answer, Fact, Resume, RunKind, RunOutcome, StopReason, ToolOrigin
from hookspan.model.usage import TokenUsage
from tests.support.contract_story import Story

NAMES: Mapping[str, str] = {
    "agent": "clerk",
    "call": "call_T1",
    "sub_call": "call_S1",
    "interrupt": "1ad8be4baa9f98e9b25c08f74ebddb6c",
    "remove": "remove",
    "delegate": "task",
    "origin": "",
    "before_tool": "wrap_tool_call",
    "keeper": "Keeper.wrap_tool_call",
    "editor": "Editor.wrap_tool_call",
    "logger": "PreToolUse:0:0",
    "command": "PreToolUse:0:1",
}
THREAD = "T1"
CHECKPOINT = "1f1ed7f1-5790-6479-8001-6583ff96d30c"
CALL, SUB_CALL, INTERRUPT = NAMES["call"], NAMES["sub_call"], NAMES["interrupt"]
FIRST, SECOND = TokenUsage(input=100, output=10), TokenUsage(input=120, output=12)
ASKED = {"action_requests": [{"name": "remove", "args": {"path": "x"}}], "review_configs": [{"action_name": "remove"}]}
SAID = "User rejected the tool call for `remove` with reason: not here"


def denied_by_hook() -> Sequence[Fact]:
    run = Story("langgraph", "run-1", "run-1", THREAD)
    refusal = Denied(source=Source.HOOK_CALLBACK, by=NAMES["keeper"], reason="not here")
    return (
        run.began(0, "clerk"),
        *run.model(1, 2, "chat-1", FIRST),
        run.proposed(2, CALL, "remove", {"path": "x"}),
        *run.callback(3, 3.1, "wrap_tool_call", NAMES["keeper"], CALL, decision=refusal),
        run.refused(3.2, CALL, "remove", "not here", decision=refusal),
        *run.model(4, 5, "chat-2", SECOND, finish_reasons=("stop",)),
        run.ended(6),
    )


def edited_by_hook() -> Sequence[Fact]:
    run = Story("langgraph", "run-1", "run-1", THREAD)
    return (
        run.began(0, "clerk"),
        *run.model(1, 2, "chat-1", FIRST),
        run.proposed(2, CALL, "remove", {"path": "x"}),
        run.tool_began(3.1, "tool-1", CALL, "remove", {"path": "y"}),
        run.tool_ended(3.5, "tool-1", "removed y"),
        *run.callback(3, 3.6, "wrap_tool_call", NAMES["editor"], CALL, effects=("request",)),
        *run.model(4, 5, "chat-2", SECOND, finish_reasons=("stop",)),
        run.ended(6),
    )


def _asked() -> Sequence[Fact]:
    """The interrupt is told twice: by the node it came from, then with the checkpoint by the graph that it ended."""
    run = Story("langgraph", "run-1", "run-1", THREAD)
    return (
        run.began(0, "clerk", user="ada"),
        *run.model(1, 2, "chat-1", FIRST),
        run.proposed(2, CALL, "remove", {"path": "x"}),
        run.interrupted(3, INTERRUPT, CALL, ASKED),
        run.interrupted(3.1, INTERRUPT, CALL, ASKED, checkpoint=CHECKPOINT),
        run.ended(3.2, outcome=RunOutcome.INTERRUPTED, stop=StopReason.INTERRUPT),
    )


def approved() -> Sequence[Fact]:
    run = Story("langgraph", "run-2", "run-2", THREAD)
    answer = Answer(None, (Granted(source=Source.HUMAN, by="ada"),))
    return (
        *_asked(),
        run.began(63, "clerk", user="ada", resume=Resume(THREAD, (answer,))),
        run.tool_began(64, "tool-1", CALL, "remove", {"path": "x"}),
        run.tool_ended(64.5, "tool-1", "removed x"),
        *run.model(65, 66, "chat-2", SECOND, finish_reasons=("stop",)),
        run.ended(67),
    )


def rejected() -> Sequence[Fact]:
    run = Story("langgraph", "run-2", "run-2", THREAD)
    refusal = Denied(source=Source.HUMAN, by="ada", reason="not here")
    answer = Answer(None, (refusal,))
    noted = Denied(source=Source.HUMAN, by="ada", reason=SAID)
    return (
        *_asked(),
        run.began(63, "clerk", user="ada", resume=Resume(THREAD, (answer,))),
        run.refused(64, CALL, "remove", SAID, arguments={"path": "x"}, decision=noted),
        *run.model(65, 66, "chat-2", SECOND, finish_reasons=("stop",)),
        run.ended(67),
    )


def subagent() -> Sequence[Fact]:
    run = Story("deepagents", "run-1", "run-1", THREAD)
    inner = run.of("run-1/researcher")
    task = {"description": "look", "subagent_type": "researcher"}
    return (
        run.began(0, "clerk"),
        *run.model(1, 2, "chat-1", FIRST),
        run.proposed(2, CALL, "task", task, origin=ToolOrigin.SUBAGENT),
        run.tool_began(3, "task-1", CALL, "task", task, origin=ToolOrigin.SUBAGENT),
        run.handed_off(3.1, "task-1", "clerk", "researcher", CALL, "look"),
        inner.began(3.2, "researcher", parent="task-1"),
        *inner.model(4, 5, "chat-s1", TokenUsage(input=7, output=1)),
        inner.proposed(5, SUB_CALL, "remove", {"path": "x"}),
        inner.tool_began(6, "tool-s1", SUB_CALL, "remove", {"path": "x"}),
        inner.tool_ended(6.5, "tool-s1", "removed x"),
        *inner.model(7, 8, "chat-s2", TokenUsage(input=9, output=2), finish_reasons=("stop",)),
        inner.ended(9),
        run.tool_ended(9.1, "task-1", "found"),
        *run.model(10, 11, "chat-2", SECOND, finish_reasons=("stop",)),
        run.ended(12),
    )


def hook_command() -> Sequence[Fact]:
    turn = Story("deepagents_code", "turn-1", "turn-1", THREAD)
    run = turn.of("run-1")
    refusal = Denied(source=Source.HOOK_COMMAND, by=NAMES["command"], reason="not here")
    return (
        turn.began(0, "dcode", kind=RunKind.WORKFLOW),
        run.began(0.1, "clerk", parent="turn-1"),
        *run.model(1, 2, "chat-1", FIRST),
        run.proposed(2, CALL, "remove", {"path": "x"}),
        turn.hook_began(3, "hook-1", "PreToolUse", CALL, handlers=2),
        *turn.command(3.1, 3.2, "hook-1", "PreToolUse", NAMES["logger"], CALL, "log.sh", rank=0, refuses=None),
        *turn.command(3.11, 3.4, "hook-1", "PreToolUse", NAMES["command"], CALL, "keep.sh", rank=1, refuses=refusal),
        turn.hook_ended(3.5, "hook-1", refusal),
        run.refused(3.6, CALL, "remove", "not here", decision=Denied(source=Source.HOOK_COMMAND, reason="not here")),
        *run.model(4, 5, "chat-2", SECOND, finish_reasons=("stop",)),
        run.ended(6),
        turn.ended(6.1, stop=None),
    )


SCENARIOS = {
    "denied_by_hook": denied_by_hook,
    "edited_by_hook": edited_by_hook,
    "approved": approved,
    "rejected": rejected,
    "subagent": subagent,
    "hook_command": hook_command,
}
