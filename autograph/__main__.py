"""The command line: `python -m autograph dump TARGET` prints what conversion makes of a function or module."""

from __future__ import annotations

import argparse
import ast
import difflib
import importlib.machinery
import io
import os
import re
import sys
import tokenize
from typing import Any, NamedTuple, NoReturn, TextIO

from autograph.errors import AutoGraphError, UsageError
from autograph.options import ConversionOptions, Feature

_HELP = """\
Prints the converted text of a function, a file or a module. Nothing of it is imported or run.

examples:
  autograph dump demo.py                      the whole file, as a module that runs by itself
  autograph dump demo.py:Model.call           one method
  autograph dump textwrap -o textwrap.py      a module of the standard library, into a file
  autograph dump package.module:function      one function of a module on sys.path
  autograph dump - < demo.py                  standard input
  autograph dump demo.py:f --after break_statements
                                              the text in the middle of the conversion
  autograph dump demo.py:f --format diff      what conversion changes
  autograph dump demo.py:f --format ast       the syntax tree instead of the text
"""


class Source(NamedTuple):
    """The text a target names: where it comes from, and which function of it is meant (None: all)."""

    text: str
    filename: str
    name: str | None


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One line, exit status 2."""
        _fail(f"{message} (try '{self.prog} --help')")


def _fail(message: str) -> NoReturn:
    prefix = "autograph: error:"
    if _colour_wanted(sys.stderr):
        prefix = f"\033[31m{prefix}\033[0m"
    print(prefix, " ".join(message.split()), file=sys.stderr)
    raise SystemExit(2)


def _colour_wanted(stream: TextIO) -> bool:
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and stream.isatty()


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="autograph", description="Source-to-source conversion of Python control flow.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=_Parser)
    dump = commands.add_parser(
        "dump",
        help="print converted code",
        description=_HELP.partition("\n\n")[0],
        epilog=_HELP.partition("\n\n")[2],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    dump.add_argument("target", metavar="TARGET", help="FILE.py[:NAME], MODULE[:NAME], or -[:NAME] for standard input")
    dump.add_argument("-o", "--output", metavar="FILE", help="write to FILE instead of standard output")
    dump.add_argument("--after", metavar="CONVERTER", help="stop after this converter (a bad name lists all)")
    dump.add_argument("--format", choices=("code", "ast", "diff"), default="code", help="default: code")
    dump.add_argument(
        "--feature",
        action="append",
        default=[],
        metavar="NAME",
        choices=[feature.name for feature in Feature],
        help="turn on an optional feature: " + ", ".join(feature.name for feature in Feature),
    )
    dump.add_argument("--no-recursive", action="store_true", help="leave the functions it calls as they are")
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Runs the command line; returns the exit status (0, or 2 after a one-line message on standard error)."""
    given = sys.argv[1:] if arguments is None else arguments
    # `-:name` is a target, not an option.
    options = _parser().parse_args([f"<stdin>{a[1:]}" if a.startswith("-:") else a for a in given])
    try:
        text = _dump(options)
    except (UsageError, SyntaxError, AutoGraphError, OSError, UnicodeError, ValueError, RecursionError) as error:
        _fail(_one_line(error, options.target))
    try:
        return _write(text, options)
    except BrokenPipeError:
        # The reader has seen enough; keep the interpreter from complaining when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        _fail(f"cannot write {options.output or 'standard output'}: {error.strerror or error}")


def _one_line(error: Exception, target: str) -> str:
    if isinstance(error, SyntaxError):
        place = f"{error.filename or target}:{error.lineno or 1}"
        return f"{place}: syntax error: {error.msg}"
    if isinstance(error, UsageError):
        return error.message
    if isinstance(error, UnicodeError):
        return f"cannot read {target}: it is not text in its declared encoding ({error})"
    if isinstance(error, OSError):
        return f"cannot read {error.filename or target}: {error.strerror or error}"
    if isinstance(error, RecursionError):
        return f"{target}: nested too deeply"
    return str(error)


def _dump(arguments: argparse.Namespace) -> str:
    source = read_target(arguments.target)
    after = _converter_name(arguments.after)
    options = ConversionOptions(
        recursive=not arguments.no_recursive,
        user_requested=True,
        optional_features=tuple(Feature[name] for name in arguments.feature),
    )
    original = ast.parse(source.text, source.filename)
    if source.name is not None:
        _check_name(original, source)
    from autograph.conversion import convert  # not at the top: `--help` and bad targets need no compiler

    if source.name is None:
        tree = convert.convert_source(source.text, source.filename, options, after)
    else:
        tree = convert.convert_source_function(source.text, source.filename, source.name, options, after)
    if arguments.format == "ast":
        import astunparse  # needed for this format alone

        return str(astunparse.dump(tree)).rstrip("\n") + "\n"
    text = module_text(tree)
    if arguments.format == "diff":
        return _difference(source, original, text)
    return text


