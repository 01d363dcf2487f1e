"""Installs that the tests of this folder share, each made once."""

from __future__ import annotations

import pytest

from tests.support.installs import Place, made


@pytest.fixture(scope="session")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """The wheel with its own requirements: no framework."""
    return made(tmp_path_factory.mktemp("bare"), everything=False)


@pytest.fixture(scope="session")
def full(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """The wheel beside all frameworks."""
    return made(tmp_path_factory.mktemp("full"), tool="uv")
