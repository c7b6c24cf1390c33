"""Compiles converted functions: Python's own statements, and pieces for what turns out to be staged.

    StagedIf(body, orelse, test, state)         if <test>:                     as Python runs it
                                                    ...
                                         ->     elif s is None:
                                                    ...
                                                else:                          staged: the functions of this one statement,
                                                    PIECE(lambda: (x, y), s)   on the same variables; see `functional`

Where nothing is staged a variable without a value has none, as in Python; in a piece it holds an `ag__.Undefined`, which
reads there ask for.
"""

# long: one method for each kind of statement; all of them compile into the one frame that they share

from __future__ import annotations

import ast
import sys
from collections import ChainMap
from collections.abc import Callable, Iterable
from dataclasses import replace
from types import CodeType, FunctionType
from typing import Any

import gast

from autograph.backends.registry import stages_builtin_types
from autograph.converters import forms
from autograph.converters.converter import Context
from autograph.emit import functional
from autograph.emit.calls import Calls, likely_type
from autograph.emit.expressions import Build, Expressions
from autograph.emit.load import load_function, load_piece
from autograph.emit.nodes import (
    all_of,
    assigned,
    call_of,
    compare,
    if_exp,
    let_go,
    load,
    negation,
    one_of,
    placed_at,
    store,
)
from autograph.emit.unit import THUNK, Frame, Unit, learn_variables, names_bound_by, names_in, names_of_state
from autograph.emit.write_sites import WriteSites
from autograph.operators.frames import places_of
from autograph.pyct import quiet
from autograph.pyct.analysis.facts import Facts
from autograph.pyct.analysis.scopes import walrus_targets
from autograph.pyct.deep import with_deep_stack
from autograph.pyct.names import enclosing_class, own
from autograph.pyct.nodes import Node, Operator, OperatorName, Thunk, children, parameters, walk
from autograph.pyct.origin import position_of
from autograph.pyct.quote import name, quote
from autograph.pyct.trees import copied, rebuilt, to_ast

# Until 3.12 CPython begins to iterate on the line where the statement begins, not on that of what it iterates over.
_ITERATES_AT_STATEMENT = sys.version_info < (3, 13)
_DISPLAYS = (gast.List, gast.Dict, gast.Set, gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)
_COMPARISONS = frozenset(("eq", "not_eq", "in_", "not_in_"))
_OF_STATE = frozenset(map(own, ("get_state", "set_state")))


