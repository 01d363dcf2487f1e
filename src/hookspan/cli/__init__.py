"""The command line."""

from hookspan.cli.main import main

__all__ = ["main"]
