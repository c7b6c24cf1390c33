"""Losses and metrics of unusual data: what Keras 3.15 gives, or says.

Covers: graphrt/keras/losses.py, graphrt/keras/loss_functions.py, graphrt/keras/logits.py, graphrt/keras/metrics/base.py,
graphrt/keras/metrics/confusion.py, graphrt/keras/metrics/means.py, graphrt/keras/metrics/overlaps.py.
"""

import warnings

import numpy as np
import pytest

import graphrt as tf

L, M = tf.keras.losses, tf.keras.metrics
LABELS, SCORES = np.array([[1.0, 0, 0], [0, 1, 0]]), np.array([[0.8, 0.1, 0.1], [0.2, 0.5, 0.3]])
TRUE, FOUND = np.array([[0, 1], [0, 0], [1, 1], [0, 1]]), np.array([[0.2, 0.8], [0.3, 0.4], [0.6, 0.3], [0.9, 0.1]])


def result(metric, *args, **kwargs):
    metric.update_state(*args, **kwargs)
    return metric.result().numpy()


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("Dice", 1 / 3),
        ("Tversky", 1 / 3),
        ("CategoricalCrossentropy", 8.40562),
        ("MeanSquaredError", 0.5),
        ("Hinge", 0.75),
    ],
)
def test_losses_of_integers(name, wanted):
    labels, found = np.array([[0, 1], [1, 1]]), np.array([[1, 1], [0, 1]])
    wanted = {"Hinge": float(L.Hinge()(labels.astype("f4"), found.astype("f4")))}.get(name, wanted)
    np.testing.assert_allclose(getattr(L, name)()(labels, found), wanted, rtol=1e-4)


def test_losses_of_users_get_their_dtype():
    seen = []

    class Square(L.Loss):
        def call(self, y_true, y_pred):
            seen.append((y_true.dtype.name, y_pred.dtype.name))
            return (y_true - y_pred) ** 2

    for y_true, y_pred in (
        (np.array([1, 2]), np.array([1.0, 2.5])),
        (np.array([True, False]), np.array([1.0, 2.5])),
        (tf.constant([1]), tf.constant([2.0], "float64")),
    ):
        Square()(y_true, y_pred)
    Square(dtype="float16")(np.array([1, 2]), np.array([1.0, 2.5]))
    assert seen == [("float32",) * 2] * 3 + [("float16",) * 2]
    model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
    model.compile("sgd", lambda y_true, y_pred: tf.reduce_mean((y_true - y_pred) ** 2))
    model.fit(np.ones((4, 2)), np.array([0, 1, 0, 1]), verbose=0)
    shares = np.eye(1, 2050, 2049)
    assert (
        float(L.SparseCategoricalCrossentropy(dtype="float16")(np.array([2049]), shares)) < 0.01
    )  # no float16 is 2049


def test_smoothed_labels_along_another_axis():
    for name in ("CategoricalCrossentropy", "CategoricalFocalCrossentropy"):
        for logits in (False, True):
            kind = getattr(L, name)
            turned = kind(label_smoothing=0.1, from_logits=logits, axis=0)(LABELS.T, SCORES.T)
            np.testing.assert_allclose(turned, kind(label_smoothing=0.1, from_logits=logits)(LABELS, SCORES), rtol=1e-5)


@pytest.mark.parametrize("kind", [L.CategoricalCrossentropy, L.CategoricalFocalCrossentropy])
def test_one_class_alone_is_warned_of(kind):
    with pytest.warns(
        SyntaxWarning, match=r"expected y_pred.shape to be \(batch_size, num_classes\) with num_classes > 1"
    ):
        assert kind()(np.ones((2, 1)), np.ones((2, 1))) < 1e-6
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kind()(LABELS, SCORES)


def test_of_equal_scores_the_first_k_count():
    weight = [[1.0, 4, 2, 3, 5], [3, 2, 1, 4, 5]]
    y_true, y_pred = (
        np.array([[1, 0, 1, 1, 0], [1, 0, 0, 1, 1]]),
        np.array([[0.2, 0.1, 0.5, 0.4, 0.2], [0.3, 0.6, 0.2, 0.1, 0.9]]),
    )
    assert result(M.Precision(top_k=3), y_true, y_pred, sample_weight=weight) == np.float32(0.875)
    even = np.full((1, 4), 0.25)
    assert result(M.Precision(top_k=2), [[1, 1, 0, 0]], even) == 1 and result(
        M.Recall(top_k=2), [[1, 0, 1, 1]], even
    ) == np.float32(1 / 3)


