"""`map_fn`, `vectorized_map`, `scan`: what functions may take and give."""

import numpy as np
import pytest

import graphrt as tf


class Masked(tf.experimental.BatchableExtensionType):
    values: tf.Tensor
    mask: tf.Tensor


class Pair(tf.experimental.ExtensionType):
    first: tf.Tensor


MASKED = Masked(tf.constant([1.0, 2.0, 3.0]), tf.constant([True, False, True]))


def both(program):
    """What a program gives, run at once and in a graph."""
    return program(), tf.function(program)()


def test_vectorized_map_takes_and_gives_extension_types():
    def program():
        doubled = tf.vectorized_map(lambda m: Masked(m.values * 2, ~m.mask), MASKED)
        made = tf.vectorized_map(lambda v: Masked(v, v > 1), tf.constant([1.0, 2.0]))
        mixed = tf.vectorized_map(lambda p: p[0].values + p[1], (MASKED, tf.constant([10.0, 20.0, 30.0])))
        return doubled.values, doubled.mask, made.mask, mixed

    for found in both(program):
        assert [v.numpy().tolist() for v in found] == [
            [2.0, 4.0, 6.0], [False, True, False], [False, True], [11.0, 22.0, 33.0],
        ]  # fmt: skip
    with pytest.raises(TypeError, match="has no slices: derive it from BatchableExtensionType"):
        tf.vectorized_map(lambda p: p.first, Pair(tf.constant([1.0])))


def test_vectorized_map_gives_sparse_and_ragged_rows_and_nothing():
    def program():
        sparse = tf.vectorized_map(tf.sparse.from_dense, tf.constant([[1, 0], [0, 2]]))
        lengths = tf.vectorized_map(tf.reduce_sum, tf.ragged.constant([[1, 2], [], [3]]))
        return tf.sparse.to_dense(sparse), lengths, tf.vectorized_map(lambda v: (v, None), tf.constant([1, 2]))

    for dense, lengths, (same, nothing) in both(program):
        assert dense.numpy().tolist() == [[1, 0], [0, 2]] and lengths.numpy().tolist() == [3, 0, 3]
        assert same.numpy().tolist() == [1, 2] and nothing is None


def test_vectorized_map_repeats_what_is_one():
    add = tf.function(
        lambda a, b: tf.vectorized_map(lambda p: p[0] + p[1], (a, b)), input_signature=[tf.TensorSpec([None])] * 2
    )
    for f in (add, add.python_function):
        for a, b in (([1.0, 2.0], [3.0]), ([3.0], [1.0, 2.0]), ([1.0, 2.0], [3.0, 3.0])):
            assert f(tf.constant(a), tf.constant(b)).numpy().tolist() == [4.0, 5.0]
    with pytest.raises(ValueError, match=r"must have one length, found \[2, 3\]"):
        add.python_function(tf.ones([2]), tf.ones([3]))
    with pytest.raises(tf.errors.InvalidArgumentError):
        add(tf.ones([2]), tf.ones([3]))


def test_plain_results_take_the_dtype_that_is_wanted():
    xs = tf.constant([1.0, 2.0])

    for found in both(lambda: tf.map_fn(lambda x: 1, xs)), both(lambda: tf.scan(lambda a, x: 1, xs, initializer=0.0)):
        assert all(v.dtype == tf.float32 and v.numpy().tolist() == [1.0, 1.0] for v in found)
    for found in both(lambda: tf.map_fn(lambda p: (np.float64(2), p[1]), (xs, xs))):
        assert [v.numpy().tolist() for v in found] == [[2.0, 2.0], [1.0, 2.0]]
    for found in both(lambda: tf.map_fn(lambda x: np.array([1.0, 2.0]), xs)):
        assert found.dtype == tf.float32 and found.shape == (2, 2)
    for found in both(lambda: tf.map_fn(lambda x: 3, xs, fn_output_signature=tf.int64)):
        assert found.dtype == tf.int64


def test_other_results_are_refused_with_what_to_say():
    ints = tf.constant([1, 2])
    with pytest.raises(
        TypeError, match="int32 was expected: that is the dtype of `elems`. Say `fn_output_signature=tf.f"
    ):
        tf.map_fn(lambda x: x / 2, ints)
    with pytest.raises(
        TypeError, match=r"returns float32, but int32 was expected. Say `fn_output_signature=tf.float32`"
    ):
        tf.map_fn(lambda x: 2.5, ints, fn_output_signature=tf.int32)
