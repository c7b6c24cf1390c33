"""Random programs on numbers of Python beside tensors of all dtypes, with branches, loops, jumps, lists and functions.

A variable has a class: "int", "float", "bool", "str", or the dtype of the tensors that it may hold beside numbers which
that dtype can hold. No program mixes tensors of two dtypes, and results stay small, so that every dtype holds them.
"""

import random

import numpy as np

DTYPES = [
    *["int32", "int64", "float32", "float64"] * 3, "float16", "complex64", "complex128", "uint8", "int8", "int16",
]  # fmt: skip
HELPERS = """\
def early(x, k=2):
    if x > k:
        return x - k
    return k
def pick(x, y, *, low=0):
    if x > low:
        if y > x:
            return 1
        return y
    elif low > y:
        return low
    return x
def steps(x, limit=3):
    i = 0
    while True:
        if x > limit:
            return i
        x = x + 1
        i += 1
        if i > 5:
            break
    return limit
def counted(x):
    total = 0
    for i in range(4):
        if i > x:
            continue
        total += i
    return total
def total(*xs, start=0):
    for x in xs:
        if x > start:
            start = start + x
    return start
"""
RESULT = "a, b, c, k, m, w, q, r, s, u, d['k'], d['t'], p[0], o.t, o.w, ts[0], ts[1], z[0], z[1], sum(xs), len(xs)"


class Thing:
    """What programs keep numbers in, and change by a method."""

    def __init__(self, t, w):
        self.t, self.w = t, w

    def bump(self, t):
        if t > self.t:
            self.t = t
        else:
            self.w = self.w + 1
        return self.t

    def __repr__(self):
        return f"Thing({self.t!r}, {self.w!r})"


