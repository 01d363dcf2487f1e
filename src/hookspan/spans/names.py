"""Every span, attribute, event and metric name, once.

Names of OpenTelemetry come from the released semantic-conventions package, at the version the lock file holds.
Coming with its next releases (genai conventions, unreleased in 2026-11): `gen_ai.usage.cache_creation.input_tokens` becomes
`gen_ai.usage.cache_write.input_tokens`; `gen_ai.client.operation.duration` becomes `gen_ai.client.inference.duration`;
`gen_ai.client.token.usage` splits into counters. They are taken up when they are released.
Where the conventions have no name (hooks, approvals, handoffs, stop decisions) the prefix is `hookspan.`.
"""

from __future__ import annotations

from opentelemetry.semconv._incubating.attributes import gen_ai_attributes as _genai
from opentelemetry.semconv._incubating.attributes import process_attributes as _process
from opentelemetry.semconv._incubating.attributes import telemetry_attributes as _telemetry
from opentelemetry.semconv._incubating.attributes import user_attributes as _user
from opentelemetry.semconv.attributes import error_attributes as _error

SCOPE = "hookspan"

# --- kinds of record: the values of `hookspan.record`
WORKFLOW = "workflow"
AGENT = "agent"
CHAT = "chat"
TOOL = "tool"
HOOK = "hook"
HOOK_COMMAND = "hook_command"
HOOK_CALLBACK = "hook_callback"
APPROVAL = "approval"
PAUSE = "pause"
COMPACT = "compact"

# --- operations: the values of `gen_ai.operation.name`, and the first word of a span's name
INVOKE_WORKFLOW = "invoke_workflow"
INVOKE_AGENT = "invoke_agent"
OP_CHAT = "chat"
EXECUTE_TOOL = "execute_tool"

OPERATION_OF_RECORD = {WORKFLOW: INVOKE_WORKFLOW, AGENT: INVOKE_AGENT, CHAT: OP_CHAT, TOOL: EXECUTE_TOOL}

# --- OpenTelemetry's attributes
OPERATION_NAME = _genai.GEN_AI_OPERATION_NAME
CONVERSATION_ID = _genai.GEN_AI_CONVERSATION_ID
AGENT_NAME = _genai.GEN_AI_AGENT_NAME
WORKFLOW_NAME = _genai.GEN_AI_WORKFLOW_NAME
PROVIDER_NAME = _genai.GEN_AI_PROVIDER_NAME
REQUEST_MODEL = _genai.GEN_AI_REQUEST_MODEL
RESPONSE_MODEL = _genai.GEN_AI_RESPONSE_MODEL
RESPONSE_ID = _genai.GEN_AI_RESPONSE_ID
FINISH_REASONS = _genai.GEN_AI_RESPONSE_FINISH_REASONS
INPUT_TOKENS = _genai.GEN_AI_USAGE_INPUT_TOKENS
OUTPUT_TOKENS = _genai.GEN_AI_USAGE_OUTPUT_TOKENS
CACHE_READ_TOKENS = _genai.GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS
CACHE_CREATION_TOKENS = _genai.GEN_AI_USAGE_CACHE_CREATION_INPUT_TOKENS
REASONING_TOKENS = _genai.GEN_AI_USAGE_REASONING_OUTPUT_TOKENS
INPUT_MESSAGES = _genai.GEN_AI_INPUT_MESSAGES
OUTPUT_MESSAGES = _genai.GEN_AI_OUTPUT_MESSAGES
TOOL_NAME = _genai.GEN_AI_TOOL_NAME
TOOL_CALL_ID = _genai.GEN_AI_TOOL_CALL_ID
TOOL_TYPE = _genai.GEN_AI_TOOL_TYPE
TOOL_ARGUMENTS = _genai.GEN_AI_TOOL_CALL_ARGUMENTS
TOOL_RESULT = _genai.GEN_AI_TOOL_CALL_RESULT
TOKEN_TYPE = _genai.GEN_AI_TOKEN_TYPE
ERROR_TYPE = _error.ERROR_TYPE
USER_ID = _user.USER_ID
EXECUTABLE_NAME = _process.PROCESS_EXECUTABLE_NAME
EXIT_CODE = _process.PROCESS_EXIT_CODE
PID = _process.PROCESS_PID
DISTRO_NAME = _telemetry.TELEMETRY_DISTRO_NAME
DISTRO_VERSION = _telemetry.TELEMETRY_DISTRO_VERSION

# --- on every span of ours
RECORD = "hookspan.record"
FRAMEWORK = "hookspan.framework"
RUN_ID = "hookspan.run.id"
TURN_ID = "hookspan.turn.id"
WRITER_ID = "hookspan.writer.id"
SEQUENCE = "hookspan.sequence"
RECORDS_TOTAL = "hookspan.records.total"
EVENTS_OMITTED = "hookspan.events.omitted"

# --- runs
RUN_OUTCOME = "hookspan.run.outcome"
USAGE_INPUT = "hookspan.usage.input_tokens"
USAGE_OUTPUT = "hookspan.usage.output_tokens"
USAGE_CACHE_READ = "hookspan.usage.cache_read.input_tokens"
USAGE_CACHE_CREATION = "hookspan.usage.cache_creation.input_tokens"
USAGE_REASONING = "hookspan.usage.reasoning.output_tokens"
USAGE_COMPLETE = "hookspan.usage.complete"
STOP_REASON = "hookspan.stop.reason"
STOP_BY = "hookspan.stop.by"
STOP_CONTINUATIONS = "hookspan.stop.continuations"

