"""Rewrites calls, so that the called function is converted too when it has to be.

    f(x, *a, k=1, **d)    ->    ag__.converted_call(f, (x,) + tuple(a), dict(k=1, **d), fscope)

Left as they are: `print` (unless asked for), what starts a debugger, decorators, and the items of `with`.
"""

from __future__ import annotations

import sys

import gast

from autograph.converters.converter import Context, Converter
from autograph.converters.forms import ConvertedCall, LambdaScope
from autograph.converters.stays import FRAME_READERS, frame_nodes
from autograph.options import Feature
from autograph.pyct.names import qualified_name
from autograph.pyct.nodes import Node, parameters
from autograph.pyct.origin import place, position_of
from autograph.pyct.quote import quote_expression

# Attributes of frames that say something else of a converted function.
_OF_FRAMES = {"f_back": "ag__.frame_back(frame)", "f_locals": "ag__.frame_locals(frame)"}
_BOUND_TO_FRAME = FRAME_READERS | {"super"}
# Functions that look at the frames of their callers, by the names they have in their modules.
_LOOK_AT_CALLERS = frozenset(
    {
        "_getframe",
        "_getframemodulename",
        "currentframe",
        "stack",
        "extract_stack",
        "format_stack",
        "print_stack",
        "stacklevel",
        *_OF_FRAMES,
    }
)
_DEBUGGERS = frozenset(("breakpoint", "pdb.set_trace", "ipdb.set_trace"))


class Calls(Converter):
    """Lowers calls."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.scope: str | None = None
        self.hidden_builtins: dict[str, bool] = {}

    def _inside(self, scope: str, node: Node, body: str) -> None:
        outer, self.scope = self.scope, scope
        value = getattr(node, body)
        setattr(node, body, self.visit_list(value) if isinstance(value, list) else self.visit(value))
        self.scope = outer

    def visit_FunctionDef(self, node: Node) -> Node:
        node.decorator_list = self.visit_list(node.decorator_list)
        self.visit(node.args)
        if sys.version_info < (3, 14):  # from then on annotations have a frame of their own
            for arg in parameters(node.args):
                if arg.annotation is not None:
                    arg.annotation = self._frame_reader(arg.annotation)
            if node.returns is not None:
                node.returns = self._frame_reader(node.returns)
        scoped = node.body[-1]
        self._inside(scoped.label, scoped, "body")
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: Node) -> Node:
        self.visit(node.args)
        body = node.body
        if isinstance(body, LambdaScope):
            self._inside(body.label, body, "body")
        else:
            node.body = self.visit(body)
        return node

    def visit_arguments(self, node: Node) -> Node:
        node.defaults = self.visit_list(node.defaults)
        node.kw_defaults = self.visit_list(node.kw_defaults)
        return node

    def visit_With(self, node: Node) -> Node:
        for item in node.items:
            item.context_expr = self._frame_reader(item.context_expr)
            if item.optional_vars is not None:
                item.optional_vars = self._frame_reader(item.optional_vars)
        node.body = self.visit_list(node.body)
        return node

    visit_AsyncWith = visit_With

    def visit_ClassDef(self, node: Node) -> Node:
        node.decorator_list = [self._frame_reader(part) for part in node.decorator_list]
        node.bases = [self._frame_reader(part) for part in node.bases]
        for keyword in node.keywords:
            keyword.value = self._frame_reader(keyword.value)
        node.body = self.visit_list(node.body)
        return node

    def _frame_reader(self, node: Node) -> Node:
        """What stays as it is, unless it looks at the function's frame: it may be part of a branch, which has its own."""
        return self.visit(node) if any(map(_reads_frame, frame_nodes([node]))) else node

    def visit_ExceptHandler(self, node: Node) -> Node:
        if node.type is not None:
            node.type = self._frame_reader(node.type)
        node.body = self.visit_list(node.body)
        return node

    def visit_match_case(self, node: Node) -> Node:
        if node.guard is not None:
            node.guard = self.visit(node.guard)
        node.body = self.visit_list(node.body)
        return node

    def visit_Call(self, node: Node) -> Node:
        self.generic_visit(node)
        if self.scope is None or self._runs_as_it_is(node.func):
            return node
        hidden = set()
        if any(isinstance(arg, gast.Starred) for arg in node.args) and self._is_hidden("tuple"):
            hidden.add("tuple")
        if node.keywords and self._is_hidden("dict"):
            hidden.add("dict")
        return place(ConvertedCall(node.func, node.args, node.keywords, self.scope, hidden), position_of(node))

    def visit_Attribute(self, node: Node) -> Node:
        self.generic_visit(node)
        if node.attr not in _OF_FRAMES or not isinstance(node.ctx, gast.Load):
            return node
        return quote_expression(_OF_FRAMES[node.attr], position_of(node), frame=node.value)

    def _runs_as_it_is(self, function: Node) -> bool:
        symbol = qualified_name(function)
        if symbol is None:
            return False
        if self.context.in_place and symbol.text.startswith("ag__."):
            return True  # a module may be converted again
        prints = symbol.text == "print" and not self.context.options.uses(Feature.BUILTIN_FUNCTIONS)
        return prints or symbol.text in _DEBUGGERS

    def _is_hidden(self, builtin: str) -> bool:
        """Whether the name of a builtin means something else to the user's function."""
        if builtin not in self.hidden_builtins:
            self.hidden_builtins[builtin] = self.context.is_hidden(builtin)
        return self.hidden_builtins[builtin]


def _reads_frame(node: Node) -> bool:
    if isinstance(node, gast.Name):
        return node.id in _BOUND_TO_FRAME or node.id in _LOOK_AT_CALLERS
    if isinstance(node, gast.Attribute):
        return node.attr in _LOOK_AT_CALLERS
    return isinstance(node, gast.keyword) and node.arg in _LOOK_AT_CALLERS