class Code(Calls):
    """The statements of one function."""

    # Functions

    def definition(self, node: Node) -> Node:
        """The function itself: a `FunctionDef`, with the scope that is the last statement in it."""
        learn_variables(self.frame, node, self.facts)
        scope = node.body[-1]
        if not isinstance(scope, forms.FunctionScope):  # a lambda that may be suspended
            body = self.with_variables(self.statements(node.body))
            return rebuilt_with(node, body=body, args=_bare(node.args), decorator_list=[], returns=None)
        self.frame.settled = {arg.id for arg in parameters(node.args)}
        opened = self.unit.open_scope(scope, scope.title)
        self.scope = scope.label
        body = self.with_variables(self.statements(scope.body))
        variables = self.frame.locals - {arg.id for arg in parameters(node.args)}
        if not self.unit.pieces_only:  # where pieces alone may set a variable; else what is set in the text alone
            variables &= self.unit.perhaps_unset
        body[:0] = [_declaration(self.unit.variable(v)) for v in sorted(variables)]
        described = [made for statement in node.body[:-1] for made in self.statement(statement)]
        if opened.is_light:  # there may be no room for another call; the outermost function cleans up
            failed = ast.Expr(ast.Call(self.unit.constant(opened.failed), [], []))
            out_of_room = ast.ExceptHandler(self.unit.constant(RecursionError), None, [ast.Raise(None, None)])
            handlers = [out_of_room, ast.ExceptHandler(None, None, [failed, ast.Raise(None, None)])]
            scoped: list[Node] = [ast.Try(body, handlers, [], [])]
        else:  # leaves the frame on the line that an error came from, which a handler does not
            scoped = [ast.With([ast.withitem(self.unit.constant(opened), None)], body)]
        return rebuilt_with(node, body=[*described, *scoped], args=_bare(node.args), decorator_list=[], returns=None)

    def with_variables(self, body: list[Node]) -> list[Node]:
        """The statements of a function, after those that set variables of ours."""
        return [*(store(variable, first) for variable, first in self.frame.uses.items()), *body]

    def visit_Lambda(self, node: Node) -> Node:
        """A lambda."""
        inner = self.inner("<lambda>", is_lambda=True)
        learn_variables(inner.frame, node, self.facts)
        inner.scope = self.scope
        inner.may_assign = self.may_assign  # nor in a function in what a comprehension runs over
        body = inner.visit(node.body)
        if inner.frame.uses:
            first = [assigned(variable, value) for variable, value in inner.frame.uses.items()]
            body = one_of([*first, body], -1, node.body)
        args = rebuilt(node.args, self.visit)
        if isinstance(node, Thunk):
            args.vararg = ast.arg(THUNK)
            for arg in args.args:
                arg.arg = self.unit.variable(arg.arg)
        return placed_at(ast.Lambda(args, body), node)

    def inner(self, name_: str, is_lambda: bool = False) -> Code:
        """What compiles a function inside this one."""
        frame = self.frame
        around = frame.around | frame.locals
        qualname = frame.inner_qualname(name_)
        inner_frame = Frame(name_, qualname, frame.owner, is_lambda=is_lambda, around=around)
        found = Code(self.unit, inner_frame, self.namespace, self.facts)
        found.converts_calls = self.converts_calls
        return found

    # Statements

    def statements(self, body: Iterable[Node], targets: Iterable[Node] = ()) -> list[Node]:
        """The compiled form of a block; what it sets surely has a value in it, and perhaps not after it."""
        frame = self.frame
        outer, frame.settled = frame.settled, frame.settled | _names_set(targets)
        result = []
        for node in body:
            result += self.statement(node)
            if isinstance(node, gast.Assign):
                frame.settled |= _names_set(node.targets)
            elif isinstance(node, gast.AugAssign):
                frame.settled |= _names_set([node.target])
        frame.settled = outer
        return result or [ast.Pass()]

    def statement(self, node: Node) -> list[Node]:
        """The compiled form of a statement."""
        self.sites.begin()
        found: list[Node] = self.visit(node)
        return found

    def generic_visit(self, node: Node) -> Any:
        if not isinstance(node, gast.stmt):
            return super().generic_visit(node)
        return self._with_sites(rebuilt(node, self.visit))

    def _with_sites(self, node: Node) -> list[Node]:
        return [node] if self.in_class or self.sites.off else self.sites.statement(node)

    def visit_Expr(self, node: Node) -> list[Node]:
        value = self.visit(node.value)
        return [placed_at(ast.Expr(getattr(value, "whole", value)), node)]

    def visit_Mention(self, node: Node) -> list[Node]:
        return []

    def visit_Try(self, node: Node) -> list[Node]:
        found = rebuilt(node, lambda part: part)  # shares the children, which are replaced
        written = node.lineno > 0
        found.body, found.orelse, found.finalbody = (
            self.statements(block) if block else [] for block in (node.body, node.orelse, node.finalbody)
        )
        if written:
            found.finalbody = self._without_refusal(found.finalbody)
        if written and _calls_something(node.finalbody):
            found.finalbody.insert(0, self._handled())
        # A group is split before the handler begins, and its parts have the traceback that it had.
        splits = isinstance(node, gast.TryStar)
        asked = next((h for h in node.handlers if h.type is not None and (splits or _calls_something([h.type]))), None)
        found.handlers = []
        for handler in node.handlers:
            kind: Node = None if handler.type is None else self.visit(handler.type)
            if written and handler is asked:
                kind = placed_at(ast.BoolOp(ast.Or(), [self.unit.call("handled", []), kind]), kind)
            if written and not splits:
                at = handler if kind is None else kind
                kind = self.unit.constant(BaseException) if kind is None else kind
                passed = self.unit.call("unless_refused", [kind], at)
                kind = if_exp(self.unit.operator("open_traces"), passed, kind, at)
            body = self.statements(handler.body)
            if handler.lineno > 0:
                body.insert(0, self._handled())
            title = None if handler.name is None else handler.name.id
            elsewhere = self.frame.module_level | self.frame.captured
            if title in self.unit.perhaps_unset - elsewhere and self.marks_unset:
                title, body = self._taken_back(title, body)
            found.handlers.append(placed_at(ast.ExceptHandler(kind, title, body), handler))
        return [found]

    visit_TryStar = visit_Try

    def visit_TakenBack(self, node: Node) -> list[Node]:
        flags = _names_set(part for s in node.handlers[0].body for part in getattr(s, "targets", ()))
        if not self.frame.is_part and not _sets_some(flags, node.body):
            return self.statements(node.body)
        found = self.visit_Try(node)
        found[0].takes_back = True
        return found

    def _without_refusal(self, body: list[Any], in_loop: bool = False) -> list[Any]:
        """The statements of a `finally`: a jump out of it drops every error but refusals to stage."""
        result: list[Any] = []
        for statement in body:
            jumps = ast.Return if in_loop else (ast.Return, ast.Break, ast.Continue)
            if isinstance(statement, jumps):
                passed = ast.Expr(self.unit.call("pass_refusal", []))
                result.append(ast.If(self.unit.operator("open_traces"), [passed], []))
            elif not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                within = in_loop or isinstance(statement, (ast.For, ast.AsyncFor, ast.While))
                for part in (statement, *getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
                    if hasattr(part, "body"):
                        part.body = self._without_refusal(part.body, within)
                for field in ("orelse", "finalbody"):
                    if hasattr(statement, field):
                        setattr(statement, field, self._without_refusal(getattr(statement, field), in_loop))
            result.append(statement)
        return result

    def _taken_back(self, title: str, body: list[Node]) -> tuple[str, list[Node]]:
        """Another name for a handler, whose variable, which Python deletes, holds afterwards what says so."""
        variable, caught = self.unit.variable(title), own(f"caught {title}")
        after = store(variable, self.unit.call("Undefined", [ast.Constant(title)]))
        return caught, [store(variable, load(caught)), ast.Try(body, [], [], [after])]

    def _handled(self) -> Node:
        call = ast.Expr(self.unit.call("handled", []))
        # There may be no room for a call where the handler itself needs none.
        too_deep = ast.ExceptHandler(self.unit.constant(RecursionError), None, [ast.Pass()])
        return ast.Try([call], [too_deep], [], [])

    def visit_With(self, node: Node) -> list[Node]:
        body = self.statements(node.body)
        kind = ast.AsyncWith if isinstance(node, gast.AsyncWith) else ast.With
        for item in reversed(node.items):  # a manager sees what fails in entering the managers after it, too
            entered = self.item(item.context_expr)
            site = "AsyncEntering" if kind is ast.AsyncWith else "Entering"
            entered = self.sites.stand_in(site, entered)
            target = item.optional_vars
            if target is not None:
                target, stores = self._target(target, node)
                body = [*stores, *body]
                if _calls_something([item.optional_vars]):
                    body, target = [self._bound_within(target), *body], self._entered(target, ast.Store())
            holds_another = isinstance(body[0], (ast.With, ast.AsyncWith))  # which sees to what fails in its body
            if node.lineno > 0 and not (self.unit.is_nested and holds_another):
                if len(body) > 1 or not hasattr(body[0], "takes_back"):  # Python nests 20 blocks at most
                    body = [ast.Try(body, [ast.ExceptHandler(None, None, [ast.Raise(None, None)])], [], [])]
                body[0].handlers[0].body.insert(0, self._handled())
            body = [placed_at(kind([ast.withitem(entered, target)], body), node)]
        return body

    visit_AsyncWith = visit_With

    def _entered(self, target: Node, ctx: Node) -> Node:
        return placed_at(ast.Name(own("entered"), ctx), target)

    def _bound_within(self, target: Node) -> Node:
        """What sets the target of an item of `with` in the body: `m.__exit__` sees what fails in that, too."""
        bound = placed_at(ast.Assign([target], self._entered(target, ast.Load())), target)
        return ast.Try([bound], [], [], [ast.Delete([ast.Name(own("entered"), ast.Del())])])

    def visit_For(self, node: Node) -> list[Node]:
        site = "AsyncIteration" if isinstance(node, gast.AsyncFor) else "Watching"
        iterated = self.sites.stand_in(site, self.visit(node.iter))
        target, stores = self._target(node.target, node)
        body = [*stores, *self.statements(node.body, [node.target])]
        orelse = self.statements(node.orelse) if node.orelse else []
        kind = ast.AsyncFor if isinstance(node, gast.AsyncFor) else ast.For
        return [placed_at(kind(target, iterated, body, orelse), node)]

    visit_AsyncFor = visit_For

    def _target(self, node: Node, at: Node) -> tuple[Node, list[Node]]:
        """What a loop or a manager sets, and statements that set what it cannot."""
        target = self.visit(node)
        return (target, []) if self.in_class else self.sites.target(target, at)

    def visit_If(self, node: Node) -> list[Node]:
        """`if` and `while` that stay Python's."""
        kind = ast.If if isinstance(node, gast.If) else ast.While
        body, orelse = self.statements(node.body), self.statements(node.orelse) if node.orelse else []
        return [placed_at(kind(self.asked_by(node, self.condition, node.test), body, orelse), node)]

    visit_While = visit_If

    def visit_Match(self, node: Node) -> list[Node]:
        subject = self.visit(node.subject)
        if all(_is_of_class(case.pattern) for case in node.cases):
            attributes = {a for n in walk(node) if isinstance(n, gast.MatchClass) for a in n.kwd_attrs}
            site = self.sites.made("Matching", tuple(sorted(attributes)))
            subject = call_of(site, [subject], subject)
        else:
            subject = self.sites.stand_in("Taking", subject)
        cases = []
        for case in node.cases:
            guard = None if case.guard is None else self.condition(case.guard)
            pattern = self._pattern(case.pattern)
            cases.append(ast.match_case(pattern, guard, self.statements(case.body)))
        return [placed_at(ast.Match(subject, cases), node)]

    def _pattern(self, node: Node) -> Node:
        if not isinstance(node, gast.pattern):
            return self.visit(node) if not isinstance(node, (gast.Attribute, gast.Name)) else to_ast(node)
        found = rebuilt(node, self._pattern)
        for field in ("name", "rest"):
            if isinstance(getattr(found, field, None), str):
                setattr(found, field, self.unit.variable(getattr(found, field)))
        return found

    def visit_AnnAssign(self, node: Node) -> list[Node]:
        value = None if node.value is None else self.visit(node.value)
        annotation = self._annotation(node.annotation)
        made = ast.AnnAssign(self.visit(node.target), annotation, value, node.simple)
        return self._with_sites(placed_at(made, node))

    def visit_FunctionDef(self, node: Node) -> list[Node]:
        inner = self.inner(node.name)
        inner.frame.owner = self.frame.owner
        found = inner.definition(node)
        # The bare name is a mark of ours; with an argument it is a lambda that the user decorates with.
        marks = [d for d in node.decorator_list if isinstance(d, OperatorName) and d.operator == "autograph_artifact"]
        found.decorator_list = self.each([d for d in node.decorator_list if d not in marks])
        defaults = {f: self.each(getattr(node.args, f)) for f in ("defaults", "kw_defaults")}
        found.args = rebuilt(node.args, self._annotation)
        found.returns = self._annotation(node.returns)
        if getattr(node, "type_params", None):
            found.type_params = self.type_params(node)
        found.args.defaults, found.args.kw_defaults = defaults["defaults"], defaults["kw_defaults"]
        return [found]

    visit_AsyncFunctionDef = visit_FunctionDef

    def _annotation(self, node: Node) -> Node:
        """What says something of a type: it may have a frame of its own, and nothing in it is staged."""
        outer, self.sites.off = self.sites.off, True
        with self.meanwhile(may_assign=False):
            found = None if node is None else self.visit(node)
        self.sites.off = outer
        return found

    def type_params(self, node: Node) -> list[Node]:
        """Of a definition: their bounds and defaults are computed when asked for, in scopes without assignments."""
        made = []
        for param in node.type_params:
            lazy = [f for f in ("bound", "default_value") if getattr(param, f, None) is not None]
            made.append(rebuilt_with(param, **{f: self._annotation(getattr(param, f)) for f in lazy}))
        return made

    def visit_TypeAlias(self, node: Node) -> list[Node]:
        with self.meanwhile(may_assign=False):
            name, value = self.visit(node.name), self.visit(node.value)
        return [rebuilt_with(node, name=name, value=value, type_params=self.type_params(node))]

    def visit_ClassDef(self, node: Node) -> list[Node]:
        frame = self.frame
        decorators = self.each(node.decorator_list)
        # Type parameters have a scope with the bases in it.
        with self.meanwhile(may_assign=self.may_assign and not getattr(node, "type_params", None)):
            bases, keywords = self.each(node.bases), self.each(node.keywords)
        outer = frame.inside_class, frame.owner
        frame.inside_class, frame.owner = frame.inner_qualname(node.name), node.name
        with self.meanwhile(may_assign=False, in_class=True):
            body = self.statements(node.body)
        frame.inside_class, frame.owner = outer
        params = {"type_params": self.type_params(node)} if getattr(node, "type_params", None) else {}
        return [rebuilt_with(node, bases=bases, keywords=keywords, body=body, decorator_list=decorators, **params)]

    def visit_Global(self, node: Node) -> list[Node]:
        found = to_ast(node)
        found.names = [self.unit.variable(n) for n in node.names]
        return [found]

    visit_Nonlocal = visit_Global

    def visit_Assert(self, node: Node) -> list[Node]:
        test = self.asked_by(node, self.condition, node.test)
        fails_at = _fails_at(node)
        if sys.version_info < (3, 12):  # the error is on the line of what was tested last
            placed_at(_compared_last(test, test), fails_at)
        message = None if node.msg is None else self.visit(node.msg)
        return [placed_at(ast.Assert(test, message), fails_at)]

    # Forms

    def visit_LoweredReturn(self, node: Node) -> list[Node]:
        if self.frame.is_part:
            made = self.visit_Try(node)
            made[-1].returns = True  # for `write_sites`
            return made
        _, *before, last = node.body  # ahead of the value: what gives variables some
        return [*self.statements(before), placed_at(ast.Return(self.visit(last.value)), node)]

    def visit_Reload(self, node: Node) -> list[Node]:
        if node.name not in self.unit.perhaps_unset or self.has_value(node.name):
            return []
        variable = self.unit.variable(node.name)
        read = self.unit.call("ld", [placed_at(load(variable), node)], node)
        asked = placed_at(store(variable, read), node)
        if self.marks_unset or node.name not in self.frame.locals:
            return [asked]
        return [placed_at(ast.If(load(self.unset), [asked], []), node)]

    def visit_Unset(self, node: Node) -> list[Node]:
        variable = self.unit.variable(node.name)
        if self.marks_unset:
            value = self.unit.call("Undefined", [ast.Constant(node.name)], node)
            return [placed_at(store(variable, value), node)]
        gone = placed_at(ast.Name(variable, ast.Del()), node)
        return [placed_at(ast.Delete([gone]), node)] if node.deletes else []

    def visit_TogetherDeleted(self, node: Node) -> list[Node]:
        return [made for part in node.body for made in self.statement(part)]

    def visit_PerhapsUnset(self, node: Node) -> list[Node]:
        return self._with_some_value(self.unit.variable(node.name)) if self.marks_unset else []

    def _with_some_value(self, variable: str) -> list[Node]:
        """Gives a variable that has no value one."""
        value = self.unit.call("Undefined", [ast.Constant(variable)])
        caught = ast.ExceptHandler(self.unit.constant(NameError), None, [store(variable, value)])
        return [ast.Try([ast.Expr(load(variable))], [caught], [], [])]

    def visit_StagedAssert(self, node: Node) -> list[Node]:
        test = self.asked_by(node, self.truth_value, node.test)
        args = [test, *(() if node.message is None else (self.visit(node.message),))]
        return [placed_at(ast.Expr(self.unit.call("assert_stmt", args, _fails_at(node))), node)]

    def visit_StagedIf(self, node: Node) -> list[Node]:
        names = names_in([*node.body, *node.orelse]) | names_of_state(node.state)
        parameters = [own("staged value")]

        def build(emitter: Expressions) -> list[Node]:
            at = position_of(node)
            undefined = functional.without_value(node.state, at, walrus_targets(node.test))
            return functional.if_statement(node, name(own("staged value"), at), functional.OWN, undefined)

        if self.unit.pieces_only:
            return self._staged_statement(names, [self.condition(node.test)], parameters, build, node)
        test, exact = self.asked_by(node.state.whole, self.test, node.test)
        body = self.statements(node.body)
        orelse = self.statements(node.orelse) if node.orelse else []
        if exact:
            return [placed_at(ast.If(test, body, orelse), node)]
        staged = self._staged_statement(names, [load(self.staged)], parameters, build, node)
        other = ast.If(self.is_plain(), orelse, staged) if orelse else ast.If(self.is_staged(), staged, [])
        return [placed_at(ast.If(test, body, [other]), node)]

    def _staged_statement(
        self, names: set[str], values: list[Node], parameters: list[str], build: Build, node: Node
    ) -> list[Node]:
        """The piece of a statement; flags of ours are given to it and taken from it, so that they are no cells."""
        unit = self.unit
        flags = [n for n in sorted(names & unit.generated) if self.frame.has_value(n)] if not unit.pieces_only else []
        if not flags:
            return [placed_at(ast.Expr(self.piece(names, values, parameters, build, node)), node)]
        variables = [unit.variable(flag) for flag in flags]

        def build_and_return(emitter: Expressions) -> list[Node]:
            at = position_of(node)
            values = gast.Tuple([name(flag, at) for flag in flags], gast.Load())
            return [*build(emitter), gast.copy_location(gast.Return(values), node)]

        given = [*values, *map(load, variables)]
        asked = self.piece(names.difference(flags), given, [*parameters, *variables], build_and_return, node)
        taken = ast.Tuple([ast.Name(v, ast.Store()) for v in variables], ast.Store())
        return [placed_at(ast.Assign([taken], asked), node)]

    def visit_StagedWhile(self, node: Node) -> list[Node]:
        names = names_in([node.test, *node.body, *node.options]) | names_of_state(node.state)
        if self.unit.pieces_only:
            return self._staged_statement(
                names,
                [],
                [],
                lambda emitter: functional.while_statement(node, emitter.truth(node.test), functional.OWN),
                node,
            )
        test, exact = self.asked_by(node.state.whole, self.test, node.test)
        body = self.statements(node.body)
        if exact:
            return [placed_at(ast.While(test, body, []), node)]
        at = position_of(node)
        self.frame.depth += 1
        trial = self.temporary(f"trial {self.frame.depth}")
        make: Node = ast.Constant(None)
        if not isinstance(node.test, (gast.Name, forms.Read)):  # nothing is done by reading a variable
            make = ast.IfExp(self.unit.operator("marking_backends"), self._trial(node), ast.Constant(None))
        first = store(trial, make)
        if any(isinstance(part, (gast.Call, forms.ConvertedCall, gast.NamedExpr)) for part in walk(node.test)):
            # It may change something whenever it turns out to be staged.
            tried = compare(assigned(trial, make), ast.IsNot(), ast.Constant(...))
            test, first = all_of([tried, test], test), store(trial, ast.Constant(None))

        def build(emitter: Expressions) -> list[Node]:
            cond = name(own("staged value"), at)
            undefined = functional.without_value(node.state, at, node.state.undefined)
            return functional.while_statement(
                node, emitter.truth(node.test), functional.OWN, (cond, name(own("trial"), at)), undefined
            )

        values, parameters = [load(self.staged), load(trial)], [own("staged value"), own("trial")]
        staged = self._staged_statement(names, values, parameters, build, node)
        over = ast.Call(ast.Attribute(load(trial), "end", ast.Load()), [], [])
        settled = ast.If(compare(load(trial), ast.IsNot(), ast.Constant(None)), [store(trial, over)], [])
        return [
            first,
            placed_at(ast.While(test, [settled, *body], []), node),
            ast.If(self.is_staged(), staged, [settled]),
            store(trial, ast.Constant(None)),
        ]

    def _trial(self, node: Node) -> Node:
        """Ahead of a test, to see whether it is staged: what has the loop as it was."""
        at = position_of(node)
        others = self.frame.module_level | (self.frame.captured & self.unit.captured)

        def build(emitter: Expressions) -> list[Node]:
            values = functional.own_values(node.state, at, others)
            unset = functional.without_value(node.state, at, node.state.undefined)
            return [*unset, gast.copy_location(gast.Return(values), node)]

        return self.unit.call("tried", [self.piece(names_of_state(node.state), [], [], build, node)])

    def visit_StagedFor(self, node: Node) -> list[Node]:
        at = position_of(node)
        self.frame.depth += 1
        held, iterator = (self.temporary(f"{what} {self.frame.depth}") for what in ("iterated", "iterator"))
        iterated = self.visit(node.iter)
        extras = [] if node.extra_test is None else [node.extra_test]
        names = names_in([node.target, *node.body, *extras, *node.options]) | names_of_state(node.state)

        def build(emitter: Expressions) -> list[Node]:
            shown = emitter.text_of(node.shown)
            undefined = functional.without_value(node.state, at, walrus_targets(node.iter))
            if undefined:
                text = "if not ag__.is_rest_of_loop(iterated):\n    undefined"
                undefined = quote(text, at, iterated=own("staged value"), undefined=undefined)
            test = None if node.extra_test is None else emitter.truth(node.extra_test)
            return functional.for_statement(node, shown, functional.OWN, name(own("staged value"), at), test, undefined)

        if self.unit.pieces_only:
            return self._staged_statement(names, [iterated], [own("staged value")], build, node)
        extra, exact = None, True
        kind = likely_type(node.iter)
        known = {}
        counts = kind is range and self.unit.guards and self.is_builtin("range")
        if counts:
            asked = ast.Call(self.unit.constant(type), [assigned(held, iterated)], [])
            is_staged = compare(placed_at(asked, iterated), ast.IsNot(), self.unit.constant(range))
            taken = placed_at(self.take(held) if node.extra_test is not None else load(held), iterated)
            known = self._counted(node)
        else:
            likely = negation(self.is_of(assigned(held, iterated), kind, "open_traces"))
            value = placed_at(load(held), iterated)
            begun = assigned(held, self.sites.held("Looping", value))
            is_staged = ast.BoolOp(ast.And(), [likely, self.unit.call("is_staged", [begun])])
            taken = let_go(self.sites.held("Iteration", value), [held], iterated)
        self.frame.known = {**self.frame.known, **known}
        target, stores = self._target(node.target, node)
        body = [*stores, *self.statements(node.body, [node.target])]
        if node.extra_test is not None:
            extra, exact = self.test(node.extra_test)
        for name_ in known:
            del self.frame.known[name_]
        staged = self._staged_statement(names, [load(held)], [own("staged value")], build, node)
        staged.append(store(held, ast.Constant(None)))
        begins: Node = node.state.whole if _ITERATES_AT_STATEMENT else node
        list_rest = store(held, self.unit.call("rest_of_list", []))
        rest_of_list: list[Node] = [] if counts else [ast.If(self.unit.operator("open_traces"), [list_rest], [])]
        settled = ast.If(compare(load(held), ast.IsNot(), ast.Constant(None)), staged, [])
        if extra is None:
            loop = placed_at(ast.For(target, taken, body, []), begins)
            if counts:
                return [placed_at(ast.If(is_staged, staged, [loop]), node)]
            return [placed_at(ast.If(negation(is_staged), [loop, *rest_of_list], []), node), settled]
        left = placed_at(ast.If(negation(extra), [ast.Break()], []), node.extra_test)
        over = placed_at(load(iterator), iterated)  # without a place CPython 3.13.0 cannot compile it
        loop = placed_at(ast.For(target, over, [*body, left], []), begins)
        rest = self.unit.call("rest_of_loop", [load(iterator), load(self.staged)])
        native = [
            store(
                iterator,
                placed_at(self.unit.call("iterator_of", [taken]), begins if _ITERATES_AT_STATEMENT else iterated),
            ),
            *(() if exact else [store(self.staged, ast.Constant(False))]),
            loop,
            *(rest_of_list if exact else [ast.If(self.is_staged(), [store(held, rest)], rest_of_list)]),
            store(iterator, ast.Constant(None)),
        ]
        return [placed_at(ast.If(negation(is_staged), native, []), node), settled]

    def _counted(self, node: Node) -> dict[str, type]:
        """The variable that a loop over a `range` counts with, if nothing in the loop sets it."""
        target = node.target
        if not isinstance(target, gast.Name) or target.id not in self.frame.own:
            return {}
        set_inside = _names_set([*node.body, *([] if node.extra_test is None else [node.extra_test])])
        return {} if target.id in set_inside else {self.unit.variable(target.id): int}

    def visit_Part(self, node: Node) -> list[Node]:
        """A function that is handed to an operator, inside a piece."""
        frame = self.frame
        inner = Code(self.unit, replace(frame, is_part=True, uses={}), self.namespace, self.facts)
        inner.converts_calls = self.converts_calls
        inner.scope = self.scope
        inner.sites.off = node.name in _OF_STATE
        body = inner.statements(node.body)
        declared = [s for s in body if isinstance(s, (ast.Nonlocal, ast.Global))]
        known = {arg.id for arg in parameters(node.args)}.union(*(s.names for s in declared))
        further = sorted({self.unit.variable(n) for n in _set_further_in(node.body)} - known)
        if further:  # here what is in these statements is in this function
            declared.append(ast.Nonlocal(further))
        body = [*declared, *inner.with_variables([s for s in body if s not in declared])]
        return [placed_at(ast.FunctionDef(node.name, to_ast(node.args), body, [], None), node)]

    # Pieces

    @classmethod
    def compile_piece(
        cls,
        unit: Unit,
        frame: Frame,
        scope: str,
        names: set[str],
        parameters: list[str],
        build: Build,
        variables: FunctionType,
    ) -> CodeType:
        def work() -> CodeType:
            known = ChainMap(variables.__globals__)
            inner = cls(unit, replace(frame, is_part=True, uses={}, locals=set()), known, Facts())
            inner.frame.around = frame.around | frame.locals
            inner.scope = scope
            body = inner.statements(build(inner))
            captured = variables.__code__.co_freevars
            perhaps = sorted({unit.variable(n) for n in unit.perhaps_unset & names}.intersection(captured))
            if perhaps:
                body = inner._around_unset(perhaps, body, own("unset") in captured)
            declared = [n for n in captured if n in perhaps or n == own("unset") or n in _assigned(body)]
            first: list[Node] = [ast.Nonlocal(declared)] if declared else []
            module_level = sorted(frame.module_level & _assigned(body))
            if module_level:
                first.append(ast.Global(module_level))
            body = [*first, *WriteSites(unit).piece(inner.with_variables(body), inner.frame)]
            code = load_piece(unit, inner.frame, body, captured, parameters)
            known.maps.clear()
            return code

        return with_deep_stack(work)

    def _around_unset(self, names: list[str], body: list[Node], says_so: bool) -> list[Node]:
        """Statements between such as give values to variables without one, and take them."""
        before = [statement for n in names for statement in self._with_some_value(n)]
        after: list[Node] = []
        for n in names:
            taken: list[Node] = [store(n, ast.Constant(None)), ast.Delete([ast.Name(n, ast.Del())])]
            known: list[Node] = [store(own("unset"), ast.Constant(True))]
            is_undefined = self.unit.call("is_undefined", [load(n)])
            if says_so:
                test = ast.If(is_undefined, taken, known)
                told = ast.If(self.unit.call("is_unset", [load(n)]), [test], [])
                unset = ast.ExceptHandler(self.unit.constant(NameError), None, [ast.Pass()])  # it was interrupted
                after.append(ast.Try([told], [unset], [], []))
        return [ast.Try([*before, *body], [], [], after)] if after else [*before, *body]


def _sets_some(flags: set[str], body: list[Node]) -> bool:
    """Whether Python's own statements or pieces set a flag: a `return` that stays one sets none."""
    stack: list[tuple[Node, bool]] = [(statement, False) for statement in body]
    while stack:
        node, in_piece = stack.pop()
        if isinstance(node, forms.LoweredReturn) and not in_piece:
            continue
        if isinstance(node, gast.Name) and isinstance(node.ctx, gast.Store) and node.id in flags:
            return True
        in_piece = in_piece or isinstance(node, (forms.StagedIf, forms.StagedWhile, forms.StagedFor))
        stack += ((child, in_piece) for child in (node.body if isinstance(node, forms.TakenBack) else children(node)))
    return False


def rebuilt_with(node: Node, **fields: object) -> Node:
    """A node of `ast` like that of gast, with these fields instead."""
    rest: Node = node.__class__.__new__(node.__class__)
    rest.__dict__.update(node.__dict__)
    rest.__dict__.update(dict.fromkeys(fields))
    found = to_ast(rest)
    found.__dict__.update(fields)
    return found


_SCOPES = (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef, gast.Lambda)


def _set_further_in(nodes: list[Node]) -> set[str]:
    """The variables that functions of statements within `nodes` share with those around, but `nodes` do not set."""
    shared: set[str] = set()
    here: set[str] = set()
    todo = [(node, True) for node in nodes]
    while todo:
        node, is_here = todo.pop()
        if isinstance(node, (forms.StagedIf, forms.StagedWhile, forms.StagedFor)):
            shared |= set(node.state.shared) - node.state.module_level
            if is_here:
                here |= {*node.state.undefined, *node.state.uncertain}
            is_here = False
        elif is_here:
            here.update(names_bound_by(node))
        if not isinstance(node, _SCOPES):
            todo += [(child, is_here) for child in children(node)]
    return shared - here


def _names_set(targets: Iterable[Node]) -> set[str]:
    """The variables that targets set."""
    parts = (part for target in targets for part in walk(target) if isinstance(part, gast.Name))
    return {part.id for part in parts if not isinstance(part.ctx, gast.Load)}


def _is_of_class(pattern: Node) -> bool:
    """Whether a pattern looks at the attributes of the subject alone, and does not name the subject."""
    if isinstance(pattern, gast.MatchOr):
        return all(map(_is_of_class, pattern.patterns))
    return isinstance(pattern, gast.MatchClass)


def _bare(args: Node) -> Node:
    """Parameters whose defaults and annotations do not matter."""
    return rebuilt(args, lambda part: ast.Constant(None))


def _assigned(body: list[Node]) -> set[str]:
    """The variables that statements of `ast` set, but for those in functions."""
    found: set[str] = set()
    stack = list(body)
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        if not isinstance(node, (ast.FunctionDef, ast.Lambda, ast.ClassDef)):
            stack += children(node)
    return found


def _calls_something(body: list[Node]) -> bool:
    return any(
        isinstance(part, (gast.Call, forms.ConvertedCall, Operator, forms.Read)) for node in body for part in walk(node)
    )


def compile_function(
    tree: Node,
    context: Context,
    original: CodeType,
    plain: Node,
    namespace: dict[str, object],
    runs_plain: Callable[..., bool] | None = None,
    pieces_only: bool = False,
    writes: bool = True,
    is_nested: bool = False,
) -> CodeType:
    """The code object of a converted function; with `plain`, the tree as the user wrote it, with both bodies.

    `runs_plain` says of arguments that the function may run as written whatever else may be staged. With `pieces_only` all
    that may be staged is left to pieces. With `is_nested` a manager may see our frames in the
    traceback of what another one raises.
    """
    marks = context.facts.marks
    unit = Unit(
        original.co_filename,
        original.co_flags,
        places_of(original),
        context.namer.generated,
        marks.ever_undefined | marks.set_in_expressions,
        context.options,
        not stages_builtin_types(),
        pieces_only,
        frozenset(original.co_freevars),
        is_nested,
    )
    if marks.set_in_expressions:
        read = {n.id for n in walk(tree) if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Load)}
        unit.unread = marks.set_in_expressions - read
    owner = enclosing_class(original.co_qualname)
    frame = Frame(original.co_name, original.co_qualname, owner, around=frozenset(original.co_freevars))
    tree = as_definition(tree)
    known = ChainMap(namespace)
    definition = Code(unit, frame, known, Facts()).definition(tree)
    if writes:
        kinds = {node.__class__ for node in walk(tree)}
        makes = any(issubclass(kind, (*_DISPLAYS, gast.NamedExpr, gast.Lambda)) for kind in kinds)
        definition = WriteSites(unit).function(definition, makes)
    definition.body[:0] = [_declaration(n) for n in context.own_variables]
    if isinstance(plain, ast.Lambda):
        plain = _plain_definition(plain)
    test: Node = unit.call("staging", [])
    if runs_plain is not None:
        made = unit.constant(runs_plain)
        asked = ast.Call(made, [load(arg.arg) for arg in parameters(definition.args)], [])
        may = negation(ast.BoolOp(ast.And(), [ast.Attribute(made, "asks", ast.Load()), asked]))
        # Where the user has not asked for it, converted code calls.
        test = ast.BoolOp(ast.And(), [test, may]) if context.options.user_requested else may
    code = load_function(definition, unit, original, owner, plain, test)
    known.maps.clear()  # pieces of the code keep what made them: not the module that holds the function
    return code


