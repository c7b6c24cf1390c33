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


ZERO = -0.0


@pytest.mark.parametrize("size", [1, None])
@pytest.mark.parametrize("options", [None, {}, {"jit_compile": True}])
@pytest.mark.parametrize(
    ("reduce", "wanted"),
    [
        (tf.reduce_sum, 0.0), (lambda x: tf.reduce_sum(x[:, :1]), ZERO), (lambda x: tf.reduce_sum(x, 0), [ZERO, ZERO]), (lambda x: tf.reduce_sum(x, 1), [0.0]),
        (lambda x: tf.reduce_mean(x, 0), [ZERO, ZERO]), (lambda x: tf.reduce_mean(x, 0, True), [[ZERO, ZERO]]),
        (lambda x: tf.reduce_mean(x, 1), [0.0]), (lambda x: tf.cumsum(x), [[0.0, 0.0]]),
        (lambda x: tf.cumsum(x, 1, reverse=True), [[0.0, 0.0]]),
        (lambda x: tf.math.segment_sum(x, [1]), [[0.0, 0.0], [ZERO, ZERO]]),
        (lambda x: tf.math.segment_mean(tf.repeat(x, 3, 0), [0, 1, 1]), [[ZERO, ZERO], [0.0, 0.0]]),
        (tf.math.cumulative_logsumexp, [[0.0, 0.0]]),
    ],
)  # fmt: skip
def test_what_is_alone_keeps_the_sign_of_its_zero(reduce, wanted, options, size):
    """TensorFlow 2.20's answers: a sum of one element is that element; where more are added it begins with 0."""
    if options:
        pytest.importorskip("numba")
    x = tf.constant([[-0.0, -0.0]])
    spec = tf.TensorSpec([size, 2], tf.float32)
    found = (reduce if options is None else tf.function(reduce, input_signature=[spec], **options))(x).numpy()
    assert np.array_equal(np.signbit(found), np.signbit(wanted)) and not found.any()


def test_counts_are_of_integers_where_no_dtype_is_given():
    assert tf.math.bincount([1, 2, 1], dtype=None).dtype == tf.int32
    assert tf.math.bincount([1, 2], weights=[0.5, 1.0], dtype=None).numpy().tolist() == [0.0, 0.5, 1.0]
