"""Lists, dictionaries, objects and functions that are None on some paths through staged code."""

import collections
import copy  # noqa: F401  # which the expressions use
import dataclasses
import functools  # noqa: F401
import linecache
import operator  # noqa: F401

import pytest

import graphrt as tf
from tests.graphrt.programs import generated_tensor_programs, none_object_programs
from tests.graphrt.programs.comparing import collector, plain

CASES = []
case = collector(CASES)
CALLS = [(1, 3), (-1, 3), (0, 0), (2, 5)]


class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def total(self):
        return self.x + self.y


@case(*CALLS)
def a_list_of_one_branch(x, n):
    y = None
    if x > 0:
        y = [x, n]
    return y


@case(*CALLS)
def an_empty_list_is_no_none(x, n):
    y = None
    if x > 0:
        y = []
    if y is not None:
        y.append(n)
    return -1 if y is None else len(y)


@case(*CALLS)
def a_list_that_begins_and_grows_in_a_loop(x, n):
    y = None
    for i in range(n):
        if i == x:
            y = []
        if y is not None:
            y.append(i)
    return y


@case(*CALLS)
def made_where_it_is_needed(x, n):
    y = None
    for i in range(n):
        if i >= x:
            y = [] if y is None else y
            y.append(i * x)
    return y


@case(*CALLS)
def items_are_written(x, n):
    y = None
    if x > 0:
        y = [x, n]
    if y is not None:
        y[0] += 1
        y[1] = y[0] * 2
    return y


@case(*CALLS)
def a_dictionary(x, n):
    y = None
    if x > 0:
        y = {"a": x, "b": [n]}
    elif x < 0:
        y = {"a": n, "b": [x]}
    if y:
        y["a"] = y["b"][0] + y["a"]
    return y


@case(*CALLS)
def an_object(x, n):
    p = None
    if x > 0:
        p = Point(x, n)
    if p is None:
        return -7
    p.x += 3
    return p.total() * 10 + p.x


@case(*CALLS)
def the_nearest(x, n):
    best = None
    for i in range(n):
        p = Point(i, i * i - 4 * x)
        if best is None or abs(p.y) < abs(best.y):
            best = p
    return (-1, -1) if best is None else (best.x, best.y)


@case(*CALLS)
def one_object_of_two_names(x, n):
    a = Point(x, n)
    b = None
    if x > 0:
        b = a
    a.x += 100
    return -1 if b is None else b.x


@case(*CALLS)
def an_attribute(x, n):
    p = Point(None, [n])
    if x > 0:
        p.x = [x]
    if p.x is not None:
        p.x.append(n)
        p.y.extend(p.x)
    return p.x, p.y


@case(*CALLS)
def within_a_tuple(x, n):
    found = (None, n)
    if x > 0:
        found = ([x, x], n + 1)
    first, second = found
    return second if first is None else first[0] + first[1] + second


@case(*CALLS)
def a_deque(x, n):
    q = None
    if x > 0:
        q = collections.deque([x, n])
    return 0 if q is None else q[0] + q[1]


@case(*CALLS)
def a_function_of_one_branch(x, n):
    f = None
    if x > 0:
        f = abs
    if f is None:
        return n
    return f(n - 4)


@case(*CALLS)
def one_of_two_functions_or_none(x, n):
    f = None
    if x > 0:
        f = lambda v: v * 2
    elif x < 0:
        f = lambda v: v - x
    return f(n) if f else -n


@case(*CALLS)
def a_function_in_an_attribute(x, n):
    p = Point(None, n)
    if x > 0:
        p.x = lambda v: v * v
    return p.y if p.x is None else p.x(p.y)


@case(*CALLS)
def nothing_is_beside_the_empty(x, n):
    y = ()
    if x > 0:
        y = None
    return y


@case(*CALLS)
def or_a_default(x, n):
    y = None
    if x > 0:
        y = [x]
    y = y or [n]
    return y[0]


@case(*CALLS)
def given_by_a_function(x, n):
    def looked_for(k):
        for i in range(n):
            if i == k:
                return [i, k]
        return None

    a, b = looked_for(x), looked_for(2)
    if a is None or b is None:
        return -1
    return a[0] + b[1]


@case(*CALLS)
def taken_from_it(x, n):
    y = None
    if x > 0:
        y = [n, x, 7]
    last = -1
    if y is not None:
        last = y.pop()
        last += y.pop(0)
    return last, y


@case(*CALLS)
def matched_with_a_tuple(x, n):
    r = None
    if x > 0:
        r = (x, n)
    match r:
        case (a, b):
            return a + b
        case None:
            return -1


@case(*CALLS)
def matched_with_what_is_in_it(x, n):
    r = None
    if x > 0:
        r = [x, n]
    elif x < 0:
        r = [n, x]
    match r:
        case None:
            return -1
        case [1, b]:
            return b
        case [a, b] if a > 2:
            return a * b
        case [a, *rest]:
            return a - rest[0]


@case(*CALLS)
def matched_with_an_object(x, n):
    r = None
    if x > 0:
        r = Point(x, n)
    match r:
        case Point(x=1, y=b):
            return b
        case Point(x=a):
            return a * 2
        case _:
            return -1


@case(*CALLS)
def matched_with_a_dictionary(x, n):
    r = None
    if x > 0:
        r = {"a": x, "b": n}
    match r:
        case {"c": c}:
            return c
        case {"a": a, **rest}:
            return a + rest["b"]
        case object():
            return -2


@case(*CALLS)
def asked_again(x, n):
    r = None
    if x > 0:
        r = [x, n]
    if r is None:
        return -1
    elif r is not None:
        return r[0]


