"""From a function object to its tree, with the lines and columns of the user's file.

The text is found through `linecache`, so functions typed into doctest, IPython or an interactive prompt that registers
its input are found as well. Lambdas are told apart by the columns their instructions carry.
"""

from __future__ import annotations

import ast
import inspect
import io
import linecache
import sys
import tokenize
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any

import gast

from autograph.errors import AmbiguousSourceError, SourceChangedError, SourceNotFoundError
from autograph.pyct.names import enclosing_class, mangled
from autograph.pyct.same_code import same_code
from autograph.pyct.silence import silent_compiler

_COMMAND_LINE = frozenset({"<string>", "<stdin>"})  # what `python -c` and others call what they are given
_UNREADABLE = "its file cannot be read; define it in a file, or register its text in linecache"


def parse_function(function: FunctionType) -> Any:
    """The gast tree (`FunctionDef`, `AsyncFunctionDef` or `Lambda`) of a function.

    Raises `SourceNotFoundError` if there is no text, or none that fits the function.
    """
    return gast.ast_to_gast(find_function(function))


def find_function(function: FunctionType) -> Any:
    """The `ast` tree of a function; that of a lambda is shared: not to be changed. Raises `SourceNotFoundError`."""
    code = function.__code__
    with silent_compiler():
        try:
            lines = _source_lines(function)
            node = _find_lambda(function, lines) if code.co_name == "<lambda>" else _find_definition(code, lines)
            if not same_code(node, function) and not _asserts_are_rewritten(function, node):
                raise _changed(code, "the text at its line compiles to other code: ")
        except SourceChangedError:
            if code.co_filename in _COMMAND_LINE:  # another text of that name
                raise _missing(code, _UNREADABLE) from None
            raise
    return node


def _asserts_are_rewritten(function: FunctionType, node: Any) -> bool:
    """Whether pytest has compiled something else for the assertions of the text."""
    return "@pytest_ar" in function.__globals__ and any(isinstance(inner, ast.Assert) for inner in ast.walk(node))


def parse_module(text: str, filename: str) -> Any:
    """The gast tree of a whole file; raises SyntaxError."""
    return gast.ast_to_gast(ast.parse(text, filename))


def _missing(code: CodeType, why: str) -> SourceNotFoundError:
    what = "a lambda" if code.co_name == "<lambda>" else f"{code.co_qualname!r}"
    return SourceNotFoundError(
        f"no source text can be found for {what}: {why}", filename=code.co_filename, lineno=code.co_firstlineno
    )


def _changed(code: CodeType, why: str) -> SourceChangedError:
    missing = _missing(code, f"{why}the file has changed since it was imported; import it again")
    return SourceChangedError(missing.message, filename=missing.filename, lineno=missing.lineno)


def _source_lines(function: FunctionType) -> list[str]:
    code = function.__code__
    filename = code.co_filename
    linecache.checkcache(filename)
    lines = linecache.getlines(filename, function.__globals__) or _lines_elsewhere(filename, function.__globals__)
    if not lines:
        raise _missing(code, _UNREADABLE)
    if any(not line.endswith("\n") for line in lines[:-1]):  # registered by somebody who split without the ends
        lines = [line if line.endswith("\n") else line + "\n" for line in lines]
    if len(lines) < code.co_firstlineno:
        raise _changed(code, f"it has only {len(lines)} lines: ")
    return lines


def _lines_elsewhere(filename: str, namespace: dict[str, Any]) -> list[str]:
    """The text of a module frozen into the interpreter that has a file as well, and of `python -c`."""
    if filename.startswith("<frozen "):
        file = namespace.get("__file__")
        return linecache.getlines(file) if isinstance(file, str) and file.endswith(".py") else []
    if filename in _COMMAND_LINE and namespace.get("__name__") == "__main__":
        given = sys.orig_argv
        position = next((i for i, argument in enumerate(given) if argument == "-c"), len(given))
        return io.StringIO(given[position + 1] + "\n", newline=None).readlines() if position + 1 < len(given) else []
    return []


# Functions


