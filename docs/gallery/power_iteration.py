"""A `while` with `break` and `else`: the largest eigenvalue, or the news that there is none yet."""

import numpy as np
from drawing import curve, picture

import graphrt as tf


@tf.function
def largest(matrix, vector, most):
    value = tf.constant(0.0, tf.float64)
    history = tf.TensorArray(tf.float64, size=most, element_shape=[])
    found = tf.constant(True)
    n = tf.constant(0)
    while n < most:
        vector = tf.linalg.matvec(matrix, vector)
        size = tf.norm(vector)
        vector = vector / size
        history = history.write(n, size)
        n += 1
        if tf.abs(size - value) < 1e-10:
            break
        value = size
    else:
        found = tf.constant(False)
    return value, found, history.stack()[:n]


def matrix():
    a = np.random.RandomState(0).randn(12, 12)
    return a @ a.T


SHOWN = largest, (tf.constant(matrix()), tf.ones([12], tf.float64), tf.constant(100))


def main():
    value, found, history = largest(*SHOWN[1])
    assert found and abs(value.numpy() - np.linalg.eigvalsh(matrix())[-1]) < 1e-8
    return picture(curve(np.log10(np.abs(history.numpy()[:-1] - value.numpy()) + 1e-12), colour=3))
