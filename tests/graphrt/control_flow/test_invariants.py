"""Shape invariants have the structure of the variables they are about."""

from __future__ import annotations

import pytest

import graphrt as tf
from graphrt import errors


def _grown(cache: dict) -> dict:
    keys, (values, age) = cache["k"], cache["v"]
    return {"k": tf.concat([keys, [2.0]], 0), "v": (tf.concat([values, [[1.0]]], 0), age + 1)}


def _cache() -> dict:
    return {"k": tf.zeros([0]), "v": (tf.zeros([1, 1]), tf.zeros([1]))}


def _check(cache: dict) -> None:
    assert cache["k"].numpy().tolist() == [2.0, 2.0]
    assert cache["v"][0].numpy().tolist() == [[0.0], [1.0], [1.0]]
    assert cache["v"][1].numpy().tolist() == [2.0]


SHAPES = {"v": (tf.TensorShape([None, 1]), tf.TensorShape([1])), "k": tf.TensorShape([None])}


def test_a_staged_loop_takes_the_shapes_of_a_dictionary():
    @tf.function
    def f(n):
        cache = _cache()
        for _ in tf.range(n):
            tf.autograph.experimental.set_loop_options(shape_invariants=[(cache, SHAPES)])
            cache = _grown(cache)
        return cache

    _check(f(tf.constant(2)))


def test_a_while_loop_takes_the_shapes_of_a_dictionary():
    @tf.function
    def f(n):
        shapes = (tf.TensorShape([]), SHAPES)
        return tf.while_loop(lambda i, _: i < n, lambda i, c: (i + 1, _grown(c)), (0, _cache()), shapes)[1]

    _check(f(tf.constant(2)))


@pytest.mark.parametrize("shape", [tf.TensorShape([None, None]), tf.RaggedTensorSpec([None, None], tf.int32)])
def test_the_shape_of_a_ragged_tensor_lets_its_rows_grow(shape):
    @tf.function
    def staged(n):
        rows = tf.ragged.constant([[1], [2, 3]])
        for _ in tf.range(n):
            tf.autograph.experimental.set_loop_options(shape_invariants=[(rows, shape)])
            rows = tf.concat([rows, rows], 0)
        return rows

    @tf.function
    def looped(rows):
        return tf.while_loop(
            lambda i, _: i < 1, lambda i, r: (i + 1, tf.concat([r, r], 0)), (0, rows), (tf.TensorShape([]), shape)
        )[1]

    assert staged(tf.constant(1)).to_list() == [[1], [2, 3], [1], [2, 3]]
    assert looped(tf.ragged.constant([[1], [2, 3]])).to_list() == [[1], [2, 3], [1], [2, 3]]


def test_the_shape_of_a_sparse_tensor_lets_it_grow():
    @tf.function
    def f(n):
        x = tf.sparse.from_dense([[1, 0]])
        for _ in tf.range(n):
            tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([None, 2]))])
            x = tf.sparse.concat(0, [x, x])
        return tf.sparse.to_dense(x)

    assert f(tf.constant(1)).numpy().tolist() == [[1, 0], [1, 0]]


@pytest.mark.parametrize(
    "shapes", [{"b": tf.TensorShape([None])}, tf.TensorShape([None]), [tf.TensorShape([None])], {}], ids=repr
)
def test_another_structure_is_refused(shapes):
    @tf.function
    def staged(n):
        d = {"a": tf.zeros([0])}
        for _ in tf.range(n):
            tf.autograph.experimental.set_loop_options(shape_invariants=[(d, shapes)])
            d = {"a": tf.concat([d["a"], [1.0]], 0)}
        return d

    @tf.function
    def looped(x):
        return tf.while_loop(
            lambda i, _: i < 2, lambda i, d: (i + 1, {"a": d["a"] + 1}), (0, {"a": x}), (tf.TensorShape([]), shapes)
        )

    for run, given in ((staged, tf.constant(2)), (looped, tf.zeros([0]))):
        with pytest.raises(errors.StructureMismatchError, match="must have the structure of its variables"):
            run(given)


def test_too_few_shapes_are_refused():
    @tf.function
    def f(x):
        return tf.while_loop(lambda i, _: i < 2, lambda i, y: (i + 1, y), (0, x), (tf.TensorShape([]),))

    with pytest.raises(ValueError, match="must have the structure of its variables"):
        f(tf.zeros([0]))
