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
        outer = self.flag, self.used, self.catchers
        self.flag, self.used, self.catchers = self.namer.new("continue_"), False, 0
        node.body = self.visit_list(node.body)
        if self.used:
            node.body = [*quote("flag = False", NOWHERE, flag=self.flag), *node.body]
        self.flag, self.used, self.catchers = outer
        node.orelse = self.visit_list(node.orelse)
        return node

    visit_For = visit_AsyncFor = visit_While
