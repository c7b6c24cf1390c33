"""The function that a command line names, its inputs, its graph, and the graph as text."""

from __future__ import annotations

import ast
import difflib
import importlib
import importlib.util
import inspect
import os
import re
import sys
import traceback
from types import ModuleType
from typing import Any

import numpy as np

import graphrt
from graphrt import passes
from graphrt.cli.console import UsageError
from graphrt.executor.program import compile_graph
from graphrt.graphdef import graph_def, to_text
from graphrt.ir.dot import dot_text
from graphrt.ir.printer import graph_text
from graphrt.types.dtype import BY_NAME
from graphrt.types.nesting import shown
from graphrt.types.spec import TensorSpec


def text_of(graph: Any, format_: str, after: str | None) -> str:
    """`graph` in a format of `graphrt dump --format`, after the pass of a name ('all': after all of them)."""
    if after is not None or format_ == "program":
        try:
            graph = passes.run_passes(graph, None if after in (None, "all") else after)
        except ValueError as error:
            raise UsageError(f"--after {after}: {error}") from None
    if format_ == "program":
        return str(compile_graph(graph).source).rstrip("\n") + "\n"
    if format_ == "pbtxt":
        return to_text(graph_def(graph))
    return dot_text(graph) if format_ == "dot" else graph_text(graph)


# --- the target ------------------------------------------------------------------------------------------------------
def find(target: str) -> Any:
    """The callable that `file.py:path` or `module:path` names; the file, or module, is imported."""
    place, colon, path = target.rpartition(":")
    if not colon or not place or not path:
        raise UsageError(f"the target {shown(target)} must be file.py:function or module:function")
    module = _load_file(place) if place.endswith(".py") or os.sep in place else _load_module(place)
    found: Any = module
    for step in path.split("."):
        try:
            found = getattr(found, step)
        except AttributeError:
            names = sorted(n for n, v in vars(module).items() if callable(v) and not n.startswith("_"))
            near = difflib.get_close_matches(step, names if found is module else dir(found), 1)
            known = f"; it has {_few(names)}" if names and found is module else ""
            known = f"; did you mean {near[0]}?" if near else known
            if inspect.isfunction(found):
                known = f"; what {found.__qualname__} defines inside has no name: give it one in the module"
            raise UsageError(f"{place} has no {path!r}{known}") from None
    if not callable(found):
        hint = "; write a function that goes over it" if isinstance(found, graphrt.data.Dataset) else ""
        raise UsageError(f"{path!r} of {place} cannot be called, it is of type {type(found).__name__}{hint}")
    owner = path.rpartition(".")[0]
    if owner and inspect.isfunction(found) and _is_method(module, path):
        raise UsageError(f"{path!r} of {place} is a method: name it through an object of {owner}, made in the module")
    return found


def _few(names: list[str], most: int = 12) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def _is_method(module: ModuleType, path: str) -> bool:
    """Whether a path ends at a function that wants an object of its class."""
    *way, name = path.split(".")
    owner: object = module
    for step in way:
        owner = getattr(owner, step)
    return isinstance(owner, type) and inspect.isfunction(inspect.getattr_static(owner, name, None))