# --- tool calls
TOOL_ORIGIN = "hookspan.tool.origin"
TOOL_OUTCOME = "hookspan.tool.outcome"
TOOL_EXECUTED = "hookspan.tool.executed"
TOOL_RUN_S = "hookspan.tool.run_s"
TOOL_ATTEMPT = "hookspan.tool.attempt"
TOOL_INPUT_EDITED = "hookspan.tool.input_edited"
TOOL_RESULT_EDITED = "hookspan.tool.result_edited"
TOOL_ARGUMENTS_BYTES = "hookspan.tool.arguments_bytes"
TOOL_RESULT_BYTES = "hookspan.tool.result_bytes"
PERMISSION_BASIS = "hookspan.permission.basis"

# --- decisions
DECISION_VERDICT = "hookspan.decision.verdict"
DECISION_SOURCE = "hookspan.decision.source"
DECISION_BY = "hookspan.decision.by"
DECISION_REASON = "hookspan.decision.reason"
DECISION_REASON_GIVEN = "hookspan.decision.reason_given"
DECISION_SCOPE = "hookspan.decision.scope"
DECISION_SUBJECT = "hookspan.decision.subject"
DECISION_EXPIRES_AT = "hookspan.decision.expires_at"
DECISION_WAIT_S = "hookspan.decision.wait_s"
DECISION_CALL_ID = "hookspan.decision.call_id"

# --- handoffs, interrupts
HANDOFF_FROM = "hookspan.handoff.from"
HANDOFF_TO = "hookspan.handoff.to"
HANDOFF_MECHANISM = "hookspan.handoff.mechanism"
HANDOFF_MESSAGE = "hookspan.handoff.message"
HANDOFF_CALL_ID = "hookspan.handoff.call_id"
INTERRUPT_ID = "hookspan.interrupt.id"
INTERRUPT_KIND = "hookspan.interrupt.kind"
INTERRUPT_VALUE = "hookspan.interrupt.value"
INTERRUPT_CALL_IDS = "hookspan.interrupt.call_ids"
CHECKPOINT_ID = "hookspan.checkpoint.id"
RESUME_INTERRUPT_ID = "hookspan.resume.interrupt_id"
RESUME_CHECKPOINT_ID = "hookspan.resume.checkpoint_id"
RESUME_WAIT_S = "hookspan.resume.wait_s"

# --- hooks
HOOK_EVENT = "hookspan.hook.event"
HOOK_NAME = "hookspan.hook.name"
HOOK_MATCHER = "hookspan.hook.matcher"
HOOK_SOURCE = "hookspan.hook.source"
HOOK_HANDLERS = "hookspan.hook.handlers"
HOOK_RANK = "hookspan.hook.rank"
HOOK_DECIDED = "hookspan.hook.decided"
HOOK_OUTCOME = "hookspan.hook.outcome"
HOOK_TIMEOUT_S = "hookspan.hook.timeout_s"
HOOK_EFFECTS = "hookspan.hook.effects"
HOOK_COMMAND_HASH = "hookspan.hook.command_hash"
HOOK_COMMAND_LINE = "hookspan.hook.command"
HOOK_STDOUT_BYTES = "hookspan.hook.stdout_bytes"
HOOK_STDERR_BYTES = "hookspan.hook.stderr_bytes"

# --- content
MESSAGES_BEFORE = "hookspan.content.messages_before"
TRUNCATED = "hookspan.content.truncated"
DROPPED = "hookspan.content.dropped"

# --- events
EVENT_TOOL_START = "hookspan.tool.start"
EVENT_TOOL_END = "hookspan.tool.end"
EVENT_DECISION = "hookspan.decision"
EVENT_HANDOFF = "hookspan.handoff"
EVENT_STOP = "hookspan.stop"
EVENT_INTERRUPT = "hookspan.interrupt"
EVENT_RESUME = "hookspan.resume"
EVENT_USAGE = "hookspan.usage"
EVENT_RETRY = "hookspan.retry"
EVENT_TOOL_NAME_REPAIRED = "hookspan.tool_name_repaired"
EVENT_CONTEXT_REWRITTEN = "hookspan.context_rewritten"
EVENT_NOTIFICATION = "hookspan.notification"
NOTED_EVENTS = frozenset({EVENT_RETRY, EVENT_TOOL_NAME_REPAIRED, EVENT_CONTEXT_REWRITTEN, EVENT_NOTIFICATION})

# --- metrics
METRIC_TOKEN_USAGE = "gen_ai.client.token.usage"  # noqa: S105 -- counts tokens, is none
METRIC_OPERATION_DURATION = "gen_ai.client.operation.duration"
METRIC_INVOKE_AGENT_DURATION = "gen_ai.invoke_agent.duration"
METRIC_EXECUTE_TOOL_DURATION = "gen_ai.execute_tool.duration"
METRIC_RECORDS_LOST = "hookspan.records.lost"
LOST_REASON = "hookspan.lost.reason"
OTHER = "_OTHER"
"""Stands for a label value that only a model invented."""
