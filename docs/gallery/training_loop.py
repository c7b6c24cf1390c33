"""A training loop of one's own, all of it one loop of the graph: variables, a tape, and a line that is fitted."""

import numpy as np
from drawing import curve, picture, points

import graphrt as tf

A, B = tf.Variable(0.0), tf.Variable(0.0)


@tf.function
def fit(x, y, steps, rate):
    for _ in tf.range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((A * x + B - y) ** 2)
        da, db = tape.gradient(loss, [A, B])
        A.assign_sub(rate * da)
        B.assign_sub(rate * db)
    return loss


def data():
    random = np.random.RandomState(5)
    x = np.linspace(0, 1, 60).astype(np.float32)
    return x, (2.0 * x - 0.5 + 0.1 * random.randn(60)).astype(np.float32)


SHOWN = fit, (*map(tf.constant, data()), tf.constant(2000), tf.constant(0.1))


def main():
    fit(*SHOWN[1])
    x, y = data()
    np.testing.assert_allclose([A.numpy(), B.numpy()], np.polyfit(x, y, 1), atol=0.01)
    bounds = 0, 1, -0.8, 1.8
    return picture(points(x, y, bounds=bounds), curve(A.numpy() * x + B.numpy(), x, bounds=bounds, colour=1))
