"""Quotients and remainders by powers of two, which programs take from the bits."""

import numpy as np
import pytest

import graphrt as tf


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32, np.int64, np.uint32])
@pytest.mark.parametrize("divisor", [1, 2, 3, 64])
def test_quotients_and_remainders_are_those_of_numpy(kind, divisor):
    ends = np.iinfo(kind)
    x = np.array([ends.min, ends.min + 1, 0, 1, 2, 7, 100, ends.max - 1, ends.max], kind)

    @tf.function
    def both(x):
        return x % divisor + 0, x // divisor

    for given in (x, x.reshape(3, 3), *x):
        rest, quotient = both(tf.constant(given))
        np.testing.assert_array_equal(rest, np.remainder(given, kind(divisor)))
        np.testing.assert_array_equal(quotient, np.floor_divide(given, kind(divisor)))
        assert rest.dtype == quotient.dtype == kind


def test_the_program_takes_bits():
    source = tf.function(lambda x: (x % 8, x // 8, x % 6)).get_concrete_function(tf.TensorSpec([None], tf.int64)).source
    assert " & " in source and " >> " in source and " % " in source
