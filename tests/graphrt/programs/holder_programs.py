"""Random programs on dictionaries and objects that branches and loops change, replace, give other names and go through.

PYTHONPATH=. python -m tests.graphrt.programs.holder_programs [count] [first seed]

Tells of programs that are wrong, and of those that are refused, as who else has an object is known only when the graph runs.
"""

import sys

import numpy as np

from tests.graphrt.programs import generated_tensor_programs as programs
from tests.graphrt.programs.program_text import ProgramText

HELPERS = """\
import collections
class Holder:
    kind = 1
    def __init__(self, v, w=0):
        self.v = v
        self.w = w
        self.d = {'a': v, 'b': 1}
        self.l = [v, 2]
    def bump(self, k):
        if k > self.v:
            self.v = k
        else:
            self.w += 1
            self.d['a'] += k
        return self.v
    @property
    def s(self):
        return self.v + self.d['a']
class Slots:
    __slots__ = ('v', 'n')
    def __init__(self, v):
        self.v = v
        self.n = None
def put(d, k, x):
    if x > 1:
        d[k] = x
    return d
def swap(l):
    l[0], l[1] = l[1], l[0]
def flat(r):
    if isinstance(r, dict):
        return [flat(r[k]) for k in sorted(r)]
    return [flat(v) for v in r] if isinstance(r, (list, tuple)) else r
"""
START = """\
    a, b = x, 2
    d, e = {'a': 1, 'b': x}, {'a': x, 'b': 0}
    o, p, m = Holder(x), Holder(2, n), Slots(x)
    l, q, t = [x, 1], collections.deque([1, x, n]), (x, 3)
    nest = {'l': [1, x], 'd': {'a': 0, 'b': x}}
    c = collections.Counter(a=1, b=2)
    def shift(j, by=1):
        nonlocal a
        if j > a:
            a = a + by
            o.w = j
        d['b'] = by
"""
END = """\
    return flat([a, b, d, e, o.v, o.w, o.d, o.l, p.v, p.w, p.d, p.l, m.v, l, list(q), t, nest['l'], nest['d'], c['a'], c['b']])
"""


