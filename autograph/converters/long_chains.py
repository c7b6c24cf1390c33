"""Cuts long chains of `elif` into pieces.

Each branch of a chain becomes a function inside the one before it; hundreds of them would be nested too deeply.

    if a: ...                 more_ = False
    elif b: ...               if a: ...
    ... (many)           ->   elif b: ...
    elif z: ...               else: more_ = True
                              if more_:
                                  if z: ...
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.converters.converter import StatementConverter
from autograph.converters.jumps import DEEPEST
from autograph.converters.stays import reads_frame
from autograph.pyct.nodes import DEF_NODES, Node
from autograph.pyct.origin import header
from autograph.pyct.quote import quote

LONGEST = DEEPEST


class LongChains(StatementConverter):
    """Bounds the nesting of branches that are written one below the other."""

    def visit_FunctionDef(self, node: Node) -> Node:
        return node if reads_frame(node, self.namer) else self.visit_fields(node, "body")

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node: Node) -> Node:
        return self.visit_definitions(node, *DEF_NODES)

    def visit_If(self, node: Node) -> Node:
        result: list[Any] = []
        start: Any = node
        while True:
            last, count = start, 1
            last.body = self.visit_list(last.body)
            while count < LONGEST and len(last.orelse) == 1 and isinstance(last.orelse[0], gast.If):
                last = last.orelse[0]
                last.body = self.visit_list(last.body)
                count += 1
            if not (len(last.orelse) == 1 and isinstance(last.orelse[0], gast.If)):
                last.orelse = self.visit_list(last.orelse)
                return [*result, start] if result else start
            following = last.orelse[0]
            at = header(following)
            more = self.namer.new("more_")
            last.orelse = quote("more = True", at, more=more)
            result += [*quote("more = False", header(start), more=more), start]
            # The rest of the chain hangs below the flag, as one more branch of a new chain.
            start = quote("if more:\n    pass", at, more=more)[0]
            start.body = [following]
            inner = self.visit_If(following)
            start.body = inner if isinstance(inner, list) else [inner]
            return [*result, start]
