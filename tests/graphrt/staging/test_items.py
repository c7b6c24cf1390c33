"""Iterators over what only a running graph counts are spent as Python's are, or refused: never gone through twice in silence."""

import collections

import pytest

import graphrt as tf
from autograph.errors import PythonOnlyConstructError

VALUES = [3, 1, 2]


def generator_twice(a):
    g = (v * 2 for v in a)
    return sum(g), sum(g)


def list_of_generator_twice(a):
    g = (v * 2 for v in a)
    return list(g), list(g)


def first_and_rest_of_generator(a):
    g = (v * 2 for v in a)
    f, t = next(g), 0
    for v in g:
        t += v
    return f, t


def two_loops(a):
    g, t, u = iter(a), 0, 0
    for v in g:
        t += v
    for v in g:
        u += v + 100
    return t, u


def loop_after_break(a):
    g, t, u = iter(a), 0, 0
    for v in g:
        t += v
        if v == 1:
            break
    for v in g:
        u += v * 100
    return t, u


def next_after_break(a):
    g, t = iter(a), 0
    for v in g:
        t += v
        if v == 1:
            break
    return t, next(g)


def loop_else(a):
    g = iter(a)
    for x in g:
        if x == 7:
            break
    else:
        return -1, list(g)
    return x, list(g)


def next_in_loop(a):
    g, t = iter(a), 0
    for x in g:
        t += x + next(g, 10)
    return t


def next_in_branch(a):
    g = iter(a)
    first = next(g)
    if first > 2:
        second = next(g)
    else:
        second = first
    return first, second, list(g)


def until_the_default(a):
    g, t = iter(a), 0
    while True:
        x = next(g, -1)
        if x == -1:
            break
        t += x
    return t


def element_in(a):
    g = iter(a)
    return 1 in g, list(g)


def subsequence(a):
    g = iter(a)
    return all(w in g for w in [3, 2]), all(w in iter(a) for w in [2, 3])


def greatest_and_rest(a):
    g = iter(a)
    return max(g), list(g)


def pairs(a):
    t, g = 0, iter(a)
    for x, y in zip(g, g):
        t += x * y
    return t


def iterator_of_iterator(a):
    g = iter(a)
    h = iter(g)
    return next(g), next(h), list(g)


def rest_of_a_grown_list(a):
    rows = []
    for v in a:
        rows.append(v + 1)
    g = iter(rows)
    return list(g), list(g)


def generator_in_each_iteration(a):
    t = 0
    for v in a:
        t += sum(w * v for w in a)
    return t


def generator_is_true(a):
    g = (v for v in a if v > 7)
    return (1 if g else 0), not g


def put_into_lists(a):
    rows = []
    for v in a:
        rows.append(v)
    g = iter(a)
    next(g)
    rows.extend(v * 3 for v in a if v > 1)
    rows.extend(g)
    rows += (v + 5 for v in a)
    rows[1:2] = (v + 7 for v in g)
    return rows


def put_into_plain_lists(a):
    rows = [1]
    rows += (v * 2 for v in a)
    rows[1:1] = (v for v in a if v > 1)
    return rows


def put_into_deques(a):
    found = collections.deque()
    for v in a:
        found.append(v)
    found.extend(v for v in a if v > 1)
    found.extendleft(v + 4 for v in a)
    return list(found)


def a_generator_that_nobody_sees(n):
    t = 0
    for i in range(n[0] + 1):
        if any(i > j for j in [1, 2, 3]):
            t += 1
        for j in range(3):
            if i * j > 2:
                break
            t += j
    return t


def as_python(value):
    return tf.nest.map_structure(lambda v: v.numpy().item() if tf.is_tensor(v) else v, value)


PROGRAMS = [f for f in list(globals().values()) if getattr(f, "__module__", None) == __name__ and f is not as_python]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("size", [3, None])
def test_as_python(program, size):
    run = tf.function(program, input_signature=[tf.TensorSpec([size], tf.int32)])
    assert as_python(run(tf.constant(VALUES))) == as_python(program(VALUES))


def length(a):
    return len(v for v in a)


def element(a):
    g = (v for v in a)
    return g[0]


def another_element(a):
    g = iter(a)
    g[0] = 1
    return g


def sum_of_lists(a):
    return [0] + iter(a)


def sum_with_a_grown_list(a):
    rows = []
    for v in a:
        rows.append(v)
    return rows + (v for v in a)


def method_of_lists(a):
    g = iter(a)
    g.append(1)
    return g


@pytest.mark.parametrize(
    "program", [length, element, another_element, sum_of_lists, sum_with_a_grown_list, method_of_lists]
)
def test_what_iterators_do_not_do(program):
    with pytest.raises((TypeError, AttributeError)) as plain:
        program(VALUES)
    with pytest.raises(plain.type):
        tf.function(program, input_signature=[tf.TensorSpec([None], tf.int32)])(tf.constant(VALUES))


def with_any(a):
    g = iter(a)
    return any(v > 2 for v in g), list(g)


def python_iterator_after_a_staged_break(a):
    g, t = iter([4, 5, 6]), 0
    for v in g:
        if v > a[0]:
            break
        t += v
    return t, list(g)


def python_iterator_in_a_loop(a):
    g, t = iter([1, 2, 3, 4]), 0
    for v in a:
        for w in g:
            if w > v:
                break
            t += w
    return t


@pytest.mark.parametrize("program", [with_any, python_iterator_after_a_staged_break, python_iterator_in_a_loop])
def test_what_is_left_and_not_known_is_refused(program):
    run = tf.function(program, input_signature=[tf.TensorSpec([None], tf.int32)])
    with pytest.raises((tf.errors.OperatorNotAllowedInGraphError, PythonOnlyConstructError), match=r"list\("):
        run(tf.constant(VALUES))


def ends_while_it_runs(a):
    g = iter(a)
    return next(g), next(g), next(g), next(g)


def test_an_end_that_comes_when_the_graph_runs():
    run = tf.function(ends_while_it_runs, input_signature=[tf.TensorSpec([None], tf.int32)])
    assert as_python(run(tf.constant([1, 2, 3, 4]))) == (1, 2, 3, 4)
    with pytest.raises(tf.errors.InvalidArgumentError, match="StopIteration"):
        run(tf.constant(VALUES))


def caught(a):
    g, t = iter(a), 0
    while True:
        try:
            x = next(g)
        except StopIteration:
            break
        t += x
    return t


def test_an_end_that_an_except_waits_for_is_refused():
    run = tf.function(caught, input_signature=[tf.TensorSpec([None], tf.int32)])
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError, match="StopIteration"):
        run(tf.constant(VALUES))