class Writer(ProgramText):
    """Writes one program from a seed."""

    def __init__(self, seed):
        super().__init__(seed)
        self.loops = 0
        self.names = ["x", "a", "n"]

    # --- what is written and read ---
    def dictionary(self):
        return self.pick("d", "d", "e", "o.d", "nest['d']")

    def key(self):
        return self.pick("'a'", "'b'")

    def holder(self):
        return self.pick("o", "o", "p")

    def rows(self):
        return self.pick("l", "o.l", "nest['l']", "p.l")

    def number(self, depth=0):
        part = lambda: self.number(depth + 1)
        if depth > 1 or self.random.random() < 0.35:
            return self.pick(*self.names, str(self.random.randint(-2, 5)))
        return self.pick(
            lambda: f"({part()} {self.pick('+', '-')} {part()})",
            lambda: f"{self.dictionary()}[{self.key()}]",
            lambda: f"{self.holder()}.{self.pick('v', 'w', 's')}",
            lambda: f"{self.rows()}[{self.pick(0, 1, -1, 'x % 2')}]",
            lambda: f"({part()} if {self.flag(depth + 1)} else {part()})",
            lambda: f"sum({self.dictionary()}.values())",
            lambda: f"{self.holder()}.bump({part()})",
            lambda: f"q[{self.pick(0, -1)}]",
            lambda: "sum(q)",
            lambda: f"{self.dictionary()}.get({self.key()}, 0)",
            lambda: f"t[{self.pick(0, 1)}]",
            lambda: "m.v",
            lambda: f"max({part()}, {part()})",
            lambda: f"c[{self.key()}]",
        )()

    def flag(self, depth=0):
        number = lambda: self.number(depth + 1)
        if depth > 1:
            return self.pick("a > 1", "x > 2", "n == 2")
        return self.pick(
            lambda: f"{number()} {self.pick('>', '<', '==')} {number()}",
            lambda: f"({self.flag(depth + 1)} {self.pick('and', 'or')} {self.flag(depth + 1)})",
            lambda: f"not {self.flag(depth + 1)}",
            lambda: f"{self.dictionary()} == {self.dictionary()}",
            lambda: f"{number()} in {self.rows()}",
            lambda: f"{number()} in {self.dictionary()}.values()",
        )()

    # --- statements ---
    def simple(self, depth):
        number, dictionary, rows = self.number, self.dictionary, self.rows
        statement = self.pick(
            lambda: f"{dictionary()}[{self.key()}] {self.pick('=', '+=')} {number()}",
            lambda: f"{dictionary()}[{self.key()}] = {number()}",
            lambda: f"{self.holder()}.{self.pick('v', 'w')} {self.pick('=', '+=', '-=')} {number()}",
            lambda: f"{rows()}[{self.pick(0, 1, -1, 'a % 2')}] {self.pick('=', '+=')} {number()}",
            lambda: f"d = {self.pick('dict(e)', 'dict(a=a, b=x)', 'o.d.copy()')}",
            lambda: f"d = {{'a': {number()}, 'b': {number()}}}",
            lambda: f"o = Holder({number()}, {number()})",
            lambda: f"p = {self.pick('Holder(a)', 'Holder(x, 2)')}",
            lambda: f"a = {number()} % 11",
            lambda: f"a, b = b, {number()}",
            lambda: f"q.append({number()}); q.popleft()",
            lambda: "q.rotate(1)",
            lambda: f"put({dictionary()}, {self.key()}, {number()})",
            lambda: f"swap({rows()})",
            lambda: f"l = {self.pick('list(o.l)', '[a, x]', 'o.l[:]', 'sorted(o.l)')}",
            lambda: f"nest['l'] = [{number()}, 1]",
            lambda: f"nest = {{'l': [{number()}, a], 'd': {{'a': x, 'b': {number()}}}}}",
            lambda: f"t = {number()}, {number()}",
            lambda: f"m.v = {number()}",
            lambda: f"m = Slots({number()})",
            lambda: f"{dictionary()}.update(a={number()})",
            lambda: f"c[{self.key()}] += {number()}",
            lambda: f"setattr({self.holder()}, '{self.pick('v', 'w')}', {number()})",
            lambda: f"{rows()}.reverse()",
            lambda: f"{self.holder()}.d = {{'a': {number()}, 'b': 0}}",
            lambda: f"shift({number()})",
            lambda: self.pick("o, p = p, o", "p = o", "d, e = e, d", "l = o.l", "o.l = l", "o.d = d", "e = o.d"),
        )()
        self.put(depth, statement)

    def loop(self, depth):
        self.loops += 1
        number, element = f"i{self.loops}", f"e{self.loops}"
        header, names = self.pick(
            (f"for {element} in v:", [element]),
            (f"for {number} in range(n):", [number]),
            (f"for {number}, {element} in enumerate(v):", [number, element]),
            (f"for {element} in list(d.values()):", [element]),
            (f"for {element} in list(l):", [element]),
            (f"for {number} in range(3):", [number]),
            (f"{number} = 0", [number]),
        )
        self.put(depth, header)
        if header.startswith(number):
            self.put(depth, f"while {number} < n and {self.flag()}:")
            self.put(depth + 1, f"{number} += 1")
        outer, self.names = self.names, [*self.names, *names]
        self.block(depth + 1, True)
        self.names = outer

    def block(self, depth, inside):
        for _ in range(self.random.randint(1, 3)):
            kind = self.random.random()
            if kind < 0.5 or depth > 3:
                self.simple(depth)
            elif kind < 0.74:
                self.put(depth, f"if {self.flag()}:")
                self.block(depth + 1, inside)
                if self.random.random() < 0.5:
                    self.put(depth, "else:")
                    self.block(depth + 1, inside)
            elif kind < 0.9 and self.loops < 3:
                self.loop(depth)
            elif inside:
                self.put(depth, f"if {self.flag()}:")
                self.put(depth + 1, self.pick("break", "continue"))
            else:
                self.simple(depth)

    def source(self):
        for _ in range(3):
            self.block(1, False)
        return HELPERS + "def program(x, v, n):\n" + START + "\n".join(self.lines) + "\n" + END

    def arguments(self, *seed):
        numbers = np.random.default_rng(seed)
        return [
            np.int32(numbers.integers(-3, 6)),
            numbers.integers(-3, 7, 4).astype("int32"),
            np.int32(numbers.integers(4)),
        ]

    def specs(self):
        return [([], "int32"), ([4], "int32"), ([], "int32")]


def wrong(seed):
    """The programs of `seed` that do anything else than Python, refused ones left out."""
    return [text for what, _, text in programs.faults(seed, write=Writer) if what == "wrong"]


if __name__ == "__main__":
    count, first = (*map(int, sys.argv[1:]), *(500, 0)[len(sys.argv) - 1 :])
    sys.exit(programs.main(count, first, Writer))
