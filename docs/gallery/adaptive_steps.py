"""A solver that chooses its steps: van der Pol's oscillator. `while` and `if` on tensors."""

from drawing import curve, label, picture, points

import graphrt as tf


def slope(y):
    return tf.stack([y[1], 3.0 * (1.0 - y[0] * y[0]) * y[1] - y[0]])


@tf.function
def solve(y, end, tolerance):
    t, h = tf.constant(0.0, tf.float64), tf.constant(0.01, tf.float64)
    times = tf.TensorArray(tf.float64, size=0, dynamic_size=True, element_shape=[])
    values = tf.TensorArray(tf.float64, size=0, dynamic_size=True, element_shape=[])
    count = tf.constant(0)
    refused = tf.constant(0)
    while t < end:
        k1 = slope(y)
        k2 = slope(y + h * k1)
        error = tf.reduce_max(tf.abs(h / 2.0 * (k2 - k1)))
        if error < tolerance:
            t = t + h
            y = y + h / 2.0 * (k1 + k2)
            times = times.write(count, t)
            values = values.write(count, y[0])
            count += 1
        else:
            refused += 1
        h = h * tf.clip_by_value(0.9 * tf.sqrt(tolerance / (error + 1e-12)), 0.3, 2.0)
    return times.stack(), values.stack(), refused


SHOWN = solve, (tf.constant([2.0, 0.0], tf.float64), tf.constant(20.0, tf.float64), tf.constant(1e-3, tf.float64))


def main():
    times, values, refused = solve(*SHOWN[1])
    assert 1.9 < abs(values.numpy()).max() < 2.1 and int(refused) > 0
    bounds = 0, 20, -2.5, 2.5
    return picture(curve(values, times, bounds=bounds), points(times.numpy()[::25], values.numpy()[::25], bounds=bounds),
                   label(f"{len(times.numpy())} steps"))  # fmt: skip
