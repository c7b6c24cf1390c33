"""Random programs on lists, dictionaries and objects that are None on some paths, under several names, and changed.

PYTHONPATH=. python -m tests.graphrt.programs.none_object_programs [count] [first seed]
"""

import sys

import numpy as np

from tests.graphrt.programs import generated_tensor_programs as programs
from tests.graphrt.programs.program_text import ProgramText

HELPERS = """\
class Point:
    def __init__(self, v, w):
        self.v, self.w = v, w
    def more(self, p):
        self.v = self.v + p
        return self
def double(v):
    return v * 2
def less(v):
    return v - 1
class Holder:
    def __init__(self, v=None):
        self.v = v
def look(p, q, make):
    if p > q:
        return make(p, q)
    return None
def first(values, k, make):
    for value in values:
        if value > k:
            return make(value, k)
    return None
"""
KINDS = {  # how one is made, what is in it, what of that may be written, what else changes it
    "list": ("[{}, {}]", ["{}[0]", "{}[1]"], ["{}[0]", "{}[1]"], ["{}.append({})"]),
    "list of the same length": ("[{}, {}]", ["{}[0]", "{}[-1]"], ["{}[0]", "{}[1]", "{}[-1]"], ["{}.reverse()"]),
    "list that may be empty": ("[]", ["len({})", "sum({})"], [], ["{}.append({})", "{}.extend([{}, x])", "{}.clear()"]),
    "dict": ("{{'k': {}, 'm': {}}}", ["{}['k']", "{}['m']"], ["{}['k']", "{}['m']"], ["{}.update(k={})"]),
    "object": ("Point({}, {})", ["{}.v", "{}.w"], ["{}.v", "{}.w"], ["{}.more({})"]),
    "function": ("[abs, double, less][abs({} - {}) % 3]", ["{}(2)", "{}(n)"], [], ["t = {}({})"]),
    "pair": ("({}, [{}])", ["{}[0]", "{}[1][0]"], ["{}[1][0]"], ["{}[1].append({})"]),
}


class Writer(ProgramText):
    """Writes one program from a seed."""

    def __init__(self, seed):
        super().__init__(seed)
        self.names = ["x", "t", "n"]
        self.loops = 0
        self.maybe = ["a", "b", *(["o.v"] if self.random.random() < 0.3 else [])]
        self.made, self.parts, self.places, self.changes = KINDS[self.pick(*KINDS)]

    # --- expressions ---
    def number(self, depth=0):
        if depth > 1 or self.random.random() < 0.6:
            return self.pick(*self.names, str(self.random.randint(-3, 6)))
        return f"({self.number(depth + 1)} {self.pick('+', '-', '*')} {self.number(depth + 1)})"

    def flag(self):
        return f"{self.number()} {self.pick('>', '<', '==', '!=')} {self.number()}"

    def some(self):
        return self.pick(*self.maybe)

    def part(self, name):
        return self.pick(*self.parts).format(name)

    def question(self, name):
        return self.pick(
            f"{name} is None",
            f"{name} is not None",
            f"{name} is None or {self.part(name)} > {self.number()}",
            f"{name} is not None and {self.part(name)} < {self.number()}",
            f"not {name}",
            f"{name}",
        )

    def value(self):
        make = f"lambda p, q: {self.made.format('p', 'q')}"
        return self.pick(
            lambda: self.made.format(self.number(), self.number()),
            lambda: self.made.format(self.number(), self.number()),
            lambda: f"({self.made.format(self.number(), self.number())} if {self.flag()} else None)",
            lambda: f"look({self.number()}, {self.number()}, {make})",
            lambda: f"first(v, {self.number()}, {make})",
            lambda: "r",
            self.some,
        )()

    # --- statements ---
    def change(self, depth, name):
        written = [f"{place} {sign} {{}}" for place in self.places for sign in ("=", "+=")]
        self.put(depth, self.pick(*written, *self.changes, *self.changes).format(name, self.number()))

    def simple(self, depth):
        name = self.some()

        def changed():
            self.put(depth, f"if {name} is not None:")
            self.change(depth + 1, name)

        self.pick(
            lambda: self.put(depth, f"{name} = None"),
            lambda: self.put(depth, f"{name} = {self.value()}"),
            lambda: self.put(depth, f"{name} = {self.value()}"),
            lambda: self.put(depth, f"{self.some()} = {name}"),
            lambda: self.put(depth, f"t = t + {self.number()}"),
            lambda: self.put(depth, f"t = t + (0 if {name} is None else {self.part(name)})"),
            lambda: self.change(depth, "r"),
            lambda: self.put(depth, f"r = {self.made.format(self.number(), self.number())}"),
            changed,
            changed,
        )()

    def statement(self, depth, inside):
        kind = self.random.random()
        if depth > 3 or kind < 0.5:
            return self.simple(depth)
        if kind < 0.65:
            self.put(depth, f"if {self.flag()}:")
        elif kind < 0.8:
            name = self.some()
            question = self.question(name)
            self.put(depth, f"if {question}:")
            if question.startswith(f"{name} is not None"):
                self.pick(
                    lambda: self.put(depth + 1, f"t = t + {self.part(name)}"), lambda: self.change(depth + 1, name)
                )()
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
        self.put(depth, f"for {self.pick(f'{name} in v', f'{name} in range(n)')}:")
        self.in_loop(depth, name)

    def source(self):
        start = f"    t, a, b, r, o = x, None, None, {self.made.format('x', 'n')}, Holder()\n"
        start += self.pick("", "", "    a = r\n", "    a = b = r\n", f"    a = b = {self.made.format('n', 'x')}\n")
        for _ in range(self.random.randint(2, 5)):
            self.statement(1, False)
        ends = [f"(None if {name} is None else {part.format(name)})" for name in self.maybe for part in self.parts]
        ends += [part.format("r") for part in self.parts]
        return (
            HELPERS + f"def program(x, v, n):\n{start}" + "\n".join(self.lines) + f"\n    return t, {', '.join(ends)}\n"
        )

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
