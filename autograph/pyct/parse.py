"""From a function object to its tree, with the lines and columns of the user's file.

The text is found through `linecache`, so functions typed into doctest, IPython or an interactive prompt that registers
its input are found as well. Lambdas are told apart by the columns their instructions carry.
"""

from __future__ import annotations

import ast
import inspect
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any

from autograph.errors import AmbiguousSourceError, ConversionError, SourceChangedError, SourceNotFoundError
from autograph.pyct import quiet
from autograph.pyct.names import enclosing_class, mangled
from autograph.pyct.nodes import Node, walk
from autograph.pyct.same_code import as_compiled, same_but_more, same_code
from autograph.pyct.texts import COMMAND_LINE, other_texts, remember, session_transformers, text_by_name
from autograph.pyct.trees import copied, to_gast
from autograph.pyct.unparse import unparse_ast

_UNREADABLE = "its file cannot be read; define it in a file, or register its text in linecache"
_FROM_PIPE = "Python has read it from a pipe or a terminal, which keeps nothing; run it as `python file.py`"


@dataclass(frozen=True, slots=True)
class Source:
    """The text of a function as an `ast` tree (that of a lambda is shared: not to be changed).

    `is_all`: False if the code of the function does more than its text says.
    """

    node: Any
    is_all: bool = True


def find_source(function: FunctionType) -> Source:
    """The text of a function. Raises `SourceNotFoundError` if there is none, or none that fits the function."""
    code = function.__code__
    # In a list, which gives it away: an error is not to be held by this frame, nor by a copy of its variables.
    missing = [_missing(code, _FROM_PIPE if code.co_filename == "<stdin>" else _UNREADABLE)]
    found = None
    lines = text_by_name(function)
    try:
        found = _source_in(lines, function) if lines else None
    except SourceChangedError as error:
        if code.co_filename not in COMMAND_LINE:  # another text of that name
            missing = [error]
    if (found is None or not found.is_all) and not os.path.exists(code.co_filename):
        for lines in other_texts(function):
            node = _proven_in(lines, function)
            if node is not None:
                remember(code, lines)
                return Source(as_compiled(node))
    if found is None:
        raise missing.pop() from None
    return Source(as_compiled(found.node), found.is_all)


def _source_in(lines: list[str], function: FunctionType) -> Source:
    """The function in the text of its file; raises `SourceChangedError`."""
    node = None
    changed = _changed(function.__code__, "the text at its line compiles to other code: ")
    try:
        node = _find(function, lines)
    except SourceChangedError as error:
        changed = error
    if node is not None and same_code(node, function):
        return Source(node)
    for elsewhere in (_as_session_has_it(lines, function), _moved(lines, function)):
        if elsewhere is not None:
            return Source(elsewhere)
    if node is None or not same_but_more(node, function):
        try:
            raise changed
        finally:
            del changed  # its traceback holds this frame
    # pytest has compiled something else for the assertions
    rewritten = "@pytest_ar" in function.__globals__ and any(isinstance(n, ast.Assert) for n in ast.walk(node))
    return Source(node, is_all=rewritten)


def _proven_in(lines: list[str], function: FunctionType) -> Node:
    """The function in some text, if it was compiled from that, or else None."""
    try:
        node = _find(function, lines)
    except ConversionError:
        return None
    return node if same_code(node, function) else _as_session_has_it(lines, function)


def _as_session_has_it(lines: list[str], function: FunctionType) -> Node:
    """The function as the transformers of an IPython session have made it of the text; None if they have not."""
    transformers = session_transformers()
    whole = whole_file("".join(lines)) if transformers else None
    if whole is None:
        return None
    tree = copied(whole)
    for transformer in transformers:
        tree = transformer.visit(tree)
    ast.fix_missing_locations(tree)
    code = function.__code__
    among = _named_alike(tree, code)
    return next((n for n in among if _start(n) == code.co_firstlineno and same_code(n, function)), None)


def _moved(lines: list[str], function: FunctionType) -> Node:
    """The function at another line, on the lines it was compiled on; None if it is not there.

    Lines above it may have come or gone; `%autoreload` compiles one function of a file alone, written anew.
    """
    tree = whole_file("".join(lines))
    for node in _named_alike(tree, function.__code__) if tree is not None else ():
        for text in (None, unparse_ast(node)):
            moved = copied(node) if text is None else _first_of(text)
            ast.increment_lineno(moved, function.__code__.co_firstlineno - _start(moved))
            if same_code(moved, function):
                return moved
    return None


def _first_of(text: str) -> Node:
    (statement,) = quiet.parse(text).body
    return statement.value if isinstance(statement, ast.Expr) else statement


def _find(function: FunctionType, lines: list[str]) -> Node:
    code = function.__code__
    if code.co_firstlineno < 1:
        raise _missing(code, "its code was made by a program that gave it no line; define it in a file")
    if len(lines) < code.co_firstlineno:
        raise _changed(code, f"it has only {len(lines)} lines: ")
    return _find_lambda(function, lines) if code.co_name == "<lambda>" else _find_definition(code, lines)


def parse_module(text: str, filename: str) -> Node:
    """The gast tree of a whole file; raises SyntaxError."""
    return to_gast(quiet.parse(text, filename))


