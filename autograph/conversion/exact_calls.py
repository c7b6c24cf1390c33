"""Calls with stars, as they are compiled.

    printed     ag__.converted_call(f, (x,) + tuple(a), dict(k=1, **d), fscope)
    compiled    ag__.star_call(f, fscope)(x, *a, k=1, **d)

The text is TensorFlow's. Compiled this way, Python itself joins the arguments: in its order, with its errors.
"""

from __future__ import annotations

import ast
from typing import Any

from autograph.pyct.nodes import walk


def exact_calls(tree: Any) -> Any:
    """Puts the compiled form in the place of the printed one, in the `ast` tree of a converted function."""
    for node in walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "converted_call":
            _make_exact(node)
    return tree


def _make_exact(node: Any) -> None:
    if len(node.args) != 4 or not isinstance(node.func.value, ast.Name):
        return
    function, positional, named, scope = node.args
    args, keywords = positional_of(positional), keywords_of(named)
    if args is None or keywords is None:
        return
    if not any(isinstance(a, ast.Starred) for a in args) and all(k.arg is not None for k in keywords):
        return
    made = ast.Call(ast.Attribute(node.func.value, "star_call", ast.Load()), [function, scope], [])
    for part in (made, made.func):
        ast.copy_location(part, node)
    node.func, node.args, node.keywords = made, args, keywords


def _is_made_by(builtin: str, node: Any) -> bool:
    """Whether a node is the generated call of a builtin; the user's own are `converted_call`s."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == builtin


def keywords_of(node: Any) -> list[Any] | None:
    """The named arguments of a printed call; None if its text makes no such call."""
    if isinstance(node, ast.Constant):
        return []
    return list(node.keywords) if _is_made_by("dict", node) else None


def positional_of(node: Any) -> list[Any] | None:
    """The positional arguments of a printed call; None if its text makes no such call."""
    if isinstance(node, ast.Tuple):
        return list(node.elts)
    if _is_made_by("tuple", node):
        return [ast.copy_location(ast.Starred(node.args[0], ast.Load()), node)]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = positional_of(node.left), positional_of(node.right)
        return None if left is None or right is None else left + right
    return None
