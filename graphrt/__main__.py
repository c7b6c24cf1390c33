"""The command line: `python -m graphrt dump FILE.py:FUNCTION` prints what a traced function becomes."""

from __future__ import annotations

import argparse
import ast
import contextlib
import importlib
import importlib.util
import os
import re
import sys
import traceback
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any, NoReturn

from graphrt.version import __version__

_DUMP_HELP = """\
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


class UsageError(Exception):
    """A mistake on the command line, or in the file it names; told in one line."""


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


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        print(f"{self.prog}: {message} (see {self.prog} --help)", file=sys.stderr)
        raise SystemExit(2)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="graphrt", description="Graphs of Python functions, on NumPy.")
    parser.add_argument("--version", action="version", version=f"graphrt {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=_Parser)
    for add in COMMANDS:
        add(commands)
    return parser


def _add_dump(commands: Any) -> None:
    dump = commands.add_parser(
        "dump", help="trace a function and print its graph, GraphDef, picture or program",
        description=_DUMP_HELP, formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="graphrt dump TARGET [--input SPEC]... [--format FORMAT] [--after PASS] [-o FILE]",
    )  # fmt: skip
    dump.add_argument("target", metavar="TARGET", help="file.py:function or module:function")
    dump.add_argument("--input", "-i", metavar="SPEC", action="append", default=[], help="one argument of the function")
    dump.add_argument("--format", "-f", choices=("graph", "pbtxt", "dot", "program"), default="graph")
    dump.add_argument("--after", metavar="PASS", help="show the graph after this pass ('all': after all of them)")
    dump.add_argument("--output", "-o", metavar="FILE", help="write here instead of standard output")
    dump.add_argument("--traceback", action="store_true", help="show the whole traceback when tracing fails")
    dump.set_defaults(run=_dump)


def _add_demo(commands: Any) -> None:
    demo = commands.add_parser("demo", help="show on one screen what becomes of a Python function")
    demo.set_defaults(run=_demo)


def _demo(arguments: argparse.Namespace) -> int:
    from graphrt import demo

    demo.run()
    return 0


COMMANDS: list[Callable[[Any], None]] = [_add_dump, _add_demo]
"""What adds each command to the parser; the parsed arguments carry the function to run as `run`."""


# --- dump ------------------------------------------------------------------------------------------------------------
def _dump(arguments: argparse.Namespace) -> int:
    inputs = [_parse_input(text) for text in arguments.input]
    try:
        with contextlib.redirect_stdout(sys.stderr):  # what the file prints must not get into the dump
            function = _find(arguments.target)
            graph = _trace(function, arguments.target, inputs)
            text = _text(graph, arguments.format, arguments.after)
    except UsageError:
        if arguments.traceback:
            traceback.print_exc()
        raise
    if arguments.output is None or arguments.output == "-":
        sys.stdout.write(text)
        sys.stdout.flush()
        return 0
    try:
        with open(arguments.output, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise UsageError(f"cannot write {arguments.output}: {error.strerror}") from None
    return 0


def _text(graph: Any, format_: str, after: str | None) -> str:
    from graphrt import passes
    from graphrt.graphdef import graph_def, to_text
    from graphrt.ir.dot import dot_text
    from graphrt.ir.printer import graph_text

    if after is not None or format_ == "program":
        try:
            graph = passes.run_passes(graph, None if after in (None, "all") else after)
        except ValueError as error:
            raise UsageError(f"--after {after}: {error}") from None
    if format_ == "program":
        from graphrt.executor.program import compile_graph

        return str(compile_graph(graph).source).rstrip("\n") + "\n"
    if format_ == "pbtxt":
        return to_text(graph_def(graph))
    return dot_text(graph) if format_ == "dot" else graph_text(graph)


# --- the target ------------------------------------------------------------------------------------------------------
def _find(target: str) -> Any:
    place, colon, path = target.rpartition(":")
    if not colon or not place or not path:
        raise UsageError(f"the target {target!r} must be file.py:function or module:function")
    module = _load_file(place) if place.endswith(".py") or os.sep in place else _load_module(place)
    found: Any = module
    for step in path.split("."):
        try:
            found = getattr(found, step)
        except AttributeError:
            names = sorted(n for n, v in vars(module).items() if callable(v) and not n.startswith("_"))
            known = f"; it has {', '.join(names)}" if names and found is module else ""
            raise UsageError(f"{place} has no {path!r}{known}") from None
    if not callable(found):
        raise UsageError(f"{path!r} of {place} cannot be called, it is of type {type(found).__name__}")
    return found


def _load_file(path: str) -> ModuleType:
    if not os.path.isfile(path):
        raise UsageError(f"no file {path!r}")
    name = os.path.splitext(os.path.basename(path))[0]
    full = os.path.abspath(path)
    spec = importlib.util.spec_from_file_location(name, full)
    if spec is None or spec.loader is None:
        raise UsageError(f"{path!r} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, os.path.dirname(full))
    shadowed = sys.modules.get(name)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        if shadowed is not None:
            sys.modules[name] = shadowed
        raise UsageError(_failure(f"importing {path} failed", error, full)) from error
    return module


def _load_module(name: str) -> ModuleType:
    if os.getcwd() not in sys.path and "" not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            raise UsageError(f"no module {name!r} (a file is named with its ending: {name}.py)") from None
        raise UsageError(_failure(f"importing {name} failed", error, None)) from error
    except (Exception, SystemExit) as error:
        raise UsageError(_failure(f"importing {name} failed", error, None)) from error


def _failure(what: str, error: BaseException, file: str | None) -> str:
    """One line: what failed, the error, and the innermost line of the user's code."""
    if isinstance(error, SyntaxError):
        return f"{what}: {os.path.basename(error.filename or '?')}:{error.lineno}: {type(error).__name__}: {error.msg}"
    message = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
    text = f"{what}: {type(error).__name__}" + (f": {message}" if message else "")
    room = os.path.dirname(os.path.abspath(__file__))
    rooms = (room + os.sep, os.path.join(os.path.dirname(room), "autograph") + os.sep, "<")
    frames = [f for f in traceback.extract_tb(error.__traceback__) if not f.filename.startswith(rooms)]
    frames = [f for f in frames if file is None or f.filename == file] or frames
    return f"{text} ({os.path.basename(frames[-1].filename)}:{frames[-1].lineno})" if frames else text


