"""`hookspan run`: to the program and to a person it is `python`."""

from __future__ import annotations

import re
import signal
from subprocess import CompletedProcess

import pytest

from tests.support.installs import Place

RUN = ("-m", "hookspan", "run")
SHOW = """
import sys
print(sys.argv, __name__, __file__, __package__, __cached__, type(__loader__).__name__, __spec__ and __spec__.name)
print(sys.path[0], sorted(globals()), sys.modules['__main__'].__dict__ is globals(), __builtins__.__name__)
print(sys.modules['__main__'].__doc__)
"""
PROGRAMS = {
    "show.py": SHOW,
    "package/__init__.py": "",
    "package/__main__.py": SHOW,
    "package/tool.py": '"""What it is for."""\n' + SHOW,
    "folder/__main__.py": SHOW,
    "raises.py": "def f():\n    raise ValueError('x') from KeyError('y')\n\n\nf()\n",
    "groups.py": "raise ExceptionGroup('many', [ValueError(1), TypeError(2)])\n",
    "syntax.py": "x = = 1\n",
    "encoding.py": "# -*- coding: latin-1 -*-\nprint('\\xe9')\n",
    "ends.py": "import sys\nsys.exit(int(sys.argv[1]))\n",
    "says.py": "import sys\nsys.exit('no input')\n",
    "hooks.py": "import sys\nsys.excepthook = lambda kind, value, trace: print('hook', kind, trace.tb_frame.f_code.co_name)\n1 / 0\n",
    "last.py": "import atexit, sys\natexit.register(lambda: print('end', sys.excepthook is sys.__excepthook__))\nprint('body')\n",
    "click.py": "print('a program may have any name')\nimport sys\nprint('rich' in sys.modules, 'opentelemetry' in sys.modules)\n",
    "future.py": "def f(x: Missing): pass\nprint(f.__annotations__)\n",
    "quiet.py": "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nimport time; time.sleep(5)\n",
    "spawn.py": (
        "import multiprocessing as m\n\n\ndef work(q):\n    q.put(__name__)\n\n\n"
        "if __name__ == '__main__':\n    c = m.get_context('spawn')\n    q = c.Queue()\n    p = c.Process(target=work, args=(q,))\n"
        "    p.start()\n    print(q.get(timeout=20))\n    p.join()\n"
    ),
    "child.py": (
        "import subprocess, sys\ncode = '''import os, sys\nprint(sorted(name for name in os.environ if 'HOOKSPAN' in name))\n"
        "print([name for name in sys.modules if 'hookspan' in name])'''\n"
        "print(subprocess.run([sys.executable, '-c', code], capture_output=True, text=True).stdout)\n"
    ),
}


@pytest.fixture(scope="module")
def place(bare: Place) -> Place:
    for name, text in PROGRAMS.items():
        bare.write(f"programs/{name}", text)
    (bare.home / "programs" / "link.py").symlink_to(bare.home / "programs" / "package" / "tool.py")
    return Place(bare.python, bare.home / "programs")


def both(place: Place, *words: str) -> tuple[CompletedProcess[str], CompletedProcess[str]]:
    return place.run(*words), place.run(*RUN, *words)


@pytest.mark.parametrize(
    "line",
    [
        "show.py a -b --c=d",
        "./show.py",
        "package/../show.py -m x",
        "link.py",
        "folder x",
        "./folder",
        "-m package x -m y",
        "-m package.tool -h",
        "-m show",
        "raises.py",
        "-m raises",
        "groups.py",
        "syntax.py",
        "encoding.py",
        "ends.py 0",
        "ends.py 7",
        "says.py",
        "hooks.py",
        "last.py",
        "future.py",
        "click.py",
        "quiet.py",
        "spawn.py",
        "child.py",
        "-m nowhere",
        "-m package.nowhere",
        "-m show.nowhere",
    ],
)
def test_it_is_what_python_does(place: Place, line: str) -> None:
    plain, ours = both(place, *line.split())

    assert ours.returncode == plain.returncode
    assert ours.stdout == plain.stdout
    assert ours.stderr == plain.stderr


def test_ctrl_c_kills_as_python_lets_it_kill(place: Place) -> None:
    assert place.run(*RUN, "quiet.py").returncode == -signal.SIGINT


def test_children_inherit_nothing(place: Place) -> None:
    assert place.run(*RUN, "child.py").stdout == "['HOOKSPAN_HOME']\n[]\n\n"


def test_under_safe_path_no_folder_is_put_on_the_path(place: Place) -> None:
    plain, ours = (place.run("-P", *words, "show.py") for words in ((), RUN))

    assert ours.stdout == plain.stdout


def test_a_file_that_is_not_there_is_named(place: Place) -> None:
    plain, ours = both(place, "nowhere.py")

    assert ours.returncode == plain.returncode == 2
    assert ours.stderr == re.sub(r"^.*?: can't", "hookspan run: can't", plain.stderr)


@pytest.mark.parametrize("line", ["-m", "-c pass", "--", "-x app.py"])
def test_a_line_that_names_no_program_gets_the_usage(place: Place, line: str) -> None:
    ended = place.run(*RUN, *line.split())

    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == "usage: hookspan run [-m module | file] [arguments...]\n"


def test_two_dashes_may_stand_before_the_program(place: Place) -> None:
    assert place.run(*RUN, "--", "show.py", "--", "a").stdout == place.run("show.py", "--", "a").stdout


def test_switched_off_it_is_python_alone(place: Place) -> None:
    place.write("finders.py", "import sys\nprint([type(f).__module__ for f in sys.meta_path if 'hookspan' in type(f).__module__])\n")

    assert place.run(*RUN, "finders.py").stdout == "['hookspan.export.watch']\n"
    assert place.run(*RUN, "finders.py", env={"HOOKSPAN_ENABLED": "false"}).stdout == "[]\n"
