"""Graphs for many elements at once: which there are, and that they agree with the graphs for one."""

import numpy as np
import pytest

import graphrt as tf
from graphrt.executor.program import compile_graph
from graphrt.passes import run_passes
from graphrt.passes.stack import stacked

SCALAR = tf.TensorSpec([], tf.float32)


def graph_of(function, *specs):
    return run_passes(tf.function(function).get_concrete_function(*specs).graph)


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: x * y + 1.0,
        lambda x, y: tf.where(x < y, tf.exp(x), tf.identity(y)),
        lambda x, y: (tf.cast(x, tf.int32), tf.maximum(x, y)),
        lambda x, y: tf.cast(x, tf.int32) // 3 + tf.cast(y, tf.int32) % 5,
    ],
)  # fmt: skip
def test_they_agree(function):
    graph = graph_of(function, SCALAR, SCALAR)
    many = stacked(graph, 2)
    assert [v.dims for v in many.outputs] == [(None,)] * len(graph.outputs)
    x, y = np.float32([1, -2, 3.5, np.nan]), np.float32([0.5, 4, -1, np.inf])
    one, program = compile_graph(graph), compile_graph(many)
    rows = [one(a, b) for a, b in zip(x, y)]
    for found, expected in zip(program(x, y), zip(*rows)):
        np.testing.assert_array_equal(found, np.stack(expected))


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: tf.cast(x, tf.int32) // tf.cast(y, tf.int32),  # a divisor may be 0
        lambda x, y: x + tf.random.uniform([]),
        lambda x, y: tf.stack([x, y]),
        lambda x, y: x + [1.0, 2.0],
        lambda x, y: (x, 1.0),
        lambda x, y: tf.cond(x > y, lambda: x, lambda: y),
        lambda x, y: tf.print(x) or x,
    ],
)  # fmt: skip
def test_what_has_to_run_for_each_element(function):
    assert stacked(graph_of(function, SCALAR, SCALAR), 2) is None


def test_inputs_behind_the_elements_are_the_same_for_all():
    many = stacked(graph_of(lambda x, y: x * y, SCALAR, SCALAR), 1)
    (found,) = compile_graph(many)(np.float32([1, 2]), np.float32(3))
    assert found.tolist() == [3, 6]
