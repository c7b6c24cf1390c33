"""A recurrent net by hand: it learns to go on with a sine, through the gradient of a loop."""

import numpy as np
from drawing import curve, picture

import graphrt as tf


@tf.function
def run(xs, w, u, v):
    h = tf.zeros([16])
    outputs = tf.TensorArray(tf.float32, size=tf.shape(xs)[0], element_shape=[])
    for t in tf.range(tf.shape(xs)[0]):
        h = tf.tanh(xs[t] * w + tf.linalg.matvec(u, h))
        outputs = outputs.write(t, tf.tensordot(v, h, 1))
    return outputs.stack()


@tf.function
def step(xs, ys, weights):
    with tf.GradientTape() as tape:
        tape.watch(weights)
        loss = tf.reduce_mean((run(xs, *weights) - ys) ** 2)
    gradients = tape.gradient(loss, weights)
    return [w - 0.05 * tf.clip_by_norm(g, 1.0) for w, g in zip(weights, gradients)], loss


def start():
    random = np.random.RandomState(2)
    shapes = [[16], [16, 16], [16]]
    return [tf.constant((0.3 * random.randn(*s)).astype(np.float32)) for s in shapes]


WAVE = np.sin(np.arange(61) * 0.3).astype(np.float32)
SHOWN = step, (tf.constant(WAVE[:-1]), tf.constant(WAVE[1:]), start())


def main():
    xs, ys, weights = SHOWN[1]
    losses = []
    for _ in range(120):
        weights, loss = step(xs, ys, weights)
        losses.append(float(loss))
    assert losses[-1] < 0.1 * losses[0]
    found, bounds = run(xs, *weights).numpy(), (0, 60, -1.3, 1.3)
    return picture(curve(ys, bounds=bounds, width=4, colour=5), curve(found, bounds=bounds, colour=1))
