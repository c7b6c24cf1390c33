"""Functions of what loops keep for their gradients are computed at once, with the results that they have one by one."""

import numpy as np
import pytest

import graphrt as tf
from graphrt.native import NativeProgram


def once(x, n):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in tf.range(n):
            y = tf.sin(y) * tf.exp(-y * 0.1) + tf.math.log1p(tf.abs(y))
    return tape.gradient(y, x)


def ends_early(x, n):
    y = x
    with tf.GradientTape() as tape:
        tape.watch(x)
        for i in tf.range(n):
            if y > 3.0:
                break
            for _ in tf.range(i):
                y = tf.cos(y) + y * 0.5
            y = tf.sin(y) + 1.0
    return tape.gradient(y, x)


def of_arrays(x, n):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * tf.ones([3], x.dtype)
        for _ in tf.range(n):
            y = tf.sin(y) + y
    return tape.gradient(y, x)


@pytest.mark.parametrize(("function", "at_once"), [(once, True), (ends_early, False), (of_arrays, False)])
def test_results_are_equal_to_the_last_bit(function, at_once):
    x = tf.constant(0.7)
    concrete = tf.function(function).get_concrete_function(x, tf.constant(3))
    native = NativeProgram(concrete.graph, plain=True)
    if at_once:
        assert "vector_cos_float32(" in native.source and "scalar_cos_float32(" not in native.source
    for n in (0, 1, 2, 40):
        wanted = concrete(x, tf.constant(n)).numpy()
        (found,) = native.program.function(np.float32(0.7), np.int32(n))
        assert np.asarray(found).tobytes() == wanted.tobytes()
