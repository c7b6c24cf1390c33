"""Rewrites assertions, so that a staged condition is checked when the graph runs.

assert c, m    ->    ag__.assert_stmt(c, lambda: m)
"""

from __future__ import annotations

from autograph.converters.forms import StagedAssert
from autograph.converters.thunks import ExpressionConverter, can_be_thunk
from autograph.options import Feature
from autograph.pyct.analysis.scopes import all_identifiers
from autograph.pyct.nodes import Node
from autograph.pyct.origin import place, position_of
from autograph.pyct.quote import quote_expression


class Asserts(ExpressionConverter):
    """Lowers `assert`."""

    feature = Feature.ASSERT_STATEMENTS

    def visit_Assert(self, node: Node) -> Node:
        message = node.msg
        if self.in_class_body or not __debug__:  # `python -O` leaves assertions out: staged ones, too
            return node
        if message is not None and not (can_be_thunk(message) and self.unset.isdisjoint(all_identifiers(message))):
            return node
        at = position_of(node)
        if message is not None:
            message = quote_expression("lambda: message", at, message=message)
        return place(StagedAssert(node.test, message), at)