def _find_definition(code: CodeType, lines: list[str]) -> Any:
    first = code.co_firstlineno
    try:
        block = inspect.getblock(lines[first - 1 :])
        tree = _parse_at("".join(block), first)
    except (SyntaxError, tokenize.TokenError):
        raise _changed(code, "no definition starts at its line: ") from None
    for node in ast.walk(tree):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or _start(node) != first:
            continue
        same_name = mangled(node.name, enclosing_class(code.co_qualname)) == code.co_name or node.name == code.co_name
        if same_name and _parameters(node.args, code.co_qualname) == _code_parameters(code):
            return node
    raise _changed(code, "the definition at its line is another one: ")


def _start(node: Any) -> int:
    line: int = node.decorator_list[0].lineno if node.decorator_list else node.lineno
    return line


def _parse_at(text: str, first: int) -> Any:
    """Parses lines that start at line `first` of their file, indented or not; columns stay those of the file."""
    indented = text[:1] in " \t"
    tree = ast.parse("if 1:\n" + text if indented else text)
    ast.increment_lineno(tree, first - 2 if indented else first - 1)
    return tree


def _code_parameters(code: CodeType) -> tuple[str, ...]:
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    return code.co_varnames[:count]


def _parameters(args: Any, qualname: str) -> tuple[str, ...]:
    names = [a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
    names += [a.arg for a in (args.vararg, args.kwarg) if a is not None]
    owner = enclosing_class(qualname)
    return tuple(mangled(name, owner) for name in names)


# Lambdas


def _find_lambda(function: FunctionType, lines: list[str]) -> Any:
    code = function.__code__
    spans = list(_spans(code))
    first = code.co_firstlineno
    last = max((span[2] for span in spans), default=first)
    try:
        # Most lambdas stand in a statement of their own lines; the columns prove that it is the right one.
        tree = _parse_at("".join(lines[first - 1 : last]), first)
        candidates = _candidates(tree, code)
    except SyntaxError:
        candidates = []
    if not candidates:
        try:
            candidates = _candidates(_whole_file("".join(lines)), code)
        except SyntaxError:
            raise _changed(code, "") from None
    fitting = [node for node in candidates if all(_contains(node.body, span) for span in spans)]
    if len(fitting) > 1:  # a body that is one constant may leave no columns (3.12)
        fitting = [node for node in fitting if same_code(node, function)] or fitting
    if len(fitting) > 1:
        inner = min(_extent(node) for node in fitting)
        fitting = [node for node in fitting if _extent(node) == inner]
    if len(fitting) != 1:
        fitting = [node for node in fitting or candidates if same_code(node, function)] or fitting
    if not fitting:
        raise _changed(code, "no lambda at its line fits: ")
    if len(fitting) > 1 and len({ast.dump(node) for node in fitting}) > 1:
        raise AmbiguousSourceError(
            f"{len(fitting)} lambdas on one line cannot be told apart; put each on a line of its own",
            filename=code.co_filename,
            lineno=code.co_firstlineno,
        )
    return fitting[0]


@lru_cache(maxsize=4)
def _whole_file(text: str) -> Any:
    return ast.parse(text)


def _spans(code: CodeType) -> Iterator[tuple[int, int, int, int]]:
    """The pieces of source the instructions of a code object stand for, as (line, column, end line, end column)."""
    for line, end_line, column, end_column in code.co_positions():
        if line is not None and end_line is not None and column is not None and end_column is not None:
            if (column, end_column) != (0, 0) and line > 0:
                yield line, column, end_line, end_column


def _candidates(tree: Any, code: CodeType) -> list[Any]:
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Lambda)
        and node.lineno == code.co_firstlineno
        and _parameters(node.args, code.co_qualname) == _code_parameters(code)
    ]


def _contains(node: Any, span: tuple[int, int, int, int]) -> bool:
    start, end = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
    return start <= span[:2] and span[2:] <= end


def _extent(node: Any) -> tuple[int, int]:
    return node.end_lineno - node.lineno, node.end_col_offset - node.col_offset
