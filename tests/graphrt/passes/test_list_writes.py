"""Loops over tensors and loops that fill tensor arrays: the rewritten program gives what the lists gave."""

import numpy as np
import pytest

import graphrt as tf
from graphrt import errors
from graphrt.executor import compile_graph
from graphrt.passes import run_passes
from tests.graphrt import rewriting


def total(x):
    s = tf.zeros_like(x[0])
    for row in x:
        s += row
    return s


def largest_pair(x):
    best = x[0] + x[0]
    for a in x:
        for b in x:
            if tf.reduce_sum(a + b) > tf.reduce_sum(best):
                best = a + b
    return best


def first_negative(x):
    found = x[0] * 0.0
    for row in x:
        if tf.reduce_sum(row) < 0.0:
            found = row
            break
    return found


def first_negative_returned(x):
    for row in x:
        if tf.reduce_sum(row) < 0.0:
            return row
    return x[0] * 0.0


def running(x):
    n = tf.shape(x)[0]
    sums = tf.TensorArray(tf.float32, size=n)
    s = 0.0
    for i in tf.range(n):
        s += tf.reduce_sum(x[i])
        sums = sums.write(i, s)
    return sums.stack()


def twice_written(x):
    n = tf.shape(x)[0]
    out = tf.TensorArray(tf.float32, size=n + 2)
    for i in tf.range(n):
        out = out.write(i // 2, tf.reduce_sum(x[i]))
    return out.stack()


def sometimes_written(x):
    n = tf.shape(x)[0]
    out = tf.TensorArray(tf.float32, size=n, element_shape=[])
    for i in tf.range(n):
        if tf.reduce_sum(x[i]) > 0.0:
            out = out.write(i, 1.0)
    return out.stack()


def rows_written(x):
    out = tf.TensorArray(tf.float32, size=3)
    for i in tf.range(3):
        out = out.write(i, tf.tanh(x[i % tf.shape(x)[0]]))
    return out.stack()


def written_anew_in_each_round(x):
    s = 0.0
    for i in tf.range(3):
        out = tf.TensorArray(tf.float32, size=4, element_shape=[])
        for j in tf.range(i):
            out = out.write(j, x[0, 0] + tf.cast(j, tf.float32))
        s = s * 2.0 + tf.reduce_sum(out.stack())
    return s


def kept_and_stacked_twice(x):
    out = tf.TensorArray(tf.float32, size=3)
    for i in tf.range(3):
        out = out.write(i, x[0, 0] * tf.cast(i, tf.float32))
    return out.stack() + out.stack()


LOOPS = [
    (total, "read"), (largest_pair, "read"), (first_negative, "read"), (first_negative_returned, "read"), (running, "write"), (twice_written, "write"),
    (sometimes_written, None), (rows_written, "write"), (written_anew_in_each_round, "write"),
    (kept_and_stacked_twice, None),
]  # fmt: skip


@pytest.mark.parametrize("dims", [(4, 2), (None, 2)])
@pytest.mark.parametrize(("function", "rewritten"), LOOPS, ids=[f.__name__ for f, _ in LOOPS])
def test_loops_give_what_they_gave_with_lists(function, rewritten, dims):
    graph = tf.function(function).get_concrete_function(tf.TensorSpec(dims, tf.float32)).graph
    plain, fast = compile_graph(graph), compile_graph(graph, prepare=run_passes)
    if rewritten == "read":
        assert "TensorListFromTensor(" not in fast.source
    if rewritten == "write":
        assert "_TensorListReserve(" in fast.source
    if rewritten is None:
        assert "_TensorListReserve" not in fast.source.replace("k_TensorListReserve", "")
    for seed in range(4):
        (x,) = rewriting.inputs_for(graph, seed, length=4)
        x = np.where(np.isfinite(x), x, np.float32(2))
        wanted = function(tf.constant(x)).numpy()
        for program in (plain, fast, fast):
            (found,) = program(x)
            assert np.asarray(found).dtype == wanted.dtype
            assert np.array_equal(found, wanted), program.source


def beyond(x):
    out = tf.TensorArray(tf.float32, size=2)
    for i in tf.range(3):
        out = out.write(i, x[0, 0])
    return out.stack()


def test_a_write_out_of_range_is_refused_in_the_same_words():
    graph = tf.function(beyond).get_concrete_function(tf.TensorSpec([4, 2], tf.float32)).graph
    messages = []
    for prepare in (None, run_passes):
        with pytest.raises(errors.InvalidArgumentError) as info:
            compile_graph(graph, prepare=prepare)(np.ones((4, 2), np.float32))
        messages.append(str(info.value))
    assert messages[0] == messages[1]
    assert "Trying to modify element 2 in a list with 2 elements." in messages[0]
    assert "[Op:TensorListSetItem]" in messages[0]
