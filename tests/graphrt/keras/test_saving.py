"""`keras.saving`: objects as plain Python in Keras's words, both ways. Expected words are those of Keras 3.15."""

import json
import zipfile

import numpy as np
import pytest

import graphrt as tf

keras = tf.keras
S = keras.saving
POLICY = {"module": "keras", "class_name": "DTypePolicy", "config": {"name": "float32"}, "registered_name": None}


@S.register_keras_serializable("words")
class Scaled(keras.layers.Layer):
    def __init__(self, scale=1.0, **kwargs):
        super().__init__(**kwargs)
        self.scale = scale

    def call(self, x):
        return x * self.scale


@S.register_keras_serializable("words")
def tripled(x):
    return 3 * x


def test_words_of_layers_and_what_they_hold():
    told = S.serialize_keras_object(keras.layers.Dense(3, activation="relu", name="d"))
    assert (told["module"], told["class_name"], told["registered_name"]) == ("keras.layers", "Dense", None)
    config = told["config"]
    assert config["dtype"] == POLICY and config["activation"] == "relu" and config["units"] == 3
    assert config["kernel_initializer"] == {
        "module": "keras.initializers", "class_name": "GlorotUniform", "registered_name": None,
        "config": {"seed": None, "input_axes": None, "output_axes": None},
    }  # fmt: skip
    assert keras.optimizers.schedules.serialize(keras.optimizers.schedules.ExponentialDecay(0.1, 10, 0.9)) == {
        "module": "keras.optimizers.schedules", "class_name": "ExponentialDecay", "registered_name": None,
        "config": {
            "initial_learning_rate": 0.1, "decay_steps": 10, "decay_rate": 0.9, "staircase": False,
            "name": "ExponentialDecay",
        },
    }  # fmt: skip
    assert keras.losses.serialize(keras.losses.MeanSquaredError())["config"].keys() == {"name", "reduction"}
    assert keras.losses.MeanSquaredError(dtype="float64").get_config()["dtype"] == "float64"


def test_words_of_what_was_registered():
    told = S.serialize_keras_object(Scaled(2.0, name="s"))
    assert (told["class_name"], told["registered_name"]) == ("Scaled", "words>Scaled")
    again = S.deserialize_keras_object(json.loads(json.dumps(told)))
    assert type(again) is Scaled and again.scale == 2.0 and again.dtype == "float32"
    assert S.serialize_keras_object(tripled) == {
        "module": "builtins", "class_name": "function", "config": "words>tripled", "registered_name": "function",
    }  # fmt: skip
    assert S.deserialize_keras_object(S.serialize_keras_object(tripled)) is tripled
    assert S.get_registered_object("words>tripled") is tripled and S.get_registered_object("nobody") is None
    assert S.get_registered_object("a", None, {"a": 1}) == 1


def test_generators_of_seeds_are_told():
    told = keras.initializers.GlorotUniform(seed=keras.random.SeedGenerator(4, name="g")).get_config()
    assert told["seed"] == {
        "module": "keras.random", "class_name": "SeedGenerator", "config": {"seed": 4, "name": "g"},
        "registered_name": None,
    }  # fmt: skip
    a, b = (keras.initializers.GlorotUniform.from_config(json.loads(json.dumps(told)))((2, 2)) for _ in range(2))
    np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    "made",
    [
        lambda: keras.layers.LSTM(3), lambda: keras.layers.Bidirectional(keras.layers.GRU(2)),
        lambda: keras.layers.RNN([keras.layers.LSTMCell(2), keras.layers.GRUCell(3)]),
        lambda: keras.layers.TimeDistributed(keras.layers.Dense(2, kernel_regularizer="l2")),
        lambda: keras.layers.Conv2D(2, 3, kernel_constraint="max_norm"), lambda: keras.optimizers.AdamW(0.1),
        lambda: keras.metrics.MeanIoU(num_classes=3), lambda: keras.losses.Huber(), lambda: keras.regularizers.L1L2(0.1),
        lambda: keras.constraints.UnitNorm(), lambda: keras.optimizers.SGD(
            keras.optimizers.schedules.PiecewiseConstantDecay([1], [0.1, 0.2])),
        lambda: keras.Sequential([keras.Input((2,)), keras.layers.Dense(3), keras.layers.Dropout(0.5)]),
    ],
)  # fmt: skip
def test_there_and_back(made):
    told = S.serialize_keras_object(made())
    again = S.deserialize_keras_object(json.loads(json.dumps(told)))
    assert json.loads(json.dumps(S.serialize_keras_object(again))) == json.loads(json.dumps(told))


def test_plain_values():
    values = [None, True, 3, 2.5, "x", (1, [2]), {"a": (None,)}, slice(1, None, 2), b"\xff\x00", ...]
    for value in values:
        assert S.deserialize_keras_object(S.serialize_keras_object(value)) == value
    for value in (np.array([[1, 2]], np.int16), tf.constant([1.5, 2.5], tf.float64)):
        again = S.deserialize_keras_object(json.loads(json.dumps(S.serialize_keras_object(value))))
        assert (
            type(again) is type(value) and again.dtype == value.dtype and (np.asarray(again) == np.asarray(value)).all()
        )
    assert S.serialize_keras_object([tf.TensorShape([1, None]), tf.int8, np.float32(2)]) == [[1, None], "int8", 2.0]
    assert S.serialize_keras_object(tf.TensorShape(None)) is None
    assert S.deserialize_keras_object(POLICY) == "float32"


def test_what_cannot_be_written_or_read():
    with pytest.raises(ValueError, match="a lambda cannot be written down"):
        S.serialize_keras_object(lambda x: x)
    with pytest.raises(TypeError, match="get_config"):
        S.serialize_keras_object(object())
    for told in (
        {"class_name": "__lambda__", "config": {"value": ["x"]}}, {"class_name": "__slice__", "config": {}},
        {"class_name": "__slice__", "config": 3}, {"class_name": "__mine__", "config": {}},
        {"class_name": "function", "config": "nobody"}, {"class_name": "Nobody", "config": {}, "module": "keras.layers"},
        {"class_name": "Adam", "module": "keras.optimizers", "config": {"learning_rate": 0.1, "speed": 3}},
    ):  # fmt: skip
        with pytest.raises(ValueError):
            S.deserialize_keras_object(told)


def test_layers_that_were_built_are_built_again():
    layer = keras.layers.Dense(3)
    layer(tf.ones([2, 4]))
    again = S.deserialize_keras_object(json.loads(json.dumps(S.serialize_keras_object(layer))))
    assert [v.shape for v in again.weights] == [v.shape for v in layer.weights]


@pytest.mark.parametrize("text", ["{", "9" * 5000, b"\xff", "[" * 100_000])
@pytest.mark.parametrize("weights", [True, False])
def test_a_configuration_that_is_no_json_is_named(text, weights, tmp_path):
    path = str(tmp_path / "model.keras")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("config.json", text)
        archive.writestr("model.weights.h5" if weights else "model.weights.npz", b"")
    with pytest.raises(ValueError, match=r"model\.keras' (holds a configuration that cannot be read|is no archive of)"):
        tf.keras.models.load_model(path)
    with pytest.raises(
        ValueError, match="'the text' (holds a configuration that cannot be read|is no configuration of)"
    ):
        tf.keras.models.model_from_json(text)
