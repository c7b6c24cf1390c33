"""The truth of a value is asked as often as Python asks it, whichever form of a test runs.

PYTEST_DONT_REWRITE
"""

from __future__ import annotations

import itertools
from types import FunctionType

import pytest

import autograph
from autograph.conversion import convert


class Truth:
    """Notes what it is asked."""

    def __init__(self, log, name, value):
        self.log = log
        self.name = name
        self.value = value

    def __bool__(self):
        self.log.append(("bool", self.name))
        return self.value

    def __lt__(self, other):
        self.log.append(("<", self.name, other.name))
        return Truth(self.log, f"{self.name}<{other.name}", self.value)

    def __gt__(self, other):
        self.log.append((">", self.name, other.name))
        return Truth(self.log, f"{self.name}>{other.name}", self.value)


def c_if(a, b, c):
    if a < b > c:
        return 1
    return 2


def c_if_call(a, b, c):
    if a < g(b) > c:
        return 1
    return 2


def g(x):
    return x


def a_if(a, b, c):
    if a and b and c:
        return 1
    else:
        return 2


def o_if(a, b, c):
    if a or b or c:
        return 1
    return 2


def mixed(a, b, c):
    if (a and b) or (not c and a) or not (a or b):
        r = 1
    else:
        r = 2
    return r


def nots(a, b, c):
    if not (a < b > c):
        return 1
    return not (a and b)


def wh(a, b, c):
    n = 0
    while n < 2 and (a < b > c or c):
        n += 1
    return n


def ife(a, b, c):
    return 1 if a and b else (2 if a < b > c else 3)


def val(a, b, c):
    x = a and b or c
    if x:
        return x.name
    y = a < b > c
    return y.name


def val_rows(a, b, c):
    names = [((a and b) and c).name, ((a or b) or c).name, ((a or b) and c).name, (((a and b) or c) and a).name]
    names += [((a < b > c) and c).name, ((a < b > c) or c).name, (c and (a < b > c)).name, (c or (a or b)).name]
    return [*names, ((b if a else c) and c).name, ((b if a and c else c) or a).name, ((a and b) < c or (b > c)).name]


def val_tests(a, b, c):
    found = [1 if ((a and b) or c) and a else 2, 1 if ((a < b > c) or c) else 2, 1 if (b if a else c) and c else 2]
    return found, not (a and b) or c.name, not ((a < b > c) and (c or a))


def asr(a, b, c):
    try:
        assert a < b > c
        assert a and b
    except AssertionError:
        return "e"


def comp(a, b, c):
    return [i for i in (1, 2) if a < b > c if a and b or c]


def gen(a, b, c):
    def h():
        if a < b > c:
            yield 1
        if a and b:
            yield 2
        elif b or c:
            yield 3
        while a and not b:
            yield 4
            break
        yield 5 if a < b > c else 6

    return list(h())


def ntst(a, b, c):
    for i in range(3):
        if a and b:
            continue
        if b < c > a:
            break
    return i


def elif_(a, b, c):
    if a and b:
        return 1
    elif b < a > c:
        return 2
    elif not c or a:
        return 3


def mtch(a, b, c):
    match 1:
        case 1 if a < b > c:
            return 1
        case 1 if a or b:
            return 2


def anyall(a, b, c):
    return any(x and a for x in (b, c)), all(b < x > c for x in (a, c))


def lam(a, b, c):
    return (lambda: 1 if a < b > c else 2)(), sorted([2, 1], key=lambda i: 1 if a and b else 2)


def wal(a, b, c):
    if (x := a and b) and (y := b < c > a):
        return x.name, y.name
    return x.name


CASES = [f for name, f in list(globals().items()) if isinstance(f, FunctionType) and name != "g"]


@pytest.mark.parametrize("native", [True, False])
@pytest.mark.parametrize("function", CASES, ids=lambda f: f.__name__)
def test_truth_is_asked_as_often_as_python_asks(function, native, monkeypatch):
    monkeypatch.setattr(convert, "FAST_PATHS", native)
    alike = FunctionType(function.__code__.replace(), function.__globals__, function.__name__)  # converted anew
    twin = autograph.to_graph(alike)
    for values in itertools.product((True, False), repeat=3):
        expected, found = [], []
        for log, f in ((expected, function), (found, twin)):
            result = f(*(Truth(log, name, value) for name, value in zip("abc", values, strict=True)))
            log.append(getattr(result, "name", result))
        assert found == expected
