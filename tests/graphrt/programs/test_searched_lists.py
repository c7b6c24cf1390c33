"""`bisect`, `filter`, `insert` and slices of lists that hold tensors or grew, and what is asked for its truth."""

import bisect
from bisect import insort

import pytest

import graphrt as tf


def places(x):
    grown = []
    for i in range(abs(x)):
        grown.append(i * 2)
    tensors = [x, x + 3, x + 5]
    found = [bisect.bisect_left(grown, 4), bisect.bisect_right(grown, 4)]
    found += [bisect.bisect(grown, -4, key=lambda v: -v), bisect.bisect([1, 2, 5], x), bisect.bisect([1, 2, 5], 2)]
    return found + [bisect.bisect(tensors, 2), bisect.bisect_left(tensors, x + 3)]


def put_in_order(x):
    grown = []
    for i in range(abs(x)):
        insort(grown, -i * i + x)
        bisect.insort_left(grown, x, key=lambda v: v * 2)
    return grown


def is_small(v):
    if v > 0:
        return v < 4
    return False


def filtered(x):
    items = [x, 2, -1]
    total = 0
    for v in filter(lambda v: v > 0, items):
        total += v
    odd = list(filter(lambda v: v % 2, (x, 3)))
    return list(filter(is_small, items)), total, len(list(filter(None, items))), sum(odd), list(filter(None, [1, 0, 2]))


class Box:
    def __init__(self, x):
        self.l = [x, 1]


def put_at_a_tensor(x):
    items, rest, box, i = [1, 4, 6, 8], [1, 2, 3], Box(x), x % 3
    items.insert(i, x)
    items.insert(-i - 1, 7)
    items[i : i + 1] = [7, x]
    rest[i:] = []
    box.l.insert(x % 2, 5)
    box.l[:i] = [3, 4, 5]
    numbers = [1, 4, 6]
    insort(numbers, x)
    return items, rest, box.l, numbers


def asked_for_truth(x):
    rows = []
    negated = not (x if x > 0 else 1.5), not (rows if x > 0 else [x]), not (not (x if x > 5 else 0.0))
    return negated, not (x if x > 0 else (0.0 if x < -3 else ""))


@pytest.mark.parametrize("function", [places, put_in_order, filtered, put_at_a_tensor, asked_for_truth])
def test_graph_is_python(function):
    traced = tf.function(function)
    for x in (4, 1, -4):
        found = tf.nest.map_structure(int, traced(tf.constant(x)))
        assert tf.nest.flatten(found) == tf.nest.flatten(function(x))


def test_a_filter_is_lazy_where_nothing_is_staged():
    asked = []

    @tf.function
    def f(x):
        items = filter(lambda v: asked.append(0) or True, [x, 2])
        asked.clear()
        first = next(items)
        return first, len(asked)

    assert [int(v) for v in f(tf.constant(3))] == [3, 1]
