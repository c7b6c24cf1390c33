"""`graphrt run DIR`: a signature of a SavedModel on arrays from files."""

from __future__ import annotations

import argparse
from typing import Any

from graphrt.cli.console import say

_HELP = """\
Runs a signature of a SavedModel, without the Python source it was made of.

inputs, one --input each:
  --input x=a.npy           an array of a file
  --input x=a.npz:key       an array of an archive (the key may be left out when it is the name of the input)
  --input x=a.json          lists of numbers or strings
  --input 'x=[[1, 2]]'      the same, written out
  --input all.npz           arrays by name; so does a .json with an object
  --input -                 a JSON object from standard input; x=- for one array

outputs:
  --output y=b.npy          one result
  --output all.npz          all of them, by name; or all.json
  (without --output they are printed as JSON; so does --output -, or y=-)
"""


def add_parser(commands: Any) -> None:
    """Adds the command to the parser of the command line."""
    parser = commands.add_parser(
        "run", help="run a signature of a SavedModel on arrays from files",
        description=_HELP, formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="graphrt run DIR [--input NAME=FILE]... [--output NAME=FILE]... [--signature NAME]",
    )  # fmt: skip
    parser.add_argument("directory", metavar="DIR", help="the directory of the SavedModel")
    parser.add_argument("--input", "-i", metavar="NAME=FILE", action="append", default=[])
    parser.add_argument("--output", "-o", metavar="NAME=FILE", action="append", default=[])
    parser.add_argument("--signature", "-s", metavar="NAME", help="default: serving_default, or the only one")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Runs what the parsed arguments ask for.

    Raises:
      UsageError: a directory, a file or a name is not what it should be, or the function fails.
    """
    from graphrt.cli import arrays, saved  # lazy: --help loads no part of the runtime

    _, function = saved.signature(arguments.directory, arguments.signature)
    specs = function.structured_input_signature[1]
    given = arrays.read_inputs(arguments.input, list(specs))
    files = arrays.output_files(arguments.output, list(function.structured_outputs))
    text = arrays.write_outputs(files, saved.results(function, given))
    if text is not None:
        say(text + "\n")
    return 0
