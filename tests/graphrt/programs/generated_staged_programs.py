"""Random programs with loops, branches, jumps, lists, items, attributes, methods and functions inside, on int32 numbers.

    PYTHONPATH=. python -m tests.graphrt.programs.generated_staged_programs [count] [first seed]

Each is run by Python on numbers and arrays, and by graphrt as a graph; results must be the same, and so must failures.
"""

import linecache
import sys

import numpy as np

import graphrt as tf
from tests.graphrt.programs.program_text import ProgramText

RESULT = "(a, b, c, r, o.n, o.m, d['k'], d['j'], len(xs), sum(xs), sum(v))"
ARGUMENTS = [(3, -2, 4, [3, -1, 4, 1]), (0, 0, 0, [0, 0, 0, 0]), (-5, 8, 2, [9, 2, -6, 5])]
HEAD = """\
def h(x, y):
    if x > y:
        return x - y
    return y
def program(a, b, n, v):
    c = a * 0
    o = Thing()
    o.n, o.m = c + 0, c + 1
    d = {'k': c + 1, 'j': c + 2}
    xs = [a]
    r = c + 7
    def g(x):
        nonlocal c
        x = x + c * 0
        if x > 1:
            c = c + x
        xs.append(x)
        return c
"""


class Thing:
    """What programs change by its methods."""

    def __init__(self):
        self.n, self.m, self.log = 0, 1, []

    def add(self, k):
        if k > 0:
            self.n = self.n + k
        else:
            self.m = self.m - k
        return self.n

    def put(self, k):
        self.log.append(k)

    def flip(self):
        self.n, self.m = self.m, self.n


