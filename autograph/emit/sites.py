"""Read sites and write sites: the places of compiled code where Python may run code of the user's, or changes an object.

    printed and written     compiled, while a backend is active

    p.value                 p.value if type(p) is S.kind else S(p)
    a + b                   a + b if type(a) is S.left and type(b) is S.right else S(a, b)
    for x in xs:            for x in (xs if type(xs) is S.kind else S(xs)):
    p.value = v             if type(p) is S.kind and not open_journals: p.value = v
                            else: S(p, v)
    a += b                  if type(a) is S.left and type(b) is S.right or S.ready(a, b): a += b
                            else: a = S(a, b)

`S` is a *site*: one object for each place, a constant of the compiled function, made when the function is converted. Its
attributes say for which exact types of the operands Python's own form runs none of the user's code at this place, and
nothing stands in for the operands; for all others the site itself is called, does what Python would do there, tells the
journals of what it writes, and may learn the types that it met. Sites are the classes of `operators/attributes.py` and
`operators/substitutes.py`:

    construct                                  site                            tests                calls
    o.name                                     AttributeRead('name')           S.kind               S(o) -> value
    o[k], o[i:j]                               ItemRead()                      S.kind               S(o, k) -> value
    a + b, a @ b, ...                          Operation('+')                  S.left, S.right      S(a, b) -> value
    a < b, a == b, a != b, ...                 Operation('<')                  S.left, S.right      S(a, b) -> value
    x in c, x not in c                         Operation('in'), ('not in')     S.left, S.right      S(x, c) -> value
    a is b, a is not b                         identical, not_identical        open_traces          identical(a, b)
    -a, +a, ~a                                 Operation('-_')                 S.left               S(a) -> value
    a += b  (a: name, attribute, item)         Operation('+=')                 S.left, S.right      S(a, b) -> new value
    *it, a, b = it                             Iteration()                     S.kind               S(it) -> an iterable
    for, comprehensions                        Looping(), Watching()           S.kind               S(it) -> an iterable
    async for                                  AsyncIteration()                S.kind               S(it) -> an iterable
    with m:, async with m:                     Entering(), AsyncEntering()     S.kind               S(m) -> a manager
    f"{o}", f"{o!r:>8}"                        Formatting()                    S.kind               S(o) -> what to format
    if o:, while, and, or, not, a if o else b  Truth()                         see `expressions`    S(o) -> True, None or o
    o.name = v                                 AttributeWrite('name')          S.kind               S(o, v)
    del o.name                                 AttributeDelete('name')         S.kind               S(o)
    o[k] = v                                   ItemWrite()                     S.kind               S(o, k, v)
    del o[k]                                   ItemDelete()                    S.kind               S(o, k)

Operands are evaluated once, in Python's order; what is known to be plain is not tested. In the staged form of a statement
writes are always told, so the tests of writes are left out. What a module holds is read as it is.
"""

# long: one method for each kind of place, all of them made of the same tests

from __future__ import annotations

import ast
import builtins
import copy
import sys
from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Any, Protocol

from autograph.converters.forms import Read
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
    let_go,
    load,
    negation,
    one_of,
    placed_at,
    result_type,
    store,
)
from autograph.emit.unit import Frame, Unit
from autograph.operators import attributes, dispatch, substitutes
from autograph.operators.decisions import CallScope, may_convert
from autograph.pyct.names import mangled
from autograph.pyct.nodes import Node, walk
from autograph.pyct.origin import place, position_of
from autograph.pyct.quote import name
from autograph.pyct.unparse import SYMBOLS

_SITES: dict[str, Any] = {**vars(attributes), **vars(substitutes)}
_IDENTITY = {ast.Is: dispatch.identical, ast.IsNot: dispatch.not_identical}
_SIDES = {"Operation": ("left", "right"), "AttributeRead": ("kind",)}  # of a site, for its operands
_UNARY: dict[type, str] = {ast.UAdd: "+_", ast.USub: "-_", ast.Invert: "~_"}
_PARTS = (ast.Attribute, ast.Subscript)
_DISPLAYS = (ast.Tuple, ast.List)
_CONTAINERS = (*_DISPLAYS, ast.Dict)
_PLAIN = (ast.Constant, ast.JoinedStr, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.ListComp, ast.SetComp, ast.DictComp)

