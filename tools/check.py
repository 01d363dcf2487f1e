"""`python tools/check.py test|fast|lint|stack`: runs the steps one after another, then says what came of them.

The last line is `N passed, N failed, N skipped`. Exit code 1 if anything failed. What could not run on this machine
(no Python 3.13, no Go) is listed as skipped, with the reason.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from report import Closing, Outcome, of_pytest, of_tool

ROOT = Path(__file__).resolve().parent.parent
REPORTS = ROOT / ".reports"
EVERYWHERE = "not stack and not peers"
QUICK = f"{EVERYWHERE} and not slow"
OF_FRAMEWORKS = ("tests/adapters/langgraph", "tests/contract", "tests/spikes", "tests/faults", "tests/cli", "tests/store")
"""Where the versions of frameworks and libraries matter."""
NOT_POSSIBLE_HERE = 3
"""Exit code of the stack's build where Go is missing or too old."""


def environ() -> dict[str, str]:
    """Without the caller's Python and telemetry settings: they would decide what the tests see."""
    return {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "OTEL_", "HOOKSPAN_"))}


def run(*command: str, **variables: str) -> tuple[int, float]:
    """Exit code and seconds."""
    print(f"\n$ {' '.join(command)}", flush=True)
    start = time.monotonic()
    code = subprocess.run(command, cwd=ROOT, env={**environ(), **variables}, stdin=subprocess.DEVNULL, check=False).returncode
    return code, time.monotonic() - start


def tool(step: str, *command: str) -> Outcome:
    return of_tool(step, *run(*command))


def pytest(step: str, home: str, *arguments: str, **variables: str) -> Outcome:
    REPORTS.mkdir(exist_ok=True)
    xml = REPORTS / f"{step.replace(' ', '-')}.xml"
    xml.unlink(missing_ok=True)
    code, seconds = run(f"{home}/bin/python", "-m", "pytest", "-q", "--junitxml", str(xml), *arguments, **variables)
    return of_pytest(step, code, xml, seconds)


def there(*folders: str) -> list[str]:
    return [folder for folder in folders if (ROOT / folder).exists()]


def lint() -> list[Outcome]:
    return [
        tool("ruff check", ".venv/bin/ruff", "check", "--quiet", "."),
        tool("ruff format", ".venv/bin/ruff", "format", "--check", "--quiet", "."),
        tool("pyright", ".venv/bin/pyright", "--project", "pyproject.toml"),
    ]


def fast() -> list[Outcome]:
    return [pytest("tests, fast", ".venv", "-n", "2", "-m", QUICK, "tests")]


def elsewhere(step: str, python: str, home: str, lock: str, *arguments: str) -> Outcome:
    """The tests in another environment, made first if it is not there or not up to date."""
    code, seconds = run(python, "tools/environment.py", home, lock)
    if code:
        return of_tool(step, code, seconds)
    return pytest(step, home, *arguments)


def on_python_313() -> Outcome:
    step = "tests, Python 3.13"
    found = subprocess.run(["sh", "tools/python.sh", "3.13"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()
    if not found:
        return Outcome(step, skipped=(("no Python 3.13 on this machine (PATH, PYENV_ROOT)", step),))
    return elsewhere(step, found, ".venv313", "requirements/dev.txt", "-n", "2", "-m", QUICK, "tests")


def whole() -> list[Outcome]:
    python = str(ROOT / ".venv" / "bin" / "python")
    return [
        *lint(),
        pytest("tests", ".venv", "-n", "2", "-m", EVERYWHERE, "tests"),
        on_python_313(),
        elsewhere(
            "tests, oldest set",
            python,
            ".venv-oldest",
            "requirements/oldest.txt",
            "-n",
            "2",
            "-m",
            f"{QUICK} and not newest",
            *there(*OF_FRAMEWORKS),
        ),
        elsewhere("tests, beside peers", python, ".venv-peers", "requirements/peers.txt", "-m", "peers", "tests/peers"),
    ]


def made(*script: str) -> tuple[int, str, float]:
    """Exit code of a script that makes something, the last line that it printed (where it is), and seconds."""
    start = time.monotonic()
    done = subprocess.run(["sh", *script], cwd=ROOT, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, check=False)
    return done.returncode, (done.stdout.splitlines() or [""])[-1], time.monotonic() - start


def stack() -> list[Outcome]:
    """Builds the collector, Jaeger and Prometheus (minutes, once per version) and sees to the previews' packages, then tests with them."""
    step = "tests, stack"
    code, programs, seconds = made("collector/build/build.sh")
    if code == NOT_POSSIBLE_HERE:
        return [Outcome(step, skipped=(("the stack cannot be built on this machine, see above", step),))]
    if code:
        return [of_tool("stack build", code, seconds)]
    built = of_tool("stack build", 0, seconds)
    code, chromium, seconds = made("dashboards/preview/setup.sh")
    drawn = [] if code == NOT_POSSIBLE_HERE else [of_tool("preview packages", code, seconds)]
    return [built, *drawn, pytest(step, ".venv", "-m", "stack", "tests/stack", STACK_PROGRAMS=programs, PREVIEW_CHROMIUM=chromium)]


CHECKS = {"test": whole, "fast": fast, "lint": lint, "stack": stack}


def main(check: str) -> int:
    closing = Closing(CHECKS[check]())
    print("\n".join(closing.lines()), flush=True)
    return 1 if closing.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
