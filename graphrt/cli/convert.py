"""`graphrt convert DIR --to FORMAT`: a signature of a SavedModel as something that runs elsewhere."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any

from graphrt.cli.console import UsageError

FORMATS = {"pbtxt": ".pbtxt", "frozen": ".pb", "program": ".py", "onnx": ".onnx"}
_HELP = """\
Writes a signature of a SavedModel in another format. Variables become constants.

formats:
  frozen     a GraphDef, in bytes
  pbtxt      the same, as text
  program    a Python file that needs NumPy and nothing else
  onnx       for ONNX runtimes (pip install graphrt[onnx])

examples:
  graphrt convert DIR --to program -o model.py
  graphrt convert DIR --to onnx -o model.onnx --signature serving_default
"""


def add_parser(commands: Any) -> None:
    """Adds the command to the parser of the command line."""
    parser = commands.add_parser(
        "convert", help="write a SavedModel as GraphDef, ONNX or a program on NumPy alone",
        description=_HELP, formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="graphrt convert DIR --to FORMAT [-o FILE] [--signature NAME]",
    )  # fmt: skip
    parser.add_argument("directory", metavar="DIR", help="the directory of the SavedModel")
    parser.add_argument("--to", choices=tuple(FORMATS), required=True)
    parser.add_argument("--output", "-o", metavar="FILE", help="default: the name of the directory, and .pb, .py, ...")
    parser.add_argument("--signature", "-s", metavar="NAME", help="default: serving_default, or the only one")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Writes what the parsed arguments ask for.

    Raises:
      UsageError: there is no such signature, it cannot be written so, or the file cannot be written.
    """
    from graphrt.cli import conversions  # lazy: --help loads no part of the runtime

    base = os.path.basename(os.path.abspath(arguments.directory))
    path = base + FORMATS[arguments.to] if arguments.output is None else arguments.output
    if not os.path.basename(path) or path == "-":
        raise UsageError(f"cannot write {path!r}: -o is the name of a file")
    try:
        for written in conversions.write(arguments.directory, arguments.signature, arguments.to, path):
            print(written, file=sys.stderr)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror or error}") from None
    return 0
