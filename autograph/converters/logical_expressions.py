"""Rewrites boolean operators, whose operands are evaluated only when they are needed.

a and b      ->    ag__.and_(lambda: a, lambda: b)
not a        ->    ag__.not_(a)                                  not (a if c else b): of `a` or `b`
a < b < c    ->    ag__.and_(lambda: a < b, lambda: b < c)        b a name or a constant
a == b       ->    ag__.eq(a, b)                                  with Feature.EQUALITY_OPERATORS
a in b       ->    ag__.in_(a, b)                                 with Feature.LISTS
"""

from __future__ import annotations

import gast

from autograph.converters.forms import StagedBoolOp, StagedChain, StagedNot
from autograph.converters.thunks import ExpressionConverter
from autograph.options import ConversionOptions, Feature
from autograph.pyct.nodes import Node, Operator
from autograph.pyct.origin import place, position_of


class LogicalExpressions(ExpressionConverter):
    """Lowers `and`, `or`, `not`, chained comparisons, and on request `==` and `!=`."""

    def visit_BoolOp(self, node: Node) -> Node:
        self.generic_visit(node)
        return self._staged(StagedBoolOp(node.op, node.values), node, *node.values)

    def visit_UnaryOp(self, node: Node) -> Node:
        if isinstance(node.op, gast.Not) and isinstance(
            node.operand, gast.IfExp
        ):  # both values are but asked for truth
            chosen = node.operand
            chosen.body, chosen.orelse = [
                gast.copy_location(gast.UnaryOp(gast.Not(), value), node) for value in (chosen.body, chosen.orelse)
            ]
            chosen.negated = True
            return self.visit(gast.copy_location(chosen, node))
        self.generic_visit(node)
        if not isinstance(node.op, gast.Not):
            return node
        return gast.copy_location(StagedNot(node.op, node.operand), node)

    def visit_Compare(self, node: Node) -> Node:
        self.generic_visit(node)
        if len(node.ops) == 1:
            return self._comparison(node)
        return self._staged(StagedChain(node.left, node.ops, node.comparators), node, node.left, *node.comparators)

    def _staged(self, staged: Node, node: Node, *operands: Node) -> Node:
        """`staged`, or the node as it is, where its operands can be no parts of anything."""
        if not self.can_be_thunks(*operands):
            staged.sets = self.set_by(*operands)
            if not staged.sets:
                return node
        return gast.copy_location(staged, node)

    def _comparison(self, node: Node) -> Node:
        operator = lowered_comparison(node.ops[0], self.context.options)
        if operator is None:
            return node
        return place(Operator(operator, [node.left, node.comparators[0]], []), position_of(node))


def lowered_comparison(op: Node, options: ConversionOptions) -> str | None:
    """The operator that stands for a comparison; None where Python's own stays."""
    if options.uses(Feature.EQUALITY_OPERATORS) and type(op) in _EQUALITY:
        return _EQUALITY[type(op)]
    if options.uses(Feature.LISTS) and type(op) in _CONTAINMENT:
        return _CONTAINMENT[type(op)]
    return None


_EQUALITY: dict[type, str] = {gast.Eq: "eq", gast.NotEq: "not_eq"}
_CONTAINMENT: dict[type, str] = {gast.In: "in_", gast.NotIn: "not_in_"}
