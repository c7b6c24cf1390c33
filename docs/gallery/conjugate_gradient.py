"""A solver of linear equations that stops when it is good enough."""

import numpy as np
from drawing import curve, label, picture

import graphrt as tf


@tf.function
def solve(a, b, tolerance):
    x = tf.zeros_like(b)
    r = b
    p = r
    rr = tf.tensordot(r, r, 1)
    history = tf.TensorArray(tf.float64, size=0, dynamic_size=True, element_shape=[])
    n = tf.constant(0)
    while tf.sqrt(rr) > tolerance:
        ap = tf.linalg.matvec(a, p)
        alpha = rr / tf.tensordot(p, ap, 1)
        x = x + alpha * p
        r = r - alpha * ap
        new = tf.tensordot(r, r, 1)
        p = r + new / rr * p
        rr = new
        history = history.write(n, rr)
        n += 1
    return x, history.stack()


def problem(n=60):
    a = np.diag(np.linspace(1, 40, n)) + np.eye(n, k=1) + np.eye(n, k=-1)
    return a + 2 * np.eye(n), np.ones(n)


SHOWN = solve, (*map(tf.constant, problem()), tf.constant(1e-9, tf.float64))


def main():
    x, history = solve(*SHOWN[1])
    a, b = problem()
    np.testing.assert_allclose(a @ x.numpy(), b, atol=1e-8)
    return picture(curve(np.log10(history.numpy()), colour=1), label(f"{len(history.numpy())} steps"))
