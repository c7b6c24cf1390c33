"""Wraps reads of variables, which may have no value yet; `del` makes them so.

y            ->    ag__.ld(y)
x += y             x = ag__.ld(x)
             ->    x += y
del x        ->    x = ag__.Undefined('x')
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.converters.converter import Context, Converter
from autograph.converters.forms import PerhapsUnset, Read, Reload, Unset
from autograph.pyct.nodes import Node, parameters
from autograph.pyct.origin import place, position_of
from autograph.pyct.quote import name


class Variables(Converter):
    """Lowers reads and deletions of variables."""

    unproven: set[str] | None = None
    in_class = False

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.own = {*self.namer.generated, *(("ag__",) if context.in_place else ())}  # a module may be converted again

    def convert(self, root: Node) -> Node:
        """A lambda has no variable without a value, so it is left alone."""
        return root if isinstance(root, gast.Lambda) else self.visit(root)

    def visit_Name(self, node: Node) -> Node:
        if not isinstance(node.ctx, gast.Load) or node.id in self.own:
            return node
        if self.unproven is not None and node.id not in self.unproven:
            return node
        return place(Read(node), position_of(node))

    def visit_FunctionDef(self, node: Node) -> Node:
        if self.marks.ever_undefined:
            self._visit_where_unset(node, "decorator_list")
            if self.context.evaluates_annotations:
                for arg in parameters(node.args):
                    self._visit_where_unset(arg, "annotation")
                self._visit_where_unset(node, "returns")
        self.visit_fields(node.args, "defaults", "kw_defaults")
        return self.visit_fields(node, "body", in_class=False)

    def _visit_where_unset(self, node: Node, *fields: str) -> Node:
        return self.visit_fields(node, *fields, unproven=self.marks.ever_undefined)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: Node) -> Node:
        self.visit_fields(node.args, "defaults", "kw_defaults")
        return self.visit_fields(node, "body")

    def visit_ClassDef(self, node: Node) -> Node:
        self.visit_fields(node, "bases", "keywords")
        return self.visit_fields(node, "body", in_class=True)

    def visit_AnnAssign(self, node: Node) -> Node:
        unproven = self.unproven
        if self.in_class:
            unproven = self.marks.ever_undefined if self.context.evaluates_annotations else set()
        self.visit_fields(node, "annotation", unproven=unproven)  # in a function it is never evaluated
        return super().visit_AnnAssign(node)

    def visit_AugAssign(self, node: Node) -> Node:
        if not isinstance(node.target, gast.Name):
            return self.generic_visit(node)
        # Of statements in the body of a class nothing is proven.
        unproven = self.marks.ever_undefined
        if not self.in_class:
            unproven = self.marks.unproven.get(node, set()) & unproven
        if unproven:
            self.visit_fields(node, "value", unproven=unproven)
        return [place(Reload(node.target.id), position_of(node.target)), node]

    def visit_Delete(self, node: Node) -> Node:
        result: list[Any] = []
        gone = set()
        for target in node.targets:
            checked = self.marks.undefined_deletes.get(target)
            if checked is None:
                if isinstance(target, gast.Name) and target.id in self.marks.ever_undefined:
                    if target.id in gone and target in self.marks.plain_deletes:
                        result.append(place(PerhapsUnset(target.id), position_of(target)))
                    gone.add(target.id)
                    result.append(_check(target))
                if not result or not isinstance(result[-1], gast.Delete):
                    result.append(gast.copy_location(gast.Delete([]), node))
                result[-1].targets.append(self.visit(target))
                continue
            if checked:
                result.append(_check(target))
            result.append(place(Unset(target.id, True), position_of(target)))
        return result

    def visit_ExceptHandler(self, node: Node) -> Node:
        if self.marks.ever_undefined:
            self._visit_where_unset(node, "type")
        return self.visit_fields(node, "body")

    def visit_match_case(self, node: Node) -> Node:
        return self.visit_fields(node, "guard", "body")


def _check(variable: Node) -> Node:
    """A statement that fails where the variable has no value."""
    at = position_of(variable)
    return place(gast.Expr(place(Read(name(variable.id, at)), at)), at)
