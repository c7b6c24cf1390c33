"""Converted code at the speed of Python, as long as the values are plain.

    printed                                    compiled
    def if_body():                             if (c := x > 0) is True or ...:           as Python runs it
        ...                                        ...
    def else_body():                  ->       elif c is False:
        ...                                        ...
    ag__.if_stmt(x > 0, if_body, ...)          else:
                                                   ...                                   as it is printed

The printed form hands parts of the function to operators, which is what a backend needs, and costs many times what the
original costs. Here each statement and expression gets a native twin beside it, which runs until a value turns out to
be staged: then the printed form of that one statement runs, on the same variables, and after it the native code again.

In native code a variable without a value has none, as in Python; around the printed form of a statement it has an
`ag__.Undefined`. So nothing native needs to look whether a variable has a value.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from typing import Any

from autograph.conversion.fast.calls import likely_type
from autograph.conversion.fast.expressions import Expressions
from autograph.conversion.fast.scope import COMPREHENSIONS
from autograph.conversion.fast.whole import Whole
from autograph.emit.nodes import (
    assigned,
    changed,
    compare,
    is_bool,
    load,
    named,
    negation,
    placed_at,
    store,
    thunk,
)
from autograph.operators.variables import UndefinedReturnValue
from autograph.pyct.nodes import walk

# A statement nested deeper than this in native ones runs in its printed form: the printed form of each statement is
# compiled once for each statement around it.
DEEPEST = 4
# Functions of more nodes, which is some 1,000 lines, have no native code: the compiler's time would no longer be linear.
LARGEST = 60_000
_NO_VALUE = UndefinedReturnValue()
_ANNOTATIONS_ARE_LAZY = sys.version_info >= (3, 14)
# Operators that call nothing of the user's but methods of what they are given.
_CALLING_NOTHING = frozenset({"ld", "and_", "or_", "not_", "eq", "not_eq", "in_", "not_in_", "if_exp", "with_operands"})


class FastPaths(Whole):
    """Adds the native twins to the `ast` tree of one converted function."""

    def function(self, node: Any) -> Any:
        """The whole function (a `FunctionDef`, an `AsyncFunctionDef` or a `Lambda`), in place of `node`."""
        if len(walk(node)) > LARGEST:
            return node
        return Function(self, (), node).whole()


class Function(Expressions):
    """Makes the statements of a function native."""

    def inner(self, node: Any) -> Function:
        """The function or lambda `node` inside this one."""
        return Function(self.paths, (*self.around, self), node)

    # The function

    def whole(self) -> Any:
        node = self.node
        if self.is_lambda:
            return changed(node, args=self.expression(node.args), body=self._lambda_body(node.body))
        return changed(node, body=self._scoped(node.body))

    def _lambda_body(self, body: Any) -> Any:
        if self.paths.operator_called(body) != "with_function_scope":
            return self.expression(body)
        inner = body.args[0]
        scoped = self.inner(inner)
        scoped.may_assign = self.may_assign
        return changed(body, args=[changed(inner, body=scoped.expression(inner.body)), *body.args[1:]])

    def _scoped(self, body: list[Any]) -> list[Any]:
        last: Any = body[-1]
        if not (
            isinstance(last, ast.With) and self.paths.operator_called(last.items[0].context_expr) == "FunctionScope"
        ):
            return self.statements(body)
        scope = self.paths.make_scope(last.items[0].context_expr)
        target: Any = last.items[0].optional_vars
        _put(self.paths.constant(scope), target.id, last)
        inner = self.statements(last.body)
        first = [store(n, self.paths.constant(v)) for n, v in self.known.items()]
        if self.asks_unset:
            self.remembered.append(self.paths.unset)
        if self.writes:
            first.append(store(self.paths.tracing, self._ag("tracing", [])))
        if self.remembered:
            first.append(ast.Assign([named(n, ast.Store()) for n in self.remembered], ast.Constant(None)))
        inner = [*first, *inner]
        if not scope.is_light:
            return [*body[:-1], changed(last, items=[ast.withitem(self.paths.constant(scope), None)], body=inner)]
        failed = ast.Expr(ast.Call(ast.Attribute(self.paths.constant(scope), "failed", ast.Load()), [], []))
        leave = placed_at(ast.Raise(None, None), self.node)  # a frame that was left has to be somewhere
        handlers = [  # there may be no room for another call; the outermost function cleans up
            ast.ExceptHandler(self.paths.constant(RecursionError), None, [leave]),
            ast.ExceptHandler(None, None, [failed, leave]),
        ]
        return [*body[:-1], ast.Try(inner, handlers, [], [])]

    # Statements

    def statements(self, body: list[Any]) -> list[Any]:
        """The native twin of a block."""
        result: list[Any] = []
        start = 0
        for position, node in enumerate(body):
            called = self.paths.operator_called(node.value) if isinstance(node, ast.Expr) else None
            if called not in ("if_stmt", "while_stmt", "for_stmt"):
                continue
            first = _first_of(body, position, node.value)
            result.extend(self._simple(body[start:first]))
            pieces = Pieces(body[first : position + 1])
            self.last = pieces.last
            self.depth += 1
            if self.depth > DEEPEST:
                result.extend(self._printed(pieces))
            elif called == "if_stmt":
                result.extend(self._if(pieces))
            else:
                result.extend(self._while(pieces) if called == "while_stmt" else self._for(pieces))
                if self.held and not self.loops:
                    result.append(ast.Assign([named(n, ast.Store()) for n in self.held], ast.Constant(None)))
                    self.held = []
            self.depth -= 1
            start = position + 1
        result.extend(self._simple(body[start:]))
        return result or [ast.Pass()]

    def _simple(self, body: list[Any]) -> Iterator[Any]:
        for position, node in enumerate(body):
            kind = type(node)
            if getattr(node, "lineno", -1) > 0:
                self.last = node
            if kind is ast.Expr and type(node.value) is ast.Tuple and getattr(node, "lineno", -1) < 1:
                continue  # a mention of flags for analyses
            if kind is ast.Assign and len(node.targets) == 1 and type(node.targets[0]) is ast.Name:
                called = self.paths.operator_called(node.value)
                target = node.targets[0]
                if called == "Undefined":  # a `del` of the user's
                    yield placed_at(ast.Delete([ast.Name(target.id, ast.Del())]), node)
                    continue
                if called == "UndefinedReturnValue":
                    yield changed(node, value=self.paths.constant(_NO_VALUE))
                    continue
                if called == "ldu" and _is_own_value(node.value, target.id):
                    continue
                if called == "ld" and self._is_known(node.value.args[0]) and node.value.args[0].id == target.id:
                    following = body[position + 1] if position + 1 < len(body) else None
                    if isinstance(following, ast.AugAssign) and getattr(following.target, "id", None) == target.id:
                        if target.id in self.undefined:
                            self.asks_unset = True
                            yield placed_at(ast.If(load(self.paths.unset), [node], []), node)
                        continue
            yield from self._with_sites(self.statement(node))

    def _with_sites(self, node: Any) -> list[Any]:
        found = self.paths.sites.statement(node, self.paths.tracing)
        self.writes = self.writes or found != [node]
        return found

    def statement(self, node: Any) -> Any:
        """The native twin of a statement that is no part of a printed form."""
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            made = self.inner(node).whole()
            decorators = self._each(node.decorator_list)
            defaults = {field: self._each(getattr(node.args, field)) for field in ("defaults", "kw_defaults")}
            outer = self.may_assign
            if _ANNOTATIONS_ARE_LAZY or getattr(node, "type_params", None):
                self.may_assign = False  # annotations have a frame of their own
            args = self.expression(changed(node.args, defaults=[], kw_defaults=[]))
            returns = node.returns and self.expression(node.returns)
            self.may_assign = outer
            return changed(made, args=changed(args, **defaults), decorator_list=decorators, returns=returns)
        if isinstance(node, ast.ClassDef):
            outer, self.may_assign = self.may_assign, False  # what is assigned there are attributes
            body = [
                self.statement(n) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef)) else n for n in node.body
            ]
            self.may_assign = outer and not getattr(
                node, "type_params", None
            )  # which have a scope with the bases in it
            parts = {field: self._each(getattr(node, field)) for field in ("bases", "keywords")}
            self.may_assign = outer
            return changed(node, body=body, decorator_list=self._each(node.decorator_list), **parts)
        if type(node).__name__ == "TypeAlias":  # Python 3.12: computed when asked for, in a scope without assignments
            return node
        if isinstance(node, ast.Assert):
            return self._assert(node)
        if isinstance(node, ast.AnnAssign):
            value = node.value and self.expression(node.value)
            outer, self.may_assign = self.may_assign, False
            annotation = node.annotation if node.simple else self.expression(node.annotation)
            self.may_assign = outer
            return changed(node, target=self.expression(node.target), annotation=annotation, value=value)
        if isinstance(node, ast.Return) and self._is_result(node.value):
            result: Any = node.value
            value, flag = result.args
            if isinstance(flag, ast.Constant):
                return changed(node, value=self.expression(value))
            test = compare(flag, ast.Is(), ast.Constant(False))
            found = changed(result)
            if self.last is not None:  # the line that this is said to be on if it fails
                placed_at(found, self.last)
                found.func = placed_at(changed(found.func), self.last)
            return changed(node, value=placed_at(ast.IfExp(test, ast.Constant(None), found), node))
        if isinstance(node, ast.Try) and _is_lowered_return(node):
            assigned_last: Any = node.body[1]
            return placed_at(ast.Return(self.expression(assigned_last.value)), node)
        changes: dict[str, Any] = {}
        for field in node._fields:
            value = getattr(node, field, None)
            if field == "iter":
                site = "AsyncIteration" if isinstance(node, ast.AsyncFor) else "Iteration"
                changes[field] = self.paths.sites.stand_in(site, self.expression(value), self.may_assign)
            elif isinstance(value, list) and value:
                if isinstance(value[0], ast.stmt):
                    value = self.statements(value)
                elif isinstance(value[0], (ast.ExceptHandler, ast.match_case)):
                    value = [self._part(part) for part in value]
                elif isinstance(value[0], ast.withitem):
                    value = [self._item(item, type(node)) for item in value]
                else:
                    value = self._each(value)
                changes[field] = value
            elif isinstance(value, ast.AST):
                changes[field] = self.expression(value)
        return changed(node, **changes)

    def _item(self, node: Any, statement: type) -> Any:
        site = "AsyncEntering" if statement is ast.AsyncWith else "Entering"
        entered = self.paths.sites.stand_in(site, self.expression(node.context_expr), self.may_assign)
        return changed(self.expression(node), context_expr=entered)

    def _assert(self, node: Any) -> Any:
        test = self.expression(node.test)
        for part in ast.walk(test):
            # On Python 3.11 the error is on the line of what was tested last.
            if "lineno" in part._attributes and getattr(part, "lineno", -1) < 1:
                placed_at(part, node)
        return changed(node, test=test, msg=node.msg and self.expression(node.msg))

    def _part(self, node: Any) -> Any:
        """A handler of a `try`, or a case of a `match`."""
        changes = {"body": self.statements(node.body)}
        for field in ("type", "guard"):
            value = getattr(node, field, None)
            if value is not None:
                changes[field] = self.expression(value)
        return changed(node, **changes)

    def _is_result(self, node: Any) -> bool:
        """Whether this is `fscope.ret(value, done)`."""
        return (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "ret"
            and self.paths.is_scope(node.func.value)
            and len(node.args) == 2
            and not node.keywords
            and isinstance(node.args[0], (ast.Name, ast.expr))
            and isinstance(node.args[1], (ast.Name, ast.Constant))
        )

    # The three statements

    def _if(self, pieces: Pieces) -> list[Any]:
        call = pieces.call
        body, orelse = (self.statements(pieces.body_of(call.args[i])) for i in (1, 2))
        condition, negated = call.args[0], False
        if self.paths.operator_called(condition) == "not_":
            condition, negated = condition.args[0], True
        tested = self.expression(condition)
        if is_bool(tested):
            test = placed_at(ast.UnaryOp(ast.Not(), tested), call) if negated else tested
            return [placed_at(ast.If(test, body, orelse), pieces.last)]
        staged: Any = load(self.paths.test)
        if negated:
            staged = placed_at(self._ag("not_", [staged]), call)
        printed = self._printed(pieces, changed(call, args=[staged, *call.args[1:]]))
        other = ast.If(self._test_is(negated), orelse, printed)
        if all(isinstance(n, ast.Pass) for n in orelse):
            other = ast.If(compare(load(self.paths.test), ast.IsNot(), ast.Constant(negated)), printed, [])
        return [placed_at(ast.If(self._native_test(tested, not negated), body, [other]), pieces.last)]

    def _while(self, pieces: Pieces) -> list[Any]:
        call = pieces.call
        test, state = pieces.body_of(call.args[0])[-1].value, pieces.body_of(call.args[2])[-1].value
        self.loops += 1
        tested = self.expression(test)
        body = self.statements(pieces.body_of(call.args[1]))
        self.loops -= 1
        if is_bool(tested):
            return [placed_at(ast.While(tested, body, []), pieces.last)]
        marks = self.paths.passing_name("ag__marks")
        before: Any = ast.Constant(None)
        reached = self._reached(test, pieces.last)
        if reached is None or any(isinstance(n, ast.NamedExpr) for n in walk(test)):
            before = ast.Tuple([self._present(item, pieces.last) for item in state.elts], ast.Load())
        make = self._ag("loop_marks", [before, ast.Constant(None) if reached is None else reached])
        if self._is_read(test):
            make = ast.Constant(None)  # nothing is done by reading a variable
        else:
            marking = ast.Attribute(load(self.paths.operators), "marking_backends", ast.Load())
            make = ast.IfExp(marking, make, ast.Constant(None))
        again = self._ag("while_stmt_from", [load(self.paths.test), load(marks), *call.args])
        loop = ast.While(self._native_test(tested, True), [store(marks, ast.Constant(None)), *body], [])
        begun = compare(load(marks), ast.Is(), ast.Constant(None))
        return [
            store(marks, make),
            placed_at(loop, pieces.last),
            ast.If(
                compare(load(self.paths.test), ast.IsNot(), ast.Constant(False)),
                self._printed(pieces, placed_at(again, call), begun),
                [],
            ),
            store(marks, ast.Constant(None)),
        ]

    def _is_read(self, node: Any) -> bool:
        """Whether a printed expression only reads a variable."""
        return isinstance(node, ast.Name) or (
            self.paths.operator_called(node) == "ld" and isinstance(node.args[0], ast.Name)
        )

    def _reached(self, test: Any, place: Any) -> Any:
        """A function with the variables in its closure that the printed test of a loop can reach; None if it calls."""
        names = []
        for part in walk(test):
            if isinstance(part, (ast.Await, *COMPREHENSIONS)):
                return None
            if isinstance(part, ast.Call) and self.paths.operator_called(part) not in _CALLING_NOTHING:
                return None
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load) and part.id != self.paths.operators:
                names.append(part.id)
        return placed_at(thunk(ast.Tuple([load(n) for n in sorted(set(names))], ast.Load())), place)

    def _for(self, pieces: Pieces) -> list[Any]:
        call = pieces.call
        first, *rest = pieces.body_of(call.args[2])
        extra = pieces.body_of(call.args[1])[-1].value if isinstance(call.args[1], ast.Name) else None
        iterated = self.expression(call.args[0])
        self.loops += 1
        rest = self.statements(rest) if rest else [ast.Pass()]
        target = self.expression(first.targets[0])
        test = self.paths.test
        is_likely = self._is_of(assigned(test, iterated), likely_type(call.args[0]))
        is_likely.ops = [ast.IsNot()]
        is_staged: Any = ast.BoolOp(ast.And(), [is_likely, self._ag("is_staged", [load(test)])])
        again = changed(call, args=[load(test), *call.args[1:]])
        # Nothing but the loop holds on to what it runs over.
        taken = ast.Subscript(
            ast.Tuple([load(test), ast.NamedExpr(named(test, ast.Store()), ast.Constant(None))], ast.Load()),
            ast.Constant(0),
            ast.Load(),
        )
        if extra is None:
            self.loops -= 1
            over = self.paths.sites.stand_in("Iteration", placed_at(taken, iterated), True)
            loop = placed_at(ast.For(target, over, rest, []), pieces.last)
            return [placed_at(ast.If(is_staged, self._printed(pieces, again), [loop]), pieces.last)]
        iterator = self.paths.passing_name("ag__iterator")
        if self._is_not_flag(extra):
            ended = [store(test, extra), ast.Break()]
            left = ast.If(compare(extra.args[0], ast.IsNot(), ast.Constant(False)), ended, [])
        else:
            go_on = self._native_test(self.expression(extra), True)
            left = ast.If(placed_at(ast.UnaryOp(ast.Not(), go_on), extra), [ast.Break()], [])
        self.loops -= 1
        exhausted = [store(test, ast.Constant(None))]
        over = placed_at(load(iterator), iterated)  # without a place CPython 3.13.0 cannot compile it
        loop = placed_at(ast.For(target, over, [*rest, left], exhausted), pieces.last)
        ended_plainly = ast.BoolOp(
            ast.Or(),
            [
                compare(load(test), ast.Is(), ast.Constant(None)),
                compare(load(test), ast.Is(), ast.Constant(False)),
            ],
        )
        rest_of_it = self._ag("rest_of_loop", [load(iterator), load(test)])
        found = store(test, ast.IfExp(ended_plainly, ast.Constant(None), rest_of_it))
        native = [
            store(
                iterator,
                placed_at(self._ag("iterator_of", [self.paths.sites.stand_in("Iteration", taken, True)]), iterated),
            ),
            loop,
            found,
            store(iterator, ast.Constant(None)),
        ]
        begun = self._ag("is_rest_of_loop", [load(test)])
        return [
            placed_at(ast.If(negation(is_staged), native, []), pieces.last),
            ast.If(compare(load(test), ast.IsNot(), ast.Constant(None)), self._printed(pieces, again, begun), []),
        ]

    def _present(self, item: Any, place: Any) -> Any:
        """What `get_state` says of a variable, where it may really have no value."""
        if isinstance(item, ast.Name) and (item.id in self.may_be_undefined or item.id not in self.locals):
            return self._ag("ldu", [placed_at(thunk(item), place), ast.Constant(item.id)])
        return item

    # The printed form

    def _printed(self, pieces: Pieces, call: Any = None, begun: Any = None) -> list[Any]:
        """The statement as it is printed, between code that gives values to variables without one and takes them.

        `begun` says whether the native form of a loop has run some iterations.
        """
        names = self._without_value(pieces)
        undefined: list[Any] = pieces.undefined
        if begun is not None and undefined:
            undefined = [ast.If(negation(begun), undefined, [])]
        last = pieces.last if call is None else changed(pieces.last, value=call)
        prepared = [self._with_some_value(n) for n in names]
        cleared = []
        for n in names:
            deleted = [store(n, ast.Constant(None)), ast.Delete([named(n, ast.Del())])]
            known = [store(self.paths.unset, ast.Constant(True))]
            cleared.append(
                ast.If(
                    self._ag("is_unset", [load(n)]), [ast.If(self._ag("is_undefined", [load(n)]), deleted, known)], []
                )
            )
        forgotten = store(self.paths.test, ast.Constant(None))
        if not cleared:
            return [*pieces.functions, *undefined, last, forgotten]
        return [ast.Try([*prepared, *pieces.functions, *undefined, last], [], [], [*cleared, forgotten])]

    def _with_some_value(self, name: str) -> Any:
        """Gives a variable that has no value one."""
        error = ast.Attribute(load(self.paths.operators), "no_value_error", ast.Load())
        caught = ast.ExceptHandler(error, None, [store(name, self._ag("Undefined", [ast.Constant(name)]))])
        return ast.Try([ast.Expr(load(name))], [caught], [], [])

    def _without_value(self, pieces: Pieces) -> list[str]:
        if not self.may_be_undefined:
            return []
        mentioned = set().union(*map(self.paths.names_in, (*pieces.functions, *pieces.undefined)))
        return sorted(mentioned & self.may_be_undefined & (self.locals | self.declared))


class Pieces:
    """The printed form of one statement: functions, variables without a value, and the call."""

    def __init__(self, statements: list[Any]) -> None:
        self.functions = [s for s in statements if isinstance(s, ast.FunctionDef)]
        self.undefined = statements[len(self.functions) : -1]
        self.last = statements[-1]
        self.call = self.last.value
        self._bodies = {f.name: f.body for f in self.functions}

    def body_of(self, name: Any) -> list[Any]:
        """The statements of one of the functions, without declarations."""
        body = [s for s in self._bodies[name.id] if not isinstance(s, (ast.Nonlocal, ast.Global))]
        return body or [ast.Pass()]


def _put(constant: Any, name: str, tree: Any) -> None:
    """Puts a constant in place of the reads of a variable: one that functions share costs a cell for each call."""
    for node in walk(tree):
        if type(node) is ast.Call:
            args = node.args
            for i, arg in enumerate(args):
                if type(arg) is ast.Name and arg.id == name:
                    args[i] = constant
        elif type(node) is ast.Attribute and type(node.value) is ast.Name and node.value.id == name:
            node.value = constant


def _first_of(body: list[Any], position: int, call: Any) -> int:
    """Where the printed form starts that ends with the call at `position`."""
    names = {a.id for a in call.args if isinstance(a, ast.Name)}
    first = position
    while not (isinstance(body[first], ast.FunctionDef) and body[first].name in names):
        first -= 1
    while first > 0 and isinstance(body[first - 1], ast.FunctionDef) and body[first - 1].name in names:
        first -= 1
    return first


def _is_lowered_return(node: Any) -> bool:
    """Whether this is what became of a `return` of the user's: flag and value are set, or neither."""
    if len(node.body) != 2 or len(node.handlers) != 1 or node.orelse or node.finalbody:
        return False
    flag, result = node.body
    return (
        _sets(flag, "do_return")
        and _sets(result, "retval_")
        and isinstance(flag.value, ast.Constant)
        and node.handlers[0].type is None
        and _sets(node.handlers[0].body[0], flag.targets[0].id)
    )


def _sets(node: Any, name: str) -> bool:
    return (
        isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id.startswith(name)
    )


def _is_own_value(call: Any, name: str) -> bool:
    """Whether this is `ag__.ldu(lambda: name, 'name')`."""
    return len(call.args) == 2 and isinstance(call.args[1], ast.Constant) and call.args[1].value == name
