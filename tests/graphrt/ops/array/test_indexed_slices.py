"""Gradients of looked-up rows are slices, as recorded from TensorFlow."""

import numpy as np
import pytest

import graphrt as tf
from graphrt.ops.array.indexed_slices import IndexedSlicesSpec

TABLE = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
V = tf.Variable(TABLE)
X = tf.constant(TABLE)
INDEX = tf.constant([0, 2, 0])
ONES = [[1.0, 1.0]] * 3


def told(g):
    """Slices as (values, indices, index dtype, shape, shape dtype); tensors as lists."""
    if not isinstance(g, tf.IndexedSlices):
        return g.numpy().tolist()
    shape = g.dense_shape
    return g.values.numpy().tolist(), g.indices.numpy().tolist(), g.indices.dtype.name, shape.numpy().tolist()


ROWS = (ONES, [0, 2, 0], "int32", [3, 2])
CASES = {  # what TensorFlow 2.20 gives
    "variable": (lambda: tf.gather(V, INDEX), V, ROWS),
    "tensor": (lambda: tf.gather(X, INDEX), X, ROWS),
    "int64, matrix": (
        lambda: tf.gather(V, tf.constant([[0, 1], [2, 2]], tf.int64)),
        V,
        ([[1.0, 1.0]] * 4, [0, 1, 2, 2], "int64", [3, 2]),
    ),
    "scalar": (lambda: tf.gather(V, 1), V, ([[1.0, 1.0]], [1], "int32", [3, 2])),
    "other axis": (lambda: tf.gather(X, [0, 1, 1], axis=1), X, [[1.0, 2.0]] * 3),
    "batch": (lambda: tf.gather(X, [[0, 1], [1, 1], [0, 0]], batch_dims=1), X, [[1.0, 1.0], [0.0, 2.0], [2.0, 0.0]]),
    "embedding": (lambda: tf.nn.embedding_lookup(V, INDEX), V, ROWS),
    "sparse_read": (lambda: V.sparse_read(INDEX), V, ROWS),
    "gather_nd": (lambda: tf.gather_nd(X, [[0], [2]]), X, ([[1.0, 1.0]] * 2, [0, 2], "int32", [3, 2])),
    "gather_nd of a variable": (lambda: tf.gather_nd(V, [[0], [2]]), V, ([[1.0, 1.0]] * 2, [0, 2], "int32", [3, 2])),
    "identity": (lambda: tf.gather(tf.identity(X), INDEX), X, ROWS),
    "through an op": (lambda: tf.gather(X * 2.0, INDEX), X, [[4.0, 4.0], [0.0, 0.0], [2.0, 2.0]]),
    "twice": (
        lambda: tf.reduce_sum(tf.gather(V, INDEX)) + tf.reduce_sum(tf.gather(V, [1]) * 2.0),
        V,
        ([*ONES, [2.0, 2.0]], [0, 2, 0, 1], "int32", [3, 2]),
    ),
    "with a tensor": (
        lambda: tf.reduce_sum(tf.gather(V, INDEX)) + tf.reduce_sum(V * V),
        V,
        [[4.0, 6.0], [6.0, 8.0], [11.0, 13.0]],
    ),
    "in a function": (tf.function(lambda: tf.gather(V, INDEX)), V, ROWS),
    "in a branch": (lambda: tf.cond(tf.constant(True), lambda: tf.gather(V, INDEX), lambda: tf.zeros([3, 2])), V, ROWS),
}


def loop(n):
    y = tf.zeros([3, 2])
    for _ in tf.range(n):
        y = y + tf.gather(V, INDEX)
    return y


def gradient(f, source):
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = f()
    return tape.gradient(y, source)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("place", ["eager", "graph", "tf.gradients"])
def test_gradient(name, place):
    f, source, expected = CASES[name]
    if place == "eager":
        found = gradient(f, source)
    elif place == "graph":
        found = tf.function(lambda: gradient(f, source))()
    else:
        found = tf.function(lambda: tf.gradients(f(), source))()[0]
    assert told(found) == (list(expected) if isinstance(expected, list) else expected)


