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
        self.set_in_lambda: set[str] = set()  # what `:=` sets in the lambda we are in

    def can_be_thunks(self, *nodes: Any) -> bool:
        """Whether each of `nodes` may become a lambda here."""
        if self.in_class_body or not all(map(can_be_thunk, nodes)):
            return False
        # In a lambda nothing can be done for a variable without a value, and Python's error tells local from captured.
        return not self.set_in_lambda or not any(
            isinstance(item, gast.Name) and item.id in self.set_in_lambda
            for node in nodes
            for item in frame_nodes([node])
        )

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
        outer = self.in_class_body, self.set_in_lambda
        self.in_class_body, self.set_in_lambda = False, set()
        node.body = self.visit_list(node.body)
        self.in_class_body, self.set_in_lambda = outer
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: Any) -> Any:
        node.args.defaults = self.visit_list(node.args.defaults)
        node.args.kw_defaults = self.visit_list(node.args.kw_defaults)
        outer = self.in_class_body, self.set_in_lambda
        self.in_class_body = False
        self.set_in_lambda = {n.target.id for n in frame_nodes([node.body]) if isinstance(n, gast.NamedExpr)}
        node.body = self.visit(node.body)
        self.in_class_body, self.set_in_lambda = outer
        return node

    def visit_match_case(self, node: Any) -> Any:
        if node.guard is not None:
            node.guard = self.visit(node.guard)
        node.body = self.visit_list(node.body)
        return node
