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


HUGE = 1 << 40
ASKING = {
    "fill": lambda: tf.fill([HUGE], 1),
    "zeros": lambda: tf.zeros([1 << 20, 1 << 20]) + 1,
    "partitions": lambda: tf.dynamic_partition([1], [0], 1 << 30),
    "sparse_eye": lambda: tf.sparse.to_dense(tf.sparse.eye(HUGE)),
    "ragged_cross": lambda: tf.ragged.cross([tf.ragged.constant([["a"] * 1000])] * 4),
    "sparse_cross": lambda: tf.sparse.cross([tf.sparse.from_dense([["a"] * 1000])] * 4),
    "tri": lambda: tf.experimental.numpy.tri(1 << 24),
    "vander": lambda: tf.experimental.numpy.vander(tf.ones([1 << 10]), 1 << 40),
    "to_categorical": lambda: tf.keras.utils.to_categorical([HUGE]),
    "pad_sequences": lambda: tf.keras.utils.pad_sequences([[1]], maxlen=HUGE),
    "sequence_mask": lambda: tf.sequence_mask([HUGE]),
    "one_hot": lambda: tf.one_hot([1, 2], HUGE),
    "bincount": lambda: tf.math.bincount([1], minlength=HUGE),
    "resize": lambda: tf.image.resize(tf.ones([1, 2, 2, 1]), [1 << 24, 1 << 24]),
    "cosines": lambda: tf.signal.dct(tf.ones([4]), n=1 << 40),
}


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("ask", ASKING.values(), ids=ASKING)
def test_what_asks_for_too_much_is_refused(ask, traced):
    run = tf.function(ask, autograph=False) if traced else ask
    with pytest.raises((tf.errors.OpError, ValueError, TypeError)):
        run()


def test_expressions_that_repeat_groups_take_time_in_proportion():
    # each thread of the matching carried all that it had ever saved: half a million steps took minutes
    assert tf.strings.regex_full_match(b"a" * 20_000, "(a|aa)+$")
    assert tf.strings.regex_replace(b"a" * 2_000, "(a|aa)+$", r"\1") == b"a"
