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
from autograph.pyct.origin import position_of
from autograph.pyct.quote import constant, copy_tree, quote, quote_expression, set_context
from autograph.pyct.visitor import walk

_POP = "target, popped = ag__.list_pop(source, index, opts=ag__.ListPopOpts(element_dtype=None, element_shape=None))"


class Lists(Converter):
    """Lowers list displays, `append` and `pop`."""

    needs = (Scopes,)
    feature = Feature.LISTS

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.scopes: list[Scope] = []
        self.functions: list[Any] = []

    def visit_FunctionDef(self, node: Any) -> Any:
        self.scopes.append(self.context.facts.get(Scopes, node))
        self.functions.append(node)
        node.body = self.visit_list(node.body)
        self.functions.pop()
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
        owner = node.func.value
        return isinstance(owner, gast.Name) and is_plain_local(owner.id, self.scopes) and not sets_names(node)

    def visit_Expr(self, node: Any) -> Any:
        if self._list_call(node.value, "append", (1,)):
            call = node.value
            target = set_context(copy_tree(call.func.value), gast.Store)
            self.generic_visit(call)
            return quote(
                "target = ag__.list_append(source, item)", position_of(node), target=target, source=call.func.value,
                item=call.args[0],
            )
        return self._with_pop(node)

    def _with_pop(self, node: Any) -> Any:
        """Lowers `pop` where it is all that the statement computes: nothing of it happens before or besides."""
        call = node.value
        if call is None or not self._list_call(call, "pop", (0, 1)):
            return self.generic_visit(node)
        self.generic_visit(node)
        at = position_of(call)
        owner = call.func.value
        popped = self.namer.new(owner.id)
        node.value = self.context.raw(popped, at)
        index = call.args[0] if call.args else constant(None, at)
        pop = quote(
            _POP, at, target=set_context(copy_tree(owner), gast.Store), popped=popped, source=owner, index=index
        )
        if call.args and not _is_number(index):  # it may be None, which is no index
            pop[0].value.keywords.append(gast.keyword("indexed", constant(True, at)))
        return [*pop, node]

    visit_Assign = visit_Return = _with_pop

    def visit_AugAssign(self, node: Any) -> Any:
        if not isinstance(node.target, gast.Name) or not is_plain_local(node.target.id, self.scopes):
            return self.generic_visit(node)
        unset = self.context.facts.marks.read_unset.get(self.functions[-1], set())
        if node.target.id in unset:  # that would be found out first
            return self.generic_visit(node)
        return self._with_pop(node)


def is_plain_local(name: str, scopes: list[Scope]) -> bool:
    """Whether a name is a variable of the innermost function that no function inside it sets."""
    return bool(scopes) and scopes[-1].is_local(name) and all(
        name not in scope.outside_writes for scope in scopes[-1].inner
    )


def sets_names(node: Any) -> bool:
    """Whether evaluating an expression may set a variable of the function it is in."""
    return any(isinstance(item, gast.NamedExpr) for item in walk(node))


def _is_number(node: Any) -> bool:
    if isinstance(node, gast.UnaryOp):
        node = node.operand
    return isinstance(node, gast.Constant) and isinstance(node.value, int)
