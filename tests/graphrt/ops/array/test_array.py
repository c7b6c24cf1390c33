"""Ops on the shape and the order of elements: they give what TensorFlow gives, eagerly and in graphs (`tests/golden/calls/ops/array`)."""

import pytest

import graphrt as tf
from tests.golden.checks import golden_tests

test_calls = golden_tests("ops/array")


# how many numbers TensorFlow 2.20 gives: of float32, float64, bfloat16, float16
@pytest.mark.parametrize(
    ("limits", "wanted"),
    [
        ((0.1, 1.1, 0.1), (10, 10, 10, 10)), ((0.1, 0.4, 0.1), (3, 4, 3, 3)), ((1.0, 1.3, 0.1), (3, 4, 3, 3)),
        ((0.0, 3.0, 0.3), (10, 10, 10, 10)), ((2.0, 0.0, -0.1), (20, 20, 20, 20)), ((1.2, 11.9, 0.3), (36, 36, 36, 36)),
    ],
)  # fmt: skip
def test_how_many_numbers_a_range_has(limits, wanted):
    kinds = (tf.float32, tf.float64, tf.bfloat16, tf.float16)
    found, traced, ragged = [], [], []
    for kind in kinds:
        given = [tf.constant(v, kind) for v in limits]
        found.append(tf.range(*given).shape[0])
        traced.append(tf.function(lambda given=given: tf.range(*given))().shape[0])
        assert tf.function(tf.range)(*given).shape[0] == found[-1]
        if kind in (tf.float32, tf.float64):
            ragged.append(int(tf.ragged.range(*given).row_lengths()[0]))
    assert tuple(found) == tuple(traced) == wanted and tuple(ragged) == wanted[:2]
    assert tf.keras.ops.arange(*limits).shape[0] == wanted[0]
    assert tf.keras.ops.arange(*limits, dtype="float64").shape[0] == wanted[1]
