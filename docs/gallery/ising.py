"""A sampler on a lattice: Ising's magnets, the black fields of a chessboard and then the white ones."""

import numpy as np
from drawing import image, picture

import graphrt as tf


@tf.function
def cool(spins, black, steps, seed):
    for i in tf.range(steps):
        coldness = 0.2 + 0.5 * tf.cast(i, tf.float32) / tf.cast(steps, tf.float32)
        for k in range(2):  # two halves: a Python loop, unrolled
            around = tf.roll(spins, 1, 0) + tf.roll(spins, -1, 0) + tf.roll(spins, 1, 1) + tf.roll(spins, -1, 1)
            up = tf.sigmoid(2.0 * coldness * around)
            drawn = tf.random.stateless_uniform(tf.shape(spins), tf.stack([seed + k, i]))
            flipped = tf.where(drawn < up, 1.0, -1.0)
            spins = tf.where(black if k == 0 else tf.logical_not(black), flipped, spins)
    return spins


def board():
    i, j = np.indices([48, 72])
    return (i + j) % 2 == 0


SHOWN = cool, (tf.where(tf.constant(board()), 1.0, -1.0), tf.constant(board()), tf.constant(60), tf.constant(5))


def main():
    spins = cool(*SHOWN[1]).numpy()
    same = (spins == np.roll(spins, 1, 0)).mean()
    assert set(np.unique(spins)) == {-1.0, 1.0} and same > 0.8
    return picture(image(spins))
