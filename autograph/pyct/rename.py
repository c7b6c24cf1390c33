"""Renames an identifier throughout a tree, in every role it may have."""

from __future__ import annotations

from typing import Any

import gast

from autograph.pyct.visitor import walk


def rename(tree: Any, old: str, new: str, within_texts: bool = False) -> Any:
    """Puts `new` for `old`, in place: variables, parameters, definitions, imports, patterns, on request also texts."""
    for node in walk(tree):
        if isinstance(node, gast.Name):
            node.id = new if node.id == old else node.id
        elif isinstance(node, (gast.Global, gast.Nonlocal)):
            node.names = [new if name == old else name for name in node.names]
        elif isinstance(node, gast.alias):
            if node.asname == old or (node.asname is None and node.name == old):
                node.asname = new
        elif isinstance(node, gast.Constant):
            if within_texts and isinstance(node.value, str):
                node.value = node.value.replace(old, new)
        elif isinstance(node, gast.MatchMapping):
            node.rest = new if node.rest == old else node.rest
        elif getattr(node, "name", None) == old and not isinstance(node, gast.alias):
            node.name = new
    return tree
