"""`graphrt dump TARGET`: traces a function and prints what it becomes."""

from __future__ import annotations

import argparse
import contextlib
import sys
import traceback
from typing import Any

from graphrt.cli.console import UsageError, say

_HELP = """\
Traces a function and prints what it becomes. The file is imported, so its top level runs.

targets:
  demo.py:f                 function f of a file (decorated with tf.function or not)
  package.module:f          function f of a module on sys.path
  demo.py:Model.call        a static or class method, or an attribute path: demo.py:model.call

inputs, one --input per argument:
  --input 'float32[None,3]'     a tensor; None or ? is an unknown dimension
  --input 'int32[]'             a scalar tensor
  --input 'float32[...]'        a tensor of unknown rank
  --input 3 --input '"text"'    Python constants, fixed in the trace
  --input '[float32[2], 7]'     lists, tuples and dictionaries of these
  --input 'y=float32[]'         the argument of that name

formats:
  graph      the graph as text, one node a line (default)
  pbtxt      the GraphDef, as TensorFlow prints it
  dot        for Graphviz: graphrt dump demo.py:f --format dot | dot -Tsvg > f.svg
  program    the Python program that runs in the end

examples:
  graphrt dump demo.py:f --input 'float32[None,3]'
  graphrt dump demo.py:f --input 'int32[]' --format program
  graphrt dump demo.py:f --input 'int32[]' --after fold_constants
"""


def add_parser(commands: Any) -> None:
    """Adds the command to the parser of the command line."""
    dump = commands.add_parser(
        "dump", help="trace a function and print its graph, GraphDef, picture or program",
        description=_HELP, formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="graphrt dump TARGET [--input SPEC]... [--format FORMAT] [--after PASS] [-o FILE]",
    )  # fmt: skip
    dump.add_argument("target", metavar="TARGET", help="file.py:function or module:function")
    dump.add_argument("--input", "-i", metavar="SPEC", action="append", default=[], help="one argument of the function")
    dump.add_argument("--format", "-f", choices=("graph", "pbtxt", "dot", "program"), default="graph")
    dump.add_argument("--after", metavar="PASS", help="show the graph after this pass ('all': after all of them)")
    dump.add_argument("--output", "-o", metavar="FILE", help="write here instead of standard output")
    dump.add_argument("--traceback", action="store_true", help="show the whole traceback when tracing fails")
    dump.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Prints, or writes into a file, what the parsed arguments ask for.

    Raises:
      UsageError: a target, an input or a file is not what it should be, or tracing fails.
    """
    from graphrt.cli import targets  # lazy: --help, and a mistake in the options, load no part of the runtime
    from graphrt.ops.io.whole_files import replaced  # lazy: the same

    inputs = [targets.parse_input(text) for text in arguments.input]
    try:
        with contextlib.redirect_stdout(sys.stderr):  # what the file prints must not get into the dump
            function = targets.find(arguments.target)
            graph = targets.trace(function, arguments.target, inputs)
            text = targets.text_of(graph, arguments.format, arguments.after)
    except UsageError:
        if arguments.traceback:
            traceback.print_exc()
        raise
    if arguments.output is None or arguments.output == "-":
        say(text)
        return 0
    try:
        with replaced(arguments.output) as file:
            file.write(text.encode())
    except OSError as error:
        raise UsageError(f"cannot write {arguments.output}: {error.strerror}") from None
    return 0
