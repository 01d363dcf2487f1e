"""What the Strands adapter will tell of each scenario, in the order of the hook events that strands-agents 1.62.0 fired.

Strands says nothing of what a person's answer means: the interrupt's response is any value, and only what the asking
callback then does with the call (lets it go, or sets `cancel_tool`) shows it. So the resume names the interrupt without a
decision, and the decision follows at BeforeToolCall. Cycles (`execute_event_loop_cycle`) have no record.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hookspan.model.decision import Denied, Granted, Source
from hookspan.model.facts import Answer, Fact, Resume, RunOutcome, StopReason, ToolOrigin
from hookspan.model.usage import TokenUsage
from tests.support.contract_story import Story

NAMES: Mapping[str, str] = {
    "agent": "clerk",
    "call": "tooluse_T1",
    "sub_call": "tooluse_S1",
    "interrupt": "v1:before_tool_call:tooluse_T1:0c3b9a52-7c0e-5f1c-9d6e-0a6f4f1b2c3d",
    "remove": "remove",
    "delegate": "researcher",
    "origin": "",
    "before_tool": "BeforeToolCallEvent",
    "keeper": "Keeper.before_tool_call",
    "editor": "Editor.before_tool_call",
}
SESSION = "session-1"
CALL, SUB_CALL, INTERRUPT = NAMES["call"], NAMES["sub_call"], NAMES["interrupt"]
FIRST, SECOND = TokenUsage(input=100, output=10), TokenUsage(input=120, output=12)


def denied_by_hook() -> Sequence[Fact]:
    """BeforeToolCall with `cancel_tool` set, AfterToolCall with `cancel_message`; no tool span of Strands' own."""
    run = Story("strands", "run-1", "run-1", SESSION)
    refusal = Denied(source=Source.HOOK_CALLBACK, by=NAMES["keeper"], reason="not here")
    return (
        run.began(0, "clerk"),
        *run.model(1, 2, "chat-1", FIRST, finish_reasons=("tool_use",)),
        run.proposed(2, CALL, "remove", {"path": "x"}),
        *run.callback(3, 3.1, "BeforeToolCallEvent", NAMES["keeper"], CALL, decision=refusal),
        run.refused(3.2, CALL, "remove", "not here", decision=refusal),
        *run.model(4, 5, "chat-2", SECOND, finish_reasons=("end_turn",)),
        run.ended(6),
    )


def edited_by_hook() -> Sequence[Fact]:
    """The callback wrote into `tool_use["input"]`."""
    run = Story("strands", "run-1", "run-1", SESSION)
    return (
        run.began(0, "clerk"),
        *run.model(1, 2, "chat-1", FIRST, finish_reasons=("tool_use",)),
        run.proposed(2, CALL, "remove", {"path": "x"}),
        *run.callback(3, 3.05, "BeforeToolCallEvent", NAMES["editor"], CALL, effects=("request",)),
        run.tool_began(3.1, "tool-1", CALL, "remove", {"path": "y"}),
        run.tool_ended(3.5, "tool-1", "removed y"),
        *run.model(4, 5, "chat-2", SECOND, finish_reasons=("end_turn",)),
        run.ended(6),
    )


def _asked() -> Sequence[Fact]:
    """BeforeToolCall raised the interrupt and no AfterToolCall follows; AfterInvocation says stop=interrupt."""
    run = Story("strands", "run-1", "run-1", SESSION)
    return (
        run.began(0, "clerk", user="ada"),
        *run.model(1, 2, "chat-1", FIRST, finish_reasons=("tool_use",)),
        run.proposed(2, CALL, "remove", {"path": "x"}),
        run.interrupted(3, INTERRUPT, CALL, "remove x?"),
        run.ended(3.2, outcome=RunOutcome.INTERRUPTED, stop=StopReason.INTERRUPT),
    )


def approved() -> Sequence[Fact]:
    """The resumed run calls no model first: BeforeInvocation, BeforeTools, BeforeToolCall with the same id."""
    run = Story("strands", "run-2", "run-2", SESSION)
    return (
        *_asked(),
        run.began(63, "clerk", user="ada", resume=Resume(SESSION, (Answer(INTERRUPT, ()),))),
        run.decided(63.2, CALL, "remove", Granted(source=Source.HUMAN, by="ada")),
        run.tool_began(64, "tool-1", CALL, "remove", {"path": "x"}),
        run.tool_ended(64.5, "tool-1", "removed x"),
        *run.model(65, 66, "chat-2", SECOND, finish_reasons=("end_turn",)),
        run.ended(67),
    )


def rejected() -> Sequence[Fact]:
    """The asking callback set `cancel_tool`: its word is the person's, and it has no record of its own.
    The resumed run proposes nothing; the event's `tool_use` has the arguments."""
    run = Story("strands", "run-2", "run-2", SESSION)
    return (
        *_asked(),
        run.began(63, "clerk", user="ada", resume=Resume(SESSION, (Answer(INTERRUPT, ()),))),
        run.decided(63.2, CALL, "remove", Denied(source=Source.HUMAN, by="ada", reason="not here")),
        run.refused(64, CALL, "remove", "not here", arguments={"path": "x"}),
        *run.model(65, 66, "chat-2", SECOND, finish_reasons=("end_turn",)),
        run.ended(67),
    )


def subagent() -> Sequence[Fact]:
    """An agent as a tool (`as_tool`): the tool has the agent's name, the inner invocation runs inside its span."""
    run = Story("strands", "run-1", "run-1", SESSION)
    inner = run.of("run-2")
    asked = {"input": "look"}
    return (
        run.began(0, "clerk"),
        *run.model(1, 2, "chat-1", FIRST, finish_reasons=("tool_use",)),
        run.proposed(2, CALL, "researcher", asked, origin=ToolOrigin.SUBAGENT),
        run.tool_began(3, "tool-1", CALL, "researcher", asked, origin=ToolOrigin.SUBAGENT),
        run.handed_off(3.1, "tool-1", "clerk", "researcher", CALL, "look"),
        inner.began(3.2, "researcher", parent="tool-1"),
        *inner.model(4, 5, "chat-s1", TokenUsage(input=7, output=1), finish_reasons=("tool_use",)),
        inner.proposed(5, SUB_CALL, "remove", {"path": "x"}),
        inner.tool_began(6, "tool-s1", SUB_CALL, "remove", {"path": "x"}),
        inner.tool_ended(6.5, "tool-s1", "removed x"),
        *inner.model(7, 8, "chat-s2", TokenUsage(input=9, output=2), finish_reasons=("end_turn",)),
        inner.ended(9),
        run.tool_ended(9.1, "tool-1", "found"),
        *run.model(10, 11, "chat-2", SECOND, finish_reasons=("end_turn",)),
        run.ended(12),
    )


SCENARIOS = {
    "denied_by_hook": denied_by_hook,
    "edited_by_hook": edited_by_hook,
    "approved": approved,
    "rejected": rejected,
    "subagent": subagent,
}
