"""`autograph dump`: the converted text of a function, a module or a whole package."""

from __future__ import annotations

import argparse
import ast
import difflib
import itertools
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from autograph.backends.progress import Progress
from autograph.cli import targets
from autograph.cli.console import add_command, colour_wanted, fail, features_of, write, write_file
from autograph.errors import AutoGraphError, UsageError
from autograph.options import ConversionOptions
from autograph.pyct.quiet import parse
from autograph.pyct.unparse import unparse_ast

HELP = """\
Prints the converted text of a function, a file or a module. Nothing of it is imported or run.

examples:
  autograph dump demo.py                      the whole file, as a module that runs by itself
  autograph dump demo.py:Model.call           one method
  autograph dump textwrap -o textwrap.py      a module of the standard library, into a file
  autograph dump package -o converted         all modules of a package, into the folder converted/package
  autograph dump package.module:function      one function of a module on sys.path
  autograph dump - < demo.py                  standard input
  autograph dump demo.py:f --after break_statements
                                              the text in the middle of the conversion
  autograph dump demo.py:f --format diff      what conversion changes
  autograph dump demo.py:f --format ast       the syntax tree instead of the text
"""


def add_parser(commands: Any) -> None:
    """Declares the command."""
    parser = add_command(commands, "dump", "print converted code", HELP, "turn on an optional feature")
    parser.add_argument(
        "target", metavar="TARGET", help="FILE.py[:NAME], MODULE[:NAME], PACKAGE, or -[:NAME] for standard input"
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="write to FILE instead of standard output; for a package, to the folder of that name",
    )
    parser.add_argument("--after", metavar="CONVERTER", help="stop after this converter (a bad name lists all)")
    parser.add_argument("--format", choices=("code", "ast", "diff"), default="code", help="default: code")
    parser.add_argument("--no-recursive", action="store_true", help="leave the functions it calls as they are")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Runs the command; returns the exit status."""
    try:
        if _is_package_dump(arguments):
            return _dump_package(arguments)
        text = _dump(arguments)
    except (SyntaxError, AutoGraphError, OSError, UnicodeError, ValueError, RecursionError, ImportError) as error:
        fail(targets.one_line(error, arguments.target))
    if arguments.output is None and arguments.format == "diff" and colour_wanted(sys.stdout):
        text = "".join(map(_coloured, text.splitlines(keepends=True)))
    write(text, arguments.output)
    return 0


def _is_package_dump(arguments: argparse.Namespace) -> bool:
    place, name = targets.split_target(arguments.target)
    if arguments.output is None or name is not None or place in ("-", "<stdin>") or targets.is_file_name(place):
        return False
    return targets.find_module(place).submodule_search_locations is not None and not arguments.output.endswith(".py")


def _options(arguments: argparse.Namespace) -> ConversionOptions:
    return ConversionOptions(
        recursive=not arguments.no_recursive,
        user_requested=True,
        optional_features=features_of(arguments),
    )


def _dump(arguments: argparse.Namespace) -> str:
    source = targets.read_target(arguments.target)
    after = _converter_name(arguments.after)
    options = _options(arguments)
    original = parse(source.text, source.filename)
    if source.name is not None:
        targets.check_name(original, source)
    from autograph.conversion import convert  # not at the top: `--help` and bad targets need no compiler

    if source.name is None:
        tree = convert.convert_source(source.text, source.filename, options, after)
    else:
        tree = convert.convert_source_function(source.text, source.filename, source.name, options, after)
    if arguments.format == "ast":
        import astunparse  # needed for this format alone

        return str(astunparse.dump(tree)).rstrip("\n") + "\n"
    text = module_text(tree, source.text if source.name is None else "")
    if arguments.format == "diff":
        return _difference(source, original, text)
    return text


# Packages


def _dump_package(arguments: argparse.Namespace) -> int:
    """Writes every module of a package below the folder of `--output`; a module that Python refuses is copied."""
    from autograph.conversion import convert  # not at the top: `--help` and bad targets need no compiler

    if arguments.format != "code":
        raise UsageError(f"a package can be dumped as code only; --format {arguments.format} takes one module")
    after = _converter_name(arguments.after)
    options = _options(arguments)
    modules = list(targets.modules_of(arguments.target))
    needed = _needed_by_autograph(arguments.target)
    written = 0
    with Progress("converting", len(modules), "modules") as progress:
        for module in modules:
            progress.step(module.name)
            if module.text is None:
                if not module.is_package:
                    done = "copied as it is" if os.path.isfile(module.filename) else "left out"
                    print(f"autograph: {module.name} has no Python source and is {done}", file=sys.stderr)
                continue
            try:
                tree = convert.convert_source(module.text, module.filename, options, after)
                found = partial(_with_original_for_autograph, module) if module.name in needed else str
                text = module_text(tree, module.text, found)
            except (SyntaxError, AutoGraphError, RecursionError) as error:
                why = targets.one_line(error, module.filename)
                print(f"autograph: {module.name} is copied as it is: {why}", file=sys.stderr)
                text = module.text
            _write_module(text, module, arguments.output)
            written += 1
    if not written:
        raise UsageError(f"package {arguments.target!r} has no Python source")
    _copy_other_files(arguments.target, arguments.output, {_relative_path(m) for m in modules if m.text is not None})
    for parent in targets.parents_of(arguments.target):
        if parent.text is not None:
            tree = convert.convert_source(parent.text, parent.filename, options, after)
            _write_module(module_text(tree, parent.text, _also_elsewhere), parent, arguments.output)
    return 0


def _copy_other_files(package: str, folder: str, written: set[str]) -> None:
    """Copies what lies in a package besides its modules: data, compiled modules, scripts."""
    top = os.path.join(*package.split("."))
    for location in targets.find_module(package).submodule_search_locations or ():
        for place, folders, files in os.walk(location):
            folders[:] = sorted(
                name
                for name in folders
                if name != "__pycache__" and os.path.abspath(os.path.join(place, name)) != os.path.abspath(folder)
            )
            inside = os.path.normpath(os.path.join(top, os.path.relpath(place, location)))
            for name in sorted(files):
                if os.path.join(inside, name) not in written:
                    target = os.path.join(folder, inside, name)
                    os.makedirs(os.path.dirname(target), exist_ok=True)
                    shutil.copyfile(os.path.join(place, name), target)


def _relative_path(module: targets.Module) -> str:
    parts = module.name.split(".")
    parts[-1:] = [parts[-1], "__init__.py"] if module.is_package else [f"{parts[-1]}.py"]
    return os.path.join(*parts)


def _write_module(text: str, module: targets.Module, folder: str) -> None:
    filename = os.path.join(folder, _relative_path(module))
    os.makedirs(os.path.dirname(filename), exist_ok=True)
    write_file(text, filename)


def _needed_by_autograph(package: str) -> frozenset[str]:
    """The modules of a package that `import autograph` imports."""
    top = package.partition(".")[0]
    if top not in sys.stdlib_module_names and top not in ("gast", "astunparse"):
        return frozenset()
    done = subprocess.run(
        [sys.executable, "-c", "import autograph.generated, sys; print(*sys.modules)"],
        capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    return frozenset(name for name in done.stdout.split() if name.partition(".")[0] == top)


_WITH_ORIGINAL = """\
import os, sys
if 'autograph.generated' not in sys.modules:  # which needs this very module: let it have the original
    this, path = sys.modules.pop(__name__), sys.path[:]
    sys.path[:] = [p for p in path if __file__ != (p or os.getcwd()) + {end!r}]
    import autograph.generated
    sys.path[:], sys.modules[__name__] = path, this
    del this, path, autograph
