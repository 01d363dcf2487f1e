"""`hookspan`: its commands, and how the program ends.

Exit codes: 0 done; 1 what was asked for is not there, or a check found something; 2 wrong words on the command line, or
a store that cannot be used; 130 interrupted. `hookspan run` ends as the program that it runs.
"""

from __future__ import annotations

import os
import sys

import click

from hookspan.cli import doctor, trail


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="hookspan", prog_name="hookspan")
def cli() -> None:
    """What AI agents did: which tool ran, what was refused, by whom and why, and what it cost.

    Record a program without changing it: HOOKSPAN_ENABLED=true python app.py
    """


cli.add_command(trail.trail)
cli.add_command(doctor.doctor)


@cli.command(
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    short_help="Run a Python program and record its agents.",
)
@click.option("-m", "module", metavar="MODULE", help="Run a module, as python -m does.")
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="[SCRIPT] [ARGS]...")
def run(module: str | None, words: tuple[str, ...]) -> None:  # noqa: ARG001 -- told here for --help, run by `main`
    """Runs a Python program in this process, with its arguments, and records the agents in it.

    Programs that it starts are not recorded. It ends as the program ends.
    """
    raise click.UsageError("name a script, or a module with -m")


@cli.command(short_help="Record a real agent, offline, and show its trail.")
@click.option("--home", type=click.Path(file_okay=False), help="Where the demo keeps its own trail.")
@click.option("--json", "as_json", is_flag=True, help="Print the trail as JSON, and nothing else.")
def demo(home: str | None, as_json: bool) -> None:
    """A coding assistant (deepagents) works on a small project, on a scripted model server on this machine: parallel
    tools, a failing one, two subagents, an approval that is granted and one that is refused."""
    from hookspan.cli.demo import main as play  # noqa: PLC0415 -- the other commands need nothing of it

    sys.exit(play(home=home, as_json=as_json))


def main() -> None:
    """All but `hookspan run`, which ends as its program does."""
    try:
        code = cli.main(prog_name="hookspan", standalone_mode=False)
        sys.stdout.flush()
        sys.exit(code if isinstance(code, int) else 0)
    except click.exceptions.Abort:
        sys.exit(130)
    except KeyboardInterrupt:
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except BrokenPipeError:
        # the reader of a pipe has gone: nothing more to say, and nothing at exit either
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
