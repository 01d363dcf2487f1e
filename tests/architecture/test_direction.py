"""model <- spans <- adapters; model <- spans <- export <- store, cli, demo."""

from __future__ import annotations

import ast
import sys

import pytest

from tests.architecture.sources import PACKAGE, Import, imports, layer_of, parsed, python_files

MAY_IMPORT = {
    "model": {"model"},
    "spans": {"model", "spans"},
    "adapters": {"model", "spans", "adapters"},
    "export": {"model", "spans", "export"},
    "store": {"model", "spans", "export", "store"},
    "demo": {"model", "spans", "export", "store", "demo"},
    "cli": {"model", "spans", "export", "store", "demo", "cli"},
    "__main__": {"cli"},
    "__init__": {"model", "spans", "export"},
}
# Beside the order: the installer tells the one error by which an adapter says that a framework lacks a hook point.
BESIDE = {("src/hookspan/export/install.py", "hookspan.adapters.patching")}
# The pipeline makes the store's sink when the trail goes there, and imports it only then.
LAZY = {("src/hookspan/export/pipeline.py", "store")}

OURS = python_files("src/hookspan")


def layer(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def test_every_part_of_the_package_has_its_place_in_the_order() -> None:
    assert {layer_of(path) for path in OURS} <= set(MAY_IMPORT)


@pytest.mark.parametrize("own", sorted(MAY_IMPORT))
def test_a_layer_imports_only_what_lies_below_it(own: str) -> None:
    found = [each for path in OURS if layer_of(path) == own for each in imports(path) if each.module.split(".")[0] == "hookspan"]
    # Importing the package itself is importing its public interface: fine for who stands above it.
    wrong = [each for each in found if layer(each.module) not in MAY_IMPORT[own] | ({"__init__"} if own in {"cli", "demo"} else set())]
    assert [str(each) for each in wrong if (each.file, layer(each.module)) not in LAZY and (each.file, each.module) not in BESIDE] == []


@pytest.mark.parametrize(("file", "_target"), sorted(LAZY))
def test_the_exception_is_used_and_only_inside_a_function(file: str, _target: str) -> None:
    path = PACKAGE.parents[1] / file
    top = {node.lineno for node in parsed(path).body if isinstance(node, ast.Import | ast.ImportFrom)}
    used = [each for each in imports(path) if (file, layer(each.module)) in LAZY]
    assert used
    assert [str(each) for each in used if each.line in top] == []


def test_the_model_needs_only_the_standard_library() -> None:
    allowed = sys.stdlib_module_names | {"hookspan"}
    found = [each for path in OURS if layer_of(path) == "model" for each in imports(path)]
    assert [str(each) for each in found if each.module.split(".")[0] not in allowed] == []


def test_adapters_never_import_opentelemetry() -> None:
    found = [each for path in OURS if layer_of(path) == "adapters" for each in imports(path)]
    assert [str(each) for each in found if each.module.split(".")[0] == "opentelemetry"] == []


def test_one_frameworks_adapter_does_not_import_anothers() -> None:
    def foreign(path_parts: tuple[str, ...], each: Import) -> bool:
        target = each.module.split(".")
        is_adapter = target[:2] == ["hookspan", "adapters"] and len(target) > 2
        return is_adapter and (PACKAGE / "adapters" / target[2]).is_dir() and target[2] != path_parts[1]

    found = [(path.relative_to(PACKAGE).parts, each) for path in OURS if layer_of(path) == "adapters" for each in imports(path)]
    assert [str(each) for parts, each in found if foreign(parts, each)] == []


def test_only_the_spans_layer_opens_spans() -> None:
    opening = {"start_span", "start_as_current_span"}
    found = [
        f"{path.relative_to(PACKAGE)}:{node.lineno}"
        for path in OURS
        if layer_of(path) not in {"spans", "demo"}
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Attribute) and node.attr in opening
    ]
    assert found == []
