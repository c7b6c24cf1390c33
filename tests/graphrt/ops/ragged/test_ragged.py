"""Ragged tensors, and ops that take them: they give what TensorFlow gives, eagerly and in graphs (`tests/golden/calls/ops/ragged`)."""

import pytest

import graphrt as tf
from tests.golden.checks import golden_tests

test_calls = golden_tests("ops/ragged")


@pytest.mark.parametrize("reduce", [tf.reduce_any, tf.reduce_all])
def test_floats_have_no_truth(reduce):
    with pytest.raises((TypeError, ValueError), match="float32 is given where bool is needed"):
        reduce(tf.ragged.constant([[1.0], [2.0, 3.0]]))


def test_a_ragged_axis_of_sums_is_refused():
    ragged = tf.ragged.constant([[1], [2, 3]])
    for x in (tf.ones([2, 2]), ragged):
        with pytest.raises(TypeError, match="Cumsum: a RaggedTensor is given where a tensor is needed"):
            tf.cumsum(x, axis=ragged)


def test_flat_values_of_known_and_unknown_numbers_of_rows_are_mapped_together():
    known = tf.ragged.constant([[1], [2, 3]])
    for run in (
        lambda r: tf.ragged.map_flat_values(tf.add, r, known),
        lambda r: tf.ragged.map_flat_values(tf.add, known, r),
    ):
        staged = tf.function(run, input_signature=[tf.RaggedTensorSpec([None, None], tf.int32)])
        assert staged(tf.ragged.constant([[10], [20, 30]])).to_list() == [[11], [22, 33]]
        for other in ([[10, 1], [30]], [[10], [20, 30], []], [[10], [20], [30]], [[1, 2, 3]]):
            for call in (run, staged):
                with pytest.raises(tf.errors.InvalidArgumentError, match="partitions have incompatible row splits"):
                    call(tf.ragged.constant(other))
