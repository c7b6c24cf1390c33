"""Kernels that iterate end, whatever they are given: matrices with NaN or inf, parameters of no distribution."""

import numpy as np
import pytest

import graphrt as tf

MATRIX = np.random.RandomState(0).rand(40, 40)
BAD = MATRIX.copy()
BAD[3, 2] = np.nan
INFINITE = MATRIX.copy()
INFINITE[7, 5] = -np.inf
ONES = np.ones((40, 1))


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("matrix", [BAD, INFINITE], ids=["nan", "inf"])
@pytest.mark.parametrize(
    "function",
    [
        tf.linalg.svd,
        lambda m: tf.linalg.svd(m, compute_uv=False),
        lambda m: tf.linalg.svd(m, full_matrices=True),
        tf.linalg.pinv,
        tf.linalg.eigh,
        tf.linalg.eigvalsh,
        tf.linalg.sqrtm,
        lambda m: tf.linalg.lstsq(m, ONES, fast=False),
        lambda m: tf.norm(m, ord=2, axis=[0, 1]),
        lambda m: tf.raw_ops.MatrixSolveLs(matrix=m, rhs=ONES, l2_regularizer=np.float64(0), fast=False),
    ],
    ids=["svd", "values", "full", "pinv", "eigh", "eigvalsh", "sqrtm", "lstsq", "norm", "solve_ls"],
)
def test_matrices_that_are_not_finite_give_nan(function, matrix, traced):
    run = tf.function(function) if traced else function
    for value in tf.nest.flatten(run(tf.constant(matrix))):
        assert np.isnan(value.numpy()).all()


def test_the_other_matrices_of_a_batch_are_decomposed():
    s = tf.linalg.svd(tf.constant([MATRIX, BAD]), compute_uv=False).numpy()
    np.testing.assert_array_equal(s[0], np.linalg.svd(MATRIX, compute_uv=False))
    assert np.isnan(s[1]).all()
    assert np.isnan(tf.linalg.svd(tf.constant(BAD.astype("complex64")), compute_uv=False).numpy()).all()


def test_eigenvalues_look_at_the_lower_triangle_alone():
    upper = np.array([[1.0, np.nan], [2.0, 3.0]])
    np.testing.assert_allclose(tf.linalg.eigvalsh(upper), [2 - 5**0.5, 2 + 5**0.5])


@pytest.mark.parametrize("alpha", [np.nan, -1.0])
def test_gamma_samples_of_what_has_no_distribution_are_nan(alpha):
    assert np.isnan(tf.random.stateless_gamma([3], [1, 2], alpha)).all()
    found = tf.random.gamma([5], [alpha, 2.0, 1.0]).numpy()
    assert np.isnan(found[:, 0]).all() and (found[:, 1:] > 0).all()


def test_permutations_of_too_many_rounds_are_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match="rounds must be at most 1024"):
        tf.raw_ops.RandomIndexShuffle(index=1, seed=[1, 2, 3], max_index=10, rounds=2**40)
    with pytest.raises(tf.errors.InvalidArgumentError, match="seed must be two integers"):
        tf.random.experimental.index_shuffle(1, [1, 2, 3], 10)
