"""A loop with a condition on all points: the set of Mandelbrot."""

import numpy as np
from drawing import image, picture

import graphrt as tf


@tf.function
def escape_times(c, most):
    z = tf.zeros_like(c)
    times = tf.zeros(tf.shape(c), tf.int32)
    inside = tf.ones(tf.shape(c), tf.bool)
    n = tf.constant(0)
    while n < most and tf.reduce_any(inside):
        z = tf.where(inside, z * z + c, z)
        inside = tf.math.real(z) ** 2 + tf.math.imag(z) ** 2 < 4.0
        times += tf.cast(inside, tf.int32)
        n += 1
    return times


def plane():
    x, y = np.meshgrid(np.linspace(-2.2, 0.8, 120), np.linspace(-1.1, 1.1, 80))
    return x + 1j * y


SHOWN = escape_times, (tf.constant(plane()), tf.constant(60))


def main():
    times = escape_times(*SHOWN[1]).numpy()
    assert times.max() == 60 and times.min() == 0
    return picture(image(np.sqrt(times)))
