"""`filter`, `takewhile` and their like, where only the graph can tell which elements are taken."""

import itertools
from itertools import dropwhile, filterfalse, takewhile

import numpy as np
import pytest

import graphrt as tf
from autograph.errors import PythonOnlyConstructError


def perhaps(x):
    return x if x > 1 else None


def first_of(items):
    return next(items, -1)


class Limit:
    def __init__(self, most):
        self.most = most

    def holds(self, value):
        return value < self.most


PROGRAMS = {
    "filter": lambda x: list(filter(lambda v: v < x, [1, 2, 3])),
    "filter of none": lambda x: list(filter(lambda v: v > x, ())),
    "filter by truth": lambda x: list(filter(None, [x, 1, x - 2])),
    "filter of what may be None": lambda x: list(filter(None, [perhaps(x), 4, perhaps(x - 1)])),
    "filter by a method": lambda x: sum(filter(Limit(x).holds, range(5))),
    "filter of pairs": lambda x: [i for i, _ in filter(lambda p: p[1] < x, enumerate([3, 1, 2]))],
    "first of a filter": lambda x: first_of(filter(lambda v: v > x, (1, 2, 3))),
    "filterfalse": lambda x: list(filterfalse(lambda v: v < x, [1, 2, 3])),
    "takewhile": lambda x: list(takewhile(lambda v: v < x, [1, 2, 3, 0])),
    "takewhile of a range": lambda x: sum(takewhile(lambda v: v < x, range(5))),
    "dropwhile": lambda x: list(dropwhile(lambda v: v < x, [1, 2, 3, 0])),
    "of a tensor": lambda x: [
        *takewhile(lambda v: v < 3, x + tf.range(4)), *dropwhile(lambda v: v < 3, x + tf.range(4)),
        *filterfalse(lambda v: v < 3, x + tf.range(4)),
    ],
    "takewhile of pairs": lambda x: [i for i, _ in takewhile(lambda p: p[1] < x, enumerate([1, 2, 3, 0]))],
    "dropwhile of a zip": lambda x: [b for _, b in dropwhile(lambda p: p[0] < x, zip([1, 2, 3, 0], (4, 5, 6, 7)))],
    "takewhile of iterators": lambda x: [
        *takewhile(lambda v: v > x, iter([3, 2, 1])), *takewhile(lambda v: v > x, reversed([1, 2, 3])),
        *takewhile(lambda v: v < x, iter({1: 2, 2: 1}.values())), *takewhile(lambda v: v < x, iter(range(3))),
    ],
    "generator over an iterator": lambda x: sum(v for v in iter([1, 2, 3]) if v > x),
    "in a loop": lambda x: [len(list(takewhile(lambda v: v < i, [1, 2, x]))) for i in range(3)],
}  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_as_in_python(program):
    staged = tf.function(program)
    for x in (0, 1, 2, 3):
        found = tf.nest.map_structure(int, staged(tf.constant(x)))
        assert found == tf.nest.map_structure(int, program(np.int32(x)))


def test_what_python_can_tell_stays_lazy():
    asked = []

    def holds(value):
        asked.append(value)
        return value > 1

    @tf.function
    def run(x):
        left = filter(holds, [1, 2, 3])
        before = len(asked)
        return x + next(left), before, type(left) is filter

    assert [int(v) for v in run(tf.constant(1))] == [3, 0, 1]
    assert asked == [1, 2]


def test_iterators_go_on():
    @tf.function
    def run(x):
        pairs = enumerate([1, 2, 3])
        kept = list(filter(lambda p: p[1] > 1, pairs))
        return x + len(kept), list(itertools.islice(pairs, 1))

    assert int(run(tf.constant(1))[0]) == 3


def pairs_after(items, consume):
    consume(items)
    return list(items)


CONSUMERS = {
    "takewhile": lambda items: list(takewhile(lambda p: p[0] < 2, items)),
    "filter": lambda items: next(filter(lambda p: p[0] > 1, items)),
    "filterfalse": lambda items: next(filterfalse(lambda p: p[0] < 2, items)),
    "dropwhile": lambda items: next(dropwhile(lambda p: p[0] < 2, items)),
    "generator": lambda items: next(p for p in items if p[0] > 1),
    "nothing asked": lambda items: filter(lambda p: p[0] > 1, items),
}


@pytest.mark.parametrize("consume", CONSUMERS.values(), ids=CONSUMERS)
def test_elements_that_nobody_took_are_left(consume):
    def run(x):
        over_pairs = pairs_after(zip([1, 2, 3, 4], "abcd"), consume)
        over_rows = pairs_after(iter([(1, 2), (2, 3), (3, 4)]), consume)
        return x, len(over_pairs), len(over_rows)

    found = tf.function(run)(tf.constant(0))
    assert [int(v) for v in found] == list(run(0))


STAGED = {
    "takewhile": lambda items, x: list(takewhile(lambda p: p[0] < x, items)),
    "filter": lambda items, x: next(filter(lambda p: p[0] > x, items), None),
    "dropwhile": lambda items, x: next(dropwhile(lambda p: p[0] < x, items), None),
    "generator": lambda items, x: next((p for p in items if p[0] > x), None),
}


@pytest.mark.parametrize("consume", STAGED.values(), ids=STAGED)
def test_what_a_staged_condition_left_of_an_iterator_is_not_known(consume):
    @tf.function
    def run(x):
        items = enumerate([1, 2, 3])
        consume(items, x)
        return len(list(items))

    with pytest.raises(PythonOnlyConstructError, match="an enumerate was gone through as far as a staged"):
        run(tf.constant(1))


def test_an_iterator_over_a_list_that_a_branch_changed_is_refused():
    @tf.function
    def run(x):
        rows = [1, 2]
        items = iter(rows)
        if x > 1:
            rows.append(3)
        return sum(v for v in items if v > x)

    with pytest.raises(PythonOnlyConstructError, match="while an iterator of Python's goes through it"):
        run(tf.constant(1))


@pytest.mark.parametrize("function", [takewhile, dropwhile, filterfalse, filter])
def test_a_list_that_changes_meanwhile_is_refused(function):
    @tf.function
    def run(x):
        items = [x, 2]
        found = function(lambda v: v > 0, items)
        items.append(5)
        return sum(found)

    words = rf"a list changes while this `{function.__name__}\(...\)`"
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError, match=words):
        run(tf.constant(3))
