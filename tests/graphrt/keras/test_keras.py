"""Programs for `tf.keras` give what they give in TensorFlow (Keras 3): recorded by tests/golden/record_keras.py.

Covers: graphrt/keras/layers/, graphrt/keras/metrics/, graphrt/keras/optimizers/.
"""

import json

import numpy as np
import pytest

import graphrt as tf
from tests import GOLDEN
from tests.golden import keras_cases

RECORDED = json.loads((GOLDEN / "keras.json").read_text())
TOLERANCE = {"train": 2e-4, "progress": 2e-4, "seeded": 1e-5}


def same(found, wanted, tolerance, where):
    if isinstance(wanted, dict) and set(wanted) == {"shape", "dtype", "values"}:
        found = np.asarray(found)
        assert list(found.shape) == wanted["shape"], where
        assert found.dtype.kind == np.dtype(wanted["dtype"]).kind, where
        expected = np.array(wanted["values"], found.dtype).reshape(found.shape)
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance, err_msg=where)
    elif isinstance(wanted, dict):
        assert {str(k) for k in found} == set(wanted), where
        for key in found:
            same(found[key], wanted[str(key)], tolerance, f"{where}.{key}")
    elif isinstance(wanted, list):
        assert len(found) == len(wanted), f"{where}: {found} {wanted}"
        for i, (a, b) in enumerate(zip(found, wanted)):
            same(a, b, tolerance, f"{where}[{i}]")
    elif isinstance(wanted, float):
        assert found == pytest.approx(wanted, rel=tolerance, abs=tolerance, nan_ok=True), where
    else:
        assert found == wanted, where


@pytest.mark.parametrize("name", sorted(RECORDED))
def test_as_tensorflow(name):
    tolerance = TOLERANCE.get(name.partition("_")[0], 3e-5)
    same(keras_cases.CASES[name](tf), RECORDED[name], tolerance, name)


def test_all_cases_are_recorded():
    assert set(RECORDED) == set(keras_cases.CASES)


@pytest.mark.parametrize("make, expected", [
    (lambda: tf.keras.optimizers.Adam(0.1), [0.66619, 1.64117]),
    (lambda: tf.keras.optimizers.RMSprop(0.1), [-0.04639, 0.87516]),
    (lambda: tf.keras.optimizers.Adagrad(0.1), [0.69155, 1.66181]),
    (lambda: tf.keras.optimizers.Nadam(0.1), [0.64527, 1.61868]),
    (lambda: tf.keras.optimizers.Adam(0.1, amsgrad=True), [0.66619, 1.64117]),
    (lambda: tf.keras.optimizers.Adam(0.1, clipnorm=0.5), [0.647, 1.62053]),
    (lambda: tf.keras.optimizers.SGD(0.1, global_clipnorm=0.5), [0.90565, 1.87421]),
    (lambda: tf.keras.optimizers.SGD(0.1, clipvalue=0.3), [0.84, 1.83]),
])  # fmt: skip
def test_slices_of_one_row_are_squared_and_clipped_one_by_one(make, expected):
    """As Keras does (recorded): three steps with two slices of the first row."""
    weights, optimizer = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), make()
    for i in range(3):
        values = tf.reshape(tf.range(1.0, 7.0), [3, 2]) * (0.1 + 0.2 * i)
        optimizer.apply_gradients([(tf.IndexedSlices(values, tf.constant([0, 2, 0]), tf.constant([3, 2])), weights)])
    assert np.allclose(weights[0], expected, atol=2e-5)


@pytest.mark.parametrize(
    "name", ["SparseCategoricalCrossentropy", "CategoricalGeneralizedCrossEntropy", "Huber", "Dice"]
)
def test_losses_of_tensors_of_unknown_rank(name):
    loss = getattr(tf.keras.losses, name)()
    labels = [0.0, 1.0] if "S" in name or "G" in name else [[0.0, 1.0], [1.0, 0.0]]
    shares = [[0.2, 0.8], [0.6, 0.4]]
    spec = tf.TensorSpec(None, tf.float32)
    traced = tf.function(lambda a, b: loss(a, b), input_signature=[spec, spec])
    np.testing.assert_allclose(traced(labels, shares), loss(labels, shares), rtol=1e-6)
    over = tf.function(
        lambda a, b: tf.keras.losses.sparse_categorical_crossentropy(a, b, axis=0), input_signature=[spec, spec]
    )
    with pytest.raises(ValueError, match="needs predictions of known rank"):
        over(labels, shares)


def test_means_count_samples_whatever_their_width():
    # as Keras 3: the mean of each sample first, then that of the samples
    mean, total = tf.keras.metrics.Mean(), tf.keras.metrics.Sum()
    for metric in (mean, total):
        metric.update_state([[1.0, 2.0, 3.0], [5.0, 6.0, 7.0]])
        metric.update_state([[10.0]])
    assert mean.result().numpy() == (2 + 6 + 10) / 3 and total.result().numpy() == 34
    mean.reset_state()
    mean.update_state([[1.0, 2.0, 3.0], [5.0, 6.0, 7.0]], sample_weight=[3.0, 1.0])
    mean.update_state([[10.0]])
    assert mean.result().numpy() == (3 * 2 + 6 + 10) / 5
    mean.reset_state()
    mean.update_state([[1.0, 2.0], [5.0, 6.0]], sample_weight=[[1.0, 3.0], [0.0, 2.0]])
    assert mean.result().numpy() == ((1 + 6) / 2 + (0 + 12) / 2) / (2 + 1)
    mean.reset_state()
    mean.update_state([[1.0, 3.0]], sample_weight=2.0)
    assert mean.result().numpy() == 2.0


@pytest.mark.parametrize(
    "function",
    [
        tf.keras.ops.exp,
        tf.keras.ops.mean,
        tf.keras.ops.median,
        lambda x: tf.keras.ops.add(x, 2.5),
        lambda x: tf.keras.ops.less(x, [1.0]),
        lambda x: tf.experimental.numpy.var(x),
    ],
)
def test_texts_where_numbers_are_taken_are_refused_at_once_and_traced(function):
    with pytest.raises((ValueError, tf.errors.OpError)):
        function(tf.constant(["a", "b"]))
    with pytest.raises(ValueError, match="numbers"):
        tf.function(function).get_concrete_function(tf.TensorSpec([2], tf.string))


def test_texts_are_compared():
    assert tf.keras.ops.equal(tf.constant(["a", "b"]), ["a", "c"]).numpy().tolist() == [True, False]


def test_slots_of_plain_variables_are_named_after_their_tensors():
    optimizer = tf.keras.optimizers.Adam(name="a")
    optimizer.build([tf.Variable(1.0), tf.Variable(2.0, name="w")])
    assert [v.path for v in optimizer.variables][2::2] == ["a/Variable_0_momentum", "a/w_0_momentum"]


@pytest.mark.parametrize("places", [4, [4], [[1], [5]]])
def test_places_of_any_shape_are_unravelled(places):
    found = tf.keras.ops.unravel_index(places, [2, 3])
    assert [part.numpy().tolist() for part in found] == [
        np.asarray(p).tolist() for p in np.unravel_index(places, (2, 3))
    ]


def test_a_threshold_may_give_a_row_of_defaults():
    found = tf.keras.ops.threshold(tf.constant([[0, 7, -3], [9, 1, 2]], tf.int8), 6, [1, 2, 3])  # as Keras does
    assert found.numpy().tolist() == [[1, 7, 3], [9, 2, 3]] and found.dtype == tf.int8
