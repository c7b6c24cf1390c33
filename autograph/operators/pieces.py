"""Pieces of converted functions: what a staged statement or expression does, compiled when it is needed first.

PIECE(lambda: (x, y), staged)       runs the piece on the variables `x` and `y` of the function around
"""

from __future__ import annotations

from collections.abc import Callable
from types import CellType, CodeType, FunctionType
from typing import Any

from autograph.backends.own_builtins import OWN

globals()["__builtins__"] = OWN


class Piece:
    """One piece; `make` compiles it, given a function with the variables that it may share."""

    __slots__ = ("_code", "_make")

    def __init__(self, make: Callable[[FunctionType], CodeType]) -> None:
        self._make = make
        self._code: CodeType | None = None

    def __call__(self, variables: FunctionType, /, *values: object) -> Any:
        names = variables.__code__.co_freevars
        code = self._code
        if code is None:
            code = self._code = self._make(variables)
        cells = dict(zip(names, variables.__closure__ or (), strict=True))
        # CPython 3.14 has classes in classes share a variable that has no cell anywhere, and that nobody reads.
        closure = tuple(cells[name] if name in cells else CellType() for name in code.co_freevars)
        return FunctionType(code, variables.__globals__, code.co_name, None, closure)(*values)
