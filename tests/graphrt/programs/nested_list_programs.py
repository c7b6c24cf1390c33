"""Random programs on lists of lists that grow, which are changed as elements of others, under several names.

PYTHONPATH=. python -m tests.graphrt.programs.nested_list_programs [count] [first seed]
"""

import sys

import numpy as np

from tests.graphrt.programs import generated_tensor_programs as programs
from tests.graphrt.programs.program_text import ProgramText

HELPERS = """\
def grown(row, k):
    row.append(k)
    return row
def longest(rows):
    best = [0]
    for row in rows:
        if len(row) > len(best):
            best = row.copy()
    return best
class Table:
    def __init__(self):
        self.rows = []
    def put(self, a, b):
        self.rows.append([a, b])
"""


class Writer(ProgramText):
    """Writes one program from a seed."""

    def __init__(self, seed):
        super().__init__(seed)
        self.names = ["x", "t", "n"]
        self.loops = 0
        self.uneven = self.random.random() < 0.5
        self.rows = ["rows", "rows", "more", *(["table.rows"] if self.random.random() < 0.3 else [])]

    # --- expressions ---
    def number(self, depth=0):
        if depth > 1 or self.random.random() < 0.6:
            return self.pick(*self.names, str(self.random.randint(-3, 6)))
        return f"({self.number(depth + 1)} {self.pick('+', '-', '*')} {self.number(depth + 1)})"

    def flag(self):
        return self.pick(
            lambda: f"{self.number()} {self.pick('>', '<', '==', '!=')} {self.number()}",
            lambda: f"len({self.some()}) > {self.random.randint(0, 4)}",
            lambda: f"{self.row()} in {self.some()}",
        )()

    def some(self):
        return self.pick(*self.rows)

    def row(self):
        length = self.random.randint(0, 3) if self.uneven else 2
        return self.pick(
            lambda: f"[{', '.join(self.number() for _ in range(length))}]",
            lambda: f"[{', '.join(self.number() for _ in range(length))}]",
            lambda: f"[{self.random.randint(0, 5)}] * {length}",
            lambda: "r.copy()",
            lambda: "r",
        )()

    def read(self):
        name, at = self.some(), self.pick("0", "-1", "t % 2")
        guard = f"len({name}) > 1 and len({name}[{at}]) > 1"
        return self.pick(
            lambda: f"({name}[{at}][1] if {guard} else 7)",
            lambda: f"sum([sum(row) for row in {name}])",
            lambda: f"sum([len(row) * k for k, row in enumerate({name})])",
            lambda: f"len(longest({name}))",
            lambda: f"(len({name}[{at}] + [1]) if {guard} else 3)",
            lambda: f"{name}.count({self.row()})",
            lambda: "len(r)",
            lambda: "sum(r)",
        )()

    # --- statements ---
    def simple(self, depth):
        name, at = self.some(), self.pick("0", "-1", "t % 2", "1")

        def guarded(text):
            self.put(depth, f"if len({name}) > 1:")
            self.put(depth + 1, text)

        def of_row(row):
            return self.pick(
                f"{row}.append({self.number()})" if self.uneven else f"{row}[0] = {self.number()}",
                f"{row}[-1] += {self.number()}" if not self.uneven else f"{row}.insert(0, {self.number()})",
                f"{row}.reverse()",
                f"{row} += [{self.number()}]" if self.uneven else f"{row}[1] -= {self.number()}",
                f"grown({row}, {self.number()})" if self.uneven else f"{row}[1], {row}[0] = {row}[0], {self.number()}",
            )

        self.pick(
            lambda: self.put(depth, f"{name}.append({self.row()})"),
            lambda: self.put(depth, f"{name}.append({self.row()})"),
            lambda: self.put(depth, f"{name}.append({self.row()})"),
            lambda: self.put(depth, f"table.put({self.number()}, {self.number()})"),
            lambda: guarded(of_row(f"{name}[{at}]")),
            lambda: guarded(of_row(f"{name}[{at}]")),
            lambda: guarded(f"r = {name}[{at}]"),
            lambda: guarded(f"r = {name}.pop({self.pick('', '0')})"),
            lambda: guarded(f"{name}[{at}] = {self.row()}"),
            lambda: self.put(depth, f"r = {self.row()}"),
            lambda: self.put(depth, of_row("r") if self.uneven else "r = r[::-1]"),
            lambda: self.put(depth, f"more = {self.pick(f'{name}[:]', f'{name}[1:]', f'{name} + rows', '[row.copy() for row in rows]', '[[0, k] for k in range(n)]', '[[] for _ in range(n)]' if self.uneven else '[]')}"),
            lambda: self.put(depth, f"t = (t + {self.read()}) % 101"),
            lambda: self.put(depth, f"t = (t + {self.read()}) % 101"),
            lambda: self.put(depth, f"{name}.{self.pick('reverse()', 'insert(0, ' + self.row() + ')', 'sort(key=len)')}"),
        )()  # fmt: skip

    def statement(self, depth, inside):
        kind = self.random.random()
        if depth > 3 or kind < 0.55:
            return self.simple(depth)
        if kind < 0.75:
            self.put(depth, f"if {self.flag()}:")
        elif kind < 0.93 and self.loops < 2:
            return self.loop(depth)
        elif inside:
            self.put(depth, f"if {self.flag()}:")
            return self.put(depth + 1, self.pick("break", "continue"))
        else:
            return self.simple(depth)
        self.branches(depth, inside)

    def loop(self, depth):
        self.loops += 1
        name = f"i{len(self.lines)}"
        if self.random.random() < 0.25:
            self.put(depth, f"for row in {self.some()}:")
            self.put(
                depth + 1,
                self.pick("t = (t + sum(row)) % 101", "t = (t * 2 + len(row)) % 101", "row.append(t)", "row.reverse()"),
            )
            self.loops -= 1
            return
        self.put(depth, f"for {self.pick(f'{name} in v', f'{name} in range(n)')}:")
        self.put(depth + 1, "if len(rows) + len(more) > 12: break")
        self.in_loop(depth, name)

    def source(self):
        start = f"    t, rows, more, r, table = x, {self.pick('[]', '[[1, 2]]', '[[x, n]]', '[[] for _ in range(n)]' if self.uneven else '[]')}, [], [n, x], Table()\n"
        for _ in range(self.random.randint(2, 6)):
            self.statement(1, False)
        ends = "rows, more, table.rows, r"
        if self.random.random() < 0.5:
            ends = ", ".join(f"[[k, *row] for k, row in enumerate({name})]" for name in ("rows", "more")) + ", r[:]"
        return HELPERS + f"def program(x, v, n):\n{start}" + "\n".join(self.lines) + f"\n    return t, {ends}\n"

    def arguments(self, *seed):
        numbers = np.random.default_rng(seed)
        return [
            np.int32(numbers.integers(-3, 6)),
            numbers.integers(-3, 7, numbers.integers(0, 5)).astype("int32"),
            np.int32(numbers.integers(4)),
        ]

    def specs(self):
        return [([], "int32"), ([None], "int32"), ([], "int32")]


if __name__ == "__main__":
    count, first = (*map(int, sys.argv[1:]), *(500, 0)[len(sys.argv) - 1 :])
    sys.exit(programs.main(count, first, Writer))
