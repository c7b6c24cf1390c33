"""Sines and cosines of single numbers are NumPy's to the last bit, whether they are written out or call its loop."""

import numpy as np
import pytest

import graphrt as tf
from graphrt.native import NativeProgram, sines

SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-38, 3.4e38, *sines.LARGEST.values()]


def numbers():
    rng = np.random.default_rng(1)
    largest = np.array(list(sines.LARGEST.values()), np.float32)
    halves = (rng.integers(-40000, 40000, 20000) + 0.5) * (np.pi / 2)
    random = [rng.standard_normal(20000) * size for size in (1e-6, 1.0, 50.0, 4e4, 1e9)]
    beside = [np.nextafter(largest, np.float32(0)), np.nextafter(largest, np.float32(np.inf)), -largest]
    return np.concatenate([SPECIAL, halves, *random, *beside]).astype(np.float32)


def one_by_one(xs):
    found = tf.TensorArray(tf.float32, tf.shape(xs)[0])
    turned = tf.TensorArray(tf.float32, tf.shape(xs)[0])
    for i in tf.range(tf.shape(xs)[0]):
        found = found.write(i, tf.sin(xs[i]))
        turned = turned.write(i, tf.cos(xs[i]))
    return found.stack(), turned.stack()


@pytest.mark.parametrize("written_out", [True, False])
def test_single_numbers_are_those_of_arrays(written_out, monkeypatch):
    with_numba = pytest.importorskip("graphrt.native.with_numba")
    monkeypatch.setenv("GRAPHRT_NATIVE_CACHE", "")
    with_numba._loop_function.cache_clear()
    if not written_out:
        monkeypatch.setattr(sines, "as_numpy", lambda ufunc: False)
    try:
        x = numbers()
        concrete = tf.function(one_by_one).get_concrete_function(x)
        native = NativeProgram(concrete.graph)
        assert "scalar_sin_float32" in native.source and "scalar_cos_float32" in native.source
        for found, ufunc in zip(native.function(x), (np.sin, np.cos)):
            with np.errstate(invalid="ignore"):
                np.testing.assert_array_equal(found.view(np.int32), ufunc(x).view(np.int32))
    finally:
        with_numba._loop_function.cache_clear()


def test_other_steps_are_found_out(monkeypatch):
    def rounded(a, b, c):
        return a * b + c

    monkeypatch.setattr(sines, "_fused", rounded)
    sines.as_numpy.cache_clear()
    assert not sines.as_numpy("sin") and not sines.as_numpy("cos")
    sines.as_numpy.cache_clear()
