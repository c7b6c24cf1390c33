"""Rewrites list operations as functions that return the list, so that staged lists work too.

    l = []            l = ag__.new_list([])
    l.append(x)  ->   l = ag__.list_append(l, x)
    y = l.pop()       l, l_1 = ag__.list_pop(l, None, opts=...)
                      y = l_1
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.converters.converter import Context, Converter
from autograph.options import Feature
from autograph.pyct.analysis.scopes import Scope, Scopes
from autograph.pyct.names import qualified_name
from autograph.pyct.origin import position_of
from autograph.pyct.quote import constant, copy_tree, quote, quote_expression, set_context

_POP = "target, popped = ag__.list_pop(source, index, opts=ag__.ListPopOpts(element_dtype=None, element_shape=None))"


class Lists(Converter):
    """Lowers list displays, `append` and `pop`."""

    needs = (Scopes,)
    feature = Feature.LISTS

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.scopes: list[Scope] = []
        self.pops: list[Any] = []

    def visit_FunctionDef(self, node: Any) -> Any:
        self.scopes.append(self.context.facts.get(Scopes, node))
        node.body = self.visit_list(node.body)
        self.scopes.pop()
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node: Any) -> Any:
        for statement in node.body:
            if isinstance(statement, (gast.FunctionDef, gast.AsyncFunctionDef)):
                self.visit(statement)
        return node

    def visit_Lambda(self, node: Any) -> Any:
        return node  # has no statements, so no list variable of its own

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_Lambda

    def visit_List(self, node: Any) -> Any:
        self.generic_visit(node)
        if not isinstance(node.ctx, gast.Load):
            return node
        return quote_expression("ag__.new_list(items)", position_of(node), items=node)

    def _list_call(self, node: Any, method: str, counts: tuple[int, ...]) -> bool:
        if not isinstance(node, gast.Call) or not isinstance(node.func, gast.Attribute) or node.func.attr != method:
            return False
        if node.keywords or len(node.args) not in counts or any(isinstance(a, gast.Starred) for a in node.args):
            return False
        owner = qualified_name(node.func.value)
        if owner is None:
            return False
        return owner.is_composite or (bool(self.scopes) and self.scopes[-1].is_local(owner.text))

    def visit_Expr(self, node: Any) -> Any:
        if self._list_call(node.value, "append", (1,)):
            call = node.value
            target = set_context(copy_tree(call.func.value), gast.Store)
            self.generic_visit(call)
            return quote(
                "target = ag__.list_append(source, item)", position_of(node), target=target, source=call.func.value,
                item=call.args[0],
            )
        return self._with_pops(node)

    def _with_pops(self, node: Any) -> Any:
        outer, self.pops = self.pops, []
        self.generic_visit(node)
        found, self.pops = self.pops, outer
        return [*found, node]

    visit_Assign = visit_Return = _with_pops

    def visit_Call(self, node: Any) -> Any:
        if not self._list_call(node, "pop", (0, 1)):
            return self.generic_visit(node)
        self.generic_visit(node)
        at = position_of(node)
        owner = node.func.value
        text = qualified_name(owner)
        popped = self.namer.new(text.support[0] if text is not None else "item")
        self.pops.extend(quote(
            _POP, at, target=set_context(copy_tree(owner), gast.Store), popped=popped, source=owner,
            index=node.args[0] if node.args else constant(None, at),
        ))
        return self.context.raw(popped, at)
