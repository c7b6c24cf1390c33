"""Trees of `ast` as trees of gast, trees of gast as trees of `ast`, and copies: however deeply they are nested.

to_gast(tree)     what the analyses and converters work on: `gast.ast_to_gast(tree)`, in half the time
to_ast(tree)      what is printed and compiled: `gast.gast_to_ast(tree)`, likewise
copied(tree)      a copy of either kind
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import gast

from autograph.pyct.nodes import Node, Operator, OperatorName

Place = tuple[Any, Any, Any]  # where a node goes, a list or the fields of another; under which key; what it is made of


def to_gast(tree: ast.AST) -> Node:
    """The gast tree of an `ast` tree, which is left as it is."""
    return _translated(tree, _gast_plans, _gast_plan)


def to_ast(tree: Node, operators: str = "ag__") -> Node:
    """The `ast` tree of a gast tree, which is left as it is; `operators` names the module of operators in it."""
    return _translated(tree, _ast_plans, _ast_plan, operators)


def rebuilt(node: Node, convert: Callable[[Any], Any]) -> Node:
    """The node of `ast` for one of gast, with what `convert` makes of its parts."""
    kind = node.__class__
    plan = _ast_plans.get(kind)
    if plan is None:
        plan = _ast_plans[kind] = _ast_plan(kind)
    if plan.same is not None:
        return plan.same
    todo: list[Place] = []
    new = _begun(node, plan, todo)
    for place, key, part in todo:
        place[key] = convert(part)
    return new


def copied(tree: Node) -> Node:
    """A deep copy of a tree of either kind, which keeps positions."""
    return _translated(tree, _copy_plans, _copy_plan)


class _Plan:
    """What becomes of the nodes of one class.

    `same` stands for all of them (`Load()`, `Add()`, ...); otherwise they become a `target`, with the nodes in the
    fields `inner`, without the fields `foreign`. `finish` sees to what differs in other ways.
    """

    __slots__ = ("finish", "foreign", "inner", "same", "target")

    def __init__(self, target: type, inner: tuple[str, ...] = (), foreign: tuple[str, ...] = ()) -> None:
        self.target = target
        self.inner = inner
        self.foreign = foreign
        self.same: Any = None
        self.finish: Callable[[Any, dict[str, Any], list[Place]], None] | None = None


def _translated(tree: Node, plans: dict[type, _Plan], learn: Callable[[type], _Plan], operators: str = "") -> Any:
    result: list[Any] = [None]
    todo: list[Place] = [(result, 0, tree)]
    while todo:
        place, key, node = todo.pop()
        kind = node.__class__
        if operators and (kind is Operator or kind is OperatorName):
            place[key] = _operator(node, operators, todo)
            continue
        plan = plans.get(kind)
        if plan is None:
            plan = plans[kind] = learn(kind)
        if plan.same is not None:
            place[key] = plan.same
            continue
        place[key] = _begun(node, plan, todo)
    return result[0]


def _begun(node: Node, plan: _Plan, todo: list[Place]) -> Node:
    """What a node becomes, without its parts."""
    new: Any = ast.AST.__new__(plan.target)
    fields = new.__dict__
    fields.update(node.__dict__)
    for field in plan.inner:
        value = fields.get(field)
        if value.__class__ is list:
            value = fields[field] = value.copy()
            for index, item in enumerate(value):
                if isinstance(item, ast.AST):
                    todo.append((value, index, item))
        elif isinstance(value, ast.AST):
            todo.append((fields, field, value))
    for field in plan.foreign:
        fields.pop(field, None)
    if plan.finish is not None:
        plan.finish(node, fields, todo)
    return new


_gast_plans: dict[type, _Plan] = {}
_ast_plans: dict[type, _Plan] = {}
_copy_plans: dict[type, _Plan] = {}
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
        "module",
        "asname",
        "conversion",
        "str",
    }
)


def _fields_of(kind: Any) -> tuple[str, ...]:
    fields: tuple[str, ...] = () if kind.__name__ == "Constant" else kind._fields
    return tuple(f for f in fields if f not in _PLAIN_FIELDS)


def _has_nothing(kind: Any) -> bool:
    return not kind._fields and not kind._attributes


def _gast_plan(kind: type) -> _Plan:
    target: Any = gast.Name if kind is ast.arg else getattr(gast, kind.__name__)
    plan = _Plan(target, _fields_of(kind))
    if _has_nothing(target):
        plan.same = target()
    plan.finish = _gast_finishes.get(kind.__name__)
    return plan


def _ast_plan(kind: type) -> _Plan:
    target: Any = next(getattr(ast, base.__name__) for base in kind.__mro__ if hasattr(ast, base.__name__))
    if target in (ast.expr, ast.stmt, ast.AST):
        raise TypeError(f"{kind.__name__} is no node of Python's")
    inner = list(_fields_of(kind))
    if kind is gast.arguments:
        inner = ["defaults", "kw_defaults"]
    elif kind is gast.ExceptHandler:
        inner.remove("name")
    plan = _Plan(target, tuple(inner), tuple(set(_fields_of_any(kind)) - set(target._fields)))
    if _has_nothing(target):
        plan.same = target()
    plan.finish = _ast_finishes.get(kind.__name__)
    return plan


def _copy_plan(kind: type) -> _Plan:
    plan = _Plan(kind, _fields_of(kind))
    if _has_nothing(kind):
        plan.same = kind()
    return plan


def _fields_of_any(kind: Any) -> tuple[str, ...]:
    fields: tuple[str, ...] = kind._fields
    return fields


# What gast has otherwise than `ast`


def _finish_name(node: Node, fields: dict[str, Any], todo: list[Place]) -> None:
    fields["annotation"] = fields["type_comment"] = None


def _finish_parameter(node: Node, fields: dict[str, Any], todo: list[Place]) -> None:
    fields["id"] = fields.pop("arg")
    fields["ctx"] = gast.Param()
    fields.setdefault("type_comment", None)
    fields.setdefault("annotation", None)
    if node.annotation is not None:
        todo.append((fields, "annotation", node.annotation))


def _finish_handler(node: Node, fields: dict[str, Any], todo: list[Place]) -> None:
    if node.name:
        fields["name"] = gast.Name(node.name, gast.Store(), None, None)


def _finish_definition(node: Node, fields: dict[str, Any], todo: list[Place]) -> None:
    fields.setdefault("type_params", [])


def _finish_type_parameter(node: Node, fields: dict[str, Any], todo: list[Place]) -> None:
    fields.setdefault("default_value", None)


_gast_finishes: dict[str, Callable[[Any, dict[str, Any], list[Place]], None]] = {
    "Name": _finish_name,
    "arg": _finish_parameter,
    "ExceptHandler": _finish_handler,
    **dict.fromkeys(("FunctionDef", "AsyncFunctionDef", "ClassDef"), _finish_definition),
    **dict.fromkeys(("TypeVar", "TypeVarTuple", "ParamSpec"), _finish_type_parameter),
}


def _finish_arguments(node: Node, fields: dict[str, Any], todo: list[Place]) -> None:
    for field in ("posonlyargs", "args", "kwonlyargs"):
        fields[field] = [_parameter(item, todo) for item in getattr(node, field)]
    fields["vararg"], fields["kwarg"] = _parameter(node.vararg, todo), _parameter(node.kwarg, todo)


def _parameter(node: Node, todo: list[Place]) -> Node:
    """The parameter that gast has as a `Name`."""
    if node is None:
        return None
    made = ast.copy_location(ast.arg(node.id, None, node.type_comment), node)
    if node.annotation is not None:
        todo.append((made.__dict__, "annotation", node.annotation))
    return made


def _finish_ast_handler(node: Node, fields: dict[str, Any], todo: list[Place]) -> None:
    if node.name is not None:
        fields["name"] = node.name.id


def _operator(node: Node, operators: str, todo: list[Place]) -> Node:
    place = {name: value for name, value in vars(node).items() if name in node._attributes}
    found = ast.Attribute(ast.Name(operators, ast.Load(), **place), node.operator, ast.Load(), **place)
    if isinstance(node, OperatorName):
        return found
    made = ast.Call(found, list(node.args), list(node.keywords), **place)
    for parts in (made.args, made.keywords):
        todo.extend((parts, index, part) for index, part in enumerate(parts))
    return made


_ast_finishes: dict[str, Callable[[Any, dict[str, Any], list[Place]], None]] = {
    "arguments": _finish_arguments,
    "ExceptHandler": _finish_ast_handler,
}
