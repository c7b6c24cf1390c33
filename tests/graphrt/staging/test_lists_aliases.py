"""A list has one meaning under all its names, also when it becomes a staged list; arrays change in branches."""

import numpy as np
import pytest

import graphrt as tf
from tests.graphrt.programs.comparing import collector_of_functions

STAGED = []
case = collector_of_functions(STAGED)


class Acc:
    def __init__(self):
        self.n = 0
        self.log = []
        self.d = {}

    def rec(self, s):
        self.log.append(s)

    def get(self):
        return self.log


@case
def alias(x):
    xs = [1]
    ys = xs
    if x > 0:
        xs.append(2)
    return len(ys), len(xs)


@case
def alias_loop(x):
    xs = []
    ys = xs
    for i in range(abs(x)):
        xs.append(i)
    return len(ys), len(xs)


@case
def alias_in_dict(x):
    xs = []
    d = {"k": xs}
    for i in range(abs(x)):
        xs.append(i)
    return len(d["k"]), len(xs)


@case
def alias_obj(x):
    a = Acc()
    ys = a.log
    for i in range(abs(x)):
        a.log.append(i)
    return len(ys), len(a.log)


@case
def alias_obj2(x):
    a = Acc()
    ys = a.log
    for i in range(abs(x)):
        ys.append(i)
    return len(ys), len(a.log)


@case
def alias_twice(x):
    xs = []
    ys = xs
    for i in range(abs(x)):
        xs.append(i)
    for i in range(abs(x)):
        ys.append(i)
    xs.append(7)
    if x > 0:
        ys.append(8)
    return len(ys), len(xs), xs[-1]


@case
def rebind(x):
    xs = [1]
    ys = xs
    for i in range(abs(x)):
        xs = xs + [i]
    return len(ys), len(xs)


@case
def rebind_if(x):
    xs = [1]
    ys = xs
    if x > 0:
        xs = xs + [5]
    return len(ys), len(xs)


def put(log, v):
    if v > 0:
        log.append(v)


@case
def helper(x):
    xs = []
    put(xs, x)
    put(xs, x + 1)
    put(xs, 5)
    return len(xs)


def fill(log, n):
    for i in range(n):
        log.append(i)


@case
def helper_loop(x):
    xs = [9]
    fill(xs, abs(x))
    return len(xs), xs[-1]


@case
def helper_in_if(x):
    xs = [9]
    if x > 0:
        fill(xs, abs(x))
    return len(xs), xs[-1]


@case
def helper_in_loop(x):
    xs = [9]
    for i in range(abs(x)):
        put(xs, i)
    return len(xs), xs[-1]


@case
def helper_obj(x):
    a = Acc()
    put(a.log, x)
    fill(a.log, abs(x))
    a.rec(4)
    return len(a.log), a.log[-1], len(a.get())


@case
def helper_dict(x):
    d = {"k": []}
    put(d["k"], x)
    fill(d["k"], abs(x))
    return len(d["k"])


@case
def nested_alias(x):
    xs = []
    ys = xs
    for i in range(abs(x)):
        for j in range(i):
            xs.append(j)
        if x > 0:
            ys.append(i)
    return len(xs), len(ys)


@case
def alias_pop(x):
    xs = [1, 2, 3]
    ys = xs
    if x > 0:
        xs.pop()
    return len(ys), ys[-1]


@case
def alias_set(x):
    xs = [1, 2, 3]
    ys = xs
    for i in range(3):
        if x > i:
            xs[i] = 10
    return sum(ys)


@case
def alias_set_dyn(x):
    xs = [1, 2, 3]
    ys = xs
    xs[abs(x) % 3] = 10
    return ys[0], xs[0]


@case
def result_param(x):
    result = []

    def add(result):
        for i in range(abs(x)):
            result.append(i)
        return result

    result = add(result)
    return len(result)


@case
def while_pop(x):
    xs = [1, 2, 3]
    ys = xs
    s = 0
    while len(xs) > 0:
        s += xs.pop() * x
    return s, len(ys)


@case
def closure_alias(x):
    xs = []
    ys = xs

    def g():
        ys.append(1)

    if x > 0:
        xs.append(2)
    g()
    return len(xs), len(ys)


@case
def nparr(x):
    v = np.zeros(3, np.int32)
    if x > 0:
        v[0] = 5
    return v[0]


@case
def nparr_m(x):
    v = np.zeros(3, np.int32)

    def f():
        v[0] = 5

    if x > 0:
        f()
    return v[0]


@case
def nparr_loop(x):
    v = np.zeros(3, np.int32)
    for i in range(abs(x)):
        v[0] += 1
    return v[0]


def plain(value):
    return [plain(v) for v in value] if isinstance(value, tuple) else getattr(value, "numpy", lambda: value)()


@pytest.mark.parametrize("function", STAGED)
def test_graph_is_python(function):
    traced = tf.function(function)
    for x in (3, -3, 0):
        assert plain(traced(tf.constant(x))) == plain(function(x)), x
