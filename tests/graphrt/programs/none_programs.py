"""Random programs on what is None on some paths: variables, attributes, items, results of functions, pairs.

PYTHONPATH=. python -m tests.graphrt.programs.none_programs [count] [first seed]
"""

import sys

import numpy as np

from tests.graphrt.programs import generated_tensor_programs as programs
from tests.graphrt.programs.program_text import ProgramText

HELPERS = """\
class Holder:
    def __init__(self, v=None):
        self.v = v
def look(p, q):
    if p > q:
        return p - q
    return None
def both(p, q):
    return (p, q) if p > q else None
def first(values, k):
    for value in values:
        if value > k:
            return value
    return None
def doubled(p, q=None):
    if q is None:
        q = p
    return p + q
"""
START = """\
    t, a, b, pair = x, None, {b}, None
    o, d, q = Holder(), {{'k': None}}, [x, None]
"""


class Writer(ProgramText):
    """Writes one program from a seed."""

    def __init__(self, seed):
        super().__init__(seed)
        self.names = ["x", "t", "n"]
        self.loops = 0
        others = ["o.v", "d['k']", "q[1]"]
        self.maybe = ["a", "b", *self.random.sample(others, self.random.randint(0, 3))]

    # --- expressions ---
    def number(self, depth=0):
        if depth > 1 or self.random.random() < 0.6:
            return self.pick(*self.names, str(self.random.randint(-3, 6)))
        return f"({self.number(depth + 1)} {self.pick('+', '-', '*')} {self.number(depth + 1)})"

    def flag(self):
        return f"{self.number()} {self.pick('>', '<', '==', '!=')} {self.number()}"

    def some(self):
        return self.pick(*self.maybe)

    def question(self, name):
        number = self.number()
        return self.pick(
            f"{name} is None",
            f"{name} is not None",
            f"{name} is None or {name} > {number}",
            f"{name} is not None and {name} < {number}",
            f"not {name}",
            f"{name} == None",
            f"{name}",
            f"isinstance({name}, type(None))",
        )

    def value(self):
        name = self.some()
        return self.pick(
            lambda: self.number(),
            lambda: self.number(),
            lambda: f"({self.number()} if {self.flag()} else None)",
            lambda: f"({name} if {name} is not None else {self.number()})",
            lambda: f"({name} or {self.number()})",
            lambda: f"look({self.number()}, {self.number()})",
            lambda: f"first(v, {self.number()})",
            lambda: f"doubled({self.number()}, {name})",
            lambda: f"({self.number()} if pair is None else pair[{self.pick(0, 1)}])",
        )()

    # --- statements ---
    def simple(self, depth):
        name = self.some()
        self.pick(
            lambda: self.put(depth, f"{name} = None"),
            lambda: self.put(depth, f"{name} = {self.value()}"),
            lambda: self.put(depth, f"{name} = {self.value()}"),
            lambda: self.put(depth, f"{self.some()} = {name}"),
            lambda: self.put(depth, f"t = t + {self.number()}"),
            lambda: self.put(depth, f"t = t + (0 if {name} is None else {name})"),
            lambda: self.put(depth, f"pair = {self.pick('None', f'both({self.number()}, {self.number()})', 'pair')}"),
            lambda: self.put(depth, f"pair = ({self.number()}, {self.number()})"),
        )()

    def statement(self, depth, inside):
        kind = self.random.random()
        if depth > 3 or kind < 0.45:
            return self.simple(depth)
        if kind < 0.6:
            self.put(depth, f"if {self.flag()}:")
        elif kind < 0.78:
            name = self.some()
            question = self.question(name)
            self.put(depth, f"if {question}:")
            if question.startswith(f"{name} is not None"):
                self.put(depth + 1, f"t = t + {name}")
        elif kind < 0.92 and self.loops < 2:
            return self.loop(depth)
        elif inside:
            self.put(depth, f"if {self.pick(self.flag(), self.question(self.some()))}:")
            return self.put(depth + 1, self.pick("break", "continue"))
        else:
            return self.simple(depth)
        self.branches(depth, inside)

    def loop(self, depth):
        self.loops += 1
        name = f"i{len(self.lines)}"
        if self.random.random() < 0.25:
            self.put(depth, f"{name} = n")
            self.put(depth, f"while {name} > 0{self.pick('', f' and {self.some()} is None')}:")
            self.put(depth + 1, f"{name} = {name} - 1")
        else:
            self.put(depth, f"for {self.pick(f'{name} in v', f'{name} in range(n)', f'{name}, x in enumerate(v)')}:")
        self.in_loop(depth, name)

    def source(self):
        start = START.format(b=self.pick("None", "None", "x", "3"))
        for _ in range(self.random.randint(2, 4)):
            self.statement(1, False)
        every = ", ".join(self.maybe)
        ends = [
            f"return t, {every}, pair",
            f"return {self.some()}",
            f"return t, (-1 if {self.some()} is None else t), {every}",
        ]
        lines = [*self.lines, f"    {self.pick(*ends)}"]
        if self.random.random() < 0.2:
            lines = [
                *self.lines,
                f"    if {self.flag()}:",
                f"        return {self.some()}",
                f"    return {self.pick('None', 't')}",
            ]
        return HELPERS + "def program(x, v, n):\n" + start + "\n".join(lines) + "\n"

    def arguments(self, *seed):
        numbers = np.random.default_rng(seed)
        return [
            np.int32(numbers.integers(-3, 6)),
            numbers.integers(-3, 7, numbers.integers(0, 5)).astype("int32"),
            np.int32(numbers.integers(4)),
        ]

    def specs(self):
        return [([], "int32"), ([None], "int32"), ([], "int32")]


def wrong(seed):
    """The programs of `seed` that do anything else than Python, or are refused."""
    return [text for _, _, text in programs.faults(seed, write=Writer)]


if __name__ == "__main__":
    count, first = (*map(int, sys.argv[1:]), *(500, 0)[len(sys.argv) - 1 :])
    sys.exit(programs.main(count, first, Writer))
