"""The table of variables in collector/README.md says what the configurations read, with the defaults that they have."""

from __future__ import annotations

import re

from tests.configs.configs import CONFIG, ROOT

READERS = ("audit", "sampled", "to-tempo", "gateway", "jaeger", "jaeger-memory")


def test_the_table_of_variables_is_in_step() -> None:
    text = (ROOT / "collector" / "README.md").read_text()
    said = {
        name: (default, {reader.strip() for reader in readers.split(",")})
        for name, default, readers in re.findall(r"^\| `([A-Z_]+)` \| (.*?) \| (.*?) \| .* \|$", text, re.MULTILINE)
    }
    read: dict[str, tuple[str, set[str]]] = {}
    for reader in READERS:
        for name, default in re.findall(r"\$\{env:(\w+):-([^}]*)\}", (CONFIG / f"{reader}.yaml").read_text()):
            read.setdefault(name, (default, set()))[1].add(reader)
            assert read[name][0] == default, name
    assert said == read


def test_every_configuration_is_named() -> None:
    text = (ROOT / "collector" / "README.md").read_text()
    assert [path.name for path in CONFIG.iterdir() if path.name not in text] == []
