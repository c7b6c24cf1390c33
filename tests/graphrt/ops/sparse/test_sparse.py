"""Sparse tensors, and ops that take them: they give what TensorFlow gives, eagerly and in graphs (`tests/golden/calls/ops/sparse`)."""

import pytest

import graphrt as tf
from tests.golden.checks import golden_tests

test_calls = golden_tests("ops/sparse")


def test_what_is_known_of_a_shape_grows():
    given = tf.SparseTensor([[0, 1]], [1], [3, 4])
    given.set_shape([3, None])
    assert given.shape == (3, 4)
    with pytest.raises(ValueError, match="are not compatible|must be equal|Shapes"):
        given.set_shape([3, 5])

    @tf.function(input_signature=[tf.SparseTensorSpec([None, None], tf.int32)])
    def wide(x):
        x.set_shape([3, None])
        assert x.shape.as_list() == [3, None]
        return tf.sparse.reduce_sum(x)

    assert int(wide(given)) == 1
