"""Trees back to text."""

from __future__ import annotations

import ast
from typing import Any

import gast


def to_ast(node: Any) -> Any:
    """The `ast` tree of a gast tree: what is printed and what is compiled."""
    return gast.gast_to_ast(node)


def unparse(node: Any) -> str:
    """The text of a gast tree, as `ast.unparse` lays it out."""
    return ast.unparse(to_ast(node))
