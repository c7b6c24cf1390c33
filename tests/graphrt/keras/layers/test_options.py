"""What layers of one's own declare, arguments of older programs, and weights by their paths; as Keras 3.15.1 has it."""

import numpy as np
import pytest

import graphrt as tf

keras, layers = tf.keras, tf.keras.layers
X = np.random.RandomState(1).rand(4, 5, 6).astype("float32")


def test_shapes_that_a_layer_declares_are_taken_from_it():
    class Both(layers.Layer):
        def call(self, x):
            raise RuntimeError("not for shapes")

        def compute_output_shape(self, input_shape):
            return {"a": (*input_shape[:-1], 3), "b": [input_shape, input_shape]}

    class Sum(layers.Layer):
        def call(self, one, two):
            return one + two

        def compute_output_shape(self, one_shape, two_shape):
            assert two_shape == (None, 5, 6)
            return one_shape

    entry = keras.Input((5, 6))
    found = Both()(entry)
    assert found["a"].shape == (None, 5, 3) and [t.shape for t in found["b"]] == [(None, 5, 6)] * 2
    model = keras.Model(entry, Sum()(entry, entry))
    np.testing.assert_array_equal(model.predict(X, verbose=0), X + X)


def test_layers_inside_are_built_though_the_shape_is_declared():
    class Inside(layers.Layer):
        def __init__(self):
            super().__init__()
            self.dense = layers.Dense(3)

        def call(self, x):
            return self.dense(x)

        def compute_output_shape(self, input_shape):
            return (*input_shape[:-1], 3)

    entry = keras.Input((6,))
    assert len(keras.Model(entry, Inside()(entry)).weights) == 2


def test_arguments_of_a_layer_of_ones_own_get_their_masks():
    seen = []

    class Sum(layers.Layer):
        def call(self, a, b, a_mask=None, b_mask=None):
            seen.append((a_mask is not None, b_mask is not None))
            return a + b

    given = layers.Embedding(5, 2, mask_zero=True)(np.array([[1, 0, 2]]))
    Sum()(given, tf.identity(given))
    Sum()(a=given, b=given)
    Sum()(given, given, given)
    assert seen == [(True, False), (True, True), (True, True)]


def test_arguments_of_older_programs():
    layer = layers.LayerNormalization(rms_scaling=True, scale=False)
    found = layer(X).numpy()
    np.testing.assert_allclose(found, X / np.sqrt(X.var(-1, keepdims=True) + 1e-3), rtol=1e-5)
    assert [w.name for w in layer.weights] == ["gamma"]
    again = layers.LayerNormalization.from_config(layer.get_config())
    np.testing.assert_array_equal(again(X), found)
    assert layers.LayerNormalization().get_config()["rms_scaling"] is False
    for kind in (layers.LSTM, layers.GRU):
        config = kind(3, implementation=1, use_cudnn=False, zero_output_for_mask=True).get_config()
        assert "implementation" not in config and kind.from_config(config).get_config() == config
        assert config["zero_output_for_mask"] is True


def made():
    model = keras.Sequential([keras.Input((3,)), layers.Dense(2, name="d")], name="net")
    model.compile("adam", "mse")
    return model


def test_variables_as_a_tree():
    model = made()
    tree = model.get_state_tree("numpy_array")
    kinds = ["trainable_variables", "non_trainable_variables", "optimizer_variables", "metrics_variables"]
    assert list(tree) == kinds and isinstance(tree["trainable_variables"]["net"]["d"]["kernel"], np.ndarray)
    assert tree["metrics_variables"]["loss"].keys() == {"total", "count"}
    model.set_state_tree({"trainable_variables": {"net": {"d": {"bias": [5.0, 6.0]}}}})
    assert model.get_weights()[1].tolist() == [5.0, 6.0]
    with pytest.raises(ValueError, match="Unknown variable name: q"):
        model.set_state_tree({"q": {}})
    with pytest.raises(ValueError, match="There is no variable 'net/e' among trainable_variables"):
        model.set_state_tree({"trainable_variables": {"net": {"e": 1.0}}})
    with pytest.raises(ValueError, match="Invalid `value_format`"):
        model.get_state_tree("text")
    entry = keras.Input((3,))
    twice = keras.Model(entry, [layers.Dense(2, name="d")(entry), layers.Dense(2, name="d")(entry)])
    with pytest.raises(ValueError, match="found twice in the model: 'd/kernel'"):
        twice.get_state_tree()


def test_weights_of_some_layers_are_left_out(tmp_path):
    pytest.importorskip("h5py")
    one, two = made(), made()
    path = tmp_path / "a.weights.h5"
    one.save_weights(path, objects_to_skip=[one.layers[0]])
    before = two.get_weights()
    with pytest.raises(ValueError, match="holds 0 weights"):
        two.load_weights(path)
    two.load_weights(path, objects_to_skip=[two.layers[0]])
    np.testing.assert_array_equal(two.get_weights()[0], before[0])
    with pytest.raises(ValueError, match="`objects_to_skip` only supports saving '.weights.h5' files"):
        one.save_weights(tmp_path / "a.npz", objects_to_skip=[one.layers[0]])


def test_training_that_is_lost_may_raise():
    model = made()
    data = np.full((2, 3), np.inf, "float32")
    with pytest.raises(RuntimeError, match="NaN or Inf loss encountered at batch 0"):
        model.fit(data, data[:, :2], callbacks=[keras.callbacks.TerminateOnNaN(raise_error=True)], verbose=0)
