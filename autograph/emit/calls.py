"""Compiles calls: Python itself makes them, of what is to be called in place of the callable.

    ag__.converted_call(f, (x,), None, fscope)    ->    (SITE.target if SITE.function is f else SITE.find(f))(x)

A place remembers what it called last, as long as that lives as long as a module; where a built-in function or the receiver
of a method is what it is likely to be, and the arguments have no say, it is called without asking.
"""

from __future__ import annotations

import ast
import builtins
import sys
from types import BuiltinFunctionType, MethodType

import gast

from autograph.backends.registry import is_static
from autograph.emit.expressions import Expressions
from autograph.emit.nodes import (
    all_of,
    any_of,
    assigned,
    bare,
    call_of,
    changed,
    compare,
    exact_type,
    if_exp,
    is_read,
    item_of,
    let_go,
    load,
    negation,
    placed_at,
)
from autograph.operators import effects
from autograph.operators.call_sites import ClassSite, MethodSite, Site
from autograph.operators.introspection import special_callables, special_methods
from autograph.pyct.nodes import Node

# CPython 3.13.0 cannot compile every choice of what is called where there are others in the arguments.
_MAY_CHOOSE_FIRST = sys.version_info[:2] != (3, 13)
_CALLBACKS = frozenset({"key", "func", "function"})
# Built-in functions that may be staged, and the types that their arguments often have.
_PLAIN_ARGUMENTS: dict[object, tuple[type, ...]] = {
    abs: (int, float),
    enumerate: (list, tuple),
    float: (int, str),
    int: (int, float, str),
    iter: (list, tuple),
    len: (list, str, tuple, dict),
    max: (int, float),
    min: (int, float),
    range: (int,),
    reversed: (list, tuple),
    round: (float,),
    zip: (list, tuple),
}
_LOOK_INTO_LISTS = (ascii, bytes, format)  # and change nothing: what stands in for a list is to be asked
_LAZY = (enumerate, zip)  # these look at their argument after the call
# For the names of methods, the type of what has them most often; these are all written in C, and call nothing of the
# user's back but `__hash__` and `__eq__` of keys, which run as they are.
_TYPE_WITH: dict[str, type] = {
    name: kind
    for kind in (bytes, frozenset, set, tuple, str, dict, list)
    for name in vars(kind)
    if name[0] != "_" and id(kind) not in special_methods.get(name, ())
}
_RESULTS: dict[str, type] = {
    "range": range,
    "enumerate": enumerate,
    "zip": zip,
    "map": map,
    "filter": filter,
    "items": type({}.items()),
    "keys": type({}.keys()),
    "values": type({}.values()),
}


def likely_type(node: Node) -> type:
    """The type that an expression is likely to have that a loop runs over."""
    function = node.func if isinstance(node, (gast.Call,)) or type(node).__name__ == "ConvertedCall" else None
    function = getattr(function, "value", function) if type(function).__name__ == "Read" else function
    return _RESULTS.get(getattr(function, "id", getattr(function, "attr", "")), list)


