"""Positions: which piece of the user's text a generated node stands for.

Every generated node takes the position of the user's node it stands for, or `NOWHERE`: the compiler then lets its
instructions inherit the line that ran before, so that no debugger or coverage tool sees a line that is not there.
"""

from __future__ import annotations

from typing import NamedTuple

import gast

from autograph.pyct.nodes import Node


class Position(NamedTuple):
    """A span of source: lines count from 1, columns are UTF-8 byte offsets."""

    lineno: int
    col_offset: int
    end_lineno: int
    end_col_offset: int


NOWHERE = Position(-1, -1, -1, -1)


def position_of(node: Node) -> Position:
    """The position of a node; `NOWHERE` if it has none."""
    line = getattr(node, "lineno", None)
    if line is None:
        return NOWHERE
    return Position(line, node.col_offset, node.end_lineno, node.end_col_offset)


def place(node: Node, position: Position) -> Node:
    """Puts one node (not its children) at `position`."""
    values = node.__dict__
    values["lineno"], values["col_offset"], values["end_lineno"], values["end_col_offset"] = position
    return node


def header(node: Node) -> Position:
    """The part of a compound statement that is evaluated: the condition, the iterable, the items."""
    if isinstance(node, (gast.If, gast.While)):
        return position_of(node.test)
    if isinstance(node, (gast.For, gast.AsyncFor)):
        return position_of(node.iter)
    if isinstance(node, (gast.With, gast.AsyncWith)):
        return position_of(node.items[0].context_expr)
    if isinstance(node, (gast.Try, gast.TryStar, gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef)):
        start = position_of(node)
        return Position(start.lineno, start.col_offset, start.lineno, start.col_offset) if start.lineno > 0 else NOWHERE
    return position_of(node)
