"""Graphs with datasets survive the way into a GraphDef and back; TensorFlow runs them with the same results."""

import numpy as np
import pytest

import graphrt as tf
from graphrt.executor.program import compile_graph
from graphrt.graphdef import import_graph_def
from graphrt.passes import run_passes

D = tf.data.Dataset


def i64(value):
    return tf.constant(value, tf.int64)


def left_early(n):
    s = i64(0)
    for i, x in enumerate(D.range(n).map(lambda v: v * 2).batch(2)):
        if i > 2:
            break
        s += tf.reduce_sum(x) * i
    return s


def side_by_side(n):
    s = i64(0)
    for x, y in zip(D.range(n).shuffle(5, seed=3), D.from_tensor_slices(tf.range(9)).filter(lambda v: v % 2 == 0)):
        s = s * 3 + x * tf.cast(y, tf.int64)
    return s


def over_iterator(n):
    it = iter(D.range(n).repeat())
    s = i64(0)
    for x in it:
        if s > 20:
            break
        s += x
    return s, next(it)


def without_end(n):
    for x in D.counter():
        if x > n:
            return x
    return i64(-1)


def windows(n):
    s = tf.constant("")
    for w in D.range(n).window(3, shift=2).flat_map(lambda w: w.padded_batch(3)).prefetch(2).cache():
        s += tf.strings.as_string(tf.reduce_sum(w)) + ","
    return s


def many(n):
    ds = D.range(n).interleave(lambda x: D.from_tensors(x).repeat(x), cycle_length=2, block_length=2)
    ds = ds.scan(i64(1), lambda s, x: (s + x, s * x)).take_while(lambda v: v < 100).concatenate(D.range(2)).unique()
    return ds.reduce(i64(0), lambda s, x: s * 2 + x)


def groups(n):
    ds = D.range(n).group_by_window(lambda x: x % 2, lambda k, w: w.batch(3), window_size=3).unbatch()
    return ds.shard(2, 0).skip(1).take(1).get_single_element()


def chosen(n):
    both = D.choose_from_datasets([D.range(n), D.range(10, 20)], D.from_tensor_slices(i64([0, 1, 1, 0])))
    return both.reduce(i64(0), lambda s, x: s * 30 + x), D.range(n).cardinality()


# what TensorFlow 2.20 gave for the exported graphs, n = 4
RAN_THERE = {
    left_early: [10], side_by_side: [60], over_iterator: [21, 0], without_end: [5], windows: [b"3,5,"], many: [644],
    groups: [1], chosen: [9331, 4],
}  # fmt: skip


@pytest.mark.parametrize("function", RAN_THERE, ids=lambda f: f.__name__)
def test_round_trip(function):
    concrete = tf.function(function).get_concrete_function(tf.TensorSpec([], tf.int64))
    here = [np.asarray(v.numpy()).tolist() for v in tf.nest.flatten(concrete(i64(4)))]
    assert here == RAN_THERE[function]
    graph = import_graph_def(concrete.graph.as_graph_def().SerializeToString())
    graph.inputs = [graph.get_tensor_by_name(concrete.inputs[0].name).value]
    graph.outputs = [graph.get_tensor_by_name(t.name).value for t in concrete.outputs]
    back = compile_graph(graph, prepare=run_passes)(np.int64(4))
    assert [np.asarray(v).tolist() for v in back] == here


def test_generators_cannot_be_written():
    @tf.function
    def run():
        return D.from_generator(lambda: iter([1]), output_signature=tf.TensorSpec([], tf.int32)).get_single_element()

    assert run().numpy() == 1
    with pytest.raises(tf.errors.UnimplementedError, match="_generator"):
        run.get_concrete_function().graph.as_graph_def()
