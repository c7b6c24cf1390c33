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
from autograph.converters.forms import PerhapsUnset, Read, Reload, TogetherDeleted, Unset
from autograph.pyct.nodes import Node, parameters, parts_of_target
from autograph.pyct.origin import place, position_of
from autograph.pyct.quote import name
from autograph.pyct.trees import copied


class Variables(Converter):
    """Lowers reads and deletions of variables."""

    unproven: set[str] | None = None
    in_class = False

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.own = {*self.namer.generated, *(("ag__",) if context.in_place else ())}  # a module may be converted again

    def convert(self, root: Node) -> Node:
        """A lambda has no variable without a value, so it is left alone."""
        self.marks.unproven[root] = set()  # none of its variables is read where it is defined
        return root if isinstance(root, gast.Lambda) else self.visit(root)

    def visit_Name(self, node: Node) -> Node:
        if not isinstance(node.ctx, gast.Load) or node.id in self.own:
            return node
        if self.unproven is not None and node.id not in self.unproven:
            return node
        return place(Read(node), position_of(node))

    def visit_Read(self, node: Node) -> Node:
        return node

    def visit_FunctionDef(self, node: Node) -> Node:
        unproven = self._unproven(node)
        if unproven:
            self.visit_fields(node, "decorator_list", unproven=unproven)
            if self.context.evaluates_annotations:
                for arg in parameters(node.args):
                    self.visit_fields(arg, "annotation", unproven=unproven)
                self.visit_fields(node, "returns", unproven=unproven)
        self.visit_fields(node.args, "defaults", "kw_defaults")
        return self.visit_fields(node, "body", in_class=False)

    def _unproven(self, node: Node) -> set[str]:
        """The variables that may have no value where `node` reads them: in the body of a class nothing is proven."""
        unset = self.marks.ever_undefined
        return unset if self.in_class else unset & self.marks.unproven.get(node, unset)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: Node) -> Node:
        self.visit_fields(node.args, "defaults", "kw_defaults")
        return self.visit_fields(node, "body")

    def visit_ClassDef(self, node: Node) -> Node:
        self.visit_fields(node, "decorator_list", "bases", "keywords")
        return self.visit_fields(node, "body", in_class=True)

    def visit_AnnAssign(self, node: Node) -> Node:
        if self.in_class and self.context.evaluates_annotations:  # in a function it is never evaluated
            self.visit_fields(node, "annotation", unproven=self.marks.ever_undefined)
        return super().visit_AnnAssign(node)

    def visit_AugAssign(self, node: Node) -> Node:
        if not isinstance(node.target, gast.Name):
            return self.generic_visit(node)
        self.visit_fields(node, "value", unproven=self._unproven(node))
        return [place(Reload(node.target.id), position_of(node.target)), node]

    def visit_Delete(self, node: Node) -> Node:
        result: list[Any] = []
        gone: set[str] = set()
        for target in node.targets:
            is_display = isinstance(target, (gast.Tuple, gast.List))
            last = result[-1] if result else None
            if is_display and not isinstance(last, TogetherDeleted):
                together: list[Any] = [result.pop()] if isinstance(last, gast.Delete) else []
                shown = gast.Delete([copied(t) for found in together for t in found.targets])
                last = place(TogetherDeleted(together, shown), position_of(node))
                result.append(last)
            if isinstance(last, TogetherDeleted) and not isinstance(target, gast.Name):
                last.shown.targets.append(self.visit(copied(target)))
                self._delete(node, parts_of_target(target), last.body, gone)
            else:
                self._delete(node, [target], result, gone)
        return result

    def _delete(self, node: Node, targets: list[Any], result: list[Any], gone: set[str]) -> None:
        for target in targets:
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

    def visit_ExceptHandler(self, node: Node) -> Node:
        self.visit_fields(node, "type", unproven=self._unproven(node))
        return self.visit_fields(node, "body")

    def visit_match_case(self, node: Node) -> Node:
        return self.visit_fields(node, "guard", "body")


def _check(variable: Node) -> Node:
    """A statement that fails where the variable has no value."""
    at = position_of(variable)
    return place(gast.Expr(place(Read(name(variable.id, at)), at)), at)
