"""Rewrites `continue` as a flag that guards the rest of the loop's body.

    while c:              while c:
        if x:                 continue_ = False
            continue    ->    if x:
        f()                       continue_ = True
                              if not continue_:
                                  f()
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.converters.converter import Context, Converter
from autograph.converters.long_chains import LONGEST
from autograph.pyct.origin import NOWHERE, header, position_of
from autograph.pyct.quote import quote


class ContinueStatements(Converter):
    """Lowers `continue`, also the ones that came from `break`."""

    eliminates = (gast.Continue,)

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.flag = ""
        self.used = False
        self.nesting = 0
        self.postponed: list[Any] = []

    def visit_Continue(self, node: Any) -> Any:
        if node in self.marks.native_jumps:
            return node
        self.used = True
        return quote("flag = True", position_of(node), flag=self.flag)

    def visit_list(self, nodes: list[Any]) -> list[Any]:
        """Visits a block; after a statement that may continue, the rest is guarded."""
        outer = self.nesting, self.postponed
        self.nesting, self.postponed = 0, []
        result = self._visit_block(nodes)
        while self.postponed:
            rest, self.postponed, self.nesting = self.postponed, [], 0
            result.extend(self._guarded(self._visit_block(rest), rest[0]))
        self.nesting, self.postponed = outer
        return result

    def _visit_block(self, nodes: list[Any]) -> list[Any]:
        result: list[Any] = []
        for position, node in enumerate(nodes):
            if not isinstance(node, gast.stmt):
                result.append(self.visit(node) if isinstance(node, gast.AST) else node)
                continue
            before, self.used = self.used, False
            new = self.visit(node)
            result.extend(new if isinstance(new, list) else [new])
            found = self.used
            self.used = before or found
            if found and position + 1 < len(nodes):
                self.nesting += 1
                if self.nesting > LONGEST:  # guard what follows outside the guards that are open
                    self.postponed = nodes[position + 1:]
                else:
                    result.extend(self._guarded(self._visit_block(nodes[position + 1:]), node))
                break
        return result

    def _guarded(self, body: list[Any], after: Any) -> list[Any]:
        return quote("if not flag:\n    body", header(after), flag=self.flag, body=body)

    def visit_While(self, node: Any) -> Any:
        outer = self.flag, self.used
        self.flag, self.used = self.namer.new("continue_"), False
        node.body = self.visit_list(node.body)
        if self.used:
            node.body = [*quote("flag = False", NOWHERE, flag=self.flag), *node.body]
        self.flag, self.used = outer
        node.orelse = self.visit_list(node.orelse)
        return node

    visit_For = visit_AsyncFor = visit_While

    def visit_Try(self, node: Any) -> Any:
        before, self.used = self.used, False
        node.body = self.visit_list(node.body)
        if self.used and node.orelse:
            # What jumps out of the body passes over the `else`.
            rest = self.visit_list(node.orelse)
            node.orelse = quote("if not flag:\n    body", header(node), flag=self.flag, body=rest)
        else:
            node.orelse = self.visit_list(node.orelse)
        self.used = self.used or before
        for handler in node.handlers:
            handler.body = self.visit_list(handler.body)
        node.finalbody = self.visit_list(node.finalbody)
        return node

    visit_TryStar = visit_Try

    def visit_FunctionDef(self, node: Any) -> Any:
        outer = self.flag, self.used
        node.body = self.visit_list(node.body)
        self.flag, self.used = outer
        return node

    visit_AsyncFunctionDef = visit_ClassDef = visit_FunctionDef

    def visit_Expr(self, node: Any) -> Any:
        return node  # no statement can be inside an expression

    visit_Assign = visit_AugAssign = visit_AnnAssign = visit_Return = visit_Raise = visit_Expr
