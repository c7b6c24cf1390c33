"""A search: the most likely sentences of a small language, a beam of three at a time."""

import numpy as np
from drawing import bars, label, picture

import graphrt as tf

WORDS = ["the", "cat", "dog", "sees", "sleeps", "."]
NEXT = np.array([[0, .5, .5, 0, 0, 0], [0, 0, 0, .4, .6, 0], [0, 0, 0, .7, .3, 0], [1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 1],
                 [0, 0, 0, 0, 0, 1]])  # fmt: skip


@tf.function
def search(chances, first, length, width):
    scores = tf.zeros([1])
    paths = first[None, None]
    for _ in tf.range(length):
        tf.autograph.experimental.set_loop_options(
            shape_invariants=[(scores, tf.TensorShape([None])), (paths, tf.TensorShape([None, None]))]
        )
        every = scores[:, None] + tf.gather(chances, paths[:, -1])
        scores, index = tf.math.top_k(tf.reshape(every, [-1]), k=tf.minimum(width, tf.size(every)))
        size = tf.shape(chances)[1]
        paths = tf.concat([tf.gather(paths, index // size), (index % size)[:, None]], axis=1)
    return paths, scores


SHOWN = search, (tf.constant(np.log(NEXT + 1e-9).astype(np.float32)), tf.constant(0), tf.constant(6), tf.constant(3))


def main():
    paths, scores = search(*SHOWN[1])
    best = " ".join(WORDS[i] for i in paths.numpy()[0])
    assert best == "the cat sleeps . . . .", best
    return picture(bars(np.exp(scores.numpy()), colour=2), label(best.rstrip(" .")))
