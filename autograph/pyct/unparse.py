"""Trees back to text."""

from __future__ import annotations

import ast
from typing import Any

from autograph.pyct import deep
from autograph.pyct.nodes import Node
from autograph.pyct.trees import to_ast

if hasattr(ast, "_Unparser"):
    _Unparser: Any = ast._Unparser
else:  # Python 3.14
    import _ast_unparse  # type: ignore[import-not-found]

    _Unparser = _ast_unparse.Unparser


SYMBOLS: dict[str, str] = {**_Unparser.binop, **_Unparser.cmpops}  # of operators, by the names of their classes


def unparse(node: Node) -> str:
    """The text of a gast tree, as `ast.unparse` lays it out."""
    return unparse_ast(to_ast(node))


def unparse_ast(node: ast.AST) -> str:
    """The text of an `ast` tree: `ast.unparse(node)`, however deeply it is nested."""

    def work() -> str:
        unparser = _Unparser()
        if deep.is_deep():
            unparser.traverse = deep.in_stretches(unparser.traverse)
        text: str = unparser.visit(node)
        return text

    return deep.with_deep_stack(work)
