"""Secrets in text, masked before the text is kept anywhere."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

MASK = "[redacted]"

_TOKENS = (
    ("sk-", r"sk-(?:ant-|proj-|live-|or-v1-)?[A-Za-z0-9_\-]{16,}"),
    ("AKIA ASIA AROA AIDA", r"(?:AKIA|ASIA|AROA|AIDA)[0-9A-Z]{16}"),
    ("ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{30,}"),
    ("github_pat_", r"github_pat_[A-Za-z0-9_]{30,}"),
    ("glpat-", r"glpat-[A-Za-z0-9_\-]{18,}"),
    ("xox", r"xox[abeoprs]-[A-Za-z0-9\-]{10,}"),
    ("xapp-", r"xapp-[0-9]-[A-Za-z0-9\-]{10,}"),
    ("hooks.slack", r"hooks\.slack\.com/services/[A-Za-z0-9/]{20,}"),
    ("AIza", r"AIza[0-9A-Za-z_\-]{35}"),
    ("ya29.", r"ya29\.[0-9A-Za-z_\-]{20,}"),
    ("hf_", r"hf_[A-Za-z0-9]{30,}"),
    ("npm_", r"npm_[A-Za-z0-9]{30,}"),
    ("pypi-", r"pypi-[A-Za-z0-9_\-]{40,}"),
    ("dckr_pat_", r"dckr_pat_[A-Za-z0-9_\-]{20,}"),
    ("_live_ _test_", r"(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,}"),
    ("SG.", r"SG\.[A-Za-z0-9_\-]{16,64}\.[A-Za-z0-9_\-]{16,}"),
    ("lsv2_", r"lsv2_(?:pt|sk)_[A-Za-z0-9]{20,}(?:_[A-Za-z0-9]+)?"),
    ("eyJ", r"eyJ[A-Za-z0-9_\-]{8,2000}\.eyJ[A-Za-z0-9_\-]{8,4000}\.[A-Za-z0-9_\-]{8,}"),
    (
        "-----BEGIN",
        r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\Z)",
    ),
)
"""Values that are secrets wherever they stand, each after the words one of which is always in it."""

_WORDS = (
    r"passw(?:or)?d(?!less)|passphrase|secret(?!ar)|apikey|(?:api|access|account|private|signing|encryption)[_\-]?key|"
    r"(?:auth|access|refresh)[_\-]?token|credentials?"
)
_NAME = rf"(?i:{_WORDS})[A-Za-z0-9_\-.]{{0,40}}(?P<close>\\{{0,7}}[\"'])?\s{{0,3}}(?P<sign>[:=])\s{{0,3}}"
_LOOSE = r"(?i:(?<![A-Za-z0-9_\-])token|(?<![A-Za-z0-9])(?:github|gitlab|slack|bot|vault|npm|id|session|security|api|oauth)[_\-]?token)"

_AFTER_NAMES = (
    # in quotes all of it, whatever is in it
    rf"(?P<head>{_NAME}[\"'])(?P<value>(?<=\")(?:\\.|[^\"\\\n])+(?=\"|\Z)|(?<=')(?:\\.|[^'\\\n])+(?='|\Z))",
    rf"(?P<head>{_NAME}(?P<open>\\{{1,7}}[\"']))(?P<value>(?:(?!(?P=open))[^\n])+)(?=(?P=open)|\Z)",
    rf"(?P<head>{_NAME}\\?[\"']?)(?P<value>[^\s\"'\\,;&<>{{}}\[\]()]{{4,}})",
)
_FLAG = rf"(?P<head>--(?i:token|{_WORDS})\s{{1,3}}[\"']?)(?P<value>[^\s\"'\\,;&<>{{}}\[\]()\-][^\s\"'\\,;&<>{{}}\[\]()]{{3,}})"
# `token` alone is a word of every agent's: only what looks like one
_MAYBE = rf"(?P<head>{_LOOSE}\\?[\"']?\s{{0,3}}[:=]\s{{0,3}}\\?[\"']?)(?P<value>(?=[^\s\"']{{0,200}}\d)[A-Za-z0-9_\-.=+/~]{{16,}})"
# not the shell's PWD, which is a path
_SHORT = r"(?P<head>(?<![A-Za-z0-9])(?i:pwd)=)(?P<value>(?![/~$.]|[A-Za-z]:)[^\s\"'\\,;&]{4,})"
_AFTER_SCHEMES = (
    r"(?P<head>(?i:authorization\\?[\"']?\s{0,3}[:=]\s{0,3}\\?[\"']?(?:bearer|basic|token)\s+))(?P<value>[A-Za-z0-9_\-.=+/~]{8,})",
    r"(?P<head>(?i:\bbearer\s+))(?P<value>(?=[A-Za-z_\-.=+/~]{0,40}\d|[A-Za-z_\-.=+/~]{20})[A-Za-z0-9_\-.=+/~]{8,})",
)
_IN_ADDRESS = r"(?P<head>[a-zA-Z][a-zA-Z0-9+.\-]{1,20}://[^\s:/@\"']{0,100}:)(?P<value>[^\s@/\"']{1,200})(?=@)"
_COOKIE = r"(?P<head>(?i:\bcookie\\?[\"']?\s{0,3}[:=]\s{0,3}\\?[\"']?)[\w\-.]{1,60}=)(?P<value>[^\r\n\"'\\]{4,})"
_CURL = r"(?P<head>(?:curl|wget)\b[^\n|;&]{0,200}?\s(?:-u|--user)[ =]?[\"']?[^\s:\"']{1,100}:)(?P<value>[^\s\"']{4,})"
"""Values that are secrets because of what stands before them: that stays."""


@dataclass(frozen=True, slots=True)
class _Rule:
    """`pattern` is tried only on texts with one of `hints` in them: most have none, and finding that out is cheap."""

    pattern: re.Pattern[str]
    hints: Sequence[str]


_NAME_HINTS = (
    *("passw", "passphrase", "secret", "credential", "_token", "-token", "authtoken", "accesstoken", "refreshtoken", "_key", "-key"),
    *("apikey", "accesskey", "accountkey", "privatekey", "signingkey", "encryptionkey"),
)
_RULES = (
    *(_Rule(re.compile(pattern), _NAME_HINTS) for pattern in _AFTER_NAMES),
    _Rule(re.compile(_FLAG), ("--",)),
    _Rule(re.compile(_MAYBE), ("token",)),
    _Rule(re.compile(_SHORT), ("pwd=",)),
    *(_Rule(re.compile(pattern), ("bearer", "authorization")) for pattern in _AFTER_SCHEMES),
    _Rule(re.compile(_IN_ADDRESS), ("://",)),
    _Rule(re.compile(_COOKIE), ("cookie",)),
    _Rule(re.compile(_CURL), ("curl", "wget")),
)
_TOKEN = re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(pattern for _, pattern in _TOKENS)})")
_TOKEN_HINTS = tuple(hint for hints, _ in _TOKENS for hint in hints.split())

_HARMLESS = re.compile(
    r"(?i:true|false|null|none|nil|undefined|yes|no|str|string|bytes|required|optional|\*+|\[redacted\]?|x{4,})\Z|\$\w+\Z"
)
"""A value after a secret's name that tells nothing: `api_key: null`, `password=****`, `password: string`, `--token $TOKEN`."""
_NUMBER = re.compile(r"\d{1,9}(?:\.\d+)?\Z")
"""`access_token_expires_in=3600`; after a password's own name it is one."""
_PASSWORD = re.compile(r"(?i:passw(?:or)?d|passphrase|pwd)[\\\"'\s:=]*\Z")


