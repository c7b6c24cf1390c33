"""One run of a program whose lines are timed, and whose values are looked at.

The text of the program is compiled once more with a call around each statement; what it computes, and all its effects,
are those of one call. The time spent looking at values is not counted.
"""

from __future__ import annotations

import ast
import time
import tracemalloc
from collections.abc import Callable
from typing import Any, TypedDict

from graphrt.executor.program import Program
from graphrt.viewing.summaries import Summary, has_nan, summary_of

_START, _STOP = "start_line", "stop_line"  # names that no generated program has: they have no node's name in front
MOST_MOMENTS = 200_000  # of one run: a trace of more is no picture
LONG_RUN = 5.0  # seconds: what takes longer is not run once more for its memory
LONG_PROGRAM = 2000  # lines: see `Memory`
_SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr)


class LineRun(TypedDict):
    """What one line did: how often, how long in all, what it gave last, and the most memory that it took."""

    line: int
    count: int
    ns: int
    bytes: int | None
    value: Summary | None
    nan: bool


class Recording(TypedDict):
    """One run: its lines, all its time, the line in which a NaN appeared first, and the inputs that had one before."""

    lines: list[LineRun]
    ns: int
    bytes: int | None  # the most that was in use at a time, beyond what was there before
    first_nan: int | None
    nan_inputs: list[str]


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
            found = self.lines[line] = {"line": line, "count": 0, "ns": 0, "bytes": None, "value": None, "nan": False}
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

    def result(self, ns: int, memory: Memory | None, nan_inputs: list[str]) -> Recording:
        """All of it."""
        lines = [self.lines[line] for line in sorted(self.lines)]
        for run in lines:
            run["bytes"] = None if memory is None else memory.lines.get(run["line"])
        return {
            "lines": lines, "ns": max(0, ns - self._inner), "bytes": None if memory is None else memory.most,
            "first_nan": self.first_nan, "nan_inputs": nan_inputs,
        }  # fmt: skip


class Memory:
    """What the lines of one run take while they run, beyond what is there when they begin; `most` is that of the run.

    It is what `tracemalloc` sees. That looks up the place of each allocation, which takes as long as the program is: so
    memory is looked at in a run of its own, and not in long programs.
    """

    def __init__(self) -> None:
        self.lines: dict[int, int] = {}
        self.most = 0
        self._base = 0
        self._before = 0

    def start(self) -> None:
        """A line begins."""
        self._before, peak = tracemalloc.get_traced_memory()
        self.most = max(self.most, peak - self._base)
        tracemalloc.reset_peak()

    def stop(self, line: int, value: object) -> None:
        """A line has run."""
        peak = tracemalloc.get_traced_memory()[1]
        self.most = max(self.most, peak - self._base)
        self.lines[line] = max(self.lines.get(line, 0), peak - self._before)

    def look_at(self, program: Program, inputs: list[Any]) -> None:
        """Runs the program once."""
        function = _instrumented(program, self)
        started = not tracemalloc.is_tracing()
        if started:
            tracemalloc.start()
        try:
            self._base = tracemalloc.get_traced_memory()[0]
            tracemalloc.reset_peak()
            function(*inputs)
        finally:
            if started:
                tracemalloc.stop()


def record(
    program: Program, inputs: list[Any], recorder: Recorder, names: list[str] | None = None, memory: bool = False
) -> tuple[Recording, tuple[Any, ...]]:
    """Runs `program` with raw `inputs`, whose `names` may be given: what its lines did, and its results.

    A program with effects is run once. Others are run before, so that what is seen is no first call, and once more for
    `memory`.
    """
    function = _instrumented(program, recorder)
    found = None
    if not program.has_effects:
        begun = time.perf_counter()
        program.function(*inputs)
        if memory and time.perf_counter() - begun < LONG_RUN and program.source.count("\n") < LONG_PROGRAM:
            found = Memory()
            found.look_at(program, inputs)
    nan_inputs = [name for name, value in zip(names or (), inputs) if has_nan(value)]
    begun_ns = time.perf_counter_ns()
    results = function(*inputs)
    ns = time.perf_counter_ns() - begun_ns
    return recorder.result(ns, found, nan_inputs), results


def _instrumented(program: Program, recorder: Recorder | Memory) -> Callable[..., tuple[Any, ...]]:
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
