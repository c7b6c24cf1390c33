"""`filter`, `takewhile` and their like, where only the graph can tell which elements are taken."""

import itertools
from itertools import dropwhile, filterfalse, takewhile

import numpy as np
import pytest

import graphrt as tf


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
