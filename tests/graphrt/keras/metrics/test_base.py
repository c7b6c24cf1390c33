"""Metrics find their variables.

Covers: graphrt/keras/metrics/base.py.
"""

import pytest

import graphrt as tf


def test_attributes_that_come_while_others_are_looked_at():
    class Slow(list):
        def __iter__(self):  # another thread, between two attributes
            metric.later = 1
            return super().__iter__()

    metric = tf.keras.metrics.Sum()
    metric.held = Slow([tf.keras.metrics.Mean()])
    assert len(metric.variables) == 3


@pytest.mark.parametrize("name", ["R2Score", "F1Score", "FBetaScore"])
@pytest.mark.parametrize(
    "y_true, y_pred", [([1.5], [[1.0, 2.0, 3.0]]), (-1.0, [[1.0, 2.0, 3.0]]), ([[1.0, 1.0]], [[1.0, 2.0, 3.0]])]
)
def test_a_first_batch_that_fails_leaves_no_sizes(name, y_true, y_pred):
    for run in (lambda f: f, lambda f: tf.function(f, autograph=False)):
        metric = getattr(tf.keras.metrics, name)()
        with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
            run(lambda: metric.update_state(y_true, y_pred))()
        fresh = getattr(tf.keras.metrics, name)()
        for each in (metric, fresh):
            each.update_state([[1.0, 0.0], [0.0, 1.0]], [[0.9, 0.2], [0.1, 0.4]])
        assert metric.result().numpy().tolist() == fresh.result().numpy().tolist()
