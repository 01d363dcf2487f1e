"""Ids of records that are rebuilt: the same record, the same id, in any process and for ever."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from hookspan.model.ids import derived_span_id, derived_trace_id
from tests.support.programs import environ

many = settings(max_examples=200, deadline=None, derandomize=True)
keys = st.text(st.characters(exclude_categories=["Cs"]))


@many
@given(keys, keys)
def test_ids_are_valid_and_the_same_every_time(run: str, key: str) -> None:
    assert 0 < derived_trace_id(run) < 2**128
    assert 0 < derived_span_id(run, key) < 2**64
    assert derived_trace_id(run) == derived_trace_id(run)
    assert derived_span_id(run, key) == derived_span_id(run, key)


@many
@given(keys, st.sets(keys, max_size=20))
def test_other_runs_have_other_traces_and_other_records_of_a_run_other_ids(run: str, several: set[str]) -> None:
    assert len({derived_trace_id(one) for one in several}) == len(several)
    assert len({derived_span_id(run, key) for key in several}) == len(several)


def test_the_ids_are_these_so_that_what_was_stored_before_is_found_again() -> None:
    assert f"{derived_trace_id('session-1'):032x}" == "97766598a26c5a989f527c13ecac6bb7"
    assert f"{derived_span_id('session-1', 'call-1'):016x}" == "2284dcd19f099b6a"


def test_another_process_derives_the_same_whatever_its_hash_seed(tmp_path: Path) -> None:
    program = "from hookspan.model.ids import *; print(derived_trace_id('s'), derived_span_id('s', 'c'))"
    said = {
        subprocess.run(
            [sys.executable, "-c", program], env=environ({"PYTHONHASHSEED": seed}, tmp_path), capture_output=True, text=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert said == {f"{derived_trace_id('s')} {derived_span_id('s', 'c')}\n"}
