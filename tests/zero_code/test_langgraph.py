"""The ways in, around real LangGraph programs: each run arrives once, and the program does not notice."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.installs import Place, made
from tests.support.receiver import Arrived, Receiver, receiving
from tests.zero_code import programs

pytestmark = pytest.mark.slow

ON = {"HOOKSPAN_ENABLED": "true"}
RUN = ("-m", "hookspan", "run")
OTEL = str(Path(sys.executable).parent / "opentelemetry-instrument")
PROGRAMS = ("APP", "STARTS", "WORKERS", "FORKS", "CODE", "OWN_PROVIDER", "TAKEN_BACK", "LAUNCHER", "MISSING")


def furnished(place: Place) -> Place:
    for name in PROGRAMS:
        place.write(f"{name.lower()}.py", getattr(programs, name))
    return place


@pytest.fixture(scope="module")
def place(full: Place) -> Place:
    return furnished(full)


@pytest.fixture(scope="module")
def collector() -> Iterator[Receiver]:
    with receiving() as receiver:
        yield receiver


@pytest.fixture
def arrived(collector: Receiver) -> Iterator[Receiver]:
    """The collector, empty."""
    collector.take()
    yield collector
    collector.take()


def names(spans: list[Arrived]) -> list[str]:
    return sorted(span.name for span in spans)


WAYS = {
    "env": ((), ON),
    "run": (RUN, {}),
    "run -m": ((*RUN, "-m"), {}),
    "opentelemetry-instrument": ((OTEL, sys.executable), {}),
    "all at once": ((OTEL, sys.executable), ON),
}


@pytest.mark.parametrize("way", WAYS)
def test_each_way_in_records_the_run_once(place: Place, arrived: Receiver, way: str) -> None:
    before, env = WAYS[way]
    words = [str(place.python) if word == sys.executable else word for word in before]
    program = "app" if way == "run -m" else "app.py"
    ended = place.run(*words, program, env={**env, **arrived.environ, "HOOKSPAN_LOG_LEVEL": "debug"})

    assert (ended.returncode, ended.stdout) == (0, "{'n': 1}\n")
    assert names(arrived.spans) == ["invoke_workflow app"]


@pytest.mark.parametrize(("kind", "tool"), [("build_wheel", "pip"), ("build_editable", "pip"), ("build_editable", "uv")])
def test_every_kind_of_install_records_and_says_nothing(tmp_path: Path, arrived: Receiver, kind: str, tool: str) -> None:
    place = furnished(made(tmp_path, kind=kind, tool=tool))
    ended = place.run("app.py", env={**ON, **arrived.environ})

    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "{'n': 1}\n", "")
    assert names(arrived.spans) == ["invoke_workflow app"]


def test_in_code_and_in_the_environment_and_twice_is_once(place: Place, arrived: Receiver) -> None:
    ended = place.run("code.py", env={**ON, **arrived.environ})

    assert ended.stdout.splitlines()[0] == "{'n': 1}"
    assert names(arrived.spans) == ["invoke_workflow app"]


@pytest.mark.parametrize("env", [{}, ON], ids=["code", "code and environment"])
def test_a_provider_given_in_code_wins_and_a_person_is_named(place: Place, arrived: Receiver, env: dict[str, str]) -> None:
    ended = place.run("own_provider.py", env={**env, **arrived.environ})

    assert (ended.returncode, ended.stdout) == (0, "invoke_workflow app ada\n")
    assert arrived.spans == []


@pytest.mark.parametrize(
    "off",
    [
        {"HOOKSPAN_ENABLED": "false"},
        {"OTEL_SDK_DISABLED": "TRUE"},
        {"OTEL_PYTHON_DISABLED_INSTRUMENTATIONS": "langgraph"},
        {"OTEL_TRACES_EXPORTER": "none"},
    ],
    ids=lambda off: " ".join(f"{key}={value}" for key, value in off.items()),
)
def test_off_is_no_patch_no_thread_no_socket_even_from_code(place: Place, arrived: Receiver, off: dict[str, str]) -> None:
    ended = place.run("code.py", env={**ON, **arrived.environ, **off})

    assert (ended.stdout, ended.stderr) == ("{'n': 1}\nFalse 1 False\n", "")
    assert arrived.requests == []
    assert not (place.home / "trail").exists()


def test_off_is_off_for_opentelemetry_instrument_too(place: Place, arrived: Receiver) -> None:
    ended = place.run(OTEL, str(place.python), "app.py", env={**arrived.environ, "HOOKSPAN_ENABLED": "false"})

    assert ended.stdout == "{'n': 1}\n"
    assert arrived.spans == []


def test_uninstrument_puts_the_identical_attributes_back_and_can_be_undone(place: Place, arrived: Receiver) -> None:
    ended = place.run("taken_back.py", env=arrived.environ)

    assert (ended.stdout, ended.stderr) == ("True [] True\n", "")
    assert names(arrived.spans) == ["invoke_workflow app"] * 2  # of four runs


def start(place: Place, *children: tuple[str, str, bool], **env: str) -> None:
    ended = place.run("starts.py", json.dumps(children), env={**ON, **env})
    assert (ended.returncode, ended.stderr) == (0, "")


def test_a_program_that_an_agent_starts_joins_it_or_is_silent(place: Place, arrived: Receiver) -> None:
    app = f"{place.python} app.py"
    # in the background, adopted by another process before it looks for the agent above it
    orphan = f"sh -c '(sleep 1; exec {app}) & true'; sleep 6"
    start(
        place,
        ("silent", app, False),
        ("joined", app, True),
        ("forced", f"HOOKSPAN_FORCE=true {app}", False),
        ("orphan", orphan, False),
        ("workers", f"{place.python} workers.py spawn", False),
        **arrived.environ,
    )
    by_name = {span.name: span for span in arrived.spans}

    assert names(arrived.spans) == ["invoke_workflow agent", "invoke_workflow forced", "invoke_workflow joined"]
    agent, joined, forced = (by_name[f"invoke_workflow {name}"] for name in ("agent", "joined", "forced"))
    assert (joined.trace, joined.parent) == (agent.trace, agent.span)
    assert forced.parent == ""
    assert forced.trace != agent.trace


def test_a_program_that_a_launcher_or_reloader_starts_records(place: Place, arrived: Receiver) -> None:
    ended = place.run("launcher.py", env={**ON, **arrived.environ})

    assert ended.stdout == "{'n': 1}\n"
    assert names(arrived.spans) == ["invoke_workflow app"]


@pytest.mark.parametrize("method", ["spawn", "fork", "forkserver"])
def test_workers_of_multiprocessing_record(place: Place, arrived: Receiver, method: str) -> None:
    ended = place.run("workers.py", method, env={**ON, **arrived.environ, "HOOKSPAN_EXIT_TIMEOUT": "30"})

    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "2\n", "")
    assert names(arrived.spans) == ["invoke_workflow app"] * 3
    assert {span.parent for span in arrived.spans} == {""}
    assert len({span.trace for span in arrived.spans}) == 3


def test_forked_children_record_and_are_not_below_the_run_that_forked_them(place: Place, arrived: Receiver) -> None:
    ended = place.run("forks.py", env={**ON, **arrived.environ}, timeout=30)

    assert (ended.returncode, ended.stdout) == (0, "[0, 0]\n")
    assert names(arrived.spans) == ["invoke_workflow app"] * 3
    assert {span.parent for span in arrived.spans} == {""}
    assert len({span.span for span in arrived.spans}) == 3


@pytest.mark.parametrize("fault", ["raise ImportError('no backend')", "raise RuntimeError('no backend')", "import nowhere_at_all"])
def test_a_framework_that_cannot_be_imported_fails_as_it_does_without(place: Place, tmp_path: Path, fault: str) -> None:
    (tmp_path / "langgraph").mkdir()
    (tmp_path / "langgraph" / "__init__.py").write_text(fault)
    on, off = (place.run("app.py", env={**env, "PYTHONPATH": str(tmp_path)}) for env in (ON, {}))

    assert on.returncode == 1
    assert (on.stdout, on.stderr) == (off.stdout, off.stderr)


@pytest.mark.parametrize("version", ["9.9.1", "0.6.3", "next"])
def test_an_unknown_version_is_named_once_and_recorded(place: Place, arrived: Receiver, tmp_path: Path, version: str) -> None:
    about = tmp_path / f"langgraph-{version}.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: langgraph\nVersion: {version}\n")
    ended = place.run("app.py", env={**ON, **arrived.environ, "PYTHONPATH": str(tmp_path)})

    assert ended.stdout == "{'n': 1}\n"
    assert ended.stderr.count("\n") == 1
    assert ended.stderr.startswith(f"hookspan: langgraph {version} (tested: ")
    assert names(arrived.spans) == ["invoke_workflow app"]


def test_a_version_without_a_hook_point_is_named_once_and_left_as_it_is(place: Place) -> None:
    ended = place.run("missing.py")

    assert ended.stdout == "False\n"
    assert ended.stderr.count("\n") == 1
    assert "langgraph.pregel.main.get_callback_manager_for_config; its runs are not recorded" in ended.stderr
