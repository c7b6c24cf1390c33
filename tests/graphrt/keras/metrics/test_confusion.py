"""Metrics (`confusion`, `overlaps`) and losses: numbers of Keras 3.15 where samples have weights, several are equal, or classes are not counted."""

import numpy as np
import pytest

import graphrt as tf

metrics, losses = tf.keras.metrics, tf.keras.losses


def after(metric, *batch, **more):
    metric.update_state(*batch, **more)
    return np.asarray(metric.result()).round(5).tolist()


Y, P = np.array([1, 0, 1, 1, 1]), np.array([0.2, 0.6, 0.4, 0.2, 0.2])


@pytest.mark.parametrize(
    ("metric", "arguments", "expected"),
    [
        (metrics.Precision(top_k=3), (Y, P), 0.66667),
        (metrics.Recall(top_k=3), (Y, P), 0.5),
        (metrics.Precision(class_id=1), ([[0, 1], [1, 1]], [[0.1, 0.9], [0.8, 0.2]]), 1.0),
        (metrics.AUC(label_weights=[0.75, 0.25]), ([[0, 1], [1, 0], [1, 1]], [[0.3, 0.6], [0.6, 0.7], [0.2, 0.1]]), 0.375),
        (metrics.AUC(curve="PRGAIN", num_thresholds=5), ([1, 1, 0, 1], [0.9, 0.4, 0.4, 0.6]), 0.5),
        (metrics.MeanIoU(3), ([0, 1, 2, 5, -1], [0, 1, 1, 0, 0]), 0.5),
        (metrics.IoU(2, [0, 1]), ([0, 1, 1], [0, 0, 3]), 0.25),
    ],
)  # fmt: skip
def test_numbers(metric, arguments, expected):
    assert after(metric, *arguments) == pytest.approx(expected, abs=2e-5)


@pytest.mark.parametrize(("weight", "expected"), [(0.5, [0.0, 0.66667]), ([[0.5, 0.2], [0.3, 0.8]], [0.0, 0.33333])])
def test_weights_of_scores(weight, expected):
    y, p = [[1, 1], [1, 0]], [[0.2, 0.6], [0.2, 0.6]]
    assert after(metrics.F1Score(threshold=0.5), y, p, sample_weight=weight) == pytest.approx(expected, abs=2e-5)


def test_overlaps_count_more_than_floats_of_32_bits_hold():
    m = metrics.MeanIoU(2)
    m.total_cm.assign([[2**24, 0], [0, 2**24]])
    m.update_state([0] * 5, [1] * 5)
    assert m.total_cm.numpy().tolist() == [[2**24, 5], [0, 2**24]] and m.result().dtype == tf.float32


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: metrics.FBetaScore(threshold=1), "should be a Python float. Received: threshold=1"),
        (lambda: metrics.FBetaScore(threshold=1.5), "0 < threshold <= 1. Received: threshold=1.5"),
        (lambda: metrics.FBetaScore(beta=0.0), "should be > 0. Received: beta=0.0"),
        (lambda: metrics.AUC(curve="x"), 'AUC curve value: "x"'),
        (lambda: metrics.AUC(summation_method="x"), 'AUC summation method value: "x"'),
        (lambda: metrics.TruePositives([-1, 0.5]), r"in \[0, 1\]. Received: \[-1"),
        (lambda: metrics.Recall(class_id=2)(Y, P), r"must have classes on its last axis"),
        (lambda: tf.keras.optimizers.Ftrl(l1_regularization_strength=-0.1), "l1_regularization_strength=-0.1"),
    ],
)
def test_what_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("make", [losses.Dice, losses.Tversky, losses.CategoricalGeneralizedCrossEntropy])
def test_labels_and_outputs_that_are_integers(make):
    assert make(dtype="bfloat16")([[1, 2], [1, 2]], [[4, 1], [6, 1]]).dtype == tf.bfloat16


def test_loss_that_is_chosen_by_the_shapes_of_labels():
    x = np.linspace(0, 1, 8, dtype="float32").reshape(4, 2)
    for units, y, same in (
        (1, [[0], [1], [1], [0]], "binary_crossentropy"),
        (3, [0, 1, 2, 0], "sparse_categorical_crossentropy"),
        (3, np.eye(3)[[0, 1, 2, 0]], "categorical_crossentropy"),
    ):
        model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(units, activation="softmax")])
        found = []
        for loss in ("crossentropy", same, losses.serialize(losses.get(same))):
            model.compile(loss=loss)
            found.append(model.evaluate(x, np.array(y), verbose=0))
        assert found[0] == found[1] == found[2]


def test_variables_of_named_initializers():
    v = tf.keras.Variable("ones", shape=(2,))
    assert v.value.numpy().tolist() == [1.0, 1.0] and v.dtype == tf.float32
    v.constraint = tf.abs
    assert v.constraint is tf.abs
    with pytest.raises(ValueError, match="Expected a callable or None"):
        v.constraint = 3
