"""Nodes of `ast`, made in few words; those without a place get one when they are compiled."""

from __future__ import annotations

import ast
from typing import Any

from autograph.pyct.nodes import Node
from autograph.pyct.origin import Position
from autograph.pyct.origin import place as put


def changed(node: Node, **changes: Any) -> Node:
    """The node, or a copy of it where a field differs: nodes are shared between a statement's two forms."""
    if changes and all(getattr(node, field) is value for field, value in changes.items()):
        return node
    new: Any = ast.AST.__new__(type(node))
    new.__dict__.update(node.__dict__)
    new.__dict__.update(changes)
    return new


def placed_at(node: Node, place: Node) -> Node:
    if isinstance(place, Position):
        return put(node, place)
    if place is not None:
        values, found = node.__dict__, place.__dict__
        for attribute in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
            value = found.get(attribute)
            if value is not None:
                values[attribute] = value
    return node


def load(text: str) -> Node:
    return ast.Name(text, ast.Load())


def store(text: str, value: Node) -> Node:
    return ast.Assign([ast.Name(text, ast.Store())], value)


def assigned(text: str, value: Node) -> Node:
    return placed_at(ast.NamedExpr(ast.Name(text, ast.Store()), value), value)


def compare(left: Node, op: Node, right: Node) -> Node:
    return placed_at(ast.Compare(left, [op], [right]), left)


# `place` None: as where no text is.


def call_of(function: Node, args: list[Any], place: Node) -> Node:
    return placed_at(ast.Call(function, args, []), place)


def if_exp(test: Node, body: Node, orelse: Node, place: Node) -> Node:
    return placed_at(ast.IfExp(test, body, orelse), place)


def all_of(tests: list[Any], place: Node) -> Node:
    return placed_at(ast.BoolOp(ast.And(), tests), place) if len(tests) > 1 else tests[0]


def any_of(tests: list[Any], place: Node) -> Node:
    return placed_at(ast.BoolOp(ast.Or(), tests), place) if len(tests) > 1 else tests[0]


class Read(ast.IfExp):
    """The read of a variable that a printed form may have left without a value."""


def is_read(node: Node) -> bool:
    """Whether an expression only reads a variable."""
    return isinstance(node, (ast.Name, Read))


def bare(node: Node) -> Node:
    """The variable of a read, where something else says that it has a value."""
    return node.orelse if isinstance(node, Read) else node


_NUMBERS = (int, float)
_OF_INTEGERS = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod, ast.BitAnd, ast.BitOr, ast.BitXor)


def exact_type(node: Node, known: dict[str, type]) -> type | None:
    """The type that an expression surely has, if it is one of numbers; `known` are those of variables."""
    if isinstance(node, ast.Name):
        return known.get(node.id)
    if isinstance(node, ast.Constant):
        return type(node.value) if type(node.value) in (*_NUMBERS, bool) else None
    found: type | None = getattr(node, "exact", None)
    return bool if found is None and is_bool(node) else found


def is_never_staged(node: Node) -> bool:
    """Whether an expression is a constant, or surely gives a number of Python's."""
    return isinstance(node, ast.Constant) or getattr(node, "exact", None) is not None


def result_type(node: Node, types: list[type | None]) -> type | None:
    """The type of what an operator gives for operands of these types."""
    if any(kind not in _NUMBERS for kind in types):
        return None
    if isinstance(node, ast.Compare):
        return bool
    if isinstance(node, ast.UnaryOp):
        return types[0]
    if types == [int, int]:
        return int if isinstance(node.op, _OF_INTEGERS) else float if isinstance(node.op, ast.Div) else None
    return float if isinstance(node.op, (*_OF_INTEGERS[:3], ast.Div)) else None


def item_of(node: Node, index: int) -> Node:
    """`node[index]`."""
    return ast.Subscript(node, ast.Constant(index), ast.Load())


def one_of(parts: list[Any], index: int, place: Node) -> Node:
    """The value of one of some expressions, which are all evaluated."""
    whole = placed_at(ast.Tuple(parts, ast.Load()), place)
    found = placed_at(item_of(whole, index), place)
    found.whole = whole  # does the same, where nothing asks for the value
    return found


def let_go(node: Node, variables: list[str], place: Node) -> Node:
    """`node`, after which variables of ours hold nothing."""
    return one_of([node, *(assigned(v, ast.Constant(None)) for v in variables)], 0, place) if variables else node


def negation(node: Node) -> Node:
    return placed_at(ast.UnaryOp(ast.Not(), node), node)


def thunk(body: Any) -> Node:
    return ast.Lambda(ast.arguments([], [], None, [], [], None, []), body)


def is_bool(node: Node) -> bool:
    """Whether an expression has the value True or False whatever it is about."""
    if getattr(node, "exact", None) is bool:
        return True
    if isinstance(node, ast.Compare):
        return all(isinstance(op, (ast.Is, ast.IsNot)) for op in node.ops)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return True  # the native one: of such a value
    if isinstance(node, ast.BoolOp):
        return all(is_bool(v) for v in node.values)
    return isinstance(node, ast.Constant) and isinstance(node.value, bool)
