"""From a function object to its tree, with the lines and columns of the user's file.

The text is found through `linecache`, so functions typed into doctest, IPython or an interactive prompt that registers
its input are found as well. Lambdas are told apart by the columns their instructions carry.
"""

from __future__ import annotations

import ast
import inspect
import linecache
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any

import gast

from autograph.errors import AmbiguousSourceError, SourceChangedError, SourceNotFoundError
from autograph.pyct.silence import silent_compiler


def parse_function(function: FunctionType) -> Any:
    """The gast tree (`FunctionDef`, `AsyncFunctionDef` or `Lambda`) of a function.

    Raises `SourceNotFoundError` if there is no text, or none that fits the function.
    """
    return gast.ast_to_gast(find_function(function))


def find_function(function: FunctionType) -> Any:
    """The `ast` tree of a function; that of a lambda is shared: not to be changed. Raises `SourceNotFoundError`."""
    code = function.__code__
    lines = _source_lines(function)
    find = _find_lambda if code.co_name == "<lambda>" else _find_definition
    with silent_compiler():
        return find(code, lines)


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
    lines = linecache.getlines(filename, function.__globals__)
    if not lines:
        raise _missing(code, "its file cannot be read; define it in a file, or register its text in linecache")
    if len(lines) < code.co_firstlineno:
        raise _changed(code, f"it has only {len(lines)} lines: ")
    return lines


# Functions


def _find_definition(code: CodeType, lines: list[str]) -> Any:
    first = code.co_firstlineno
    block = inspect.getblock(lines[first - 1:])
    try:
        tree = _parse_at("".join(block), first)
    except SyntaxError:
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


def enclosing_class(qualname: str) -> str | None:
    """The innermost class around the function with this qualified name.

    >>> enclosing_class("A.m.<locals>.inner"), enclosing_class("f.<locals>.g")
    ('A', None)
    """
    parts = qualname.split(".")
    for position in range(len(parts) - 2, -1, -1):
        if parts[position] != "<locals>" and parts[position + 1] != "<locals>":
            return parts[position]
    return None


def mangled(name: str, owner: str | None) -> str:
    """`name` as Python stores it inside class `owner`.

    >>> mangled("__x", "_A"), mangled("__init__", "A")
    ('_A__x', '__init__')
    """
    if owner is None or not name.startswith("__") or name.endswith("__") or not owner.strip("_"):
        return name
    return f"_{owner.lstrip('_')}{name}"


# Lambdas


def _find_lambda(code: CodeType, lines: list[str]) -> Any:
    spans = list(_spans(code))
    first = code.co_firstlineno
    last = max((span[2] for span in spans), default=first)
    try:
        # Most lambdas stand in a statement of their own lines; the columns prove that it is the right one.
        tree = _parse_at("".join(lines[first - 1:last]), first)
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
        fitting = [node for node in fitting if _same_code(node, code)] or fitting
    if len(fitting) > 1:
        inner = min(_extent(node) for node in fitting)
        fitting = [node for node in fitting if _extent(node) == inner]
    if len(fitting) != 1:
        fitting = [node for node in fitting or candidates if _same_code(node, code)] or fitting
    if not fitting:
        raise _changed(code, "no lambda at its line fits: ")
    if len(fitting) > 1 and len({ast.dump(node) for node in fitting}) > 1:
        raise AmbiguousSourceError(
            f"{len(fitting)} lambdas on one line cannot be told apart; put each on a line of its own",
            filename=code.co_filename, lineno=code.co_firstlineno,
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
        if isinstance(node, ast.Lambda) and node.lineno == code.co_firstlineno
        and _parameters(node.args, code.co_qualname) == _code_parameters(code)
    ]


def _contains(node: Any, span: tuple[int, int, int, int]) -> bool:
    start, end = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
    return start <= span[:2] and span[2:] <= end


def _extent(node: Any) -> tuple[int, int]:
    return node.end_lineno - node.lineno, node.end_col_offset - node.col_offset


def _same_code(node: Any, code: CodeType) -> bool:
    """Whether a lambda compiles to the instructions of `code`: the test that is left without columns."""
    wrapper = ast.parse("def outer(): return 0")
    outer: Any = wrapper.body[0]
    outer.args.args = [
        ast.arg(name, lineno=1, col_offset=0, end_lineno=1, end_col_offset=0) for name in code.co_freevars
    ]
    outer.body[0].value = node
    found = compile(wrapper, code.co_filename, "exec", code.co_flags & FUTURE_FLAGS, dont_inherit=True)
    for constant in found.co_consts[0].co_consts:
        if isinstance(constant, CodeType):
            return (constant.co_code, constant.co_names, constant.co_varnames, str(constant.co_consts)) == (
                code.co_code, code.co_names, code.co_varnames, str(code.co_consts)
            )
    return False


FUTURE_FLAGS = 0x1FF0000 & ~0  # the bits of co_flags that `from __future__` imports set
