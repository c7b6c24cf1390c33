"""From what a command line names to the text that is meant; nothing is imported or run."""

from __future__ import annotations

import ast
import difflib
import importlib.machinery
import io
import itertools
import os
import pkgutil
import re
import sys
import tokenize
from collections.abc import Iterator
from typing import Any, NamedTuple

from autograph.errors import UsageError

_DOTTED = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")


class Source(NamedTuple):
    """The text a target names: where it comes from, and which function of it is meant (None: all)."""

    text: str
    filename: str
    name: str | None


class Module(NamedTuple):
    """A module of a package: its full name, whether it is a package itself, and its text (None: no Python source)."""

    name: str
    is_package: bool
    text: str | None
    filename: str


def from_shell(arguments: list[str]) -> list[str]:
    """Arguments as argparse takes them: `-:name` is a target, not an option."""
    return [f"<stdin>{a[1:]}" if a.startswith("-:") else a for a in arguments]


def split_target(target: str) -> tuple[str, str | None]:
    """The place and the qualified name (or None) of a target.

    >>> split_target("demo.py:Model.call"), split_target("demo.py")
    (('demo.py', 'Model.call'), ('demo.py', None))
    """
    place, _, name = target.rpartition(":")
    if not place or not re.fullmatch(r"[^\W\d]\w*(\.(<locals>|[^\W\d]\w*))*", name):
        return target, None
    return place, name


def read_target(target: str) -> Source:
    """Finds the text that a command-line target names; raises `UsageError`, `OSError` or `UnicodeError`."""
    place, name = split_target(target)
    if place in ("-", "<stdin>"):
        return Source(decoded(standard_input()), "<stdin>", name)
    if is_file_name(place):
        if os.path.isdir(place):
            raise UsageError(f"{place} is a folder; expected a file such as {os.path.join(place, '__init__.py')}")
        return Source(read_file(place), place, name)
    return Source(*module_source(place), name)


def standard_input() -> bytes:
    """All of it; raises `UsageError` where the process was started without."""
    if sys.stdin is None:
        raise UsageError("cannot read <stdin>: it is closed")
    return sys.stdin.buffer.read()


def is_file_name(place: str) -> bool:
    """Whether a target is a file or folder rather than a module."""
    return place.endswith((".py", ".pyw")) or os.sep in place or os.path.isfile(place)


def read_file(filename: str) -> str:
    """The text of a file in its declared encoding; raises OSError, UnicodeError or SyntaxError."""
    with open(filename, "rb") as file:
        return decoded(file.read())


