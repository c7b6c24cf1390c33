"""`graphrt show DIR`: what is in a SavedModel, as TensorFlow's `saved_model_cli show` prints it."""

from __future__ import annotations

import argparse
from typing import Any

from graphrt.cli.console import say

_HELP = """\
Shows signatures, ops and functions of a SavedModel. Nothing of it is run.

examples:
  graphrt show DIR
  graphrt show DIR --signature_def serving_default
"""


def add_parser(commands: Any) -> None:
    """Adds the command to the parser of the command line."""
    parser = commands.add_parser(
        "show", help="show the signatures and functions of a SavedModel",
        description=_HELP, formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="graphrt show DIR [--tag_set TAGS] [--signature_def NAME]",
    )  # fmt: skip
    parser.add_argument("directory", metavar="DIR", help="the directory of the SavedModel")
    parser.add_argument("--tag_set", metavar="TAGS", help="only the graph with these tags, such as 'serve'")
    parser.add_argument("--signature_def", metavar="NAME", help="only this signature")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Prints what the parsed arguments ask for.

    Raises:
      UsageError: there is no SavedModel, or no such graph or signature.
    """
    from graphrt.cli import saved  # lazy: --help loads no part of the runtime

    say(saved.described(arguments.directory, arguments.tag_set, arguments.signature_def))
    return 0
