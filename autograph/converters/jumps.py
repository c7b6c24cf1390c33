"""What the converters of `break`, `continue` and `return` have in common: a jump becomes a flag, and may still fail.

try:                                try:
    with a:                             try:
        return 1         ->                 with a:
except E:                                       do_return = True; retval_ = 1
    pass                                except:
                                            do_return = False       `a` raised when it was left: no return
                                            raise
                                    except E:
                                        pass
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import gast

from autograph.converters.converter import Context, StatementConverter
from autograph.converters.forms import TakenBack
from autograph.pyct.nodes import DEF_NODES, Node
from autograph.pyct.origin import NOWHERE, Position, header, place
from autograph.pyct.quote import quote, quote_expression

# So many guards, one below the other, may be nested in each other.
DEEPEST = 24


def tested_unless(flag: str, test: Node, at: Position) -> Node:
    """The test of a loop that a jump leaves: at the place of the user's test, as who looks at frames wants a line."""
    return place(quote_expression("not flag and test", NOWHERE, flag=flag, test=test), at)


class Jumps(StatementConverter):
    """Lowers one kind of jump; `flag` names the variable that says it was taken."""

    overwriting: ClassVar[tuple[type, ...]] = ()  # a handler that ends with one of these settles the flag again

    flag, used, catchers = "", False, 0
    nesting = 0  # of guards
    postponed: Sequence[Any] = ()  # what is to be guarded outside of them

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.behind: set[Any] = set()  # the statements of blocks that are guarded, but for what is in them

    # Blocks

    def visit_list(self, nodes: list[Any]) -> list[Any]:
        """Visits a block; after a statement that may jump, the rest is guarded."""
        outer = self.nesting, self.postponed
        self.nesting, self.postponed = 0, []
        result = self._visit_block(nodes)
        while self.postponed:
            rest, self.postponed, self.nesting = self.postponed, [], 0
            result.extend(self.guarded(self._visit_block(rest), rest[0]))
        self.nesting, self.postponed = outer
        return result

    def _visit_block(self, nodes: list[Any]) -> list[Any]:
        result: list[Any] = []
        for position, node in enumerate(nodes):
            if not isinstance(node, gast.stmt):
                result.append(self.visit(node) if isinstance(node, gast.AST) else node)
                continue
            before, self.used = self.used, False
            at = header(node)
            new = self.visit(node)
            result.extend(new if isinstance(new, list) else [new])
            found = self.used
            self.used = before or found
            if found and position + 1 < len(nodes):
                self.behind.update(nodes[position + 1 :])
                self.nesting += 1
                if self.nesting > DEEPEST:  # guard what follows outside the guards that are open
                    self.postponed = nodes[position + 1 :]
                else:
                    result.extend(self.guarded(self._visit_block(nodes[position + 1 :]), at))
                break
        return result

    def guarded(self, body: list[Any], after: Node) -> list[Any]:
        """`body`, to run only if the jump was not taken; `after` is the statement before it, or its position."""
        at = after if isinstance(after, Position) else header(after)
        return quote("if not flag:\n    body", at, flag=self.flag, body=body)

    # Statements that run something of their own when they are left

    def visit_With(self, node: Node) -> Node:
        before, self.used = self.used, False
        count = len(node.items)  # any context manager may swallow an exception
        self.catchers += count
        node.body = self.visit_list(node.body)
        self.catchers -= count
        result = node
        if self.used:
            outer = self.catchers
            for position in range(count - 1, -1, -1):  # the first may swallow what leaving the second raises
                self.catchers = outer + position
                body = node.body if position == count - 1 else [result]
                result = self._taken_back(gast.copy_location(type(node)([node.items[position]], body, None), node))
            self.catchers = outer
        self.used = self.used or before
        return result

    visit_AsyncWith = visit_With

    def visit_Try(self, node: Node) -> Node:
        before, self.used = self.used, False
        falls_through = any(not isinstance(h.body[-1], self.overwriting) for h in node.handlers)
        self.catchers += falls_through
        node.body = self.visit_list(node.body)
        self.catchers -= falls_through
        passed_over = self.used and node.orelse
        node.orelse = self.visit_list(node.orelse)
        if passed_over:  # what jumps out of the body passes over the `else`
            node.orelse = self.guarded(node.orelse, node)
        for handler in node.handlers:
            handler.body = self.visit_list(handler.body)
        result = self._taken_back(node) if node.finalbody else node
        node.finalbody = self.visit_list(node.finalbody)
        self.used = self.used or before
        return result

    visit_TryStar = visit_Try

    def _taken_back(self, node: Node) -> Node:
        if not self.used or not self.catchers:
            return node
        made = quote("try:\n    body\nexcept:\n    flag = False\n    raise", NOWHERE, body=[node], flag=self.flag)[0]
        return place(TakenBack(made.body, made.handlers, [], []), NOWHERE)

    def visit_TakenBack(self, node: Node) -> Node:
        """What takes back other flags takes back this one, too: Python nests 20 blocks at most."""
        node.body = self.visit_list(node.body)
        inner = node.body[0]
        if isinstance(inner, TakenBack):
            node.body = inner.body
            node.handlers[0].body[:0] = inner.handlers[0].body[:-1]
        return node

    # What holds no statement of this function

    def visit_apart(self, node: Node, flag: str) -> tuple[str, bool]:
        """Visits the body of a loop, whose jumps are its own; returns their flag, and whether it is used."""
        outer = self.flag, self.used, self.catchers
        self.flag, self.used, self.catchers = flag, False, 0
        node.body = self.visit_list(node.body)
        used = self.used
        self.flag, self.used, self.catchers = outer
        return flag, used

    def visit_FunctionDef(self, node: Node) -> Node:
        return self.visit_fields(node, "body", flag=self.flag, used=self.used, catchers=0)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node: Node) -> Node:
        return self.visit_definitions(node, *DEF_NODES, gast.ClassDef)
