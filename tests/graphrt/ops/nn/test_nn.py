"""Ops of neural networks: they give what TensorFlow gives, eagerly and in graphs (`tests/golden/calls/ops/nn`)."""

import numpy as np
import pytest

import graphrt as tf
from tests.golden.checks import golden_tests

test_calls = golden_tests("ops/nn")


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_what_is_not_finite_goes_through_the_gradient_of_max_pooling(dtype):
    x = tf.constant(np.reshape([1, np.nan, 3, 2], [1, 2, 2, 1]), dtype)
    found = tf.raw_ops.MaxPoolGrad(
        orig_input=x, orig_output=tf.nn.max_pool2d(x, 2, 2, "VALID"), grad=tf.constant(np.inf, dtype, [1, 1, 1, 1]),
        ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID",
    )  # fmt: skip
    assert tf.cast(found, tf.float32).numpy().ravel().tolist() == [0, np.inf, 0, 0]
