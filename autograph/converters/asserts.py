"""Rewrites assertions, so that a staged condition is checked when the graph runs.

assert c, m    ->    ag__.assert_stmt(c, lambda: m)
"""

from __future__ import annotations

from autograph.converters.converter import Context, Converter
from autograph.converters.forms import StagedAssert
from autograph.converters.thunks import can_be_thunk
from autograph.options import Feature
from autograph.pyct.analysis.scopes import all_identifiers
from autograph.pyct.nodes import Node
from autograph.pyct.origin import place, position_of
from autograph.pyct.quote import quote_expression


class Asserts(Converter):
    """Lowers `assert`."""

    feature = Feature.ASSERT_STATEMENTS

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.in_class_body = False
        self.unset: set[str] = set()  # the variables of the function we are in that may be read before they are set

    def visit_FunctionDef(self, node: Node) -> Node:
        outer = self.unset, self.in_class_body
        self.unset, self.in_class_body = self.marks.read_unset.get(node, set()), False
        self.generic_visit(node)
        self.unset, self.in_class_body = outer
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node: Node) -> Node:
        outer, self.in_class_body = self.in_class_body, True  # a lambda there would not see the names of the class
        self.generic_visit(node)
        self.in_class_body = outer
        return node

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
