"""The command line. Nothing of it is imported for `hookspan run`: a program's own `click.py` must not find ours."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """The console script."""
    words = sys.argv[1:]
    if words[:1] == ["run"] and len(words) > 1 and words[1] not in ("-h", "--help"):
        from hookspan.export import run_script  # noqa: PLC0415 -- only this command runs programs

        # outside of all that `main.main` catches: what the program raises is for the interpreter
        run_script.main(words[1:])
        return
    from hookspan.cli.main import main as all_others  # noqa: PLC0415 -- see above

    all_others()
