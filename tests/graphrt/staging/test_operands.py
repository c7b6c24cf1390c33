"""`:=` in operands of staged `and`, `or`, comparisons and conditional expressions sets the variable only if Python would."""

from __future__ import annotations

import linecache
import textwrap

import pytest

import graphrt as tf
from autograph import errors

PROGRAMS = {
    "both sides of a choice": ("b = 1\nr = (b := b + x) if x > y else (b := b - y)\nreturn r, b", [(2, 1), (1, 2)]),
    "one side": ("b = 1\nr = (b := b + x) if x > y else y\nreturn r, b", [(2, 1), (1, 2)]),
    "first set there": ("r = (b := x) if x > y else (b := y)\nreturn r + b", [(2, 1), (1, 2)]),
    "in a choice in a choice": (
        "b = c = 0\nr = (b := x) if x > 3 else (c := y) if y > 3 else x + (b := 9)\nreturn r, b, c",
        [(4, 1), (1, 4), (1, 1)],
    ),
    "a test of a choice": ("return x if x > 3 else y if (y := y + 1) > 3 else x + y", [(4, 1), (1, 3), (1, 1)]),
    "rows": ("b = 0\nr = (b := x) and (b := y) or (b := 7)\nreturn r, b", [(2, 1), (0, 2), (3, 0)]),
    "a row of several": ("b = 0\nr = x and y and (b := x + y) and (b := b * 2)\nreturn r, b", [(2, 1), (0, 2), (3, 0)]),
    "a test of a branch": (
        "b = c = 0\nif (b := x * 2) > y and (c := y + 1) < 5:\n    b += 1\nreturn b, c",
        [(2, 1), (0, 2), (3, 0), (5, 9)],
    ),
    "not": ("b = 0\nif not (x > y and (b := x)):\n    return b, 1\nreturn b, 2", [(2, 1), (0, 2)]),
    "a test of a loop": (
        "b = 0\nwhile x > 0 and (b := b + y) < 9:\n    x -= 1\nreturn b, x",
        [(2, 1), (0, 2), (3, 6), (30, 2)],
    ),
    "in a loop": (
        "b = 0\nfor i in range(x):\n    k = (b := b + i) if i > y else (b := b - 1)\n    b += k\nreturn b",
        [(4, 1), (0, 1), (3, 9)],
    ),
    "comparisons of an operand that is a call": ("g = lambda v: v + 1\nreturn 0 < x < g(y) < 4, 0 < g(x) < y < g(y)", [(1, 2), (0, 2), (2, 7)]),
    "comparisons": ("b = 5\nr = 0 < x < (b := y + 1) < 4\nreturn r, b", [(1, 2), (0, 2), (3, 0), (2, 7)]),
    "comparisons of which one sets and one follows": ("b = 5\nif x < y <= (b := x + 2) < 9:\n    b += 1\nreturn b", [(1, 2), (2, 1)]),
    "as an argument": (
        "def g(p, q, r=0):\n    return p * 100 + q * 10 + r\nb = 1\nreturn g(b, (b := y) if x > y else b, r=b)",
        [(2, 1), (1, 2)],
    ),
    "for lambdas and functions to see": (
        "b = 1\nf = lambda: b\nr = (b := x) if x > y else 0\nreturn r, f()", [(2, 1), (1, 2)],
    ),
    "nonlocal": (
        "b = 1\ndef g():\n    nonlocal b\n    return (b := b + x) if x > y else b\nreturn g(), g(), b", [(2, 1), (1, 2)],
    ),
    "global": ("global COUNT\nCOUNT = 1\nr = (COUNT := x) if x > y else 5\nreturn r, COUNT", [(2, 1), (1, 2)]),
    "a list": ("b = [1]\nr = len(b := [x, y]) if x > y else 0\nb.append(x)\nreturn r, b[0]", [(2, 1)]),
    "a list of the same length": ("b = [1, 2]\nr = (b := [x, y])[0] if x > y else y\nreturn r, b[1]", [(2, 1), (1, 2)]),
    "numbers": ("b = 4\nr = (b := 2) if x > y else 0\nreturn r * 1.5, b + x", [(2, 1), (1, 2)]),
    "floats": ("b = 0.5\nr = x > y and (b := b * 4) > 1\nreturn r, b", [(4, 1), (2, 1), (1, 2)]),
    "beside changes of objects": (
        "d = {'k': 1}\nb = 0\nr = (b := d.setdefault('k', 2) + x) if x > y else b\nd['k'] = b\nreturn r, d['k']",
        [(2, 1), (1, 2)],
    ),
    "in a comprehension": (
        "b = 0\nr = [(b := b + v) if x > y else b for v in (1, 2, 3)]\nreturn r, b", [(2, 1), (1, 2)],
    ),
    "in a lambda": ("g = lambda v: (w := v + 1) * w if v > 0 else (w := v - 1) * w\nreturn g(x), g(y)", [(2, -1), (-1, 0)]),
    "never read": ("return (b := x + 1) if x > y else y", [(2, 1), (1, 2)]),
    "a number as a condition": ("b = 0\nif x and (b := x - 1) > 0:\n    return b\nreturn x + b", [(0, 1), (1, 2), (5, 1)]),
    "both ways of a chain": (
        "c = x < 2 < (b := x + 3) < 6 if x > 0 else x > -2\nreturn c", [(1, 1), (2, 1), (-1, 1), (-5, 1)],
    ),
    "in an f-string": ("b = 0\ns = f'{(b := 3) if x is None else 5}'\nreturn b, len(s)", [(2, 1)]),
    "in a slot of a display": ("b = 0\nt = [b, (b := x) if x > y else (b := y), b]\nreturn t", [(2, 1), (1, 2)]),
}  # fmt: skip


