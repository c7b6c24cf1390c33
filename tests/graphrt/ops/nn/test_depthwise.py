"""Depthwise convolutions are convolutions in groups, of which TensorFlow's values are recorded."""

import itertools

import numpy as np
import pytest

import graphrt as tf

FORMS = list(itertools.product(["NHWC", "NCHW"], [1, 2], ["SAME", "VALID"], [1, 3], [1, 2, 3]))


def grouped(x, w, strides, padding, form):
    size = w.shape
    return tf.nn.conv2d(x, tf.reshape(w, [size[0], size[1], 1, size[2] * size[3]]), strides, padding, form)


@pytest.mark.parametrize(("form", "stride", "padding", "each", "size"), FORMS)
def test_values_and_gradients(form, stride, padding, each, size):
    random = np.random.RandomState(0)
    x = tf.constant(random.randint(-8, 9, (2, 6, 7, 3)) / 4, tf.float64)
    w = tf.constant(random.randint(-8, 9, (size, size, 3, each)) / 4, tf.float64)
    x = tf.transpose(x, [0, 3, 1, 2]) if form == "NCHW" else x
    strides = [1, 1, stride, stride] if form == "NCHW" else [1, stride, stride, 1]
    found = []
    for function in (tf.nn.depthwise_conv2d, grouped):
        with tf.GradientTape() as outer:
            outer.watch([x, w])
            with tf.GradientTape() as tape:
                tape.watch([x, w])
                y = function(x, w, strides, padding, form)
                total = tf.reduce_sum(y**2)
            first = tape.gradient(total, [x, w])
            again = tf.reduce_sum(first[0] ** 2) + tf.reduce_sum(first[1] ** 2)
        found.append([y, *first, *outer.gradient(again, [x, w])])
    for mine, theirs in zip(*found):
        np.testing.assert_allclose(mine, theirs, rtol=1e-9, atol=1e-9)


WIDE = list(itertools.product(["NHWC", "NCHW"], [1, 2], [1, 2], [31, 40, 300]))


@pytest.mark.parametrize(("form", "stride", "each", "channels"), WIDE)
def test_many_channels_are_summed_pixel_by_pixel(form, stride, each, channels):
    random = np.random.RandomState(1)
    x = random.randint(-8, 9, (2, 6, 7, channels)) / 4
    w = tf.constant(random.randint(-8, 9, (3, 2, channels, each)) / 4)
    back = random.randint(-8, 9, (2, 6 // stride, -(-7 // stride), channels * each)) / 4
    strides = [1, stride, stride, 1]
    if form == "NCHW":
        x, back, strides = x.transpose(0, 3, 1, 2), back.transpose(0, 3, 1, 2), [1, 1, stride, stride]
    found = []
    for function in (tf.nn.depthwise_conv2d, grouped):
        with tf.GradientTape() as tape:
            given = tf.constant(x)
            tape.watch([given, w])
            y = function(given, w, strides, "SAME", form)
        found.append([y, *tape.gradient(y, [given, w], back)])
    for mine, theirs in zip(*found):  # of quarters, so that each sum is exact
        np.testing.assert_array_equal(mine, theirs)


def test_it_is_one_op_in_a_graph():
    f = tf.function(lambda x: tf.nn.depthwise_conv2d(x, tf.ones([2, 2, 3, 2]), [1, 1, 1, 1], "SAME"))
    concrete = f.get_concrete_function(tf.TensorSpec([None, None, None, 3]))
    assert "DepthwiseConv2dNative" in [op.type for op in concrete.graph.get_operations()]
    assert concrete.outputs[0].shape.as_list() == [None, None, None, 6]


def test_depths_that_differ():
    with pytest.raises(ValueError, match="not compatible"):
        tf.nn.depthwise_conv2d(tf.ones([1, 4, 4, 3]), tf.ones([2, 2, 2, 1]), [1, 1, 1, 1], "SAME")


@pytest.mark.parametrize("dilations", [[float("inf"), 1.0], float("nan"), "a"])
def test_gradients_take_dilations_that_are_numbers(dilations):
    image, filters = tf.ones([1, 3, 3, 1]), tf.ones([2, 2, 1, 1])
    with pytest.raises(ValueError, match="dilations should be integers, found"):
        tf.nn.depthwise_conv2d_backprop_input([1, 3, 3, 1], filters, image, [1, 1, 1, 1], "SAME", dilations=dilations)
    with pytest.raises(ValueError, match="dilations should be integers, found"):
        tf.nn.depthwise_conv2d_backprop_filter(image, [2, 2, 1, 1], image, [1, 1, 1, 1], "SAME", dilations=dilations)