class Writer(ProgramText):
    """Writes one program from a seed."""

    def __init__(self, seed):
        super().__init__(seed)
        self.loops = 0

    def variable(self):
        return self.pick("a", "b", "c", "a", "b", "o.n", "o.m", "d['k']", "d['j']")

    def expression(self, depth=0):
        kind = self.random.random()
        part = lambda: self.expression(depth + 1)
        if kind < 0.3 or depth > 2:
            return self.variable()
        if kind < 0.4:
            return str(self.random.randint(-3, 5))
        if kind < 0.7:
            return f"({part()} {self.pick('+', '-', '*')} {part()}) % 97"
        if kind < 0.74:
            return f"({part()} // {self.random.randint(2, 5)})"
        if kind < 0.79:
            return f"({part()} if {self.test(depth + 1)} else {part()})"
        return self.pick(
            f"{self.pick('max', 'min')}({part()}, {part()})", f"abs({part()})", f"v[{part()} % 4]", "len(xs)",
            f"sum([q * 2 for q in v if q > {self.random.randint(-2, 3)}])", f"h({part()}, {part()})",
            f"o.add(c * 0 + {part()})", f"g({part()})",
        )  # fmt: skip

    def test(self, depth=0):
        kind = self.random.random()
        part = lambda: self.expression(depth + 1)
        if kind < 0.55 or depth > 2:
            return f"{part()} {self.pick('<', '>', '==', '!=', '<=')} {part()}"
        if kind < 0.8:
            return f"({self.test(depth + 1)} {self.pick('and', 'or')} {self.test(depth + 1)})"
        return self.pick(
            f"not {self.test(depth + 1)}", f"{part()} < {part()} <= {part()}", f"{part()} in (1, 2, {part()})",
            f"len(xs) > {self.random.randint(0, 3)}",
        )  # fmt: skip

    def simple(self, depth):
        kind = self.random.random()
        variable, value = self.variable(), f"c * 0 + {self.expression()}"
        if kind < 0.4:
            self.put(depth, f"{variable} = {value}")
        elif kind < 0.5:
            self.put(depth, f"a, b = {value}, {self.expression()} + c * 0")
        elif kind < 0.55:
            self.put(depth, "if len(xs) > 0:")
            self.put(depth + 1, f"{variable} = {variable} + xs.pop()")
        else:
            place = f"v[{self.expression()} % 4]"
            self.put(
                depth,
                self.pick(
                    f"{variable} {self.pick('+=', '-=')} {self.expression()}", f"xs.append({value})",
                    f"{place} = {self.expression()}", f"{place} += {self.expression()}", f"o.put({value})", "o.flip()",
                    f"o.add({value})", f"r = {value}", f"g({self.expression()})",
                ),
            )  # fmt: skip

    def block(self, depth, inside):
        for _ in range(self.random.randint(1, 3)):
            kind = self.random.random()
            if kind < 0.5 or depth > 4:
                self.simple(depth)
            elif kind < 0.7:
                self.branch(depth, inside)
            elif kind < 0.85 and self.loops < 3:
                self.loop(depth, inside)
            elif kind < 0.93 and inside:
                self.put(depth, f"if {self.test()}:")
                self.put(depth + 1, self.pick("break", "continue", f"return {RESULT}, 1"))
            else:
                self.match(depth, inside)

    def branch(self, depth, inside):
        self.put(depth, f"if {self.test()}:")
        self.block(depth + 1, inside)
        if self.random.random() < 0.3:
            self.put(depth, f"elif {self.test()}:")
            self.block(depth + 1, inside)
        if self.random.random() < 0.5:
            self.put(depth, "else:")
            self.block(depth + 1, inside)

    def loop(self, depth, inside):
        self.loops += 1
        name = f"i{self.loops}"
        if self.random.random() < 0.6:
            targets, iterable = self.pick(
                (name, "range(n)"), (name, "v"), (f"{name}, w", "enumerate(v)"), (f"{name}, w", "zip(v, range(n + 2))")
            )
            self.put(depth, f"for {targets} in {iterable}:")
        else:
            self.put(depth, f"{name} = n + {self.random.randint(0, 2)}")
            self.put(depth, f"while {name} > 0{self.pick('', f' and ({self.test()})')}:")
            self.put(depth + 1, f"{name} -= 1")
        self.block(depth + 1, True)
        if self.random.random() < 0.25:
            self.put(depth, "else:")
            self.block(depth + 1, inside)

    def match(self, depth, inside):
        self.put(depth, f"match {self.expression()} % 4:")
        self.put(depth + 1, "case 1 | 2:")
        self.simple(depth + 2)
        self.put(depth + 1, "case z if z > 2:")
        self.put(depth + 2, f"a = z + {self.expression()}")
        self.put(depth + 1, "case _:")
        self.simple(depth + 2)

    def source(self):
        self.block(1, False)
        self.block(1, False)
        return HEAD + "\n".join(self.lines) + f"\n    return {RESULT}, 2\n"


def plain(value):
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    value = value.numpy() if hasattr(value, "numpy") else value
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def outcome(function, arguments):
    try:
        return plain(function(*arguments))
    except Exception as error:  # whatever it is: the other side has to fail as well
        return error


def compare(seed):
    """A text that tells a difference, or None."""
    source = Writer(seed).source()
    name = f"<program {seed}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    namespace = {"Thing": Thing}
    exec(compile(source, name, "exec"), namespace)
    program = namespace["program"]
    traced = tf.function(program)
    for *numbers, array in ARGUMENTS:
        wanted = outcome(program, [*numbers, np.array(array, np.int32)])
        found = outcome(traced, [tf.constant(x) for x in (*numbers, array)])
        if isinstance(wanted, Exception) and isinstance(found, Exception):
            continue
        if isinstance(wanted, Exception) or isinstance(found, Exception) or wanted != found:
            return f"{source}\n{(*numbers, array)}: expected {wanted!r}, found {found!r}"
    return None


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    for seed in range(first, first + count):
        text = compare(seed)
        if text is not None:
            print(f"--- {seed}\n{text}", flush=True)
