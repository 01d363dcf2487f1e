"""The checkout's own Python files, parsed."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "hookspan"


@dataclass(frozen=True)
class Import:
    file: str
    line: int
    module: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line} imports {self.module}"


def python_files(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(), filename=str(path))


def imports(path: Path) -> Iterator[Import]:
    """Every import of a file, also those inside functions and under TYPE_CHECKING; `from a import b` may be the module a.b."""
    where = str(path.relative_to(ROOT))
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            yield from (Import(where, node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{where}:{node.lineno}: imports are absolute"
            assert node.module
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield Import(where, node.lineno, whole if is_module(whole) else node.module)


def is_module(name: str) -> bool:
    """Whether a dotted name stands for a module or package of ours."""
    if name.partition(".")[0] != "hookspan":
        return False
    path = PACKAGE.parent.joinpath(*name.split("."))
    return path.with_suffix(".py").exists() or path.is_dir()


def layer_of(path: Path) -> str:
    """`spans` for src/hookspan/spans/fold/runs.py, `cli` for src/hookspan/cli.py."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def text_constants(path: Path) -> Iterator[tuple[int, str]]:
    """Every string of a file with its line, docstrings and the texts under an attribute left out."""
    tree = parsed(path)
    texts = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in texts:
            yield node.lineno, node.value
