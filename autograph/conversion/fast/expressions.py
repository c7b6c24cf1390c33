"""Expressions of native code.

ag__.ld(x)                            x
ag__.and_(lambda: a, lambda: b)       b if a is plain and true; a if it is plain; else `ag__.and_staged(a, lambda: b)`
"""

from __future__ import annotations

import ast
from typing import Any

from autograph.conversion.fast.calls import Calls
from autograph.conversion.fast.scope import COMPREHENSIONS
from autograph.emit.nodes import (
    Read,
    assigned,
    changed,
    compare,
    either_bool,
    is_bool,
    item_of,
    load,
    placed_at,
)
from autograph.pyct.nodes import walk

_WITH_TESTS = frozenset({"and_", "or_", "not_", "if_exp"})
_LAZY = (ast.Lambda, ast.GeneratorExp)
_OFTEN_NO_BOOL = (ast.Name, Read, ast.Call, ast.Attribute, ast.Subscript, ast.NamedExpr, ast.BinOp)


class Expressions(Calls):
    """Makes expressions native."""

    def inner(self, node: Any) -> Any:
        """The function or lambda `node` inside this one."""
        raise AssertionError("made by `Function`")

    def expression(self, node: Any) -> Any:
        """The native twin of an expression (or of a part of one, such as arguments)."""
        kind = type(node)
        if kind is ast.Name or kind is ast.Constant:
            return node
        if kind is ast.Call:
            called = self.paths.operator_called(node)
            if called is not None:
                return self._operator(called, node)
            if self.paths.operator_called(node.func) == "star_call":
                return self._star_call(node)
        elif kind is ast.Lambda:
            if self.inside_generator:
                return node
            inner = self.inner(node)
            inner.may_assign = self.may_assign  # nor in a function in what a comprehension runs over
            return changed(inner.whole(), args=self.expression(node.args))
        elif kind in COMPREHENSIONS:
            return self._comprehension(node)
        changes: dict[str, Any] = {}
        for field in kind._fields:
            value = getattr(node, field, None)
            if isinstance(value, list):
                changes[field] = (
                    [self.expression(v) if isinstance(v, ast.AST) else v for v in value] if value else value
                )
            elif isinstance(value, (ast.expr, ast.arguments, ast.keyword, ast.slice)):
                changes[field] = self.expression(value)
        return self.paths.sites.expression(changed(node, **changes), self.may_assign)

    def callable(self, node: Any) -> Any:
        """The native twin of what is called: what an attribute gives is looked at by the call."""
        if isinstance(node, ast.Attribute):
            return changed(node, value=self.expression(node.value))
        return self.expression(node)

    def _comprehension(self, node: Any) -> Any:
        first = node.generators[0]
        if self.may_assign and any(self.paths.operator_called(n) in _WITH_TESTS for n in walk(first.iter)):
            # Python allows no `:=` in what a comprehension runs over, so that is computed ahead of it.
            made = self._comprehension(
                changed(node, generators=[changed(first, iter=load(self.paths.iterated)), *node.generators[1:]])
            )
            iterated = self.paths.iterated
            if isinstance(node, ast.GeneratorExp):
                ahead = assigned(
                    iterated, placed_at(self._ag("iterator_of", [self.expression(first.iter)]), first.iter)
                )
            else:
                ahead = assigned(iterated, self.expression(first.iter))
            parts = [ahead, made, assigned(iterated, ast.Constant(None))]
            return placed_at(item_of(placed_at(ast.Tuple(parts, ast.Load()), node), 1), node)
        if isinstance(node, ast.GeneratorExp):
            first = node.generators[0]
            outer, self.may_assign = self.may_assign, False
            first = changed(first, iter=self.expression(first.iter))
            self.may_assign = outer
            return self._generator(changed(node, generators=[first, *node.generators[1:]]))
        bound = {n.id for g in node.generators for n in walk(g.target) if isinstance(n, ast.Name)} - self.locals
        self.locals |= bound
        inside, self.inside_comprehension = self.inside_comprehension, True
        generators: list[Any] = []
        for generator in node.generators:
            outer, self.may_assign = self.may_assign, False
            iterated = self.paths.sites.stand_in("Iteration", self.expression(generator.iter), False)
            self.may_assign = outer
            generators.append(changed(generator, iter=iterated, ifs=self._each(generator.ifs)))
        fields: dict[str, Any] = {
            f: self.expression(getattr(node, f)) for f in ("elt", "key", "value") if hasattr(node, f)
        }
        self.inside_comprehension = inside
        self.locals -= bound
        return changed(node, generators=generators, **fields)

    def _generator(self, node: Any) -> Any:
        """A generator expression runs when it will: perhaps while the variables around it may stand for no value."""
        if any(isinstance(n, ast.NamedExpr) for n in walk(node)):
            return node
        before = self.locals, self.enclosing, self.loops, self.may_assign, self.inside_generator
        self.enclosing = self.enclosing | self.locals | self.declared
        self.locals = {n.id for g in node.generators for n in walk(g.target) if isinstance(n, ast.Name)}
        self.loops, self.may_assign, self.inside_generator = 0, False, True
        generators: list[Any] = []
        for position, generator in enumerate(node.generators):
            iterated = self.expression(generator.iter) if position else generator.iter
            generators.append(changed(generator, iter=iterated, ifs=self._each(generator.ifs)))
        found = changed(node, generators=generators, elt=self.expression(node.elt))
        self.locals, self.enclosing, self.loops, self.may_assign, self.inside_generator = before
        return found

    def _operator(self, operator: str, node: Any) -> Any:
        args = node.args
        if operator == "ld":
            if not self._is_known(args[0]):
                return node
            return self._unless_unset(node) if args[0].id in self.undefined else args[0]
        if operator == "converted_call":
            return self._call(node)
        if self.may_assign:
            if operator == "not_":
                return self._not(node)
            if operator in ("and_", "or_") and len(args) == 2:
                return self._and_or(operator, node)
            if operator == "if_exp":
                return self._if_exp(node)
            if operator == "with_operands":
                return self._with_operands(node)
        if operator == "not_":
            return changed(node, args=self._each(args))
        # Functions handed to other operators stay as they are printed.
        if operator == "autograph_artifact":
            return changed(node, args=self._each(args))
        return changed(node, args=[a if isinstance(a, _LAZY) else self.expression(a) for a in args])

    def _is_not_flag(self, node: Any) -> bool:
        """Whether this is `ag__.not_(flag)` of a generated flag: True, False or staged."""
        return (
            self.paths.operator_called(node) == "not_"
            and isinstance(node.args[0], ast.Name)
            and (node.args[0].id.startswith(("break_", "continue_", "do_return")))
        )

    def _not(self, node: Any) -> Any:
        if self._is_not_flag(node):
            unset = compare(node.args[0], ast.Is(), ast.Constant(False))
            return placed_at(ast.IfExp(unset, ast.Constant(True), node), node)
        value = self.expression(node.args[0])
        if is_bool(value):
            return placed_at(ast.UnaryOp(ast.Not(), value), node)
        test = self.paths.test
        plain = either_bool(assigned(test, value), load(test))
        other = placed_at(self._ag("not_", [load(test)]), node)
        return placed_at(ast.IfExp(plain, compare(load(test), ast.Is(), ast.Constant(False)), other), node)

    def _and_or(self, operator: str, node: Any) -> Any:
        left, right = (thunk.body for thunk in node.args)
        value, rest = self.expression(left), self.expression(right)
        is_and = operator == "and_"
        if is_bool(value):
            return placed_at(ast.BoolOp(ast.And() if is_and else ast.Or(), [value, rest]), node)
        test, operand = self.paths.test, self.paths.operand
        # Ahead of the rest the operand is let go, as Python does.
        dropped = compare(assigned(operand, ast.Constant(None)), ast.Is(), ast.Constant(None))
        go_on = placed_at(ast.BoolOp(ast.And(), [self._native_test(assigned(operand, value), is_and), dropped]), value)
        result = ast.Subscript(
            ast.Tuple([load(operand), assigned(operand, ast.Constant(None))], ast.Load()), ast.Constant(0), ast.Load()
        )
        settled = ast.IfExp(
            compare(load(operand), ast.Is(), ast.Constant(not is_and)),
            ast.Constant(not is_and),
            ast.IfExp(
                compare(load(test), ast.Is(), ast.Constant(not is_and)),
                result,
                placed_at(self._ag("and_staged" if is_and else "or_staged", [load(test), node.args[1]]), node),
            ),
        )
        return placed_at(ast.IfExp(go_on, rest, settled), node)

    def _if_exp(self, node: Any) -> Any:
        test, body, orelse, _ = node.args
        value = self.expression(test)
        chosen, other = self.expression(body.body), self.expression(orelse.body)
        if is_bool(value):
            return placed_at(ast.IfExp(value, chosen, other), node)
        staged = changed(node, args=[load(self.paths.test), *node.args[1:]])
        settled = ast.IfExp(self._test_is(False), other, staged)
        return placed_at(ast.IfExp(self._native_test(value, True), chosen, settled), node)

    def _with_operands(self, node: Any) -> Any:
        names = [a.arg for a in node.args[0].args.args]
        self.locals.update(names)
        first = [assigned(n, self.expression(v)) for n, v in zip(names, node.args[1:])]
        last = [assigned(n, ast.Constant(None)) for n in names]
        parts = [*first, self.expression(node.args[0].body), *last]
        return placed_at(
            ast.Subscript(placed_at(ast.Tuple(parts, ast.Load()), node), ast.Constant(2), ast.Load()), node
        )

    # Tests

    def _native_test(self, value: Any, wanted: bool) -> Any:
        """Whether `value` is plain and its truth `wanted`; the truth, or the staged value, is kept."""
        test = self.paths.test
        truth = self._ag("truth", [load(test)])
        if not self.is_lambda and isinstance(value, _OFTEN_NO_BOOL):
            kind = self.paths.kind
            found = ast.Call(self._known(type), [load(test)], [])
            truth = ast.IfExp(
                ast.BoolOp(
                    ast.Or(),
                    [
                        compare(assigned(kind, found), ast.Is(), self._known(int)),
                        *(compare(load(kind), ast.Is(), self._known(t)) for t in (str, list, type(None))),
                    ],
                ),
                ast.IfExp(load(test), ast.Constant(True), ast.Constant(False)),
                truth,
            )
        other = assigned(test, truth)
        return placed_at(
            ast.BoolOp(
                ast.Or(),
                [
                    compare(assigned(test, value), ast.Is(), ast.Constant(wanted)),
                    ast.BoolOp(
                        ast.And(),
                        [
                            compare(load(test), ast.IsNot(), ast.Constant(not wanted)),
                            compare(other, ast.Is(), ast.Constant(wanted)),
                        ],
                    ),
                ],
            ),
            value,
        )

    def _test_is(self, value: bool) -> Any:
        return compare(load(self.paths.test), ast.Is(), ast.Constant(value))
