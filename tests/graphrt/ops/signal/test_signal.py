"""Ops of signals: they give what TensorFlow gives, eagerly and in graphs (`tests/golden/calls/ops/signal`)."""

import pytest

import graphrt as tf
from tests.golden.checks import golden_tests

test_calls = golden_tests("ops/signal")


@pytest.mark.parametrize("transform", [tf.signal.dct, tf.signal.idct])
def test_a_cosine_transform_names_an_axis_that_is_out_of_range(transform):
    with pytest.raises(ValueError, match="axis 7 is out of range"):
        transform([[1.0, 1.0], [2.0, 2.0]], axis=7)
