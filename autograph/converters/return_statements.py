"""Rewrites `return` as a flag and a value, with one `return` at the end.

    if c:                     do_return = False
        return x              retval_ = ag__.UndefinedReturnValue()
    return y            ->    if c:
                                  do_return = True
                                  retval_ = x
                              else:
                                  do_return = True
                                  retval_ = y
                              return fscope.ret(retval_, do_return)

An exception that is raised while the value is computed, and caught inside the function, takes the flag back.
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.converters.forms import LoweredReturn, Result
from autograph.converters.jumps import DEEPEST, Jumps, tested_unless
from autograph.pyct.nodes import LOOP_NODES, Node
from autograph.pyct.origin import NOWHERE, header, place, position_of
from autograph.pyct.quote import constant, name, quote, quote_expression

_RETURN = """
try:
    done = True
    result = value
except:
    done = False
    raise
"""


class ReturnStatements(Jumps):
    """Lowers `return`."""

    eliminates = (gast.Return,)
    overwriting = (gast.Return, gast.Raise)

    result = scope = ""

    # Functions

    def visit_FunctionDef(self, node: Node) -> Node:
        outer = self.flag, self.result, self.scope, self.used, self.catchers
        scoped = node.body[-1]
        self.scope = scoped.label
        self.flag, self.result = self.namer.new("do_return"), self.namer.new("retval_")
        self.used, self.catchers = False, 0
        self._sink_tails(scoped.body)
        scoped.body = self.visit_list(scoped.body)
        if self.used:
            names = {"done": self.flag, "result": self.result}
            start = quote("done = False\nresult = ag__.UndefinedReturnValue()", NOWHERE, **names)
            result = Result(self.scope, name(self.result, NOWHERE), name(self.flag, NOWHERE))
            returned = place(gast.Return(place(result, NOWHERE)), NOWHERE)
            scoped.body = [*start, *scoped.body, returned]
        self.flag, self.result, self.scope, self.used, self.catchers = outer
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    # Statements

    def visit_Return(self, node: Node) -> Node:
        at = position_of(node)
        if node in self.marks.native_jumps:
            if node.value is not None:
                result = Result(self.scope, node.value, constant(True, position_of(node.value)))
                node.value = place(result, position_of(node.value))
            return node
        self.used = True
        value = constant(None, at) if node.value is None else node.value
        made = quote(_RETURN, at, done=self.flag, result=self.result, value=value)[0]
        handler = made.handlers[0]
        for part in (handler, *handler.body, handler.body[0].targets[0], handler.body[0].value):
            part.lineno, part.col_offset, part.end_lineno, part.end_col_offset = NOWHERE
        return place(LoweredReturn(made.body, made.handlers, [], []), at)

    def _taken_back(self, node: Node) -> Node:
        result = super()._taken_back(node)
        if result is not node:
            forget = quote("result = ag__.UndefinedReturnValue()", NOWHERE, result=self.result)
            result.handlers[0].body[1:1] = forget
        return result

    def visit_While(self, node: Node) -> Node:
        if self._loop_body(node):
            at = self.marks.headers.setdefault(node, header(node))
            node.test = tested_unless(self.flag, node.test, at)
        elif node in self.behind:
            self.marks.shown_flags[node] = self.flag
        return node

    def visit_For(self, node: Node) -> Node:
        if self._loop_body(node):
            test = self.marks.extra_tests.get(node)
            at = header(node)
            if test is None:
                test = quote_expression("not done", at, done=self.flag)
            else:
                test = quote_expression("not done and test", at, done=self.flag, test=test)
            self.marks.extra_tests[node] = test
        elif node in self.behind:
            self.marks.shown_flags[node] = self.flag
        return node

    visit_AsyncFor = visit_For

    def _loop_body(self, node: Node) -> bool:
        before, self.used = self.used, False
        node.body = self.visit_list(node.body)
        found = self.used
        node.orelse = self.visit_list(node.orelse)
        self.used = before or self.used
        return found

    # Tails

    def _sink_tails(self, body: list[Any]) -> bool:
        """Moves what follows a branch that returns into the other branch; says whether `body` surely returns."""
        done: list[Any] = []  # what is settled of a long row of such branches
        surely = False
        while True:
            returns, following = self._sink_tail(body, 0)
            surely = surely or returns
            if not following:
                body[:0] = done
                return surely
            done += body
            body[:] = following

    def _sink_tail(self, body: list[Any], depth: int) -> tuple[bool, list[Any]]:
        """The same, and what is rather to be guarded than nested still deeper, which is taken out of `body`."""
        for position, node in enumerate(body):
            if isinstance(node, gast.Return):
                return True, []
            if isinstance(node, gast.If) and node not in self.marks.native:
                returns, otherwise = self._sink_tails(node.body), self._sink_tails(node.orelse)
                if returns or otherwise:
                    rest = body[position + 1 :]
                    del body[position + 1 :]
                    if depth == DEEPEST:
                        return False, rest
                    rest_returns, following = self._sink_tail(rest, depth + 1)
                    (node.orelse if returns else node.body).extend(rest)
                    return (returns and otherwise) or rest_returns, following
            elif isinstance(node, (gast.With, gast.AsyncWith)):
                self._sink_tails(node.body)  # whose end may be reached in spite of a `return`: managers swallow errors
            elif isinstance(node, LOOP_NODES):
                self._sink_tails(node.body)
                self._sink_tails(node.orelse)
            elif isinstance(node, (gast.Try, gast.TryStar)):
                for part in (node.body, node.orelse, node.finalbody, *(h.body for h in node.handlers)):
                    self._sink_tails(part)
        return False, []
