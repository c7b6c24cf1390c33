"""Frozen functions: the same results, no variable left, and a place for what cannot be frozen."""

import numpy as np
import pytest

import graphrt as tf
from graphrt.graphdef import import_graph_def
from graphrt.state.resource_ops import ReadVariableOp

W = np.arange(6.0, dtype=np.float32).reshape(3, 2)


def frozen_of(function, *specs):
    concrete = function.get_concrete_function(*specs)
    return concrete, tf.freeze(concrete)


def ops_of(concrete):
    graphs = (concrete.graph, *concrete.graph.functions().values())
    return {node.type for graph in graphs for node in graph.nodes}


def everywhere():
    """A function that reads variables in loops, branches and calls."""
    w, limit, scale = tf.Variable(W), tf.Variable(2), tf.Variable(5.0)
    big = tf.constant(np.arange(300.0, dtype=np.float32))

    @tf.function
    def inner(x):
        return x @ w + scale

    @tf.function
    def f(x, n):
        i, total = 0, tf.zeros([2, 2])
        while i < n:
            if i > limit:
                total += inner(x)
            else:
                total += x @ w * 2.0
            i += 1
        return {"total": total + tf.reduce_sum(big), "rows": tf.map_fn(lambda row: row * scale, x)}

    return f, (w, limit, scale)


def test_variables_in_loops_branches_and_calls_become_constants():
    function, variables = everywhere()
    concrete, frozen = frozen_of(function, tf.TensorSpec([2, 3]), tf.TensorSpec([], tf.int32))
    x, n = tf.constant(np.random.default_rng(0).random((2, 3), np.float32)), tf.constant(6)
    before = concrete(x, n)
    variables[0].assign(np.zeros_like(W))
    after = frozen(x, n)
    assert {k: v.numpy().tolist() for k, v in after.items()} == {k: v.numpy().tolist() for k, v in before.items()}
    assert not frozen.graph.captures
    assert not frozen.graph.variables
    assert ReadVariableOp.type not in ops_of(frozen)
    assert "StatelessWhile" in ops_of(frozen)
    assert "While" not in ops_of(frozen)


def test_a_frozen_graph_goes_through_bytes():
    function, _ = everywhere()
    concrete, frozen = frozen_of(function, tf.TensorSpec([2, 3]), tf.TensorSpec([], tf.int32))
    graph = import_graph_def(frozen.graph.as_graph_def().SerializeToString())
    assert [v.dims for v in graph.outputs] == [v.dims for v in frozen.graph.outputs]
    assert len(graph.inputs) == 2
    assert concrete.graph.captures


def test_gradients_flow_through_a_frozen_function():
    function, _ = everywhere()
    _, frozen = frozen_of(function, tf.TensorSpec([2, 3]), tf.TensorSpec([], tf.int32))
    x = tf.constant(np.ones((2, 3), np.float32))
    with tf.GradientTape() as tape:
        tape.watch(x)
        total = tf.reduce_sum(frozen(x, tf.constant(4))["total"])
    rows = W.sum(1)
    assert tape.gradient(total, x).numpy().tolist() == [(rows * 7).tolist()] * 2  # three times doubled, once not


@pytest.mark.parametrize("what", [
    lambda w: tf.gather(w, [2, 0]), lambda w: tf.gather_nd(w, [[1, 1]]), lambda w: tf.shape(w), lambda w: w[1:],
    lambda w: w.is_initialized(), lambda w: tf.nn.embedding_lookup(w, [[0], [2]]), lambda w: w.sparse_read([1]),
])  # fmt: skip
def test_each_way_to_read(what):
    w = tf.Variable(W)
    concrete, frozen = frozen_of(tf.function(lambda: what(w)))
    assert np.array_equal(frozen().numpy(), concrete().numpy())
    assert not frozen.graph.captures


def test_what_writes_is_refused_with_its_place():
    w = tf.Variable(W)
    concrete = tf.function(lambda: w.assign_add(W)).get_concrete_function()
    with pytest.raises(ValueError, match=r"AssignAddVariableOp.*test_freezing.py:\d+.*only reading can be frozen"):
        tf.freeze(concrete)
    with pytest.raises(TypeError, match="expects a concrete function"):
        tf.freeze(lambda: 1)


def test_tables_stay_captured():
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), -1)
    w = tf.Variable(10)
    concrete, frozen = frozen_of(tf.function(lambda k: table.lookup(k) + w), tf.TensorSpec([], tf.string))
    assert frozen(tf.constant("b")).numpy() == concrete(tf.constant("b")).numpy() == 12
    assert len(frozen.graph.captures) == len(concrete.graph.captures) - 1


def test_datasets_without_variables():
    @tf.function
    def total(n):
        return tf.data.Dataset.range(n).map(lambda i: i * 2).reduce(np.int64(0), lambda a, b: a + b)

    frozen = tf.freeze(total.get_concrete_function(tf.TensorSpec([], tf.int64)))
    assert frozen(tf.constant(4, tf.int64)).numpy() == 12
