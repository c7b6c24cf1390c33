"""Plain NumPy: heat spreads over a plate. The functions below know nothing of graphrt."""

import numpy as np
from drawing import image, picture

import graphrt as tf


def spread(plate, steps):
    for _ in range(steps):
        inner = plate[1:-1, 1:-1]
        around = plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:]
        plate = np.pad(inner + 0.2 * (around - 4.0 * inner), 1)
    return plate


def plate():
    start = np.zeros([40, 60])
    start[10:14, 10:50] = 1.0
    start[25:36, 28:32] = 1.0
    return start


SHOWN = tf.function(spread), (tf.constant(plate()), tf.constant(60))


def main():
    after = SHOWN[0](*SHOWN[1]).numpy()
    np.testing.assert_allclose(after, spread(plate(), 60), rtol=1e-12)
    return picture(image(after))
