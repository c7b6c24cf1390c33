"""One run of a program whose lines are timed, and whose values are looked at.

The text of the program is compiled once more with statements around its lines; what it computes, and all its effects,
are those of one call. The time spent looking at values is not counted. Lines that stand together share their clock, and
what only gives a value another name is not timed:

    t0 = clock(); x = np_exp(a); t1 = clock(); y = x + b; t2 = clock(); spent[7] += t1 - t0; count[7] += 1; ...
"""

from __future__ import annotations

import ast
import time
import tracemalloc
from collections import deque
from collections.abc import Callable
from itertools import groupby
from typing import Any, NamedTuple, Protocol, TypedDict

from graphrt.executor.program import Program
from graphrt.ir.summaries import Summary, has_nan, summary_of

MOST_MOMENTS = 200_000  # of one run, its last: a trace of more is no picture
LONG_RUN = 5.0  # seconds: what takes longer is not run once more for its memory
LONG_PROGRAM = 2000  # lines: see `Memory`
_EMPTY = 16  # lines that tell what the clock itself costs
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
    """One run: its lines, all its time without that of the clock, the line in which a NaN appeared first, and the inputs
    that had one before."""

    lines: list[LineRun]
    ns: int
    clock: int  # ns that the clock itself took beside
    bytes: int | None  # the most that was in use at a time, beyond what was there before
    first_nan: int | None
    nan_inputs: list[str]


class Line(NamedTuple):
    """A statement of which a node was made, its number, and the text of what it gives."""

    statement: ast.stmt
    number: int
    given: str

    @property
    def moves(self) -> bool:
        """Whether it only gives a value another name."""
        return isinstance(self.statement, ast.Assign) and isinstance(self.statement.value, ast.Name)


class Instrument(Protocol):
    """What is put around the lines of a program."""

    def names(self, lines: int) -> dict[str, object]:
        """What the texts of `around` use, for a program of so many lines."""

    def around(self, lines: list[Line]) -> list[ast.stmt | str]:
        """Lines that follow each other, with texts between them. Names in these begin with `$`."""


