"""Rewrites subscripts, so that items of staged lists can be read and set.

    x[i] = y    ->    x = ag__.set_item(x, i, y)
    x[i]        ->    ag__.get_item(x, i, opts=ag__.GetItemOpts(element_dtype=None))
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.converters.converter import Context, Converter
from autograph.options import Feature
from autograph.pyct.analysis.scopes import Scope, Scopes
from autograph.pyct.names import qualified_name
from autograph.pyct.origin import position_of
from autograph.pyct.quote import copy_tree, quote, quote_expression, set_context


class Slices(Converter):
    """Lowers reads and assignments of single items."""

    needs = (Scopes,)
    feature = Feature.LISTS

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.scopes: list[Scope] = []

    def visit_FunctionDef(self, node: Any) -> Any:
        self.scopes.append(self.context.facts.get(Scopes, node))
        node.body = self.visit_list(node.body)
        self.scopes.pop()
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Assign(self, node: Any) -> Any:
        self.generic_visit(node)
        target = node.targets[0]
        if len(node.targets) != 1 or not isinstance(target, gast.Subscript) or not _is_item(target.slice):
            return node
        owner = qualified_name(target.value)
        if owner is None or (not owner.is_composite and not (self.scopes and self.scopes[-1].is_local(owner.text))):
            return node
        return quote(
            "target = ag__.set_item(source, key, value)", position_of(node), source=target.value, key=target.slice,
            target=set_context(copy_tree(target.value), gast.Store), value=node.value,
        )

    def visit_Subscript(self, node: Any) -> Any:
        self.generic_visit(node)
        if not isinstance(node.ctx, gast.Load) or not _is_item(node.slice):
            return node
        return quote_expression(
            "ag__.get_item(source, key, opts=ag__.GetItemOpts(element_dtype=None))", position_of(node),
            source=node.value, key=node.slice,
        )

    def visit_AnnAssign(self, node: Any) -> Any:
        if node.value is not None:
            node.value = self.visit(node.value)
        return node


def _is_item(key: Any) -> bool:
    return not isinstance(key, (gast.Slice, gast.Tuple))
