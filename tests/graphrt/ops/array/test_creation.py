"""Counts of ranges, which depend on the arithmetic of their dtype."""

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