LOADS_OF_SUPER = sys.version_info >= (3, 12)  # Python evaluates `super().x` in one instruction


class Place(Protocol):
    """Where an expression or statement stands; see `Expressions`."""

    unit: Unit
    frame: Frame
    namespace: Mapping[str, object]
    scope: str
    may_assign: bool
    inside: str

    def temporary(self, root: str) -> str:
        """A variable of ours."""

    def visit(self, node: Node) -> Any:
        """The compiled form of an expression."""


class Sites:
    """Puts sites into the code of one function."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self._used = 0
        self._held: list[str] = []  # by variables of ours, until the statement at hand is over
        self.off = False  # in annotations

    def made(self, site: str, *args: Any) -> Node:
        """A new site, as a constant."""
        return self._constant(_SITES[site](*args))

    def _constant(self, site: attributes.Site) -> Node:
        unit = self.place.unit
        site.scope = unit.scopes.get(self.place.scope) or CallScope(unit.options)
        return unit.constant(site)

    def _private(self, name: str) -> str:
        owner = self.place.frame.owner
        return name if owner is None else mangled(name, owner)

    # Values

    def expression(self, node: Node) -> Node:
        """`node`, whose parts are compiled already, with a site if it is one."""
        kind = type(node)
        if self.off:
            return node
        if kind is ast.Attribute and type(node.ctx) is ast.Load:
            if self._is_module(node.value):
                return node
            frame = self.place.frame
            in_method = frame.first and not frame.inside_class
            if LOADS_OF_SUPER and _is_super(node.value) and (node.value.args or in_method):
                # Where it fails shows that both are one instruction, which begins with a load.
                called, node.value = node.value, placed_at(copy.copy(node.value), node)
                if not (called.args or frame.is_part or self.place.inside or frame.first in frame.lasting):
                    at = position_of(called)
                    loaded = self.place.visit(place(Read(name(frame.first, at)), at))
                    node.value = one_of([loaded, node.value], -1, node)
            return self._value("AttributeRead", self._private(node.attr), node, ("value",))
        if kind is ast.Subscript and type(node.ctx) is ast.Load:
            return self._item(node)
        if kind is ast.BinOp:
            return self._value("Operation", _symbol(node.op), node, ("left", "right"))
        if kind is ast.UnaryOp and type(node.op) in _UNARY:
            return self._value("Operation", _UNARY[type(node.op)], node, ("operand",))
        if kind is ast.Compare and len(node.ops) == 1:
            if type(node.ops[0]) in _IDENTITY:
                return self._identity(node, *node.ops)
            return self._value("Operation", _symbol(node.ops[0]), node, ("left", "comparators"))
        if kind is ast.FormattedValue:
            return changed(node, value=self.stand_in("Formatting", node.value))
        if kind is ast.YieldFrom or (kind is ast.Starred and type(node.ctx) is ast.Load):
            return changed(node, value=self.stand_in("Iteration", node.value))
        if kind is ast.List and any(isinstance(e, ast.Starred) for e in node.elts) and type(node.ctx) is ast.Load:
            return self._spread(node)
        if kind is ast.keyword and node.arg is None:
            return changed(node, value=self.stand_in("Unpacking", node.value))
        if kind is ast.Dict and None in node.keys:
            pairs = zip(node.keys, node.values, strict=True)
            return changed(node, values=[v if k else self.stand_in("Unpacking", v) for k, v in pairs])
        return node

    def _identity(self, node: Node, symbol: Node) -> Node:
        """`a is b`, where only a running program knows whether both are one object, or whether one is None."""
        operands = [node.left, *node.comparators]
        constants = [o for o in operands if isinstance(o, ast.Constant)]
        if len(constants) > 1 or any(o.value is not None for o in constants):
            return node
        asked = call_of(self.place.unit.constant(_IDENTITY[type(symbol)]), operands, node)
        if not all(map(_is_simple, operands)):
            return asked
        return if_exp(self.place.unit.operator("open_traces"), asked, node, node)

    def _spread(self, node: Node) -> Node:
        """`[*a, b]`, where what has a star may be a list of which only a running program knows the length."""
        stars = tuple(isinstance(e, ast.Starred) for e in node.elts)
        parts = [e.value if star else e for e, star in zip(node.elts, stars, strict=True)]
        asked = self.place.unit.call("spread", [self.place.unit.constant(stars), ast.Tuple(parts, ast.Load())], node)
        return if_exp(self.place.unit.operator("open_traces"), asked, node, node)

    def _is_module(self, node: Node) -> bool:
        """Whether a name is one of the module's that means a module."""
        frame = self.place.frame
        if not isinstance(node, ast.Name) or node.id in frame.locals or node.id in frame.around:
            return False
        value = self.place.namespace.get(node.id)
        return isinstance(value, ModuleType) and not may_convert(
            vars(value).get("__getattr__"), self.place.unit.options
        )

    def _value(self, site: str, of: str, node: Node, fields: tuple[str, ...]) -> Node:
        """`node if <its operands are of the types that the site knows> else site(operands)`."""
        operands = [getattr(node, field) for field in fields]
        operands = [o[0] if isinstance(o, list) else o for o in operands]
        types = [exact_type(o, self.place.frame.known) for o in operands]
        tested = [kind is None and not isinstance(o, _PLAIN) for o, kind in zip(operands, types, strict=True)]
        if len(operands) == 2 and all(isinstance(o, ast.Name) for o in operands) and operands[0].id == operands[1].id:
            tested[1] = False
        if isinstance(node, ast.Compare) and all(isinstance(o, _CONTAINERS) for o in operands):
            tested = [True, True]  # what is in them counts
        if not any(tested):
            if site == "Operation":
                node.exact = result_type(node, types)
            return node
        if not self.place.may_assign and not all(map(_is_simple, operands)):
            found = call_of(self.made(site, of), operands, node)
            found.tells = True
            return found
        first: list[Any] = []  # the operands where they are evaluated first
        own: list[Any] = []  # in Python's form, which follows where the tests hold
        asked: list[Any] = []  # as arguments of the site
        held: list[str] = []
        for position, operand in enumerate(operands):
            if self._stays(operand, operands[position + 1 :]):
                asked.append(operand)
                first.append(bare(operand))
                own.append(first[-1])
            else:
                held.append(self._temporary())
                asked.append(load(held[-1]))
                first.append(assigned(held[-1], operand))
                own.append(asked[-1])
        made = self.made(site, of, *([bool(held)] if site == "Operation" else []))
        tests = self._evaluated(first, tested)
        tests += [self._is_known(v, made, _SIDES[site][i]) for i, v in enumerate(own if tests else first) if tested[i]]
        given = {f: [a] if f == "comparators" else a for f, a in zip(fields, own, strict=True)}
        called = call_of(made, asked, node)
        if site == "Operation":  # it holds nothing then whose end anybody would notice
            called = let_go(called, held, node)
        found = if_exp(placed_at(all_of(tests, node), node), changed(node, **given), called, node)
        if site != "Operation":
            found = let_go(found, held, node)
        found.tells = True  # of the object that it makes
        found.is_small = site == "Operation" and not held
        return found

    def _stays(self, node: Node, following: list[Any]) -> bool:
        """Whether an operand is the same when it is read again, after the operands that follow it."""
        if _is_constant(node):
            return True
        if not is_read(node):
            return False
        if all(map(_is_simple, following)):
            return True
        frame, name = self.place.frame, bare(node).id
        alone = name in frame.own and not frame.is_part and not self.place.unit.pieces_only
        return alone and not any(_binds(operand, name) for operand in following)

    def _evaluated(self, first: list[Any], tested: list[bool]) -> list[Any]:
        """A test that always holds, where not all operands are evaluated by the tests of types, in Python's order."""
        if not isinstance(first[-1], ast.NamedExpr) or len(first) == 1:
            return [] if tested[0] or not isinstance(first[0], ast.NamedExpr) else [self._passed(first[0])]
        if _is_constant(first[0]):
            return [] if tested == [False, True] else [self._passed(first[1])]
        return [ast.BoolOp(ast.Or(), [compare(first[0], ast.Is(), first[1]), ast.Constant(True)])]

    def _passed(self, node: Node) -> Node:
        return compare(node, ast.IsNot(), self.place.unit.constant(_NEVER))

    def _item(self, node: Node, kind: str = "ItemRead") -> Node:
        """`o[key]`: the key has no say, and where it is none that can be read twice, it is the site's turn before it."""
        value, key = node.value, self._as_value(node.slice)
        if isinstance(value, _PLAIN):
            return node
        site = getattr(attributes, kind)()
        made = self._constant(site)
        if not self.place.may_assign and not _is_simple(value):
            found: Any = ast.Call(made, [value, key], [])
        elif self._stays(value, [] if _is_simple(value) else [key]):
            test = self._is_known(bare(value), made, "kind")
            if _is_simple(node.slice):
                found = ast.IfExp(test, changed(node, value=bare(value)), call_of(made, [value, key], node))
            else:
                asked = call_of(self.place.unit.constant(site.asked), [value], node)
                found = changed(node, value=if_exp(test, bare(value), asked, value))
        else:
            name = self._temporary()
            test = self._is_known(assigned(name, value), made, "kind")
            if _is_simple(node.slice):
                asked = call_of(made, [load(name), key], node)
                chosen = ast.IfExp(test, changed(node, value=load(name)), asked)
                found = let_go(placed_at(chosen, node), [name], node)
            else:
                asked = call_of(self.place.unit.constant(site.asked), [load(name)], node)
                chosen = if_exp(test, load(name), asked, value)
                found = changed(node, value=let_go(chosen, [name], value))
        found = placed_at(found, node)
        found.tells = True
        return found

    def _is_known(self, value: Node, site: Any, side: str) -> Node:
        kind = call_of(self.place.unit.constant(type), [value], value)
        return compare(kind, ast.Is(), ast.Attribute(site, side, ast.Load()))

    def _temporary(self) -> str:
        self._used += 1
        return self.place.temporary(f"part {self._used}")

    def begin(self) -> None:
        """A statement begins: no variable of ours holds anything."""
        self._used = 0

    def _kept(self) -> str:
        """A variable of ours that is let go where the statement is over."""
        self._held.append(self._temporary())
        return self._held[-1]

    def _as_value(self, node: Node) -> Node:
        """A subscript's slice as an expression."""
        if isinstance(node, ast.Tuple) and any(isinstance(e, ast.Slice) for e in node.elts):
            return placed_at(ast.Tuple([self._as_value(e) for e in node.elts], ast.Load()), node)
        if not isinstance(node, ast.Slice):
            return node
        parts = [ast.Constant(None) if part is None else part for part in (node.lower, node.upper, node.step)]
        return call_of(self.place.unit.constant(slice), parts, node)

    # What Python goes on to use by itself

    def stand_in(self, site: str, node: Node) -> Node:
        """`node`, or what the site gives in its place: for `with`, iteration and formatting."""
        if self.off or isinstance(node, _PLAIN):
            return node
        made = self.made(site)
        if isinstance(node, ast.Name):
            other = call_of(made, [node], node)
            known = self._is_known(node, made, "kind")
            if site == "Watching":
                known = all_of([known, negation(self.place.unit.operator("open_traces"))], node)
            return if_exp(known, node, other, node)
        if not self.place.may_assign or site != "Formatting":
            return call_of(made, [node], node)
        name = self._temporary()
        other = call_of(made, [load(name)], node)
        chosen = ast.IfExp(self._is_known(assigned(name, node), made, "kind"), load(name), other)
        return let_go(placed_at(chosen, node), [name], node)

    def held(self, site: str, value: Node) -> Node:
        """The same for what a variable holds."""
        made = self.made(site)
        return if_exp(self._is_known(value, made, "kind"), value, call_of(made, [value], value), value)

    # Writes

    def statement(self, node: Node) -> list[Any]:
        """A statement, whose parts are compiled already, with its sites."""
        kind = type(node)
        if kind is ast.Assign and any(isinstance(t, (*_PARTS, *_DISPLAYS)) for t in node.targets):
            return self._over(self._assigned(node.targets, node.value, node))
        if kind is ast.AnnAssign and node.value is not None and isinstance(node.target, _PARTS):
            bare = changed(node, value=None)  # the annotation is evaluated after all else
            return self._over([*self._assigned([node.target], node.value, node), bare])
        if kind is ast.AugAssign:
            return self._over(self._augmented(node))
        if kind is ast.Delete and not all(isinstance(t, ast.Name) for t in node.targets):
            return self._over([part for target in node.targets for part in self._deleted(target, node)])
        return [node]

    def target(self, node: Node, at: Node) -> tuple[Node, list[Any]]:
        """A target that sets variables alone, and the statements that then set what `node` says."""
        if not any(isinstance(n, _PARTS) and not isinstance(n.ctx, ast.Load) for n in walk(node)):
            return node, []
        name = self._kept()
        made = self._over(self._written(node, load(name), at))
        return placed_at(ast.Name(name, ast.Store()), node), made

    def _assigned(self, targets: list[Any], value: Node, at: Node) -> list[Any]:
        result: list[Any] = []
        parts = [p for p in (getattr(targets[0], "value", None), getattr(targets[0], "slice", None)) if p is not None]
        if len(targets) > 1 or (isinstance(targets[0], _PARTS) and not self._stays(value, parts)):
            name = self._kept()
            result.append(placed_at(store(name, value), at))
            result[0].tells = True  # of what was made for it
            value = load(name)
        elif isinstance(targets[0], _PARTS) and self._may_be_unset(value, parts):
            result.append(placed_at(ast.Expr(value), at))  # that says so before the target is looked at
        for target in targets:
            result += self._written(target, value, at)
        return result

    def _may_be_unset(self, value: Node, beside: Iterable[Node] = ()) -> bool:
        """Whether a read may fail. A global may have been deleted, which is seen if what stands `beside` it fails, too."""
        if not isinstance(value, ast.Name):
            return is_read(value)
        frame, name = self.place.frame, value.id
        if name in frame.locals:
            return name in frame.read_unset
        if name in frame.around or not (name in self.place.namespace or hasattr(builtins, name)):
            return True
        return any(is_read(n) and self._may_be_unset(n) for part in beside for n in walk(part))

    def _over(self, body: list[Any]) -> list[Any]:
        """The statements that one has become, after which variables of ours hold nothing."""
        if self._held:
            body.append(ast.Assign([ast.Name(n, ast.Store()) for n in self._held], ast.Constant(None)))
        self._held = []
        return body

    def _written(self, target: Node, value: Node, at: Node) -> list[Any]:
        """Sets one target to what is a variable or a constant, or is used once."""
        if isinstance(target, _DISPLAYS):
            parts = [t.value if isinstance(t, ast.Starred) else t for t in target.elts]
            names = [p.id if isinstance(p, ast.Name) else self._kept() for p in parts]
            elts: list[Any] = []
            for name, item in zip(names, target.elts, strict=True):
                stored: Any = placed_at(ast.Name(name, ast.Store()), item)
                elts.append(changed(item, value=stored) if isinstance(item, ast.Starred) else stored)
            value = self.stand_in("Iteration", value)
            result = [placed_at(ast.Assign([changed(target, elts=elts)], value), at)]
            for name, part in zip(names, parts, strict=True):
                if not isinstance(part, ast.Name):
                    result += self._written(part, load(name), at)
            return result
        if isinstance(target, ast.Attribute):
            return self._write(
                self.made("AttributeWrite", self._private(target.attr)), target, [target.value], [value], at
            )
        if isinstance(target, ast.Subscript):
            return self._write(self.made("ItemWrite"), target, [target.value, target.slice], [value], at)
        return [placed_at(ast.Assign([target], value), at)]

    def _deleted(self, target: Node, at: Node) -> list[Any]:
        if isinstance(target, ast.Attribute):
            return self._write(self.made("AttributeDelete", self._private(target.attr)), target, [target.value], [], at)
        if isinstance(target, ast.Subscript):
            return self._write(self.made("ItemDelete"), target, [target.value, target.slice], [], at)
        return [placed_at(ast.Delete([target]), at)]

    def _write(self, site: Node, target: Node, operands: list[Any], value: list[Any], at: Node) -> list[Any]:
        """`target = value`, or the call of a site; with no value, `del target`."""
        result: list[Any] = []
        again: list[Any] = []
        for position, operand in enumerate(operands):
            plain = self._as_value(operand)
            if _is_constant(plain) or (
                is_read(plain) and all(_is_simple(self._as_value(o)) for o in operands[position + 1 :])
            ):
                again.append(plain)
            else:
                name = self._kept()
                result.append(placed_at(store(name, plain), at))
                again.append(load(name))
        called = placed_at(ast.Expr(call_of(site, [*again, *value], target)), target)
        if self.place.frame.is_part:
            return [*result, called]
        fields = dict(zip(("value", "slice"), again, strict=False))
        own: Any = placed_at(ast.Delete([changed(target, **fields)]), at)
        if value:
            own = placed_at(ast.Assign([changed(target, **fields)], value[0]), at)
        untold = placed_at(negation(self.place.unit.operator("open_journals")), at)
        test = all_of([self._is_known(again[0], site, "kind"), untold], at)
        return [*result, placed_at(ast.If(test, [own], [called]), at)]

    def _augmented(self, node: Node) -> list[Any]:
        """`a += b`: the target is read, the operation made in place, and the target set."""
        target = node.target
        site = self.made("Operation", _symbol(node.op) + "=")
        result: list[Any] = []
        if isinstance(target, ast.Name):
            frame = self.place.frame
            alone = target.id in frame.own and not frame.is_part and not self.place.unit.pieces_only
            if _is_simple(node.value) or (alone and not _binds(node.value, target.id)):
                return self._in_place(target, node.value, site, node)
            first = placed_at(ast.Name(self._kept(), ast.Store()), target)  # the value may set the variable
            result.append(placed_at(store(first.id, placed_at(load(target.id), target)), node))
            result += self._in_place(first, node.value, site, node)
            return [*result, placed_at(ast.Assign([target], load(first.id)), node)]
        fields: dict[str, Any] = {}
        for field in ("value", "slice"):
            part = getattr(target, field, None)
            if part is not None:
                part = self._as_value(part)
                if not _is_constant(part):
                    name = self._kept()
                    result.append(placed_at(store(name, part), target))
                    part = placed_at(load(name), target)
                fields[field] = part
        target = changed(target, **fields)
        first = placed_at(ast.Name(self._kept(), ast.Store()), target)
        read = changed(target, ctx=ast.Load())
        read = self._item(read, "ItemUpdate") if isinstance(read, ast.Subscript) else self.expression(read)
        result.append(placed_at(store(first.id, read), target))
        return [*result, *self._in_place(first, node.value, site, node), *self._written(target, load(first.id), node)]

    def _in_place(self, target: Node, value: Node, site: Node, node: Node) -> list[Any]:
        """`target += value`, where nothing else sets the variable."""
        result: list[Any] = []
        is_number = exact_type(value, self.place.frame.known) is not None
        plain = is_number or isinstance(value, _PLAIN)
        read = placed_at(load(target.id), target)
        if not _is_simple(value):
            held = self._kept()
            if not self.place.frame.has_value(target.id):
                result.append(placed_at(ast.Expr(read), target))
            result.append(placed_at(store(held, value), node))
            value = load(held)
        known = [self._is_known(read, site, "left")]
        if not plain:
            known.append(self._is_known(bare(value), site, "right"))
        test = all_of(known, node)
        if not is_number:  # what runs over it may look at its caller
            ready = call_of(self.place.unit.method(site, "ready"), [read, value], node)
            test = any_of([test, ready], node)
        own = placed_at(ast.AugAssign(target, node.op, bare(value)), node)
        made = call_of(site, [read, value], node)
        made.tells = True
        called = placed_at(store(target.id, made), node)
        return [*result, placed_at(ast.If(test, [own], [called]), node)]


_NEVER = object()


def _symbol(operator: Node) -> str:
    return SYMBOLS[type(operator).__name__]


def _is_simple(node: Node) -> bool:
    if isinstance(node, ast.Slice):
        return all(part is None or _is_simple(part) for part in (node.lower, node.upper, node.step))
    return is_read(node) or _is_constant(node)


def _is_constant(node: Node) -> bool:
    """Whether an expression is made of literals alone."""
    if isinstance(node, _DISPLAYS):
        return all(map(_is_constant, node.elts))
    return isinstance(node, ast.Constant)


def _is_super(node: Node) -> bool:
    """Whether a call, compiled already, is one of `super`."""
    return isinstance(node, ast.Call) and any(isinstance(n, ast.Name) and n.id == "super" for n in walk(node.func))


def _binds(node: Node, name: str) -> bool:
    return any(isinstance(part, ast.NamedExpr) and part.target.id == name for part in walk(node))
