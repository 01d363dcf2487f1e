"""The demo's agent: a coding assistant of deepagents as anybody would write it, without a line about hookspan."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from deepagents import create_deep_agent  # pyright: ignore[reportUnknownVariableType]  # deepagents leaves type arguments open
from deepagents.backends import FilesystemBackend
from langchain_anthropic import ChatAnthropic
from langchain_core.tools import BaseTool, StructuredTool, ToolException
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph.state import CompiledStateGraph
from pydantic import SecretStr

from hookspan.demo import story, workspace

Assistant = CompiledStateGraph[Any, Any, Any, Any]

_ANSWER_TIMEOUT_S = 20


def build(project: Path, live: Path, *, base_url: str) -> Assistant:
    """The assistant, which works on `project` and may put it online as `live`, with the model at `base_url`."""
    return create_deep_agent(
        model=ChatAnthropic(
            model_name=story.MODEL,
            base_url=base_url,
            api_key=SecretStr("demo"),
            streaming=True,
            max_retries=0,
            timeout=_ANSWER_TIMEOUT_S,
            stop=None,
        ),
        tools=[_run_tests(project), _deploy(project, live)],
        system_prompt=story.ASSISTANT,
        subagents=[
            {"name": "reviewer", "description": "Says what is wrong with code.", "system_prompt": story.REVIEWER},
            {"name": "researcher", "description": "Says who uses code.", "system_prompt": story.RESEARCHER},
        ],
        backend=FilesystemBackend(root_dir=project, virtual_mode=True),
        interrupt_on=dict.fromkeys(story.ANSWERS, True),
        checkpointer=InMemorySaver(),
        name="coding-assistant",
    )


def _run_tests(project: Path) -> BaseTool:
    def run_tests() -> str:
        """Run the project's tests."""
        passed, told = workspace.run_tests(project)
        if not passed:
            raise ToolException(told)
        return told

    return StructuredTool.from_function(run_tests, handle_tool_error=True)


def _deploy(project: Path, live: Path) -> BaseTool:
    def deploy(target: str) -> str:
        """Put the project online."""
        shutil.copytree(project, live)
        return f"{target} serves the project now"

    return StructuredTool.from_function(deploy)
