"""Rewrites subscripts, so that items of staged lists and tensors can be read and set.

    x[i] = y      ->    x = ag__.set_item(x, i, y)
    x[i + 1] = y  ->    x = ag__.store_item(y, x, i + 1)      in the order in which Python evaluates
    x[i] += y     ->    x = ag__.update_item(ag__.taken_item(x, i), '+=', y)
    x[1:] = y     ->    x = ag__.store_item(y, x, ag__.index[1:])
    x[i][j] = y   ->    x = ag__.store_inside(y, ag__.taken_item(x, i), j)
    x[i]          ->    ag__.get_item(x, i, opts=ag__.GetItemOpts(element_dtype=None))

Only local variables are set anew.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import gast

from autograph.converters.converter import Context
from autograph.converters.lists import OfLocals
from autograph.converters.stays import frame_nodes
from autograph.pyct.names import qualified_name
from autograph.pyct.nodes import Node, walk
from autograph.pyct.origin import position_of
from autograph.pyct.quote import constant, quote, quote_expression, set_context
from autograph.pyct.trees import copied
from autograph.pyct.unparse import SYMBOLS


class Slices(OfLocals):
    """Lowers reads and assignments of single items."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.dictionaries: dict[Any, set[str]] = {}

    def _is_item_of_local(self, target: Node, statement: Node) -> bool:
        if not isinstance(target, gast.Subscript):
            return False
        base = target
        while isinstance(base, gast.Subscript):
            if isinstance(base.slice, gast.Constant) and isinstance(base.slice.value, str):
                return False  # what holds it is a dictionary, whose items are symbols of their own
            base = base.value
        return (
            isinstance(base, gast.Name)
            and self.is_plain_local(base.id)
            and not self._is_dictionary(base.id)
            and not _sets_part_of(target, statement)
        )

    def _is_dictionary(self, name: str) -> bool:
        """Whether all that a variable is ever set to are new dictionaries: their items are symbols of their own."""
        function = self.functions[-1]
        if name in self.scopes[-1].params:
            return False
        if function not in self.dictionaries:
            stored, made = Counter[str](), Counter[str]()
            for node in frame_nodes(function.body):
                if isinstance(node, gast.Name) and isinstance(node.ctx, gast.Store):
                    stored[node.id] += 1
                elif isinstance(node, gast.Assign) and _makes_dictionary(node.value):
                    made.update(t.id for t in node.targets if isinstance(t, gast.Name))
            self.dictionaries[function] = {n for n in made if stored[n] == made[n]}
        return name in self.dictionaries[function]

    def visit_Assign(self, node: Node) -> Node:
        target = node.targets[0]
        if len(node.targets) > 1 or not self._is_item_of_local(target, node):
            unpacked = self._unpacked(node)
            node.targets = [self._target(t) for t in node.targets]
            node.value = self.visit(node.value)
            return [node, *unpacked]
        at = position_of(target)
        text = "ag__.set_item(source, key, value)"
        if not self._any_order(target, node.value):
            text = "ag__.store_item(value, source, key)"
        if isinstance(target.value, gast.Subscript):
            node.value = self.visit(node.value)
            base, taken, key = self._taken(target)
            text = "ag__.store_inside(value, taken, key)"
            stored = quote_expression(text, at, value=node.value, taken=taken, key=key)
            return quote("target = stored", position_of(node), target=base, stored=stored)
        self.generic_visit(node)
        stored = quote_expression(text, at, source=target.value, key=_key(target.slice, at), value=node.value)
        base = set_context(copied(target.value), gast.Store)
        return quote("target = stored", position_of(node), target=base, stored=stored)

    def _unpacked(self, node: Node) -> list[Any]:
        """Puts names for the items in a tuple of targets; returns the statements that set the items to them."""
        target = node.targets[0]
        if len(node.targets) != 1 or not isinstance(target, (gast.Tuple, gast.List)):
            return []
        parts = [t.value if isinstance(t, gast.Starred) else t for t in target.elts]
        items = [i for i, t in enumerate(parts) if self._is_item_of_local(t, node)]
        if not items or not all(i in items or isinstance(t, gast.Name) for i, t in enumerate(parts)):
            return []
        first = items[0]
        result: list[Any] = []
        for i, item in enumerate(target.elts[first:], first):  # in order, as a key may be a target before it
            place = item.value if isinstance(item, gast.Starred) else item
            part = gast.Name(self.namer.new("item"), gast.Store(), None, None)
            gast.copy_location(part, place)
            if isinstance(item, gast.Starred):
                item.value = part
            else:
                target.elts[i] = part
            value = gast.copy_location(gast.Name(part.id, gast.Load(), None, None), place)
            found = self.visit(gast.copy_location(gast.Assign([place], value, None), node))
            result += found if isinstance(found, list) else [found]
        return result

    def _taken(self, target: Node) -> tuple[Any, Any, Any]:
        """The variable to set for an item of an item, the expression that takes the inner one, and the last key."""
        at = position_of(target)
        key = _key(self.visit(target.slice), at)
        if not isinstance(target.value, gast.Subscript):
            return set_context(copied(target.value), gast.Store), target.value, key
        base, source, inner = self._taken(target.value)
        return base, quote_expression("ag__.taken_item(source, key)", at, source=source, key=inner), key

    def _any_order(self, target: Node, value: Node) -> bool:
        """Whether it cannot be told if the value or the place it goes to is evaluated first."""
        if not self._cannot_fail(target.value):
            return False
        return self._cannot_fail(target.slice) or self._cannot_fail(value)

    def _cannot_fail(self, node: Node) -> bool:
        if isinstance(node, gast.Constant):
            return True
        unset = self.context.facts.marks.read_unset.get(self.functions[-1], set())
        return isinstance(node, gast.Name) and self.is_plain_local(node.id) and node.id not in unset

    def visit_AugAssign(self, node: Node) -> Node:
        target = node.target
        if not self._is_item_of_local(target, node):
            node.target = self._target(node.target)
            node.value = self.visit(node.value)
            return node
        at = position_of(node)
        base, source, key = self._taken(target)
        node.value = self.visit(node.value)
        taken = quote_expression("ag__.taken_item(source, key)", position_of(target), source=source, key=key)
        text, symbol = "target = ag__.update_item(taken, symbol, value)", SYMBOLS[type(node.op).__name__] + "="
        return quote(text, at, target=base, taken=taken, symbol=constant(symbol, at), value=node.value)

    def _target(self, target: Node) -> Node:
        """What stays a target: where all of it is a symbol, so that its value is state, no part may change."""
        return target if qualified_name(target) is not None else self.visit(target)

    def visit_Subscript(self, node: Node) -> Node:
        self.generic_visit(node)
        if not isinstance(node.ctx, gast.Load) or not _is_item(node.slice):
            return node
        return quote_expression(
            "ag__.get_item(source, key, opts=ag__.GetItemOpts(element_dtype=None))",
            position_of(node),
            source=node.value,
            key=node.slice,
        )

    def visit_AnnAssign(self, node: Node) -> Node:
        return self.visit_fields(node, "value")


def _sets_part_of(target: Node, statement: Node) -> bool:
    """Whether a `:=` in a statement sets a variable that its target reads."""
    read = {item.id for item in walk(target) if isinstance(item, gast.Name)}
    return any(isinstance(item, gast.NamedExpr) and item.target.id in read for item in walk(statement))


def _is_item(key: Node) -> bool:
    return not isinstance(key, (gast.Slice, gast.Tuple))


def _makes_dictionary(node: Node) -> bool:
    if isinstance(node, gast.Call):
        return isinstance(node.func, gast.Name) and node.func.id == "dict"
    return isinstance(node, (gast.Dict, gast.DictComp))


def _key(key: Node, at: Node) -> Node:
    """The expression for a key; a slice can only be written between brackets."""
    parts = key.elts if isinstance(key, gast.Tuple) else [key]
    if not any(isinstance(part, gast.Slice) for part in parts):
        return key
    node = quote_expression("ag__.index[0]", at)
    node.slice = key
    return node
