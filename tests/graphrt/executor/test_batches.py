"""Work on images runs with a share of them on each thread, and gives what it gives of all of them."""

import numpy as np
import pytest

import graphrt as tf
from graphrt.executor import batches, compile_graph, plan
from graphrt.ops.support import threads
from graphrt.passes import run_passes


@pytest.fixture
def small_shares(monkeypatch):
    monkeypatch.setattr(plan, "LARGE", 8)
    monkeypatch.setattr(batches, "_WORTH_THREADS", 50)
    monkeypatch.setattr(batches, "_COPIED", 0)
    monkeypatch.setattr(threads.INTRA, "chosen", 3)


FILTERS = np.random.default_rng(3).integers(-2, 3, (3, 3, 2, 2)).astype(np.float32)


def convolved(x):
    return tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(x, FILTERS, 1, "SAME")), 2, 2, "VALID")


def steps_between(x):
    y = tf.nn.relu(tf.nn.conv2d(x, FILTERS, 2, "SAME"))
    return y, tf.nn.avg_pool2d(y * 2.0 + tf.range(2.0), 2, 1, "SAME") - y


def by_channel(x):
    y = tf.nn.depthwise_conv2d(x, FILTERS, [1, 1, 1, 1], "VALID")
    return tf.nn.bias_add(tf.nn.max_pool2d(y, 2, 1, "SAME"), [1.0, 2.0, 3.0, 4.0])


def channels_first(x):
    y = tf.transpose(x, [0, 3, 1, 2])
    y = tf.nn.bias_add(tf.nn.conv2d(y, FILTERS, 1, "SAME", data_format="NCHW"), [1.0, -1.0], data_format="NCHW")
    return tf.nn.max_pool2d(tf.nn.relu(y), 2, 2, "SAME", data_format="NCHW")


def gradients(x):
    w, b = tf.constant(FILTERS), tf.constant([1.0, -2.0])
    with tf.GradientTape() as tape:
        tape.watch([x, w, b])
        y = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, w, 1, "SAME"), b))
        y = tf.nn.avg_pool2d(tf.nn.max_pool2d(y, 2, 2, "VALID"), 1, 1, "VALID")
        loss = tf.reduce_sum(tf.square(tf.nn.conv2d(y, w, 2, "SAME")))
    return loss, *tape.gradient(loss, [x, w, b])


def gradients_by_channel(x):
    w = tf.constant(FILTERS[..., :1])
    with tf.GradientTape() as tape:
        tape.watch([x, w])
        y = tf.nn.relu(tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "SAME"))
        y = tf.nn.depthwise_conv2d(y, w, [1, 2, 2, 1], "SAME")
        loss = tf.reduce_sum(y * 3.0)
    return tape.gradient(loss, [x, w])


def in_a_loop(x):
    y = x
    for _ in tf.range(3):
        y = tf.nn.conv2d(tf.nn.relu(y - 1.0), FILTERS / 4.0, 1, "SAME")
        y = tf.nn.max_pool2d(y, 3, 1, "SAME")
    return y


def all_images_between(x):
    y = tf.nn.conv2d(tf.nn.conv2d(x, FILTERS, 1, "SAME"), FILTERS, 1, "SAME")
    most = tf.reduce_max(y)
    z = tf.nn.max_pool2d(y, 2, 2, "VALID")
    return tf.nn.relu(z - most), tf.nn.conv2d(z, FILTERS, 1, "SAME")


def same_numbers_of_images_and_rows(x):
    rows = tf.range(float(x.shape[1]))[:, None, None]  # as many as there are images, but they are no images
    return tf.nn.max_pool2d(tf.nn.conv2d(x + rows, FILTERS, 1, "SAME") * rows, 2, 1, "SAME")


FUNCTIONS = [
    convolved, steps_between, by_channel, channels_first, gradients, gradients_by_channel, in_a_loop, all_images_between,
    same_numbers_of_images_and_rows,
]  # fmt: skip


def programs(function, shape, monkeypatch):
    graph = tf.function(function).get_concrete_function(tf.TensorSpec(shape, tf.float32)).graph
    shares = compile_graph(graph, prepare=run_passes)
    monkeypatch.setattr(batches, "_WORTH_THREADS", 1 << 60)
    return shares, compile_graph(graph, prepare=run_passes)


@pytest.mark.parametrize("shape", [(5, 8, 8, 2), (2, 7, 6, 2), (8, 8, 8, 2)])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_shares_give_what_all_images_give(function, shape, small_shares, monkeypatch):
    shares, whole = programs(function, shape, monkeypatch)
    assert "batch(" in shares.source and "batch(" not in whole.source
    x = np.random.default_rng(0).integers(-3, 4, shape).astype(np.float32)  # sums in any order are the same
    kept = x.copy()
    for chosen in (3, 1):
        monkeypatch.setattr(threads.INTRA, "chosen", chosen)
        for found, wanted in zip(shares(x), whole(x), strict=True):
            assert found.dtype == wanted.dtype and found.shape == wanted.shape
            np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(x, kept)


@pytest.mark.parametrize("shape", [(1, 8, 8, 2), (0, 8, 8, 2), (None, 8, 8, 2)])
def test_what_has_no_shares_is_left(shape, small_shares, monkeypatch):
    shares, _ = programs(convolved, shape, monkeypatch)
    assert "batch(" not in shares.source


def test_little_work_is_left(monkeypatch):
    monkeypatch.setattr(threads.INTRA, "chosen", 3)
    graph = tf.function(convolved).get_concrete_function(tf.TensorSpec((4, 8, 8, 2), tf.float32)).graph
    assert "batch(" not in compile_graph(graph, prepare=run_passes).source


def test_effects_keep_their_order(small_shares):
    told = tf.Variable(tf.zeros([3, 3, 2, 2]))

    @tf.function
    def f(x):
        y = tf.nn.max_pool2d(tf.nn.conv2d(x, told, 1, "SAME"), 2, 1, "SAME")
        told.assign_add(FILTERS)
        z = tf.nn.max_pool2d(tf.nn.conv2d(x, told, 1, "SAME"), 2, 1, "SAME")
        return y, z

    x = tf.ones([5, 4, 4, 2])
    y, z = f(x)
    assert not y.numpy().any()
    np.testing.assert_array_equal(z, tf.nn.max_pool2d(tf.nn.conv2d(x, FILTERS, 1, "SAME"), 2, 1, "SAME"))


def test_failures_are_those_of_all_images(small_shares):
    @tf.function
    def f(x, y, g):
        some = tf.nn.relu(tf.nn.conv2d(x, FILTERS, 1, "SAME"))
        options = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID"}
        return tf.raw_ops.MaxPoolGrad(orig_input=some, orig_output=y, grad=g, **options)

    with pytest.raises(tf.errors.InvalidArgumentError, match=r"must have the shape \(?\[?5,4,4,2") as told:
        f(tf.ones([5, 8, 8, 2]), tf.ones([5, 3, 4, 2]), tf.ones([5, 3, 4, 2]))
    assert "MaxPoolGrad" in str(told.value) and "test_batches.py" in str(told.value)
