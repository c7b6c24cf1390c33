"""Compiles expressions: Python's own form, which runs as long as what it tests is plain, and pieces for staged values.

    Read(x)                     x
    StagedNot(a)                False if <a> else (True if s is None else ag__.not_(s))
    StagedBoolOp(a and b)       b if <a> else (a if s is None else PIECE(lambda: (names in b), s))
    if StagedBoolOp(a and b)    <b> if <a> else (s is not None and <PIECE(lambda: (names in b), s)>)

`<a>` is a *test*: an expression for whether `a` is plain and true, which asks for the truth of `a` once, as Python does.
When it is staged, `s`, a variable of the function that else is None, holds the staged value. Temporary values are let go
before anything else is evaluated.
"""

# long: one method for each kind of expression, as a value and as a test; they call each other throughout

from __future__ import annotations

import ast
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from functools import partial
from types import CodeType
from typing import Any

import gast

from autograph.converters import forms
from autograph.converters.converter import Context
from autograph.emit import functional, nodes
from autograph.emit.nodes import all_of, any_of, assigned, call_of, compare, if_exp, is_bool, item_of, load, placed_at
from autograph.emit.sites import Sites
from autograph.emit.text import Printer
from autograph.emit.unit import Frame, Unit, names_in
from autograph.operators.pieces import Piece
from autograph.operators.variables import UndefinedReturnValue
from autograph.pyct.analysis.facts import Facts
from autograph.pyct.analysis.scopes import walrus_targets
from autograph.pyct.namer import Namer
from autograph.pyct.names import is_own_name, own
from autograph.pyct.nodes import Node, Visitor, walk
from autograph.pyct.origin import Position, position_of
from autograph.pyct.quote import constant, name, quote
from autograph.pyct.trees import copied, rebuilt, to_ast
from autograph.pyct.unparse import unparse

# Operators that are given the site of what they do with plain values, and those that run over what comes first.
_WITH_SITES: dict[str, tuple[str, ...]] = {
    "eq": ("Operation", "=="),
    "not_eq": ("Operation", "!="),
    "in_": ("Operation", "in"),
    "not_in_": ("Operation", "not in"),
    **dict.fromkeys(("get_item", "taken_item"), ("ItemRead",)),
    **dict.fromkeys(("set_item", "store_item", "store_inside"), ("ItemWrite",)),
}
_ITERATING = frozenset({"list_comp", "gen_exp", "inner_loop"})
NO_VALUE = UndefinedReturnValue()
# CPython 3.11 asks for the truth of what a statement tests on the line where the statement begins.
_TESTS_AT_STATEMENT = sys.version_info < (3, 12)

Build = Callable[["Expressions"], list[Node]]