def decoded(data: bytes) -> str:
    """Python text from bytes."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)  # Python 3.14 decodes there
        return io.TextIOWrapper(io.BytesIO(data), encoding).read()
    except LookupError as error:  # there are codecs that give no text: "'rot13' is not a text encoding; ..."
        raise SyntaxError(f"encoding problem: {str(error).split(' is ')[0].strip(chr(39))}") from None


# Modules and packages


def find_module(module: str) -> importlib.machinery.ModuleSpec:
    """Where a module on sys.path is, found without importing it or the packages it lies in; raises `UsageError`."""
    if not _DOTTED.fullmatch(module):
        raise UsageError(f"{module!r} is neither a file nor the name of a module")
    path: Any = [os.getcwd(), *sys.path]
    spec = None
    found = ""
    for part in module.split("."):
        found = f"{found}.{part}" if found else part
        spec = None if path is None else _find_spec(found, path)
        if spec is None:
            if found in sys.builtin_module_names:
                raise UsageError(f"module {found!r} is built in and has no Python source")
            raise UsageError(f"no module named {found!r} on sys.path, and no file {module!r}")
        path = spec.submodule_search_locations
    assert spec is not None
    return spec


def _find_spec(name: str, path: list[str]) -> importlib.machinery.ModuleSpec | None:
    try:
        return importlib.machinery.PathFinder.find_spec(name, path)
    except KeyError:  # a package without __init__.py: Python wants the package around it imported
        spec = importlib.machinery.ModuleSpec(name, None, is_package=True)
        folders = [os.path.join(place, name.rpartition(".")[2]) for place in path]
        spec.submodule_search_locations = [folder for folder in folders if os.path.isdir(folder)]
        return spec


def source_of_spec(spec: importlib.machinery.ModuleSpec, module: str) -> str | None:
    """The text of a module, or None if it has no Python source."""
    get_source = getattr(spec.loader, "get_source", None)
    try:
        text: str | None = get_source(module) if get_source is not None and spec.origin is not None else None
    except LookupError:
        raise SyntaxError("encoding problem: it gives no text", (spec.origin, 1, 1, "")) from None
    return text


def module_source(module: str) -> tuple[str, str]:
    """The text of a module, and its file; raises `UsageError` if it has no Python source."""
    spec = find_module(module)
    text = source_of_spec(spec, module)
    if text is None or spec.origin is None:
        raise UsageError(f"module {module!r} has no Python source")
    return text, spec.origin


def modules_of(package: str) -> Iterator[Module]:
    """A package and all modules in it, in the order of their names; one that cannot be read has no text."""
    spec = find_module(package)
    if spec.submodule_search_locations is None:
        raise UsageError(f"module {package!r} is not a package")
    yield from _modules(package, spec)


def _modules(name: str, spec: importlib.machinery.ModuleSpec, around: frozenset[str] = frozenset()) -> Iterator[Module]:
    locations = spec.submodule_search_locations
    within = around.union(map(os.path.realpath, locations or ()))
    if locations is not None and within == around:
        return  # a link to a folder that it lies in
    try:
        text = source_of_spec(spec, name)
    except (ImportError, SyntaxError, UnicodeError, OSError):
        text = None
    filename = spec.origin or (next(iter(locations), name) if locations else name)
    yield Module(name, locations is not None, text, filename)
    if locations is None:
        return
    places = list(locations)
    found = {info.name for info in pkgutil.iter_modules(places)}
    for place in places:  # packages without __init__.py
        if os.path.isdir(place):
            found.update(entry for entry in os.listdir(place) if _holds_python(os.path.join(place, entry)))
    for part in sorted(found):
        if part == "__init__":
            continue
        inner = _find_spec(f"{name}.{part}", places)
        if inner is not None:
            yield from _modules(f"{name}.{part}", inner, within)


def parents_of(module: str) -> Iterator[Module]:
    """The packages that a module lies in, outermost first."""
    for name in itertools.accumulate(module.split(".")[:-1], "{}.{}".format):
        spec = find_module(name)
        yield Module(name, True, source_of_spec(spec, name), spec.origin or name)


def _holds_python(folder: str) -> bool:
    title = os.path.basename(folder)
    if not title.isidentifier() or title == "__pycache__" or not os.path.isdir(folder):
        return False
    return any(file.endswith(".py") for _, _, files in os.walk(folder) for file in files)


def files_in(folder: str) -> list[str]:
    """The Python files in a folder and its subfolders, sorted; hidden folders and virtual environments are left out."""
    found: list[str] = []
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(
            f
            for f in folders
            if not f.startswith(".") and f != "__pycache__" and not os.path.exists(os.path.join(place, f, "pyvenv.cfg"))
        )
        found.extend(os.path.join(place, f) for f in files if f.endswith((".py", ".pyw")) and not f.startswith("."))
    return sorted(found)


# Names in a module

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def definitions(tree: ast.AST, prefix: str = "") -> dict[str, Definition]:
    """All functions and classes of a tree by qualified name (without `<locals>`); a later one replaces an earlier."""
    found: dict[str, Definition] = {}
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found[prefix + node.name] = node
            found |= definitions(node, f"{prefix}{node.name}.")
        elif not isinstance(node, ast.expr):
            found |= definitions(node, prefix)
    return found


def find_definition(tree: ast.AST, name: str) -> Definition | None:
    """The function or class with this qualified name."""
    return definitions(tree).get(name.replace("<locals>.", ""))


def check_name(tree: ast.Module, source: Source) -> None:
    """Raises `UsageError`, with the nearest name there is, if a source does not define the name that is meant."""
    assert source.name is not None
    if find_definition(tree, source.name) is not None:
        return
    near = difflib.get_close_matches(source.name, definitions(tree), n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise UsageError(f"no function {source.name!r} in {source.filename}{hint}")


def one_line(error: Exception, target: str) -> str:
    """What is wrong with a target, in one line."""
    if isinstance(error, SyntaxError):
        return f"{error.filename or target}:{error.lineno or 1}: syntax error: {error.msg}"
    if isinstance(error, UsageError):
        return error.message
    if isinstance(error, UnicodeError):
        return f"cannot read {target}: it is not text in its declared encoding ({error})"
    if isinstance(error, OSError):
        return f"cannot read {error.filename or target}: {error.strerror or error}"
    if isinstance(error, RecursionError):
        return f"{target}: nested too deeply"
    return str(error)
