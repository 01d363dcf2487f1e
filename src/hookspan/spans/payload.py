"""Content made into bounded, redacted text: what any framework hands us, whatever its type."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import orjson

from hookspan.model.content import ContentMode
from hookspan.spans.guard import note

MAX_CONTENT_BYTES = 16_384
_REDACTION_SLACK = 8_192
"""Read beyond the cut before redacting, so that a secret which the cut would split is still whole."""
_MAX_NODES = 20_000
_MAX_DEPTH = 40
_MEDIA_DEPTH = 6
_MEDIA_TYPES = frozenset(
    {"image", "image_url", "input_image", "audio", "input_audio", "file", "input_file", "video", "document", "media"},
)


@dataclass(frozen=True, slots=True)
class ContentPolicy:
    """`mode` None: `tools` while the trail stays on this machine, `none` as soon as it is exported."""

    mode: ContentMode | None = None
    max_bytes: int = MAX_CONTENT_BYTES
    redact: Callable[[str], str] | None = None

    def in_force(self, *, exported: bool) -> ContentMode:
        if self.mode is not None:
            return self.mode
        return ContentMode.NONE if exported else ContentMode.TOOLS


@dataclass(frozen=True, slots=True)
class Payload:
    """Text as it is kept. `size` is the original's UTF-8 length in bytes; `cut` when less than all is kept."""

    text: str | None
    size: int
    cut: bool = False


def measured(value: object) -> int:
    """The UTF-8 length in bytes of a string as it is, of anything else as JSON."""
    text = _string(value)
    return _length(text) if text is not None else len(_json(value))


def kept(value: object, policy: ContentPolicy) -> Payload:
    """A string as it is, anything else as JSON: redacted, then cut to `policy.max_bytes`.

    A redactor that raises drops the text, not the record.
    """
    text = _string(value)
    if text is not None:
        size = _length(text)
    else:
        light = _lightened_or_whole(value)
        whole = _json(light)
        size, text = len(whole) if light is value else measured(value), whole.decode()
    return bounded(text, size, policy.max_bytes, policy.redact)


def _string(value: object) -> str | None:
    """The plain string that a string of any class is: a subclass may have its own idea of `len` and slices."""
    try:
        return str.__str__(value) if isinstance(value, str) else None
    except Exception:  # noqa: BLE001 -- a proxy whose class cannot be asked for is no string
        return None


def bounded(text: str, size: int, limit: int, redact: Callable[[str], str] | None) -> Payload:
    window = limit + _REDACTION_SLACK
    long = len(text) > window
    text = clean(text[:window])
    if redact is not None:
        try:
            masked = redact(text)
            text = _off_the_edge(masked) if long and len(masked) < window else masked
        except Exception as error:  # noqa: BLE001 -- whatever a redactor of the user's raises
            note("the redactor", error)
            return Payload(None, size)
    short = _first_bytes(text, limit)
    return Payload(short, size, cut=len(short) < len(text) or (size > limit and len(short.encode()) < size))


def _off_the_edge(masked: str) -> str:
    """Without the last word: the window may have split a secret there, and masking what is before it made the text so
    short that the beginning of that secret would be kept."""
    tail = masked[-_REDACTION_SLACK:]
    return masked[: len(masked) - len(tail) + 1 + max(tail.rfind(edge) for edge in " \t\r\n\"'")]


def short_text(value: str, limit: int = 256, redact: Callable[[str], str] | None = None) -> str:
    """A name, reason or message as an attribute: valid UTF-8, redacted, at most `limit` bytes."""
    if len(value) <= 64 and value.isascii() and redact is None:
        return value
    return bounded(value, 0, limit, redact).text or ""