class Writer:
    """Writes one program from a seed; `one`, `two` and `count` are the dtypes of its arguments."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.loops = 0
        self.one, self.two = self.random.choice(DTYPES), self.random.choice(DTYPES)
        self.count = self.random.choice(["int32", "int64"])
        self.variables = {
            "x": self.one, "a": self.one, "b": self.one, "o.t": self.one, "ts[0]": self.one, "ts[1]": self.one,
            "y": self.two, "c": self.two, "d['t']": self.two, "k": "int", "m": "int", "p[0]": "int", "d['k']": "int",
            "z[0]": "int", "w": "float", "o.w": "float", "z[1]": "float", "q": "bool", "r": "bool", "s": "str", "u": "str",
        }  # fmt: skip
        self.read_only = {"x", "y", "p[0]", "z[0]", "z[1]"}
        self.inside = {}  # variables of loops
        self.in_loop = False

    # --- choices ---
    def chance(self, share):
        return self.random.random() < share

    def pick(self, *choices):
        return self.random.choice(choices)

    def name(self, cls):
        return self.pick(*(n for n, c in {**self.variables, **self.inside}.items() if c == cls))

    def kind(self, cls):
        """b, i, f, c as NumPy has them, s for strings."""
        return {"int": "i", "float": "f", "bool": "b", "str": "s"}.get(cls) or np.dtype(cls).kind.replace("u", "i")

    def any_class(self):
        return self.pick(self.one, self.one, self.two, "int", "int", "float", "bool", "str")

    def number_class(self):
        return self.pick(self.one, self.one, self.two, "int", "int", "float")

    # --- expressions ---
    def literal(self, cls):
        kind = self.kind(cls)
        number = self.random.randint(0 if cls == "uint8" else -3, 7)
        if kind == "b":
            return self.pick("True", "False")
        if kind == "s":
            return self.pick("''", "'a'", "'bc'")
        if kind == "i":
            return str(number)
        if kind == "c":
            return self.pick(str(number), f"{number}.5", f"{number}j", f"({number} + 1j)")
        return self.pick(str(number), f"{number}.5", f"{number}.25")

    def value(self, cls, depth=0):
        """An expression of a class."""
        kind = self.kind(cls)
        if kind == "b":
            return self.flag(depth)
        if kind == "s":
            return self.text(depth)
        if depth > 2 or self.chance(0.3):
            return self.name(cls)
        if self.chance(0.25):
            return self.literal(cls)
        if self.chance(0.2) and cls not in ("int", "float"):  # numbers, which the dtype holds
            found = self.value("int" if kind == "i" else self.pick("int", "float"), depth + 1)
            return f"abs({found}) % 50" if cls == "uint8" else found
        choices = self.arithmetic(cls, kind, depth)
        if kind in "if":
            choices += self.real(cls, kind, depth)
        if cls == "int":
            choices += self.integer(depth)
        if cls == "float":
            choices += self.floating(depth)
        return self.random.choice(choices)()

    def arithmetic(self, cls, kind, depth):
        part = lambda: self.value(cls, depth + 1)
        found = [
            lambda: f"({part()} {'+' if cls == 'uint8' else self.pick('+', '-')} {part()})",
            lambda: f"({part()} if {self.flag(depth + 1)} else {part()})",
            lambda: f"({part()} {self.pick('or', 'and')} {part()})",
            lambda: f"sum([{part()}, {part()}])",
            lambda: f"(lambda e: e + {part()})({part()})",
        ]
        if cls != "uint8":
            found.append(lambda: f"-{self.name(cls)}")
        if kind == "c":
            found.append(lambda: f"({part()} * {self.literal('int')})")
        return found

    def real(self, cls, kind, depth):
        part = lambda: self.value(cls, depth + 1)
        found = [
            lambda: f"abs({part()})",
            lambda: f"{self.pick('max', 'min')}({part()}, {part()})",
            lambda: f"{self.pick('max', 'min', 'total')}({part()}, {part()}, {part()})",
            lambda: f"({part()} * {part()}) // 1 % {self.pick(97, 7)}",
            lambda: f"{self.pick('early', 'pick')}({part()}, {part()})",
            lambda: f"early({part()})",
            lambda: f"({part()} // {self.pick(2, 3, 5)})",
            lambda: f"({part()} % {self.pick(2, 3, 5)})",
            lambda: f"divmod({part()}, {self.pick(3, 4)})[{self.pick(0, 1)}]",
        ]
        if cls != "uint8":  # which knows no negative numbers and, as in TensorFlow, no powers
            found += [
                lambda: f"({part()} % 5) ** {self.pick(2, 3)}",
                lambda: f"({part()} // -3)",
                lambda: f"({part()} % -4)",
            ]
        if cls == self.one:
            found.append(
                lambda: self.pick(
                    "v[1]", "v[-1]", "sum(v)", "max(v)", "min(v)", "v[k % 4]", "v[m % 4]", "max(ts)", "sum(ts)",
                    f"o.bump({part()})", f"sum([e for e in v if e > {self.literal(cls)}])", "ts[k % 2]",
                )
            )  # fmt: skip
        if kind == "i":
            found += [
                lambda: f"(({part()} % 8) << {self.pick(1, 2)})", lambda: f"({part()} >> {self.pick(1, 2)})",
                lambda: f"({part()} {self.pick('&', '|', '^')} {part()})",
            ]  # fmt: skip
            if cls != "uint8":
                found.append(lambda: f"~{self.name(cls)}")
        return found

    def integer(self, depth):
        part = lambda: self.value("int", depth + 1)
        found = [
            lambda: f"int({self.value('float', depth + 1)})", lambda: f"len({self.pick('xs', 'v', 's', 'u')})",
            lambda: f"{self.pick('steps', 'counted')}({part()})", lambda: "sum(xs)", lambda: "p[m % 2]",
            lambda: f"int({self.flag(depth + 1)})", lambda: f"pow({part()} % 5, 2, 5)", lambda: f"round({part()})",
            lambda: f"len([e for e in v if {self.flag(depth + 1)}])", lambda: f"math.floor({self.value('float', depth + 1)})",
        ]  # fmt: skip
        other = self.pick(self.one, self.two)
        if self.kind(other) in "if":
            found += [lambda: f"int({self.value(other, depth + 1)})"] * 2
        return found

    def floating(self, depth):
        found = [
            lambda: f"({self.value('int', depth + 1)} / {self.pick(2, 4)})",
            lambda: f"float({self.value('int', depth + 1)})",
        ]
        other = self.pick(self.one, self.two)
        if self.kind(other) in "if":
            found += [lambda: f"float({self.value(other, depth + 1)})"] * 2
        return found

    def text(self, depth):
        part = lambda: self.text(depth + 1)
        if depth > 2 or self.chance(0.4):
            return self.name("str")
        return self.pick(
            lambda: self.literal("str"), lambda: f"({part()} + {part()})" if depth < 1 else self.literal("str"),
            lambda: f"({part()} if {self.flag(depth + 1)} else {part()})", lambda: f"({part()} {self.pick('or', 'and')} {part()})",
        )()  # fmt: skip

    def flag(self, depth=0):
        cls = self.number_class()
        part = lambda: self.value(cls, depth + 1)
        if depth > 2 or self.chance(0.15):
            return self.pick("q", "r", f"{self.name('int')} > 1")
        if self.kind(cls) == "c":
            return f"{part()} {self.pick('==', '!=')} {part()}"
        compared = lambda: f"{part()} {self.pick('<', '>', '==', '!=', '<=', '>=')} {part()}"
        return self.pick(
            compared,
            compared,
            lambda: f"({part()} {self.pick('<', '<=')} {part()} {self.pick('<', '<=', '!=')} {part()})",
            lambda: f"(not {self.value(self.any_class(), depth + 1)})",
            lambda: f"({self.flag(depth + 1)} {self.pick('and', 'or')} {self.flag(depth + 1)})",
            lambda: f"bool({self.value(self.any_class(), depth + 1)})",
            lambda: f"({part()} in ({part()}, {part()}))",
            lambda: f"{self.text(depth + 1)} == {self.text(depth + 1)}",
            lambda: f"{self.pick('any', 'all')}([{part()}, {part()}])",
        )()

    def test(self):
        """What a statement asks: a flag, or anything that has a truth."""
        if self.chance(0.75):
            return self.flag()
        first = self.value(self.any_class(), 1)
        if self.chance(0.7):
            return first
        return f"{first} {self.pick('and', 'or')} {self.value(self.any_class(), 1)}"

    # --- statements ---
    def put(self, depth, text):
        self.lines.append("    " * depth + text)

    def simple(self, depth):
        name = self.pick(*(n for n in self.variables if n not in self.read_only))
        cls = self.variables[name]
        roll = self.random.random()
        if roll < 0.2 and self.kind(cls) in "if":
            self.augmented(depth, name, cls)
        elif roll < 0.26:
            self.put(depth, f"xs.append({self.value('int', 1)})")
        elif roll < 0.29 and not self.in_loop:
            self.put(depth, f"xs[{self.pick(0, -1)}] {self.pick('=', '+=')} {self.value('int', 1)}")
        elif roll < 0.32:
            self.put(depth, f"z = {self.value('int', 1)}, {self.value('float', 1)}")
        elif roll < 0.36:
            self.put(depth, f"k, m = {self.value('int', 1)}, {self.value('int', 1)}")
        elif roll < 0.4:
            self.put(depth, f"a, c = {self.value(self.one, 1)}, {self.value(self.two, 1)}")
        elif roll < 0.43:
            self.put(depth, f"k, m = divmod({self.value('int', 1)}, 5)")
        elif roll < 0.46:
            self.put(depth, f"shift({self.value('int', 1)})")
        else:
            self.put(depth, f"{name} = {self.value(cls)}")
        if cls in ("int", "float") and self.chance(0.5):
            self.put(depth, f"{name} = {name} % 101")
        if cls == "str" and "+" in self.lines[-1]:
            self.put(depth, f"if len({name}) > 6:")
            self.put(depth + 1, f"{name} = {self.literal('str')}")

    def augmented(self, depth, name, cls):
        if self.kind(cls) == "f":
            self.put(depth, f"{name} {self.pick('+=', '-=')} {self.value(cls, 1)}")
            return
        operator = self.pick("+=", "+=" if cls == "uint8" else "-=", "//=", "%=", "*=", "<<=", ">>=", "|=", "^=")
        if operator in ("//=", "%="):
            self.put(depth, f"{name} {operator} {self.pick(2, 3, 5)}")
        elif operator in ("<<=", ">>="):
            self.put(depth, f"{name} = {name} % 8")
            self.put(depth, f"{name} {operator} 1")
        else:
            self.put(depth, f"{name} {operator} {self.value(cls, 1)}")
            if operator == "*=":
                self.put(depth, f"{name} %= 89")

    def block(self, depth, in_loop):
        for _ in range(self.random.randint(1, 2) if depth > 1 else self.random.randint(1, 3)):
            self.in_loop = in_loop
            kind = self.random.random()
            if kind < 0.5 or depth > 4:
                self.simple(depth)
            elif kind < 0.75:
                self.branch(depth, in_loop)
            elif kind < 0.9 and self.loops < 3:
                self.loop(depth, in_loop)
            elif in_loop or self.chance(0.15):
                self.put(depth, f"if {self.test()}:")
                self.put(depth + 1, self.pick(*(["break", "continue"] if in_loop else []), f"return {RESULT}"))
            else:
                self.simple(depth)

    def branch(self, depth, in_loop):
        self.put(depth, f"if {self.test()}:")
        self.block(depth + 1, in_loop)
        if self.chance(0.3):
            self.put(depth, f"elif {self.test()}:")
            self.block(depth + 1, in_loop)
        if self.chance(0.5):
            self.put(depth, "else:")
            self.block(depth + 1, in_loop)

    def loop(self, depth, in_loop):
        self.loops += 1
        outer = dict(self.inside)
        i, e = f"i{self.loops}", f"e{self.loops}"
        if self.chance(0.6):
            self.put(depth, f"for {self.iteration(i, e)}:")
        else:
            self.put(depth, f"{i} = {self.random.randint(1, 4)}")
            self.inside[i] = "int"
            test = self.pick(f"{i} > 0", f"{i} > 0 and {self.flag(1)}", i, f"{i} and {self.flag(1)}")
            self.put(depth, f"while {test}:")
            self.put(depth + 1, f"{i} -= 1")
        self.block(depth + 1, True)
        self.inside = outer
        if self.chance(0.25):
            self.put(depth, "else:")
            self.block(depth + 1, in_loop)

    def iteration(self, i, e):
        one = self.one
        head, found = self.pick(
            (f"{i} in range(n)", {i: "int"}), (f"{i} in range(1, n + 1)", {i: "int"}), (f"{e} in v", {e: one}),
            (f"{i}, {e} in enumerate(v)", {i: "int", e: one}), (f"{i}, {e} in zip(range(n), v)", {i: "int", e: one}),
            (f"{i} in range(3)", {i: "int"}), (f"{i} in (1, 2, 4)", {i: "int"}), (f"{i} in range(n, 0, -1)", {i: "int"}),
            (f"{i}, {e} in enumerate(v, 1)", {i: "int", e: one}), (f"{e}, {i} in zip(v, (3, 1, 2))", {i: "int", e: one}),
            (f"{e} in ts", {e: one}), (f"{i} in list(xs)", {i: "int"}), (f"{i}, {e} in enumerate([a, b])", {i: "int", e: one}),
            (f"{i} in [k, m, 3]", {i: "int"}), (f"{i}, ({e}, w) in enumerate(zip(v, [0.5, w, 2.5]))", {i: "int", e: one}),
        )  # fmt: skip
        self.inside.update(found)
        return head

    def source(self):
        first = lambda cls: self.pick(self.literal(cls), *(n for n in ("x", "y") if self.variables[n] == cls))
        for name in ("a", "b", "c"):
            self.put(1, f"{name} = {first(self.variables[name])}")
        self.put(1, f"k, m, w = {self.literal('int')}, {self.literal('int')}, {self.literal('float')}")
        self.put(1, f"q, r = {self.pick('flag', 'True', 'False')}, {self.pick('flag', 'True', 'False')}")
        self.put(1, f"s, u = {self.pick('t', self.literal('str'))}, {self.pick('t', self.literal('str'))}")
        self.put(1, f"d = {{'k': {self.literal('int')}, 't': {first(self.two)}}}")
        self.put(1, f"p, z = [{self.literal('int')}, 2], ({self.literal('int')}, {self.literal('float')})")
        self.put(
            1, f"o, ts = Thing({first(self.one)}, {self.literal('float')}), [{first(self.one)}, {first(self.one)}]"
        )
        self.put(1, f"xs = [{self.literal('int')}, {self.literal('int')}]")
        self.put(
            1, "def shift(j, by=1):\n        nonlocal k\n        if j > k:\n            k = k + by\n        return k"
        )
        self.block(1, False)
        self.block(1, False)
        return f"{HELPERS}def program(x, y, v, n, flag, t):\n" + "\n".join(self.lines) + f"\n    return {RESULT}\n"

    def arguments(self, *seed):
        """Arguments for a call, as NumPy has them."""
        generator = np.random.default_rng(seed)

        def make(dtype, shape):
            whole = generator.integers(0 if dtype.startswith("u") else -4, 8, shape)
            if self.kind(dtype) == "f":
                whole = whole + generator.integers(0, 4, shape) / 4
            elif self.kind(dtype) == "c":
                whole = whole + 1j * generator.integers(-2, 3, shape)
            return np.asarray(whole).astype(dtype)[()]

        numbers = make(self.one, ()), make(self.two, ()), make(self.one, (4,)), make(self.count, ()) % 4
        return [*numbers, np.bool_(generator.integers(0, 2)), self.pick("", "x", "yz")]

    def specs(self):
        """What the arguments are, for a signature: the vector of unknown length."""
        return [([], self.one), ([], self.two), ([None], self.one), ([], self.count), ([], "bool"), ([], "string")]


class GuardedWriter(Writer):
    """Programs with `try` and `with` in them, whose errors surely come up: they are no matter of what a tensor holds."""

    def __init__(self, seed):
        super().__init__(seed)
        self.jumps = True  # none leave a statement that an error leaves

    def block(self, depth, in_loop):
        if depth < 4 and self.chance(0.35):
            self.guarded(depth, in_loop)
        if self.jumps:
            super().block(depth, in_loop)
            return
        for _ in range(self.random.randint(1, 2)):
            if depth < 4 and self.chance(0.3):
                self.branch(depth, False)
            else:
                self.simple(depth)

    def guarded(self, depth, in_loop):
        fails, outer = self.chance(0.5), self.jumps
        if self.chance(0.5):
            quiet = "contextlib.suppress(KeyError, ValueError)"
            self.put(depth, f"with {quiet if fails else self.pick(quiet, 'contextlib.nullcontext()')}:")
            self.body(depth, in_loop, fails)
            return
        self.put(depth, "try:")
        self.body(depth, in_loop, fails)
        if fails or self.chance(0.7):
            kinds = self.pick("KeyError, ValueError", "ValueError, KeyError", "LookupError, ValueError")
            self.put(depth, self.pick(f"except ({kinds}):", "except Exception as error:", "except:"))
            self.block(depth + 1, in_loop)
            if self.chance(0.3):
                self.put(depth, "else:")
                self.block(depth + 1, in_loop)
            if self.chance(0.7):
                return
        self.put(depth, "finally:")
        self.jumps = False
        self.simple(depth + 1)
        self.jumps = outer

    def body(self, depth, in_loop, fails):
        outer = self.jumps
        self.jumps = outer and not fails
        self.block(depth + 1, in_loop)
        if fails:
            name = self.pick(self.name("int"), self.name(self.one))
            self.put(depth + 1, self.pick(f"{name} = {{}}['no']", "int('no')", "raise KeyError('no')"))
            self.simple(depth + 1)
        self.jumps = outer