def redactor(extra: Sequence[str] = ()) -> Callable[[str], str]:
    """A function that masks secrets in text: the built-in patterns, and the whole match of each of `extra`.

    Raises `re.error` when a pattern of `extra` does not compile.
    """
    own = re.compile("|".join(f"(?:{pattern})" for pattern in extra)) if extra else None

    def redact(text: str) -> str:
        masked = _built_in(text)
        return own.sub(MASK, masked) if own is not None else masked

    return redact


def _built_in(text: str) -> str:
    if any(hint in text for hint in _TOKEN_HINTS):
        text = _TOKEN.sub(MASK, text)
    lower = text.lower()
    for rule in _RULES:
        if any(hint in lower for hint in rule.hints):
            text = rule.pattern.sub(_mask, text)
    return text


def _mask(match: re.Match[str]) -> str:
    head, said = match["head"], match["value"]
    if _HARMLESS.match(said) or (_NUMBER.match(said) and not (len(said) >= 4 and _PASSWORD.search(head))):
        return match.group(0)
    groups = match.groupdict()
    if groups.get("close") and groups.get("sign") == ":" and not head.endswith(("'", '"')):
        # a number in JSON: the mask is a string, so that the rest can still be read
        return f"{head}{groups['close']}{MASK}{groups['close']}"
    return f"{head}{MASK}"