def _trace(function: Any, target: str, inputs: list[tuple[str | None, Any]]) -> Any:
    import graphrt

    if not hasattr(function, "get_concrete_function"):
        function = graphrt.function(function)
    args = [value for name, value in inputs if name is None]
    kwargs: dict[str, Any] = {}
    for name, value in inputs:
        if name is not None:
            if name in kwargs:
                raise UsageError(f"two inputs are named {name!r}")
            kwargs[name] = value
    try:
        return function.get_concrete_function(*args, **kwargs).graph
    except (Exception, SystemExit) as error:
        hint = "; give its arguments with --input" if not inputs and "required positional arg" in str(error) else ""
        raise UsageError(_failure(f"tracing {target} failed", error, None) + hint) from error


# --- the inputs ------------------------------------------------------------------------------------------------------
_SHAPE = re.compile(r"(\w)\[([\d\s,?.]*|[^][\"'()]*\bNone\b[^][\"'()]*)\]")  # `[]` and `?` are no Python
_NAMED = re.compile(r"([A-Za-z_]\w*)\s*=(?!=)\s*(.*)\Z", re.DOTALL)


def _parse_input(text: str) -> tuple[str | None, Any]:
    named = _NAMED.match(text.strip())
    name, body = (named[1], named[2]) if named else (None, text.strip())
    plain = _SHAPE.sub(lambda m: f"{m[1]}[{m[2].replace('?', 'None').strip() or '()'}]", body)
    try:
        tree = ast.parse(plain, mode="eval").body
    except (SyntaxError, ValueError):
        raise _bad_input(text) from None
    return name, _input_value(tree, text)


def _bad_input(text: str, why: str = "") -> UsageError:
    expected = "a tensor such as float32[None,3], or a Python constant"
    return UsageError(f"--input {text!r}: {why or 'cannot be read'}; expected {expected}")


def _input_value(tree: ast.expr, text: str) -> Any:
    if isinstance(tree, ast.List):
        return [_input_value(e, text) for e in tree.elts]
    if isinstance(tree, ast.Tuple):
        return tuple(_input_value(e, text) for e in tree.elts)
    if isinstance(tree, ast.Dict):
        if any(not isinstance(k, ast.Constant) for k in tree.keys):
            raise _bad_input(text, "keys must be constants")
        return {k.value: _input_value(v, text) for k, v in zip(tree.keys, tree.values) if isinstance(k, ast.Constant)}
    if isinstance(tree, ast.Subscript):
        return _spec(tree.value, _dims(tree.slice, text), text)
    if isinstance(tree, (ast.Name, ast.Attribute)):
        name = tree.id if isinstance(tree, ast.Name) else tree.attr
        raise _bad_input(text, f"{name!r} has no shape (a scalar is {name}[])")
    try:
        return ast.literal_eval(tree)
    except (ValueError, TypeError):
        raise _bad_input(text) from None


def _dims(tree: ast.expr, text: str) -> list[int | None] | None:
    if isinstance(tree, ast.Constant) and tree.value is Ellipsis:
        return None
    found: list[int | None] = []
    for part in tree.elts if isinstance(tree, ast.Tuple) else [tree]:
        value = part.value if isinstance(part, ast.Constant) else ...
        if value is not None and (type(value) is not int or value < 0):
            raise _bad_input(text, f"{ast.unparse(part)} is no dimension")
        found.append(value)
    return found


def _spec(tree: ast.expr, dims: list[int | None] | None, text: str) -> Any:
    from graphrt.types.dtype import _BY_NAME
    from graphrt.types.spec import TensorSpec

    name = tree.id if isinstance(tree, ast.Name) else tree.attr if isinstance(tree, ast.Attribute) else ""
    if name not in _BY_NAME:
        raise _bad_input(text, f"there is no dtype {ast.unparse(tree)!r}")
    return TensorSpec(dims, _BY_NAME[name])


if __name__ == "__main__":
    sys.exit(main())
