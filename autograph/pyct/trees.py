"""Trees of `ast` as trees of gast, trees of gast as trees of `ast`, and copies: however deeply they are nested.

to_gast(tree)     what the analyses and converters work on: `gast.ast_to_gast(tree)`, in half the time
to_ast(tree)      what is printed and compiled: `gast.gast_to_ast(tree)`, likewise
copied(tree)      a copy of either kind
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import gast

from autograph.pyct.nodes import PLAIN_FIELDS, Learned, Node, Operator, OperatorName

Place = tuple[Any, Any, Any]  # where a node goes, a list or the fields of another; under which key; what it is made of
Finish = Callable[[Any, dict[str, Any], list[Place]], None]


def to_gast(tree: ast.AST) -> Node:
    """The gast tree of an `ast` tree, which is left as it is."""
    return _translated(tree, _gast_plan)


def to_ast(tree: Node, operators: str = "ag__") -> Node:
    """The `ast` tree of a gast tree, which is left as it is; `operators` names the module of operators in it."""
    return _translated(tree, _ast_plan, operators)


def rebuilt(node: Node, convert: Callable[[Any], Any]) -> Node:
    """The node of `ast` for one of gast, with what `convert` makes of its parts."""
    plan = _ast_plan[node.__class__]
    if plan.same is not None:
        return plan.same
    todo: list[Place] = []
    new = _begun(node, plan, todo)
    for place, key, part in todo:
        place[key] = convert(part)
    return new


def copied(tree: Node) -> Node:
    """A deep copy of a tree of either kind, which keeps positions."""
    return _translated(tree, _copy_plan)


@dataclass(slots=True)
class _Plan:
    """What becomes of the nodes of one class.

    `same` stands for all of them (`Load()`, `Add()`, ...); otherwise they become a `target`, with the nodes in the
    fields `inner`, without the fields `foreign`. `finish` sees to what differs in other ways.
    """

    target: Any
    inner: tuple[str, ...]
    foreign: Iterable[str] = ()
    finish: Finish | None = None
    same: Any = field(init=False)

    def __post_init__(self) -> None:
        self.same = None if self.target._fields or self.target._attributes else self.target()


def _translated(tree: Node, plans: Learned[_Plan], operators: str = "") -> Any:
    result: list[Any] = [None]
    todo: list[Place] = [(result, 0, tree)]
    while todo:
        place, key, node = todo.pop()
        kind = node.__class__
        if operators and (kind is Operator or kind is OperatorName):
            place[key] = _operator(node, operators, todo)
            continue
        plan = plans[kind]
        place[key] = _begun(node, plan, todo) if plan.same is None else plan.same
    return result[0]


def _begun(node: Node, plan: _Plan, todo: list[Place]) -> Node:
    """What a node becomes, without its parts."""
    new: Any = ast.AST.__new__(plan.target)
    fields = new.__dict__
    fields.update(node.__dict__)
    for name in plan.inner:
        value = fields.get(name)
        if value.__class__ is list:
            value = fields[name] = value.copy()
            for index, item in enumerate(value):
                if isinstance(item, ast.AST):
                    todo.append((value, index, item))
        elif isinstance(value, ast.AST):
            todo.append((fields, name, value))
    for name in plan.foreign:
        fields.pop(name, None)
    if plan.finish is not None:
        plan.finish(node, fields, todo)
    return new


def _fields_of(kind: Any) -> tuple[str, ...]:
    fields: tuple[str, ...] = () if kind.__name__ == "Constant" else kind._fields
    return tuple(f for f in fields if f not in PLAIN_FIELDS and f != "str")


@Learned
def _gast_plan(kind: type) -> _Plan:
    target = gast.Name if kind is ast.arg else getattr(gast, kind.__name__)
    return _Plan(target, _fields_of(kind), (), _gast_finishes.get(kind.__name__))


@Learned
def _ast_plan(kind: Any) -> _Plan:
    target: Any = next(getattr(ast, base.__name__) for base in kind.__mro__ if hasattr(ast, base.__name__))
    if target in (ast.expr, ast.stmt, ast.AST):
        raise TypeError(f"{kind.__name__} is no node of Python's")
    inner = list(_fields_of(kind))
    if kind is gast.arguments:
        inner = ["defaults", "kw_defaults"]
    elif kind is gast.ExceptHandler:
        inner.remove("name")
    return _Plan(target, tuple(inner), set(kind._fields).difference(target._fields), _ast_finishes.get(kind.__name__))


@Learned
def _copy_plan(kind: type) -> _Plan:
    return _Plan(kind, _fields_of(kind))


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


_gast_finishes: dict[str, Finish] = {
    "Name": _finish_name,
    "arg": _finish_parameter,
    "ExceptHandler": _finish_handler,
    **dict.fromkeys(
        ("FunctionDef", "AsyncFunctionDef", "ClassDef"), lambda node, fields, todo: fields.setdefault("type_params", [])
    ),
    **dict.fromkeys(
        ("TypeVar", "TypeVarTuple", "ParamSpec"), lambda node, fields, todo: fields.setdefault("default_value", None)
    ),
}


def _finish_arguments(node: Node, fields: dict[str, Any], todo: list[Place]) -> None:
    for name in ("posonlyargs", "args", "kwonlyargs"):
        fields[name] = [_parameter(item, todo) for item in getattr(node, name)]
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


_ast_finishes: dict[str, Finish] = {
    "arguments": _finish_arguments,
    "ExceptHandler": _finish_ast_handler,
}
