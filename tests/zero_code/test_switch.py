"""HOOKSPAN_ENABLED and the .pth: inert, light, idempotent, and never a word too many."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.support.installs import PTH, Place, made

LOOK = """
import json, sys, threading
print(json.dumps({
    "ours": sorted(name for name in sys.modules if name.startswith("hookspan")),
    "all": sorted(sys.modules),
    "finders": [type(finder).__module__ for finder in sys.meta_path if type(finder).__module__.startswith("hookspan")],
    "threads": threading.active_count(),
}))
"""
BOOTSTRAP = [
    "hookspan",
    "hookspan.export",
    "hookspan.export.ancestry",
    "hookspan.export.autoload",
    "hookspan.export.frameworks",
    "hookspan.export.watch",
]
ON = {"HOOKSPAN_ENABLED": "true"}


def look(place: Place, *flags: str, env: dict[str, str] | None = None) -> dict[str, list[str]]:
    ended = place.run(*flags, "-c", LOOK, env=env)
    assert (ended.returncode, ended.stderr) == (0, "")
    return json.loads(ended.stdout)


def test_without_the_variable_nothing_is_imported(bare: Place) -> None:
    with_pth = look(bare)
    pth = bare.packages / PTH
    line = pth.read_text()
    pth.write_text("# any .pth at all makes site import a codec on some versions\n")
    try:
        without = look(bare)
    finally:
        pth.write_text(line)

    assert with_pth == without
    assert with_pth["ours"] == []


@pytest.mark.parametrize("word", ["true", "TRUE", "1", "yes", "on"])
def test_switched_on_it_is_a_bootstrap_that_waits(bare: Place, word: str) -> None:
    seen = look(bare, env={"HOOKSPAN_ENABLED": word})

    assert seen["ours"] == BOOTSTRAP
    assert seen["finders"] == ["hookspan.export.watch"]
    assert seen["threads"] == 1
    heavy = {"opentelemetry", "pydantic", "wrapt", "orjson", "logging", "typing", "dataclasses", "re"}
    assert heavy & set(seen["all"]) <= heavy & set(look(bare)["all"])


@pytest.mark.parametrize(
    "off",
    [
        {"HOOKSPAN_ENABLED": "false"},
        {"HOOKSPAN_ENABLED": "off"},
        {"HOOKSPAN_ENABLED": ""},
        {**ON, "OTEL_SDK_DISABLED": "true"},
        {**ON, "OTEL_SDK_DISABLED": "TRUE"},
        {**ON, "OTEL_PYTHON_DISABLED_INSTRUMENTATIONS": "requests, langgraph"},
        {**ON, "OTEL_PYTHON_DISABLED_INSTRUMENTATIONS": "*"},
        {**ON, "OTEL_TRACES_EXPORTER": "none"},
    ],
    ids=lambda off: " ".join(f"{key}={value}" for key, value in off.items()),
)
def test_off_is_off(bare: Place, off: dict[str, str]) -> None:
    assert look(bare, env=off)["finders"] == []


def test_none_as_exporter_leaves_the_store_when_it_is_asked_for(bare: Place) -> None:
    assert look(bare, env={**ON, "OTEL_TRACES_EXPORTER": "none", "HOOKSPAN_STORE": "true"})["finders"] == ["hookspan.export.watch"]


def test_a_value_that_is_neither_is_named_and_counts_as_not_set(bare: Place) -> None:
    ended = bare.run("-c", "import sys; print(len(sys.meta_path))", env={"HOOKSPAN_ENABLED": "yess"})

    assert ended.returncode == 0
    assert ended.stdout == bare.run("-c", "import sys; print(len(sys.meta_path))").stdout
    assert ended.stderr == "hookspan: HOOKSPAN_ENABLED='yess' is not allowed (true, false); taken as not set\n"


def test_a_site_that_runs_twice_switches_on_once(bare: Place) -> None:
    (bare.packages / "zz_again.pth").write_text((bare.packages / PTH).read_text())
    try:
        assert look(bare, env=ON)["finders"] == ["hookspan.export.watch"]
    finally:
        (bare.packages / "zz_again.pth").unlink()


@pytest.mark.parametrize(("flag", "finders"), [("-I", 1), ("-E", 1), ("-S", 0)])
def test_under_pythons_own_switches(bare: Place, flag: str, finders: int) -> None:
    assert len(look(bare, flag, env=ON)["finders"]) == finders


@pytest.mark.parametrize("fault", ["gone", "broken", "raises"])
def test_it_never_prints_a_traceback(tmp_path: Path, fault: str) -> None:
    place = made(tmp_path, everything=False)
    module = place.packages / "hookspan" / "export" / "autoload.py"
    if fault == "gone":
        module.unlink()
    else:
        module.write_text("def start(: pass" if fault == "broken" else "def start(): raise RuntimeError('x')")

    ended = place.run("-c", "print('hello')", env=ON)

    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "hello\n", "")


def test_a_program_without_stderr_starts(bare: Place) -> None:
    ended = subprocess.run(
        ["sh", "-c", f"{bare.python} -c 'print(1)' 2>&-"],
        env=bare.environ({"HOOKSPAN_ENABLED": "yess"}),
        capture_output=True,
        text=True,
        check=False,
        cwd=bare.home,
    )
    assert (ended.returncode, ended.stdout) == (0, "1\n")


def test_a_program_without_a_framework_is_not_touched(bare: Place) -> None:
    app = "import json, logging, sys; logging.basicConfig(level=10); logging.debug('x'); print(json.dumps(sys.argv)); sys.exit(3)"
    on, off = (bare.run("-c", app, "a", env=env) for env in (ON, {}))

    assert (on.returncode, on.stdout, on.stderr) == (off.returncode, off.stdout, off.stderr)
    assert not (bare.home / "trail").exists()


@pytest.mark.parametrize(
    "statement", ["import langgraph.graph", "from langgraph import graph", "import importlib; importlib.import_module('langgraph.graph')"]
)
def test_an_absent_framework_fails_as_it_does_without(bare: Place, statement: str) -> None:
    on, off = (bare.run("-c", statement, env=env) for env in (ON, {}))

    assert on.returncode == 1
    assert (on.stdout, on.stderr) == (off.stdout, off.stderr)


def test_importing_hookspan_imports_nothing_of_others(bare: Place) -> None:
    code = "import sys; before = set(sys.modules); import hookspan; print(sorted(set(sys.modules) - before))"
    ended = bare.run("-c", code)

    assert ended.stdout == "['__future__', 'hookspan']\n"
