"""Texts for the collector's masking: with a secret in them, and with none. Those of hookspan's own redaction, with what differs."""

from __future__ import annotations

from tests.spans.test_redact import BENIGN, NAMED, TOKENS

TOO_SHORT = {"123456"}
"""hookspan masks these before they leave the process. The collector leaves values of fewer than seven characters: half of
them are words like `string` and `null`."""
MASKED_HERE = ("api_key: xxxxxxxx", "next_page_token")
"""Texts that hookspan can tell from secrets and the collector's patterns (RE2, no look-around) cannot."""

PLANTED = [
    *((secret, secret) for secret in TOKENS.values()),
    *((f"it is {secret} now", secret) for secret in TOKENS.values()),
    *((f'{{"value": "{secret}", "n": 1}}', secret) for secret in TOKENS.values()),
    *((before + secret + after, secret) for before, secret, after in NAMED if secret not in TOO_SHORT),
]
"""(text, the secret in it)."""

HARMLESS = [
    *(text for text in BENIGN if not any(part in text for part in MASKED_HERE)),
    "1200",
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "6d69334c0ffee0123456789abcdef0123456789a",
    "123e4567-e89b-12d3-a456-426614174000",
    "toolu_01A09q90qw90lq917835lq9",
    "call_Tq3mZ5vXo2B0sJ8dKfL1aYcE",
    "chatcmpl-9abcDEF012",
    "task-0123456789abcdef0123456789abcdef",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
    '{"media_type": "image/png", "bytes": 48213, "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"}',
    "claude-sonnet-4-5-20250929",
    "agent.py:142 in invoke_agent (reviewer) took 1.25 s; 31,309 input tokens, 569 output tokens",
]
