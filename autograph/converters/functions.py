"""Gives every function a scope object, which carries the options to the calls in it.

def f(x):           def f(x):
    g(x)       ->       with ag__.FunctionScope('f', 'fscope', ag__.STD) as fscope:
                            g(x)

lambda x: x    ->   ag__.autograph_artifact(lambda x: x)
"""

from __future__ import annotations

import re
from typing import Any

import gast

from autograph.converters.converter import Context, Converter
from autograph.converters.forms import FunctionScope, LambdaScope
from autograph.converters.stays import frame_nodes, suspends
from autograph.options import ConversionOptions
from autograph.pyct.nodes import Node
from autograph.pyct.origin import NOWHERE, header, place, position_of
from autograph.pyct.quote import constant, quote, quote_expression

_NUMBER = re.compile(r"_\d+$")  # TensorFlow takes the number off the name of a converted function, as off a symbol's


class Functions(Converter):
    """Adds the scopes."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.depth = 1 if context.in_place else 0

    def _options(self) -> ConversionOptions:
        options = self.context.options
        return options.call_options() if self.depth > 0 else options

    def visit_FunctionDef(self, node: Node) -> Node:
        at = header(node)
        scope = self.namer.new("fscope")
        options = self._options()
        outermost = self.depth == 0
        if outermost:
            node.decorator_list = []
        self.visit_fields(node, "decorator_list", "args", "body", depth=self.depth + 1)
        body = node.body
        node.body = _description(body)
        rest, title = body[len(node.body) :] or quote("pass", NOWHERE), node.name
        node.body.append(place(FunctionScope(title, scope, options, outermost, rest), NOWHERE))
        if outermost:
            node.name = f"tf__{_NUMBER.sub('', node.name)}"
            _forget_defaults(node.args)
        else:
            node.decorator_list.append(quote_expression("ag__.autograph_artifact", at))
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: Node) -> Node:
        if self.depth:
            self.generic_visit(node)
            return quote_expression("ag__.autograph_artifact(function)", position_of(node), function=node)
        scope = self.namer.new("lscope")
        self.visit_fields(node, "args", "body", depth=1)
        _forget_defaults(node.args)
        if not any(suspends(n) for n in frame_nodes([node.body])):
            node.body = place(LambdaScope(scope, node.body, self._options(), True), position_of(node.body))
        return node


def _description(body: list[Any]) -> list[Any]:
    """The docstring, or another constant that is all of the first statement."""
    first = body[0]
    return [first] if isinstance(first, gast.Expr) and isinstance(first.value, gast.Constant) else []


def _forget_defaults(args: Any) -> None:
    """The values live on the function object; only the places of the defaults remain."""
    args.defaults = [constant(None, position_of(d)) for d in args.defaults]
    args.kw_defaults = [d if d is None else constant(None, position_of(d)) for d in args.kw_defaults]
