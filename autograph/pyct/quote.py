"""Templates: Python text to trees, with placeholders.

    quote("flag = False\\nwhile test:\\n    body", at, flag="break_", test=expr, body=[...])

A placeholder is a name. A string puts another name there (as variable, function or parameter), a node puts an
expression, a list standing alone on a line puts statements, and a tuple in an argument list or a tuple display puts
several expressions. New nodes are placed at `at`; the nodes put in keep their own positions.

`ag__.f(...)` is an `Operator`, whatever `ag__` may mean to the user; lambdas and functions are parts of the function that
the text is put into.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import gast

from autograph.pyct import quiet
from autograph.pyct.nodes import Node, Operator, OperatorName, Part, Thunk
from autograph.pyct.origin import Position, place


@cache
def _template(text: str) -> list[Any]:
    return [_generated(statement) for statement in gast.ast_to_gast(quiet.parse(text)).body]


def _generated(node: Node) -> Node:
    """The tree of a template with the nodes that only generated code has."""
    for field in node._fields:
        value = getattr(node, field, None)
        if isinstance(value, list):
            setattr(node, field, [_generated(item) if isinstance(item, gast.AST) else item for item in value])
        elif isinstance(value, gast.AST):
            setattr(node, field, _generated(value))
    if isinstance(node, gast.Attribute) and isinstance(node.value, gast.Name) and node.value.id == "ag__":
        return OperatorName(node.attr)
    if isinstance(node, gast.Call) and isinstance(node.func, OperatorName):
        return Operator(node.func.operator, node.args, node.keywords)
    if isinstance(node, gast.Lambda):
        return Thunk(node.args, node.body)
    if isinstance(node, gast.FunctionDef):
        return Part(*(getattr(node, field) for field in node._fields))
    return node


def quote(text: str, at: Position, /, **values: Any) -> list[Any]:
    """The statements of `text` with the placeholders filled in."""
    return _instances(_template(text), at, values)


def quote_expression(text: str, at: Position, /, **values: Any) -> Node:
    """The expression `text` with the placeholders filled in."""
    return _instance(_template(text)[0].value, at, values)


def name(text: str, at: Position, ctx: Node = None) -> Node:
    """A generated `Name` node."""
    return place(gast.Name(text, ctx or gast.Load(), None, None), at)


def constant(value: Any, at: Position) -> Node:
    """A generated `Constant` node."""
    return place(gast.Constant(value, None), at)


def _instance(node: Node, at: Position, values: dict[str, Any]) -> Node:
    kind = node.__class__
    if kind is gast.Name and node.id in values:
        return _filled(values[node.id], node.ctx, at)
    if kind is gast.Expr and node.value.__class__ is gast.Name and node.value.id in values:
        value = values[node.value.id]
        if isinstance(value, list):
            return value
    new: Any = kind.__new__(kind)
    for field in kind._fields:
        value = getattr(node, field, None)
        if value.__class__ is list:
            value = _instances(value, at, values)
        elif isinstance(value, gast.AST):
            value = _instance(value, at, values)
        elif value.__class__ is str and field == "name" and value in values:
            value = values[value]
        setattr(new, field, value)
    if kind is Thunk:
        place(new, Position(at.lineno, at.col_offset, at.lineno, at.col_offset))  # takes up no room: none of the user's
    elif "lineno" in kind._attributes:
        place(new, at)
    return new


def _instances(items: list[Any], at: Position, values: dict[str, Any]) -> list[Any]:
    result: list[Any] = []
    for item in items:
        if isinstance(item, gast.AST):
            item = _instance(item, at, values)
        if isinstance(item, (list, tuple)):
            result.extend(item)
        else:
            result.append(item)
    return result


def _filled(value: Any, ctx: Node, at: Position) -> Any:
    if isinstance(value, str):
        return name(value, at, ctx.__class__())
    if isinstance(value, gast.AST) and "ctx" in value._fields and not isinstance(ctx, gast.Load):
        set_context(value, ctx.__class__)
    return value


def set_context(node: Node, kind: type) -> Node:
    """Makes an expression a target (`Store`, `Del`) or a value (`Load`), with its elements."""
    if "ctx" in node._fields:
        node.ctx = kind()
    if isinstance(node, gast.Starred):
        set_context(node.value, kind)
    elif isinstance(node, (gast.Tuple, gast.List)):
        for item in node.elts:
            set_context(item, kind)
    return node