@case(*CALLS)
def compared(x, n):
    r = None
    if x > 0:
        r = [x, n]
    found = r == [1, 3], r != [1, 3], 3 in (r or []), sum(r or []), len(r or [x])
    return [int(v) if isinstance(v, bool) else tf.cast(v, tf.int32) for v in found]


@dataclasses.dataclass
class Pair:
    x: object
    y: object = 3

    def __call__(self, k):
        return self.x * k

    def __iter__(self):
        return iter((self.x, self.y))


SETTLED = {  # of a value that is there
    "Pair(x, n)": [
        "r(2)", "[*r][0]", "list(r)[1]", "dataclasses.replace(r, y=1).y", "vars(r)['x']", "dataclasses.astuple(r)[0]",
        "dataclasses.fields(r)[0].name == 'x'", "setattr(r, 'x', 4) or r.x", "max([r, Pair(2)], key=lambda q: q.x).x",
        "r == Pair(x, n)", "r != Pair(x, n)", "object.__getattribute__(r, 'x')", "copy.deepcopy(r).x", "operator.attrgetter('x')(r)",
        "hasattr(r, 'zz')", "r.__class__.__name__ == 'Pair'",
    ],
    "[x, n]": [
        "sorted(r)[0]", "sum(r)", "max(r)", "tf.concat([r, r], 0)[3]", "[1] + r", "r * 2", "r == [x, n]", "x in r", "(lambda a, b: a - b)(*r)",
        "r.index(n)", "tf.nest.flatten(r)[1]", "functools.reduce(operator.add, r)", "next(iter(r))", "{**{'a': r}}['a'][0]",
    ],
    "{'a': x, 'b': n}": ["list(r.values())", "[r[k] for k in r]", "sum(r.values())", "tf.nest.flatten(r)", "dict(r)['b']", "'a' in r"],
    "(lambda v: v + x)": ["r(n)", "[r(v) for v in (1, n)]", "functools.partial(r, n)()", "callable(r)"],
    "x * n": ["r + 1", "abs(r)", "max(r, n)", "tf.stack([r, n])", "sum([r, n])"],
}  # fmt: skip
UNSETTLED = [  # of one that may be None
    "r in (None,)", "None in [r]", "any(v is None for v in [r, n])", "sum(1 for v in [r, r] if v is not None)",
    "{'k': r}['k'] is None", "dict(k=r).get('k') is None", "copy.copy(r) is None", "(lambda *a: a[0] is None)(r)", "bool(r)",
    "not r", "r == None", "None != r", "[r] == [None]", "operator.is_(r, None)", "operator.is_not(r, None)", "operator.not_(r)",
    "operator.truth(r)", "isinstance(r, (int, type(None)))", "len([r])", "collections.deque([r])[0] is None",
]  # fmt: skip
EXPRESSIONS = [(made, True, e) for made, found in SETTLED.items() for e in found]
EXPRESSIONS += [(made, False, e) for made in SETTLED for e in UNSETTLED]


@pytest.mark.parametrize(("made", "settled", "expression"), EXPRESSIONS)
def test_expressions_of_it_mean_what_they_mean_in_python(made, settled, expression):
    asks = "    if r is None:\n        return None\n" if settled else ""
    text = f"def f(x, n):\n    r = None\n    if x > 0:\n        r = {made}\n{asks}    return {expression}\n"
    name = f"<{made}, {settled}: {expression}>"
    linecache.cache[name] = len(text), None, text.splitlines(True), name
    names = {**globals()}
    exec(compile(text, name, "exec"), names)
    traced = tf.function(names["f"])
    for x, n in ((2, 3), (-1, 3)):
        wanted = names["f"](tf.constant(x), tf.constant(n))
        assert plain(traced(tf.constant(x), tf.constant(n))) == plain(wanted)


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize(("program", "calls"), CASES)
def test_as_python(program, calls, exact):
    signature = [tf.TensorSpec([], tf.int32)] * 2
    traced = tf.function(program, input_signature=None if exact else signature)
    for x, n in calls:
        assert plain(traced(tf.constant(x), tf.constant(n))) == plain(program(x, n))


@pytest.mark.parametrize("seed", [1001, *range(5000, 5012)])
def test_random_programs(seed):
    faults = generated_tensor_programs.faults(seed, write=none_object_programs.Writer)
    assert not [told for told in faults if told[0] == "wrong" or "one of two objects" not in told[2]]


def test_what_is_not_there_is_not_written():
    @tf.function
    def f(x):
        y = None
        if x > 0:
            y = [x]
        y[0] = 3
        return y

    assert plain(f(tf.constant(1))) == [3]
    with pytest.raises(tf.errors.InvalidArgumentError, match="y is None here"):
        f(tf.constant(-1))


def test_gradients_pass_through_it():
    @tf.function
    def f(x):
        y = None
        if x > 0:
            y = [x * x, x]
        return tf.constant(0.0) if y is None else y[0] + y[1]

    for at, slope in ((3.0, 7.0), (-1.0, 0.0)):
        x = tf.Variable(at)
        with tf.GradientTape() as tape:
            found = f(x)
        assert tape.gradient(found, x).numpy() == slope


def test_of_what_a_graph_does_not_carry_the_error_tells():
    @tf.function
    def f(x):
        y = None
        if x > 0:
            y = {1, 2}
        return 0 if y is None else 1

    with pytest.raises(
        tf.errors.BranchMismatchError, match="A graph carries None beside tensors, numbers, functions, and"
    ):
        f(tf.constant(1))
