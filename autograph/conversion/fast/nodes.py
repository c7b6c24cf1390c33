"""Nodes of `ast`, made in few words; those without a place get one when they are compiled."""

from __future__ import annotations

import ast
from typing import Any


def changed(node: Any, **changes: Any) -> Any:
    """The node, or a copy of it where a field differs: nodes are shared between a statement's two forms."""
    if changes and all(getattr(node, field) is value for field, value in changes.items()):
        return node
    new: Any = ast.AST.__new__(type(node))
    new.__dict__.update(node.__dict__)
    new.__dict__.update(changes)
    return new


def placed_at(node: Any, place: Any) -> Any:
    for attribute in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
        value = getattr(place, attribute, None)
        if value is not None:
            setattr(node, attribute, value)
    return node


def named(text: str, ctx: Any) -> Any:
    return ast.Name(text, ctx)


def load(text: str) -> Any:
    return ast.Name(text, ast.Load())


def store(text: str, value: Any) -> Any:
    return ast.Assign([ast.Name(text, ast.Store())], value)


def assigned(text: str, value: Any) -> Any:
    return placed_at(ast.NamedExpr(ast.Name(text, ast.Store()), value), value)


def compare(left: Any, op: Any, right: Any) -> Any:
    return placed_at(ast.Compare(left, [op], [right]), left)


def parts_of(node: Any) -> list[Any]:
    """The child nodes but operators and contexts."""
    result = []
    fields = _fields_with_nodes.get(node.__class__)
    if fields is None:
        fields = _learn_fields(node.__class__)
    for field in fields:
        value = getattr(node, field, None)
        if value.__class__ is list:
            if value:
                result += [item for item in value if isinstance(item, ast.AST)]
        elif isinstance(value, ast.AST):
            result.append(value)
    return result


_fields_with_nodes: dict[type, tuple[str, ...]] = {}
_WITHOUT_NODES = frozenset({"arg", "attr", "ctx", "id", "kind", "level", "module", "op", "ops", "simple", "type_comment"})


def _learn_fields(kind: Any) -> tuple[str, ...]:
    fields = () if kind is ast.Constant else tuple(f for f in kind._fields if f not in _WITHOUT_NODES)
    _fields_with_nodes[kind] = fields
    return fields


def walk(node: Any) -> list[Any]:
    """Every node of the tree but operators and contexts, parents first."""
    result = [node]
    for item in result:
        result += parts_of(item)
    return result


class Read(ast.IfExp):
    """The read of a variable that a printed form may have left without a value."""


def is_read(node: Any) -> bool:
    """Whether an expression only reads a variable."""
    return isinstance(node, (ast.Name, Read))


def item_of(node: Any, index: int) -> Any:
    """`node[index]`."""
    return ast.Subscript(node, ast.Constant(index), ast.Load())


def either_bool(first: Any, again: Any) -> Any:
    return ast.BoolOp(ast.Or(), [
        compare(first, ast.Is(), ast.Constant(True)), compare(again, ast.Is(), ast.Constant(False)),
    ])


def negation(node: Any) -> Any:
    return placed_at(ast.UnaryOp(ast.Not(), node), node)


def thunk(body: Any) -> Any:
    return ast.Lambda(ast.arguments([], [], None, [], [], None, []), body)


def is_bool(node: Any) -> bool:
    """Whether an expression has the value True or False whatever it is about."""
    if isinstance(node, ast.Compare):
        return all(isinstance(op, (ast.Is, ast.IsNot)) for op in node.ops)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return True  # the native one: of such a value
    if isinstance(node, ast.BoolOp):
        return all(is_bool(v) for v in node.values)
    return isinstance(node, ast.Constant) and isinstance(node.value, bool)
