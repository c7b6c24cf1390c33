"""What `get_config` tells of layers, losses, metrics and the like is what Keras 3.15.1 tells (tests/golden/
record_configurations.py), and each side's is taken here. Covers: graphrt/keras/configurable.py.
"""

import json

import pytest

import graphrt as tf
from tests import GOLDEN
from tests.golden import configuration_cases as cases

keras = tf.keras
RECORDED = json.loads((GOLDEN / "configurations.json").read_text())
# what Keras forgets, so that its own copy has another value; here it is told where it is not the default
FORGOTTEN = {
    "CosineSimilarity(axis=1)": "axis", "CosineSimilarity(axis=1,reduction='none')": "axis", "Huber(delta=2.)": "delta",
    "MeanSquaredError(dtype='float64')": "dtype", "Identity(gain=2.)": "gain",
}  # fmt: skip


def close(found, wanted):
    if isinstance(wanted, dict) and isinstance(found, dict):
        return set(found) == set(wanted) and all(close(found[k], wanted[k]) for k in wanted)
    if isinstance(wanted, list) and isinstance(found, list):
        return len(found) == len(wanted) and all(map(close, found, wanted))
    return found == (pytest.approx(wanted) if isinstance(wanted, float) else wanted)


@pytest.mark.parametrize(("room", "call"), [(room, call) for room in RECORDED for call in RECORDED[room]])
def test_get_config_is_that_of_keras(room, call):
    thing = cases.made(keras, room, call)
    told, wanted = cases.plain(thing.get_config()), RECORDED[room][call]
    again = type(thing).from_config(json.loads(json.dumps(told)))
    assert cases.plain(again.get_config()) == told
    if call in FORGOTTEN:
        assert told.pop(FORGOTTEN[call]) is not None
    assert close(told, wanted), f"{told}\n{wanted}"
    assert close(cases.plain(type(thing).from_config(wanted).get_config()), wanted)


def test_functions_are_found_by_the_names_that_keras_writes():
    told = keras.layers.Lambda(keras.activations.relu).get_config()
    assert told["function"]["config"] == "relu"
    assert keras.layers.Lambda.from_config(told)(tf.constant([-1.0])).numpy().tolist() == [0.0]
    metric = keras.metrics.MeanMetricWrapper(keras.losses.mean_squared_error)
    again = keras.metrics.MeanMetricWrapper.from_config(metric.get_config())
    again.update_state([[1.0]], [[3.0]])
    assert float(again.result()) == 4.0
    twice = keras.layers.Lambda(lambda x: 2 * x)
    with pytest.raises(ValueError, match="'<lambda>' of 'Lambda' is not known"):
        keras.layers.Lambda.from_config(twice.get_config())
    code = {"class_name": "__lambda__", "config": {"code": "", "defaults": None, "closure": None}}
    with pytest.raises(ValueError, match="holds Python code"):
        keras.layers.Lambda.from_config({"function": code})


def test_models_of_layers_inside_layers_tell_what_these_were_built_for():
    entry = keras.Input((4, 2))
    wrapped = keras.layers.TimeDistributed(keras.layers.Dense(3))
    model = keras.Model(entry, keras.layers.Bidirectional(keras.layers.LSTM(3))(wrapped(entry)))
    told = json.loads(model.to_json())["config"]["layers"]
    assert told[1]["config"]["layer"]["build_config"] == {"input_shape": [None, 2]}
    both = told[2]["config"]
    assert both["layer"]["config"]["name"] == "forward_lstm"
    assert both["layer"]["build_config"] == both["backward_layer"]["build_config"] == {"input_shape": [None, 4, 3]}
    assert len(keras.models.model_from_json(model.to_json()).weights) == len(model.weights)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: keras.layers.BatchNormalization(renorm=True), "cannot renormalize batches.*renorm=True"),
        (lambda: keras.layers.MultiHeadAttention(2, 3, use_gate=True), "use_gate=True"),
        (lambda: keras.layers.MultiHeadAttention(2, 3, sliding_window=4), "sliding_window=4"),
    ],
)
def test_what_only_keras_has_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_a_negative_size_that_a_layer_was_built_for_is_told():
    told = json.loads(keras.Sequential([keras.Input((4,)), keras.layers.Dense(2)]).to_json())
    told["build_config"] = told["config"]["layers"][1]["build_config"] = {"input_shape": [None, -1]}
    with pytest.raises(ValueError, match="must not be negative"):
        keras.models.model_from_json(json.dumps(told))
