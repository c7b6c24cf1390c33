"""Comprehensions, `iter` and `next` of staged values give what Python gives on arrays, whether shapes are known or not."""

import numpy as np
import pytest

import autograph
import graphrt as tf
from tests.graphrt.programs.comparing import collector, plain

CASES = []
V = np.array([3, -1, 4, 1, -5], np.int32)
E = np.zeros([0], np.int32)
M = np.array([[1, 2], [3, 4], [5, 6]], np.int32)
VC = ((V,), (np.array([0, 0, 1], np.int32),))
case = collector(CASES)


@case(*VC)
def setcomp(v):
    return len({int(1) for q in [1, 2, 3]}) + v[0]


@case(*VC)
def dictcomp_py(v):
    d = {k: (v[k] if v[k] > 0 else -v[k]) for k in range(3)}
    return d[0] + d[1] * 10 + d[2] * 100


@case(*VC)
def listcomp_py_staged_cond(v):
    xs = [k for k in range(3) if v[k] > 0]
    return len(xs), sum(xs)


@case(*VC)
def walrus_if(v):
    if (n := v[0] + 1) > 2:
        r = n
    else:
        r = -n
    return r, n


@case(*VC)
def walrus_while(v):
    i = 0
    s = 0
    while (t := i * 2) < 5 + v[0] * 0:
        s += t
        i += 1
    return s, t


@case((M,))
def rows(m):
    s = 0
    for a, b in m:
        s += a * b
    return s


@case((M,))
def comp2(m):
    return [q + 1 for r in m for q in r]


@case((M,))
def comp2c(m):
    return sum([q for r in m for q in r if q > 2])


@case(*VC)
def two_for_mix(v):
    return sum([q * k for q in v for k in range(3)])


@case(*VC)
def two_for_gen(v):
    return sum(q * k for q in v for k in range(3) if q > k)


@case(*VC)
def iternext(v):
    it = iter(v)
    a = next(it)
    b = next(it)
    return a - b


@case(*VC)
def iternext_rest(v):
    it = iter(v)
    a = next(it)
    s = 0
    for q in it:
        s += q
    return a, s


@case((V,), (E,))
def next_default(v):
    return next(iter(v), 42)


@case(*VC)
def next_gen(v):
    return next((q for q in v if q > 0), -1)


@case(*VC)
def any_gen(v):
    return any(q > 3 for q in v)


@case(*VC)
def all_gen(v):
    return all(q > -3 for q in v)


@case(*VC)
def nested_comp(v):
    return [[q * k for k in range(2)] for q in v]


@case(*VC)
def comp_cond2(v):
    return sum([q for q in v if q > 0 if q < 4])


@case(*VC)
def comp_tern(v):
    return [q if q > 0 else 0 for q in v]


@case(*VC)
def comp_outer_cond(v):
    return sum([q for q in v if q > v[1]])


@case(*VC)
def comp_unpack(v):
    return [i * q for i, q in enumerate(v)]


@case(*VC)
def comp_zip(v):
    return sum([a * b for a, b in zip(v, v) if a > 0])


@case(*VC)
def maxgen(v):
    return max(q * 2 for q in v)


@case(*VC)
def min_key(v):
    return min(v, key=lambda q: q * q)


@case(*VC)
def sorted_key(v):
    return list(sorted(v, key=lambda q: -q))


@case(*VC)
def sorted_rev(v):
    return list(sorted(v, reverse=True))


@case(*VC)
def max_default(v):
    return max([q for q in v if q > 100], default=5)


@case(*VC)
def listcomp_len_cond(v):
    xs = [q for q in v if q > 0]
    if len(xs) > 2:
        return xs[0]
    return len(xs)


@case(*VC)
def filter_none(v):
    return sum(filter(None, v))


@case(*VC)
def map_multi(v):
    return list(map(lambda a, b: a if a > b else b, v, range(3)))


@case(*VC)
def enum_start(v):
    s = 0
    for i, q in enumerate(v, 10):
        s += i * q
    return s


@case(*VC)
def rev_enum(v):
    s = 0
    for i, q in enumerate(reversed(v)):
        s += i * q
    return s


@case(*VC)
def sum_start(v):
    return sum(v, 100)


@case(*VC)
def for_else_comp(v):
    for q in v:
        if q > 100:
            break
    else:
        return sum([q for q in v])
    return -1


@pytest.mark.parametrize("known", [True, False], ids=["known", "unknown"])
@pytest.mark.parametrize(("function", "calls"), CASES)
def test_graph_is_python(function, calls, known):
    signature = None if known else [tf.TensorSpec([None] * calls[0][0].ndim, tf.int32)]
    traced = tf.function(function, input_signature=signature)
    for call in calls:
        assert plain(traced(*map(tf.constant, call))) == plain(function(*call))


def summed(x):
    vs = [x, -x, x * 2, x - 3]
    return sum(v for v in vs if v > 0)


def greatest(x):
    vs = [x, -x, x * 2, x - 3]
    return max(v for v in vs if v > 0)


def any_and_all(x):
    vs = [x, -x, x * 2, x - 3]
    return any(v > 2 for v in vs if v > 0), all(v > 0 for v in vs if v > 0)


def looped_over(x):
    vs = [x, -x, x * 2, x - 3]
    r = 0
    for v in (v * 2 for v in vs if v > 0):
        r = r + v
    return r


def numbered(x):
    vs = [x, -x, x * 2, x - 3]
    return sum(v * i for i, v in enumerate(vs) if v > 0 if i > 1)


def counted_ones(x):
    return sum(1 for v in [x, x - 1] if v > 0)


def as_tuple(x):
    return tuple(v for v in [x, x - 1] if v > 0)


def first_of(x):
    return next((v for v in [x, x + 1, -x] if v > 0), -5)


def nested_generator(x):
    return sum(a * b for a in [x, 1] if a > 0 for b in [x, 2] if b > 1)


GENERATORS = [summed, greatest, any_and_all, looped_over, numbered, counted_ones, as_tuple, first_of, nested_generator]


@pytest.mark.parametrize("program", GENERATORS, ids=lambda f: f.__name__)
def test_staged_conditions_in_generators_over_python_values(program):
    traced = tf.function(program)
    for x in (3, -2):
        assert plain(traced(tf.constant(x))) == plain(program(x))


def test_generators_without_staged_conditions_stay_lazy():
    asked = []

    def small(k):
        asked.append(k)
        return k < 2

    @tf.function
    def f(x):
        found = (x + k for k in range(4) if small(k))
        before = len(asked)
        first = next(found)
        return first, before, len(asked)

    first, before, after = f(tf.constant(1))
    assert (plain(first), int(after) - int(before)) == (1, 1)


def test_a_staged_condition_in_a_generator_over_what_the_user_iterates_is_refused():
    class Three:
        def __iter__(self):
            yield from (0, 1, 2)

    @tf.function
    def f(v):
        return sum(k for k in Three() if v[k] > 0)

    with pytest.raises(autograph.errors.PythonOnlyConstructError, match="write a list comprehension"):
        f(V)
