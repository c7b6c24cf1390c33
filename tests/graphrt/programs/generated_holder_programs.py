"""Random programs whose lists, dictionaries, deques and objects have several names, and go through many constructs.

    PYTHONPATH=. python -m tests.graphrt.programs.generated_holder_programs [count] [first seed]

Names are bound anew and shared in branches and loops; there are `try` and `with` around jumps, properties, decorators,
default arguments, generators, stars, `:=`, comprehensions. A program may be refused, in words of graphrt's, but not wrong.
"""

import collections
import contextlib
import functools
import linecache
import re
import sys
import warnings

import numpy as np

import graphrt as tf
from tests.graphrt.programs import generated_staged_programs as staged

RESULT = (
    "(a, b, c, len(xs), sum(xs), len(ys), sum(ys), d['k'], d['j'], e['k'], len(q), sum(q), o.n, o.m, p.n, p.m, "
    "len(o.items), sum(o.items), sum(rows[0]), sum(rows[1]), f['l'][0], len(f['l']), t[1], sum(t[0]))"
)
HEAD = """\
def noted(function):
    @functools.wraps(function)
    def call(*args, **kwargs):
        result = function(*args, **kwargs)
        if result > 50:
            result = result - 50
        return result
    return call
@noted
def h(x, y=3, *more, by=1):
    if x > y:
        return x - y
    for z in more:
        if z > x:
            return z + by
    return y
def down(x, depth=3):
    if depth == 0:
        return x
    return down(x - 1 if x > 0 else x + 2, depth - 1)
def each(values):
    for value in values:
        yield value
        yield value + 1
def put(x, into):
    if x > 1:
        into.append(x)
    else:
        into[0] = x
    return into
def program(a, b, n, v):
    c = a * 0
    o, xs = Thing(c + 1, c + 2), [a, b]
    p, ys = o, xs
    d = {'k': c + 1, 'j': c + 2}
    e = dict(d)
    q = collections.deque([a])
    rows = [list((a, b)), [c, c + 1]]
    f = dict(l=[c, c])
    t = (rows[0], b)
    def g(x, seen=q):
        nonlocal c
        if x > 1:
            c = c + x
        seen.append(x)
        return c
"""


class Thing:
    """What programs keep numbers in."""

    def __init__(self, n, m):
        self.n, self.m = n, m
        self.items = [n, m]

    @property
    def top(self):
        return self.n if self.n > self.m else self.m

    @top.setter
    def top(self, value):
        if value > self.n:
            self.n = value
        self.items.append(value)

    def add(self, k):
        if k > 0:
            self.n += k
        else:
            self.items[0] = self.items[0] + k
        return self

    def __enter__(self):
        self.n = self.n + 1
        return self.items

    def __exit__(self, *error):
        self.m = self.m + self.n % 3


@contextlib.contextmanager
def kept(thing):
    """Adds to a thing before and after."""
    thing.n = thing.n + 1
    try:
        yield thing.items
    finally:
        thing.m = thing.m + 1


