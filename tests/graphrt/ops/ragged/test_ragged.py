"""Ragged tensors, and ops that take them: they give what TensorFlow gives, eagerly and in graphs (`tests/golden/calls/ops/ragged`)."""

import pytest

import graphrt as tf
from tests.golden.checks import golden_tests

test_calls = golden_tests("ops/ragged")


@pytest.mark.parametrize("dtype", [tf.int32, tf.float64, tf.bool])
def test_numbers_are_true_unless_they_are_0(dtype):
    rows = tf.cast(tf.ragged.constant([[1, 0], [], [3]]), dtype)
    for run in (lambda f: f(), lambda f: tf.function(f)()):
        assert run(lambda: tf.reduce_any(rows, axis=1)).numpy().tolist() == [True, False, True]
        assert run(lambda: tf.reduce_all(rows, axis=1)).numpy().tolist() == [False, True, True]
        assert run(lambda: tf.reduce_all(rows, axis=0)).numpy().tolist() == [True, False]
        assert bool(run(lambda: tf.reduce_any(rows))) and not run(lambda: tf.reduce_all(rows))


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
