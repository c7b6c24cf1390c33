"""What every backend has to do, as tests that any backend can run.

A backend's own test file derives a class from `Conformance` and says how to run a function with staged arguments:

    class TestMine(Conformance):
        skip = {"test_print"}                       # what the backend does not stage, by name of the test

        def run(self, function, *args):             # converts nothing: `function` is converted already
            ...                                     # stage the arguments, call, and give back plain results
"""

from __future__ import annotations

import pytest

import autograph


def _abs(x):
    if x > 0:
        y = x
    else:
        y = -x
    return y


def _nested(x, y):
    if x > 0:
        if y > 0:
            z = 1
        else:
            z = 2
    elif y > 0:
        z = 3
    else:
        z = 4
    return z


def _early_return(x):
    if x > 10:
        return x - 10
    x = x + 1
    if x > 5:
        return x * 2
    return x


def _keeps_untouched(x):
    y = 7
    if x > 0:
        x = x + 1
    return x + y


def _count_down(n):
    steps = 0
    while n > 0:
        n = n - 2
        steps = steps + 1
    return steps * 100 + n


def _becomes_staged(limit):
    i = 0
    total = 0
    while i < 3 or total < limit:
        total = total + limit
        i = i + 1
    return total * 10 + i


def _sum_range(n):
    total = 0
    for i in range(n):
        total = total + i
    return total


def _range_with_step(a, b):
    total = 0
    for i in range(a, b, 2):
        total = total * 3 + i
    return total


def _break(n):
    total = 0
    for i in range(n):
        if i > 3:
            break
        total = total + i
    return total


def _continue(n):
    total = 0
    for i in range(n):
        if i % 2 > 0:
            continue
        total = total + i
    return total


def _while_break(n):
    i = 0
    while i < 100:
        if i * i > n:
            break
        i = i + 1
    return i


def _break_python_loop(x):
    total = 0
    for step in [1, 2, 3, 4]:
        if total > x:
            break
        total = total + step
    return total


def _return_from_python_loop(x):
    for step in [1, 2, 3, 4]:
        if step > x:
            return step * 10
    return -1


def _for_else(n, limit):
    found = 0
    for i in range(n):
        if i > limit:
            found = i
            break
    else:
        found = -5
    return found


def _nested_loops(n):
    total = 0
    for i in range(n):
        for j in range(i):
            if j > 2:
                break
            total = total + i * j
    return total


def _conditional_expression(x):
    return (x + 1 if x > 0 else x - 1) * 2


def _and(x, y):
    if x > 0 and y > 0:
        r = 1
    else:
        r = 0
    return r


def _or(x, y):
    if x > 0 or y > 0:
        r = 1
    else:
        r = 0
    return r


def _not(x):
    if not x > 0:
        r = 1
    else:
        r = 0
    return r


def _chained(x):
    if 0 < x < 10:
        r = 1
    else:
        r = 0
    return r


def _double(x):
    if x > 3:
        return x * 2
    return x


def _calls(x):
    return _double(x) + _double(x + 2)


def _lambda(x):
    f = lambda v: v + 1 if v > 0 else v - 1
    return f(x) * 3


def _closure(x):
    def inner(v):
        if v > x:
            return v
        return x

    return inner(5)


def _recursion(x, depth=3):
    if depth == 0:
        return x
    if x > 0:
        x = x + depth
    return _recursion(x, depth - 1)


class _Counter:
    def __init__(self, x):
        self.value = x
        if x > 0:
            self.value = x + 100

    def bump(self, x):
        if x > 1:
            self.value = self.value + x
        return self.value


def _objects(x):
    counter = _Counter(x)
    counter.bump(x)
    return counter.bump(x + 1)


def _abs_builtin(x):
    return abs(x) + 1


def _max_builtin(x, y):
    return max(x, y) * 10 + min(x, y)


CASES = {
    "if_else": (_abs, [(3,), (-4,), (0,)]),
    "nested_if": (_nested, [(1, 1), (1, -1), (-1, 1), (-1, -1)]),
    "early_return": (_early_return, [(20,), (7,), (1,)]),
    "untouched_variables": (_keeps_untouched, [(3,), (-3,)]),
    "while": (_count_down, [(7,), (0,), (-3,)]),
    "while_that_becomes_staged": (_becomes_staged, [(1,), (5,)]),
    "for_range": (_sum_range, [(0,), (1,), (6,)]),
    "for_range_with_step": (_range_with_step, [(1, 8), (0, 0), (5, 2)]),
    "break": (_break, [(2,), (10,), (0,)]),
    "continue": (_continue, [(0,), (7,)]),
    "break_in_while": (_while_break, [(0,), (50,)]),
    "break_in_python_loop": (_break_python_loop, [(2,), (100,), (-1,)]),
    "return_in_python_loop": (_return_from_python_loop, [(2,), (100,), (0,)]),
    "for_else": (_for_else, [(10, 3), (3, 10), (0, 0)]),
    "nested_loops": (_nested_loops, [(0,), (6,)]),
    "conditional_expression": (_conditional_expression, [(3,), (-3,)]),
    "and": (_and, [(1, 1), (1, -1), (-1, 1), (-1, -1)]),
    "or": (_or, [(1, 1), (1, -1), (-1, 1), (-1, -1)]),
    "not": (_not, [(1,), (-1,)]),
    "chained_comparison": (_chained, [(5,), (-5,), (50,)]),
    "calls": (_calls, [(2,), (0,), (9,)]),
    "lambda": (_lambda, [(2,), (-2,)]),
    "closure": (_closure, [(2,), (9,)]),
    "recursion": (_recursion, [(2,), (-9,)]),
    "objects": (_objects, [(0,), (1,), (5,)]),
    "abs": (_abs_builtin, [(-3,), (3,)]),
    "max_min": (_max_builtin, [(2, 3), (3, 2)]),
}


class Conformance:
    """Runs each case staged and compares with Python on plain values."""

    skip: dict[str, str] | set[str] = {}

    def run(self, function, *args):
        """Stages the arguments, calls the converted function, and gives back the plain result."""
        raise NotImplementedError

    @pytest.mark.parametrize("name", CASES)
    def test_case(self, name):
        if name in self.skip:
            pytest.skip(f"the backend does not stage: {name}")
        function, samples = CASES[name]
        converted = autograph.to_graph(function)
        for args in samples:
            assert self.run(converted, *args) == function(*args), args

    @pytest.mark.parametrize("name", CASES)
    def test_plain_values_do_not_reach_the_backend(self, name):
        function, samples = CASES[name]
        converted = autograph.to_graph(function)
        for args in samples:
            assert converted(*args) == function(*args), args
