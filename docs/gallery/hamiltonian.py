"""A sampler that follows gradients: Hamiltonian Monte Carlo on a banana. A tape inside a loop of the graph."""

from drawing import picture, points

import graphrt as tf


def energy(q):
    return 0.5 * q[0] ** 2 + 5.0 * (q[1] - 0.5 * q[0] ** 2) ** 2


def force(q):
    with tf.GradientTape() as tape:
        tape.watch(q)
        found = energy(q)
    return -tape.gradient(found, q)


@tf.function
def sample(start, count, seed):
    kicks = tf.random.stateless_normal([count, 2], seed)
    chances = tf.math.log(tf.random.stateless_uniform([count], seed + 1))
    found = tf.TensorArray(tf.float32, size=count, element_shape=[2])
    q = start
    for i in tf.range(count):
        new, p = q, kicks[i]
        before = energy(q) + 0.5 * tf.reduce_sum(p * p)
        for _ in tf.range(12):
            p = p + 0.05 * force(new)
            new = new + 0.1 * p
            p = p + 0.05 * force(new)
        after = energy(new) + 0.5 * tf.reduce_sum(p * p)
        if chances[i] < before - after:
            q = new
        found = found.write(i, q)
    return found.stack()


SHOWN = sample, (tf.constant([0.0, 0.0]), tf.constant(400), tf.constant([3, 4]))


def main():
    q = sample(*SHOWN[1]).numpy()
    assert abs(q[:, 0].mean()) < 0.6 and q[:, 1].mean() > 0
    return picture(points(q[:, 0], q[:, 1], bounds=(-3, 3, -1, 4)))
