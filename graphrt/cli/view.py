"""`graphrt view TARGET`: the page of a function; `graphrt profile TARGET`: where the time of a call goes."""

from __future__ import annotations

import argparse
import contextlib
import sys
from typing import Any

from graphrt.cli.console import UsageError, say

_INPUTS = """\
inputs, one --input per argument, are those of `graphrt dump`; tensors that are only described are filled with
numbers that are always the same, where the function is run. All their sizes must be known then.
"""
_VIEW = f"""\
Writes one HTML file with the source of a function, its converted code, its graph after each pass and its program, each
tied to the others. The file needs neither a server nor a network. The target is imported, so its top level runs.

{_INPUTS}
example:
  graphrt view demo.py:f --input 'float32[None,3]' -o f.html
  graphrt view demo.py:f --input 'float32[8,3]' --run -o f.html
"""
_PROFILE = f"""\
Calls a function and prints how long each line of its program took. The target is imported, so its top level runs.

{_INPUTS}
example:
  graphrt profile demo.py:f --input 'float32[1000,1000]' --trace f.json
"""


def add_parser(commands: Any) -> None:
    """Adds both commands to the parser of the command line."""
    view = commands.add_parser(
        "view", help="make a page of a function: source, converted code, graph and program", description=_VIEW,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="graphrt view TARGET [--input SPEC]... [--run] -o FILE",
    )  # fmt: skip
    view.add_argument("--output", "-o", metavar="FILE", required=True, help="the file to write")
    view.add_argument("--run", action="store_true", dest="execute", help="run it once, and show times and values")
    view.set_defaults(run=run_view)
    profile = commands.add_parser(
        "profile", help="print where the time of a call goes", description=_PROFILE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="graphrt profile TARGET [--input SPEC]... [--trace FILE]",
    )  # fmt: skip
    profile.add_argument("--trace", metavar="FILE", help="write the run for Perfetto, too")
    profile.set_defaults(run=run_profile)
    for command in (view, profile):
        command.add_argument("target", metavar="TARGET", help="file.py:function or module:function")
        command.add_argument("--input", "-i", metavar="SPEC", action="append", default=[], help="one argument")


def run_view(arguments: argparse.Namespace) -> int:
    """Writes the page.

    Raises:
      UsageError: a target, an input or a file is not what it should be, or tracing fails.
    """
    from graphrt.viewing.page import page_of  # lazy: --help, and a mistake in the options, load no part of the runtime

    function, args, kwargs = _found(arguments, arguments.execute)
    with _told(arguments.target):
        page = page_of(function, args, kwargs, arguments.execute)
    try:
        page.write(arguments.output)
    except OSError as error:
        raise UsageError(f"cannot write {arguments.output}: {error.strerror}") from None
    return 0


def run_profile(arguments: argparse.Namespace) -> int:
    """Prints the table, and writes the trace.

    Raises:
      UsageError: a target, an input or a file is not what it should be, or the call fails.
    """
    from graphrt.viewing.profiling import profile  # lazy: as above

    function, args, kwargs = _found(arguments, True)
    with _told(arguments.target):
        found = profile(function, *args, **kwargs)
    say(f"{found}\n")
    if arguments.trace is not None:
        try:
            found.write_trace(arguments.trace)
        except OSError as error:
            raise UsageError(f"cannot write {arguments.trace}: {error.strerror}") from None
    return 0


@contextlib.contextmanager
def _told(target: str) -> Any:
    from graphrt.cli import targets  # lazy: as above

    try:
        with contextlib.redirect_stdout(sys.stderr):  # what the function prints must not get into the result
            yield
    except UsageError:
        raise
    except (Exception, SystemExit) as error:
        raise UsageError(targets.failure(f"{target} failed", error) + targets.missing_hint(error)) from error


def _found(arguments: argparse.Namespace, values: bool) -> tuple[Any, list[Any], dict[str, Any]]:
    from graphrt.cli import targets  # lazy: as above

    inputs = [targets.parse_input(text) for text in arguments.input]
    with contextlib.redirect_stdout(sys.stderr):
        function = targets.find(arguments.target)
    if values:
        inputs = [(name, targets.filled(value)) for name, value in inputs]
    return function, [v for n, v in inputs if n is None], {n: v for n, v in inputs if n is not None}
