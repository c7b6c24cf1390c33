"""Losses and metrics of outputs, however these are nested; the numbers are Keras 3.15.1's."""

import numpy as np
import pytest

import graphrt as tf

keras, layers = tf.keras, tf.keras.layers
X = np.random.RandomState(1).rand(16, 3).astype("float32")
Y = [np.random.RandomState(i).rand(16, 1).astype("float32") for i in range(4)]
NESTED = {"a": ("y1", "y2"), "b": {"b1": "y3", "b2": "y4"}}
TARGETS = {"a": (Y[0], Y[1]), "b": {"b1": Y[2], "b2": Y[3]}}


def made(outputs):
    entry = keras.Input((3,))
    model = keras.Model(entry, tf.nest.map_structure(lambda name: layers.Dense(1, name=name)(entry), outputs))
    random = np.random.RandomState(0)
    model.set_weights([random.uniform(-0.5, 0.5, w.shape) for w in model.get_weights()])
    return model


def told(outputs, y, **options):
    model = made(outputs)
    model.compile("sgd", **options)
    return model.evaluate(X, y, return_dict=True, verbose=0)


def error(model, i, kind="mse"):
    difference = tf.nest.flatten(model.predict(X, verbose=0))[i] - Y[i]
    return float(np.mean(difference**2 if kind == "mse" else abs(difference)))


def test_losses_have_the_structure_of_the_outputs_or_a_part_of_it():
    model = made(NESTED)
    found = told(NESTED, TARGETS, loss={"a": ("mse", None), "b": {"b2": "mae"}}, loss_weights={"b": {"b2": 2.0}})
    assert found.keys() == {"loss", "a/y1_loss", "b/b2_loss"}
    assert found["loss"] == pytest.approx(error(model, 0) + 2 * error(model, 3, "mae"), rel=1e-5)
    both = {"a": ("mae", ["mse", "mae"]), "b": {"b1": "mae", "b2": None}}
    found = told(NESTED, TARGETS, loss="mse", metrics=both)
    assert list(found) == sorted(["loss", "a/y1_loss", "a/y2_loss", "b/b1_loss", "b/b2_loss", "y1_mae", "y2_mse",
                                  "y2_mae", "y3_mae"])  # fmt: skip
    assert found["y2_mse"] == pytest.approx(error(model, 1), rel=1e-5)


def test_a_function_may_take_a_part_of_the_outputs_and_lists_hold_several():
    def distance(y_true, y_pred):
        return sum(tf.abs(y_true[k] - y_pred[k]) for k in (0, 1))

    outputs = {"a": ("y1", "y2"), "b": "y3"}
    model = made(outputs)
    y = {"a": (Y[0], Y[1]), "b": Y[2]}
    found = told(outputs, y, loss={"a": [distance, (None, "mse")], "b": "mse"})
    assert found.keys() == {"loss", "a_loss", "a/y2_loss", "b_loss"}
    assert found["a_loss"] == pytest.approx(error(model, 0, "mae") + error(model, 1, "mae"), rel=1e-5)
    assert told(["y1", "y2"], Y[:2], loss=(distance, ("mse", None))).keys() == {"loss", "y1_y2_loss", "y1_loss"}


def test_targets_without_a_loss_may_be_missing():
    model = made(["y1", "y2", "y3"])
    found = told(["y1", "y2", "y3"], [Y[0], Y[2]], loss=["mse", None, "mae"])
    assert found["loss"] == pytest.approx(error(model, 0) + error(model, 2, "mae"), rel=1e-5)
    assert told(["y1", "y2"], Y[0], loss=["mse", None])["loss"] == pytest.approx(error(model, 0), rel=1e-5)
    found = told(["y1", "y2"], {"y1": Y[0], "y2": Y[1]}, loss={"y2": "mae", "y1": "mse"})
    assert found["y2_loss"] == pytest.approx(error(model, 1, "mae"), rel=1e-5)


def test_weights_of_samples_have_the_structure_too_and_metrics_are_told_in_their_order():
    weights = [X[:, 0], X[:, 1]]
    model = made(["y1", "y2"])
    model.compile("sgd", "mse", metrics=[["mae"], ["mae", "mse"]], weighted_metrics=[["mae"], None])
    found = model.evaluate(X, Y[:2], sample_weight=weights, return_dict=True, verbose=0)
    assert list(found) == ["loss", "y1_loss", "y1_mae", "y1_weighted_mae", "y2_loss", "y2_mae", "y2_mse"]
    want = np.mean((model.predict(X, verbose=0)[1] - Y[1])[:, 0] ** 2 * X[:, 1])
    assert found["y2_loss"] == pytest.approx(want, rel=1e-5)
    listed = model.evaluate(X, Y[:2], sample_weight=weights, verbose=0)
    order = ["loss", "y1_loss", "y2_loss", "y1_mae", "y1_weighted_mae", "y2_mae", "y2_mse"]
    assert listed == pytest.approx([found[name] for name in order])
    again = told("y1", Y[0], loss="mse", metrics=["mae", "mae"], weighted_metrics=["mae", "mae"])
    assert list(again) == ["loss", "mae", "mae_1", "weighted_mae", "weighted_mae_1"]


@pytest.mark.parametrize(
    ("options", "kind", "words"),
    [
        ({"loss": {"y1": "mse", "q": "mse"}}, ValueError, "Expected keys .*y1.*y2.* in loss dict"),
        ({"loss": ["mse"] * 3}, ValueError, "`loss` has 3 entries for the 2 outputs"),
        ({"loss": "mse", "loss_weights": [1.0, 2.0, 3.0]}, ValueError, "must match the number of losses"),
        ({"loss": "mse", "loss_weights": {"q": 1.0}}, ValueError, "key 'q' does not correspond to any model output"),
        ({"loss": "mse", "loss_weights": "a"}, ValueError, "Expected `loss_weights` argument to be a float"),
        ({"loss": "mse", "metrics": {"q": "mse"}}, ValueError, "(?s)key 'q'.*Invalid `metrics`"),
        ({"loss": "mse", "metrics": ["mse", "mae", "mse"]}, ValueError, "(?s)has 2 parts.*Invalid `metrics`"),
        ({"loss": ["mse", {"q": "mse"}]}, KeyError, "can't be found in the model's output"),
    ],
)
def test_what_does_not_fit_the_outputs_is_said(options, kind, words):
    with pytest.raises(kind, match=words):
        told(["y1", "y2"], Y[:2], **options)


def test_outputs_that_are_not_there_are_said():
    with pytest.raises(KeyError, match=r"The path: \('q',\) in the `loss` argument, can't be found in either"):
        told({"a": "y1", "b": "y2"}, {"a": Y[0], "b": Y[1]}, loss={"a": "mse", "q": "mse"})
    with pytest.raises(ValueError, match="y_true and y_pred have different structures"):
        told(["y1", "y2"], Y[:3], loss="mse")
    with pytest.raises(ValueError, match="is for an output that is one tensor"):
        told({"a": ("y1", "y2")}, {"a": (Y[0], Y[1])}, loss={"a": "mse"})
