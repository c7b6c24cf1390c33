"""Calls of native code.

    ag__.converted_call(f, (x,), None, fscope)    ->    ag__.callee(f, fscope)(x)

Where the callee, or the receiver of a method, is what it is likely to be, and the arguments have no say, it is called
without asking; in loops what was found for a function of a module is remembered.
"""

from __future__ import annotations

import ast
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

from autograph.conversion.exact_calls import keywords_of, positional_of
from autograph.conversion.fast.scope import FunctionScope
from autograph.emit.nodes import Read, assigned, changed, compare, is_read, item_of, load, placed_at
from autograph.operators.callees import Site, is_static
from autograph.operators.calls import special_callables
from autograph.pyct.nodes import children

_MOST_PAIRS = 50
_CALLBACKS = frozenset({"key", "func", "function"})
# Built-in functions that may be staged, and the types that their arguments often have.
_PLAIN_ARGUMENTS: dict[Any, tuple[type, ...]] = {
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
# For the names of methods, the type of what has them most often; these are all written in C, and call nothing back.
_TYPE_WITH: dict[str, type] = {
    name: kind for kind in (bytes, frozenset, set, tuple, str, dict, list) for name in vars(kind) if name[0] != "_"
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


def likely_type(node: Any) -> type:
    """The type that a printed expression is likely to have that a loop runs over."""
    function = node.args[0] if isinstance(node, ast.Call) and len(node.args) == 4 else None
    if isinstance(function, ast.Call) and function.args:  # ag__.ld(...)
        function = function.args[0]
    return _RESULTS.get(getattr(function, "id", getattr(function, "attr", "")), list)


def _calls_something(node: Any) -> bool:
    if isinstance(node, Read):
        return False
    return isinstance(node, ast.Call) or any(map(_calls_something, children(node)))


class Calls(FunctionScope):
    """Makes calls native."""

    def _call(self, node: Any) -> Any:
        function, positional, named, scope = node.args
        args, keywords = positional_of(positional), keywords_of(named)
        if args is None or keywords is None:
            return changed(node, args=[*self._each(node.args[:3]), scope])
        function, args, keywords = self.callable(function), self._each(args), self._each(keywords)
        if any(k.arg in _CALLBACKS for k in keywords):
            return self._call_of(placed_at(self._ag("star_callee", [function, scope]), node), args, keywords, node)
        if not self.is_lambda and not self.inside_generator:
            quick = self._known_call(function, args, keywords, scope, node)
            if quick is not None:
                return quick
        return self._call_of(self._callee(function, scope, node), args, keywords, node)

    def _callee(self, function: Any, scope: Any, node: Any) -> Any:
        return placed_at(self._ag("callee", [function, scope]), node)

    def _call_of(self, function: Any, args: list[Any], keywords: list[Any], node: Any, method: Any = None) -> Any:
        call: Any = placed_at(ast.Call(function, args, keywords), node)
        asked: Any = function.args[0] if method is None and isinstance(function, ast.Call) and function.args else method
        if isinstance(asked, ast.Attribute) and asked.end_lineno not in (None, call.lineno):
            # Python says of a method call that it is on the line on which the name of the method ends.
            end: Any = asked.end_col_offset
            call.lineno, call.col_offset = asked.end_lineno, max(end - len(asked.attr), 0)
        return call

    def _known_call(self, function: Any, args: list[Any], keywords: list[Any], scope: Any, node: Any) -> Any:
        """A call that is made without asking for the callee if that, or the receiver, is what it is likely to be."""
        if isinstance(function, ast.Attribute):
            if any(map(_calls_something, (*args, *keywords))):
                return None  # rather twice the time than twice the text
            return self._method_call(function, args, keywords, scope, node)
        if not isinstance(function, ast.Name):
            return None
        if function.id in self.locals or function.id in self.enclosing:
            return self._remembered(function, args, keywords, scope, node)
        try:
            value = self.paths.resolve(function.id)
        except NameError:
            return None
        if isinstance(value, FunctionType) or (type(value) is type and not is_static(value)):
            return self._remembered(function, args, keywords, scope, node)
        is_function = isinstance(value, BuiltinFunctionType) and value.__module__ == "builtins"
        if not is_function and not (type(value) is type and is_static(value)):
            return None
        checks: list[Any] = []
        holds = False
        starred = any(isinstance(a, ast.Starred) for a in args)
        settled = (
            not keywords
            and not starred
            and ((value is type and len(args) == 1) or (value is super and not args and not self.inside_comprehension))
        )
        if value in special_callables and not settled:
            kinds = _PLAIN_ARGUMENTS.get(value)
            if kinds is None or keywords or not args or starred:
                return None
            if not all(is_read(a) or isinstance(a, ast.Constant) for a in args[1:]):
                return None
            if not is_read(args[0]) and not isinstance(args[0], ast.Constant):
                if not self.may_assign:
                    return None
                first = load(self.paths.argument)
                holds = kinds[0] is not int
                checks.append(self._is_any_of(assigned(self.paths.argument, args[0]), kinds))
                args = [first, *args[1:]]
            else:
                checks.append(self._is_any_of(args[0], kinds))
            checks += [self._is_any_of(a, kinds) for a in args[1:]]
            checks = [c for c in checks if c is not None]
        same = compare(function, ast.Is(), self._known(value))
        test = placed_at(ast.BoolOp(ast.And(), [*checks[:1], same, *checks[1:]]), node) if checks else same
        chosen = placed_at(ast.IfExp(test, function, self._callee(function, scope, node)), node)
        call = self._call_of(chosen, args, keywords, node)
        if not holds:
            return call
        parts = [call, assigned(self.paths.argument, ast.Constant(None))]  # which must not live on
        return placed_at(item_of(placed_at(ast.Tuple(parts, ast.Load()), node), 0), node)

    def _method_call(self, function: Any, args: list[Any], keywords: list[Any], scope: Any, node: Any) -> Any:
        kind = _TYPE_WITH.get(function.attr)
        if kind is not None:
            if not is_read(function.value):
                return None
            direct = self._call_of(function, args, keywords, node)
            asked = self._call_of(self._callee(function, scope, node), args, keywords, node)
            return placed_at(ast.IfExp(self._is_of(function.value, kind), direct, asked), node)
        if not self.may_assign:
            return None
        site = self.paths.constant(Site())
        if not self.loops:
            return self._method_at(site, function, args, keywords, scope, node)
        # In a loop it is likely to be the same method, if of another object.
        method, learned = load(self.paths.argument), load(self.paths.operand)
        asked, found = self._pair()
        self.remembered += [asked, found]
        learn = ast.Tuple(
            [
                assigned(learned.id, placed_at(self._ag("learned_method", [method, scope, site]), node)),
                assigned(asked, item_of(learned, 1)),
                assigned(found, item_of(learned, 2)),
                item_of(learned, 0),
            ],
            ast.Load(),
        )
        again = ast.Attribute(method, "__self__", ast.Load())
        same = compare(ast.Attribute(method, "__func__", ast.Load()), ast.Is(), load(asked))
        chosen = ast.IfExp(
            self._is_of(assigned(method.id, function), MethodType),
            ast.IfExp(
                same,
                self._call_of(load(found), [again, *args], keywords, node, function),
                self._call_of(item_of(learn, 3), args, keywords, node, function),
            ),
            self._call_of(self._callee(method, scope, node), args, keywords, node, function),
        )
        parts = [placed_at(chosen, node), *(assigned(n, ast.Constant(None)) for n in (method.id, learned.id))]
        return placed_at(item_of(placed_at(ast.Tuple(parts, ast.Load()), node), 0), node)

    def _method_at(self, site: Any, function: Any, args: list[Any], keywords: list[Any], scope: Any, node: Any) -> Any:
        """A call of a method, at a place that remembers what it called last."""
        method, kept = load(self.paths.argument), load(self.paths.kept)
        own = ast.Attribute(method, "__func__", ast.Load())
        again = ast.Attribute(method, "__self__", ast.Load())
        chosen = ast.IfExp(
            ast.BoolOp(
                ast.And(),
                [
                    self._is_of(assigned(method.id, function), MethodType),
                    *self._is_kept(own, site),
                ],
            ),
            self._call_of(item_of(kept, 3), [again, *args], keywords, node, function),
            self._call_of(
                placed_at(self._ag("method_at", [site, method, scope]), node), args, keywords, node, function
            ),
        )
        parts = [placed_at(chosen, node), assigned(method.id, ast.Constant(None))]
        return placed_at(item_of(placed_at(ast.Tuple(parts, ast.Load()), node), 0), node)

    def _is_kept(self, function: Any, site: Any) -> list[Any]:
        """Whether a function is the one that a place in the code remembers."""
        kept = load(self.paths.kept)
        first = assigned(kept.id, ast.Attribute(site, "kept", ast.Load()))
        return [
            compare(item_of(first, 0), ast.Is(), function),
            *(
                compare(ast.Attribute(item_of(kept, 0), name, ast.Load()), ast.Is(), item_of(kept, i))
                for i, name in ((1, "__code__"), (2, "__defaults__"))
            ),
        ]

    def _remembered(self, function: Any, args: list[Any], keywords: list[Any], scope: Any, node: Any) -> Any:
        """A call of something by its name: what to call in its place is remembered while a loop runs.

        For functions of a module, the place in the code remembers it.
        """
        if not self.may_assign:
            return None
        is_local = function.id in self.locals or function.id in self.enclosing
        if is_local:
            if not self.loops:
                return None
            called = self._callee(function, scope, node)
        else:
            site = self.paths.constant(Site())
            test = placed_at(ast.BoolOp(ast.And(), self._is_kept(function, site)), node)
            asked_at = placed_at(self._ag("callee_at", [site, function, scope]), node)
            called = placed_at(ast.IfExp(test, item_of(load(self.paths.kept), 3), asked_at), node)
        if not self.loops:
            return self._call_of(called, args, keywords, node)
        asked, found = self._pair()
        self.remembered += [asked, found]
        if is_local:
            self.held += [asked, found]
        learned = ast.Subscript(
            ast.Tuple(
                [
                    assigned(found, called),
                    assigned(asked, self._ag("if_function", [function, load(found)])),
                    load(found),
                ],
                ast.Load(),
            ),
            ast.Constant(0),
            ast.Load(),
        )
        known = compare(function, ast.Is(), load(asked))
        return self._call_of(placed_at(ast.IfExp(known, load(found), learned), node), args, keywords, node)

    def _pair(self) -> tuple[str, str]:
        """Variables for a callable and what to call in its place; after many they are shared, and still belong together."""
        position = self.pairs % _MOST_PAIRS
        self.pairs += 1
        pair = self.paths.pair(position)
        if pair[0] not in self.remembered:
            self.remembered += pair
        return pair

    def _known(self, value: Any) -> Any:
        name = self.paths.name_of(value)
        self.known[name] = value
        return load(name)

    def _is_of(self, node: Any, kind: type) -> Any:
        return compare(placed_at(ast.Call(self._known(type), [node], []), node), ast.Is(), self._known(kind))

    def _is_any_of(self, node: Any, kinds: tuple[type, ...]) -> Any:
        """Whether a value is of one of two types at most."""
        if isinstance(node, ast.Constant):
            return None
        first = self._is_of(node, kinds[0])
        if len(kinds) == 1:
            return first
        again = load(node.target.id) if isinstance(node, ast.NamedExpr) else node
        return placed_at(ast.BoolOp(ast.Or(), [first, *(self._is_of(again, kind) for kind in kinds[1:])]), node)

    def _star_call(self, node: Any) -> Any:
        function, scope = node.func.args
        found = changed(node.func, args=[self.callable(function), scope])
        found = placed_at(self._ag("star_callee", found.args), node.func)
        return changed(node, func=found, args=self._each(node.args), keywords=self._each(node.keywords))
