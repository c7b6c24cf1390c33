"""Rewrites `match` as branches, so that a staged subject can choose between cases.

    match f(x):               subject = f(x)
        case 0 | 1:           if subject == 0 or subject == 1:
            a()          ->       a()
        case [y] if y:        else:
            b()                   matched = False
                                  match subject:
                                      case [y]:
                                          matched = True
                                  if matched and y:
                                      b()

Patterns that take their subject apart stay patterns: only Python can say how they bind their names.
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.converters.converter import Context, Converter
from autograph.converters.native import reads_frame
from autograph.pyct.origin import position_of
from autograph.pyct.quote import constant, name, quote, quote_expression


class MatchStatements(Converter):
    """Lowers `match`."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.in_function = False

    def visit_FunctionDef(self, node: Any) -> Any:
        outer, self.in_function = self.in_function, not reads_frame(node)
        node.body = self.visit_list(node.body)
        self.in_function = outer
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node: Any) -> Any:
        outer, self.in_function = self.in_function, False
        node.body = self.visit_list(node.body)
        self.in_function = outer
        return node

    def visit_Lambda(self, node: Any) -> Any:
        return node  # cannot hold a statement

    visit_Expr = visit_Assign = visit_AugAssign = visit_AnnAssign = visit_Return = visit_Raise = visit_Lambda

    def visit_Match(self, node: Any) -> Any:
        for case in node.cases:
            case.body = self.visit_list(case.body)
        if not self.in_function:
            return node
        subject = self.namer.new("subject_")
        assigned = quote("subject = value", position_of(node.subject), subject=subject, value=node.subject)
        return [*assigned, *self._cases(node.cases, subject)]

    def _cases(self, cases: list[Any], subject: str) -> list[Any]:
        result: list[Any] = []
        for case in reversed(cases):
            result = self._case(case, subject, result)
        return result

    def _case(self, case: Any, subject: str, rest: list[Any]) -> list[Any]:
        pattern, guard = case.pattern, case.guard
        at = position_of(pattern)
        if isinstance(pattern, gast.MatchAs) and pattern.pattern is None:
            captured = []
            if pattern.name is not None:
                captured = quote("captured = subject", at, captured=pattern.name, subject=subject)
            if guard is None:
                return [*captured, *case.body]
            return [*captured, self._branch(guard, case.body, rest)]
        test = self._test(pattern, subject)
        if test is not None:
            if guard is not None:
                test = quote_expression("test and guard", at, test=test, guard=guard)
            return [self._branch(test, case.body, rest)]
        matched = self.namer.new("matched_")
        attempt = quote(
            "matched = False\nmatch subject:\n    case _:\n        matched = True", at, matched=matched, subject=subject
        )
        attempt[1].cases[0].pattern = pattern
        test = name(matched, at)
        if guard is not None:
            test = quote_expression("matched and guard", position_of(guard), matched=matched, guard=guard)
        return [*attempt, self._branch(test, case.body, rest)]

    def _branch(self, test: Any, body: list[Any], rest: list[Any]) -> Any:
        node = quote("if test:\n    body", position_of(test), test=test, body=body)[0]
        node.orelse = rest
        return node

    def _test(self, pattern: Any, subject: str) -> Any:
        """The condition a pattern stands for; None if it is more than one."""
        at = position_of(pattern)
        if isinstance(pattern, gast.MatchValue):
            return quote_expression("subject == value", at, subject=subject, value=pattern.value)
        if isinstance(pattern, gast.MatchSingleton):
            return quote_expression("subject is value", at, subject=subject, value=constant(pattern.value, at))
        if isinstance(pattern, gast.MatchOr):
            tests = [self._test(p, subject) for p in pattern.patterns]
            if any(test is None for test in tests):
                return None
            either = quote_expression("first or second", at)
            either.values = tests
            return either
        return None


