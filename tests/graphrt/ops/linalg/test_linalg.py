"""Ops of linear algebra: they give what TensorFlow gives, eagerly and in graphs (`tests/golden/calls/ops/linalg`)."""

import numpy as np
import pytest

import graphrt as tf
from tests.golden.checks import golden_tests

test_calls = golden_tests("ops/linalg")


def test_matrices_of_a_batch_are_factored_as_each_alone_is():
    batch = np.random.default_rng(2).standard_normal((3, 2, 4, 4)).astype(np.float32)
    packed, order = tf.linalg.lu(batch)
    for at in np.ndindex(3, 2):
        alone, turned = tf.linalg.lu(batch[at])
        assert packed.numpy()[at].tobytes() == alone.numpy().tobytes()
        assert order.numpy()[at].tolist() == turned.numpy().tolist()
    assert tf.linalg.lu(batch[:, :, :0, :0]).lu.shape == (3, 2, 0, 0)
    assert tf.linalg.lu(batch[:0]).p.shape == (0, 2, 4)


@pytest.mark.parametrize("traced", [False, True])
def test_triangular_matrices_with_zeros_on_the_diagonal(traced):
    def f(m, b):
        factors = (tf.constant([[1.0, 2.0], [2.0, 0.0]]), [0, 1])
        return (
            tf.linalg.triangular_solve(m, b),
            tf.linalg.lu_matrix_inverse(*factors),
            tf.linalg.lu_solve(*factors, b[0]),
        )

    m = tf.constant([[[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [2.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]])
    b = tf.constant([[[1.0], [2.0]]] * 3)
    solved, inverse, through = (tf.function(f) if traced else f)(m, b)
    nan, inf = np.nan, np.inf
    # TensorFlow 2.20's answers
    np.testing.assert_array_equal(solved.numpy()[..., 0], [[1, 2], [1, nan], [inf, nan]])
    np.testing.assert_array_equal(inverse, [[inf, -inf], [-inf, inf]])
    np.testing.assert_array_equal(through, [[nan], [nan]])


@pytest.mark.parametrize("known", ["sizes", "ranks", "nothing"])
@pytest.mark.parametrize(
    ("equation", "left", "right"),
    [
        ("...i,...i->...", (1, 5), (4, 5)), ("...i,...i->...", (5,), (4, 5)), ("...ij,...jk->...ik", (3, 1, 2, 3), (4, 3, 2)),
        ("i...,i...->...", (3, 1), (3, 4)), ("...i,...j->...ij", (0, 5), (1, 2)), ("b...i,b...i->b", (2, 1, 3), (2, 4, 3)),
        ("...i,...i->", (4, 3), (1, 3)), ("...i,i->i", (4, 3), (3,)),
    ],
)  # fmt: skip
def test_gradients_of_einsum_have_the_shapes_of_the_operands(equation, left, right, known):
    def slopes(x, y):
        with tf.GradientTape() as tape:
            tape.watch((x, y))
            total = tf.reduce_sum(tf.einsum(equation, x, y))
        return tape.gradient(total, (x, y))

    rng = np.random.default_rng(0)
    values = [rng.standard_normal(shape) for shape in (left, right)]
    dims = {"sizes": lambda v: v.shape, "ranks": lambda v: [None] * v.ndim, "nothing": lambda v: None}[known]
    f = tf.function(slopes, input_signature=[tf.TensorSpec(dims(v), tf.float64) for v in values])
    found = f(*map(tf.constant, values))
    assert [tuple(g.shape) for g in found] == [left, right]
    for g, v, other in zip(found, values, reversed(values)):
        shift = rng.standard_normal(v.shape)  # the product is linear in each operand
        pair = (shift, other) if v is values[0] else (other, shift)
        np.testing.assert_allclose(
            np.sum(g.numpy() * shift), tf.reduce_sum(tf.einsum(equation, *pair)), rtol=1e-9, atol=1e-12
        )


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("dims", [(2, 2), (3, 2, 2)])
def test_an_array_in_a_product_takes_the_dtype_of_the_tensor_beside_it(traced, dims):
    """NumPy's arrays are of 64 bits where nobody says something else."""
    floats, ints = np.full(dims, 0.5), np.full(dims, 2)

    def run(x, n):
        return [
            tf.matmul(x, floats),
            tf.matmul(floats, x),
            x @ floats,
            floats @ x,
            tf.matmul(x, ints),
            tf.matmul(n, ints),
            tf.matmul(ints, n),
        ]

    run = tf.function(run, autograph=False) if traced else run
    found = run(tf.ones(dims), tf.ones(dims, tf.int32))
    assert [y.dtype.name for y in found] == ["float32"] * 5 + ["int32"] * 2
    assert [float(tf.reduce_max(y)) for y in found] == [1.0, 1.0, 1.0, 1.0, 4.0, 4.0, 4.0]
    assert tf.matmul(floats, floats.astype(np.float32)).dtype == tf.float64
    for array in (floats, floats * 1j):  # which would lose something
        with pytest.raises(TypeError, match="int32"):
            tf.matmul(tf.ones(dims, tf.int32), array)
