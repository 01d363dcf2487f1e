"""The contract: one expected tree per scenario, whatever the framework.

A line is one record: its kind, its span's name, the call, outcome, decision, wait and events. What stands in braces is a
framework's own id or name (`NAMES` of its facts file); nothing else may differ. Where a framework forces another tree,
`FORCED` has it with the reason: its lines are the contract's, except those that it names as its own.
"""

# ruff: noqa: E501 -- a record is one line, however long

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hookspan.spans import names as n

TREES: Mapping[str, str] = {
    # a callback in the process (guard, middleware, hook) refuses a call; the agent goes on
    "denied_by_hook": """
        agent: invoke_agent {agent} completed stop=end_turn usage.input_tokens=220
          chat: chat scripted-1 usage.input_tokens=100
          tool: execute_tool {remove} ({call}) denied never ran{origin} <deny from hook_callback by {keeper}: 'not here'> [decision deny]
          hook_callback: hook_callback {before_tool} ({call}) {keeper} block <deny from hook_callback by {keeper}: 'not here'> hook.decided=True [decision deny ({call})]
          chat: chat scripted-1 usage.input_tokens=120
        """,
    # a callback in the process changes a call's arguments and lets it run
    "edited_by_hook": """
        agent: invoke_agent {agent} completed stop=end_turn usage.input_tokens=220
          chat: chat scripted-1 usage.input_tokens=100
          tool: execute_tool {remove} ({call}) success ran attempt=1 basis=none_asked{origin} input edited
          hook_callback: hook_callback {before_tool} ({call}) {editor} ok effects=request
          chat: chat scripted-1 usage.input_tokens=120
        """,
    # a person is asked, the run ends; a minute later another run goes on with the answer
    "approved": """
        agent: invoke_agent {agent} interrupted stop=interrupt usage.input_tokens=100 interrupt.id={interrupt} [interrupt approval {call}]
          chat: chat scripted-1 usage.input_tokens=100
          tool: execute_tool {remove} ({call}) interrupted never ran{origin}
            pause: pause ({call}) interrupt.id={interrupt}
          agent: invoke_agent {agent} completed stop=end_turn usage.input_tokens=120 interrupt.id={interrupt} [resume] link->1
            approval: approval {remove} ({call}) <allow from human by ada> decision.wait_s=60.0
            tool: execute_tool {remove} ({call}) success ran attempt=1 basis=human{origin} <allow from human by ada> decision.wait_s=60.0 [decision allow]
            chat: chat scripted-1 usage.input_tokens=120
        """,
    "rejected": """
        agent: invoke_agent {agent} interrupted stop=interrupt usage.input_tokens=100 interrupt.id={interrupt} [interrupt approval {call}]
          chat: chat scripted-1 usage.input_tokens=100
          tool: execute_tool {remove} ({call}) interrupted never ran{origin}
            pause: pause ({call}) interrupt.id={interrupt}
          agent: invoke_agent {agent} completed stop=end_turn usage.input_tokens=120 interrupt.id={interrupt} [resume] link->1
            approval: approval {remove} ({call}) <deny from human by ada: 'not here'> decision.wait_s=60.0
            tool: execute_tool {remove} ({call}) denied never ran{origin} <deny from human by ada: 'not here'> decision.wait_s=60.0 [decision deny]
            chat: chat scripted-1 usage.input_tokens=120
        """,
    # an agent hands a task to another and waits for it
    "subagent": """
        agent: invoke_agent {agent} completed stop=end_turn usage.input_tokens=236
          chat: chat scripted-1 usage.input_tokens=100
          tool: execute_tool {delegate} ({call}) success ran attempt=1 basis=none_asked origin=subagent [handoff {agent} -> researcher subagent ({call})]
            agent: invoke_agent researcher completed stop=end_turn usage.input_tokens=16
              chat: chat scripted-1 usage.input_tokens=7
              tool: execute_tool {remove} ({sub_call}) success ran attempt=1 basis=none_asked{origin}
              chat: chat scripted-1 usage.input_tokens=9
          chat: chat scripted-1 usage.input_tokens=120
        """,
    # two hook commands run before a call; the second one refuses it with exit code 2
    "hook_command": """
        agent: invoke_agent {agent} completed stop=end_turn usage.input_tokens=220
          chat: chat scripted-1 usage.input_tokens=100
          tool: execute_tool {remove} ({call}) denied never ran{origin} <deny from hook_command: 'not here'> [decision deny]
          hook: hook PreToolUse <deny from hook_command by {command}: 'not here'> tool.call.id={call} hook.outcome=block hook.handlers=2 [decision deny ({call})]
            hook_command: hook_command PreToolUse tool.call.id={call} hook.name={logger} hook.outcome=ok process.exit.code=0
            hook_command: hook_command PreToolUse <deny from hook_command by {command}: 'not here'> tool.call.id={call} hook.name={command} hook.outcome=block hook.decided=True process.exit.code=2 [decision deny ({call})]
          chat: chat scripted-1 usage.input_tokens=120
        """,
}


