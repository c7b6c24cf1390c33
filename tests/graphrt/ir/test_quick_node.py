"""Nodes of large graphs have their lists when they are asked for, and only then."""

import collections
import gc

import graphrt as tf
from graphrt.ir.quick_node import QuickNode
from graphrt.tensor import func_graph

COUNT = 300


@tf.function
def long(x):
    for _ in range(COUNT // 2):
        x = x * 0.5 + 1.0
    return x


def _kinds():
    gc.collect()
    return collections.Counter(type(o).__name__ for o in gc.get_objects())


def test_a_node_of_a_long_graph_is_two_objects_for_the_collector(monkeypatch):
    """One node of the operator, one of its number, what they give, and the tensor."""
    monkeypatch.setattr(func_graph, "LEAST", 1 << 40)  # operators that become no rows
    long.get_concrete_function(tf.TensorSpec([2]))  # what a first trace brings in
    before = _kinds()
    concrete = long.get_concrete_function(tf.TensorSpec([]))
    assert concrete(1.0).numpy() == 2.0
    made = _kinds() - before
    assert 2 * COUNT <= made["QuickNode"] <= made["Value"] <= 2 * COUNT + 5
    assert made["list"] < COUNT / 2
    assert sum(made.values()) < 6 * COUNT


def test_lists_are_made_once_and_may_be_changed():
    with tf.FuncGraph("sums").as_default():
        total = tf.constant(1.0) + 2.0
        other = tf.constant(3.0)
    node = total.value.node
    assert type(node) is QuickNode
    first, second = node.taken()
    assert node.inputs is node.inputs == [first, second]
    assert node.outputs is node.outputs == [total.value]
    node.inputs[1] = other.value
    assert node.taken() == (first, other.value)
    node.inputs = [first]
    assert node.taken() == (first,) and node.inputs == [first]
    node.outputs.append(other.value)
    assert node.given() == (total.value, other.value)
    node.outputs = []
    assert node.given() == () == tuple(node.outputs)


def test_ops_of_three_inputs_and_of_none():
    with tf.FuncGraph("three").as_default():
        x = tf.constant([0.5])
        three = tf.math.betainc(x, x, x)
    assert three.value.node.inputs == [x.value] * 3 == list(three.op.inputs[i].value for i in range(3))
    assert x.value.node.inputs == [] and x.value.node.outputs == [x.value]


def test_rewrites_and_gradients_of_such_a_graph_are_those_of_others():
    @tf.function
    def gradient(x):
        return tf.gradients(long(x), x)

    (found,) = gradient(tf.constant(3.0))
    assert found.numpy() == 0.5 ** (COUNT // 2)
