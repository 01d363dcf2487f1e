"""Who decided what about a call, and why. A denial without a reason cannot be built."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    ALLOW = "allow"
    DENY = "deny"
    ASK = "ask"
    EDIT = "edit"
    DEFER = "defer"
    BLOCK = "block"
    CONTINUE = "continue"
    SKIP = "skip"
    RESPOND = "respond"
    EXPIRED = "expired"
    NONE = "none"
    """Asked, and had no opinion. Where nobody was asked there is no decision at all."""


class Source(StrEnum):
    HUMAN = "human"
    HOOK_COMMAND = "hook_command"
    HOOK_CALLBACK = "hook_callback"
    GUARD = "guard"
    POLICY = "policy"
    PERMISSION_MODE = "permission_mode"
    GRANT = "grant"


class Basis(StrEnum):
    """Why a call was allowed to run."""

    RULE = "rule"
    PERMISSION_MODE = "permission_mode"
    GRANT = "grant"
    HUMAN = "human"
    HOOK = "hook"
    READ_ONLY = "read_only"
    NONE_ASKED = "none_asked"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Decided:
    source: Source
    by: str | None = None
    """Hook, guard, or person if the application says who; never guessed."""
    scope: str | None = None
    """once, thread or always."""
    subject: str | None = None
    expires_at: str | None = None
    wait_s: float | None = None
    """Seconds that the run waited for the answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Granted(_Decided):
    """The call may run as it is, or (`edit`) changed."""

    verdict: Verdict = Verdict.ALLOW
    reason: str | None = None

    def __post_init__(self) -> None:
        _one_of(self.verdict, Verdict.ALLOW, Verdict.EDIT, Verdict.CONTINUE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Denied(_Decided):
    """The call must not run. `reason` is what was said, or `NoReasonGiven`."""

    reason: str | NoReasonGiven
    verdict: Verdict = Verdict.DENY

    def __post_init__(self) -> None:
        _one_of(self.verdict, Verdict.DENY, Verdict.BLOCK, Verdict.SKIP, Verdict.EXPIRED)
        if isinstance(self.reason, str) and not self.reason.strip():
            raise ValueError("a denial needs a reason: pass NoReasonGiven() where the framework gave none")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered(_Decided):
    """Somebody answered in the tool's place, or had nothing to say (`none`), or passed it on (`ask`, `defer`)."""

    verdict: Verdict = Verdict.RESPOND
    reason: str | None = None

    def __post_init__(self) -> None:
        _one_of(self.verdict, Verdict.RESPOND, Verdict.NONE, Verdict.ASK, Verdict.DEFER)


@dataclass(frozen=True, slots=True)
class NoReasonGiven:
    """The framework refused and did not say why."""


Decision = Granted | Denied | Answered


def _one_of(verdict: Verdict, *allowed: Verdict) -> None:
    if verdict not in allowed:
        raise ValueError(f"verdict {verdict!r} is not one of {', '.join(allowed)}")