def as_definition(node: Node) -> Node:
    """A lambda as the `def` that does the same: then all that the body does happens in its own frame."""
    if not isinstance(node, gast.Lambda):
        return node
    body = node.body
    if isinstance(body, forms.LambdaScope):
        returned = gast.copy_location(gast.Return(body.body), body)
        statement: Node = forms.FunctionScope("lambda_", body.label, body.options, body.in_full, [returned])
    else:
        statement = gast.copy_location(gast.Return(body), body)
    definition = gast.ast_to_gast(quiet.parse("def f(): pass")).body[0]
    definition.name, definition.args, definition.body = "<lambda>", node.args, [statement]
    return gast.copy_location(definition, node)


def _fails_at(node: Node) -> Node:
    """Where an assertion fails: on Python 3.11 at what was compared last, on 3.12 at the statement, then at the test."""
    if sys.version_info >= (3, 13):
        return node.test
    return node if sys.version_info >= (3, 12) else _compared_last(node.test, node)


def _compared_last(test: Node, found: Node) -> Node:
    """The comparison in a test, of `ast` or gast, that is compiled last as one of branches; `found` if there is none."""
    todo = [test]
    while todo:
        part = todo.pop()
        if isinstance(part, (ast.Compare, gast.Compare)) or getattr(part, "operator", "") in _COMPARISONS:
            found = part
        elif isinstance(part, (ast.UnaryOp, gast.UnaryOp)) and isinstance(part.op, (ast.Not, gast.Not)):
            todo.append(part.operand)
        elif isinstance(part, (ast.BoolOp, gast.BoolOp)):
            todo += part.values[::-1]
        elif isinstance(part, (ast.IfExp, gast.IfExp)):
            todo += [part.orelse, part.body, part.test]
    return found


def _plain_definition(node: ast.Lambda) -> Node:
    node = copied(node)  # it is shared
    definition: Node = quiet.parse("def f(): pass").body[0]
    definition.name, definition.args, definition.body = "<lambda>", node.args, [ast.Return(node.body)]
    return ast.copy_location(definition, node)


def _declaration(variable: str) -> Node:
    return ast.AnnAssign(ast.Name(variable, ast.Store()), ast.Constant(None), None, 1)
