"""Expressions that become lambdas: which may, and where none can be."""

from __future__ import annotations

from typing import Any

import gast

from autograph.converters.converter import Context, Converter
from autograph.converters.native import frame_nodes, suspends


def can_be_thunk(node: Any) -> bool:
    """Whether `lambda: node` computes what `node` does: it must neither suspend the function nor set its variables."""
    return not any(suspends(item) or isinstance(item, gast.NamedExpr) for item in frame_nodes([node]))


class ExpressionConverter(Converter):
    """A converter of expressions that become lambdas; in a class body a lambda would not see the class's names."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.in_class_body = False
        self.texts: dict[Any, str] = {}

    def visit_ClassDef(self, node: Any) -> Any:
        node.decorator_list = self.visit_list(node.decorator_list)
        node.bases = self.visit_list(node.bases)
        node.keywords = self.visit_list(node.keywords)
        outer, self.in_class_body = self.in_class_body, True
        node.body = self.visit_list(node.body)
        self.in_class_body = outer
        return node

    def visit_FunctionDef(self, node: Any) -> Any:
        node.decorator_list = self.visit_list(node.decorator_list)
        node.args.defaults = self.visit_list(node.args.defaults)
        node.args.kw_defaults = self.visit_list(node.args.kw_defaults)
        outer, self.in_class_body = self.in_class_body, False
        node.body = self.visit_list(node.body)
        self.in_class_body = outer
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: Any) -> Any:
        node.args.defaults = self.visit_list(node.args.defaults)
        node.args.kw_defaults = self.visit_list(node.args.kw_defaults)
        outer, self.in_class_body = self.in_class_body, False
        node.body = self.visit(node.body)
        self.in_class_body = outer
        return node

    def visit_match_case(self, node: Any) -> Any:
        if node.guard is not None:
            node.guard = self.visit(node.guard)
        node.body = self.visit_list(node.body)
        return node
