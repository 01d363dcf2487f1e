"""Secrets in text, masked before the text is kept anywhere."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

MASK = "[redacted]"

_TOKENS = (
    r"sk-(?:ant-|proj-|live-|or-v1-)?[A-Za-z0-9_\-]{16,}",
    r"(?:AKIA|ASIA|AROA|AIDA)[0-9A-Z]{16}",
    r"gh[pousr]_[A-Za-z0-9]{30,}",
    r"github_pat_[A-Za-z0-9_]{30,}",
    r"glpat-[A-Za-z0-9_\-]{18,}",
    r"xox[abeoprs]-[A-Za-z0-9\-]{10,}",
    r"AIza[0-9A-Za-z_\-]{35}",
    r"ya29\.[0-9A-Za-z_\-]{20,}",
    r"hf_[A-Za-z0-9]{30,}",
    r"npm_[A-Za-z0-9]{30,}",
    r"pypi-[A-Za-z0-9_\-]{40,}",
    r"(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,}",
    r"SG\.[A-Za-z0-9_\-]{16,64}\.[A-Za-z0-9_\-]{16,}",
    r"lsv2_(?:pt|sk)_[A-Za-z0-9]{20,}(?:_[A-Za-z0-9]+)?",
    r"eyJ[A-Za-z0-9_\-]{8,2000}\.eyJ[A-Za-z0-9_\-]{8,4000}\.[A-Za-z0-9_\-]{8,}",
    r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|\Z)",
)
"""Values that are secrets wherever they stand."""

_KEY_WORDS = (
    r"passw(?:or)?d|passphrase|secret|api[_\-]?key|apikey|access[_\-]?key|auth[_\-]?token|access[_\-]?token|refresh[_\-]?token|"
    r"client[_\-]?secret|private[_\-]?key|credentials?"
)
_KEY = rf"(?:{_KEY_WORDS})[A-Za-z0-9_\-.]{{0,40}}"
_NAMED = (
    rf"(?P<head>(?i:{_KEY})\\?[\"']?\s{{0,3}}[:=]\s{{0,3}}\\?[\"']?)(?P<value>[^\s\"'\\,;&<>{{}}\[\]()]{{4,}})",
    r"(?P<head2>(?i:authorization\\?[\"']?\s{0,3}[:=]\s{0,3}\\?[\"']?(?:bearer|basic|token)\s+|\bbearer\s+))(?P<value2>[A-Za-z0-9_\-.=+/~]{8,})",
    r"(?P<head3>[a-zA-Z][a-zA-Z0-9+.\-]{1,20}://[^\s:/@\"']{1,100}:)(?P<value3>[^\s@/\"']{1,200})(?=@)",
)
"""Values that are secrets because of the name before them: the name stays."""

_BUILT_IN = re.compile(
    r"|".join([rf"(?<![A-Za-z0-9])(?:{'|'.join(_TOKENS)})", *_NAMED]),
)

_HARMLESS = re.compile(r"(?i:true|false|null|none|yes|no|\d{1,9}(?:\.\d+)?|\*+|\[redacted\]?|x{4,})\Z")
"""A value after a secret's name that tells nothing: `api_key: null`, `password=****`."""


def redactor(extra: Sequence[str] = ()) -> Callable[[str], str]:
    """A function that masks secrets in text: the built-in patterns, and the whole match of each of `extra`.

    Raises `re.error` when a pattern of `extra` does not compile.
    """
    own = re.compile("|".join(f"(?:{pattern})" for pattern in extra)) if extra else None

    def redact(text: str) -> str:
        masked = _BUILT_IN.sub(_mask, text)
        return own.sub(MASK, masked) if own is not None else masked

    return redact


def _mask(match: re.Match[str]) -> str:
    groups = match.groupdict()
    for head, value in (("head", "value"), ("head2", "value2"), ("head3", "value3")):
        said = groups[value]
        if said is not None:
            return match.group(0) if _HARMLESS.match(said) else f"{groups[head]}{MASK}"
    return MASK
