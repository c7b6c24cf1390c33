"""Quantized dtypes and ops on them, against recorded calls.

Covers: graphrt/ops/quantized_numbers.py.
"""

import numpy as np
import pytest

import graphrt as tf
from tests.golden.checks import golden_tests

test_calls = golden_tests("ops/quantized")


@pytest.mark.parametrize("most", [0.0, 0.5, 3.0, 6.0, 100.0])
@pytest.mark.parametrize(("low", "high"), [(-1.0, 1.0), (0.0, 6.0), (-8.0, 127.0)])
def test_relu_up_to_a_number(low, high, most):
    """`QuantizedReluX`, which TensorFlow has no kernel for, keeps the integers that stand for numbers from 0 to the greatest."""
    numbers = np.arange(256, dtype=np.uint8)
    x = tf.bitcast(numbers, tf.quint8)
    found, least, greatest = tf.raw_ops.QuantizedReluX(features=x, max_value=most, min_features=low, max_features=high)
    step = (high - low) / 255
    ends = np.clip(np.rint((np.array([0.0, most]) - low) / step), 0, 255)
    np.testing.assert_allclose(tf.bitcast(found, tf.uint8).numpy(), np.clip(numbers, *ends), atol=1)
    assert (least.numpy(), greatest.numpy()) == (np.float32(low), np.float32(high))
