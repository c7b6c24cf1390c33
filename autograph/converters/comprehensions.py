"""Gives the variables of comprehensions names of their own, where sharing them would mislead the compiler.

    if c:                               if c:
        k = lambda: x            ->         k = lambda: x
        y = [x for x in z]                  y = [x_1 for x_1 in z]

From Python 3.12 on a comprehension runs in the frame of its function. Bodies of branches become functions for which `x`
is a captured variable; a function inside them that captures `x` too then finds it empty (CPython 3.12 and 3.13).

Where CPython itself mistakes the variable of a comprehension for one of the function around it, so does what is made:

    def f():                            def f():
        def g(): return x        ->         x: None             # no value ever
        return g, [x for x in z]            ...
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import CodeType
from typing import Any

import gast

from autograph.converters.converter import Context, Converter
from autograph.converters.stays import FRAME_READERS, reads_frame
from autograph.options import ConversionOptions
from autograph.pyct.analysis.scopes import Scope, Scopes, all_identifiers, walrus_targets
from autograph.pyct.codes import codes_in, own_variables, read_as_globals
from autograph.pyct.nodes import COMPREHENSION_NODES, DEF_NODES, Node, argument_expressions, children, walk

INLINES_COMPREHENSIONS = sys.version_info >= (3, 12)


class Comprehensions(Converter):
    """Renames variables of list, set and dict comprehensions that the functions around them use as well."""

    reads_frame = False

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.names: set[str] = set()
        self.kept: set[str] = set()  # what a generator expression may have got mistaken: it stays as it is

    @classmethod
    def applies(cls, options: ConversionOptions) -> bool:
        """Only on the versions of Python that run comprehensions in place."""
        return INLINES_COMPREHENSIONS

    def convert(self, root: Node) -> Node:
        """Collects the variables of all functions first."""
        self._collect(self.context.facts.get(Scopes, root))
        mistaken = [] if self.context.code is None else list(self._mistaken(root, self.context.code))
        root = self.visit(root)
        for function, name in mistaken:
            if isinstance(function, gast.Lambda):
                self.context.own_variables.append(name)
            else:
                _declare(function, name)
        return root

    def _mistaken(self, function: Node, code: CodeType) -> Iterator[tuple[Any, str]]:
        """The functions in which the compiler took another's variable for their own, with its name."""
        yield from ((function, name) for name in self._mistaken_names(function, code))
        inner = list(codes_in(code))
        for node in walk(function)[1:]:
            if isinstance(node, DEF_NODES):
                line = min(part.lineno for part in (node, *node.decorator_list))
                same = [c for c in inner if c.co_name == node.name and c.co_firstlineno == line]
                if len(same) == 1:
                    yield from ((node, name) for name in self._mistaken_names(node, same[0]))

    def _mistaken_names(self, function: Node, code: CodeType) -> list[str]:
        free = self.context.facts.get(Scopes, function).free
        found = [name for name in own_variables(code) if name in free and name not in code.co_freevars]
        if not found:
            return []
        # Where the function, or one inside, reads that of the module, the cell is that of the comprehension alone.
        read = read_as_globals(code, function)
        return [name for name in found if name not in read]

    def _collect(self, scope: Scope) -> None:
        if not scope.is_comprehension:
            self.names.update(scope.bound, scope.free)
        for inner in scope.inner:
            self._collect(inner)

    def visit_FunctionDef(self, node: Node) -> Node:
        return self.visit_fields(node, *node._fields, reads_frame=reads_frame(node, self.namer))

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ListComp(self, node: Node) -> Node:
        self.generic_visit(node)
        if self.reads_frame and not FRAME_READERS.isdisjoint(all_identifiers(node)):
            return node
        scope = self.context.facts.get(Scopes, node)
        # What `:=` sets is the function's; the error for what is read before it is set names it.
        kept = _read_before_set(node) | set(walrus_targets(node)) | self.kept
        for name in scope.bound:
            if name in self.names and name not in kept:
                first = node.generators[0].iter  # evaluated outside: keeps its names
                node.generators[0].iter = gast.Constant(None, None)
                _rename(node, name, self.namer.new(name), self.context.facts)
                node.generators[0].iter = first
        return node

    visit_SetComp = visit_DictComp = visit_ListComp

    def visit_GeneratorExp(self, node: Node) -> Node:
        first = node.generators[0]
        first.iter = self.visit(first.iter)
        iterated, first.iter = first.iter, gast.Constant(None, None)
        scope = self.context.facts.get(Scopes, node)
        outer, self.kept = self.kept, {n for inner in scope.inner for n in inner.free} - {*scope.bound, *scope.reads}
        self.generic_visit(node)
        self.kept, first.iter = outer, iterated
        return node


def _declare(function: Node, name: str) -> None:
    """Makes `name` a variable of the function, without a value."""
    described = gast.get_docstring(function, clean=False) is not None
    first = function.body[0]
    declared = gast.AnnAssign(gast.Name(name, gast.Store(), None, None), gast.Constant(None, None), None, 1)
    function.body.insert(described, gast.copy_location(declared, first))


def _rename(node: Node, old: str, new: str, facts: Any) -> None:
    """Renames a variable in an expression, but where something in it has a variable of its own of that name."""
    stack = [node]
    while stack:
        item = stack.pop()
        if isinstance(item, gast.Name) and item.id == old:
            item.id = new
        if isinstance(item, gast.Lambda) and old in facts.get(Scopes, item).bound:
            stack.extend(argument_expressions(item.args))
        elif item is not node and isinstance(item, COMPREHENSION_NODES) and old in _targets(item):
            stack.append(item.generators[0].iter)
        else:
            stack.extend(children(item))


def _targets(comprehension: Node) -> set[str]:
    """The variables of the loops of a comprehension."""
    return set().union(*map(_set_by, comprehension.generators))


def _set_by(loop: Node) -> set[str]:
    return {n.id for n in walk(loop.target) if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Store)}


def _read_before_set(comprehension: Node) -> set[str]:
    """What loops read that no loop has set by then."""
    found: set[str] = set()
    already: set[str] = set()
    for position, loop in enumerate(comprehension.generators):
        if position:
            found |= all_identifiers(loop.iter) - already
        already |= _set_by(loop)
        found |= all_identifiers(gast.Tuple([loop.target, *loop.ifs], gast.Load())) - already
    return found