@dataclass(frozen=True)
class Forced:
    """A tree that a framework forces. `own` are the beginnings of the lines which the contract's tree does not have."""

    reason: str
    own: Sequence[str]
    tree: str
    fewer: Sequence[str] = ()
    """Attributes that a record which both trees have lacks in this one, for the same reason."""


_WAITS_INSIDE = "can_use_tool waits inside the run: no run ends, so none is resumed and no call is left interrupted"

FORCED: Mapping[tuple[str, str], Forced] = {
    ("approved", "claude"): Forced(
        _WAITS_INSIDE,
        ("agent: ",),
        """
        agent: invoke_agent {agent} completed stop=end_turn usage.input_tokens=220 interrupt.id={interrupt} [interrupt approval {call}]
          chat: chat scripted-1 usage.input_tokens=100
          tool: execute_tool {remove} ({call}) success ran attempt=1 basis=human{origin} <allow from human by ada> decision.wait_s=60.0 [decision allow]
          pause: pause ({call}) interrupt.id={interrupt}
          approval: approval {remove} ({call}) <allow from human by ada> decision.wait_s=60.0
          chat: chat scripted-1 usage.input_tokens=120
        """,
    ),
    ("rejected", "claude"): Forced(
        _WAITS_INSIDE,
        ("agent: ",),
        """
        agent: invoke_agent {agent} completed stop=end_turn usage.input_tokens=220 interrupt.id={interrupt} [interrupt approval {call}]
          chat: chat scripted-1 usage.input_tokens=100
          tool: execute_tool {remove} ({call}) denied never ran{origin} <deny from human by ada: 'not here'> decision.wait_s=60.0 [decision deny]
          pause: pause ({call}) interrupt.id={interrupt}
          approval: approval {remove} ({call}) <deny from human by ada: 'not here'> decision.wait_s=60.0
          chat: chat scripted-1 usage.input_tokens=120
        """,
    ),
    ("hook_command", "langgraph"): Forced(
        "deepagents-code runs hook commands in the client process, whose record is the turn; the agent runs in the server process below it",
        ("workflow: ",),
        """
        workflow: invoke_workflow dcode completed usage.input_tokens=220
          agent: invoke_agent {agent} completed stop=end_turn usage.input_tokens=220
            chat: chat scripted-1 usage.input_tokens=100
            tool: execute_tool {remove} ({call}) denied never ran{origin} <deny from hook_command: 'not here'> [decision deny]
            chat: chat scripted-1 usage.input_tokens=120
          hook: hook PreToolUse <deny from hook_command by {command}: 'not here'> tool.call.id={call} hook.outcome=block hook.handlers=2 [decision deny ({call})]
            hook_command: hook_command PreToolUse tool.call.id={call} hook.name={logger} hook.outcome=ok process.exit.code=0
            hook_command: hook_command PreToolUse <deny from hook_command by {command}: 'not here'> tool.call.id={call} hook.name={command} hook.outcome=block hook.decided=True process.exit.code=2 [decision deny ({call})]
        """,
        fewer=(n.AGENT_NAME, n.RECORDS_TOTAL),
    ),
}

ABSENT: Mapping[tuple[str, str], str] = {
    ("hook_command", "strands"): "Strands has no hook commands: its hooks are callbacks in the process",
}
"""Scenarios that a framework cannot have."""
