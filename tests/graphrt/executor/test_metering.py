"""What a graph from a file spends is counted."""

import time

import numpy as np
import pytest

import graphrt as tf
from graphrt.errors import ResourceExhaustedError
from graphrt.executor.program import program_of
from graphrt.graphdef import import_graph_def
from graphrt.passes import run_passes


def imported(function, *specs):
    concrete = tf.function(function).get_concrete_function(*specs)
    return import_graph_def(concrete.graph.as_graph_def().SerializeToString())


def run(graph, *values):
    return program_of(graph, run_passes)(*values)


def endless(n):
    while n > 0:
        n = n + 0 * n
    return n


def test_loops_of_files_are_counted():
    graph = imported(endless, tf.TensorSpec([], tf.int32))
    with tf.config.limits(iterations=1000), pytest.raises(ResourceExhaustedError, match="come to 1001 iterations"):
        run(graph, np.int32(1))
    began = time.monotonic()
    with tf.config.limits(seconds=0.2), pytest.raises(tf.errors.DeadlineExceededError, match="has run for 0.2 seconds"):
        run(graph, np.int32(1))
    assert time.monotonic() - began < 5
    assert run(graph, np.int32(0)) == (0,)


def test_loops_of_ours_are_not():
    @tf.function
    def count(n):
        i = 0
        while i < n:
            i += 1
        return i

    with tf.config.limits(iterations=10, seconds=0):
        assert count(tf.constant(100)) == 100


def test_calls_of_files_are_counted():
    depth = 30

    def made(level):
        below = tf.function(made(level - 1)) if level else None
        return lambda x: below(x) + below(below(x)) if below else x + 1.0

    text = imported(made(3), tf.TensorSpec([], tf.float32))
    assert run(text, np.float32(0)) == (np.float32(tf.function(made(3))(tf.constant(0.0)).numpy()),)
    message = tf.function(made(1)).get_concrete_function(tf.TensorSpec([], tf.float32)).graph.as_graph_def()
    (first,) = message.library.function
    for i in range(depth):  # each calls the next one three times
        function = message.library.function.add()
        function.CopyFrom(first)
        function.signature.name = f"f{i}"
        below = first.signature.name if i == 0 else f"f{i - 1}"
        del function.node_def[:]
        (argument,) = function.signature.input_arg
        edge = argument.name
        for k in range(3):
            node = function.node_def.add(name=f"n{k}", op=below)
            node.input.append(edge)
            edge = f"n{k}:output:0"
        (result,) = function.signature.output_arg
        function.ret[result.name] = edge
    for node in message.node:
        if "f" in node.attr:
            node.attr["f"].func.name = f"f{depth - 1}"
    graph = import_graph_def(message)
    with tf.config.limits(seconds=0.3), pytest.raises(tf.errors.DeadlineExceededError):
        run(graph, np.float32(0))


def test_tensors_of_files_do_not_grow_without_end():
    def doubled(x):
        for _ in tf.range(60):
            tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([None]))])
            x = tf.concat([x, x], 0)
        return tf.size(x)

    def crossed(x):
        return tf.reduce_sum(x[:, None] * x[None, :])

    with tf.config.limits(bytes=1 << 24):
        for function, size in ((doubled, 2), (crossed, 1 << 20)):
            graph = imported(function, tf.TensorSpec([None]))
            with pytest.raises(ResourceExhaustedError, match="would take .* the limit is 16777216"):
                run(graph, np.ones(size, np.float32))
