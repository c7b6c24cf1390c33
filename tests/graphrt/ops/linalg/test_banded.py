"""Long systems with three diagonals, which are solved row after row."""

import itertools
import time

import numpy as np
import pytest

import graphrt as tf

RNG = np.random.default_rng(5)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
def test_long_systems_are_solved_as_whole_matrices_are(dtype):
    for (batch, columns), weak in itertools.product((((), 2), ((3,), 1), ((4,), 5)), (1.0, 1e-3)):
        diagonals = RNG.normal(size=(*batch, 3, 200)) + 1j * RNG.normal(size=(*batch, 3, 200))
        diagonals[..., 1, :] *= weak  # rows change places
        diagonals = diagonals.astype(dtype) if np.dtype(dtype).kind == "c" else diagonals.real.astype(dtype)
        rhs = RNG.normal(size=(*batch, 200, columns)).astype(dtype)
        found = tf.linalg.tridiagonal_solve(diagonals, rhs)
        assert found.dtype.as_numpy_dtype is dtype and found.shape == rhs.shape
        wide = diagonals.astype(np.complex128)
        rest = tf.linalg.tridiagonal_matmul(wide, found.numpy().astype(np.complex128)).numpy() - rhs
        scale = np.abs(found).max() * np.abs(wide).max()
        assert np.abs(rest).max() <= 50 * np.finfo(dtype).eps * scale, (batch, weak)


def test_a_system_without_an_answer_is_told():
    diagonals = np.ones((3, 200))
    diagonals[:, 0] = diagonals[2, 1] = 0  # the first row and column are empty
    with pytest.raises(tf.errors.InvalidArgumentError, match="not invertible"):
        tf.linalg.tridiagonal_solve(diagonals, np.ones((200, 1)))


def test_work_grows_with_the_rows():
    diagonals = np.stack([np.full(3000, 1.0), np.full(3000, 4.0), np.full(3000, 1.0)])
    started = time.process_time()
    x = tf.linalg.tridiagonal_solve(diagonals, np.full((3000, 1), 6.0)).numpy()
    assert time.process_time() - started < 1.0  # the whole matrix: more than two seconds, and 72 MB
    np.testing.assert_allclose(x[100:-100], 1.0, rtol=1e-12)
