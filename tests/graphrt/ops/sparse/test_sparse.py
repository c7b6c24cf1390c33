"""Sparse tensors, and ops that take them: they give what TensorFlow gives, eagerly and in graphs (`tests/golden/calls/ops/sparse`)."""

import numpy as np
import pytest

import graphrt as tf
from tests.golden.checks import golden_tests

test_calls = golden_tests("ops/sparse")


def test_what_is_known_of_a_shape_grows():
    given = tf.SparseTensor([[0, 1]], [1], [3, 4])
    given.set_shape([3, None])
    assert given.shape == (3, 4)
    with pytest.raises(ValueError, match="are not compatible|must be equal|Shapes"):
        given.set_shape([3, 5])

    @tf.function(input_signature=[tf.SparseTensorSpec([None, None], tf.int32)])
    def wide(x):
        x.set_shape([3, None])
        assert x.shape.as_list() == [3, None]
        return tf.sparse.reduce_sum(x)

    assert int(wide(given)) == 1


def test_products_at_places_of_batches():
    rng = np.random.default_rng(3)
    one, two = rng.normal(size=(2, 3, 4)).astype("f"), rng.normal(size=(2, 4, 5)).astype("f")
    at = np.array([[[0, 4], [2, 1]], [[1, 1], [0, 0]]])
    values = np.array([[1, 2], [3, 4]], "f")
    found = tf.sparse.sampled_addmm(at, values, [3, 5], one, two, alpha=0.5, beta=2.0)
    whole = 0.5 * one @ two
    expected = np.stack([whole[b][tuple(at[b].T)] for b in range(2)]) + 2 * values
    np.testing.assert_allclose(found[1], expected, rtol=1e-5)
    assert found[0].shape == (2, 2, 2) and found[2].numpy().tolist() == [3, 5]
    alone = tf.sparse.sampled_addmm(at[0], values[0], [3, 5], one[0], two[0], alpha=0.5, beta=2.0)
    np.testing.assert_allclose(alone[1], expected[0], rtol=1e-5)


def test_many_sequences_have_the_distances_that_they_have_alone():
    generator = np.random.default_rng(7)
    sides = [[generator.integers(0, 4, n).tolist() for n in generator.integers(0, 13, 200)] for _ in range(2)]
    ours, theirs = (tf.ragged.constant(rows, dtype=tf.int64).to_sparse() for rows in sides)
    found = tf.edit_distance(ours, theirs, normalize=False).numpy()
    for i, (a, b) in enumerate(zip(*sides)):
        if a and b:
            one, two = (tf.sparse.from_dense([np.add(v, 1)]) for v in (a, b))
            assert found[i] == tf.edit_distance(one, two, normalize=False).numpy()[0]
        else:
            assert found[i] == max(len(a), len(b))


def test_the_gradient_of_a_product_is_dense():
    matrix = tf.Variable(tf.ones([2, 1]))
    with tf.GradientTape() as tape:
        found = tf.sparse.sparse_dense_matmul(tf.sparse.from_dense([[1.0, 0.0], [2.0, 0.0]]), matrix)
    gradient = tape.gradient(found, matrix)
    assert isinstance(gradient, tf.Tensor) and gradient.numpy().tolist() == [[3.0], [0.0]]


@pytest.mark.parametrize("dtype", ["int64", "uint8", "string"])
def test_sets_are_those_of_python(dtype):
    rng = np.random.default_rng(5)
    a, b = (rng.integers(0, 6, (3, 40, size)) for size in (4, 7))
    ours, theirs = (v.astype(str).astype(object) if dtype == "string" else v.astype(dtype) for v in (a, b))
    rules = {tf.sets.union: set.union, tf.sets.intersection: set.intersection, tf.sets.difference: set.difference}
    for function, rule in rules.items():
        found = function(tf.constant(ours, dtype), tf.constant(theirs, dtype))
        wanted = [sorted(rule({*x}, {*y})) for x, y in zip(a.reshape(-1, 4).tolist(), b.reshape(-1, 7).tolist())]
        assert tf.sets.size(found).numpy().reshape(-1).tolist() == list(map(len, wanted))
        assert found.values.numpy().astype(int).tolist() == [v for row in wanted for v in row]
        assert found.shape == (3, 40, max(map(len, wanted)))


def test_sets_of_rows_and_elements_that_are_far_apart():
    one = tf.SparseTensor([[0, 0], [1 << 40, 1]], tf.constant([5, -(1 << 62)], tf.int64), [1 << 41, 2])
    found = tf.sets.union(one, one)
    assert found.indices.numpy().tolist() == [[0, 0], [1 << 40, 0]]
    assert found.values.numpy().tolist() == [5, -(1 << 62)]


def test_what_is_crossed_has_as_many_rows():
    for module in (tf.sparse, tf.ragged):
        for function in (module.cross, module.cross_hashed):
            with pytest.raises(tf.errors.InvalidArgumentError, match="same batch"):
                function([tf.constant([["a"], ["b"]]), tf.constant([["c"]])])


def test_many_combinations_are_hashed_as_few_are():
    texts = [
        tf.constant([[f"{column}{i}" * (i % 9) for column in "ab"] for i in range(start, 60, 7)]) for start in (0, 3)
    ]
    numbers = tf.range(16)[:8, None]
    inputs = [texts[0][:8], texts[1][:8], numbers]
    one_by_one = [tf.sparse.cross_hashed([v[i : i + 1] for v in inputs]).values for i in range(8)]
    assert np.array_equal(tf.sparse.cross_hashed(inputs).values, tf.concat(one_by_one, 0))
    assert np.array_equal(tf.ragged.cross_hashed(inputs).values, tf.concat(one_by_one, 0))
