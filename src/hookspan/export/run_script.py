"""`hookspan run app.py args` and `hookspan run -m module args`: the program as Python itself would run it, recorded.

In this same process, without a variable that its children would inherit. What the program sees (`sys.argv`, `__main__`,
`sys.path[0]`) and what a person sees (exit code, traceback) is what `python app.py args` gives.
"""

from __future__ import annotations

import builtins
import io
import os
import sys
import zipfile
from collections.abc import Callable, Sequence
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType, TracebackType
from typing import NoReturn

from hookspan.export import autoload
from hookspan.export.frameworks import FRAMEWORKS

USAGE = "usage: hookspan run [-m module | file] [arguments...]"

_kept: list[ModuleType] = []
"""The module that was `__main__` before: its globals would be cleared with it, while its code still runs below."""


def main(args: Sequence[str]) -> None:
    """Runs the program that `args` names and returns when it ends; what it raises, `SystemExit` included, passes
    through and must reach the interpreter: nothing on the way may catch it.

    Raises `SystemExit(2)` when `args` names no program or a file that cannot be read.
    """
    if args and args[0] == "--":
        args = args[1:]
    if not args or (args[0].startswith("-") and args[0] != "-m") or (args[0] == "-m" and len(args) < 2):
        _fail(USAGE)
    run = _module(args[1], args[2:]) if args[0] == "-m" else _file(args[0], args[1:])
    autoload.wait_for(tuple(FRAMEWORKS))
    try:
        run()
    except SystemExit:
        raise
    except BaseException as error:
        _show_from_the_program_on(error)
        raise


def _module(name: str, args: Sequence[str]) -> Callable[[], None]:
    sys.argv[:] = ["-m", *args]
    _first_on_path(str(Path.cwd()))
    return lambda: _as_main(name, alter_argv=True)


def _file(path: str, args: Sequence[str]) -> Callable[[], None]:
    sys.argv[:] = [path, *args]
    whole = path if Path(path).is_absolute() else f"{Path.cwd()}{os.sep}{path}"  # not normalised, as Python has it
    if Path(path).is_dir() or zipfile.is_zipfile(path):
        _first_on_path(whole, always=True)
        return lambda: _as_main("__main__", alter_argv=False)
    try:
        with io.open_code(whole) as file:
            source = file.read()
    except OSError as error:
        _fail(f"hookspan run: can't open file {whole!r}: [Errno {error.errno}] {error.strerror}")
    _first_on_path(str(Path(path).resolve().parent))

    def run() -> None:
        main = _new_main()
        main.__file__ = whole
        main.__loader__ = SourceFileLoader("__main__", whole)
        main.__dict__["__cached__"] = None
        exec(compile(source, whole, "exec", dont_inherit=True), main.__dict__)  # noqa: S102 -- to run the user's program is what it is for

    return run


def _as_main(name: str, *, alter_argv: bool) -> None:
    import runpy  # noqa: PLC0415 -- a plain file needs none of it

    _new_main()
    # what the interpreter itself calls for `-m`, for a folder and for a zip file; it has been there since Python 2.5
    runpy._run_module_as_main(name, alter_argv=alter_argv)  # pyright: ignore[reportAttributeAccessIssue,reportUnknownMemberType]  # noqa: SLF001 -- the public functions leave other frames and another __main__


def _new_main() -> ModuleType:
    _kept.append(sys.modules["__main__"])
    main = ModuleType("__main__")
    main.__dict__["__builtins__"] = builtins
    if sys.version_info < (3, 14):
        main.__annotations__ = {}
    sys.modules["__main__"] = main
    return main


def _first_on_path(folder: str, *, always: bool = False) -> None:
    """In the place of our own; under `-P` Python puts no folder there, except one that is the program itself."""
    if not sys.flags.safe_path:
        sys.path[0] = folder
    elif always:
        sys.path.insert(0, folder)


def _show_from_the_program_on(error: BaseException) -> None:
    """The interpreter will print `error` through `sys.excepthook`; our frames do not belong to it."""
    shown = sys.excepthook

    def show(kind: type[BaseException], value: BaseException, trace: TracebackType | None) -> None:
        sys.excepthook = shown
        if value is error:
            trace = _below_ours(trace)
            value.__traceback__ = trace
        shown(kind, value, trace)

    sys.excepthook = show


def _below_ours(trace: TracebackType | None) -> TracebackType | None:
    below = trace
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == __file__:
            below = trace.tb_next
        trace = trace.tb_next
    return below


def _fail(line: str) -> NoReturn:
    sys.stderr.write(f"{line}\n")
    raise SystemExit(2)
