"""Rewrites the ternary operator.

x if c else y    ->    ag__.if_exp(c, lambda: x, lambda: y, 'c')
"""

from __future__ import annotations

import gast

from autograph.converters.forms import StagedIfExp
from autograph.converters.thunks import ExpressionConverter
from autograph.pyct.nodes import Node
from autograph.pyct.trees import copied


class ConditionalExpressions(ExpressionConverter):
    """Lowers `x if c else y`."""

    concerns = (gast.IfExp,)

    def visit_IfExp(self, node: Node) -> Node:
        shown = copied(node.test)
        self.generic_visit(node)
        sets: list[str] = []
        if not self.can_be_thunks(node.body, node.orelse):
            sets = self.set_by(node.body, node.orelse)
            if not sets:
                return node
        staged = gast.copy_location(StagedIfExp(node.test, node.body, node.orelse), node)
        staged.shown, staged.sets = shown, sets
        return staged
