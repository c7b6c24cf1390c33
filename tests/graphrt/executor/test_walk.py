"""Long graphs that run as tables before they are compiled."""

import threading

import numpy as np
import pytest

import graphrt as tf
from graphrt import errors
from graphrt.executor import compile_graph, walk
from graphrt.passes import run_passes
from tests.graphrt.rewriting import traced

SCALAR = ("float32", ())


def walked(graph):
    program = compile_graph(graph, prepare=run_passes, may_walk=True)
    assert not program.is_told
    return program


def mixed(x, n, v):
    """All kinds of calls: of one value, of two, of attributes, of several results, with none."""
    for _ in range(30):
        x = tf.tanh(x) * 0.5 - 1.0 / (x + 3.0)
        n = -n // 3 + tf.cast(x * 100.0, tf.int32) * 5 % 7
        v = tf.concat([v[1:], tf.reshape(x, [1])], 0) + tf.reduce_sum(v) * 1e-3
        values, where = tf.math.top_k(v, 2)
        q, r = tf.split(v, 2)
        x = x + values[0] - tf.cast(where[1], tf.float32) + tf.reduce_max(q) - tf.reduce_min(r)
        x = tf.where(x > n_as_float(n), tf.identity(x), -x)
    return x, n, v, tf.logical_not(x > 1.0), tf.strings.as_string(n) + "!"


def n_as_float(n):
    return tf.cast(n, tf.float32)


def bits(results):
    return [(type(r), np.asarray(r).dtype, np.shape(r), np.asarray(r).tobytes()) for r in results]


def test_a_table_gives_the_bits_of_the_compiled_program():
    graph = traced(mixed, SCALAR, ("int32", ()), ("float32", (4,)))
    inputs = np.float32(0.3), np.int32(-17), np.float32([1, -2, 3, 0.5])
    program = walked(graph)
    first = program(*inputs)
    assert not program.is_told
    compiled = compile_graph(graph, prepare=run_passes)
    assert bits(first[:-1]) == bits(compiled(*inputs)[:-1])
    assert first[-1] == compiled(*inputs)[-1]
    assert program.source == compiled.source and program.is_told
    assert bits(program(*inputs)[:-1]) == bits(first[:-1])


def test_a_table_is_compiled_once_that_pays():
    def f(x):
        for _ in range(walk.LEAST):
            x = x * 0.5 + 1.0
        return x

    program = walked(traced(f, SCALAR))
    kept = program.function  # as callers keep it
    results = [kept(np.float32(3))[0] for _ in range(walk.CALLS - 1)]
    assert not program.is_told
    results += [kept(np.float32(3))[0] for _ in range(2)]
    assert program.is_told and program.function is not kept
    assert set(results) == {np.float32(2)}
    assert len(program.nodes_of_lines()) == len(program.source.splitlines())


def test_threads_may_walk_and_compile_one_program():
    def f(x):
        for i in range(walk.LEAST):
            x = x + i
        return x

    program, found = walked(traced(f, ("int64", ()))), []
    function = program.function

    def run():
        found.extend(int(function(np.int64(i))[0]) - i for i in range(walk.CALLS))

    threads = [threading.Thread(target=run) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(found) == {sum(range(walk.LEAST))} and len(found) == 6 * walk.CALLS


@pytest.mark.parametrize("fails", ["gather", "reshape"])
def test_an_error_names_the_line_of_the_user_as_the_compiled_program_does(fails):
    def f(v, n):
        for _ in range(walk.LEAST):
            n = n + 1
        if fails == "gather":
            return tf.gather(v, n)
        return tf.reshape(v, [n, 2])

    graph = traced(f, ("float32", (4,)), ("int32", ()))
    before, told = np.geterr(), []
    for program in (walked(graph), compile_graph(graph, prepare=run_passes)):
        with pytest.raises(errors.InvalidArgumentError) as raised:
            program(np.ones(4, np.float32), np.int32(3))
        told.append((str(raised.value), raised.value.op.name, type(raised.value.__cause__)))
        assert np.geterr() == before
    assert told[0] == told[1]
    assert "test_walk.py:" in told[0][0]


def test_effects_come_in_order_and_as_far_as_the_failure():
    v, w = tf.Variable(0), tf.Variable([0, 0, 0])

    @tf.function
    def f(n):
        for i in range(walk.LEAST):
            v.assign_add(i)
        w.assign(w + tf.gather(w, n) + 1)
        v.assign(-1)
        return v + 1

    assert not f.get_concrete_function(tf.TensorSpec([], tf.int32)).program.is_told
    assert f(tf.constant(2)).numpy() == 0
    v.assign(5)
    with pytest.raises(errors.InvalidArgumentError):
        f(tf.constant(3))
    assert v.numpy() == 5 + sum(range(walk.LEAST)) and w.numpy().tolist() == [1, 1, 1]


def test_an_interrupt_leaves_numpy_as_it_was():
    def f(x):
        for _ in range(walk.LEAST):
            x = x + 1.0
        return x

    class Interrupting:
        def __add__(self, other):
            raise KeyboardInterrupt

    before, program = np.geterr(), walked(traced(f, SCALAR))
    with pytest.raises(KeyboardInterrupt):
        program(Interrupting())
    assert np.geterr() == before and program(np.float32(0)) == (walk.LEAST,)


def test_a_graph_that_was_changed_after_it_was_traced_runs_as_it_was_traced():
    def f(x):
        for _ in range(walk.LEAST):
            x = x + 1.0
        return x

    graph = traced(f, SCALAR)
    program = walked(graph)
    with graph.as_default():
        graph.outputs = [tf.constant(1.0).value]
    assert [program.function(np.float32(0))[0] for _ in range(walk.CALLS + 2)] == [walk.LEAST] * (walk.CALLS + 2)


@pytest.mark.parametrize(
    "body",
    [
        lambda x: x + tf.random.uniform([]),  # its text holds where the stream of numbers stands
        lambda x: x + tf.reduce_sum(tf.zeros([64, 64]) + x),  # large values: the text writes over them
        lambda x: tf.cond(x > 0.0, lambda: x, lambda: -x),
        lambda x: tf.numpy_function(lambda y: y, [x], tf.float32),
    ],
)
def test_what_a_table_does_not_do_is_compiled_at_once(body):
    def f(x):
        for _ in range(walk.LEAST):
            x = x + 1.0
        return body(x)

    assert compile_graph(traced(f, SCALAR), prepare=run_passes, may_walk=True).is_told


def test_a_short_program_is_compiled_at_once():
    def f(x):
        for _ in range(walk.LEAST - 2):
            x = x + 1.0
        return x

    assert compile_graph(traced(f, SCALAR), prepare=run_passes, may_walk=True).is_told