class Recorder:
    """Collects what the lines of one run tell: with `values` what they give, with `moments` when each ran."""

    def __init__(self, values: bool, moments: bool = False) -> None:
        self._flat: deque[int] = deque(maxlen=3 * MOST_MOMENTS)  # numbers: kept tuples would make the collector run
        self.first_nan: int | None = None
        self._each = values
        self._moments = moments
        self._spent: list[int] = []
        self._heads: list[int] = []  # the first of those that share a clock
        self._count: list[int] = []
        self._values: dict[int, Summary] = {}
        self._nan: set[int] = set()
        self._looking = 0  # nanoseconds

    @property
    def moments(self) -> list[tuple[int, int, int]]:
        """Line, begin and end in ns of the lines that ran last."""
        return list(zip(*[iter(self._flat)] * 3))

    def names(self, lines: int) -> dict[str, object]:
        """For a program of so many lines."""
        self._spent, self._count = [0] * (lines + 1), [0] * (lines + 1)
        return {
            "clock": time.perf_counter_ns, "spent": self._spent, "count": self._count, "look": self._look,
            "moment": self._flat.extend,
        }  # fmt: skip

    def around(self, lines: list[Line]) -> list[ast.stmt | str]:
        """The clock between the lines, and sums behind them."""
        if self._each:
            return [part for line in lines for part in self._watched(line)]
        rows = [(moves, list(row)) for moves, row in groupby(lines, lambda line: line.moves)]
        return [part for moves, row in rows for part in ([x.statement for x in row] if moves else self._row(row))]

    def _row(self, lines: list[Line]) -> list[ast.stmt | str]:
        self._heads.append(lines[0].number)
        found: list[ast.stmt | str] = ["$t0 = $clock()"]
        for i, line in enumerate(lines, 1):
            found += [line.statement, f"$t{i} = $clock()"]
        return [*found, *(self._sum(line.number, f"$t{i}", f"$t{i + 1}") for i, line in enumerate(lines))]

    def _watched(self, line: Line) -> list[ast.stmt | str]:
        look = f"$look({line.number}, {line.given})"
        if line.moves:
            return [line.statement, f"$count[{line.number}] += 1\n{look}"]
        return ["$t0 = $clock()", line.statement, f"$t1 = $clock()\n{self._sum(line.number, '$t0', '$t1')}\n{look}"]

    def _sum(self, line: int, begin: str, end: str) -> str:
        moment = f"\n$moment(({line}, {begin}, {end}))" if self._moments else ""
        return f"$spent[{line}] += {end} - {begin}\n$count[{line}] += 1{moment}"

    def _look(self, line: int, value: object) -> None:
        begun = time.perf_counter_ns()
        parts = value if isinstance(value, tuple) else (value,)  # of an op that gives several
        bad = next((part for part in parts if has_nan(part)), None) if line not in self._nan else None
        count = self._count[line]
        if bad is not None:
            self._nan.add(line)
            if self.first_nan is None:
                self.first_nan = line
        if bad is not None or count & (count - 1) == 0:  # the 1st, 2nd, 4th, 8th, ... time
            told = summary_of(parts[0] if bad is None else bad)
            self._values[line] = {**told, "type": f"{told['type']}, one of {len(parts)}"} if len(parts) > 1 else told
        self._looking += time.perf_counter_ns() - begun

    def own_cost(self) -> tuple[float, float]:
        """What the clock itself costs, in ns: how much of it a line is charged with, and all of it, for each that runs.

        Lines that do next to nothing are timed in the same way; the least of some rounds is that of a quiet moment.
        """
        again = Recorder(self._each, self._moments)
        names = again.names(_EMPTY)
        lines = [Line(s, number, "None") for number, s in enumerate(ast.parse("x = 0\n" * _EMPTY).body, 1)]
        body = [
            s
            for part in again.around(lines)
            for s in (_made(part, lines[0].statement, "") if isinstance(part, str) else [part])
        ]
        loop = ast.parse("def run():\n    for _ in range(8):\n        pass")
        loop.body[0].body[0].body = body  # type: ignore[attr-defined]
        namespace = {**names, "look": lambda line, value: None}
        exec(compile(ast.fix_missing_locations(loop), "<clock>", "exec"), namespace)
        charged, whole = [], []
        for _ in range(8):
            before, begun = sum(again._spent), time.perf_counter_ns()
            namespace["run"]()  # type: ignore[operator]
            whole.append(time.perf_counter_ns() - begun)
            charged.append(sum(again._spent) - before)
        return min(charged) / (8 * _EMPTY), min(whole) / (8 * _EMPTY)

    def result(self, ns: int, memory: Memory | None, nan_inputs: list[str]) -> Recording:
        """All of it, less what the clock itself took."""
        charged, whole = self.own_cost()
        again = charged * sum(
            self._count[line] for line in self._heads
        )  # the first asks what the time is before it, too
        spent = [max(0, round(line - charged * count)) for line, count in zip(self._spent, self._count)]
        clock = round(again + whole * sum(count for line, count in zip(self._spent, self._count) if line))
        ns = max(sum(spent), ns - self._looking - clock)
        bytes_ = {} if memory is None else memory.lines
        lines: list[LineRun] = [
            {"line": line, "count": count, "ns": spent[line], "bytes": bytes_.get(line),
             "value": self._values.get(line), "nan": line in self._nan}
            for line, count in enumerate(self._count) if count
        ]  # fmt: skip
        return {
            "lines": lines, "ns": ns, "clock": clock, "bytes": None if memory is None else memory.most,
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

    def names(self, lines: int) -> dict[str, object]:
        """For a program of so many lines."""
        return {"start": self._start, "stop": self._stop}

    def around(self, lines: list[Line]) -> list[ast.stmt | str]:
        """A call before each line, and one behind it."""
        found: list[ast.stmt | str] = []
        for line in lines:
            found += [line.statement] if line.moves else ["$start()", line.statement, f"$stop({line.number})"]
        return found

    def _start(self) -> None:
        """A line begins."""
        self._before, peak = tracemalloc.get_traced_memory()
        self.most = max(self.most, peak - self._base)
        tracemalloc.reset_peak()

    def _stop(self, line: int) -> None:
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


def _instrumented(program: Program, instrument: Instrument) -> Callable[..., tuple[Any, ...]]:
    known = {line for line, node in enumerate(program.nodes_of_lines(), 1) if node is not None}
    own = "line_"  # in front of all names, so that they are none of the program's
    while own in program.source:
        own += "_"
    tree = _Lines(known, instrument, own).visit(ast.parse(program.source))
    names = instrument.names(program.source.count("\n") + 1)
    namespace = {**program.function.__globals__, **{own + name: value for name, value in names.items()}}
    code = compile(ast.fix_missing_locations(tree), program.filename, "exec", dont_inherit=True)
    exec(code, namespace)
    made: Callable[..., tuple[Any, ...]] = namespace[program.function.__name__]
    return made


class _Lines(ast.NodeTransformer):
    """Puts an instrument's statements around those that nodes are made of."""

    def __init__(self, lines: set[int], instrument: Instrument, own: str) -> None:
        self.lines = lines
        self.instrument = instrument
        self.own = own

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list) and not isinstance(node, ast.Module):
                setattr(node, name, self._block(block))
        return node

    def _block(self, block: list[ast.stmt]) -> list[ast.stmt]:
        found: list[ast.stmt] = []
        for known, row in groupby(block, lambda s: s.lineno in self.lines and isinstance(s, _SIMPLE)):
            if not known:
                found += row
                continue
            lines = [Line(statement, statement.lineno, _given(statement)) for statement in row]
            for part in self.instrument.around(lines):
                found += _made(part, lines[0].statement, self.own) if isinstance(part, str) else [part]
        return found


def _made(text: str, at: ast.stmt, own: str) -> list[ast.stmt]:
    """Statements of an instrument, whose names begin with `own`; they stand where `at` does."""
    block = ast.parse(text.replace("$", own)).body
    for node in (node for statement in block for node in ast.walk(statement)):
        if isinstance(node, (ast.stmt, ast.expr)):
            ast.copy_location(node, at)
    return block


def _given(statement: ast.stmt) -> str:
    """The text of what a statement gives: a name, a tuple of names, or None."""
    target = statement.targets[0] if isinstance(statement, ast.Assign) else getattr(statement, "target", None)
    if isinstance(target, ast.Tuple) and len(target.elts) == 1:
        target = target.elts[0]
    names = target.elts if isinstance(target, ast.Tuple) else [target]
    if target is None or not names or not all(isinstance(name, ast.Name) for name in names):
        return "None"
    return ast.unparse(target)
