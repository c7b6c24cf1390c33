"""Pipelines whose elements are made many at a time give what they give one by one."""

import itertools
import random

import numpy as np
import pytest

import graphrt as tf
from graphrt.data import stretches
from graphrt.data.pipeline import Source


def listed(dataset):
    """The elements as nested lists with their dtypes."""
    return [tf.nest.map_structure(lambda t: (t.dtype.name, np.asarray(t.numpy()).tolist()), e) for e in dataset]


def one_by_one(monkeypatch, build):
    """What a pipeline gives when no source makes stretches."""
    with monkeypatch.context() as patch:
        for cls in _sources(Source):
            if "stretches" in vars(cls):
                patch.setattr(cls, "stretches", lambda self: None)
        return listed(build())


def _sources(cls):
    yield cls
    for inner in cls.__subclasses__():
        yield from _sources(inner)


STEPS = {
    "map": lambda d: d.map(lambda x: x * 3 - 7),
    "cast": lambda d: d.map(lambda x: tf.cast(tf.cast(x, tf.float32) / 2.0, tf.int64)),
    "where": lambda d: d.map(lambda x: tf.where(x > 20, x, -x)),
    "filter": lambda d: d.filter(lambda x: x % 3 != 1),
    "nothing left": lambda d: d.filter(lambda x: x > 10**6),
    "take": lambda d: d.take(57),
    "take none": lambda d: d.take(0),
    "skip": lambda d: d.skip(23),
    "repeat": lambda d: d.repeat(2),
    "endless": lambda d: d.repeat().take(300),
    "divide": lambda d: d.map(lambda x: 1000 // (x * x + 1)),
    "captured": lambda d: d.map(lambda x, k=tf.constant(4, tf.int64): x + k),
    "zip": lambda d: tf.data.Dataset.zip(d, tf.data.Dataset.range(90)).map(lambda x, y: x + 2 * y),
    "shuffle": lambda d: d.shuffle(10, seed=3),
    "branch": lambda d: d.map(lambda x: tf.cond(x > 5, lambda: x, lambda: x * 2)),
}


@pytest.mark.parametrize("seed", range(40))
def test_any_steps_one_after_the_other(seed, monkeypatch):
    chance = random.Random(seed)
    steps = [chance.choice(list(STEPS)) for _ in range(chance.randint(1, 5))]
    ends = [lambda d: d, lambda d: d.batch(7), lambda d: d.batch(64, drop_remainder=True), lambda d: d.batch(1)]
    end = chance.choice(ends)

    def build():
        dataset = tf.data.Dataset.range(chance_range)
        for step in steps:
            dataset = STEPS[step](dataset)
        return end(dataset)

    chance_range = chance.choice([0, 1, 16, 17, 100, 5000])
    assert listed(build()) == one_by_one(monkeypatch, build), steps


@pytest.mark.parametrize(
    "rows",
    [np.arange(12.0).reshape(4, 3), np.array(["a", "b", "", "\u20ac"]), np.arange(5, dtype=np.uint8) > 2, np.zeros((3, 0))],
    ids=["matrix", "strings", "bools", "rows without elements"],
)  # fmt: skip
def test_rows_of_every_kind(rows, monkeypatch):
    def build():
        both = tf.data.Dataset.from_tensor_slices({"x": rows, "n": np.arange(len(rows))})
        return both.filter(lambda e: e["n"] != 1).batch(2)

    assert listed(build()) == one_by_one(monkeypatch, build)


def test_functions_of_rows_broadcast_as_they_do_for_one(monkeypatch):
    rows = tf.reshape(tf.range(12.0), [4, 3])

    def build():
        return tf.data.Dataset.from_tensor_slices(rows).map(lambda r: r * tf.constant([1.0, 2.0, 3.0]) + 0.5)

    assert listed(build()) == one_by_one(monkeypatch, build)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x * tf.constant([1, 2], tf.int64),  # of higher rank than the elements
        lambda x: tf.reduce_sum(tf.stack([x, x])),  # not element by element
        lambda x: 7 // x,  # may fail
        lambda x: tf.constant(3),  # the same for all
        lambda x: tf.strings.as_string(x),
    ],
)  # fmt: skip
def test_other_functions_are_called_for_each(function, monkeypatch):
    def build():
        return tf.data.Dataset.range(1, 40).map(function)

    assert listed(build()) == one_by_one(monkeypatch, build)


def test_functions_with_effects_are_called_for_those_that_are_taken():
    seen = []
    counter = tf.Variable(0, dtype=tf.int64)

    def note(x):
        tf.py_function(lambda v: seen.append(int(v)), [x], [])
        return counter.assign_add(1) + x

    assert [int(x) for x in tf.data.Dataset.range(100).map(note).take(3)] == [1, 3, 5]
    assert seen == [0, 1, 2] and counter.numpy() == 3


def test_variables_are_read_when_an_element_is_made():
    v = tf.Variable(0, dtype=tf.int64)
    found = []
    for x in tf.data.Dataset.range(3).map(lambda x: x + v):
        found.append(int(x))
        v.assign_add(10)
    assert found == [0, 11, 22]


def test_errors_come_at_their_element():
    iterator = iter(tf.data.Dataset.range(5, -5, -1).map(lambda x: 60 // x).batch(1))
    assert [int(next(iterator)[0]) for _ in range(5)] == [12, 15, 20, 30, 60]
    with pytest.raises(tf.errors.InvalidArgumentError, match="element number 5"):
        next(iterator)


def test_a_function_is_changed_into_one_for_many_once():
    function = lambda x: x * 2 + 1
    dataset = tf.data.Dataset.range(50).map(function)
    first = [int(x) for x in dataset]
    before = len(stretches._STACKED)
    assert [int(x) for x in dataset] == first and len(stretches._STACKED) == before


def test_few_elements_are_made_ahead():
    lengths = [cut.stop - cut.start for cut in itertools.islice(stretches.cuts(10**9, 8), 8)]
    assert lengths[0] <= 16 and max(lengths) <= 1 << 14
    assert {cut.stop - cut.start for cut in stretches.cuts(10, 10**9)} == {1}


def test_regrouped():
    parts = [(np.arange(a, b),) for a, b in [(0, 3), (3, 4), (4, 20), (20, 21), (21, 21), (21, 25)]]
    for size in range(1, 30):
        found = [s[0].tolist() for s in stretches.regrouped(iter(parts), size)]
        assert found == [list(range(a, min(a + size, 25))) for a in range(0, 25, size)]


def test_pipelines_that_compute_the_same_share_a_program():
    def made(number, dtype=tf.int64):
        return tf.data.Dataset.range(5).map(lambda x: tf.cast(x, dtype) * number + 47).batch(2)

    known = len(stretches._ALIKE)
    for number in (2, 2, 3, 2):
        assert [b.numpy().tolist() for b in made(number)][1:] == [[47 + 2 * number, 47 + 3 * number], [47 + 4 * number]]
    assert {b.dtype for b in made(2, tf.float32)} == {tf.float32} and {b.dtype for b in made(2)} == {tf.int64}
    assert len(stretches._ALIKE) == min(known + 3, stretches._MOST_ALIKE)
    empty = tf.data.Dataset.from_tensor_slices(np.ones((5, 0), np.float32)).map(lambda x: x + 1.0).batch(2)
    assert [b.shape.as_list() for b in empty] == [[2, 0], [2, 0], [1, 0]]
