"""Rewrites boolean operators, whose operands are evaluated only when they are needed.

a and b      ->    ag__.and_(lambda: a, lambda: b)
not a        ->    ag__.not_(a)
a < b < c    ->    ag__.and_(lambda: a < b, lambda: b < c)        b a name or a constant
a == b       ->    ag__.eq(a, b)                                  with Feature.EQUALITY_OPERATORS
a in b       ->    ag__.in_(a, b)                                 with Feature.LISTS
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.converters.thunks import ExpressionConverter
from autograph.options import Feature
from autograph.pyct.origin import Position, position_of
from autograph.pyct.quote import copy_tree, quote_expression

_AND = "ag__.and_(lambda: left, lambda: right)"
_OR = "ag__.or_(lambda: left, lambda: right)"
_THUNK = "ag__.and_(lambda: body)"
LONGEST = 24  # chains of more operands are one call


class LogicalExpressions(ExpressionConverter):
    """Lowers `and`, `or`, `not`, chained comparisons, and on request `==` and `!=`."""

    def visit_BoolOp(self, node: Any) -> Any:
        self.generic_visit(node)
        if not self.can_be_thunks(*node.values):
            return node
        text = _AND if isinstance(node.op, gast.And) else _OR
        if len(node.values) > LONGEST:
            return self._row(text, node.values, position_of(node))
        result = node.values[-1]
        for position, value in reversed(list(enumerate(node.values[:-1]))):
            at = position_of(value if position else node)
            result = quote_expression(text, at, left=value, right=result)
        return result

    def visit_UnaryOp(self, node: Any) -> Any:
        self.generic_visit(node)
        if not isinstance(node.op, gast.Not):
            return node
        return quote_expression("ag__.not_(operand)", position_of(node), operand=node.operand)

    def visit_Compare(self, node: Any) -> Any:
        self.generic_visit(node)
        if len(node.ops) == 1:
            return self._comparison(node.left, node.ops[0], node.comparators[0], position_of(node))
        operands = [node.left, *node.comparators]
        if not self.can_be_thunks(*operands):
            return node
        at = position_of(node)
        if all(_is_cheap(operand) for operand in operands[1:-1]):
            pairs = [
                self._comparison(left if i == 0 else copy_tree(left), op, right, at)
                for i, (left, op, right) in enumerate(zip(operands, node.ops, operands[1:]))
            ]
            for pair, original in zip(pairs[1:], operands[1:-1]):
                self._copy_marks(original, _left_of(pair))
            if len(pairs) > LONGEST:
                return self._row(_AND, pairs, at)
            result = pairs[0]
            for pair in pairs[1:]:
                result = quote_expression(_AND, at, left=result, right=pair)
            return result
        return self._chain(operands, node.ops, at)

    def _row(self, text: str, values: list[Any], at: Position) -> Any:
        """One call with all the operands: hundreds of calls would be nested too deeply."""
        result = quote_expression(text, at, left=values[0], right=values[1])
        for value in values[2:]:
            result.args += quote_expression(_THUNK, at, body=value).args
        return result

    def _chain(self, operands: list[Any], ops: list[Any], at: Position) -> Any:
        """A chain whose middle operands must be computed once: they become parameters."""
        left, right = self.namer.new("left"), self.namer.new("right")
        raw = self.context.raw
        pair = self._comparison(raw(left, at), ops[0], raw(right, at), at)
        if len(ops) == 1:
            return self._comparison(operands[0], ops[0], operands[1], at)
        rest = self._chain([raw(right, at), *operands[2:]], ops[1:], at)
        body = quote_expression(_AND, at, left=pair, right=rest)
        return quote_expression(
            "ag__.with_operands(lambda left, right: body, first, second)",
            at,
            left=left,
            right=right,
            body=body,
            first=operands[0],
            second=operands[1],
        )

    def _copy_marks(self, original: Any, copy: Any) -> None:
        if original in self.marks.raw:
            self.marks.raw.add(copy)

    def _comparison(self, left: Any, op: Any, right: Any, at: Position) -> Any:
        if self.context.options.uses(Feature.EQUALITY_OPERATORS):
            if isinstance(op, gast.Eq):
                return quote_expression("ag__.eq(left, right)", at, left=left, right=right)
            if isinstance(op, gast.NotEq):
                return quote_expression("ag__.not_eq(left, right)", at, left=left, right=right)
        if self.context.options.uses(Feature.LISTS):
            if isinstance(op, gast.In):
                return quote_expression("ag__.in_(left, right)", at, left=left, right=right)
            if isinstance(op, gast.NotIn):
                return quote_expression("ag__.not_in_(left, right)", at, left=left, right=right)
        node = quote_expression("left < right", at, left=left, right=right)
        node.ops = [op]
        return node


def _is_cheap(node: Any) -> bool:
    """Whether computing an operand twice is the same as computing it once."""
    return isinstance(node, (gast.Name, gast.Constant))


def _left_of(node: Any) -> Any:
    return node.left if isinstance(node, gast.Compare) else node.args[0]
