"""A chat model that answers from a script: LangChain's own class with a provider that is a list."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from typing import Any, cast

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import LanguageModelInput
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, ToolCall
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import PrivateAttr

Step = AIMessage | BaseException | Callable[[Sequence[BaseMessage]], "AIMessage | Awaitable[AIMessage]"]
"""What one model call does: answers, raises, or runs a function of the test's inside the call."""


class Scripted(BaseChatModel):
    """The n-th call of a conversation (counted by the AI messages in the prompt) does step n of `script`; the last
    step repeats. A step that is a list holds its successive attempts."""

    script: list[Any]
    model: str = "scripted-1"
    usage_in_stream: bool = True
    _attempts: Counter[int] = PrivateAttr(default_factory=Counter[int])

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], *, tool_choice: str | None = None, **kwargs: Any) -> Runnable[LanguageModelInput, AIMessage]:
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        answer = self._step(messages)
        assert isinstance(answer, AIMessage)
        return ChatResult(generations=[ChatGeneration(message=answer)])

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        answer = self._step(messages)
        if not isinstance(answer, AIMessage):
            answer = await answer
        return ChatResult(generations=[ChatGeneration(message=answer)])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        answer = self._step(messages)
        assert isinstance(answer, AIMessage)
        for chunk in self._chunks(answer):
            if run_manager is not None:
                run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        answer = self._step(messages)
        if not isinstance(answer, AIMessage):
            answer = await answer
        for chunk in self._chunks(answer):
            if run_manager is not None:
                await run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk

    def _step(self, messages: Sequence[BaseMessage]) -> AIMessage | Awaitable[AIMessage]:
        number = sum(isinstance(message, AIMessage) for message in messages)
        step = self.script[min(number, len(self.script) - 1)]
        if isinstance(step, list):
            attempts = cast("list[Step]", step)
            step = attempts[min(self._attempts[number], len(attempts) - 1)]
            self._attempts[number] += 1
        if isinstance(step, BaseException):
            raise step
        if isinstance(step, AIMessage):
            return step.model_copy()
        return cast("AIMessage | Awaitable[AIMessage]", step(messages))

    def _chunks(self, answer: AIMessage) -> Iterator[ChatGenerationChunk]:
        """The text word by word, the calls one by one, and usage and finish reason in the last chunk only."""
        for word in str(cast("object", answer.content)).split():
            yield ChatGenerationChunk(message=AIMessageChunk(content=word))
        for call in answer.tool_calls:
            yield ChatGenerationChunk(message=AIMessageChunk(content="", tool_calls=[call]))
        last = AIMessageChunk(content="", response_metadata=answer.response_metadata, chunk_position="last")
        if self.usage_in_stream:
            last.usage_metadata = answer.usage_metadata
        yield ChatGenerationChunk(message=last)


def calls(*wanted: tuple[str, str, dict[str, Any]], usage: UsageMetadata | None = None) -> AIMessage:
    """An answer that asks for tools: `(call id, tool, arguments)` each."""
    return AIMessage(
        content="",
        tool_calls=[ToolCall(id=call, name=name, args=arguments) for call, name, arguments in wanted],
        usage_metadata=usage,
    )


def says(text: str, *, usage: UsageMetadata | None = None, finish: str | None = None) -> AIMessage:
    """An answer in words."""
    return AIMessage(content=text, usage_metadata=usage, response_metadata={"finish_reason": finish} if finish is not None else {})


def tokens(given: int, written: int, **details: int) -> UsageMetadata:
    """LangChain's usage: `given` counts the cache, `written` the reasoning. Details: cache_read, cache_creation, reasoning."""
    usage = UsageMetadata(input_tokens=given, output_tokens=written, total_tokens=given + written)
    cached = {name: count for name, count in details.items() if name != "reasoning"}
    if cached:
        usage["input_token_details"] = cast("Any", cached)
    if "reasoning" in details:
        usage["output_token_details"] = {"reasoning": details["reasoning"]}
    return usage
