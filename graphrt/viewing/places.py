"""Places in the user's files: lines, expressions, and the functions they stand in."""

from __future__ import annotations

import ast
import functools
import inspect
import linecache
from types import CodeType
from typing import Any, TypedDict

from graphrt.errors import Place, characters


class Block(TypedDict):
    """Lines of one function of the user's."""

    title: str
    path: str
    file: int
    first: int
    lines: list[str]


class Places:
    """Files and expressions by number. `files` grows with each new file, `spans` with each new expression.

    `texts` has what `linecache` does not know, or knows otherwise.
    """

    def __init__(self, files: list[str], texts: dict[str, list[str]] | None = None) -> None:
        self.files = files
        self.texts = texts or {}
        self.spans: list[list[int]] = []
        self._numbers: dict[tuple[int, ...], int] = {}
        self._known: dict[int, int | None] = {}
        self._kept: list[Place] = []  # so that no other place gets the identity of one that is known
        self._positions: dict[int, list[Any]] = {}  # of codes that those keep

    def line(self, location: tuple[str, int] | None) -> str | None:
        """`number of the file:line`."""
        return None if location is None else f"{self._file(location[0])}:{location[1]}"

    def span(self, location: tuple[str, int] | None) -> int | None:
        """The number of the expression at a place; None where its columns are not known."""
        if not isinstance(location, Place):
            return None
        key = id(location)
        if key not in self._known:
            found = location.span(self._positions)
            wanted = found is not None and found[:2] != found[2:] and found[0] == location[1]
            self._known[key] = self._number(location[0], found) if wanted and found is not None else None
            self._kept.append(location)
        return self._known[key]

    def text(self, file: str) -> list[str]:
        """The lines of a file."""
        return self.texts.get(file) or linecache.getlines(file)

    def tree(self, file: str) -> ast.Module | None:
        """The syntax of a file; None if it is not there, or no Python."""
        try:
            return ast.parse("".join(self.text(file)))
        except (SyntaxError, ValueError, RecursionError):
            return None

    def known_span(self, file: str, place: Any) -> int | None:
        """The number of the expression at an `autograph` position, if nodes were made of it."""
        if file not in self.files:
            return None
        start, end = (characters(file, *at) for at in (place[:2], place[2:]))
        return self._numbers.get((self.files.index(file), place[0], start, place[2], end))

    def _number(self, file: str, span: tuple[int, int, int, int]) -> int:
        key = (self._file(file), *span)
        if key not in self._numbers:
            self._numbers[key] = len(self.spans)
            self.spans.append(list(key))
        return self._numbers[key]

    def _file(self, file: str) -> int:
        if file not in self.files:
            self.files.append(file)
        return self.files.index(file)


def code_of(function: Any) -> CodeType | None:
    """The code of a Python function, method, object with `__call__` or `partial`; None if it has none."""
    while isinstance(function, functools.partial):
        function = function.func
    if not hasattr(function, "__code__") and not hasattr(function, "__func__") and not isinstance(function, type):
        function = inspect.getattr_static(type(function), "__call__", function)
    code = getattr(inspect.unwrap(getattr(function, "__func__", function)), "__code__", None)
    return code if isinstance(code, CodeType) else None


def blocks_of(code: CodeType | None, lines: list[str], places: Places) -> list[Block]:
    """The functions of the user in which nodes were made; `code`, which was traced, comes first."""
    start = None if code is None else places.line((code.co_filename, code.co_firstlineno))
    wanted = dict.fromkeys(lines) if start is None else dict.fromkeys([start, *lines])
    blocks: dict[tuple[int, int], Block] = {}
    spans = {number: _functions(places.tree(file)) for number, file in enumerate(places.files)}
    for key in wanted:
        number, line = (int(part) for part in key.split(":"))
        file = places.files[number]
        inside = [s for s in spans[number] if s[0] <= line <= s[1]]
        if not inside:  # where the trace was asked for, or code outside of functions
            continue
        first, last, name = max(inside)
        for outer in inside:  # the whole of the function that was traced, with those that stand in it
            of_code = code is not None and outer[0] == code.co_firstlineno and file == code.co_filename
            if of_code and outer[2] == (code.co_name if code is not None else "").strip("<>"):
                first, last, name = outer
        if (number, first) not in blocks:
            text = [line.rstrip("\n") for line in places.text(file)[first - 1 : last]]
            short = "/".join(file.replace("\\", "/").split("/")[-2:])
            title = f"{name}, {short}"
            blocks[number, first] = {"title": title, "path": file, "file": number, "first": first, "lines": text}
    return list(blocks.values())


def _functions(tree: ast.Module | None) -> list[tuple[int, int, str]]:
    """First line, last line and name of each function in a file."""
    found = []
    for node in () if tree is None else ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            decorators = getattr(node, "decorator_list", [])
            first = min([node.lineno, *(d.lineno for d in decorators)])
            found.append((first, node.end_lineno or first, getattr(node, "name", "lambda")))
    return found
