"""A sampler: Metropolis' walk through a density with two hills, from random numbers that are given."""

import numpy as np
from drawing import bars, picture

import graphrt as tf


def log_density(x):
    return tf.reduce_logsumexp(tf.stack([-0.5 * ((x + 2.0) / 0.7) ** 2, -0.5 * ((x - 1.5) / 1.0) ** 2]))


@tf.function
def sample(start, steps, seed):
    moves = 2.0 * tf.random.stateless_normal([steps], seed)
    chances = tf.math.log(tf.random.stateless_uniform([steps], seed + 1))
    here, level = start, log_density(start)
    walk = tf.TensorArray(tf.float32, size=steps, element_shape=[])
    for i in tf.range(steps):
        there = here + moves[i]
        other = log_density(there)
        if chances[i] < other - level:
            here, level = there, other
        walk = walk.write(i, here)
    return walk.stack()


SHOWN = sample, (tf.constant(0.0), tf.constant(4000), tf.constant([1, 2]))


def main():
    found = sample(*SHOWN[1]).numpy()
    assert abs((found < -0.3).mean() - 0.41) < 0.1
    return picture(bars(np.histogram(found, 40, (-5, 5))[0]))
