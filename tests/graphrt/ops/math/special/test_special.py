"""Special functions: they give what TensorFlow gives, eagerly and in graphs (`tests/golden/calls/ops/math/special`)."""

import numpy as np

import graphrt as tf
from tests.golden.checks import golden_tests

test_calls = golden_tests("ops/math/special")


def test_zeta_at_its_poles():
    """Recorded from TensorFlow 2.20: even powers have a pole of one sign, others of two, or none that is real."""
    inf, nan = np.inf, np.nan
    s = [2.0, 2.25, 3.0, 4.0, 1.0, inf, 5.5]
    for q in (-3.0, -1.0, 0.0, -0.0):
        np.testing.assert_array_equal(tf.math.zeta(tf.constant(s, tf.float64), q), [inf, nan, nan, inf, inf, inf, nan])
