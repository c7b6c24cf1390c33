"""Arithmetic, reductions, casts: they give what TensorFlow gives, eagerly and in graphs (`tests/golden/calls/ops/math`)."""

import numpy as np
import pytest

import graphrt as tf
from tests.golden.checks import golden_tests

test_calls = golden_tests("ops/math")


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_positions_of_extremes_pass_over_what_is_no_number(dtype):
    nan, inf = np.nan, np.inf
    # TensorFlow 2.20's answers
    for values, most, least in (
        ([nan, -inf], 0, 1), ([nan, nan], 0, 0), ([nan, 1, 2], 2, 1), ([1, nan, 2, 2], 2, 0), ([-inf, nan], 0, 0),
    ):  # fmt: skip
        x = tf.constant(values, dtype)
        assert (int(tf.argmax(x)), int(tf.argmin(x))) == (most, least), values


@pytest.mark.parametrize("reduce", [tf.reduce_sum, tf.reduce_mean, lambda x, axes: tf.nn.moments(x, axes)[0]])
@pytest.mark.parametrize("options", [None, {}, {"jit_compile": True}])
def test_reducing_no_axis_keeps_the_signs_of_zeros(reduce, options):
    if options:
        pytest.importorskip("numba")
    run = (lambda x: reduce(x, [])) if options is None else tf.function(lambda x: reduce(x, []), **options)
    found = run(tf.constant([-0.0, 0.0, 1.0])).numpy()
    assert np.signbit(found).tolist() == [True, False, False] and found.tolist() == [0.0, 0.0, 1.0]