@pytest.mark.parametrize("kind", [M.Precision, M.Recall])
def test_a_class_of_no_classes(kind):
    with pytest.raises(ValueError, match=r"With `class_id`, y_pred must have classes .* found shape \(3,\)"):
        kind(class_id=2).update_state([0, 1, 1], [0.2, 0.3, 0.4])
    with pytest.raises(ValueError, match=r"Threshold values must be in \[0, 1\]. Received: \[-1, 2\]"):
        kind(thresholds=[-1, 2])


def test_weights_of_labels_count_for_decisions():
    found = result(M.AUC(num_thresholds=3, label_weights=[0.75, 0.25]), TRUE, FOUND)
    np.testing.assert_allclose(found, 0.68333, atol=1e-4)
    found = result(M.AUC(num_thresholds=3, label_weights=[0.75, 0.25]), TRUE, FOUND, sample_weight=[2.0, 2, 2, 2])
    np.testing.assert_allclose(found, 0.68333, atol=1e-4)


def test_scores_and_their_weights():
    plain = result(M.FBetaScore(), LABELS, SCORES)
    assert (result(M.FBetaScore(), LABELS, SCORES, sample_weight=0.5) == plain).all()
    assert result(M.FBetaScore(), LABELS, SCORES, sample_weight=np.arange(6.0).reshape(2, 3)).tolist() == [0, 1, 0]
    for threshold in (1, "x"):
        with pytest.raises(
            ValueError, match="Invalid `threshold` argument value. It should be a Python float. Received"
        ):
            M.FBetaScore(threshold=threshold)
    for threshold in (1.5, -0.1, 0.0):
        with pytest.raises(ValueError, match="It should verify 0 < threshold <= 1. Received"):
            M.FBetaScore(threshold=threshold)
    for beta, said in ((1, "a Python float. Received: beta=1 of type"), (-1.0, "> 0. Received: beta=-1.0")):
        with pytest.raises(ValueError, match=f"It should be {said}"):
            M.FBetaScore(beta=beta)


@pytest.mark.parametrize(
    ("y_true", "y_pred"), [([0, 2], [0, 1]), ([-1, 0], [0, 0]), ([0, 1], [0, 2]), ([0, 1], [-1, 1])]
)
def test_labels_of_no_class_do_not_count(y_true, y_pred):
    assert result(M.IoU(num_classes=2, target_class_ids=[0, 1]), y_true, y_pred) == 1
    assert result(M.MeanIoU(num_classes=2), y_true, y_pred, sample_weight=[0.5, 0.5]) == 1
    assert result(M.MeanIoU(num_classes=2, dtype="int32"), y_true, y_pred) == 1


def test_accuracies_of_booleans():
    for kind in (M.BinaryAccuracy, M.Accuracy):
        assert result(kind(), np.array([True, False]), np.array([True, True])) == 0.5


def test_variables_in_attributes():
    class Several(M.Metric):
        def __init__(self):
            super().__init__()
            self.own = tf.keras.Variable(1.0, name="own")
            self.made = self.add_weight(name="made", initializer="zeros")
            self.kept = {"a": [self.add_variable((2,), "ones", name="kept")]}
            self.inner = [M.Mean()]

        def update_state(self, x):
            self.own.assign_add(x)

        def result(self):
            return tf.identity(self.own)

    metric = Several()
    assert [v.name for v in metric.variables] == ["made", "kept", "own", "total", "count"]
    assert metric(3.0) == 4
    metric.reset_state()
    assert metric.result() == 0


def test_explained_variance():
    rng = np.random.RandomState(1)
    y_true, y_pred = rng.rand(5, 3), rng.rand(5, 3)
    wanted = [-8.54326, -1.37461, -4.71527]
    np.testing.assert_allclose(result(M.R2Score(class_aggregation=None), y_true, y_pred), wanted, rtol=1e-4)
    adjusted = result(M.R2Score(class_aggregation=None, num_regressors=2), y_true, y_pred)  # of five samples
    np.testing.assert_allclose(adjusted, 1 - (1 - np.array(wanted)) * (5 - 1) / (5 - 2 - 1), rtol=1e-4)
    assert result(M.R2Score(num_regressors=7), y_true, y_pred) == result(M.R2Score(), y_true, y_pred)
    assert result(M.R2Score(), y_true[:1], y_pred[:1]) == 0
    with pytest.raises(ValueError, match="Invalid value for argument `num_regressors`. Expected a value >= 0"):
        M.R2Score(num_regressors=-1)


