"""Rewrites calls, so that the called function is converted too when it has to be.

    f(x, *a, k=1, **d)    ->    ag__.converted_call(f, (x,) + tuple(a), dict(k=1, **d), fscope)

Left as they are: `print` (unless asked for), what starts a debugger, the items of `with`, and annotations.
"""

from __future__ import annotations

import sys

import gast

from autograph.converters.converter import Context, Converter
from autograph.converters.forms import ConvertedCall
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
_LOOK_AT_CALLERS = {"_getframe", "_getframemodulename", "currentframe", "stack", "stacklevel", *_OF_FRAMES}
_LOOK_AT_CALLERS |= {"extract_stack", "format_stack", "print_stack"}
_DEBUGGERS = frozenset(("breakpoint", "pdb.set_trace", "ipdb.set_trace"))


class Calls(Converter):
    """Lowers calls."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.scope: str | None = None
        self.hidden_builtins: dict[str, bool] = {}

    def visit_FunctionDef(self, node: Node) -> Node:
        self.visit_fields(node, "decorator_list", "args")
        if sys.version_info < (3, 14):  # from then on annotations have a frame of their own
            for arg in parameters(node.args):
                self._visit_readers(arg, "annotation")
            self._visit_readers(node, "returns")
        self.visit_fields(node.body[-1], "body", scope=node.body[-1].label)
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: Node) -> Node:
        self.visit_fields(node, "args")
        return self.visit_fields(node, "body")

    def visit_LambdaScope(self, node: Node) -> Node:
        return self.visit_fields(node, "body", scope=node.label)

    def visit_arguments(self, node: Node) -> Node:
        return self.visit_fields(node, "defaults", "kw_defaults")

    def visit_With(self, node: Node) -> Node:
        for item in node.items:
            self._visit_readers(item, "context_expr", "optional_vars")
        return self.visit_fields(node, "body")

    visit_AsyncWith = visit_With

    def _visit_readers(self, node: Node, *fields: str) -> None:
        """Visits what looks at the function's frame, as it may be part of a branch, which has its own; no other part."""
        for field in fields:
            value = getattr(node, field)
            visited = [
                self.visit(part) if part is not None and any(map(_reads_frame, frame_nodes([part]))) else part
                for part in (value if isinstance(value, list) else [value])
            ]
            setattr(node, field, visited if isinstance(value, list) else visited[0])

    def visit_match_case(self, node: Node) -> Node:
        return self.visit_fields(node, "guard", "body")

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
