"""Rewrites the ternary operator.

    x if c else y    ->    ag__.if_exp(c, lambda: x, lambda: y, 'c')
"""

from __future__ import annotations

from typing import Any

from autograph.converters.converter import Converter
from autograph.converters.thunks import ExpressionConverter, can_be_thunk
from autograph.pyct.origin import position_of
from autograph.pyct.quote import constant, quote_expression
from autograph.pyct.unparse import unparse


class ConditionalExpressions(ExpressionConverter, Converter):
    """Lowers `x if c else y`."""

    def visit_IfExp(self, node: Any) -> Any:
        texts = self.texts
        text = texts.get(node) or unparse(node.test).strip()
        self.generic_visit(node)
        if self.in_class_body or not can_be_thunk(node.body) or not can_be_thunk(node.orelse):
            return node
        at = position_of(node.test)
        return quote_expression(
            "ag__.if_exp(test, lambda: body, lambda: orelse, text)", at, test=node.test, body=node.body,
            orelse=node.orelse, text=constant(text, at),
        )
