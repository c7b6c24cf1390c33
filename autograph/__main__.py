"""The command line: `python -m autograph dump TARGET` and `python -m autograph check TARGET...`."""

from __future__ import annotations

import argparse
import os
import sys

from autograph.cli import check, dump
from autograph.cli.console import Parser, fail, stand_in_for_closed
from autograph.cli.dump import converter_names, module_text
from autograph.cli.targets import from_shell

__all__ = ["converter_names", "main", "module_text"]


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="autograph", description="Source-to-source conversion of Python control flow.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=Parser)
    dump.add_parser(commands)
    check.add_parser(commands)
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Runs the command line; returns the exit status (2 after a one-line message on standard error)."""
    stand_in_for_closed()
    given = sys.argv[1:] if arguments is None else arguments
    options = _parser().parse_args(from_shell(given))
    try:
        status: int = options.run(options)
        return status
    except BrokenPipeError:
        # The reader has seen enough; keep the interpreter from complaining when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        fail(f"cannot write {options.output or 'standard output'}: {error.strerror or error}")


if __name__ == "__main__":
    sys.exit(main())
