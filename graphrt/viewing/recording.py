"""One run of a program whose lines are timed, and whose values are looked at.

The text of the program is compiled once more with a call around each statement; what it computes, and all its effects,
are those of one call. The time spent looking at values is not counted.
"""

from __future__ import annotations

import ast
import time
from collections.abc import Callable
from typing import Any, TypedDict

from graphrt.executor.program import Program
from graphrt.viewing.summaries import Summary, has_nan, summary_of

_START, _STOP = "start_line", "stop_line"  # names that no generated program has: they have no node's name in front
MOST_MOMENTS = 200_000  # of one run: a trace of more is no picture
_SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr)


class LineRun(TypedDict):
    """What one line did: how often, how long in all, and what it gave last."""

    line: int
    count: int
    ns: int
    value: Summary | None
    nan: bool


class Recording(TypedDict):
    """One run: its lines, all its time, and the line in which a NaN appeared first."""

    lines: list[LineRun]
    ns: int
    first_nan: int | None


class Recorder:
    """Collects what the lines of one run tell: with `values` what they give, with `moments` when each ran."""

    def __init__(self, values: bool, moments: bool = False) -> None:
        self.values = values
        self.moments: list[tuple[int, int, int]] | None = [] if moments else None  # line, begin and duration in ns
        self.lines: dict[int, LineRun] = {}
        self.first_nan: int | None = None
        self._begun = 0
        self._inner = 0  # what was spent looking

    def start(self) -> None:
        """A line begins."""
        self._begun = time.perf_counter_ns()

    def stop(self, line: int, value: object) -> None:
        """A line has given `value`."""
        now = time.perf_counter_ns()
        found = self.lines.get(line)
        if found is None:
            found = self.lines[line] = {"line": line, "count": 0, "ns": 0, "value": None, "nan": False}
        found["count"] += 1
        found["ns"] += now - self._begun
        if self.moments is not None and len(self.moments) < MOST_MOMENTS:
            self.moments.append((line, self._begun, now - self._begun))
        if self.values:
            self._look(line, found, value)
            self._inner += time.perf_counter_ns() - now

    def _look(self, line: int, found: LineRun, value: object) -> None:
        count = found["count"]
        if count & (count - 1) == 0:  # the 1st, 2nd, 4th, 8th, ... time
            found["value"] = summary_of(value)
        if not found["nan"] and has_nan(value):
            found["nan"], found["value"] = True, summary_of(value)
            if self.first_nan is None:
                self.first_nan = line

    def result(self, ns: int) -> Recording:
        """All of it."""
        lines = [self.lines[line] for line in sorted(self.lines)]
        return {"lines": lines, "ns": max(0, ns - self._inner), "first_nan": self.first_nan}


def record(program: Program, inputs: list[Any], recorder: Recorder) -> tuple[Recording, tuple[Any, ...]]:
    """Runs `program` once with raw `inputs`: what its lines did, and its results."""
    function = _instrumented(program, recorder)
    begun = time.perf_counter_ns()
    results = function(*inputs)
    return recorder.result(time.perf_counter_ns() - begun), results


def _instrumented(program: Program, recorder: Recorder) -> Callable[..., tuple[Any, ...]]:
    known = {line for line, node in enumerate(program.nodes_of_lines(), 1) if node is not None}
    tree = _Lines(known).visit(ast.parse(program.source))
    namespace = {**program.function.__globals__, _START: recorder.start, _STOP: recorder.stop}
    code = compile(ast.fix_missing_locations(tree), program.filename, "exec", dont_inherit=True)
    exec(code, namespace)
    made: Callable[..., tuple[Any, ...]] = namespace[program.function.__name__]
    return made


class _Lines(ast.NodeTransformer):
    """Puts calls around the statements that nodes are made of."""

    def __init__(self, lines: set[int]) -> None:
        self.lines = lines

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list) and not isinstance(node, ast.Module):
                setattr(node, name, [one for statement in block for one in self._around(statement)])
        return node

    def _around(self, statement: ast.stmt) -> list[ast.stmt]:
        if statement.lineno not in self.lines or not isinstance(statement, _SIMPLE):
            return [statement]
        given: ast.expr = ast.Constant(None)
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            given = ast.Name(statement.targets[0].id, ast.Load())
        elif isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
            given = ast.Name(statement.target.id, ast.Load())
        after = ast.Call(ast.Name(_STOP, ast.Load()), [ast.Constant(statement.lineno), given], [])
        before = ast.Expr(ast.Call(ast.Name(_START, ast.Load()), [], []))
        return [ast.copy_location(before, statement), statement, ast.copy_location(ast.Expr(after), statement)]
