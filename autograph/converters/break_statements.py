"""Rewrites `break` as a flag that the loop tests.

    while c:                  break_ = False
        if x:                 while not break_ and c:
            break       ->        if x:
        f()                           break_ = True
                                      continue
                                  f()

The `else` of a loop becomes a branch that runs when the flag is not set.
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.converters.converter import Context, Converter
from autograph.pyct.origin import NOWHERE, header, position_of
from autograph.pyct.quote import quote, quote_expression


class BreakStatements(Converter):
    """Lowers `break` and the `else` of loops."""

    eliminates = (gast.Break,)

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.flags: list[tuple[str, list[bool]]] = []

    def visit_Break(self, node: Any) -> Any:
        if node in self.marks.native_jumps:
            return node
        flag, used = self.flags[-1]
        used[0] = True
        return quote("flag = True\ncontinue", position_of(node), flag=flag)

    def _convert_body(self, node: Any) -> tuple[str, bool]:
        flag = self.namer.new("break_")
        used = [False]
        self.flags.append((flag, used))
        node.body = self.visit_list(node.body)
        self.flags.pop()
        return flag, used[0]

    def _orelse(self, node: Any, flag: str, used: bool) -> list[Any]:
        """The statements that stand for the `else` of a loop, after it."""
        body = self.visit_list(node.orelse)
        if not body or node in self.marks.native:
            node.orelse = body
            return []
        node.orelse = []
        return quote("if not flag:\n    body", header(node), flag=flag, body=body) if used else body

    def visit_While(self, node: Any) -> Any:
        flag, used = self._convert_body(node)
        rest = self._orelse(node, flag, used)
        if not used:
            return [node, *rest]
        at = header(node)
        node.test = quote_expression("not flag and test", position_of(node.test), flag=flag, test=node.test)
        return [*quote("flag = False", at, flag=flag), node, *rest]

    def visit_For(self, node: Any) -> Any:
        flag, used = self._convert_body(node)
        rest = self._orelse(node, flag, used)
        if not used:
            return [node, *rest]
        at = header(node)
        self.marks.extra_tests[node] = quote_expression("not flag", at, flag=flag)
        node.body = [*quote("(flag,)", NOWHERE, flag=flag), *node.body]
        return [*quote("flag = False", at, flag=flag), node, *rest]

    visit_AsyncFor = visit_For

    def visit_FunctionDef(self, node: Any) -> Any:
        flags, self.flags = self.flags, []
        node.body = self.visit_list(node.body)
        self.flags = flags
        return node

    visit_AsyncFunctionDef = visit_ClassDef = visit_FunctionDef

    def visit_Expr(self, node: Any) -> Any:
        return node  # no statement can be inside an expression

    visit_Assign = visit_AugAssign = visit_AnnAssign = visit_Return = visit_Raise = visit_Expr


