"""Random programs as `number_programs` has them, with objects, generators, matches, recursion and `:=` in them."""

from __future__ import annotations

from tests.graphrt.programs import number_programs

HELPERS = """\
def down(x, k=2):
    if k <= 0 or x < 1:
        return x
    return down(x // 2, k - 1)
def find(xs, x):
    for i, e in enumerate(xs):
        if e > x:
            return i
    return -1
def best(xs):
    found = None
    for e in xs:
        if found is None or e > found:
            found = e
    return found
def raised(xs, k):
    for e in xs:
        yield e + k
def twice(f):
    def inner(*args, **kw):
        return f(*args, **kw) + f(*args, **kw)
    return inner
@twice
def decorated(x, by=1):
    if x > by:
        return x
    return x + by
class Number:
    limit = 3
    def __init__(self, v):
        self._v = v
    @property
    def v(self):
        if self._v > self.limit:
            return self._v - 1
        return self._v
    @v.setter
    def v(self, value):
        if value > self.limit:
            self._v = value
        else:
            self._v = self._v * 0 + 1
    def __add__(self, other):
        if other > 2:
            return Number(self._v + other)
        return Number(self._v)
    def __lt__(self, other):
        return self._v < other
    def __call__(self, x):
        if x > self._v:
            return x
        return self._v
    def __getitem__(self, i):
        if i > 1:
            return self._v
        return self._v * 2
    def __iter__(self):
        yield self._v
        yield self._v + 1
    def __enter__(self):
        self._v = self._v + 1
        return self
    def __exit__(self, *a):
        self._v = self._v - 1
    @classmethod
    def make(cls, x):
        if x > 1:
            return cls(x)
        return cls(x + 1)
    @staticmethod
    def positive(x):
        return x if x > 0 else x * 0
"""