class Writer(staged.Writer):
    """Writes one program from a seed."""

    RESULT = RESULT

    def variable(self):
        return self.pick("a", "b", "c", "a", "b", "o.n", "p.m", "d['k']", "e['k']", "d['j']", "xs[0]", "o.items[-1]")

    def expression(self, depth=0):
        if self.random.random() > 0.25:
            found = super().expression(depth)
            return (
                found.replace("o.add(c * 0 + ", "h(")
                .replace("for q in v if q >", "for w in v if w >")
                .replace("[q *", "[w *")
            )
        part = lambda: super(Writer, self).expression(depth + 2).replace("o.add(c * 0 + ", "h(")
        return self.pick(
            "sum(ys)", "sum(q)", "o.top", "len(ys)", "len(q)", "sum(e.values())", "t[1]", "f['l'][0]", "rows[1][0]",
            f"h({part()}, {part()}, {part()}, by=2)", f"down({part()})", f"h(*(a, b), by={part()})", f"g({part()})",
            f"sum(w for w in (a, b, c) if w > {part()})", "max([w + 1 for w in ys])", f"(b := {part()})",
            f"(lambda w, z=b: w if w > z else z)({part()})", f"o.add({part()}).n", f"d.get('k', {part()})",
            f"e.setdefault('z', {part()})", "ys[-1]", f"sum(rows[{self.pick(0, 1)}])", f"min({{w: w + 1 for w in (1, 2)}}[1], {part()})",
        ).replace("for q in v if q >", "for w in v if w >").replace("[q *", "[w *")  # fmt: skip

    def names(self):
        """Gives a container another name, or a name another container."""
        part = lambda: f"c * 0 + {self.expression(1)}"
        return self.pick(
            "ys = xs", "xs = ys", f"ys = [{part()}, {part()}]", f"xs = [{part()}]", "e = d", f"e = {{'k': {part()}, 'j': c}}",
            "p = o", f"p = Thing({part()}, c)", "o.items = xs", f"o.items = [{part()}, c]", "rows[0] = ys", "ys = rows[1]",
            f"rows[1] = [{part()}, c, c]", "ys = list(xs)", "ys = xs[:]", f"q = collections.deque([{part()}])", "f['l'] = xs",
            f"t = ([{part()}], {part()})", "xs, ys = ys, xs", f"a, *ys = {part()}, {part()}, c", f"xs = ys = [{part()}, c]",
            "o, p = p, o", "d = {**e}", "ys = put(a, xs)", "ys = put(b, [c, c])", "xs = xs + [b]", "xs = [w + 1 for w in ys]",
        )  # fmt: skip

    def change(self):
        """Changes a container in place."""
        part = lambda: f"c * 0 + {self.expression(1)}"
        name = self.pick("xs", "ys", "o.items", "rows[0]", "rows[1]", "f['l']", "t[0]")
        return self.pick(
            f"{name}.append({part()})", f"{name}[0] = {part()}", f"{name}[-1] += {part()}", f"{name}.insert(0, {part()})",
            f"{name}.reverse()", f"{name}.extend([{part()}, c])", f"d['k'] = {part()}", f"e['j'] -= {part()}", f"d.update(k={part()})",
            f"q.append({part()})", f"q.appendleft({part()})", "q.rotate(1)", f"o.top = {part()}", f"p.n += {part()}",
            f"p.add({part()})", f"put({part()}, {name})", f"{name.replace('t[0]', 'ys')} += [{part()}]", f"{name}[0], a = {part()}, b",
            f"o.m = p.n = {part()}", f"for w in each([a, b]):\n    {{pad}}{name}[0] = {name}[0] + w",
        )  # fmt: skip

    def simple(self, depth):
        kind = self.random.random()
        if kind < 0.3:
            text = self.names()
        elif kind < 0.65:
            text = self.change()
        else:
            text = self.pick(
                f"{self.variable()} = c * 0 + {self.expression()}", f"{self.variable()} += {self.expression()}",
                f"a = b = c * 0 + {self.expression()}", f"a, (b, c) = {self.expression()} + c * 0, (b, a)",
            )  # fmt: skip
        pad = "    " * depth
        self.put(depth, text.replace("{pad}", pad))

    def block(self, depth, inside):
        if depth > 4 or self.random.random() > 0.2:
            super().block(depth, inside)
            return
        jump = self.pick("pass", f"return {RESULT}, 0", *(["break", "continue"] if inside else []))
        if self.random.random() < 0.5:
            self.put(depth, "try:")
            self.simple(depth + 1)
            self.put(depth + 1, f"if {self.test()}:")
            self.put(depth + 2, jump)
            self.block(depth + 1, inside)
            self.put(depth, "finally:")
            self.simple(depth + 1)
        else:
            self.put(depth, f"with {self.pick('o', 'kept(o)', 'p')} as ys{self.pick('', ', kept(p)')}:")
            self.simple(depth + 1)
            self.put(depth + 1, f"if {self.test()}:")
            self.put(depth + 2, jump)
            self.simple(depth + 1)

    def source(self):
        self.block(1, False)
        self.block(1, False)
        text = "\n".join(self.lines).replace(staged.RESULT, RESULT)
        text = re.sub(r"o\.(flip|put)\(.*\)", "p.n = p.n + 1", text)
        return HEAD + text + f"\n    return {RESULT}, 2\n"


def compare(seed, source=None):
    """What differs, and why a program is refused: texts, or None."""
    source = source or Writer(seed).source()
    name = f"<program {seed}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    namespace = {"Thing": Thing, "kept": kept, "collections": collections, "functools": functools}
    exec(compile(source, name, "exec"), namespace)
    program = namespace["program"]
    traced = tf.function(program)
    with warnings.catch_warnings():
        warnings.simplefilter("error", tf.errors.SideEffectWarning)
        for *numbers, array in staged.ARGUMENTS:
            wanted = staged.outcome(program, [*map(np.int32, numbers), np.array(array, np.int32)])
            found = staged.outcome(traced, [tf.constant(x) for x in (*numbers, array)])
            if isinstance(found, Exception):
                if isinstance(wanted, Exception):
                    continue
                text = f"{type(found).__name__}: {found}"
                if "AG2" in text or "AG1" in text:
                    return None, text
                return f"{source}\n{(*numbers, array)}: expected {wanted!r}, found {text}", None
            if isinstance(wanted, Exception) or wanted != found:
                return f"{source}\n{(*numbers, array)}: expected {wanted!r}, found {found!r}", None
    return None, None


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    refused = collections.Counter()
    examples = {}
    wrong = 0
    for seed in range(first, first + count):
        text, refusal = compare(seed)
        if text is not None:
            wrong += 1
            print(f"--- {seed}\n{text}", flush=True)
        if refusal is not None:
            reason = re.sub(r"'[^']*'|<[^>]*>|[\d.]+", "_", refusal.splitlines()[0])[:120]
            refused[reason] += 1
            examples.setdefault(reason, []).append(seed)
    for reason, number in refused.most_common():
        print(number, reason, examples[reason][:6])
    print(f"{count} programs, {wrong} wrong, {refused.total()} refused")
