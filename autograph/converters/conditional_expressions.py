"""Rewrites the ternary operator.

x if c else y    ->    ag__.if_exp(c, lambda: x, lambda: y, 'c')
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.converters.thunks import ExpressionConverter
from autograph.pyct.origin import position_of
from autograph.pyct.quote import constant, quote_expression
from autograph.pyct.unparse import unparse


class ConditionalExpressions(ExpressionConverter):
    """Lowers `x if c else y`."""

    concerns = (gast.IfExp,)

    def visit_IfExp(self, node: Any) -> Any:
        text = unparse(node.test).strip()
        self.generic_visit(node)
        if not self.can_be_thunks(node.body, node.orelse):
            return node
        at = position_of(node)
        return quote_expression(
            "ag__.if_exp(test, lambda: body, lambda: orelse, text)",
            at,
            test=node.test,
            body=node.body,
            orelse=node.orelse,
            text=constant(text, at),
        )
