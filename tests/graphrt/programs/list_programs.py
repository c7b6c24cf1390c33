"""Random programs on lists that branches and loops change, replace, hand on and go through.

PYTHONPATH=. python -m tests.graphrt.programs.list_programs [count] [first seed]

Tells of programs that are wrong. Many are refused, as who else has a list is known only when the graph runs.
"""

import random
import sys

import numpy as np

from tests.graphrt.programs import generated_tensor_programs as programs

HELPERS = """\
def grown(xs, e):
    xs.append(e)
    return xs
def first_over(xs, x):
    for e in xs:
        if e > x:
            return e
    return x
def pairs(xs):
    out = []
    for a, b in zip(xs, xs[1:]):
        out.append(a - b)
    return out
class Bag:
    def __init__(self, items=()):
        self.items = list(items)
        self.n = 0
    def add(self, e):
        if e > 0:
            self.items.append(e)
        self.n = self.n + 1
    def total(self):
        s = 0
        for e in self.items:
            s += e
        return s
"""


class Writer:
    """Writes one program from a seed."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.lines = []
        self.loops = 0
        self.vars = ["x", "a", "n"]
        self.loop = []

    def p(self, *c):
        return self.r.choice(c)

    def put(self, d, t):
        self.lines.append("    " * d + t)

    def L(self):
        return self.p("rows", "rows", "ys", "zs", "bag.items", "d['l']")

    def num(self, d=0):
        if d > 1 or self.r.random() < 0.4:
            return self.p(*(self.vars + self.loop), str(self.r.randint(-2, 5)))
        return self.p(
            lambda: f"({self.num(d + 1)} {self.p('+', '-')} {self.num(d + 1)})",
            lambda: f"len({self.L()})",
            lambda: f"sum({self.L()})",
            lambda: f"({self.num(d + 1)} if {self.flag(d + 1)} else {self.num(d + 1)})",
            lambda: f"first_over({self.L()}, {self.num(d + 1)})",
            lambda: f"{self.L()}[{self.p(0, -1, 'a % 2')}]",
            lambda: f"abs({self.num(d + 1)})",
            lambda: "bag.total()",
            lambda: f"sum([e for e in {self.L()} if e > {self.num(d + 1)}])",
            lambda: f"{self.L()}.count({self.num(d + 1)})",
            lambda: f"sum(sorted({self.L()})[:2])",
            lambda: f"sum(e * 2 for e in {self.L()})",
            lambda: f"int({self.flag(d + 1)})",
            lambda: f"sum(pairs({self.L()}))",
            lambda: f"sum({self.L()}[1:])",
            lambda: f"(max({self.L()}) if {self.L()} else 0)",
        )()

    def flag(self, d=0):
        if d > 1:
            return self.p("a > 1", "x > 2", "n == 2")
        return self.p(
            lambda: f"{self.num(d + 1)} {self.p('>', '<', '==')} {self.num(d + 1)}",
            lambda: f"{self.num(d + 1)} in {self.L()}",
            lambda: f"len({self.L()}) > {self.r.randint(0, 4)}",
            lambda: f"not {self.L()}",
            lambda: f"({self.flag(d + 1)} {self.p('and', 'or')} {self.flag(d + 1)})",
            lambda: f"{self.L()} == {self.L()}",
        )()

    def simple(self, d):
        l = self.L()
        self.put(
            d,
            self.p(
                lambda: f"{l}.append({self.num()})",
                lambda: f"{l}.append({self.num()})",
                lambda: f"{l}.append({self.num()})",
                lambda: f"{l}.insert({self.p(0, 1)}, {self.num()})",
                lambda: f"{l}.extend([{self.num()}, {self.num()}])",
                lambda: f"{l} += [{self.num()}]",
                lambda: f"a = {self.num()} % 11",
                lambda: f"if {l}: a = {l}.pop({self.p('', 0, -1)}) % 11",
                lambda: f"if {l}: {l}[{self.p(0, -1)}] = {self.num()}",
                lambda: f"grown({l}, {self.num()})",
                lambda: f"bag.add({self.num()})",
                lambda: f"zs = {self.p('list(ys)', 'list(rows)', 'rows[:]', '[a]', '[]')}",
                lambda: (
                    f"rows = {self.p('rows + [a]', '[e for e in rows if e > a]', '[a, x]', 'sorted(rows)', 'list(reversed(rows))', '[]')}"
                ),
                lambda: f"{l}.reverse()",
                lambda: f"{l}.sort()",
                lambda: f"if len({l}) > 2: del {l}[0]",
                lambda: f"a = {l}.count(a)",
                lambda: f"{l}.clear()",
                lambda: f"d['l'] = {self.p('list(rows)', '[a]', 'list(ys)')}",
            )(),
        )

    def block(self, d, inl):
        for _ in range(self.r.randint(1, 3)):
            k = self.r.random()
            if k < 0.5 or d > 3:
                self.simple(d)
            elif k < 0.72:
                self.put(d, f"if {self.flag()}:")
                self.block(d + 1, inl)
                if self.r.random() < 0.4:
                    self.put(d, "else:")
                    self.block(d + 1, inl)
            elif k < 0.9 and self.loops < 3:
                self.loops += 1
                i = f"i{self.loops}"
                e = f"e{self.loops}"
                old = list(self.loop)
                h, names = self.p(
                    (f"for {e} in v:", [e]),
                    (f"for {i} in range(n):", [i]),
                    (f"for {i}, {e} in enumerate(v):", [i, e]),
                    (f"for {e} in {self.p('list(rows)', 'list(ys)', 'sorted(rows)')}:", [e]),
                    (f"for {i}, {e} in enumerate({self.p('sorted(ys)', 'list(rows)')}):", [i, e]),
                    (f"for {e}, {i} in zip(v, {self.p('rows', 'range(9)', 'ys')}):", [e, i]),
                    (f"for {e} in reversed(list(rows)):", [e]),
                    (f"for {i} in range(3):", [i]),
                    (f"{i} = 0", [i]),
                )
                self.put(d, h)
                if h.startswith(i):
                    self.put(d, f"while {i} < n and {self.flag()}:")
                    self.put(d + 1, f"{i} += 1")
                self.loop = old + names
                self.put(d + 1, f"if len(rows) + len(ys) + len(zs) + len(bag.items) + len(d['l']) > 30: {'break'}")
                self.block(d + 1, True)
                self.loop = old
            elif inl:
                self.put(d, f"if {self.flag()}:")
                self.put(d + 1, self.p("break", "continue"))
            else:
                self.simple(d)

    def source(self):
        self.put(1, f"rows, ys = {self.p('[]', '[x]', '[1, 2]')}, {self.p('[]', '[2]', '[x, n]')}")
        self.put(1, "a = x")
        self.put(1, f"zs = {self.p('[a]', '[]', '[1]')}")
        self.put(1, f"bag = Bag({self.p('', '[1]', 'rows')})")
        self.put(1, f"d = {{'l': {self.p('[]', '[3]', '[x]')}}}")
        self.put(1, "a = x")
        self.block(1, False)
        self.block(1, False)
        self.put(
            1,
            "return a, len(rows), sum(rows), len(ys), sum(ys), len(zs), sum(zs), len(bag.items), sum(bag.items), bag.n, len(d['l']), sum(d['l']), sum([i * e for i, e in enumerate(rows)]), sum([i * e for i, e in enumerate(zs)])",
        )
        return HELPERS + "def program(x, v, n):\n" + "\n".join(self.lines) + "\n"


def wrong(seed, source=None):
    """The program of `seed`, with what it should give and what it does, if it gives anything else."""
    import graphrt as tf

    source = source or Writer(seed).source()
    function = programs.function_of(source, f"<lists {seed}>")
    traced = tf.function(function)
    for number in range(2):
        made = np.random.RandomState(seed * 2 + number)
        arguments = [
            np.int32(made.randint(-3, 6)),
            made.randint(-3, 7, (4,)).astype("int32"),
            np.int32(made.randint(4)),
        ]
        plain = [int(arguments[0]), arguments[1].tolist(), int(arguments[2])]
        wanted = programs.outcome(function, plain)
        found = programs.outcome(traced, [tf.constant(value) for value in arguments])
        if isinstance(found, Exception) or isinstance(wanted, Exception):
            continue  # refused; an error of what nobody uses does not come
        if not programs.same(wanted, found):
            return f"seed {seed}, {plain}:\nexpected {wanted}\nfound    {found}\n{source}"
    return None


def main(total, start):
    told = [text for text in map(wrong, range(start, start + total)) if text]
    print(*told, f"{total} programs, {len(told)} wrong", sep="\n")
    return bool(told)


if __name__ == "__main__":
    count, first = (*map(int, sys.argv[1:]), *(500, 0)[len(sys.argv) - 1 :])
    sys.exit(main(count, first))
