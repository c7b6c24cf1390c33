"""Trees back to text."""

from __future__ import annotations

import ast
from typing import Any

import gast

from autograph.pyct.nodes import Operator, OperatorName


def to_ast(node: Any, operators: str = "ag__") -> Any:
    """The `ast` tree of a gast tree; `operators` is the name of the module of operators in it.

    It is `gast.gast_to_ast(node)`, in a third of the time.
    """
    kind = node.__class__
    if kind is Operator or kind is OperatorName:
        return _operator(node, operators)
    plan = _plans.get(kind)
    if plan is None:
        plan = _plans[kind] = _plan(kind)
    target, inner, foreign = plan
    if target.__class__ is not type:
        return target  # `Load()`, `Add()`, ...: one node for all
    new: Any = ast.AST.__new__(target)
    made = new.__dict__
    made.update(node.__dict__)
    for field in inner:
        value = made.get(field)
        if value.__class__ is list:
            made[field] = [to_ast(item, operators) if isinstance(item, ast.AST) else item for item in value]
        elif isinstance(value, ast.AST):
            made[field] = to_ast(value, operators)
    for field in foreign:
        made.pop(field, None)
    if kind is gast.arguments:
        for field in ("posonlyargs", "args", "kwonlyargs"):
            made[field] = [_parameter(item, operators) for item in getattr(node, field)]
        made["vararg"], made["kwarg"] = _parameter(node.vararg, operators), _parameter(node.kwarg, operators)
    elif kind is gast.ExceptHandler and node.name is not None:
        made["name"] = node.name.id
    return new


_plans: dict[type, tuple[Any, tuple[str, ...], tuple[str, ...]]] = {}
_PLAIN_FIELDS = frozenset(
    {
        "id",
        "attr",
        "arg",
        "kind",
        "type_comment",
        "level",
        "simple",
        "is_async",
        "names",
        "module",
        "asname",
        "conversion",
    }
)


def _plan(kind: type) -> tuple[Any, tuple[str, ...], tuple[str, ...]]:
    """The class in `ast`, the fields that hold nodes to convert, and those that `ast` does not have."""
    target: Any = next(getattr(ast, base.__name__) for base in kind.__mro__ if hasattr(ast, base.__name__))
    fields: tuple[str, ...] = kind._fields  # type: ignore[attr-defined]
    if not fields and not target._attributes:
        return target(), (), ()
    inner = [f for f in fields if f not in _PLAIN_FIELDS]
    if kind is gast.arguments:
        inner = ["defaults", "kw_defaults"]
    elif kind is gast.ExceptHandler:
        inner.remove("name")
    elif kind is gast.Constant:
        inner = []
    if kind is gast.Import or kind is gast.ImportFrom:
        inner = ["names"]
    return target, tuple(inner), tuple(f for f in fields if f not in target._fields)


def _operator(node: Any, operators: str) -> Any:
    place = {name: value for name, value in node.__dict__.items() if name in node._attributes}
    found: Any = ast.Attribute(ast.Name(operators, ast.Load(), **place), node.operator, ast.Load(), **place)
    if isinstance(node, OperatorName):
        return found
    args, keywords = ([to_ast(part, operators) for part in parts] for parts in (node.args, node.keywords))
    return ast.Call(found, args, keywords, **place)


def _parameter(node: Any, operators: str) -> Any:
    """The parameter that gast has as a `Name`."""
    if node is None:
        return None
    annotation = None if node.annotation is None else to_ast(node.annotation, operators)
    return ast.copy_location(ast.arg(node.id, annotation, node.type_comment), node)


def unparse(node: Any) -> str:
    """The text of a gast tree, as `ast.unparse` lays it out."""
    return ast.unparse(to_ast(node))
