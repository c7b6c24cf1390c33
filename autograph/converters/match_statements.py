"""Rewrites `match` as branches, so that a staged subject can choose between cases.

    match f(x):               subject = f(x)
        case 0 | 1:           if subject == 0 or subject == 1:
            a()          ->       a()
        case [0, y] if y:     else:
            b()                   matched = False
                                  match subject:
                                      case [part, part_1]:
                                          matched = True
                                  if matched and part == 0:
                                      y = part_1
                                      matched = y
                                  else:
                                      matched = False
                                  if matched:
                                      b()

How a pattern takes its subject apart stays a pattern: only Python can say it. The values in it are compared outside.
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.converters.converter import StatementConverter
from autograph.converters.forms import Holds
from autograph.converters.stays import reads_frame
from autograph.pyct.nodes import Node
from autograph.pyct.origin import position_of
from autograph.pyct.quote import constant, name, quote, quote_expression


class MatchStatements(StatementConverter):
    """Lowers `match`."""

    concerns = (gast.Match,)
    in_function = False

    def visit_FunctionDef(self, node: Node) -> Node:
        return self.visit_fields(node, "body", in_function=not reads_frame(node, self.namer))

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node: Node) -> Node:
        return self.visit_fields(node, "body", in_function=False)

    def visit_Match(self, node: Node) -> Node:
        for case in node.cases:
            case.body = self.visit_list(case.body)
        if not self.in_function:
            return node
        subject = self.namer.new("subject_")
        assigned = quote("subject = value", position_of(node.subject), subject=subject, value=node.subject)
        result: list[Any] = []
        for case in reversed(node.cases):
            result = self._case(case, subject, result)
        return [*assigned, *result]

    def _case(self, case: Node, subject: str, rest: list[Any]) -> list[Any]:
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
        if isinstance(pattern, gast.MatchAs):
            test = self._test(pattern.pattern, subject)
            if test is not None:
                captured = quote("captured = subject", at, captured=pattern.name, subject=subject)
                return self._captured(test, captured, case, rest)
        matched = self.namer.new("matched_")
        parts = _Parts(self.namer)
        if parts.take_apart(pattern):
            attempt, test = self._apart(parts, subject, matched, at)
            captured = []
            for target, part in parts.captured.items():
                captured += quote("target = part", at, target=target, part=part)
            return [*attempt, *self._captured(test, captured, case, rest)]
        attempt = self._attempt(pattern, subject, matched, at)
        test = name(matched, at)
        if guard is not None:
            test = quote_expression("matched and guard", position_of(guard), matched=matched, guard=guard)
        return [*attempt, self._branch(test, case.body, rest)]

    def _attempt(self, pattern: Node, subject: str, matched: str, at: Node) -> list[Any]:
        text = "matched = False\nmatch subject:\n    case _:\n        matched = True"
        made: list[Any] = quote(text, at, matched=matched, subject=subject)
        made[1].cases[0].pattern = pattern
        if not any(isinstance(p, gast.MatchClass) and getattr(p.cls, "id", "") == "object" for p in gast.walk(pattern)):
            held = made[1].cases[0].body[0]  # by nothing that is None
            held.value = gast.copy_location(Holds(name(subject, at)), held.value)
        return made

    def _apart(self, parts: _Parts, subject: str, matched: str, at: Node) -> tuple[list[Any], Node]:
        """Statements that take a subject apart, and the condition under which its pattern holds after them."""
        attempt = self._attempt(parts.pattern, subject, matched, at)
        test = name(matched, at)
        for part, wanted in parts.steps:
            if isinstance(wanted, _Parts):
                holds = self.namer.new("holds_")  # staged where what was compared is: then the rest is looked at anyway
                attempt += quote("if test:\n    holds = True\nelse:\n    holds = False", at, holds=holds, test=test)
                inner, found = self._apart(wanted, part, matched, at)
                attempt += quote(
                    "if holds is not False:\n    inner\nelse:\n    matched = False",
                    at, holds=holds, inner=inner, matched=matched,
                )  # fmt: skip
                test = quote_expression("found and holds", at, found=found, holds=holds)
            else:
                equal = self._test(wanted, part)
                test = quote_expression("test and equal", at, test=test, equal=equal)
        return attempt, test

    def _captured(self, test: Node, captured: list[Any], case: Node, rest: list[Any]) -> list[Any]:
        """The case whose pattern holds where `test` does, and then sets what `captured` sets."""
        if case.guard is None:
            return [self._branch(test, [*captured, *case.body], rest)]
        at = position_of(case.guard)
        matched = self.namer.new("matched_")
        first = self._branch(
            test,
            [*captured, *quote("matched = guard", at, matched=matched, guard=case.guard)],
            quote("matched = False", at, matched=matched),
        )
        return [first, self._branch(name(matched, at), case.body, rest)]

    def _branch(self, test: Node, body: list[Any], rest: list[Any]) -> Node:
        node = quote("if test:\n    body", position_of(test), test=test, body=body)[0]
        node.orelse = rest
        return node

    def _test(self, pattern: Node, subject: str) -> Node:
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


class _Parts:
    """A pattern in which names of our own stand for the values to compare with, and for the user's captures.

    Attributes:
      pattern: the pattern.
      steps: names of ours, in the order in which Python asks, and what each stands for: a value to compare with, or what
        is to be taken apart once the comparisons before it hold.
      captured: the user's names, and what stands for each.
    """

    def __init__(self, namer: Any) -> None:
        self.namer = namer
        self.pattern: Node = None
        self.steps: list[tuple[str, Any]] = []
        self.captured: dict[str, str] = {}

    def take_apart(self, pattern: Node) -> bool:
        """Whether there are values to compare, and all of the pattern can be said this way; sets the attributes."""
        try:
            self.pattern = self._without_values(pattern)
        except _NoParts:
            return False
        return bool(self.steps)

    def _without_values(self, pattern: Node) -> Node:
        kind = type(pattern)
        if kind in (gast.MatchValue, gast.MatchSingleton) or (
            kind is gast.MatchOr and all(type(p) is gast.MatchValue for p in pattern.patterns)
        ):
            part = self.namer.new("part_")
            self.steps.append((part, pattern))
            return gast.copy_location(gast.MatchAs(None, part), pattern)
        if kind is gast.MatchAs and pattern.pattern is None:
            return (
                pattern
                if pattern.name is None
                else gast.copy_location(gast.MatchAs(None, self._name(pattern)), pattern)
            )
        if kind is gast.MatchAs:
            inner = self._without_values(pattern.pattern)
            if type(inner) is gast.MatchAs and inner.pattern is None and inner.name is not None:
                self.captured[pattern.name] = inner.name
                return inner
            return gast.copy_location(gast.MatchAs(inner, self._name(pattern)), pattern)
        if kind is gast.MatchStar:
            return pattern if pattern.name is None else gast.copy_location(gast.MatchStar(self._name(pattern)), pattern)
        if kind in (gast.MatchOr, gast.MatchMapping) and getattr(pattern, "rest", True):
            raise _NoParts
        if self.steps:
            return self._later(pattern)
        parts = {f: [self._without_values(p) for p in getattr(pattern, f, ())] for f in ("patterns", "kwd_patterns")}
        fields = (parts.get(field, getattr(pattern, field)) for field in pattern._fields)
        return gast.copy_location(kind(*fields), pattern)

    def _later(self, pattern: Node) -> Node:
        inner = _Parts(self.namer)
        inner.captured = self.captured
        inner.pattern = inner._without_values(pattern)
        part = self.namer.new("part_")
        self.steps.append((part, inner))
        return gast.copy_location(gast.MatchAs(None, part), pattern)

    def _name(self, pattern: Node) -> str:
        part: str = self.namer.new("part_")
        self.captured[pattern.name] = part
        return part


class _NoParts(Exception):
    """A pattern with alternatives that take their subject apart."""
