"""Expressions that become lambdas: which may, and where none can be."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

import gast

from autograph.converters.converter import Converter
from autograph.converters.stays import frame_nodes, frame_readers, suspends
from autograph.pyct.analysis.scopes import walrus_targets
from autograph.pyct.nodes import Node, walk


def can_be_thunk(node: Node) -> bool:
    """Whether `lambda: node` computes what `node` does.

    It must neither suspend the function nor set its variables, nor look at them as a whole.
    """
    return not looks_at_frame(node) and not any(isinstance(item, gast.NamedExpr) for item in frame_nodes([node]))


def looks_at_frame(node: Node) -> bool:
    """Whether an expression suspends the function, or looks at its variables as a whole."""
    items = frame_nodes([node])
    return any(map(suspends, items)) or any(frame_readers(items))


class ExpressionConverter(Converter):
    """A converter of expressions that become lambdas; in a class body a lambda would not see the class's names."""

    in_class_body = False
    refused: Set[str] = frozenset()  # variables that a lambda made here could not read as Python does
    unset: Set[str] = frozenset()  # the variables of the function we are in that may be read before they are set

    def can_be_thunks(self, *nodes: Any) -> bool:
        """Whether each of `nodes` may become a lambda here."""
        if self.in_class_body or not all(map(can_be_thunk, nodes)):
            return False
        # Where nothing can be done for a variable without a value: Python's error tells local from captured.
        return not self.refused or not any(
            isinstance(item, gast.Name) and item.id in self.refused for node in nodes for item in frame_nodes([node])
        )

    def set_by(self, *nodes: Node) -> list[str]:
        """The variables that `nodes`, no lambdas, set with `:=`; none where they may not be parts of a statement either."""
        found = [name for node in nodes for name in walrus_targets(node)]
        if not found or self.in_class_body or any(map(looks_at_frame, nodes)):
            return []
        refused = self.refused - set(found)
        names = {item.id for node in nodes for item in frame_nodes([node]) if isinstance(item, gast.Name)}
        if not refused.isdisjoint(names):
            return []
        self.context.facts.marks.set_in_expressions.update(found)
        return list(dict.fromkeys(found))

    def visit_ClassDef(self, node: Node) -> Node:
        self.visit_fields(node, "decorator_list", "bases", "keywords")
        return self.visit_fields(node, "body", in_class_body=True)

    def visit_FunctionDef(self, node: Node) -> Node:
        self.visit_fields(node, "decorator_list")
        self.visit_fields(node.args, "defaults", "kw_defaults")
        return self._visit_inside(node, "body", unset=self.marks.read_unset.get(node, set()))

    visit_AsyncFunctionDef = visit_FunctionDef

    # The bodies of staged statements are functions of their own.

    def _visit_inside(self, node: Node, *fields: str, unset: Set[str] = frozenset()) -> Node:
        return self.visit_fields(node, *fields, in_class_body=False, refused=frozenset(), unset=unset)

    def _visit_ahead(self, node: Node, *fields: str) -> Node:
        """Visits what stands where variables without a value are given none."""
        return self.visit_fields(node, *fields, refused=self.refused | self.unset)

    def visit_StagedIf(self, node: Node) -> Node:
        self._visit_inside(node, "body", "orelse")
        return self.visit_fields(node, "test")

    def visit_StagedWhile(self, node: Node) -> Node:
        self._visit_inside(node, "body", "test")
        return self.visit_fields(node, "options")

    def visit_StagedFor(self, node: Node) -> Node:
        self._visit_inside(node, "target", "body", "extra_test")
        return self.visit_fields(node, "iter", "options")

    def visit_With(self, node: Node) -> Node:
        self._visit_ahead(node, "items")
        return self.visit_fields(node, "body")

    visit_AsyncWith = visit_With

    def visit_ExceptHandler(self, node: Node) -> Node:
        self._visit_ahead(node, "type")
        return self.visit_fields(node, "body")

    def visit_Lambda(self, node: Node) -> Node:
        self.visit_fields(node.args, "defaults", "kw_defaults")
        refused = {n.target.id for n in frame_nodes([node.body]) if isinstance(n, gast.NamedExpr)}
        return self.visit_fields(node, "body", in_class_body=False, refused=refused)

    def visit_ListComp(self, comprehension: Node) -> Node:
        """Visits the parts of a comprehension: in a loop of it the variables of later loops have no value yet."""
        outer = self.refused
        later: set[str] = set()
        for loop in reversed(comprehension.generators):
            self.refused = outer | later
            loop.ifs = self.visit_list(loop.ifs)
            later = later | {n.id for n in walk(loop.target) if isinstance(n, gast.Name)}
            self.refused = outer | later if loop is not comprehension.generators[0] else outer
            loop.iter = self.visit(loop.iter)
            loop.target = self.visit(loop.target)
        self.refused = outer
        return self.visit_fields(comprehension, "elt", "key", "value")

    visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_ListComp

    def visit_For(self, node: Node) -> Node:
        self._visit_ahead(node, "target")
        return self.visit_fields(node, "iter", "body", "orelse")

    visit_AsyncFor = visit_For

    def visit_Match(self, node: Node) -> Node:
        self._visit_ahead(node, "subject")
        return self.visit_fields(node, "cases")

    def visit_match_case(self, node: Node) -> Node:
        return self.visit_fields(node, "body")  # ahead of a guard no variable can be given a value
