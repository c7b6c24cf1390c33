"""Metrics find their variables.

Covers: graphrt/keras/metrics/base.py.
"""

import graphrt as tf


def test_attributes_that_come_while_others_are_looked_at():
    class Slow(list):
        def __iter__(self):  # another thread, between two attributes
            metric.later = 1
            return super().__iter__()

    metric = tf.keras.metrics.Sum()
    metric.held = Slow([tf.keras.metrics.Mean()])
    assert len(metric.variables) == 3
