"""The command line: `python -m graphrt dump FILE.py:FUNCTION` prints what a traced function becomes."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from graphrt.cli import convert, demo, dump, run, show, view
from graphrt.cli.console import Parser, UsageError
from graphrt.version import __version__

# what each command is, a module: `add_parser`, which leaves the function to run as `run`
COMMANDS = (dump, demo, view, show, run, convert)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the exit code: 0, or 2 after one line on stderr."""
    parser = _parser()
    try:
        arguments = parser.parse_args(argv)
        return int(arguments.run(arguments) or 0)
    except UsageError as error:
        print(f"graphrt: {error}", file=sys.stderr)
        return 2
    except SystemExit as stop:  # argparse has said why
        return stop.code if isinstance(stop.code, int) else 2
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115  # the reader has gone: the interpreter must not complain
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="graphrt", description="Graphs of Python functions, on NumPy.")
    parser.add_argument("--version", action="version", version=f"graphrt {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=Parser)
    for command in COMMANDS:
        command.add_parser(commands)
    return parser


if __name__ == "__main__":
    sys.exit(main())
