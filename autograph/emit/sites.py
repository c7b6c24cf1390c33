"""Read sites and write sites: the places of compiled code where Python may run code of the user's, or changes an object.

    printed and written     compiled, while a backend is active

    p.value                 p.value if type(p) is S.kind else S(p)
    a + b                   a + b if type(a) is S.left and type(b) is S.right else S(a, b)
    for x in xs:            for x in (xs if type(xs) is S.kind else S(xs)):
    p.value = v             if type(p) is S.kind and not tracing: p.value = v
                            else: S(p, v)

`S` is a *site*: one object for each place, a constant of the compiled function, made when the function is converted. Its
attributes say for which exact types of the operands Python's own form runs none of the user's code at this place; for all
others the site itself is called, does what Python would do there, and may learn the types that it met. Sites are the
classes of `operators/attributes.py` (reads) and `operators/effects.py` (writes):

    construct                                  site made by the compiler       tests                calls
    o.name                                     AttributeRead('name')           S.kind               S(o) -> value
    o[k], o[i:j]                               ItemRead()                      S.left, S.right      S(o, k) -> value
    a + b, a @ b, ...                          Operation('+')                  S.left, S.right      S(a, b) -> value
    a < b, a == b, a != b, ...                 Operation('<')                  S.left, S.right      S(a, b) -> value
    x in c, x not in c                         Operation('in'), ('not in')     S.left, S.right      S(x, c) -> value
    -a, +a, ~a                                 Operation('-_')                 S.kind               S(a) -> value
    a += b  (a: name, attribute, item)         Operation('+=')                 S.left, S.right      S(a, b) -> new value
    for, comprehensions, *it, a, b = it        Iteration()                     S.kind               S(it) -> an iterable
    async for                                  AsyncIteration()                S.kind               S(it) -> an iterable
    with m:, async with m:                     Entering(), AsyncEntering()     S.kind               S(m) -> a manager
    f"{o}", f"{o!r:>8}"                        Formatting()                    S.kind               S(o) -> what to format
    if o:, while, and, or, not, a if o else b  Truth()                         (native tests)       S(o) -> bool, or o
    o.name = v                                 AttributeWrite('name')          S.kind, not tracing  S(o, v)
    del o.name                                 AttributeDelete('name')         S.kind, not tracing  S(o)
    o[k] = v                                   ItemWrite()                     S.kind, not tracing  S(o, k, v)
    del o[k]                                   ItemDelete()                    S.kind, not tracing  S(o, k)
    x = v, del x   (x declared global)         GlobalWrite('x')                tracing              S(globals) ahead of it
    x = v, del x   (x declared nonlocal)       NonlocalWrite('x')              tracing              S(cell of x) ahead of it

Operands are evaluated once, in Python's order; operands that are constants are not tested. `S.left` is the type of the
first operand as it is written, so of `x` in `x in c`. A class that never runs user code (`kind` of a built-in type) may be
learned for good; what is learned of a user's class holds as long as the class says the same. `tracing` is a variable of
the function: what `ag__.tracing()` says when the function is entered, whether a staged statement is being traced that
wants to be told of writes; in the staged form of a statement it is True, and the tests of writes are left out.

`ON` holds the names of the sites that are compiled in; a place whose site is not in it is compiled as it is written.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from autograph.emit.nodes import assigned, changed, compare, item_of, load, placed_at, store
from autograph.operators import attributes, effects
from autograph.pyct.nodes import Node

# The sites that are compiled in, by the names of their classes.
ON: frozenset[str] = frozenset()

_BINARY: dict[type, str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.MatMult: "@",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.In: "in",
    ast.NotIn: "not in",
}
_UNARY: dict[type, str] = {ast.UAdd: "+_", ast.USub: "-_", ast.Invert: "~_"}


class Sites:
    """Puts sites into the code of one function; `constant` makes a node of an object, `new_name` a variable of ours."""

    def __init__(self, constant: Callable[[Any], Any], new_name: Callable[[str], str]) -> None:
        self.constant = constant
        self.new_name = new_name
        self._used = 0

    def __bool__(self) -> bool:
        return bool(ON)

    # Values

    def expression(self, node: Node, may_assign: bool) -> Node:
        """`node`, whose parts are compiled already, with a site if it is one; `may_assign`: whether `:=` may be used."""
        kind = type(node)
        if kind is ast.Attribute and type(node.ctx) is ast.Load:
            return self._value("AttributeRead", (node.attr,), node, ("value",), may_assign)
        if kind is ast.Subscript and type(node.ctx) is ast.Load:
            return self._value("ItemRead", (), node, ("value", "slice"), may_assign)
        if kind is ast.BinOp:
            return self._value("Operation", (_BINARY[type(node.op)],), node, ("left", "right"), may_assign)
        if kind is ast.UnaryOp and type(node.op) in _UNARY:
            return self._value("Operation", (_UNARY[type(node.op)],), node, ("operand",), may_assign)
        if kind is ast.Compare and len(node.ops) == 1 and type(node.ops[0]) in _BINARY:
            return self._compared(node, may_assign)
        if kind is ast.FormattedValue:
            return changed(node, value=self.stand_in("Formatting", node.value, may_assign))
        if kind is ast.Starred and type(node.ctx) is ast.Load:
            return changed(node, value=self.stand_in("Iteration", node.value, may_assign))
        return node

    def _compared(self, node: Node, may_assign: bool) -> Node:
        pair = ast.Tuple([node.left, node.comparators[0]], ast.Load())
        made = self._value("Operation", (_BINARY[type(node.ops[0])],), pair, ("elts",), may_assign, node)
        return node if made is pair else made

    def _value(
        self,
        site: str,
        args: tuple[Any, ...],
        node: Node,
        fields: tuple[str, ...],
        may_assign: bool,
        whole: Node = None,
    ) -> Node:
        """`node if <its operands are of the types that the site knows> else site(operands)`."""
        if site not in ON:
            return node
        operands = node.elts if fields == ("elts",) else [getattr(node, field) for field in fields]
        asked = [o for o in operands if not isinstance(o, (ast.Constant, ast.Slice))]
        made = self.constant(getattr(attributes, site)(*args))
        at = node if whole is None else whole
        if not asked:
            return node if whole is None else whole
        if not may_assign and not all(map(_is_simple, operands)):
            return placed_at(ast.Call(made, [_as_value(o, self.constant) for o in operands], []), at)
        outer = self._used
        again: list[Any] = []
        tests: list[Any] = []
        held: list[str] = []
        sides = ("kind",) if len(operands) == 1 else ("left", "right")
        for position, (operand, side) in enumerate(zip(operands, sides, strict=True)):
            value = _as_value(operand, self.constant)
            if isinstance(value, ast.Constant) or (
                isinstance(value, ast.Name) and all(map(_is_simple, operands[position + 1 :]))
            ):
                again.append(operand)
            else:
                held.append(self._temporary())
                value = assigned(held[-1], value)
                again.append(load(held[-1]))
            if not isinstance(value, ast.Constant):
                tests.append(self._is_known(value, made, side))
        test = tests[0]
        if len(tests) == 2:  # with both evaluated, whatever the first gives
            both = _is_simple(operands[1])
            test = ast.BoolOp(ast.And(), tests) if both else ast.BinOp(tests[0], ast.BitAnd(), tests[1])
        if whole is not None:
            own: Any = changed(whole, left=again[0], comparators=[again[1]])
        else:
            own = changed(node, **dict(zip(fields, again, strict=True)))
        called = placed_at(ast.Call(made, [_as_value(a, self.constant) for a in again], []), at)
        chosen = placed_at(ast.IfExp(placed_at(test, at), own, called), at)
        self._used = outer
        return self._let_go(chosen, held, at)

    def _is_known(self, value: Node, site: Any, side: str) -> Node:
        kind = placed_at(ast.Call(self.constant(type), [value], []), value)
        return compare(kind, ast.Is(), ast.Attribute(site, side, ast.Load()))

    def _temporary(self) -> str:
        self._used += 1
        return self.new_name(f"part {self._used}")

    def _let_go(self, node: Node, names: list[str], at: Node) -> Node:
        """`node`, after which variables of ours hold nothing."""
        if not names:
            return node
        parts = [node, *(assigned(name, ast.Constant(None)) for name in names)]
        return placed_at(item_of(placed_at(ast.Tuple(parts, ast.Load()), at), 0), at)

    # What Python goes on to use by itself

    def stand_in(self, site: str, node: Node, may_assign: bool) -> Node:
        """`node`, or what the site gives in its place: for `with`, iteration and formatting."""
        if site not in ON or isinstance(node, (ast.Constant, ast.JoinedStr)):
            return node
        made = self.constant(getattr(attributes, site)())
        if isinstance(node, ast.Name):
            other = placed_at(ast.Call(made, [node], []), node)
            return placed_at(ast.IfExp(self._is_known(node, made, "kind"), node, other), node)
        if not may_assign:
            return placed_at(ast.Call(made, [node], []), node)
        name = self._temporary()
        self._used -= 1
        other = placed_at(ast.Call(made, [load(name)], []), node)
        chosen = ast.IfExp(self._is_known(assigned(name, node), made, "kind"), load(name), other)
        return self._let_go(placed_at(chosen, node), [name], node)

    # Writes

    def statement(self, node: Node, tracing: str | None) -> list[Any]:
        """A statement, whose parts are compiled already, with its sites; `tracing` is a variable, or None for True."""
        kind = type(node)
        if kind is ast.Assign and any(map(self._has_write, node.targets)):
            return self._assigned(node.targets, node.value, tracing, node)
        if kind is ast.AnnAssign and node.value is not None and self._has_write(node.target):
            bare = changed(node, value=None)  # the annotation is evaluated after all else
            return [*self._assigned([node.target], node.value, tracing, node), bare]
        if kind is ast.AugAssign:
            return self._augmented(node, tracing)
        if kind is ast.Delete and any(map(self._has_write, node.targets)):
            return [part for target in node.targets for part in self._deleted(target, tracing, node)]
        return [node]

    def _has_write(self, target: Node) -> bool:
        if isinstance(target, (ast.Tuple, ast.List)):
            return "Iteration" in ON or any(map(self._has_write, target.elts))
        if isinstance(target, ast.Starred):
            return self._has_write(target.value)
        if isinstance(target, ast.Attribute):
            return not ON.isdisjoint({"AttributeWrite", "AttributeDelete"})
        return isinstance(target, ast.Subscript) and not ON.isdisjoint({"ItemWrite", "ItemDelete"})

    def _assigned(self, targets: list[Any], value: Node, tracing: str | None, at: Node) -> list[Any]:
        outer = self._used
        result: list[Any] = []
        if len(targets) > 1 or not _is_simple(value):
            name = self._temporary()
            result.append(placed_at(store(name, value), at))
            value = load(name)
        for target in targets:
            result += self._written(target, value, tracing, at)
        return self._without_temporaries(result, outer)

    def _without_temporaries(self, body: list[Any], outer: int) -> list[Any]:
        names = [self.new_name(f"part {number}") for number in range(outer + 1, self._used + 1)]
        self._used = outer
        if names:
            body.append(ast.Assign([ast.Name(n, ast.Store()) for n in names], ast.Constant(None)))
        return body

    def _written(self, target: Node, value: Node, tracing: str | None, at: Node) -> list[Any]:
        """Sets one target to what is a variable or a constant."""
        if isinstance(target, (ast.Tuple, ast.List)):
            parts = [t.value if isinstance(t, ast.Starred) else t for t in target.elts]
            names = [p.id if isinstance(p, ast.Name) else self._temporary() for p in parts]
            elts: list[Any] = []
            for name, item in zip(names, target.elts, strict=True):
                stored: Any = placed_at(ast.Name(name, ast.Store()), item)
                elts.append(changed(item, value=stored) if isinstance(item, ast.Starred) else stored)
            value = self.stand_in("Iteration", value, True)
            result = [placed_at(ast.Assign([changed(target, elts=elts)], value), at)]
            for name, part in zip(names, parts, strict=True):
                if not isinstance(part, ast.Name):
                    result += self._written(part, load(name), tracing, at)
            return result
        if isinstance(target, ast.Attribute) and "AttributeWrite" in ON:
            return self._write("AttributeWrite", (target.attr,), target, [target.value], [value], tracing, at)
        if isinstance(target, ast.Subscript) and "ItemWrite" in ON:
            return self._write("ItemWrite", (), target, [target.value, target.slice], [value], tracing, at)
        return [placed_at(ast.Assign([target], value), at)]

    def _deleted(self, target: Node, tracing: str | None, at: Node) -> list[Any]:
        if isinstance(target, (ast.Tuple, ast.List)):
            return [part for item in target.elts for part in self._deleted(item, tracing, at)]
        if isinstance(target, ast.Attribute) and "AttributeDelete" in ON:
            return self._write("AttributeDelete", (target.attr,), target, [target.value], [], tracing, at)
        if isinstance(target, ast.Subscript) and "ItemDelete" in ON:
            return self._write("ItemDelete", (), target, [target.value, target.slice], [], tracing, at)
        return [placed_at(ast.Delete([target]), at)]

    def _write(
        self,
        site: str,
        args: tuple[Any, ...],
        target: Node,
        operands: list[Any],
        value: list[Any],
        tracing: Any,
        at: Node,
    ) -> list[Any]:
        """`target = value`, or the call of a site; with no value, `del target`."""
        made = self.constant(getattr(effects, site)(*args))
        outer = self._used
        result: list[Any] = []
        again: list[Any] = []
        for position, operand in enumerate(operands):
            plain = _as_value(operand, self.constant)
            if _is_simple(plain) and all(map(_is_simple, operands[position + 1 :])):
                again.append(plain)
            else:
                name = self._temporary()
                result.append(placed_at(store(name, plain), at))
                again.append(load(name))
        called = placed_at(ast.Expr(placed_at(ast.Call(made, [*again, *value], []), at)), at)
        if tracing is None:
            return self._without_temporaries([*result, called], outer)
        fields = dict(zip(("value", "slice"), again, strict=False))
        own: Any = placed_at(ast.Delete([changed(target, **fields)]), at)
        if value:
            own = placed_at(ast.Assign([changed(target, **fields)], value[0]), at)
        untold = placed_at(ast.UnaryOp(ast.Not(), load(tracing)), at)
        test = placed_at(ast.BoolOp(ast.And(), [self._is_known(again[0], made, "kind"), untold]), at)
        return self._without_temporaries([*result, placed_at(ast.If(test, [own], [called]), at)], outer)

    def _augmented(self, node: Node, tracing: str | None) -> list[Any]:
        """`a += b`: the target is read, the operation made in place, and the target set."""
        target = node.target
        if "Operation" not in ON and not self._has_write(target):
            return [node]
        outer = self._used
        result: list[Any] = []
        read: Any
        if isinstance(target, ast.Name):
            read = placed_at(load(target.id), target)
        else:
            fields: dict[str, Any] = {}
            for field in ("value", "slice"):
                part = _as_value(getattr(target, field, None), self.constant)
                if part is not None and not isinstance(part, ast.Constant):
                    name = self._temporary()
                    result.append(placed_at(store(name, part), at := target))
                    fields[field] = placed_at(load(name), at)
            target = changed(target, **fields)
            read = self.expression(changed(target, ctx=ast.Load()), True)
        first, second = self._temporary(), self._temporary()
        result += [placed_at(store(first, read), target), placed_at(store(second, node.value), node)]
        made = self.constant(attributes.Operation(_BINARY[type(node.op)] + "="))
        known = [self._is_known(load(n), made, side) for n, side in ((first, "left"), (second, "right"))]
        in_place = placed_at(ast.AugAssign(ast.Name(first, ast.Store()), node.op, load(second)), node)
        called = placed_at(store(first, placed_at(ast.Call(made, [load(first), load(second)], []), node)), node)
        if "Operation" in ON:
            in_place = placed_at(ast.If(placed_at(ast.BoolOp(ast.And(), known), node), [in_place], [called]), node)
        result += [in_place, *self._written(target, load(first), tracing, node)]
        return self._without_temporaries(result, outer)


def _is_simple(node: Node) -> bool:
    return isinstance(node, (ast.Name, ast.Constant))


def _as_value(node: Node, constant: Callable[[Any], Any]) -> Node:
    """A subscript's slice as an expression."""
    if not isinstance(node, ast.Slice):
        return node
    parts = [ast.Constant(None) if part is None else part for part in (node.lower, node.upper, node.step)]
    return placed_at(ast.Call(constant(slice), parts, []), node)
