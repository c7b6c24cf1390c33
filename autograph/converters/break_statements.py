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

from autograph.converters.converter import Converter
from autograph.converters.forms import Mention
from autograph.converters.jumps import Jumps, tested_unless
from autograph.pyct.nodes import Node
from autograph.pyct.origin import NOWHERE, header, place, position_of
from autograph.pyct.quote import name, quote, quote_expression


class BreakStatements(Jumps):
    """Lowers `break` and the `else` of loops."""

    eliminates = (gast.Break,)
    overwriting = (gast.Break, gast.Return, gast.Raise)

    def visit_list(self, nodes: list[Any]) -> list[Any]:
        """Visits a block; what follows a `break` is guarded later, as what follows a `continue`."""
        return Converter.visit_list(self, nodes)

    def visit_Break(self, node: Node) -> Node:
        if node in self.marks.native_jumps:
            return node
        self.used = True
        return quote("flag = True\ncontinue", position_of(node), flag=self.flag)

    def guarded(self, body: list[Any], after: Node) -> list[Any]:
        """The `else` of a `try`: guarded later, see `visit_list`."""
        return body

    def _without_breaks(self, node: Node) -> tuple[str, bool, list[Any]]:
        """The flag of a loop, whether it is used, and the statements that stand for the `else`, after the loop."""
        flag, used = self.visit_apart(node, self.namer.new("break_"))
        body = self.visit_list(node.orelse)
        if not body or node in self.marks.native:
            node.orelse = body
            return flag, used, []
        node.orelse = []
        rest = quote("if not flag:\n    body", header(node), flag=flag, body=body) if used else body
        return flag, used, rest

    def visit_While(self, node: Node) -> Node:
        flag, used, rest = self._without_breaks(node)
        if not used:
            return [node, *rest]
        at = header(node)
        self.marks.headers[node] = at
        node.test = tested_unless(flag, node.test, at)
        return [*quote("flag = False", at, flag=flag), node, *rest]

    def visit_For(self, node: Node) -> Node:
        flag, used, rest = self._without_breaks(node)
        if not used:
            return [node, *rest]
        at = header(node)
        self.marks.extra_tests[node] = quote_expression("not flag", at, flag=flag)
        node.body = [place(Mention(name(flag, NOWHERE)), NOWHERE), *node.body]
        return [*quote("flag = False", at, flag=flag), node, *rest]

    visit_AsyncFor = visit_For
