"""Takes directives, which only advise the converter, out of the code.

for i in xs:
    autograph.set_loop_options(maximum_iterations=9)    ->    for i in xs:
    f(i)                                                          f(i)
"""

from __future__ import annotations

import inspect
from types import FunctionType
from typing import Any

import gast

from autograph.converters.converter import Converter
from autograph.errors import ConversionError
from autograph.pyct.names import qualified_name
from autograph.pyct.nodes import Node
from autograph.pyct.origin import NOWHERE
from autograph.pyct.quote import quote

_DIRECTIVE = "set_loop_options"


class Directives(Converter):
    """Moves the options of `set_loop_options` to the loop around the call."""

    loops: tuple[Any, ...] = ()

    def visit_For(self, node: Node) -> Node:
        self.visit_fields(node, "body", loops=(*self.loops, node))
        node.body = node.body or quote("pass", NOWHERE)
        return self.visit_fields(node, "orelse")

    visit_AsyncFor = visit_While = visit_For

    def visit_FunctionDef(self, node: Node) -> Node:
        self.visit_fields(node, "body", loops=())
        node.body = node.body or quote("pass", NOWHERE)
        return node

    visit_AsyncFunctionDef = visit_ClassDef = visit_FunctionDef

    def visit_Expr(self, node: Node) -> Node:
        call = node.value
        if not isinstance(call, gast.Call) or not self._is_directive(call.func):
            return node
        if not self.loops:
            what = "advises the loop around it, but is not inside one; call it first in the body of a loop"
            raise self._refusal(call, what)
        self.marks.loop_options.setdefault(self.loops[-1], []).extend(self._keywords(call))
        return []

    def _keywords(self, call: Node) -> list[Any]:
        keywords = list(call.keywords)
        names = ("parallel_iterations", "swap_memory", "maximum_iterations", "shape_invariants", "checkpoint")
        positional = [gast.keyword(n, v) for n, v in zip(names, call.args)]
        if any(k.arg is None for k in keywords) or any(isinstance(a, gast.Starred) for a in call.args):
            raise self._refusal(call, "needs its options written out, found * or **")
        return positional + keywords

    def _refusal(self, call: Node, what: str) -> ConversionError:
        return ConversionError(f"{_DIRECTIVE} {what}", filename=self.context.filename, lineno=call.lineno)

    def _is_directive(self, function: Node) -> bool:
        symbol = qualified_name(function)
        if symbol is None or "[" in symbol.text:
            return False
        first, *path = symbol.text.split(".")
        by_name = (path or [first])[-1] == _DIRECTIVE
        if self.context.resolve is None:
            return by_name
        try:
            value = self.context.resolve(first)
            for attribute in path:
                value = inspect.getattr_static(value, attribute)
        except (NameError, AttributeError):
            return by_name
        if not by_name:  # another name, given by `import ... as`
            return isinstance(value, FunctionType) and value.__code__.co_name == _DIRECTIVE
        return getattr(value, "__name__", None) == _DIRECTIVE
