"""`keras.models.clone_model`: layers and calls in the place of others; and what models take for losses and inputs."""

import numpy as np
import pytest

import graphrt as tf

keras, layers = tf.keras, tf.keras.layers
X = np.linspace(0, 1, 6, dtype="float32").reshape(2, 3)


def _two():
    entry = keras.Input((3,), name="entry")
    shared = layers.Dense(3, name="shared")
    a, b = layers.Dense(1, name="a")(shared(shared(entry))), layers.Dense(1, name="b")(entry + 1.0)
    return keras.Model(entry, {"a": a, "b": b}, name="two")


def _renamed(layer):
    return type(layer).from_config({**layer.get_config(), "name": f"{layer.name}_new"})


def test_a_clone_has_the_layers_that_the_function_gives():
    model = _two()
    model.compile("adam", {"a": "mse", "b": "mae"}, metrics={"a": ["mae"]})
    clone = keras.models.clone_model(model, clone_function=_renamed)
    assert sorted(v.path for v in clone.weights) == sorted(
        f"{n}_new/{k}" for n in ("a", "b", "shared") for k in ("bias", "kernel")
    )
    assert clone.compiled and clone.optimizer is not model.optimizer and clone.name == "two"
    clone.set_weights(model.get_weights())
    for key, value in clone(X).items():
        np.testing.assert_allclose(value, model(X)[key], rtol=1e-6)
    assert clone.evaluate(X, {"a": X[:, :1], "b": X[:, :1]}, return_dict=True, verbose=0).keys() == {
        "loss", "a_loss", "b_loss", "a_mae",
    }  # fmt: skip


def test_calls_may_be_made_otherwise_in_models_among_the_layers_too():
    def call(layer, *args, **kwargs):
        found = layer(*args, **kwargs)
        return layers.Dropout(0.5)(found) if isinstance(layer, layers.Dense) else found

    model = keras.Sequential([keras.Input((3,)), layers.Dense(2)], name="inner")
    entry = keras.Input((3,))
    outer = keras.Model(entry, model(layers.Dense(3)(entry)))
    clone = keras.models.clone_model(outer, clone_function=lambda layer: layer, call_function=call)
    assert [type(v).__name__ for v in clone.layers] == ["InputLayer", "Dense", "Dropout", "Sequential"]
    assert clone.layers[1] is outer.layers[1]
    deep = keras.models.clone_model(outer, clone_function=_renamed, recursive=True)
    assert deep.layers[-1].layers[0].name == f"{model.layers[0].name}_new"
    with pytest.raises(ValueError, match="functional"):
        keras.models.clone_model(model, call_function=call)


def test_inputs_of_a_clone():
    z = keras.Input((3,), name="z")
    clone = keras.models.clone_model(_two(), input_tensors=z)
    assert clone.inputs[0] is z
    for wrong in (X, [z, z]):
        with pytest.raises(ValueError, match="input_tensors"):
            keras.models.clone_model(_two(), input_tensors=wrong)

    class Own(keras.Model):
        def call(self, x):
            return x

    with pytest.raises(ValueError, match="clone_function"):
        keras.models.clone_model(Own(), clone_function=_renamed)


def test_weights_are_loaded_from_the_file_of_a_model(tmp_path):
    make = lambda: keras.Sequential([keras.Input((3,)), layers.Dense(2)])
    model, other = make(), make()
    model.save(tmp_path / "model.keras")
    other.load_weights(tmp_path / "model.keras")
    assert (other.get_weights()[0] == model.get_weights()[0]).all()


class _Plus(layers.Layer):
    def call(self, x, y=None):
        return x if y is None else x + y


def _with_optional(optional):
    a, b = keras.Input((3,), name="a"), keras.Input((3,), name="b", optional=optional)
    return keras.Model([a, b], _Plus()(a, b))


def test_optional_inputs_may_be_none():
    model = _with_optional(True)
    assert (model([X, None]) == X).numpy().all()
    assert (model.predict([X, None], verbose=0) == X).all()
    model.compile("sgd", "mse")
    assert model.evaluate([X, None], X, verbose=0) == 0.0
    with pytest.raises(ValueError, match="'b' is not optional"):
        _with_optional(False)([X, None])


def test_an_output_may_have_a_list_of_losses():
    entry = keras.Input((3,))
    dense = layers.Dense(1, name="a")
    model = keras.Model(entry, [dense(entry), layers.Dense(1, name="b")(entry)])
    y = [X[:, :1], X[:, 1:2]]
    model.compile("sgd", ["mse", ["mse", "mae"]], metrics={"a": ["mse"]}, weighted_metrics={"a": "mse"})
    found = model.evaluate(X, y, return_dict=True, verbose=0)
    assert found.keys() == {"loss", "a_loss", "b_loss", "a_mse", "a_weighted_mse"}
    error = model(X)[1].numpy() - y[1]
    np.testing.assert_allclose(found["b_loss"], (error**2).mean() + abs(error).mean(), rtol=1e-5)
    one = keras.Model(entry, dense(entry))
    one.compile("sgd", {"a": ["mse"]})
    assert one.evaluate(X, y[0], verbose=0) == pytest.approx(found["a_loss"], rel=1e-5)
    parts = keras.Model(entry, [(dense(entry), dense(entry)), dense(entry)])
    parts.compile("sgd", [["mse", "mae", "mse"], "mse"])
    with pytest.raises(ValueError, match="is for an output that is one tensor, found a tuple of 2"):
        parts.evaluate(X, [(y[0], y[0]), y[0]], verbose=0)
