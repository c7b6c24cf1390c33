"""Values at the limits of their dtypes."""

import numpy as np
import pytest

import graphrt as tf


@pytest.mark.parametrize("how", ["eager", "traced", "unknown rank"])
@pytest.mark.parametrize(
    ("dtype", "values", "norm"),
    [
        ("int8", [100, 100], 127),
        ("int8", [-128, 0], 127),
        ("uint8", [200, 200], 255),
        ("int32", [46341, 46341, 100000], 119561),
        ("int32", [-(2**31), 0], 2**31 - 1),
        ("int64", [2**40, 2**40], 1554944255987),
        ("int64", [-(2**63), 3], 2**63 - 1),
        ("int32", [], 0),
    ],
)
def test_norms_of_integers_do_not_overflow(how, dtype, values, norm):
    function = tf.math.reduce_euclidean_norm
    if how != "eager":
        shape = None if how == "unknown rank" else [len(values)]
        function = tf.function(function, input_signature=[tf.TensorSpec(shape, dtype)])
    found = function(tf.constant(values, dtype))
    assert (found.dtype.name, found.numpy(), found.shape) == (dtype, norm, ())


def test_norms_along_an_axis_do_not_overflow():
    found = tf.math.reduce_euclidean_norm(tf.constant([[3, 4], [100, 100]], tf.int8), axis=1, keepdims=True)
    assert found.numpy().tolist() == [[5], [127]]


@pytest.mark.parametrize("source", ["int8", "uint8", "int16", "int32", "uint32", "int64", "uint64"])
@pytest.mark.parametrize("target", ["bfloat16", "float16", "float32", "float64"])
def test_integers_become_floats_within_the_limits(source, target):
    if target == "bfloat16":
        pytest.importorskip("ml_dtypes")
    limits = np.iinfo(source)
    x = tf.constant([limits.min, limits.max, 7], source)
    found = tf.cast(tf.saturate_cast(x, target), tf.float64).numpy()
    limit = 65504.0 if target == "float16" else np.inf
    wanted = np.clip([float(limits.min), float(limits.max), 7.0], -limit, limit)
    np.testing.assert_allclose(found, wanted, rtol=1e-2)
