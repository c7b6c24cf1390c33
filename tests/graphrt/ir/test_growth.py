"""What is about to be made is compared with the limit before it is made."""

import time

import pytest

import graphrt as tf
from graphrt.errors import InvalidArgumentError, ResourceExhaustedError
from graphrt.ir.growth import guard_of

HUGE = 1 << 40
# A few numbers each, and a tensor of terabytes.
ASKING = {
    "Fill": lambda n: tf.fill([n], 1.0),
    "Range": lambda n: tf.range(0.0, 1.0, 1.0 / tf.cast(n, tf.float32)),
    "Tile": lambda n: tf.tile(tf.ones([8]), [n]),
    "BroadcastTo": lambda n: tf.broadcast_to(1.0, [n]),
    "PadV2": lambda n: tf.pad(tf.ones([2]), [[0, n]], constant_values=1.0),
    "UnsortedSegmentSum": lambda n: tf.math.unsorted_segment_sum([1.0], [0], n),
    "ScatterNd": lambda n: tf.raw_ops.ScatterNd(indices=tf.constant([[0]], tf.int64), updates=[1.0], shape=[n]),
    "RandomUniform": lambda n: tf.random.uniform([n]),
    "StatelessRandomUniformV2": lambda n: tf.random.stateless_uniform([n], [1, 2]),
    "SegmentSum": lambda n: tf.math.segment_sum([1.0], [n]),
    "DenseBincount": lambda n: tf.math.bincount(tf.stack([n]), dtype=tf.int64),
}


@pytest.mark.parametrize("op", ASKING)
@pytest.mark.parametrize("how", ["eager", "traced", "unknown"])
def test_nothing_is_made_that_is_larger_than_the_limit(op, how):
    ask = ASKING[op]
    given = tf.constant(HUGE, tf.int64)
    call = {
        "eager": lambda: ask(given),
        "traced": tf.function(lambda: ask(tf.constant(HUGE, tf.int64))),
        "unknown": lambda: tf.function(ask, input_signature=[tf.TensorSpec([], tf.int64)])(given),
    }[how]
    began = time.process_time()
    with pytest.raises((ResourceExhaustedError, InvalidArgumentError)) as caught:
        call()
    assert time.process_time() - began < 5
    assert "the limit is" in str(caught.value), caught.value
    assert op in str(caught.value)


def test_the_message_says_what_was_asked_for_and_how_to_get_it():
    with tf.config.limits(bytes=1 << 20), pytest.raises(ResourceExhaustedError) as caught:
        tf.tile(tf.ones([1 << 10]), [1 << 10])
    told = "Tile: the result would take 4194304 bytes, the limit is 1048576. If that is meant, raise the limit: "
    assert f"{told}tf.config.limits(bytes=4194304) [Op:Tile]" in str(caught.value)
    with tf.config.limits(bytes=4194304):
        assert tf.tile(tf.ones([1 << 10]), [1 << 10]).shape == [1 << 20]


def test_of_graphs_from_outside_only_those_nodes_are_looked_at_that_may_grow():
    @tf.function(
        input_signature=[tf.TensorSpec([None, 8, 8, 4]), tf.TensorSpec([None, 8, 8, 4]), tf.TensorSpec([], tf.int32)]
    )
    def f(x, y, n):
        w, b, wide = tf.ones([3, 3, 4, 4]), tf.ones([4]), tf.ones([1000, 1, 1, 1, 1])
        kept = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, w, 1, "SAME"), b)) + y
        both = tf.concat([kept, tf.nn.max_pool2d(kept, 2, 1, "SAME")], 3)
        grown = tf.expand_dims(x, 1) - tf.expand_dims(y, 0)  # each with each
        return both, grown, x * wide, tf.one_hot(tf.cast(y, tf.int32), 100), tf.tile(x, [n, 1, 1, 1])

    graph = f.get_concrete_function().graph
    found = [n.type for n in graph.nodes if n.inputs and guard_of(n, True) is not None]
    assert found == ["ConcatV2", "Sub", "Mul", "OneHot", "Tile"], found  # two of its inputs, in a loop, double
