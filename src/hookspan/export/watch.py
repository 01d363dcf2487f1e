"""Tells when a framework has been imported, by the program's own import statements. Standard library only.

Module identity, `__spec__`, `__loader__` and reloading stay as they are: for the time of one import the loader's
`exec_module` is shadowed on the loader itself. An adapter is not called while one of its framework's packages is half
imported further up: only when the outermost import of them is through.
"""

from __future__ import annotations

import sys
from _thread import get_ident
from collections.abc import Callable, Iterable

from hookspan.export.frameworks import Framework

TYPE_CHECKING = False  # type checkers know the name; importing typing for it would cost every start 10 ms
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any

_MACHINERY = "<frozen importlib._bootstrap>"
"""Frames of this file name are left out of tracebacks, and skipped when a warning looks for its caller."""


class Watch:
    """A finder on `sys.meta_path` for as long as one of `frameworks` has not been imported; `ready` is called once
    for each, in the thread that imported it."""

    def __init__(self, frameworks: Iterable[Framework], ready: Callable[[Framework], None]) -> None:
        self._pending = {framework.name: framework for framework in frameworks}
        self._ready = ready
        self._asking: set[int] = set()
        self._inside: set[int] = set()
        self._done: set[str] = set()
        """Modules whose code has run without an error: the import system may still count one of them as begun."""

    def start(self) -> None:
        """Frameworks that are imported by now are ready at once."""
        sys.meta_path.insert(0, self)
        self._settle()

    def stop(self) -> None:
        self._pending.clear()
        sys.meta_path[:] = [finder for finder in sys.meta_path if finder is not self]

    def find_spec(self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        top = fullname.partition(".")[0]
        thread = get_ident()
        if (
            thread in self._asking
            or thread in self._inside
            or not any(top in framework.packages for framework in list(self._pending.values()))
        ):
            return None
        self._asking.add(thread)  # a finder that asks all others would ask this one again
        try:
            spec = self._found_by_others(fullname, path, target)
        finally:
            self._asking.discard(thread)
        if spec is not None and spec.loader is not None:
            self._shadow(spec.loader)
        return spec

    def _found_by_others(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None) -> ModuleSpec | None:
        finders = list(sys.meta_path)
        mine = next((place for place, finder in enumerate(finders) if finder is self), len(finders))
        for finder in finders[mine + 1 :]:
            find_spec = getattr(finder, "find_spec", None)
            spec = find_spec(fullname, path, target) if find_spec is not None else None
            if spec is not None:
                return spec
        return None

    def _shadow(self, loader: Any) -> None:
        original = getattr(loader, "exec_module", None)
        before = getattr(loader, "__dict__", {}).get("exec_module")
        if original is None:
            return

        def exec_module(module: ModuleType) -> None:
            thread = get_ident()
            outermost = thread not in self._inside
            self._inside.add(thread)
            # before anything else: a loader that only passes on to another one (wrapt's) would come back here
            if loader.__dict__.get("exec_module") is exec_module:
                del loader.exec_module
                if before is not None:
                    loader.exec_module = before
            try:
                original(module)
                self._done.add(module.__name__)
            finally:
                if outermost:
                    self._inside.discard(thread)
                # two threads that import parts of one package can leave it half imported for one of them
                if not self._inside:
                    self._settle()

        exec_module.__code__ = exec_module.__code__.replace(co_filename=_MACHINERY)
        try:
            loader.exec_module = exec_module
        except AttributeError:
            return  # a loader without a __dict__: nothing of a framework comes from one

    def _settle(self) -> None:
        for framework in list(self._pending.values()):
            module = sys.modules.get(framework.loaded)
            begun = getattr(getattr(module, "__spec__", None), "_initializing", False)
            if module is None or (begun and framework.loaded not in self._done):
                continue
            if self._pending.pop(framework.name, None) is not None:
                self._ready(framework)
        if not self._pending:
            self.stop()
