"""Counts of ranges, which depend on the arithmetic of their dtype."""

import itertools

import numpy as np
import pytest

import graphrt as tf


@pytest.mark.parametrize(
    ("dtype", "limits", "count"),
    [
        ("float32", (0.1, 1.1, 0.1), 10), ("float64", (0.1, 1.1, 0.1), 10), ("float32", (0.5, 2.4, 0.1), 19),
        ("float16", (0.5, 2.4, 0.1), 20), ("bfloat16", (0.5, 2.4, 0.1), 19), ("float16", (0.5, -8.2, -0.3), 29),
        ("float32", (-0.5, 10.0, 0.7), 15), ("float64", (-0.5, 10.0, 0.7), 16), ("float32", (-1.7, 11.6, 0.7), 19),
    ],
)  # fmt: skip
def test_steps_of_a_range_are_counted_in_the_arithmetic_of_its_dtype(dtype, limits, count):
    """Counts of TensorFlow 2.20."""
    values = [tf.constant(v, dtype) for v in limits]
    assert tf.range(*limits, dtype=dtype).shape == [count]
    assert tf.function(lambda: tf.range(*values))().shape == [count]
    traced = tf.function(tf.range)
    assert traced(*values).shape == [count]
    if dtype in ("float32", "float64"):
        assert tf.ragged.range(*values).row_lengths().numpy().tolist() == [count]


@pytest.mark.parametrize("make", [tf.zeros, tf.ones])
@pytest.mark.parametrize("traced", [False, True])
def test_one_size_may_come_without_an_axis(make, traced):
    run = tf.function(make) if traced else make
    for size in (tf.constant(2), tf.constant(2, tf.int64)):
        assert run(size).shape.as_list() == [2]
    assert make(np.array(3)).shape.as_list() == [3] and make(tf.constant(0)).shape.as_list() == [0]
    for sizes in (tf.constant([[1, 2]]), np.array([[1, 2]])):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"must represent a vector, got shape \[1, 2\]"):
            make(sizes)
    assert tf.fill(2, 7).numpy().tolist() == tf.fill(tf.constant(2), 7).numpy().tolist() == [7, 7]


def test_one_hot_rows_stand_along_any_axis():
    for shape in ((), (5,), (2, 3), (2, 0, 3), (3, 2, 4)):
        indices = np.random.default_rng(6).integers(-2, 6, shape)
        for axis, depth in itertools.product(range(-1, len(shape) + 1), (0, 1, 4)):
            at = len(shape) if axis == -1 else axis
            places = np.arange(depth).reshape((-1,) + (1,) * (len(shape) - at))
            wanted = np.where(np.expand_dims(indices, at) == places, np.float32(2), np.float32(-1))
            found = tf.one_hot(indices, depth, 2.0, -1.0, axis).numpy()
            assert found.dtype == wanted.dtype and found.shape == wanted.shape and (found == wanted).all()


SINGLE_ELEMENTS = {
    "start": (lambda n: tf.range(n, 4), [2, 3]), "limit": (lambda n: tf.range(n), [0, 1]), "delta": (lambda n: tf.range(0, 4, n), [0, 2]),
    "of a fill": (lambda n: tf.fill([3], n), [2, 2, 2]), "of a concat": (lambda n: tf.concat([[1], [2]], n - 2), [1, 2]),
    "of a linspace": (lambda n: tf.linspace(0.0, 1.0, n), [0, 1]),
}  # fmt: skip


@pytest.mark.parametrize("name", SINGLE_ELEMENTS)
def test_a_vector_of_one_is_taken_for_a_scalar_at_once(name):
    """As TensorFlow's kernels do; more elements, and more dimensions, are none."""
    call, values = SINGLE_ELEMENTS[name]
    assert call(tf.constant([2])).numpy().tolist() == values
    for other in ([2, 2], [[2]]):
        with pytest.raises((tf.errors.InvalidArgumentError, ValueError), match="scalar|rank"):
            call(tf.constant(other))


@pytest.mark.parametrize("name", [n for n in SINGLE_ELEMENTS if n != "of a linspace"])
def test_a_vector_of_one_is_no_scalar_in_graphs(name):
    with pytest.raises(ValueError, match="scalar|rank"):
        tf.function(SINGLE_ELEMENTS[name][0], autograph=False)(tf.constant([2]))