del os, sys
"""


def _with_original_for_autograph(module: targets.Module, header: str) -> str:
    future, _, operators = header.rpartition("import autograph.generated")
    start = _WITH_ORIGINAL.format(end=os.sep + _relative_path(module))
    lines = [future.rstrip("; "), start.rstrip("\n"), f"import autograph.generated{operators}"]
    return "\n".join(line for line in lines if line)


def _also_elsewhere(header: str) -> str:
    """A package around the dumped one: what is not beside it is found where the original is."""
    return f"{header}; __path__ = __import__('pkgutil').extend_path(__path__, __name__)"


def module_text(tree: ast.Module, source: str = "", header: Callable[[str], str] = str) -> str:
    """The text of a converted module: its docstring, the line that imports `ag__`, and the rest.

    Between its statements are as many empty lines as in the text `source`; `header` may change the line of the import,
    which holds the `from __future__` imports, too.

    >>> print(module_text(ast.parse("'doc'\\nfrom __future__ import annotations\\nx = 1")), end="")
    \"\"\"doc\"\"\"
    from __future__ import annotations; import autograph.generated as ag__
    x = 1
    """
    lines = source.splitlines()
    described = ast.get_docstring(tree, clean=False) is not None
    parts = [unparse_ast(ast.Module(tree.body[:described], []))] if described else []
    last: ast.stmt | None = tree.body[0] if described else None
    imports: list[str] = []
    rest: list[ast.stmt] = []
    for statement in tree.body[described:]:
        if isinstance(statement, ast.ImportFrom) and statement.module == "__future__" and not statement.level:
            imports.append(unparse_ast(statement))
            parts += _gap(last, statement, lines)
            last = statement
        elif not _is_header(statement):
            rest.append(statement)
    if not imports:
        parts += _gap(last, rest[0], lines) if rest else []
        last = None
    parts.append(header("; ".join([*imports, "import autograph.generated as ag__"])))
    for statement in rest:
        parts += [*_gap(last, statement, lines), unparse_ast(statement).strip("\n")]
        last = statement
    return "\n".join(parts) + "\n"


def _gap(before: ast.stmt | None, statement: ast.stmt, lines: list[str]) -> list[str]:
    """The empty lines between two statements: where comments stand between them, those where there are most."""
    if before is None:
        return []
    if not lines:
        return [""] * isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
    begin = min([statement.lineno, *(d.lineno for d in getattr(statement, "decorator_list", ()))])
    between = lines[before.end_lineno or before.lineno : begin - 1]
    runs = itertools.groupby(between, key=lambda line: not line.strip())
    return max(([""] * len(list(run)) for is_empty, run in runs if is_empty), default=[])


def _is_header(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Import)
        and len(statement.names) == 1
        and statement.names[0].name == "autograph.generated"
        and statement.names[0].asname == "ag__"
    )


def _difference(source: targets.Source, original: ast.Module, text: str) -> str:
    if source.name is None:
        before = source.text
    else:
        node = targets.find_definition(original, source.name)
        assert node is not None
        lines = source.text.splitlines(keepends=True)
        start = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        before = "".join(lines[start - 1 : node.end_lineno])
    names = (source.filename, f"{source.filename} (converted)")
    return "".join(difflib.unified_diff(_lines(before), _lines(text), *names))


def _lines(text: str) -> list[str]:
    return [line + "\n" for line in text.splitlines()]


_COLOURS = {"+++": 1, "---": 1, "@": 36, "+": 32, "-": 31}


def _coloured(line: str) -> str:
    for start, colour in _COLOURS.items():
        if line.startswith(start):
            return f"\033[{colour}m{line.rstrip(chr(10))}\033[0m\n"
    return line


def converter_names() -> list[str]:
    """The names that `--after` takes, in the order in which the converters run."""
    from autograph.converters import stage_names  # not at the top: `--help` needs no compiler

    return list(stage_names())


def _converter_name(name: str | None) -> str | None:
    if name is None:
        return None
    names = converter_names()
    if name not in names:
        raise UsageError(f"no converter named {name!r}; expected one of {', '.join(dict.fromkeys(names))}")
    return name
