"""Tests of lists of Python's that become staged while a Python loop goes through them: the loop sees it, or is refused."""

import importlib
import types

import numpy as np
import pytest

import autograph
import graphrt as tf
from autograph.errors import PythonOnlyConstructError
from tests.graphrt.programs.comparing import plain


def appended(s):
    rows = [1, 2]
    for v in rows:
        if s > 3 and len(rows) < 7:
            rows.append(v + s)
    return sum(rows), len(rows)


def left_by_break(s):
    rows = [1, 2]
    for v in rows:
        if s > 3:
            rows.append(v)
        if len(rows) > 8:
            break
    return sum(rows), len(rows)


def left_by_return(s):
    rows, total = [s, s + 1], 0
    for v in rows:
        total += v
        if v > 3:
            rows.append(v - 2)
        if total > 50:
            return total
    return total * len(rows)


def continued(s):
    rows = [s, s + 1]
    for v in rows:
        if v > 9:
            continue
        if v > 3:
            step = v
            rows.append(v + 2)
        else:
            step = 1
        s = s + step
    return s + len(rows)


def _append(rows, v):
    if v > 3:
        rows.append(v - 2)


def in_a_call(s):
    rows, count = [s, s + 1], 0
    for v in rows:
        _append(rows, v)
        count += 1
    return count


class Holder:
    def __init__(self, rows):
        self.rows = rows


def in_an_object(s):
    holder, count = Holder([s]), 0
    for v in holder.rows:
        if v > 0:
            holder.rows.append(v - 1)
        count += 1
    return count


def popped(s):
    rows, count = [s, s, s], 0
    for v in rows:
        if count + s > 4:
            rows.pop()
        count += 1
    return count


def nested(s):
    rows = [s, s]
    for v in rows:
        for w in rows:
            if s < 8:
                rows.append(w + v)
                s += 1
    return s, len(rows)


def first_set_in_the_rest(s):
    rows = [1, s]
    for v in rows:
        if len(rows) < 5:
            rows.append(v)
        last = v
    return last


SEEN = [
    appended,
    left_by_break,
    left_by_return,
    continued,
    in_a_call,
    in_an_object,
    popped,
    nested,
    first_set_in_the_rest,
]


@pytest.mark.parametrize("start", [5, 2])
@pytest.mark.parametrize("function", SEEN)
def test_the_loop_sees_it(function, start):
    assert plain(tf.function(function)(tf.constant(start))) == plain(function(start))


@pytest.mark.parametrize("function", [appended, left_by_break, left_by_return, in_a_call])
def test_dumped_code_sees_it(function):
    module = types.ModuleType("dumped")
    vars(module).update(ag__=importlib.import_module("autograph.generated"), _append=_append)
    text = autograph.to_code(function)
    exec(compile(text, "dumped", "exec"), vars(module))
    made = next(v for k, v in vars(module).items() if k.startswith("tf__"))
    found = tf.function(made, autograph=False)(tf.constant(5))
    assert plain(found) == plain(function(5))


def enumerated(s):
    rows = [s, s]
    for i, v in enumerate(rows):
        if v > 3:
            rows.append(v - 1 - i)
    return len(rows)


def zipped(s):
    rows = [s, s]
    for v, w in zip(rows, rows):
        if v > 3:
            rows.append(w - 1)
    return len(rows)


def mapped(s):
    rows = [s, s]
    for v in map(lambda v: v + 1, rows):
        if v > 3:
            rows.append(v - 3)
    return len(rows)


def through_its_iterator(s):
    rows, total = [s, s], 0
    for v in iter(rows):
        if v > 3:
            rows.append(v - 3)
        total += v
    return total


def by_next(s):
    rows = [s, s]
    rest = iter(rows)
    next(rest)
    if s > 3:
        rows.append(s)
    return next(rest)


def _each(rows):
    for v in rows:
        yield v


def generated(s):
    rows, total = [s, s], 0
    for v in _each(rows):
        if s > 3 and total < 100:
            rows.append(s)
        total += v
    return total


def _noted(rows, v):
    if v > 3:
        rows.append(v - 3)
    return v


def in_a_comprehension(s):
    rows = [s, s]
    return sum([_noted(rows, v) for v in rows])


@pytest.mark.parametrize(
    "function", [enumerated, zipped, mapped, through_its_iterator, by_next, generated, in_a_comprehension]
)
def test_iterators_of_pythons_are_refused(function):
    with pytest.raises(PythonOnlyConstructError, match="goes through it"):
        tf.function(function)(tf.constant(5))


def unchanged(s):
    rows, total = [s, s + 1], 0
    rest = iter(rows)
    total += next(rest)
    for i, (v, w) in enumerate(zip(rest, [3, 4])):
        if s > 3:
            total += v * w * i
    for v in map(abs, rows):
        total += v
    return total + sum(v for v in rows) + len([v for v in rest])


def test_lists_that_stay_are_gone_through_as_ever():
    for start in (5, 2):
        assert plain(tf.function(unchanged)(tf.constant(start))) == unchanged(start)


def test_an_iterator_that_outlives_the_trace():
    kept = []

    @tf.function
    def begun(s):
        rows = [1, 2, 3]
        each = _each(rows)
        kept.append((each, next(each), enumerate(rows)))
        return s

    assert begun(tf.constant(1)).numpy() == 1
    each, first, numbered = kept[0]
    assert [first, *each] == [1, 2, 3]
    assert [*numbered] == [(0, 1), (1, 2), (2, 3)]
    assert np.asarray(begun(tf.constant(1))).item() == 1
