"""The frameworks that have an adapter. Standard library only, and little of it: the bootstrap reads this."""

from __future__ import annotations

from collections.abc import Collection, Mapping


class Framework:
    """One framework: how to see that it is imported, and which adapter listens to it.

    A class by hand, because `dataclasses` and `typing` cost more at start-up than the bootstrap may.
    """

    __slots__ = ("adapter", "distribution", "loaded", "name", "newest", "oldest", "packages")

    def __init__(
        self,
        *,
        name: str,
        packages: frozenset[str],
        loaded: str,
        adapter: str,
        distribution: str,
        oldest: tuple[int, int],
        newest: tuple[int, int],
    ) -> None:
        self.name = name
        self.packages = packages
        """Top-level packages that the adapter imports: none of them may be half imported when it is installed."""
        self.loaded = loaded
        """The module without which nothing of the framework runs."""
        self.adapter = adapter
        """The module whose `install(recorder)` patches the framework and returns what takes the patches off."""
        self.distribution = distribution
        self.oldest = oldest
        """Major and minor version: the oldest that the tests run on."""
        self.newest = newest
        """Major and minor version: the newest that the tests run on."""


FRAMEWORKS: Mapping[str, Framework] = {
    "langgraph": Framework(
        name="langgraph",
        packages=frozenset({"langchain", "langchain_core", "langgraph"}),
        loaded="langgraph.pregel.main",
        adapter="hookspan.adapters.langgraph.install",
        distribution="langgraph",
        oldest=(1, 2),
        newest=(1, 2),
    ),
}


def chosen(only: Collection[str] | None, disabled: Collection[str]) -> tuple[str, ...]:
    """The names of the frameworks to listen to: those of `only` (None: all), without `disabled` (`*`: all)."""
    if "*" in disabled:
        return ()
    return tuple(name for name in FRAMEWORKS if (only is None or name in only) and name not in disabled)
