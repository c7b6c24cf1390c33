"""Choosing by bits, and limits of large arrays, give what NumPy gives, to the last bit."""

import numpy as np
import pytest

import graphrt as tf
from graphrt.ops.support.kernel_helpers import between, limited, select

RNG = np.random.default_rng(3)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int8, np.int16, np.int64, np.bool_])
def test_large_arrays_are_chosen_from_as_small_ones_are(dtype):
    for shape in ((40_000,), (3, 70_000)):
        condition = RNG.random(shape) > 0.5
        a, b = (RNG.integers(0, 2, (*shape, np.dtype(dtype).itemsize), np.uint8) * 127 for _ in range(2))
        a, b = (v.view(dtype)[..., 0] if dtype is not np.bool_ else v[..., 0] > 0 for v in (a, b))
        for x, y in ((a, b), (a[..., 0].reshape(-1)[0], b), (a, b[..., 1].reshape(-1)[0]), (a[..., ::-1], b)):
            found, wanted = select(condition, x, y), np.where(condition, x, y)
            assert found.dtype == wanted.dtype and found.shape == wanted.shape
            assert found.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int8, np.uint16, np.int64])
@pytest.mark.parametrize("extremum", [np.maximum, np.minimum])
def test_large_arrays_are_limited_as_small_ones_are(dtype, extremum):
    x = (RNG.random((7, 11_111)) * 8).astype(dtype)
    if x.dtype.kind == "f":
        x[:, :3] = np.nan, np.inf, -np.inf
    limit, wanted = x.dtype.type(3), extremum(x, x.dtype.type(3))
    for array in (x, x[:, ::-1], x.T):
        found = limited(extremum, array, limit)
        assert found.dtype == x.dtype and np.array_equal(found, extremum(array, limit), equal_nan=x.dtype.kind == "f")
    assert limited(extremum, x, limit, x) is x and x.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int8])
@pytest.mark.parametrize(("low", "high"), [(1, 3), (3, 3), (3, 1), (np.nan, 3), (1, np.nan), (1, np.inf)])
def test_large_arrays_between_two_numbers(dtype, low, high):
    if dtype is np.int8 and not (np.isfinite(low) and np.isfinite(high)):
        return
    x = (RNG.random((7, 11_111)) * 8 - 2).astype(dtype)
    if x.dtype.kind == "f":
        x[:, :3] = np.nan, np.inf, -np.inf
    low, high = x.dtype.type(low), x.dtype.type(high)
    wanted = np.maximum(np.minimum(x, high), low)
    for array in (x, x[:, ::-1][:, ::-1], x.T.copy().T):
        found = between(array, low, high)
        assert found.dtype == x.dtype and np.array_equal(found, wanted, equal_nan=x.dtype.kind == "f")
    assert between(x, low, high, x) is x and np.array_equal(x, wanted, equal_nan=x.dtype.kind == "f")


@pytest.mark.parametrize("alpha", [0.0, 1e-3, 0.2, 1.0, 1.5, -0.5])
def test_leaky_relu_is_what_its_formula_says(alpha):
    x = np.array([0.0, -0.0, np.nan, np.inf, -np.inf, 1e-7, -1e-7, 6e-8, -6e-8, 2.0, -3.0], np.float32)
    with np.errstate(all="ignore"):
        wanted = np.where(x > 0, x, x * np.float32(alpha))
    assert np.array_equal(tf.nn.leaky_relu(x, alpha).numpy().view(np.int32)[3:], wanted.view(np.int32)[3:])
    assert np.array_equal(np.signbit(tf.nn.leaky_relu(x, alpha).numpy()[:2]), np.signbit(wanted[:2]))


def test_conditions_that_are_views_of_bytes():
    size = 80_000
    condition = np.resize(np.array([2, 0, 1, 255], np.uint8), size).view(bool)
    a, b = np.arange(size, dtype=np.float32), np.arange(size, dtype=np.float32)[::-1].copy()
    np.testing.assert_array_equal(tf.where(condition, a, b), np.where(condition, a, b))
