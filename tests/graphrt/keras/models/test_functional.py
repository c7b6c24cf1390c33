"""Masks between the layers of models: what Keras counts of them, and what files hold (`models.functional`)."""

import json

import numpy as np
import pytest

import graphrt as tf
from tests import GOLDEN
from tests.golden.masked_model_cases import CASES, filled, inputs_of

COUNTED = json.loads((GOLDEN / "masked_models.json").read_text())
K, L = tf.keras, tf.keras.layers


def kind(operation):
    label = getattr(operation, "label", None)
    return type(operation).__name__ if label is None else "".join(part.capitalize() for part in label.split("_"))


@pytest.mark.parametrize("name", CASES)
def test_operations_stand_in_the_order_of_keras(name):
    model = CASES[name](tf)
    assert " ".join(map(kind, model.graph.operations)) == COUNTED[name]
    kept = {id(layer) for layer in model.graph.layers}
    assert [layer for layer in model.graph.operations if id(layer) in kept] == model.graph.layers


@pytest.mark.parametrize("name, place", [("masking", 4), ("add", 6), ("sequential", 3)])
def test_checkpoints_number_what_makes_masks(name, place, tmp_path):
    model = filled(CASES[name](tf), np.random.default_rng(0))
    given = inputs_of(model, np.random.default_rng(1))
    path = tf.train.Checkpoint(m=model).write(str(tmp_path / "c"))
    folder = "m/_functional/_operations" if name == "sequential" else "m/_operations"
    names = [n for n, _ in tf.train.list_variables(path)]
    if name == "add":
        place += 2  # the sum, and its mask
    assert any(n.startswith(f"{folder}/{place}/cell/kernel/") for n in names), names
    again = CASES[name](tf)
    tf.train.Checkpoint(m=again).read(path).assert_consumed()
    assert np.array_equal(again(given), model(given))


def test_masks_that_come_from_outside_of_a_model_are_not_counted():
    tokens = K.Input((4,), dtype="int32")
    inside = L.Embedding(5, 3, mask_zero=True)(tokens)
    model = K.Model(inside, L.GRU(2)(inside))
    assert [kind(o) for o in model.graph.operations][-1] == "GRU" and len(model.graph.operations) == 2


def test_masks_of_the_users_layers():
    class Own(L.Layer):
        def call(self, x):
            return x + 0.0

        def compute_mask(self, x, previous_mask=None):
            return K.ops.logical_not(K.ops.equal(x[:, :, 0], 0.0))

    class OfTensors(Own):
        def compute_mask(self, x, previous_mask=None):
            return tf.not_equal(x[:, :, 0], 0.0)

    x = K.Input((4, 3))
    data = np.float32([[[1, 2, 3], [0, 4, 5], [6, 7, 8], [0, 1, 1]]])
    cell = L.GRU(2)
    counted, uncounted = K.Model(x, cell(Own()(x))), K.Model(x, cell(OfTensors()(x)))
    assert [kind(o) for o in counted.graph.operations] == ["InputLayer", "GetItem", "Equal", "Own", "LogicalNot", "GRU"]
    assert [kind(o) for o in uncounted.graph.operations] == ["InputLayer", "OfTensors", "GRU"]
    assert np.array_equal(counted(data), uncounted(data)) and not np.array_equal(counted(data), cell(data))


def test_a_step_counts_where_it_counts_in_one_of_what_is_added():
    words = [K.Input((3,), dtype="int32"), K.Input((3,), dtype="int32")]
    added = L.Add()([L.Embedding(5, 2, mask_zero=True)(w) for w in words])
    model = K.Model(words, added)
    found = model([np.int32([[1, 0, 0]]), np.int32([[1, 2, 0]])])
    assert found._keras_mask.numpy().tolist() == [[True, True, False]]


def test_a_mask_is_not_taken_beside_a_second_tensor():
    """As in Keras 3: `mask` is of the one tensor of a call; with states given there are several."""
    layer, table = L.LSTM(2), L.Embedding(5, 3, mask_zero=True)
    x, states = np.int32([[1, 2, 0]]), [tf.zeros([1, 2]), tf.zeros([1, 2])]
    masked, plain = layer(table(x)), layer(tf.identity(table(x)))
    assert not np.array_equal(masked, plain)
    assert np.array_equal(layer(table(x), initial_state=states), plain)


# --- archives of Keras, which has the operations among the layers ----------------------------------------------------
def keras_says(name, kind, config, takes, module="keras.layers", **kwargs):
    def tensor(place):
        maker, shape, dtype = place
        told = {"shape": shape, "dtype": dtype, "keras_history": [maker, 0, 0]}
        return {"class_name": "__keras_tensor__", "config": told}

    node = {"args": [tensor(t) if isinstance(t, tuple) else t for t in takes],
            "kwargs": {k: tensor(v) for k, v in kwargs.items()}}  # fmt: skip
    return {
        "module": module, "class_name": kind, "config": {"name": name, **config}, "registered_name": None,
        "name": name, "inbound_nodes": [node] if takes else [],
    }  # fmt: skip


@pytest.fixture
def of_keras():
    tokens, vectors, mask = ("in", [None, 4], "int32"), ("table", [None, 4, 3], "float32"), ("made", [None, 4], "bool")
    dense = {
        "module": "keras.layers", "class_name": "Dense", "registered_name": None,
        "config": {"name": "inner", "units": 2, "quantization_config": None},
    }  # fmt: skip
    layers = [
        keras_says("in", "InputLayer", {"batch_shape": [None, 4], "dtype": "int32"}, []),
        keras_says("table", "Embedding", {"input_dim": 5, "output_dim": 3, "mask_zero": True}, [tokens]),
        keras_says("made", "NotEqual", {}, [tokens, 0], "keras.src.ops.numpy"),
        keras_says("gru", "GRU", {"units": 2, "return_sequences": True}, [vectors], mask=mask),
        keras_says("each", "TimeDistributed", {"layer": dense}, [("gru", [None, 4, 2], "float32")]),
    ]
    config = {"name": "m", "trainable": True, "layers": layers, "input_layers": [["in", 0, 0]],
              "output_layers": [["each", 0, 0]]}  # fmt: skip
    return json.dumps({"module": "keras.src.models.functional", "class_name": "Functional", "config": config,
                       "registered_name": "Functional", "build_config": {"input_shape": None}})  # fmt: skip


def test_operations_of_archives_are_written_again(of_keras, tmp_path):
    model = K.models.model_from_json(of_keras)
    assert " ".join(map(kind, model.graph.operations)) == "InputLayer Embedding NotEqual GRU TimeDistributed"
    told = {c["name"]: c for c in json.loads(model.to_json())["config"]["layers"]}
    assert told["made"]["module"] == "keras.src.ops.numpy" and told["made"]["class_name"] == "NotEqual"
    assert told["made"]["inbound_nodes"][0]["args"][1] == 0
    x = np.int32([[1, 2, 0, 3], [4, 0, 0, 0]])
    for again in (K.models.model_from_json(model.to_json()), K.models.clone_model(model)):
        again.set_weights(model.get_weights())
        assert np.array_equal(again(x), model(x))


def test_operations_of_here_are_written_down():
    x = K.Input((3,))
    again = K.models.model_from_json(K.Model(x, x * 2.0).to_json())
    assert again(tf.ones([1, 3])).numpy().tolist() == [[2.0, 2.0, 2.0]]
    assert K.Model(x, K.ops.convert_to_tensor(x)).output_shape == (None, 3)
