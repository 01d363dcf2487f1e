"""One performance: workspace, model server, assistant and person brought together."""

from __future__ import annotations

import asyncio
import uuid
from pathlib import Path

from hookspan.demo import story, workspace
from hookspan.demo.assistant import build
from hookspan.demo.conversation import Listener, converse
from hookspan.demo.messages_api import MessagesApi
from hookspan.model.acting import acting_as


class ScriptError(RuntimeError):
    """The assistant asked the scripted model for something that is not in the script: its framework has changed."""


def play(place: Path, listener: Listener) -> str:
    """Has the assistant work in the folder `place`; the id of the conversation.

    Raises ScriptError when model server and assistant did not understand each other, OSError when loopback cannot be
    used or `place` not be written.
    """
    project = place / "shop"
    workspace.create(project)
    conversation = f"demo-{uuid.uuid4().hex[:8]}"
    with MessagesApi(story.SCRIPT) as api:
        try:
            with acting_as(story.PERSON):
                asyncio.run(converse(build(project, place / "online", base_url=api.url), conversation, listener))
        except Exception as error:
            if api.complaints:
                raise ScriptError(api.complaints[0]) from error
            raise
    return conversation
