"""Expressions that become lambdas: which may, and where none can be."""

from __future__ import annotations

from typing import Any

import gast

from autograph.converters.converter import Context, Converter
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

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.in_class_body = False
        self.refused: set[str] = set()  # variables that a lambda made here could not read as Python does
        self.unset: set[str] = set()  # the variables of the function we are in that may be read before they are set

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
        refused = self.refused.difference(found)
        names = {item.id for node in nodes for item in frame_nodes([node]) if isinstance(item, gast.Name)}
        if not refused.isdisjoint(names):
            return []
        self.context.facts.marks.set_in_expressions.update(found)
        return list(dict.fromkeys(found))

    def visit_ClassDef(self, node: Node) -> Node:
        node.decorator_list = self.visit_list(node.decorator_list)
        node.bases = self.visit_list(node.bases)
        node.keywords = self.visit_list(node.keywords)
        outer, self.in_class_body = self.in_class_body, True
        node.body = self.visit_list(node.body)
        self.in_class_body = outer
        return node

    def visit_FunctionDef(self, node: Node) -> Node:
        node.decorator_list = self.visit_list(node.decorator_list)
        node.args.defaults = self.visit_list(node.args.defaults)
        node.args.kw_defaults = self.visit_list(node.args.kw_defaults)
        outer = self.in_class_body, self.refused, self.unset
        self.in_class_body, self.refused, self.unset = False, set(), self.marks.read_unset.get(node, set())
        node.body = self.visit_list(node.body)
        self.in_class_body, self.refused, self.unset = outer
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    # The bodies of staged statements are functions of their own.

    def _visit_inside(self, node: Node, fields: tuple[str, ...]) -> None:
        outer = self.in_class_body, self.refused, self.unset
        self.in_class_body, self.refused, self.unset = False, set(), set()
        for field in fields:
            value = getattr(node, field)
            if value is not None:
                setattr(node, field, self.visit_list(value) if isinstance(value, list) else self.visit(value))
        self.in_class_body, self.refused, self.unset = outer

    def visit_StagedIf(self, node: Node) -> Node:
        self._visit_inside(node, ("body", "orelse"))
        node.test = self.visit(node.test)
        return node

    def visit_StagedWhile(self, node: Node) -> Node:
        self._visit_inside(node, ("body", "test"))
        node.options = self.visit_list(node.options)
        return node

    def visit_StagedFor(self, node: Node) -> Node:
        self._visit_inside(node, ("target", "body", "extra_test"))
        node.iter = self.visit(node.iter)
        node.options = self.visit_list(node.options)
        return node

    def visit_With(self, node: Node) -> Node:
        outer, self.refused = self.refused, self.refused | self.unset  # ahead of it they are given no value
        node.items = self.visit_list(node.items)
        self.refused = outer
        node.body = self.visit_list(node.body)
        return node

    visit_AsyncWith = visit_With

    def visit_ExceptHandler(self, node: Node) -> Node:
        if node.type is not None:
            outer, self.refused = self.refused, self.refused | self.unset
            node.type = self.visit(node.type)
            self.refused = outer
        node.body = self.visit_list(node.body)
        return node

    def visit_Lambda(self, node: Node) -> Node:
        node.args.defaults = self.visit_list(node.args.defaults)
        node.args.kw_defaults = self.visit_list(node.args.kw_defaults)
        outer = self.in_class_body, self.refused
        self.in_class_body = False
        self.refused = {n.target.id for n in frame_nodes([node.body]) if isinstance(n, gast.NamedExpr)}
        node.body = self.visit(node.body)
        self.in_class_body, self.refused = outer
        return node

    def visit_ListComp(self, node: Node) -> Node:
        self.visit_parts(node)
        return node

    visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_ListComp

    def visit_parts(self, comprehension: Node) -> None:
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
        for field in ("elt", "key", "value"):
            if hasattr(comprehension, field):
                setattr(comprehension, field, self.visit(getattr(comprehension, field)))

    def visit_For(self, node: Node) -> Node:
        outer, self.refused = self.refused, self.refused | self.unset
        node.target = self.visit(node.target)
        self.refused = outer
        node.iter = self.visit(node.iter)
        node.body = self.visit_list(node.body)
        node.orelse = self.visit_list(node.orelse)
        return node

    visit_AsyncFor = visit_For

    def visit_Match(self, node: Node) -> Node:
        outer, self.refused = self.refused, self.refused | self.unset
        node.subject = self.visit(node.subject)
        self.refused = outer
        node.cases = self.visit_list(node.cases)
        return node

    def visit_match_case(self, node: Node) -> Node:
        node.body = self.visit_list(node.body)  # ahead of a guard no variable can be given a value
        return node
