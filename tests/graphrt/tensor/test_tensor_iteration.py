"""Tensors of every dtype are gone through row by row (covers graphrt/tensor/tensor.py)."""

import numpy as np
import pytest

import graphrt as tf


def of(dtype):
    if dtype is tf.string:
        return tf.constant([["a"], ["b"]])
    return tf.cast(tf.constant([[1], [0]]), dtype)


@pytest.mark.parametrize("dtype", [tf.string, tf.bool, tf.bfloat16, tf.complex64, tf.qint8, tf.uint64])
def test_rows_of(dtype):
    x = of(dtype)
    rows = list(x)
    first, second = x
    assert [r.dtype for r in rows] == [dtype] * 2 and [r.shape.as_list() for r in rows] == [[1], [1]]
    elements = [e for row in rows for e in row]
    assert [e.dtype for e in elements] == [dtype] * 2 and all(e.shape.rank == 0 for e in elements)
    assert all(repr(e) and str(e) for e in elements)
    assert np.array_equal(np.asarray(tf.stack(elements)), np.asarray(x).ravel())
    assert np.array_equal(np.asarray(second), np.asarray(x[1]))


def test_words():
    words = tf.constant(["one", "two"])
    assert [w.numpy().decode() for w in words] == ["one", "two"]
    assert [w.numpy() for w in map(tf.strings.upper, words)] == [b"ONE", b"TWO"]
    assert [w.numpy() for w in tf.Variable(words)] == [b"one", b"two"]
    assert [w.dtype for w in words] == [tf.string] * 2
    assert list(tf.constant([], tf.string)) == []
    with tf.GradientTape():
        assert [w.numpy() for w in words] == [b"one", b"two"]
