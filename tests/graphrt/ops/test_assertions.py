"""Assertions: as TensorFlow has them, eagerly and in graphs (`tests/golden/calls/ops/assertions.txt`)."""

import pytest

import graphrt as tf
from tests.golden.checks import golden_tests

test_calls = golden_tests("ops/assertions")


def test_messages_stand_before():
    x = tf.ones([2])
    calls = [
        lambda: tf.debugging.assert_rank(x, 2, message="m"), lambda: tf.debugging.assert_scalar(x, message="m"),
        lambda: tf.debugging.assert_type(x, tf.int32, message="m"), lambda: tf.debugging.assert_integer(x, message="m"),
        lambda: tf.debugging.assert_rank_in(x, [0, 2], message="m"),
    ]  # fmt: skip
    for call in calls:
        with pytest.raises((ValueError, TypeError), match=r"^m\.  [TEt]"):
            call()


def test_hashes_are_refused_with_the_remedy():
    with pytest.raises(TypeError, match=r"unhashable.*`tensor.ref\(\)`"):
        hash(tf.ones([2]))
    with pytest.raises(TypeError, match="RaggedTensor is unhashable"):
        hash(tf.ragged.constant([[1]]))