class Calls(Expressions):
    """The calls of one function."""

    def visit_ConvertedCall(self, node: Node) -> Node:
        with self.meanwhile(converts_calls=False):
            return self._call(node, self.unit.scopes[node.scope])

    def visit_Call(self, node: Node) -> Node:
        if not self.converts_calls:
            return self.generic_visit(node)
        return self._call(node, self.unit.scopes[self.scope])

    def _call(self, node: Node, scope: object) -> Node:
        function = self._function(node.func)
        args, keywords = self.each(node.args), self.each(node.keywords)
        if any(isinstance(a, gast.Starred) for a in node.args) or any(
            k.arg is None or k.arg in _CALLBACKS for k in node.keywords
        ):
            asked = self.unit.call("star_callee", [self.sites.expression(function), self.unit.constant(scope)], node)
            return self._made(asked, args, keywords, node)
        if isinstance(function, ast.Attribute):
            return self._method(function, args, keywords, scope, node)
        if isinstance(function, ast.Name):
            return self._named(function, args, keywords, scope, node)
        return self._made(self._found(self._site(scope), function, node), args, keywords, node)

    def _function(self, node: Node) -> Node:
        """What is called; an attribute without its site."""
        if isinstance(node, gast.Attribute):
            return placed_at(ast.Attribute(self.visit(node.value), node.attr, ast.Load()), node)
        return self.visit(node)

    def _made(self, function: Node, args: list[Node], keywords: list[Node], node: Node) -> Node:
        call = placed_at(ast.Call(function, args, keywords), node)
        asked = node.func
        if isinstance(asked, gast.Attribute) and asked.end_lineno not in (None, call.lineno):
            # Python says of a method call that it is on the line on which the name of the method ends.
            call.lineno, call.col_offset = asked.end_lineno, max(asked.end_col_offset - len(asked.attr), 0)
        return call

    def _site(self, scope: object) -> Node:
        return self.unit.constant(Site(scope))

    def _found(self, site: Node, function: Node, node: Node) -> Node:
        """Asks what is to be called in place of a callable."""
        return call_of(self.unit.method(site, "find"), [function], node)

    def _named(self, function: Node, args: list[Node], keywords: list[Node], scope: object, node: Node) -> Node:
        """A call of something by its name."""
        site = self._site(scope)
        name = function.id
        if self._is_outer(name):
            value = self.namespace.get(name, getattr(builtins, name, None))
            if _is_builtin(value):
                return self._builtin(value, function, args, keywords, scope, node)
            if type(value) is type:
                return self._class(function, args, keywords, scope, node)
        found = self._found(site, function, node)
        if self._may_test():
            same, kept = self._kept(site, function)
            found = if_exp(same, item_of(kept, 1), found, node)
        return self._made(found, args, keywords, node)

    def _is_outer(self, name: str) -> bool:
        return name not in self.frame.locals and name not in self.frame.around

    def is_builtin(self, name: str) -> bool:
        """Whether a name means a built-in function, or did when the function was converted."""
        value = getattr(builtins, name)
        return self._is_outer(name) and self.namespace.get(name, value) is value

    def _kept(self, site: Node, function: Node) -> tuple[Node, Node]:
        """Whether a place remembers a callable; and what it remembers."""
        kept = self.temporary("kept")
        first = assigned(kept, ast.Attribute(site, "kept", ast.Load()))
        return compare(item_of(first, 0), ast.Is(), function), load(kept)

    def _class(self, function: Node, args: list[Node], keywords: list[Node], scope: object, node: Node) -> Node:
        """Makes an instance of a class that may be made as it is, while it says so."""
        site = self.unit.constant(ClassSite(scope))
        found = self._found(site, function, node)
        if self._may_test():
            same, kept = self._kept(site, function)
            tests = [same]
            for position, attribute in ((1, "__init__"), (2, "__new__")):
                tests.append(compare(ast.Attribute(function, attribute, ast.Load()), ast.Is(), item_of(kept, position)))
            found = if_exp(all_of(tests, node), item_of(kept, 3), found, node)
        return self._made(found, args, keywords, node)

    def _builtin(
        self, value: object, function: Node, args: list[Node], keywords: list[Node], scope: object, node: Node
    ) -> Node:
        """A call of what its name says, if that is the built-in one and the arguments are such that it is plain."""
        found = self._found(self._site(scope), function, node)
        changes = effects.changes_arguments(value)
        if changes and value not in _PLAIN_ARGUMENTS:
            if type(value) is type and value not in special_callables:
                effects.may_change(value)  # as it is told of where it is looked for
                tests = [compare(function, ast.Is(), self.unit.constant(value))]
                tests += [self._unless("open_journals"), self._unless("open_traces")]
                found = if_exp(all_of(tests, node), function, found, node)
            return self._made(found, args, keywords, node)
        same = compare(function, ast.Is(), self.unit.constant(value))
        if changes:
            same = all_of([same, self._unless("open_journals")], node)
        if value in _LOOK_INTO_LISTS:
            same = all_of([same, self._unless("open_traces")], node)
        if value is isinstance or value is type:
            same = all_of([same, self._unless("open_traces")], node)
        settled = not keywords and (
            value is isinstance
            or (value is type and len(args) == 1)
            or (value is super and not args and not self.inside and not self.frame.is_part)
        )
        checks: list[Node] = []
        held = False
        if value in special_callables and not settled:
            kinds = _PLAIN_ARGUMENTS.get(value)
            simple = all(is_read(a) or isinstance(a, ast.Constant) for a in args[1:])
            if kinds is None or keywords or not args or not simple or not self.unit.guards:
                return self._made(found, args, keywords, node)
            first = args[0]
            unless = "open_traces" if value in _LAZY else "with_stand_ins"
            if not is_read(first) and not isinstance(first, ast.Constant):
                if not self.may_assign:
                    return self._made(found, args, keywords, node)
                argument = self.temporary("argument")
                held = kinds[0] is not int
                checks.append(self._is_any_of(assigned(argument, first), kinds, unless))
                args = [load(argument), *args[1:]]
            elif isinstance(first, ast.Constant):
                if type(first.value) not in kinds:
                    return self._made(found, args, keywords, node)
            elif exact_type(first, self.frame.known) not in kinds:
                checks.append(self._is_any_of(bare(first), kinds, unless))
            others = [a for a in args[1:] if exact_type(a, self.frame.known) is None]
            checks += [self._is_any_of(bare(a), kinds, unless) for a in others]
        test = all_of([*checks[:1], same, *checks[1:]], node) if checks else same
        call = self._made(if_exp(test, function, found, node), args, keywords, node)
        return let_go(call, [self.temporary("argument")], node) if held else call

    def _is_any_of(self, node: Node, kinds: tuple[type, ...], unless: str) -> Node:
        """Whether a value is of one of some types, see `is_of`."""
        tests = [self.is_of(node, kinds[0], unless)]
        again = load(node.target.id) if isinstance(node, ast.NamedExpr) else node
        if len(kinds) == 2:
            tests.append(self.is_of(again, kinds[1], unless))
        elif len(kinds) > 2:
            kind = call_of(self.unit.constant(type), [again], node)
            known = self.unit.constant(frozenset(map(id, kinds[1:])))  # these live as long as Python
            tests.append(compare(call_of(self.unit.constant(id), [kind], node), ast.In(), known))
        return any_of(tests, node)

    def is_of(self, node: Node, kind: type, unless: str = "with_stand_ins") -> Node:
        """Whether a value is of a type; no list is that while there is anything in the table `unless`."""
        asked = call_of(self.unit.constant(type), [node], node)
        found = compare(asked, ast.Is(), self.unit.constant(kind))
        if kind is not list:
            return found
        return all_of([found, self._unless(unless)], node)

    def _unless(self, table: str) -> Node:
        return negation(self.unit.operator(table))

    def _method(self, function: Node, args: list[Node], keywords: list[Node], scope: object, node: Node) -> Node:
        """A call of a method, or of what a module holds."""
        given = [*args, *(k.value for k in keywords)]
        simple = all(is_read(a) or isinstance(a, ast.Constant) for a in given)
        kind = _TYPE_WITH.get(function.attr)
        site = self.unit.constant(MethodSite(scope))
        if kind is not None and is_read(function.value) and self.unit.guards:
            likely = self.is_of(bare(function.value), kind)
            if effects.mutates(kind, function.attr):
                likely = all_of([likely, self._unless("open_journals")], likely)
            direct = changed(function, value=bare(function.value))
            if simple:
                asked = self._made(self._found(site, self.sites.expression(function), node), args, keywords, node)
                return if_exp(likely, self._made(direct, args, keywords, node), asked, node)
            chosen = self._found(site, self.sites.expression(function), node)
            if _MAY_CHOOSE_FIRST:
                chosen = if_exp(likely, direct, chosen, node)
            return self._made(chosen, args, keywords, node)
        read = self.sites.expression(function)
        found = self._found(site, read, node)
        if kind is not None or not self._may_test() or not (simple or _MAY_CHOOSE_FIRST):
            return self._made(found, args, keywords, node)
        method = self.temporary("method")
        is_method = self.is_of(assigned(method, read), MethodType)
        same, kept = self._kept(site, ast.Attribute(load(method), "__func__", ast.Load()))
        receiver = ast.Attribute(load(method), "__self__", ast.Load())
        other = self._found(site, load(method), node)
        if simple or all(is_read(a) or isinstance(a, ast.Constant) or getattr(a, "is_small", False) for a in given):
            again = self._made(item_of(kept, 1), [receiver, *args], keywords, node)
            is_known = ast.BoolOp(ast.And(), [is_method, same])
            chosen = ast.IfExp(is_known, again, self._made(other, args, keywords, node))
            return let_go(placed_at(chosen, node), [method], node)
        again = ast.Call(self.unit.constant(MethodType), [item_of(kept, 1), receiver], [])
        chosen = ast.IfExp(ast.BoolOp(ast.And(), [is_method, same]), placed_at(again, node), other)
        return self._made(let_go(placed_at(chosen, node), [method], node), args, keywords, node)

    def item(self, node: Node) -> Node:
        """What `with` enters: calls in it are converted."""
        with self.meanwhile(converts_calls=bool(self.scope)):
            return changed(self.visit(node))


def _is_builtin(value: object) -> bool:
    if isinstance(value, BuiltinFunctionType):
        return value.__module__ == "builtins"
    return type(value) is type and is_static(value)