def clean(text: str) -> str:
    """Valid Unicode: a lone surrogate, which an encoder would refuse, becomes U+FFFD."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _first_bytes(text: str, limit: int) -> str:
    if len(text) * 4 <= limit or (text.isascii() and len(text) <= limit):
        return text
    return text.encode()[:limit].decode("utf-8", "ignore")


def _length(text: str) -> int:
    return len(text) if text.isascii() else len(clean(text).encode())


def _json(value: object) -> bytes:
    try:
        return orjson.dumps(value, default=_plain_leaf, option=orjson.OPT_NON_STR_KEYS)
    except (TypeError, ValueError, RecursionError):
        return _json_of_anything(value)


def _json_of_anything(value: object) -> bytes:
    try:
        return orjson.dumps(_Walk().plain(value, 0), option=orjson.OPT_NON_STR_KEYS)
    except Exception:  # noqa: BLE001 -- a container of the user's that cannot be read is named, not lost
        return orjson.dumps(_named(value))


def _plain_leaf(value: object) -> object:
    try:
        return _leaf(value)
    except Exception:  # noqa: BLE001 -- a model of the user's that cannot be read is named, not lost
        return _named(value)


def _leaf(value: object) -> object:
    if isinstance(value, bytes | bytearray):
        return f"<{len(value)} bytes>"
    if isinstance(value, memoryview):
        return f"<{value.nbytes} bytes>"
    if isinstance(value, set | frozenset):
        return sorted(cast("set[object]", value), key=_said)
    # asked of the class: a mock or a remote proxy makes up any attribute, and would notice the call
    dump = getattr(type(value), "model_dump", None)
    return _said(value) if dump is None or isinstance(value, type) else _dumped(value, dump)


def _dumped(model: object, dump: Callable[..., object]) -> object:
    if hasattr(type(model), "__pydantic_serializer__"):
        try:
            # else pydantic warns, in the user's program, of a field that holds something else than it declares
            return dump(model, warnings=False)
        except TypeError:
            return dump(model)
    return dump(model)


def _said(value: object) -> str:
    try:
        return clean(str(value))
    except Exception:  # noqa: BLE001 -- an object of the user's whose __str__ raises is named, not lost
        return _named(value)


def _named(value: object) -> str:
    try:
        return clean(f"<{type(value).__name__}>")
    except Exception:  # noqa: BLE001 -- a metaclass may refuse even that
        return "<object>"


class _Walk:
    """The slow way, for what the encoder refuses: cycles, huge integers, lone surrogates, odd keys."""

    def __init__(self) -> None:
        self._nodes = 0
        self._above: set[int] = set()

    def plain(self, value: object, depth: int) -> object:
        try:
            return self._plain(value, depth)
        except Exception:  # noqa: BLE001 -- what cannot be read is named in its place, what is around it stays
            return _named(value)

    def _plain(self, value: object, depth: int) -> object:  # noqa: PLR0911 -- one line a kind of value
        self._nodes += 1
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            return clean(value)
        if isinstance(value, int):
            return value if -(2**63) <= value < 2**64 else _said(value)
        if isinstance(value, float):
            return value if math.isfinite(value) else None
        if depth > _MAX_DEPTH or self._nodes > _MAX_NODES:
            return "<cut>"
        if id(value) in self._above:
            return "<cycle>"
        self._above.add(id(value))
        try:
            return self._inside(value, depth + 1)
        finally:
            self._above.discard(id(value))

    def _inside(self, value: object, depth: int) -> object:
        if isinstance(value, Mapping):
            pairs = cast("Mapping[object, object]", value).items()
            return {_said(key): self.plain(item, depth) for key, item in pairs}
        if isinstance(value, list | tuple | set | frozenset):
            return [self.plain(item, depth) for item in cast("Sequence[object]", value)]
        leaf = _plain_leaf(value)
        return leaf if isinstance(leaf, str) else self.plain(leaf, depth)


def _lightened_or_whole(value: object) -> object:
    try:
        return _Lighter().whole(value, 0)
    except Exception:  # noqa: BLE001 -- a container of the user's that cannot be read may still be written
        return value


class _Lighter:
    """Media blocks told by type and size; text beside them stays. What holds none is returned as it is.

    Each container is looked at once: one that holds itself ten times over has millions of ways down.
    """

    def __init__(self) -> None:
        # each beside its id, which else could be another's by then
        self._seen: dict[tuple[int, bool], tuple[object, object]] = {}

    def whole(self, value: object, depth: int, *, media: bool = False) -> object:
        if media and isinstance(value, str) and len(value) > 512:
            return f"<{len(value)} characters of media>"
        if media and isinstance(value, bytes | bytearray):
            return f"<{len(value)} bytes>"
        if depth > _MEDIA_DEPTH or not isinstance(value, list | tuple | dict):
            return value
        container = cast("list[object] | tuple[object, ...] | dict[object, object]", value)
        known = self._seen.get((id(container), media))
        if known is not None:
            return known[1]
        self._seen[id(container), media] = (container, container)
        lighter = self._block(container, depth + 1, media) if isinstance(container, dict) else self._items(container, depth + 1, media)
        self._seen[id(container), media] = (container, lighter)
        return lighter

    def _items(self, items: Sequence[object], depth: int, media: bool) -> object:
        lighter = [self.whole(item, depth, media=media) for item in items]
        return lighter if any(new is not old for new, old in zip(lighter, items, strict=True)) else items

    def _block(self, block: dict[object, object], depth: int, media: bool) -> object:
        kind = block.get("type")
        # in a JSON schema it may be a list
        media = media or (isinstance(kind, str) and kind in _MEDIA_TYPES)
        lighter = {key: self.whole(item, depth, media=media) for key, item in block.items()}
        return lighter if any(lighter[key] is not old for key, old in block.items()) else block
