"""Plain NumPy with `break`: which root of z^3 = 1 Newton's method finds, from each point of the plane."""

import numpy as np
from drawing import image, picture

import graphrt as tf


def newton(z, most):
    for _ in range(most):
        step = (z**3 - 1.0) / (3.0 * z**2 + 1e-12)
        z = z - step
        if np.max(np.abs(step)) < 1e-9:
            break
    return z


def grid():
    x, y = np.meshgrid(np.linspace(-1.8, 1.8, 108), np.linspace(-1.2, 1.2, 72))
    return x + 1j * y


SHOWN = tf.function(newton), (tf.constant(grid()), tf.constant(100))


def main():
    found = SHOWN[0](*SHOWN[1]).numpy()
    assert np.abs(found**3 - 1).max() < 1e-6
    return picture(image(np.round(np.angle(found), 1)))
