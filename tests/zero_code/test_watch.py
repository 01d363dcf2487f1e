"""The import watch: it sees a framework's import to its end, and leaves no trace of itself."""

from __future__ import annotations

import importlib
import importlib.util
import pickle
import sys
import threading
import traceback
import warnings
import zipfile
from collections.abc import Callable, Iterator
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import ModuleType

import pytest
import wrapt

from hookspan.export.frameworks import Framework
from hookspan.export.watch import Watch

WATCHED = Framework(
    name="fwk", packages=frozenset({"fwk", "fwk_base"}), loaded="fwk.core", adapter="", distribution="fwk", oldest=(1, 0), newest=(1, 0)
)
FILES = {
    "fwk/__init__.py": "from fwk.graph import Graph\nthrough = True\n",
    "fwk/graph.py": "import fwk_base\nfrom fwk.core import Core\nclass Graph(Core): pass\n",
    "fwk/core.py": "class Core: pass\nloads = globals().get('loads', 0) + 1\n",
    "fwk_base.py": "base = True\n",
    "bystander.py": "import json\n",
}

Make = Callable[[dict[str, str]], Path]


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Make]:
    """Writes packages and puts them on `sys.path`; all of it, and every finder, is gone after the test."""
    finders, modules = list(sys.meta_path), set(sys.modules)

    def write(files: dict[str, str]) -> Path:
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
        return tmp_path

    yield write
    sys.meta_path[:] = finders
    for name in set(sys.modules) - modules:
        del sys.modules[name]


@pytest.fixture
def told() -> Iterator[tuple[Watch, list[bool]]]:
    """A watch that has started, and what it told: for each time, whether the outermost module was through."""
    seen: list[bool] = []

    def ready(framework: Framework) -> None:
        assert framework is WATCHED
        seen.append(getattr(sys.modules.get("fwk"), "through", False))

    watch = Watch([WATCHED], ready)
    yield watch, seen
    watch.stop()


def test_it_tells_once_and_only_when_the_outermost_import_is_through(make: Make, told: tuple[Watch, list[bool]]) -> None:
    watch, seen = told
    make(FILES)
    watch.start()
    importlib.import_module("bystander")
    importlib.import_module("fwk_base")
    assert seen == []

    importlib.import_module("fwk.core")

    assert seen == [True]
    assert watch not in sys.meta_path


def test_what_is_imported_already_is_told_at_once(make: Make, told: tuple[Watch, list[bool]]) -> None:
    watch, seen = told
    make(FILES)
    importlib.import_module("fwk")
    watch.start()

    assert seen == [True]
    assert watch not in sys.meta_path


def test_modules_are_what_they_would_have_been(make: Make, told: tuple[Watch, list[bool]]) -> None:
    watch, seen = told
    make(FILES)
    watch.start()
    core = importlib.import_module("fwk.core")
    loader, spec = core.__loader__, core.__spec__

    assert type(loader) is SourceFileLoader
    assert type(spec) is ModuleSpec
    assert spec.loader is loader
    assert "exec_module" not in vars(loader)
    assert pickle.loads(pickle.dumps(loader)).path == loader.path
    assert pickle.loads(pickle.dumps(core.Core)) is core.Core
    assert importlib.reload(core) is core
    assert core.loads == 2
    assert seen == [True]


def test_reloading_while_the_watch_is_on_is_reloading(make: Make, told: tuple[Watch, list[bool]]) -> None:
    watch, seen = told
    make({"fwk/__init__.py": "", "fwk/other.py": "loads = globals().get('loads', 0) + 1\n"})
    watch.start()
    other = importlib.import_module("fwk.other")

    assert importlib.reload(other).loads == 2
    assert seen == []
    assert "exec_module" not in vars(other.__loader__)


