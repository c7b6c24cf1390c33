"""Iterators over tensors, which give each element once."""

from __future__ import annotations

import pytest

import graphrt as tf
from graphrt import errors

UNKNOWN = [tf.TensorSpec([None], tf.int32)]
MAKERS = {
    "zip": lambda a: zip(a, a),
    "map": lambda a: map(lambda v: (v, v), a),
    "enumerate": lambda a: enumerate(a),
    "reversed": lambda a: reversed(a),
    "filter": lambda a: filter(lambda v: v > 0, a),
}


def _first(item):
    return item[0] if isinstance(item, tuple) else item


def _total(items):
    total = 0
    for item in items:
        total += _first(item)
    return total


def _twice(make, a, read=_total):
    items = make(a)
    return read(items), read(items)


def _unrolled(make, a):
    items, total = make(a), 0
    for _ in range(2):
        total += _total(items)
    return total


def _after_a_branch(make, a):
    items, total = make(a), 0
    if tf.reduce_sum(a) > 0:
        total = _total(items)
    return total + _total(items)


def _in_a_loop(make, a):
    items, total = make(a), 0
    for _ in tf.range(3):
        total += _total(items)
    return total


def _listed_twice(make, a):
    return _twice(make, a, list)


def _part_of_another(make, a):
    items = make(a)
    both = list(zip(items, a))
    return both, _total(items)


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("f", [_twice, _unrolled, _after_a_branch, _in_a_loop, _listed_twice, _part_of_another])
def test_who_goes_through_an_iterator_again_is_told(f, maker):
    make = MAKERS[maker]
    traced = tf.function(lambda a: f(make, a), input_signature=UNKNOWN)
    with pytest.raises(
        errors.OperatorNotAllowedInGraphError, match=rf"`{maker}\(...\)` .* give each element once"
    ) as found:
        traced(tf.constant([1, 2, 3]))
    assert f"Go through `list({maker}(...))`" in str(found.value)
    assert f is _in_a_loop or __file__ in str(found.value)


def _again_in_each_branch(make, a):
    items = make(a)
    return _total(items) if tf.reduce_sum(a) > 0 else -_total(items)


def _made_in_the_loop(make, a):
    total = 0
    for _ in tf.range(3):
        total += _total(make(a))
    return total


def _a_list(make, a):
    items = list(make(a))
    return _total(items) + _total(items)


def _loop_that_is_traced_again(make, a):
    items, rows, best = make(a), [], None
    for item in items:
        rows.append(_first(item))
        if best is None or _first(item) > best:
            best = _first(item)
    return best, rows


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("f", [_again_in_each_branch, _made_in_the_loop, _a_list, _loop_that_is_traced_again])
def test_once_is_allowed_however_often_it_is_traced(f, maker):
    make = MAKERS[maker]
    found = tf.function(lambda a: f(make, a), input_signature=UNKNOWN)(tf.constant([3, 1, 2]))
    expected = f(make, [3, 1, 2]) if f is not _again_in_each_branch else _total(make([3, 1, 2]))
    assert tf.nest.map_structure(int, found) == expected


def test_in_looks_into_pairs():
    @tf.function(input_signature=UNKNOWN)
    def f(a):
        return (2, 5) in enumerate(a), (5, 2) in zip(a, a)

    assert [bool(v) for v in f(tf.constant([3, 4, 5]))] == [True, False]