@pytest.mark.parametrize("axis", [None, (1, 2), (0, 2)])
def test_softmax_over_several_axes(axis):
    x = np.random.RandomState(0).randn(2, 3, 4).astype("float32")
    found = tf.keras.ops.softmax(x, axis=axis).numpy()
    np.testing.assert_allclose(found.sum(axis), 1, rtol=1e-5)
    np.testing.assert_allclose(np.log(found), tf.keras.ops.log_softmax(x, axis=axis), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(found, tf.keras.activations.softmax(x, axis=axis))


def test_an_initial_value_of_another_shape():
    with pytest.raises(ValueError, match=r"An initial value of shape \(5, 5\) does not fit a weight of \(10, 10\)"):
        tf.keras.initializers.get(tf.ones((5, 5)))(shape=(10, 10))


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("softmax", [tf.keras.activations.softmax, tf.keras.layers.Softmax(), tf.keras.ops.softmax])
def test_categorical_losses_remember_the_logits(softmax, traced):
    logits = tf.constant([[30.0, -40.0, 2.0]])

    def step(z):
        with tf.GradientTape() as tape:
            tape.watch(z)
            shares = softmax(z)
            dense = tf.keras.losses.CategoricalCrossentropy()([[0.0, 1.0, 0.0]], shares)
            loss = dense + tf.keras.losses.sparse_categorical_crossentropy([1], shares)[0]
        return loss, tape.gradient(loss, z)

    loss, slope = (tf.function(step) if traced else step)(logits)
    np.testing.assert_allclose(loss, 140.0)
    np.testing.assert_allclose(slope, [[2.0, -2.0, 0.0]], atol=1e-6)


@pytest.mark.parametrize("traced", [False, True])
def test_binary_losses_remember_the_logits(traced):
    logits, labels = tf.constant([[30.0, -40.0, 2.0]]), tf.constant([[0.0, 1.0, 1.0]])
    layer = tf.keras.layers.Dense(3, activation="sigmoid", kernel_initializer="identity")

    def step(z):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(z)
            plain = tf.keras.losses.BinaryCrossentropy()(labels, layer(z))
            focal = tf.keras.losses.BinaryFocalCrossentropy(from_logits=True)(labels, z)
        return plain, focal, tape.gradient(plain, z), tape.gradient(focal, z)

    plain, focal, slope, focal_slope = (tf.function(step) if traced else step)(logits)
    np.testing.assert_allclose([plain, focal], [23.375643, 23.333933], rtol=1e-6)
    np.testing.assert_allclose(slope, [[1 / 3, -1 / 3, -0.03973431]], rtol=1e-5)
    np.testing.assert_allclose(focal_slope, [[1 / 3, -1 / 3, -0.00162365]], rtol=1e-5)


@pytest.mark.parametrize("traced", [False, True])
def test_logits_along_another_axis_are_none_of_the_loss(traced):
    logits = tf.constant([[[1.0, 2.0], [3.0, 5.0]]])
    labels = tf.constant([[[1.0, 0.0], [0.0, 1.0]]])

    def losses(z):
        shares = tf.keras.activations.softmax(z)
        along = tf.keras.losses.categorical_crossentropy(labels, tf.keras.activations.softmax(z, axis=1), axis=1)
        return tf.keras.losses.categorical_crossentropy(labels, shares, axis=1), along, shares

    across, along, shares = (tf.function(losses) if traced else losses)(logits)
    shares = shares.numpy() / shares.numpy().sum(1, keepdims=True)
    np.testing.assert_allclose(across, -(labels.numpy() * np.log(shares)).sum(1), rtol=1e-5)
    np.testing.assert_allclose(along, [[np.log1p(np.exp(2.0)), np.log1p(np.exp(-3.0))]], rtol=1e-5)


@pytest.mark.parametrize("weights", [[1.0, 2, 0, 4], [[1.0], [2], [0], [4]]])
def test_metrics_of_one_class_take_weights_of_samples(weights):
    true = [[0.0, 1, 0], [1, 1, 0], [0, 0, 1], [0, 1, 1]]
    found = [[0.1, 0.6, 0.3], [0.2, 0.7, 0.4], [0.6, 0.5, 0.5], [0.7, 0.2, 0.1]]
    assert float(result(M.Precision(class_id=1, thresholds=0.1), true, found, weights)) == 1.0
    assert float(result(M.Recall(class_id=1), true, found, weights)) == pytest.approx(3 / 7)
    assert float(result(M.SensitivityAtSpecificity(0.5, class_id=2), true, found, weights)) == 0.0
