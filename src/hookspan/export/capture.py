"""OpenTelemetry's variable for message content, in our words."""

from __future__ import annotations

from hookspan.model.content import ContentMode

CAPTURE_VALUES = "NO_CONTENT, SPAN_ONLY, EVENT_ONLY, SPAN_AND_EVENT"

_MODES = {
    "no_content": ContentMode.NONE,
    "span_only": ContentMode.FULL,
    "span_and_event": ContentMode.FULL,
    # content in log events only: hookspan writes none, and what is not wanted on spans stays off them
    "event_only": ContentMode.NONE,
    # what the variable took before it had names
    "true": ContentMode.FULL,
    "false": ContentMode.NONE,
}


def capture_mode(text: str) -> ContentMode:
    """Raises `ValueError` for what OpenTelemetry does not take either."""
    mode = _MODES.get(text.strip().lower())
    if mode is None:
        raise ValueError(text)
    return mode