class Expressions(Visitor, ABC):
    """The expressions of one function."""

    def __init__(self, unit: Unit, frame: Frame, namespace: Mapping[str, object], facts: Facts) -> None:
        self.unit = unit
        self.facts = facts
        self.frame = frame
        self.namespace = namespace  # of the module
        self.sites = Sites(self)
        self.scope = ""
        self.may_assign = True  # whether a `:=` may be put into the expression at hand
        self.inside = ""  # of the variables that a comprehension shares with its function
        self.in_class = False
        self.asks_at: Node = None  # where Python asks for the truth of what is tested, if not at the operand itself
        self.converts_calls = False  # in the items of `with`: of what the text leaves as it is

    def temporary(self, root: str) -> str:
        """A variable of ours."""
        return own(root + self.inside)

    def uses(self, root: str, first: Node) -> str:
        """A variable of ours that is set to `first` where the function begins."""
        found = self.temporary(root)
        self.frame.uses[found] = first
        return found

    @property
    def staged(self) -> str:
        """The variable for a staged value that a test came upon."""
        return self.temporary("staged")

    # Values

    def generic_visit(self, node: Node) -> Node:
        """An expression, or a part of one such as arguments, as Python evaluates it, with its site."""
        return self.sites.expression(rebuilt(node, self.visit))

    def each(self, nodes: list[Node]) -> list[Node]:
        """Several expressions."""
        return [node if node is None else self.visit(node) for node in nodes]

    def visit_Name(self, node: Node) -> Node:
        found = rebuilt(node, to_ast)
        found.id = self.unit.variable(node.id)
        return found

    def visit_Read(self, node: Node) -> Node:
        variable = node.value.id
        found = self.visit_Name(node.value)
        if variable not in self.unit.perhaps_unset or self.has_value(variable):
            return found
        if self.frame.is_lambda and not self.may_assign and variable in self.frame.locals:
            return found  # where nothing can be staged that may take its value
        asked = placed_at(self.unit.call("ld", [found], node), node)
        if self.marks_unset or self.in_class or variable not in self.frame.locals:
            return asked
        return placed_at(nodes.Read(load(self.unset), asked, found), node)

    def has_value(self, variable: str) -> bool:
        """Whether a variable surely has a value here."""
        return self.frame.has_value(variable) and not self.unit.pieces_only

    @property
    def marks_unset(self) -> bool:
        """Whether a variable without a value holds something that says so."""
        return self.frame.is_part or self.unit.pieces_only

    @property
    def unset(self) -> str:
        """The variable that says whether a staged statement left a value that may stand for none."""
        self.frame.uses[own("unset")] = ast.Constant(False)
        return own("unset")

    def visit_Holds(self, node: Node) -> Node:
        return call_of(self.sites.made("Holding"), [self.visit(node.subject)], node)

    def visit_Operator(self, node: Node) -> Node:
        if node.operator == "UndefinedReturnValue":
            return self.unit.constant(NO_VALUE)
        if node.operator == "autograph_artifact":  # all that is compiled is known to be generated
            return self.visit(node.args[0])
        args = self.each(node.args)
        if node.operator == functional.TRUTH:
            return call_of(self.sites.made("Truth"), args, node)
        found = self.unit.operator(node.operator, node)
        keywords = self.each(node.keywords)
        if node.operator in _WITH_SITES:
            keywords.append(ast.keyword("plain", self.sites.made(*_WITH_SITES[node.operator])))
        elif node.operator == "update_item":
            keywords.append(ast.keyword("plain", self.sites.made("Operation", node.args[1].value)))
        elif node.operator in _ITERATING:
            args[0] = self.sites.stand_in("Iteration", args[0])
        return placed_at(ast.Call(found, args, keywords), node)

    def visit_OperatorName(self, node: Node) -> Node:
        return self.unit.operator(node.operator, node)

    def visit_Result(self, node: Node) -> Node:
        value = self.visit(node.value)
        if isinstance(node.done, gast.Constant):
            return value
        done = self.visit(node.done)
        asked = call_of(self.unit.constant(self.unit.scopes[node.scope].ret), [value, done], node)
        return if_exp(compare(done, ast.Is(), ast.Constant(False)), ast.Constant(None), asked, node)

    def visit_LambdaScope(self, node: Node) -> Node:
        self.unit.open_scope(node, "lambda_")
        with self.meanwhile(scope=node.label):
            return self.visit(node.body)

    def visit_StagedNot(self, node: Node) -> Node:
        if not self._may_test():
            value = self.visit(node.operand)
            if nodes.is_never_staged(value):
                return placed_at(ast.UnaryOp(ast.Not(), value), node)
            return self.unit.call("not_", [value], node)
        with self.meanwhile(asks_at=node):
            test, exact = self._test_of_value(node.operand)  # which is one first, and asked for its truth then
        if exact:
            return placed_at(ast.UnaryOp(ast.Not(), test), node)
        asked = self.unit.call("not_", [load(self.staged)], node)
        other = if_exp(self.is_plain(), ast.Constant(True), asked, node)
        return if_exp(test, ast.Constant(False), other, node)

    def visit_StagedBoolOp(self, node: Node) -> Node:
        if not self._may_test() or len(node.values) > functional.LONGEST:
            return self._functional(node)
        with self.meanwhile(asks_at=node):
            return self._row(node.values, node, self._rest(node.values, node))

    def _row(self, values: list[Node], row: Node, rest_of: Callable[[int], Node], first: int = 0) -> Node:
        """`values[first] and ...`; `rest_of(i)` is what makes the staged value of the row behind value i."""
        node = values[first]
        if first == len(values) - 1:
            return self.visit(node)
        held, is_and = self.temporary("value"), _is_and(row)
        if functional.ASKS_ONCE and functional.holds_row(node):
            test = self._held_test(node, held)
            rest = self._row(values, row, rest_of, first + 1)
        else:
            value = self.visit(node)
            rest = self._row(values, row, rest_of, first + 1)
            if is_bool(value):
                return placed_at(ast.BoolOp(ast.And() if is_and else ast.Or(), [value, rest]), node)
            test = self._truth_of(assigned(held, value), load(held), node)
        dropped = compare(assigned(held, ast.Constant(None)), ast.Is(), ast.Constant(None))
        staged = item_of(ast.Tuple([rest_of(first), assigned(held, ast.Constant(None))], ast.Load()), 0)
        if is_and:
            settled = ast.IfExp(self.is_plain(), self.take(held), staged)
            return if_exp(ast.BoolOp(ast.And(), [test, dropped]), rest, settled, node)
        go_on = ast.BoolOp(ast.And(), [self.is_plain(), dropped])
        return if_exp(test, self.take(held), ast.IfExp(go_on, rest, staged), node)

    def _held_test(self, node: Node, held: str) -> Node:
        """Whether a value is plain and true; it is in `held` then, and where it is plain and false."""
        if isinstance(node, forms.StagedBoolOp) and len(node.values) <= functional.LONGEST:
            return self._test_of_row(node.values, node, self._rest(node.values, node), held)[0]
        if isinstance(node, forms.StagedIfExp) and functional.holds_row(node):
            return self._held_if_exp(node, held)
        return self._truth_of(assigned(held, self.visit(node)), load(held), node)

    def _held_if_exp(self, node: Node, held: str) -> Node:
        test, exact = self.asked_by(node, self.test, node.test)
        body = self._truth_of(assigned(held, self.visit(node.body)), load(held), node.body)
        orelse = self._held_test(node.orelse, held)
        if not exact:
            staged = self._settled(assigned(held, self._staged_if_exp(node)), node)
            orelse = if_exp(self.is_plain(), orelse, staged, node.orelse)
        return if_exp(test, body, orelse, node)

    def _choice(self, rest: Node, is_and: bool, only_truth: bool, at: Position) -> list[Node]:
        """Statements for the rest of `a and (x := b)` where `a` is staged."""
        other = _come_upon(at)
        if only_truth:
            rest, other = functional.truth_of(rest), functional.truth_of(other)
        return self._chosen(rest, other, at) if is_and else self._chosen(other, rest, at)

    def _chosen(self, body: Node, orelse: Node, at: Position) -> list[Node]:
        frame = self.frame
        sets = [*_set_by(body), *_set_by(orelse)]
        used = [n for n in sets if n not in self.unit.unread or n in frame.module_level or n in frame.captured]
        names = list(dict.fromkeys([*used, *sets]))
        return functional.choice(_come_upon(at), body, orelse, names, len(set(used)), frame.module_level, at)

    def _rest(
        self, values: list[Node], row: Node, only_truth: bool = False, held: Collection[str] = ()
    ) -> Callable[[int], Node]:
        """What makes the staged value of `a and b and ...` when one of `values` is staged; `held` are variables of ours."""
        is_and = _is_and(row)

        def rest_of(position: int) -> Node:
            following = values[position + 1 :]
            at = position_of(values[position])
            known = [h for h in held if h in names_in(following[:1]) and h not in walrus_targets(following[0])]
            rest = following[0]
            if len(following) > 1:
                rest = gast.copy_location(forms.StagedBoolOp(gast.And() if is_and else gast.Or(), following), rest)
                rest.sets = _set_by(rest)

            def build(emitter: Expressions) -> list[Node]:
                if _set_by(rest):
                    return self._choice(rest, is_and, only_truth, at)
                made = quote(
                    "def rest():\n    return value\nreturn ag__.operator(staged, rest)",
                    at,
                    rest=own("rest"),
                    value=emitter.truth(rest) if only_truth else rest,
                    staged=own("staged value"),
                )
                made[1].value.operator = "and_staged" if is_and else "or_staged"
                return made

            values_of_ours = [load(self.staged), *map(load, known)]
            return self.piece(names_in(following), values_of_ours, [own("staged value"), *known], build, row)

        return rest_of

    def visit_StagedIfExp(self, node: Node) -> Node:
        if not self._may_test():
            return self._functional(node)
        test, exact = self.asked_by(node, self.test, node.test)
        body, orelse = self.visit(node.body), self.visit(node.orelse)
        if not exact:
            orelse = if_exp(self.is_plain(), orelse, self._staged_if_exp(node), node.orelse)
        return if_exp(test, body, orelse, node)

    def _staged_if_exp(self, node: Node, only_truth: bool = False) -> Node:
        at = position_of(node)

        def build(emitter: Expressions) -> list[Node]:
            body, orelse = node.body, node.orelse
            if only_truth:  # of one dtype, whatever the values have
                body, orelse = functional.truth_of(emitter.truth(body)), functional.truth_of(emitter.truth(orelse))
            if node.sets:
                return self._chosen(body, orelse, at)
            return quote(
                "def then():\n    return body\ndef other():\n    return orelse\n"
                "return ag__.if_exp(staged, then, other, text)",
                at,
                then=own("then"),
                other=own("other"),
                body=body,
                orelse=orelse,
                staged=own("staged value"),
                text=constant(emitter.text_of(node.shown), at),
            )

        return self.piece(names_in([node.body, node.orelse]), [load(self.staged)], [own("staged value")], build, node)

    def text_of(self, node: Node) -> str:
        """The text of a tree with forms in it."""
        return unparse(Printer(Context(self.unit.options, Namer(()))).visit(copied(node))).strip()

    def visit_StagedChain(self, node: Node) -> Node:
        if not self._may_test() or len(node.ops) > functional.LONGEST:
            return self._functional(node)
        pairs, held = self._pairs(node)
        with self.meanwhile(asks_at=node):
            return nodes.let_go(self._row(pairs, node, self._rest(pairs, node, held=held)), held, node)

    def _pairs(self, node: Node) -> tuple[list[Node], list[str]]:
        """The comparisons of a chain, and the variables that hold operands which are computed once."""
        pairs, held = [], []
        left = node.left
        for position, (op, right) in enumerate(zip(node.ops, node.comparators, strict=True)):
            following = right
            if position + 1 < len(node.ops) and not isinstance(right, (forms.Read, gast.Name, gast.Constant)):
                variable = self.temporary(f"operand {self.frame.depth} {position}")
                held.append(variable)
                at = position_of(right)
                right = gast.copy_location(gast.NamedExpr(name(variable, at, gast.Store()), right), right)
                following = name(variable, at)
            pairs.append(functional.comparison(left, op, right, position_of(node), self.unit.options))
            left = following
        self.frame.depth += 1
        return pairs, held

    def _functional(self, node: Node) -> Node:
        """An expression as the call of its operator, with functions for its parts; where these set variables, Python's."""
        if node.sets:
            return self.generic_visit(node)
        if isinstance(node, forms.StagedChain):
            made = functional.chain(node, self.unit.options, self._new_operand)
        elif isinstance(node, forms.StagedIfExp):
            made = functional.if_expression(node, self.truth(node.test), self.text_of(node.shown))
        else:
            made = functional.as_value(node, self.unit.options, self._new_operand)
        return self.visit(made)

    def _new_operand(self, root: str) -> str:
        self.frame.depth += 1
        return own(f"{root} {self.frame.depth}")

    def visit_ListComp(self, node: Node) -> Node:
        """A comprehension; what it runs over first is computed ahead of it where that sets variables of ours.

        [f(x) for x in <a>]    ->    (None, h := [<a>], [f(x) for x in h.pop()])[-1]
        """
        first = node.generators[0]
        may_assign = self.may_assign and not self.in_class
        iterated = self._iterated(first, may_assign)
        ahead: list[Node] = []
        if any(isinstance(part, ast.NamedExpr) for part in walk(iterated)):
            held = self.temporary("first")
            begun = placed_at(ast.Constant(None), node)  # on the line of the comprehension
            ahead = [begun, assigned(held, placed_at(ast.List([iterated], ast.Load()), first.iter))]
            taken = placed_at(ast.Attribute(load(held), "pop", ast.Load()), first.iter)
            iterated = call_of(taken, [], first.iter)
        with self.meanwhile(may_assign=may_assign, inside=" inside" if may_assign else ""):
            made = rebuilt(node, lambda part: self._comprehension_part(part, first, iterated))
        return nodes.one_of([*ahead, made], -1, node) if ahead else made

    visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_ListComp

    def _comprehension_part(self, node: Node, first: Node, iterated: Node) -> Node:
        if not isinstance(node, gast.comprehension):
            return self.visit(node)
        if node is not first:
            iterated = self._iterated(node, False)
        target, ifs = self.visit(node.target), [self.condition(test) for test in node.ifs]
        return ast.comprehension(target, iterated, ifs, node.is_async)

    def _iterated(self, loop: Node, may_assign: bool) -> Node:
        with self.meanwhile(may_assign=may_assign):
            found = self.visit(loop.iter)
            if isinstance(found, ast.List) and not any(isinstance(item, ast.Starred) for item in found.elts):
                found = placed_at(ast.Tuple(found.elts, ast.Load()), found)  # as Python does, where it sees both
            return self.sites.stand_in("Watching", found)

    # Tests

    def truth(self, node: Node) -> Node:
        """A tree for an expression of which an operator asks the truth."""
        return functional.as_test(node, self.unit.options, self._new_operand)

    def condition(self, node: Node) -> Node:
        """An expression of which Python itself or an operator asks the truth: of what is in it as often as Python does."""
        is_pythons = isinstance(node, gast.BoolOp) and (not isinstance(node, forms.StagedBoolOp) or bool(node.sets))
        if is_pythons and not self._may_test():
            *first, last = self.each(node.values)
            if isinstance(node.op, gast.And):
                return if_exp(all_of(first, None), last, ast.Constant(False), node)
            return if_exp(any_of(first, None), ast.Constant(True), last, node)
        if not isinstance(node, (forms.StagedNot, forms.StagedBoolOp, forms.StagedChain, forms.StagedIfExp)):
            return self.visit(node)
        if not self._may_test():
            return self.visit(self.truth(node))
        test, exact = self.test(node)
        if exact:
            return test
        at = self.asks_at or node  # Python 3.11 says of an assertion that it fails where it tested last
        is_staged = placed_at(self.is_staged(), at)
        staged = all_of([is_staged, placed_at(load(self.staged), at)], at)
        return any_of([test, staged], node)

    def asked_by(self, whole: Node, compiled: Callable[[Node], Node], node: Node) -> Node:
        """`compiled(node)`, the test of `whole`: of a statement, or an `x if node else y`."""
        with self.meanwhile(asks_at=whole if _TESTS_AT_STATEMENT else None):
            return compiled(node)

    def test(self, node: Node) -> tuple[Node, bool]:
        """Whether a value is plain and true; and whether it is never staged."""
        kind = node.__class__
        if self.asks_at is not None and isinstance(node, gast.Compare):
            self.asks_at = node  # CPython 3.11 stays there
        if kind is forms.StagedNot:
            return self._test_of_not(node)
        if kind is forms.StagedBoolOp and len(node.values) <= functional.LONGEST:
            return self._test_of_row(node.values, node, self._rest(node.values, node, True))
        if kind is forms.StagedIfExp:
            return self._test_of_if_exp(node)
        if kind is forms.StagedChain and len(node.ops) <= functional.LONGEST:
            pairs, operands = self._pairs(node)
            test, exact = self._test_of_row(pairs, node, self._rest(pairs, node, held=operands))
            return nodes.let_go(test, operands, node), exact
        if kind is gast.BoolOp:
            last, exact = self.test(node.values[-1])
            op, firsts = to_ast(node.op), self.each(node.values[:-1])
            if exact or not isinstance(node.op, gast.And):
                return placed_at(ast.BoolOp(op, [*firsts, last]), node), exact
            plain = assigned(self.staged, placed_at(ast.Constant(False), node))  # if the last is not asked for
            return if_exp(all_of(firsts, node), last, plain, node), False
        return self._test_of_value(node)

    def _test_of_value(self, node: Node) -> tuple[Node, bool]:
        value = self.visit(node)
        if is_bool(value):
            return value, True
        if nodes.is_never_staged(value):
            return nodes.negation(nodes.negation(value)), True
        if isinstance(node, gast.Compare) and self.unit.guards:  # most likely it gives a bool
            staged = load(self.staged)
            is_true = compare(assigned(self.staged, value), ast.Is(), ast.Constant(True))
            is_other = compare(staged, ast.IsNot(), ast.Constant(False))
            other = ast.BoolOp(ast.And(), [is_other, self._settled(staged, node)])
            return any_of([is_true, other], node), False
        if isinstance(value, (ast.Name, nodes.Read)):
            return self._truth_of(nodes.bare(value), value, node), False
        return self._truth_of(assigned(self.staged, value), load(self.staged), node), False

    def _may_test(self) -> bool:
        return self.may_assign and not self.in_class and not self.unit.pieces_only

    def _truth_of(self, value: Node, again: Node, at: Node) -> Node:
        """Whether a value that a variable holds is plain and true; Python is asked where its type is known to be plain."""
        at = self.asks_at or at
        site = self.sites.made("Truth")
        if not self.unit.guards:
            return self._settled(value, at, site)
        kind = ast.Call(self.unit.constant(type), [value], [])
        known = placed_at(compare(kind, ast.Is(), ast.Attribute(site, "kind", ast.Load())), at)
        truth = nodes.negation(nodes.negation(nodes.bare(again)))
        asked = call_of(site, [again], at)
        return self._true(if_exp(known, placed_at(truth, at), asked, at), at)

    def truth_value(self, node: Node) -> Node:
        """The value of a condition: a bool, or what is staged."""
        value = self.condition(node)
        at = self.asks_at or node
        return value if is_bool(value) else call_of(self.sites.made("Truth"), [value], at)

    def _settled(self, value: Node, at: Node, site: Node = None) -> Node:
        """Asks for the truth of a value; it is kept where it is staged."""
        at = self.asks_at or at
        return self._true(call_of(site or self.sites.made("Truth"), [value], at), at)

    def _true(self, asked: Node, at: Node) -> Node:
        return placed_at(compare(assigned(self.staged, asked), ast.Is(), ast.Constant(True)), at)

    def is_plain(self) -> Node:
        """Whether the last test has come upon nothing staged."""
        return compare(load(self.staged), ast.Is(), ast.Constant(False))

    def is_staged(self) -> Node:
        """Whether it has."""
        return compare(load(self.staged), ast.IsNot(), ast.Constant(False))

    def take(self, variable: str) -> Node:
        """The value of a variable of ours, which then holds it no more."""
        return item_of(ast.Tuple([load(variable), assigned(variable, ast.Constant(None))], ast.Load()), 0)

    def _test_of_not(self, node: Node) -> tuple[Node, bool]:
        test, exact = self.test(node.operand)
        if exact:
            return placed_at(ast.UnaryOp(ast.Not(), test), node), True
        asked = self._settled(self.unit.call("not_", [load(self.staged)], node), node)
        other = ast.BoolOp(ast.Or(), [self.is_plain(), asked])
        return if_exp(test, assigned(self.staged, placed_at(ast.Constant(False), node)), other, node), False

    def _test_of_row(
        self, values: list[Node], row: Node, rest_of: Callable[[int], Node], held: str = "", first: int = 0
    ) -> tuple[Node, bool]:
        node, is_and, is_last = values[first], _is_and(row), first == len(values) - 1
        if held:  # which is to keep the value
            with self.meanwhile(asks_at=self.asks_at if is_last else row):  # the last is for what is around the row
                test, exact = self._held_test(node, held), False
        else:
            test, exact = self.test(node)
        if is_last:
            return test, exact
        rest, rest_exact = self._test_of_row(values, row, rest_of, held, first + 1)
        if exact:
            if is_and and not rest_exact:
                test = assigned(self.staged, test)
            return placed_at(ast.BoolOp(ast.And() if is_and else ast.Or(), [test, rest]), node), rest_exact
        value = rest_of(first)
        settled = self._settled(assigned(held, value) if held else value, node)
        if is_and:
            if rest_exact:
                rest = assigned(self.staged, rest)
            staged = ast.BoolOp(ast.And(), [self.is_staged(), settled])
            return if_exp(test, rest, staged, node), False
        if rest_exact and self._tests_inside(rest):
            rest = assigned(self.staged, rest)
        return any_of([test, ast.IfExp(self.is_plain(), rest, settled)], node), False

    def _tests_inside(self, node: Node) -> bool:
        """Whether a compiled expression tests something on its way, so that what the last test came upon is forgotten."""
        return any(isinstance(part, ast.NamedExpr) and part.target.id == self.staged for part in walk(node))

    def _test_of_if_exp(self, node: Node) -> tuple[Node, bool]:
        test, exact = self.test(node.test)
        body, body_exact = self.test(node.body)
        orelse, orelse_exact = self.test(node.orelse)
        both_exact = body_exact and orelse_exact
        if not exact or not both_exact:
            body = assigned(self.staged, body) if body_exact else body
            orelse = assigned(self.staged, orelse) if orelse_exact else orelse
        if exact:
            return if_exp(test, body, orelse, node), both_exact
        orelse = ast.IfExp(self.is_plain(), orelse, self._settled(self._staged_if_exp(node, True), node))
        return if_exp(test, body, orelse, node), False

    # Pieces

    def piece(self, names: set[str], values: list[Node], parameters: list[str], build: Build, at: Node) -> Node:
        """The call of a piece of the function, which is compiled when it is called first.

        `names` are the variables that are mentioned in it, which it shares; `build` gives its statements, as trees of
        gast, with `parameters` for the `values`.
        """
        frame, converts_calls = self.frame, self.converts_calls

        def built(emitter: Expressions) -> list[Node]:
            emitter.converts_calls = converts_calls
            return build(emitter)

        make = partial(type(self).compile_piece, self.unit, frame, self.scope, names, parameters, built)
        variables = sorted({self.unit.variable(n) for n in names} - set(parameters))
        if not self.unit.perhaps_unset.isdisjoint(names) and not self.marks_unset:
            variables.append(self.unset)
        loads = [load(v) for v in variables]
        shared = placed_at(nodes.thunk(loads[0] if len(loads) == 1 else ast.Tuple(loads, ast.Load())), at)
        return call_of(self.unit.constant(Piece(make)), [shared, *values], at)

    @classmethod
    @abstractmethod
    def compile_piece(cls, *args: Any, **kwargs: Any) -> CodeType:
        """The code of a piece; made by `Code`."""


def _is_and(row: Node) -> bool:
    """Whether a row goes on while values are true: `a and b`, or a chain of comparisons."""
    return not isinstance(getattr(row, "op", None), gast.Or)


def _set_by(node: Node) -> list[str]:
    """The variables of the user's that an expression sets with `:=`."""
    return [n for n in walrus_targets(node) if not is_own_name(n)]


def _come_upon(at: Position) -> Node:
    """In a piece, the staged value that a test came upon."""
    return name(own("staged value"), at)
