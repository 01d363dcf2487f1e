"""Facts are frozen values of plain types: they can be compared, kept on disk, and read again."""

from __future__ import annotations

import pickle
import subprocess
import sys
from dataclasses import FrozenInstanceError, fields, is_dataclass
from pathlib import Path
from typing import get_args

import pytest

from hookspan.model import facts
from hookspan.model.clock import now
from hookspan.model.facts import Fact, ToolStarted
from hookspan.model.ids import RecordKey
from tests.support.programs import environ
from tests.support.two_sinks import story

KINDS: tuple[type[Fact], ...] = get_args(Fact)


def test_the_union_names_every_kind_that_is_declared() -> None:
    declared = {
        kind for kind in vars(facts).values() if isinstance(kind, type) and is_dataclass(kind) and kind.__module__ == facts.__name__
    }
    told = {
        kind for kind in declared if {"run", "key", "at"} <= {field.name for field in fields(kind)} and not kind.__name__.startswith("_")
    }
    assert told == set(KINDS)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_fact_names_its_record_its_run_and_its_time_and_takes_names_only(kind: type[Fact]) -> None:
    assert [field.name for field in fields(kind)][:3] == ["run", "key", "at"]
    assert all(field.kw_only for field in fields(kind))
    assert kind.__dictoffset__ == 0, "slots all the way up: facts are made by the thousand"


def test_a_fact_cannot_be_changed() -> None:
    key = RecordKey("r")
    fact = ToolStarted(run=key, key=key, at=1, name="search", framework="test")
    with pytest.raises(FrozenInstanceError):
        fact.at = 2  # pyright: ignore[reportAttributeAccessIssue] -- that is what is refused


def test_facts_come_back_from_disk_as_they_were() -> None:
    told = list(story())
    assert [pickle.loads(pickle.dumps(fact)) for fact in told] == told


def test_the_clock_never_runs_backwards() -> None:
    times = [now() for _ in range(10_000)]
    assert times == sorted(times)


def test_the_model_needs_the_standard_library_only(tmp_path: Path) -> None:
    program = """
import sys, pkgutil, importlib
before = set(sys.modules)
import hookspan.model
for module in pkgutil.iter_modules(hookspan.model.__path__):
    importlib.import_module(f"hookspan.model.{module.name}")
foreign = {name.partition(".")[0] for name in set(sys.modules) - before} - set(sys.stdlib_module_names) - {"hookspan"}
print(sorted(name for name in foreign if not name.startswith("_")))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], env=environ({}, tmp_path), capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "[]\n"