@pytest.mark.parametrize("error", ["ImportError('no backend')", "RuntimeError('no backend')", "KeyboardInterrupt()"])
def test_an_import_that_fails_looks_as_it_would_without(make: Make, told: tuple[Watch, list[bool]], error: str) -> None:
    watch, seen = told
    make({**FILES, "fwk/core.py": f"def fail(): raise {error}\nfail()\n"})

    def failure() -> str:
        try:
            exec("import fwk", {})  # a statement: only then are the import system's own frames left out
        except BaseException:  # noqa: BLE001 -- KeyboardInterrupt is one of the cases
            return traceback.format_exc()
        return "imported"

    plain = failure()
    watch.start()

    assert failure() == plain
    assert "export/watch.py" not in plain
    assert seen == []
    assert "fwk.core" not in sys.modules


def test_a_failure_further_up_does_not_hide_that_the_framework_is_there(make: Make, told: tuple[Watch, list[bool]]) -> None:
    watch, seen = told
    make({"fwk/__init__.py": "", "fwk/core.py": "", "fwk/extra.py": "import fwk.core\nraise ImportError('extra')\n"})
    watch.start()

    with pytest.raises(ImportError, match=r"^extra$") as caught:
        importlib.import_module("fwk.extra")

    assert caught.value.__context__ is None
    assert len(seen) == 1


def test_a_warning_on_import_names_the_line_that_imports(make: Make, told: tuple[Watch, list[bool]]) -> None:
    watch, _ = told
    make({**FILES, "fwk/core.py": "import warnings\nwarnings.warn('old', UserWarning, stacklevel=2)\nclass Core: pass\n"})
    watch.start()

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        importlib.import_module("fwk")

    assert [Path(warning.filename).name for warning in caught] == ["graph.py"]


def test_two_threads_that_import_at_once_are_told_once(make: Make, told: tuple[Watch, list[bool]]) -> None:
    watch, seen = told
    make({**FILES, "fwk/core.py": "import time\ntime.sleep(0.05)\nclass Core: pass\n"})
    watch.start()
    threads = [threading.Thread(target=importlib.import_module, args=(name,)) for name in ("fwk", "fwk.core", "fwk.graph") * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)

    assert seen == [True]


def test_another_import_hook_on_the_same_module_keeps_working(make: Make, told: tuple[Watch, list[bool]]) -> None:
    watch, seen = told
    make(FILES)
    theirs: list[str] = []

    def imported(module: ModuleType) -> None:
        theirs.append(module.__name__)

    wrapt.register_post_import_hook(imported, "fwk.core")
    watch.start()
    wrapt.register_post_import_hook(imported, "fwk")
    importlib.import_module("fwk")

    assert theirs == ["fwk.core", "fwk"]
    assert seen == [True]


def test_a_lazy_module_is_told_when_it_is_really_loaded(make: Make, told: tuple[Watch, list[bool]]) -> None:
    watch, seen = told
    make({"fwk/__init__.py": "through = True\n", "fwk/core.py": "value = 1\n"})
    watch.start()
    spec = importlib.util.find_spec("fwk.core")
    assert spec is not None
    assert spec.loader is not None
    spec.loader = importlib.util.LazyLoader(spec.loader)
    module = importlib.util.module_from_spec(spec)
    sys.modules["fwk.core"] = module
    spec.loader.exec_module(module)
    assert seen == []

    assert module.value == 1
    assert seen == [True]


def test_a_framework_in_a_zip_file_is_seen(make: Make, told: tuple[Watch, list[bool]], monkeypatch: pytest.MonkeyPatch) -> None:
    watch, seen = told
    root = make({})
    with zipfile.ZipFile(root / "fwk.zip", "w") as archive:
        for name, text in FILES.items():
            archive.writestr(name, text)
    monkeypatch.setattr(sys, "path", [str(root / "fwk.zip"), *sys.path])
    watch.start()

    loader = importlib.import_module("fwk").__loader__

    assert seen == [True]
    assert "exec_module" not in vars(loader)


def test_an_absent_framework_is_absent(told: tuple[Watch, list[bool]]) -> None:
    watch, seen = told
    watch.start()

    assert importlib.util.find_spec("fwk") is None
    with pytest.raises(ModuleNotFoundError, match=r"^No module named 'fwk'$"):
        importlib.import_module("fwk")
    assert seen == []
