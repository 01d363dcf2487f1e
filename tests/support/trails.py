"""A trail drawn for whole-tree assertions: one line a record, with what happened to it."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hookspan.spans.record import Record, SpanEvent
from hookspan.spans.recorder import Recorder
from tests.support.memory import MemorySink


@dataclass
class Trail:
    recorder: Recorder
    sink: MemorySink

    def tree(self, *keys: str, unordered: bool = False) -> str:
        """All records so far; nothing may be open. `unordered` sorts siblings by name and call id (parallel work)."""
        assert self.recorder.open_records == 0, [record.name for record in self.sink.open.values()]
        assert dict(self.recorder.lost) == {}
        return drawn(self.sink.records, *keys, unordered=unordered)

    def named(self, name: str, call: str | None = None) -> Record:
        """The only record of this name (and call id)."""
        found = [
            record
            for record in self.sink.records
            if record.name == name and (call is None or record.attributes.get("gen_ai.tool.call.id") == call)
        ]
        assert len(found) == 1, f"{len(found)} records named {name}"
        return found[0]

    def of(self, kind: str) -> list[Record]:
        return [record for record in self.sink.records if record.kind == kind]


def tidy(text: str) -> str:
    """An expected tree as it stands in a test, without the test's indentation."""
    return textwrap.dedent(text).strip()


def drawn(records: Sequence[Record], *keys: str, unordered: bool = False) -> str:
    ids = {record.ids.span_id for record in records if record.ids is not None}
    below: dict[int | None, list[Record]] = {}
    for record in records:
        above = record.parent.span_id if record.parent is not None and record.parent.span_id in ids else None
        below.setdefault(above, []).append(record)

    def lines(above: int | None, depth: int) -> list[str]:
        blocks: list[list[str]] = []
        for record in below.get(above, []):
            assert record.ids is not None
            blocks.append(["  " * depth + line(record, *keys, unordered=unordered), *lines(record.ids.span_id, depth + 1)])
        return [text for block in (sorted(blocks) if unordered else blocks) for text in block]

    return "\n".join(lines(None, 0))


def line(record: Record, *keys: str, unordered: bool = False) -> str:
    """The name, what the record's kind has to say, the decision, an error, the asked-for attributes, events and links."""
    a: dict[str, Any] = dict(record.attributes)
    events = [told for event in record.events if (told := _event(event, record)) is not None]
    said = [
        record.name,
        *_KINDS.get(record.kind, _nothing)(a),
        *_decision(a),
        *([f"ERROR {a.get('error.type', '')}".rstrip()] if record.error is not None else []),
        *(["UNFINISHED"] if record.unfinished else []),
        *(f"{key.removeprefix('hookspan.').removeprefix('gen_ai.')}={a[key]}" for key in keys if key in a),
        *(sorted(events) if unordered else events),
        *(f"link->{link.ids.span_id}" for link in record.links),
        *([] if record.end is not None else ["OPEN"]),
    ]
    return " ".join(said)


def _nothing(_: dict[str, Any]) -> Iterator[str]:
    return iter(())


def _call(a: dict[str, Any]) -> Iterator[str]:
    if "gen_ai.tool.call.id" in a:
        yield f"({a['gen_ai.tool.call.id']})"


def _run(a: dict[str, Any]) -> Iterator[str]:
    yield str(a.get("hookspan.run.outcome"))
    if "hookspan.stop.reason" in a:
        yield f"stop={a['hookspan.stop.reason']}"
    if "hookspan.stop.by" in a:
        yield f"by {a['hookspan.stop.by']}"


def _tool(a: dict[str, Any]) -> Iterator[str]:
    yield from _call(a)
    yield str(a.get("hookspan.tool.outcome"))
    yield {True: "ran", False: "never ran", None: "unseen"}[a.get("hookspan.tool.executed")]
    if "hookspan.tool.attempt" in a:
        yield f"attempt={a['hookspan.tool.attempt']}"
    if "hookspan.permission.basis" in a:
        yield f"basis={a['hookspan.permission.basis']}"
    if a.get("hookspan.tool.origin") != "function":
        yield f"origin={a.get('hookspan.tool.origin')}"
    if a.get("hookspan.tool.input_edited"):
        yield "input edited"


def _callback(a: dict[str, Any]) -> Iterator[str]:
    yield from _call(a)
    yield f"{a.get('hookspan.hook.name')} {a.get('hookspan.hook.outcome')}"
    if "hookspan.hook.effects" in a:
        yield f"effects={','.join(a['hookspan.hook.effects'])}"


_KINDS: dict[str, Callable[[dict[str, Any]], Iterator[str]]] = {
    "agent": _run,
    "workflow": _run,
    "tool": _tool,
    "pause": _call,
    "approval": _call,
    "hook_callback": _callback,
}


def _decision(a: dict[str, Any]) -> Iterator[str]:
    if "hookspan.decision.verdict" in a:
        by = f" by {a['hookspan.decision.by']}" if "hookspan.decision.by" in a else ""
        reason = f": {a['hookspan.decision.reason']!r}" if "hookspan.decision.reason" in a else ""
        yield f"<{a['hookspan.decision.verdict']} from {a['hookspan.decision.source']}{by}{reason}>"


def _event(event: SpanEvent, record: Record) -> str | None:
    a: dict[str, Any] = dict(event.attributes)
    name = event.name.removeprefix("hookspan.")
    if name in ("tool.start", "tool.end", "stop", "usage"):
        return None
    if name == "handoff":
        call = f" ({a['hookspan.handoff.call_id']})" if "hookspan.handoff.call_id" in a else ""
        return f"[handoff {a['hookspan.handoff.from']} -> {a['hookspan.handoff.to']} {a['hookspan.handoff.mechanism']}{call}]"
    if name == "interrupt":
        held = a.get("hookspan.interrupt.call_ids", ())
        return f"[interrupt {a['hookspan.interrupt.kind']}{' ' + ','.join(held) if held else ''}]"
    if name == "decision":
        call = a.get("hookspan.decision.call_id")
        return f"[decision {a['hookspan.decision.verdict']}{f' ({call})' if call and record.kind != 'tool' else ''}]"
    return f"[{name}]"
