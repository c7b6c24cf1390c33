"""A solver: the Lorenz attractor by Runge and Kutta's method, in one loop of the graph."""

from drawing import curve, picture

import graphrt as tf


def slope(s):
    x, y, z = s[0], s[1], s[2]
    return tf.stack([10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z])


@tf.function
def trajectory(state, steps, dt):
    path = tf.TensorArray(tf.float64, size=steps, element_shape=[3])
    for i in tf.range(steps):
        path = path.write(i, state)
        k1 = slope(state)
        k2 = slope(state + dt / 2.0 * k1)
        k3 = slope(state + dt / 2.0 * k2)
        k4 = slope(state + dt * k3)
        state = state + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return path.stack()


SHOWN = trajectory, (tf.constant([1.0, 1.0, 1.0], tf.float64), tf.constant(1500), tf.constant(0.01, tf.float64))


def main():
    path = trajectory(*SHOWN[1]).numpy()
    assert abs(path[:, 0]).max() < 25 and path[:, 2].min() > 0
    return picture(curve(path[:, 2], path[:, 0], width=0.7))