def test_loops_give_tensors():
    expected = [[4.0, 4.0], [0.0, 0.0], [2.0, 2.0]]
    assert told(gradient(lambda: tf.function(loop)(tf.constant(2)), V)) == expected
    assert told(tf.function(lambda n: gradient(lambda: loop(n), V))(tf.constant(2))) == expected


def test_the_branch_that_did_not_run_gives_no_rows():
    @tf.function
    def f(p):
        return gradient(lambda: tf.cond(p, lambda: tf.gather(V, INDEX), lambda: tf.zeros([3, 2])), V)

    g = f(tf.constant(False))
    assert isinstance(g, tf.IndexedSlices)
    assert g.indices.shape == (0,)
    assert not g.numpy().any()


def test_what_ops_do_with_slices():
    g = gradient(lambda: tf.gather(V, INDEX), V)
    whole = np.array([[2.0, 2.0], [0.0, 0.0], [1.0, 1.0]])
    for found, expected in [
        (g + X, whole + X.numpy()), (X - g, X.numpy() - whole), (tf.add_n([g, g]), 2 * whole), (tf.square(g), whole**2),
        (tf.reduce_sum(g), 6.0), (tf.matmul(g, tf.ones([2, 2])), whole @ np.ones((2, 2))), (g * X, whole * X.numpy()),
        (X.numpy() * g, whole * X.numpy()),
    ]:  # fmt: skip
        np.testing.assert_array_equal(found.numpy(), expected)
    for found, scale in [
        (2.0 * g, 2.0), (g / 2.0, 0.5), (-g, -1.0), (tf.identity(g), 1.0), (tf.stop_gradient(g), 1.0),
        (tf.clip_by_norm(g, 1.0), 1 / np.sqrt(6)), (tf.clip_by_global_norm([g], 1.0)[0][0], 1 / np.sqrt(6)),
        (tf.clip_by_value(g, -0.5, 0.5), 0.5), (tf.cast(g, tf.float64), 1.0),
    ]:  # fmt: skip
        assert isinstance(found, tf.IndexedSlices)
        np.testing.assert_allclose(found.values.numpy(), scale * np.ones((3, 2)), rtol=1e-6)
    assert tf.cast(g, tf.float64).dtype is tf.float64
    np.testing.assert_allclose(tf.linalg.global_norm([g]).numpy(), np.sqrt(6), rtol=1e-6)
    assert g.shape == (3, 2)


def test_they_pass_functions_branches_and_structures():
    g = gradient(lambda: tf.gather(V, INDEX), V)
    assert tf.function(lambda z: z.values * 2.0)(g).shape == (3, 2)
    assert told(tf.function(lambda: g)()) == ROWS
    picked = tf.function(lambda p: tf.cond(p, lambda: g, lambda: 2.0 * g))(tf.constant(False))
    assert picked.values.numpy().tolist() == [[2.0, 2.0]] * 3
    assert len(tf.nest.flatten([g, X])) == 2
    assert len(tf.nest.flatten([g, X], expand_composites=True)) == 4
    spec = IndexedSlicesSpec([None, 2], tf.float32, tf.int32, tf.int32)
    f = tf.function(lambda z: tf.convert_to_tensor(z), input_signature=[spec])
    assert f(g).shape == (3, 2)
    assert f.experimental_get_tracing_count() == 1


def test_variables_take_them():
    g = gradient(lambda: tf.gather(V, INDEX), V)
    w = tf.Variable(TABLE)
    w.scatter_sub(g)
    assert w.numpy().tolist() == [[-1.0, 0.0], [3.0, 4.0], [4.0, 5.0]]
    w.assign_add(g)
    assert w.numpy().tolist() == TABLE