def _missing(code: CodeType, why: str) -> SourceNotFoundError:
    what = "a lambda" if code.co_name == "<lambda>" else f"{code.co_qualname!r}"
    return SourceNotFoundError(
        f"no source text can be found for {what}: {why}", filename=code.co_filename, lineno=code.co_firstlineno
    )


def _changed(code: CodeType, why: str) -> SourceChangedError:
    missing = _missing(code, f"{why}the file has changed since it was imported; import it again")
    return SourceChangedError(missing.message, filename=missing.filename, lineno=missing.lineno)


# Functions


_OPENINGS = ("def ", "async ", "@")


def _find_definition(code: CodeType, lines: list[str]) -> Node:
    first = code.co_firstlineno
    tree = _block_by_indentation(lines, first)
    whole = whole_file("".join(lines)) if tree is None else None
    if tree is None and whole is None:
        raise _changed(code, "no definition starts at its line: ")
    found = next((n for n in _named_alike(tree or whole, code) if _start(n) == first), None)
    if found is None:
        raise _changed(code, "the definition at its line is another one: ")
    return found if whole is None else copied(found)


def _block_by_indentation(lines: list[str], first: int) -> Node:
    """The tree of the definition at a line, as far as its lines are indented; None where that tells nothing.

    A line that is not, and still belongs to it, is in brackets or a string: what is ahead of it is no statement.
    """
    opening = lines[first - 1]
    word = opening.lstrip(" \t")
    if not word.startswith(_OPENINGS):
        return None
    indent = opening[: len(opening) - len(word)]
    end, in_body = first, word[0] != "@"
    for number, line in enumerate(lines[first:], first + 1):
        if not (line.startswith(indent) and line[len(indent) : len(indent) + 1] in " \t"):
            if line.isspace() or line.lstrip(" \t").startswith("#"):
                continue
            if "\f" in line:  # which begins the indentation anew
                return None
            if in_body:
                break
            in_body = line.startswith(_OPENINGS[:2], len(indent))
        if not line.isspace():
            end = number
    try:
        return _parse_at("".join(lines[first - 1 : end]), first)
    except SyntaxError:
        return None


def _named_alike(tree: Node, code: CodeType) -> Iterator[Any]:
    """The definitions of the name and parameters of a function."""
    owner = enclosing_class(code.co_qualname)
    for node in ast.walk(tree):
        if isinstance(node, ast.Lambda):
            same_name = code.co_name == "<lambda>"
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            same_name = code.co_name in (node.name, mangled(node.name, owner))
        else:
            continue
        if same_name and _parameters(node.args, code.co_qualname) == _code_parameters(code):
            yield node


def _start(node: Node) -> int:
    decorators = getattr(node, "decorator_list", None)
    line: int = decorators[0].lineno if decorators else node.lineno
    return line


def _parse_at(text: str, first: int) -> Node:
    """Parses lines that start at line `first` of their file, indented or not; columns stay those of the file."""
    indented = text[:1] in " \t"
    tree = quiet.parse("if 1:\n" + text if indented else text)
    lines = first - 2 if indented else first - 1
    for node in walk(tree):
        if "lineno" in node.__dict__:
            node.lineno += lines
            node.end_lineno += lines
    return tree


def _code_parameters(code: CodeType) -> tuple[str, ...]:
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    return code.co_varnames[:count]


def _parameters(args: Node, qualname: str) -> tuple[str, ...]:
    names = [a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
    names += [a.arg for a in (args.vararg, args.kwarg) if a is not None]
    owner = enclosing_class(qualname)
    return tuple(mangled(name, owner) for name in names)


# Lambdas


def _find_lambda(function: FunctionType, lines: list[str]) -> Node:
    code = function.__code__
    spans = list(_spans(code))
    first = code.co_firstlineno
    last = max((span[2] for span in spans), default=first)
    try:
        # Most lambdas stand in a statement of their own lines; the columns prove that it is the right one.
        tree = _parse_at("".join(lines[first - 1 : last]), first)
        candidates = _lambdas_at(first, tree, code)
    except SyntaxError:
        candidates = []
    if not candidates:
        tree = whole_file("".join(lines))
        candidates = [] if tree is None else _lambdas_at(first, tree, code)
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


def _lambdas_at(line: int, tree: Node, code: CodeType) -> list[Any]:
    return [node for node in _named_alike(tree, code) if node.lineno == line]


@lru_cache(maxsize=4)
def whole_file(text: str) -> ast.Module | None:
    """The tree of a text, which is shared: not to be changed. None if Python refuses it."""
    try:
        return quiet.parse(text)
    except (SyntaxError, ValueError):
        return None


def _spans(code: CodeType) -> Iterator[tuple[int, int, int, int]]:
    """The pieces of source the instructions of a code object stand for, as (line, column, end line, end column)."""
    for line, end_line, column, end_column in code.co_positions():
        if line is not None and end_line is not None and column is not None and end_column is not None:
            if (column, end_column) != (0, 0) and line > 0:
                yield line, column, end_line, end_column


def _contains(node: Node, span: tuple[int, int, int, int]) -> bool:
    start, end = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
    return start <= span[:2] and span[2:] <= end


def _extent(node: Node) -> tuple[int, int]:
    return node.end_lineno - node.lineno, node.end_col_offset - node.col_offset