def _load_file(path: str) -> ModuleType:
    if not os.path.isfile(path):
        raise UsageError(f"no file {path!r}")
    full = os.path.abspath(path)
    folder, name = _in_package(full)
    spec = importlib.util.spec_from_file_location(name, full)
    if spec is None or spec.loader is None:
        raise UsageError(f"{path!r} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, folder)
    shadowed = sys.modules.get(name)
    try:
        if folder != os.path.dirname(full):  # what it imports relatively is found through the packages around it
            found = importlib.import_module(name)
            if getattr(found, "__file__", None) == full:  # else another package has this name
                return found
        sys.modules[name] = module
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        if shadowed is not None:
            sys.modules[name] = shadowed
        raise UsageError(failure(f"importing {path} failed", error, full)) from error
    return module


def _in_package(file: str) -> tuple[str, str]:
    """The folder from which a file is imported, and the name of its module there: with the packages that it lies in."""
    folder, name = os.path.split(os.path.splitext(file)[0])
    names = [] if name == "__init__" else [name]
    while os.path.isfile(os.path.join(folder, "__init__.py")):
        folder, package = os.path.split(folder)
        names.insert(0, package)
    return folder, ".".join(names) or name


def _load_module(name: str) -> ModuleType:
    if os.getcwd() not in sys.path and "" not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            raise UsageError(f"no module {name!r} (a file is named with its ending: {name}.py)") from None
        raise UsageError(failure(f"importing {name} failed", error)) from error
    except (Exception, SystemExit) as error:
        raise UsageError(failure(f"importing {name} failed", error)) from error


def failure(what: str, error: BaseException, file: str | None = None) -> str:
    """One line: what failed, the error, and the innermost line of the user's code."""
    if isinstance(error, SyntaxError):
        return f"{what}: {os.path.basename(error.filename or '?')}:{error.lineno}: {type(error).__name__}: {error.msg}"
    message = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
    text = f"{what}: {type(error).__name__}" + (f": {message}" if message else "")
    room = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    rooms = (room + os.sep, os.path.join(os.path.dirname(room), "autograph") + os.sep, "<")
    frames = [f for f in traceback.extract_tb(error.__traceback__) if not f.filename.startswith(rooms)]
    frames = [f for f in frames if file is None or f.filename == file] or frames
    return f"{text} ({os.path.basename(frames[-1].filename)}:{frames[-1].lineno})" if frames else text


def trace(function: Any, target: str, inputs: list[tuple[str | None, Any]]) -> Any:
    """The graph of `function` for `inputs`, which `parse_input` gave."""
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
        raise UsageError(failure(f"tracing {target} failed", error) + missing_hint(error)) from error


def missing_hint(error: BaseException) -> str:
    """What to do about arguments that were not given."""
    return "; give its arguments with --input" if "required positional arg" in str(error) else ""


# --- the inputs ------------------------------------------------------------------------------------------------------
_SHAPE = re.compile(r"(\w)\[([\d\s,?.]*|[^][\"'()]*\bNone\b[^][\"'()]*)\]")  # `[]` and `?` are no Python
_NAMED = re.compile(r"([A-Za-z_]\w*)\s*=(?!=)\s*(.*)\Z", re.DOTALL)


def parse_input(text: str) -> tuple[str | None, Any]:
    """The name, if it has one, and the value of an argument written as `--input` takes it."""
    named = _NAMED.match(text.strip())
    name, body = (named[1], named[2]) if named else (None, text.strip())
    plain = _SHAPE.sub(lambda m: f"{m[1]}[{m[2].replace('?', 'None').strip() or '()'}]", body)
    try:
        tree = ast.parse(plain, mode="eval").body
    except (SyntaxError, ValueError):
        raise _bad_input(text) from None
    return name, _input_value(tree, text)


def filled(value: Any) -> Any:
    """`value` with numbers in place of the tensors that are only described; they are always the same.

    Raises:
      UsageError: a size is not known.
    """
    if isinstance(value, (list, tuple)):
        return type(value)(filled(v) for v in value)
    if isinstance(value, dict):
        return {key: filled(v) for key, v in value.items()}
    if not isinstance(value, TensorSpec):
        return value
    sizes = [d for d in value.dims or () if d is not None]
    if value.dims is None or len(sizes) < len(value.dims):
        raise UsageError(f"--input {value.dtype.name}{value.shape}: all sizes must be known where the function is run")
    try:
        if value.dtype.kind == "S":
            return graphrt.fill(sizes, "text")
        numbers = np.random.RandomState(0).uniform(0, 1 if value.dtype.kind in "fc" else 10, sizes)
        return graphrt.cast(graphrt.constant(numbers), value.dtype)
    except (MemoryError, ValueError, graphrt.errors.ResourceExhaustedError):
        raise UsageError(f"--input {value.dtype.name}{value.shape}: so much memory is not there") from None


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
    name = tree.id if isinstance(tree, ast.Name) else tree.attr if isinstance(tree, ast.Attribute) else ""
    if name not in BY_NAME:
        near = difflib.get_close_matches(name, BY_NAME, 1)
        raise _bad_input(
            text, f"there is no dtype {shown(ast.unparse(tree))}" + (f", did you mean {near[0]}?" if near else "")
        )
    return TensorSpec(dims, BY_NAME[name])