def test_second_derivatives_and_jacobians():
    for f in (lambda: tf.gather(V, INDEX) ** 2.0, tf.function(lambda: tf.gather(V, INDEX) ** 2.0)):
        with tf.GradientTape() as outer:
            g = gradient(f, V)
            whole = tf.convert_to_tensor(g)
        assert outer.gradient(whole, V).values.numpy().tolist() == [[2.0, 2.0]] * 3
    with tf.GradientTape() as tape:
        y = tf.gather(V, INDEX)
    assert tape.jacobian(y, V).shape == (3, 2, 3, 2)
    with tf.autodiff.ForwardAccumulator(X, tf.ones_like(X)) as acc:
        y = tf.gather(X, INDEX)
    assert acc.jvp(y).numpy().tolist() == ONES


def test_a_gradient_of_the_users_own_may_be_slices():
    @tf.custom_gradient
    def rows(x):
        return tf.gather(x, INDEX), lambda g: tf.IndexedSlices(g * 10.0, INDEX, tf.constant([3, 2]))

    for f in (rows, tf.function(rows)):
        assert told(gradient(lambda f=f: f(X), X)) == ([[10.0, 10.0]] * 3, [0, 2, 0], "int32", [3, 2])
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = X * 3.0
    g = tape.gradient(y, X, output_gradients=tf.IndexedSlices(ONES, INDEX, [3, 2]))
    assert g.numpy().tolist() == [[6.0, 6.0], [0.0, 0.0], [3.0, 3.0]]


def test_slices_of_a_graph_know_their_graph():
    seen = []

    @tf.function
    def f(x):
        slices = tf.IndexedSlices(x * 2.0, tf.constant([1]), tf.constant([3, 2]))
        seen.append(slices.graph is x.graph and slices.op.graph is x.graph)
        return tf.convert_to_tensor(slices)

    assert f(tf.constant([[1.0, 2.0]])).numpy().tolist() == [[0.0, 0.0], [2.0, 4.0], [0.0, 0.0]] and seen == [True]


def test_specs_tell_what_they_were_made_of():
    spec = IndexedSlicesSpec([10, 2], tf.float64, tf.int32, tf.int32, [4])
    assert (spec.value_type, spec.dtype, spec.indices_dtype) == (tf.IndexedSlices, tf.float64, tf.int32)
    assert spec.dense_shape_dtype is tf.int32 and spec.indices_shape == [4] and spec.shape == [10, 2]
    rows = tf.IndexedSlices(tf.zeros([4, 2], tf.float64), tf.zeros([4], tf.int32), tf.constant([10, 2]))
    assert spec.is_compatible_with(rows) and not spec.is_compatible_with(tf.zeros([10, 2], tf.float64))


@pytest.mark.parametrize(
    "rows", [
        lambda x: tf.repeat(x, [1, 0, 2], axis=0), lambda x: tf.signal.frame(x, 2, 1, axis=0),
        lambda x: tf.sparse.segment_sum(x, [0, 2], [0, 0]),
        lambda x: tf.sparse.reorder(tf.SparseTensor([[2], [0], [1]], x[:, 0], [3])).values,
        lambda x: tf.sparse.sparse_dense_matmul(tf.sparse.eye(3), x), lambda x: tf.gather(x[:, 0], [0, 1], axis=-1),
        lambda x: tf.gather(x, [0, 1], axis=-2),
    ], ids=["repeat", "frame", "segment_sum", "reorder", "sparse_dense_matmul", "gather -1", "gather -2"],
)  # fmt: skip
def test_what_only_happens_to_look_up_rows_has_a_whole_gradient(rows):
    x = tf.constant([[3.0, 1.0], [1.0, 2.0], [2.0, 5.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = rows(x)
    assert isinstance(tape.gradient(y, x), tf.Tensor)  # as TensorFlow 2.20's


def test_segments_give_rows_where_they_are_asked_to():
    x = tf.ones([3, 2])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.sparse.segment_sum(x, [0, 2], [0, 0], sparse_gradient=True)
    assert isinstance(tape.gradient(y, x), tf.IndexedSlices)