class Writer(number_programs.Writer):
    """Writes one program from a seed."""

    # --- expressions ---
    def arithmetic(self, cls, kind, depth):
        part = lambda: self.value(cls, depth + 1)
        return super().arithmetic(cls, kind, depth) + [
            lambda: f"sum(e for e in [{part()}, {part()}])",
            lambda: f"{{1: {part()}, 2: {part()}}}[{self.pick(1, 2)}]",
            lambda: f"[*[{part()}], {part()}][{self.pick(0, -1)}]",
            lambda: f"dict(t={part()})['t']",
            lambda: f"(lambda *e, f={part()}: e[0] + f)({part()})",
        ]

    def real(self, cls, kind, depth):
        part = lambda: self.value(cls, depth + 1)
        found = super().real(cls, kind, depth) + [
            lambda: f"down({part()}, {self.pick(1, 2, 3)})",
            lambda: f"best([{part()}, {part()}, {part()}])",
            lambda: f"max(*[{part()}, {part()}])",
            lambda: f"sorted([{part()}, {part()}])[{self.pick(0, 1)}]",
            lambda: f"list(map(abs, [{part()}, {part()}]))[{self.pick(0, 1)}]",
            lambda: f"list(reversed([{part()}, {part()}]))[0]",
            lambda: f"decorated({part()})",
            lambda: f"decorated({part()}, by={part()})",
            lambda: f"Number({part()}).v",
            lambda: f"Number({part()})({part()})",
            lambda: f"(Number({part()}) + {part()}).v",
            lambda: f"Number.make({part()})[{self.pick(1, 2)}]",
            lambda: f"Number.positive({part()})",
            lambda: f"sum(list(Number({part()})))",
            lambda: f"sum(raised([{part()}, {part()}], {part()}))",
            lambda: f"({part()} if Number({part()}) < {part()} else {part()})",
        ]
        if cls != "uint8":
            found.append(lambda: f"max((e for e in [{part()}, {part()}]), key=lambda e: -e)")
        if cls == self.one:
            test = f"e > {self.literal(cls)}"
            found.append(
                lambda: self.pick(
                    "best(v)", "sum(e for e in v)", f"sum(e for e in v if {test})", "max(e for e in v)", "v[find(v, x)]"
                )
            )
        return found

    def integer(self, depth):
        part = lambda: self.value("int", depth + 1)
        return super().integer(depth) + [
            lambda: f"find([{part()}, {part()}], {part()})",
            lambda: f"sum(1 for e in v if {self.flag(depth + 1)})",
        ]

    # --- statements ---
    def simple(self, depth):
        one, two = (lambda cls=cls: self.value(cls, 1) for cls in (self.one, self.two))
        kinds = [
            lambda: ["a, b = b, a"],
            lambda: [f"a = b = {one()}"],
            lambda: [f"h = {one()}", "ts[0] = h", "del h"],
            lambda: [f"d.update(t={two()})"],
            lambda: [f"d.setdefault('t', {two()})"],
            lambda: [f"(a, *_), c = [{one()}, 1], {two()}"],
            lambda: [f"ts.append({one()})", "b = ts.pop()"],
            lambda: [f"ts[{self.pick(0, 1, -1, 'k % 2')}] = {one()}"],
        ]
        if self.kind(self.one) in "if":
            kinds.append(lambda: [f"nn = Number({one()})", f"nn.v = {one()}", "a = nn.v"])
        if self.chance(0.7):
            super().simple(depth)
            return
        for line in self.pick(*kinds)():
            self.put(depth, line)

    def branch(self, depth, in_loop):
        roll = self.random.random()
        if roll < 0.15:
            self.put(depth, f"match {self.value('int', 1)}:")
            for case in (self.pick(0, 1), "2 | 3", f"j if j > {self.literal('int')}", "_"):
                if case in (0, 1) or self.chance(0.6):
                    self.put(depth + 1, f"case {case}:")
                    self.block(depth + 2, in_loop)
        elif roll < 0.3:
            test = f"({self.pick('k', 'm')} := {self.value('int', 1)}) {self.pick('>', '<')} {self.literal('int')}"
            self.put(depth, f"if {test} {self.pick('and', 'or')} {self.flag(1)}:")
            self.block(depth + 1, in_loop)
        elif roll < 0.35 and self.kind(self.one) in "if":
            self.put(depth, f"with Number({self.value(self.one, 1)}) as mm:")
            self.block(depth + 1, in_loop)
            self.put(depth, "b = mm.v")
        else:
            super().branch(depth, in_loop)

    def loop(self, depth, in_loop):
        if self.chance(0.7):
            super().loop(depth, in_loop)
            return
        self.loops += 1
        outer, i = dict(self.inside), f"i{self.loops}"
        self.put(depth, f"{i} = 0")
        self.inside[i] = "int"
        self.put(depth, "while True:")
        self.put(depth + 1, f"{i} += 1")
        self.put(depth + 1, f"if {i} > {self.pick(2, 3)} or {self.flag(1)}:")
        self.put(depth + 2, self.pick("break", "break", f"return {number_programs.RESULT}"))
        self.block(depth + 1, True)
        self.inside = outer

    def iteration(self, i, e):
        if self.chance(0.7):
            return super().iteration(i, e)
        one = self.one
        head, found = self.pick(
            (f"{e} in [q for q in v]", {e: one}), (f"{e} in reversed(ts)", {e: one}), (f"{e} in raised(list(ts), 1)", {e: one}),
            (f"{e} in {{'a': a, 'b': b}}.values()", {e: one}), (f"{i}, {e} in {{1: a, 2: b}}.items()", {i: "int", e: one}),
            (f"{e}, {i} in [(a, 1), (b, k)]", {i: "int", e: one}), (f"{e} in v[1:]", {e: one}), (f"{e} in reversed(v)", {e: one}),
        )  # fmt: skip
        self.inside.update(found)
        return head

    def source(self):
        return HELPERS + super().source()
