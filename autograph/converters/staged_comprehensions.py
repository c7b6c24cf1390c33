"""Rewrites list comprehensions and generator expressions, so that they also run over staged iterables.

    [x + 1 for x in xs if x]    ->    ag__.list_comp(xs, lambda items: [x + 1 for x in items if ag__.plain_test(x)],
                                                     lambda x: x + 1, lambda x: x)

The first function is the comprehension as it was: Python's meaning. The others give the element and the condition where
`xs` or a condition is staged; the element of an outer loop is the inner one, `ag__.inner_loop(...)`. What functions of the
loops' variables cannot say stays as it is: `:=`, `await`, `yield`.
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.converters.comprehensions import INLINES_COMPREHENSIONS
from autograph.converters.thunks import ExpressionConverter
from autograph.options import Feature
from autograph.pyct.analysis.scopes import all_identifiers
from autograph.pyct.nodes import Node
from autograph.pyct.origin import position_of
from autograph.pyct.quote import name, quote_expression
from autograph.pyct.trees import copied

DEEPEST = 3  # each level is written twice: more would be too much text
_LIST = "ag__.list_comp(iterable, lambda items: plain, element, condition)"
_INNER = "ag__.inner_loop(iterable, element, condition)"
_GENERATOR = "ag__.gen_exp(iterable, lambda items: plain, element, condition)"


class StagedComprehensions(ExpressionConverter):
    """Lowers comprehensions whose loops are over one name, or over a flat tuple of names."""

    feature = Feature.LISTS
    depth = 0

    def visit_ListComp(self, node: Node) -> Node:
        return self._comprehension(node, _LIST)

    def visit_GeneratorExp(self, node: Node) -> Node:
        return self._comprehension(node, _GENERATOR)

    def _comprehension(self, node: Node, template: str) -> Node:
        self.depth += 1
        super().visit_ListComp(node)
        self.depth -= 1
        if self.depth >= DEEPEST:
            return node
        loops = node.generators
        names = [_targets(loop.target) for loop in loops]
        parts = [node.elt, *(test for loop in loops for test in loop.ifs), *(loop.iter for loop in loops[1:])]
        if any(loop.is_async for loop in loops) or None in names or not self.can_be_thunks(*parts):
            return node
        if INLINES_COMPREHENSIONS and template is _LIST and self.unset & all_identifiers(node):
            return node  # Python's error would say that the variable is the function's own
        at = position_of(node)
        result: Any = copied(node.elt)
        for loop, own in reversed(list(zip(loops, names))):
            element = self._function(own, [result], at)
            condition: Any = gast.Constant(None, None)
            if loop.ifs:
                condition = self._function(own, [copied(test) for test in loop.ifs], at)
                loop.ifs = [quote_expression("ag__.plain_test(test)", position_of(t), test=t) for t in loop.ifs]
            if loop is not loops[0]:
                inner = copied(loop.iter)
                result = quote_expression(_INNER, at, iterable=inner, element=element, condition=condition)
                loop.iter = quote_expression("ag__.plain_items(items)", position_of(loop.iter), items=loop.iter)
        iterable = loops[0].iter
        items = self.namer.new("items")
        loops[0].iter = name(items, at)
        return quote_expression(
            template, at, iterable=iterable, items=items, plain=node, element=element, condition=condition
        )

    def _function(self, names: list[str] | None, results: list[Any], at: Node) -> Node:
        body = results[-1]
        for test in reversed(results[:-1]):
            body = quote_expression("left and right", at, left=test, right=body)
        function = quote_expression("lambda: body", at, body=body)
        function.args.args = [gast.Name(n, gast.Param(), None, None) for n in names or ()]
        for argument in function.args.args:
            for field in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
                setattr(argument, field, getattr(function, field))
        return function


def _targets(target: Node) -> list[str] | None:
    if isinstance(target, gast.Name):
        return [target.id]
    if isinstance(target, gast.Tuple) and target.elts and all(isinstance(e, gast.Name) for e in target.elts):
        names = [e.id for e in target.elts]
        return names if len(set(names)) == len(names) else None
    return None
