"""Every telemetry name is spelled once, in spans/names.py."""

from __future__ import annotations

import re

from hookspan.spans import names
from tests.architecture.sources import PACKAGE, is_module, python_files, text_constants

NAMES = PACKAGE / "spans" / "names.py"
SPELLED = re.compile(r"\b(?:hookspan|gen_ai)\.[a-z][a-z_.]*[a-z]")
# Accepted by the GenAI conventions, not yet in the released Python package, which stopped before them.
ACCEPTED = {"gen_ai.invoke_agent.duration", "gen_ai.execute_tool.duration"}
PYTHON_FILE = re.compile(r"\.py$")


def known() -> set[str]:
    return {value for name, value in vars(names).items() if name.isupper() and isinstance(value, str)}


def spelled_by_hand(text: str) -> list[str]:
    """The telemetry names in a string: what looks like one and is neither a module of ours nor a file."""
    found = SPELLED.findall(text)
    return [name for name in found if not is_module(name) and not is_module(name.rpartition(".")[0]) and not PYTHON_FILE.search(name)]


def test_no_other_module_spells_a_name() -> None:
    wrong = [
        f"{path.relative_to(PACKAGE)}:{line} spells {name}"
        for path in python_files("src/hookspan")
        if path != NAMES
        for line, text in text_constants(path)
        for name in spelled_by_hand(text)
    ]
    assert wrong == []


def test_the_check_sees_a_name_inside_a_longer_text() -> None:
    assert spelled_by_hand("select a->>'$.\"hookspan.run.id\"'") == ["hookspan.run.id"]
    assert spelled_by_hand("hookspan.adapters.langgraph.install") == []


def test_a_name_stands_there_once() -> None:
    values = [value for name, value in vars(names).items() if name.isupper() and isinstance(value, str) and "." in value]
    assert sorted(values) == sorted(set(values))


def test_private_names_are_never_put_under_opentelemetrys_prefixes() -> None:
    from opentelemetry.semconv._incubating.attributes import gen_ai_attributes
    from opentelemetry.semconv._incubating.metrics import gen_ai_metrics

    released = {value for module in (gen_ai_attributes, gen_ai_metrics) for value in vars(module).values() if isinstance(value, str)}
    ours = {value for value in known() if value.startswith(("gen_ai.", "otel."))}
    assert ours - released == ACCEPTED
