"""Rewrites `continue` as a flag that guards the rest of the loop's body.

while c:              while c:
    if x:                 continue_ = False
        continue    ->    if x:
    f()                       continue_ = True
                          if not continue_:
                              f()
"""

from __future__ import annotations

import gast

from autograph.converters.jumps import Jumps
from autograph.pyct.nodes import Node
from autograph.pyct.origin import NOWHERE, position_of
from autograph.pyct.quote import quote


class ContinueStatements(Jumps):
    """Lowers `continue`, also the ones that came from `break`."""

    concerns = (gast.Continue, gast.Break)
    eliminates = (gast.Continue,)
    overwriting = (gast.Continue, gast.Return, gast.Raise)

    def visit_Continue(self, node: Node) -> Node:
        if node in self.marks.native_jumps:
            return node
        self.used = True
        return quote("flag = True", position_of(node), flag=self.flag)

    def visit_While(self, node: Node) -> Node:
        flag, used = self.visit_apart(node, self.namer.new("continue_"))
        if used:
            node.body = [*quote("flag = False", NOWHERE, flag=flag), *node.body]
        return self.visit_fields(node, "orelse")

    visit_For = visit_AsyncFor = visit_While