def module_text(tree: ast.Module) -> str:
    """The text of a converted module; its first line imports `ag__`, after any `from __future__` imports.

    >>> module_text(ast.parse("'doc'\\nfrom __future__ import annotations\\nx = 1"))
    "from __future__ import annotations; import autograph.generated as ag__\\n__doc__ = 'doc'\\nx = 1\\n"
    """
    body = list(tree.body)
    first: list[str] = []
    docstring = ast.get_docstring(tree, clean=False)
    if docstring is not None:
        del body[0]
    rest: list[ast.stmt] = []
    for statement in body:
        if isinstance(statement, ast.ImportFrom) and statement.module == "__future__" and not statement.level:
            first.append(ast.unparse(statement))
        elif not _is_header(statement):
            rest.append(statement)
    first.append("import autograph.generated as ag__")
    lines = ["; ".join(first)]
    if docstring is not None:
        lines.append(f"__doc__ = {docstring!r}")
    if rest:
        lines.append(ast.unparse(ast.fix_missing_locations(ast.Module(rest, []))))
    return "\n".join(lines) + "\n"


def _is_header(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Import)
        and len(statement.names) == 1
        and statement.names[0].name == "autograph.generated"
        and statement.names[0].asname == "ag__"
    )


def _difference(source: Source, original: ast.Module, text: str) -> str:
    if source.name is None:
        before = source.text
    else:
        node = find_definition(original, source.name)
        assert node is not None
        lines = source.text.splitlines(keepends=True)
        start = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        before = "".join(lines[start - 1 : node.end_lineno])
    names = (source.filename, f"{source.filename} (converted)")
    return "".join(
        difflib.unified_diff(_lines(before), _lines(text), *names)
    )


def _lines(text: str) -> list[str]:
    return [line + "\n" for line in text.splitlines()]


def _write(text: str, arguments: argparse.Namespace) -> int:
    if arguments.output is not None:
        with open(arguments.output, "w", encoding="utf-8", newline="\n", errors="surrogatepass") as file:
            file.write(text)
        return 0
    if arguments.format == "diff" and _colour_wanted(sys.stdout):
        text = "".join(map(_coloured, text.splitlines(keepends=True)))
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Text of the user's program may hold what the terminal's encoding cannot say.
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    sys.stdout.write(text)
    sys.stdout.flush()
    return 0


_COLOURS = {"+++": 1, "---": 1, "@": 36, "+": 32, "-": 31}


def _coloured(line: str) -> str:
    for start, colour in _COLOURS.items():
        if line.startswith(start):
            return f"\033[{colour}m{line.rstrip(chr(10))}\033[0m\n"
    return line


# Targets.


def read_target(target: str) -> Source:
    """Finds the text that a command-line target names; raises `UsageError`, `OSError` or `UnicodeError`."""
    place, _, name = target.rpartition(":")
    if not place or not re.fullmatch(r"[^\W\d]\w*(\.(<locals>|[^\W\d]\w*))*", name):
        place, name = target, ""
    if place in ("-", "<stdin>"):
        return Source(_decoded(sys.stdin.buffer.read()), "<stdin>", name or None)
    if place.endswith((".py", ".pyw")) or os.sep in place or os.path.isfile(place):
        if os.path.isdir(place):
            raise UsageError(f"{place} is a folder; expected a file such as {os.path.join(place, '__init__.py')}")
        with open(place, "rb") as file:
            return Source(_decoded(file.read()), place, name or None)
    return Source(*_module_source(place), name or None)


def _decoded(data: bytes) -> str:
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    return io.TextIOWrapper(io.BytesIO(data), encoding).read()


def _module_source(module: str) -> tuple[str, str]:
    """Text and file of a module, found on sys.path without importing it or the packages it lies in."""
    if not re.fullmatch(r"[^\W\d]\w*(\.[^\W\d]\w*)*", module):
        raise UsageError(f"{module!r} is neither a file nor the name of a module")
    path: Any = [os.getcwd(), *sys.path]
    spec = None
    found = ""
    for part in module.split("."):
        found = f"{found}.{part}" if found else part
        spec = None if path is None else importlib.machinery.PathFinder.find_spec(found, path)
        if spec is None:
            if found in sys.builtin_module_names:
                raise UsageError(f"module {found!r} is built in and has no Python source")
            raise UsageError(f"no module named {found!r} on sys.path, and no file {module!r}")
        path = spec.submodule_search_locations
    get_source = getattr(spec.loader, "get_source", None) if spec is not None else None
    text = get_source(module) if get_source is not None else None
    if text is None or spec is None or spec.origin is None:
        raise UsageError(f"module {module!r} has no Python source")
    return text, spec.origin


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


def _check_name(tree: ast.Module, source: Source) -> None:
    assert source.name is not None
    if find_definition(tree, source.name) is not None:
        return
    near = difflib.get_close_matches(source.name, definitions(tree), n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise UsageError(f"no function {source.name!r} in {source.filename}{hint}")


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


if __name__ == "__main__":
    sys.exit(main())
