"""Rewrites list operations as functions that return the list, so that staged lists work too.

l = []            l = ag__.new_list([])
l.append(x)  ->   l = ag__.list_append(l, x)
y = l.pop()       l, l_1 = ag__.list_pop(l, None, opts=...)
                  y = l_1
f(a, l.pop())     f(a, (l := (l_1 := ag__.list_pop(l, None, opts=...))[0], l_1[1])[1])
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.converters.converter import Converter
from autograph.options import Feature
from autograph.pyct.analysis.scopes import Scope, Scopes
from autograph.pyct.nodes import Node, walk
from autograph.pyct.origin import position_of
from autograph.pyct.quote import constant, name, quote, quote_expression, set_context
from autograph.pyct.trees import copied

_LIST_POP = "ag__.list_pop(source, index, opts=ag__.ListPopOpts(element_dtype=None, element_shape=None))"
_POP = f"target, popped = {_LIST_POP}"
_POP_INSIDE = f"(target := (popped := {_LIST_POP})[0], popped[1])[1]"


class OfLocals(Converter):
    """What knows the variables of the function that it is in."""

    feature = Feature.LISTS

    deferred = 0  # how many expressions around are evaluated on a condition only, or as often as one likes
    scopes: tuple[Scope, ...] = ()
    functions: tuple[Any, ...] = ()

    def visit_FunctionDef(self, node: Node) -> Node:
        self._visit_apart(node, "decorator_list")
        self._visit_apart(node.args, "defaults", "kw_defaults")
        scopes = (*self.scopes, self.context.facts.get(Scopes, node))
        return self.visit_fields(node, "body", scopes=scopes, functions=(*self.functions, node))

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node: Node) -> Node:
        self._visit_apart(node, "decorator_list", "bases", "keywords")
        return self.visit_fields(node, "body", scopes=(), functions=())

    def _visit_apart(self, node: Node, *fields: str) -> Node:
        """Visits what may be no place to set a variable in."""
        return self.visit_fields(node, *fields, deferred=self.deferred + 1)

    def is_plain_local(self, name: str) -> bool:
        """Whether a name is a variable of the innermost function that no function inside it sets."""
        scopes = self.scopes
        return (
            bool(scopes)
            and scopes[-1].is_local(name)
            and all(name not in scope.outside_writes for scope in scopes[-1].inner)
        )


class Lists(OfLocals):
    """Lowers list displays, `append` and `pop`."""

    keeps_displays = False

    def visit_Lambda(self, node: Node) -> Node:
        self._visit_apart(node.args, "defaults", "kw_defaults")
        return self._visit_apart(node, "body")

    def visit_DictComp(self, node: Node) -> Node:
        return self._visit_apart(node, *node._fields)

    visit_SetComp = visit_DictComp

    def visit_ListComp(self, node: Node) -> Node:
        return node

    visit_GeneratorExp = visit_ListComp

    def visit_For(self, node: Node) -> Node:
        """What a loop runs over is no list that grows."""
        self.visit_fields(node, "iter", keeps_displays=True)
        return self.visit_fields(node, "target", "body", "orelse")

    visit_AsyncFor = visit_For

    def visit_StagedAssert(self, node: Node) -> Node:
        return self.visit_fields(node, "test")

    def visit_List(self, node: Node) -> Node:
        self.generic_visit(node)
        if self.keeps_displays or not isinstance(node.ctx, gast.Load):
            return node
        return quote_expression("ag__.new_list(items)", position_of(node), items=node)

    def _list_call(self, node: Node, method: str, counts: tuple[int, ...]) -> bool:
        if not isinstance(node, gast.Call) or not isinstance(node.func, gast.Attribute) or node.func.attr != method:
            return False
        if node.keywords or len(node.args) not in counts or any(isinstance(a, gast.Starred) for a in node.args):
            return False
        owner = node.func.value
        return isinstance(owner, gast.Name) and self.is_plain_local(owner.id) and not sets_names(node)

    def visit_Expr(self, node: Node) -> Node:
        if self._list_call(node.value, "append", (1,)):
            call = node.value
            target = set_context(copied(call.func.value), gast.Store)
            self.generic_visit(call)
            text = "target = ag__.list_append(source, item)"
            if sets_names(call):  # the item is taken from the list: what is appended to is the rest
                text = "target = ag__.list_append(x=item, list_=source)"
            return quote(text, position_of(node), target=target, source=call.func.value, item=call.args[0])
        return self._with_pop(node)

    def _with_pop(self, node: Node) -> Node:
        """Lowers `pop` where it is all that the statement computes: nothing of it happens before or besides."""
        call = node.value
        if call is None or not self._list_call(call, "pop", (0, 1)):
            return self.generic_visit(node)
        if isinstance(node, gast.Assign):
            node.targets = self.visit_list(node.targets)
        call.args = self.visit_list(call.args)
        at = position_of(call)
        pop = quote(_POP, at, **self._parts(call))
        _note_index(pop[0].value, call)
        node.value = name(pop[0].targets[0].elts[1].id, at)
        return [*pop, node]

    def _parts(self, call: Node) -> dict[str, Any]:
        owner = call.func.value
        index = call.args[0] if call.args else constant(None, position_of(call))
        target = set_context(copied(owner), gast.Store)
        return {"target": target, "popped": self.namer.new(owner.id), "source": owner, "index": index}

    def visit_Call(self, node: Node) -> Node:
        """Lowers `pop` within an expression; not where it becomes a function, in which nothing can be set."""
        if self.deferred or not self._list_call(node, "pop", (0, 1)):
            return self.generic_visit(node)
        node.args = self.visit_list(node.args)
        pop = quote_expression(_POP_INSIDE, position_of(node), **self._parts(node))
        _note_index(pop.value.elts[0].value.value.value, node)
        return pop

    def _deferring(self, nodes: list[Any]) -> list[Any]:
        """The visited expressions, which are evaluated on a condition only."""
        self.deferred += 1
        result = self.visit_list(nodes)
        self.deferred -= 1
        return result

    def visit_IfExp(self, node: Node) -> Node:
        self.visit_fields(node, "test")
        return self.visit_fields(node, "body", "orelse", deferred=self.deferred + 1)

    def visit_BoolOp(self, node: Node) -> Node:
        node.values = [*self.visit_list(node.values[:1]), *self._deferring(node.values[1:])]
        return node

    def visit_Compare(self, node: Node) -> Node:
        node.left = self.visit(node.left)
        node.comparators = [*self.visit_list(node.comparators[:1]), *self._deferring(node.comparators[1:])]
        return node

    def visit_Assert(self, node: Node) -> Node:
        return self.visit_fields(node, "test", "msg", deferred=self.deferred + 1)

    visit_Assign = visit_Return = _with_pop

    def visit_AugAssign(self, node: Node) -> Node:
        if not isinstance(node.target, gast.Name) or not self.is_plain_local(node.target.id):
            return self.generic_visit(node)
        unset = self.context.facts.marks.read_unset.get(self.functions[-1], set())
        if node.target.id in unset:  # that would be found out first
            return self.generic_visit(node)
        return self._with_pop(node)


def sets_names(node: Node) -> bool:
    """Whether evaluating an expression may set a variable of the function it is in."""
    return any(isinstance(item, gast.NamedExpr) for item in walk(node))


def _note_index(list_pop: Node, call: Node) -> None:
    """Says in a call of `list_pop` that there is an index, where the value might be None, which is none."""
    if call.args and not _is_number(call.args[0]):
        list_pop.keywords.append(gast.keyword("indexed", constant(True, position_of(call))))


def _is_number(node: Node) -> bool:
    if isinstance(node, gast.UnaryOp):
        node = node.operand
    return isinstance(node, gast.Constant) and isinstance(node.value, int)