def made(text, name):
    source = f"def f(x, y):\n{textwrap.indent(text, '    ')}\n"
    name = f"<assignment expressions: {name}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    scope = {}
    exec(compile(source, name, "exec"), scope)
    return scope["f"]


def plain(value):
    return [plain(v) for v in value] if isinstance(value, (tuple, list)) else getattr(value, "numpy", lambda: value)()


@pytest.mark.parametrize("name", PROGRAMS)
def test_graph_is_python(name):
    text, calls = PROGRAMS[name]
    function = made(text, name)
    traced = tf.function(function)
    for arguments in calls:
        assert plain(traced(*map(tf.constant, arguments))) == plain(function(*arguments))


def test_a_variable_that_one_side_sets():
    traced = tf.function(made("r = (b := x) if x > y else y\nreturn r + b", "unset"))
    with pytest.raises(errors.BranchMismatchError, match="'b' must also be initialized"):
        traced(tf.constant(1), tf.constant(2))


def test_in_a_method_and_a_property():
    class Account:
        def __init__(self, rate):
            self.rate = rate

        @property
        def bonus(self):
            return (r := self.rate * 2) if self.rate > 1 else (r := self.rate) + r

        def total(self, x):
            return (r := x + self.bonus) * r if x > 0 and (r := self.bonus) else x

    @tf.function
    def f(x, rate):
        return Account(rate).total(x)

    for x, rate in ((2, 3), (2, 1), (-1, 3), (2, 0)):
        assert f(tf.constant(x), tf.constant(rate)).numpy() == Account(rate).total(x)


def test_in_comprehensions_and_lambdas():
    for text in (
        "z = 0\nreturn [(z := x + z) if x > y else 0 for _ in range(2)], z",
        "return (lambda: (z := x) + z if x > y else 0)()",
    ):
        function = made(text, text)
        traced = tf.function(function)
        for arguments in ((2, 1), (1, 2)):
            assert plain(traced(*map(tf.constant, arguments))) == plain(function(*arguments))


@pytest.mark.parametrize(
    "use",
    [
        lambda x, m: (x or m) + 1, lambda x, m: 2 % (x and m), lambda x, m: (x or m) == 2, lambda x, m: 2 in [x or m],
        lambda x, m: f"{x or m}", lambda x, m: -(x or m), lambda x, m: sum([x or m]), lambda x, m: (x or m)[0],
    ],
)  # fmt: skip
def test_what_is_of_one_dtype_or_another_is_refused_with_its_words(use):
    with pytest.raises(errors.StagingError, match="only its truth"):
        tf.function(use)(tf.constant(2.0, tf.float64), tf.constant(2))


@pytest.mark.parametrize("x, y", [(0, 0.0), (0, 2.0), (3, 0.0), (3, 2.0)])
def test_tests_that_are_choices_between_dtypes(x, y):
    """Of what an `if` tests only the truth matters, as of the branches of a conditional expression that it tests."""

    def program(x, y, m):
        a = 1 if (x if m > y else y) else 2
        while (x and m) if y else (y or m < 0):
            a += 10
            x = 0 * x
        return a if not ((x if m > 0 else y > 1) and (m if y else x)) else -a

    assert plain(tf.function(program)(tf.constant(x), tf.constant(y), tf.constant(1.0))) == program(x, y, 1.0)


def test_an_operand_that_is_of_one_dtype_or_another_is_named_by_its_operands():
    with pytest.raises(errors.StagingError, match=r"`or` of \(`and` of a float64 .* and an int32 .*\) and a bool"):
        tf.function(lambda x, m: ((x and m) or x < 1) + 1)(tf.constant(2.0, tf.float64), tf.constant(2))
