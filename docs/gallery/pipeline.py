"""A pipeline of data into a loop of the graph: sizes, batches, and sums by group, without a Python loop."""

import numpy as np
from drawing import bars, picture

import graphrt as tf


@tf.function
def totals(groups):
    numbers = tf.data.Dataset.range(1000).map(lambda n: (n * n + 3 * n) % 97).filter(lambda n: n % 5 != 0)
    found = tf.zeros([12], tf.int64)
    for batch in numbers.batch(64):
        found = found + tf.math.bincount(tf.cast(batch % groups, tf.int32), minlength=12, dtype=tf.int64)
    return found


SHOWN = totals, (tf.constant(12, tf.int64),)


def main():
    found = totals(*SHOWN[1]).numpy()
    n = np.arange(1000)
    n = (n * n + 3 * n) % 97
    np.testing.assert_array_equal(found, np.bincount(n[n % 5 != 0] % 12, minlength=12))
    return picture(bars(found, colour=4))
