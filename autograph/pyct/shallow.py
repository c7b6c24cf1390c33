"""Has Python compile trees that are nested more deeply than it takes them: up to 3.12, some nine hundred levels.

    a.b.c ... y.z    ->    (t := a.b.c ..., t := t.m.n ..., t.y.z)[-1]

What an expression evaluates first is evaluated ahead of it; so it is only done along chains whose levels do nothing before
that: operands on the left, objects of attributes and items, functions called, and first arguments of operators.
"""

from __future__ import annotations

import ast
from typing import Any

from autograph.pyct.nodes import Node, children

_LEVELS = 300
_NAME = "ag__deep.0"  # which no user can write
_SCOPES = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.ClassDef)
_FIRST = {
    ast.BinOp: "left",
    ast.Attribute: "value",
    ast.Subscript: "value",
    ast.UnaryOp: "operand",
    ast.Compare: "left",
    ast.IfExp: "test",
    ast.NamedExpr: "value",
}
_FIRST_OF_LIST = {ast.BoolOp: "values", ast.Tuple: "elts"}


def make_shallow(tree: ast.AST) -> None:
    """Cuts chains in the statements of a tree."""
    stack: list[Any] = [tree]
    while stack:
        node = stack.pop()
        for field, value in list(vars(node).items()):
            if isinstance(value, list):
                value[:] = [_cut(v) if isinstance(v, ast.expr) and _is_read(v) else v for v in value]
            elif isinstance(value, ast.expr) and _is_read(value):
                setattr(node, field, _cut(value))
        stack += [c for c in children(node) if not isinstance(c, (*_SCOPES, *_FIRST))]


def _is_read(node: Node) -> bool:
    return isinstance(getattr(node, "ctx", None), (ast.Load, type(None)))


def _cut(root: Node) -> Node:
    """An expression, or what takes its place."""
    chain: list[tuple[Any, str]] = []  # the holder of each part, and where
    node = root
    while True:
        place = _first_of(node)
        if place is None:
            break
        chain.append((node, place))
        node = _part(node, place)
    if len(chain) <= _LEVELS:
        return root
    parts: list[Any] = []
    for holder, place in reversed(chain[_LEVELS::_LEVELS]):
        inner = _part(holder, place)
        parts.append(ast.copy_location(ast.NamedExpr(_name(inner, ast.Store()), inner), inner))
        read = _name(inner, ast.Load())
        found = getattr(holder, place)
        setattr(holder, place, [read, *found[1:]] if isinstance(found, list) else read)
    whole = ast.copy_location(ast.Tuple([*parts, root], ast.Load()), root)
    last = ast.copy_location(ast.Constant(-1), root)
    return ast.copy_location(ast.Subscript(whole, last, ast.Load()), root)


def _part(node: Node, place: str) -> Node:
    found = getattr(node, place)
    return found[0] if isinstance(found, list) else found


def _first_of(node: Node) -> str | None:
    several = _FIRST_OF_LIST.get(node.__class__)
    if several is not None:
        parts = getattr(node, several)
        return several if parts and not isinstance(parts[0], ast.Starred) and _is_read(node) else None
    if not isinstance(node, ast.Call):
        return _FIRST.get(node.__class__)
    if _is_constant(node.func) or _is_constant(getattr(node.func, "value", None)):  # of ours
        return "args" if node.args and not isinstance(node.args[0], ast.Starred) else None
    return "func"


def _is_constant(node: Node) -> bool:
    """Whether a node is a constant, be it in the form that Python does not warn of (see `quiet`)."""
    return isinstance(node.test if isinstance(node, ast.IfExp) else node, ast.Constant)


def _name(at: Node, ctx: Node) -> Node:
    return ast.copy_location(ast.Name(_NAME, ctx), at)
