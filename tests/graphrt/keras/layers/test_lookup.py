"""Layers that look up tokens, as Keras has them (`tests/golden/lookup_layer_cases.py`). Covers: text_vectorization."""

import json
import pathlib

import numpy as np
import pytest

import graphrt as tf
from tests import ROOT
from tests.golden.lookup_layer_cases import CASES, adapted, result

RECORDED = json.loads((ROOT / "tests/golden/lookup_layers.json").read_text())
LAYERS = tf.keras.layers


@pytest.mark.parametrize("case", CASES)
def test_recorded(case):
    assert json.loads(json.dumps(result(tf, case))) == RECORDED[case]


def test_vocabulary_in_a_file(tmp_path):
    path = tmp_path / "vocabulary.txt"
    path.write_text("x\ny\n")
    assert LAYERS.StringLookup(vocabulary=str(path)).get_vocabulary() == ["[UNK]", "x", "y"]
    path.write_text("7\n8\n")
    assert LAYERS.IntegerLookup(vocabulary=str(path))([8]).numpy().tolist() == [2]


@pytest.mark.parametrize("make", [
    lambda: LAYERS.StringLookup(vocabulary=["a", "b"], mask_token="", num_oov_indices=2),
    lambda: LAYERS.StringLookup(vocabulary=["a", "b"], output_mode="tf_idf", idf_weights=[0.5, 0.25]),
    lambda: adapted(LAYERS.TextVectorization(ngrams=2), ["a b", "b"]),
    lambda: adapted(LAYERS.TextVectorization(output_mode="tf_idf"), ["a b", "b"]),
])  # fmt: skip
def test_configuration_keeps_the_vocabulary(make):
    layer = make()
    again = type(layer).from_config(layer.get_config())
    inputs = tf.constant([["b a"], ["b"], ["q"]])
    assert again.get_vocabulary() == layer.get_vocabulary()
    assert np.array_equal(again(inputs), layer(inputs))


@pytest.mark.parametrize("kind", [LAYERS.StringLookup, LAYERS.TextVectorization])
def test_assets(kind, tmp_path):
    layer = kind(vocabulary=["a", "b"])
    layer.save_assets(str(tmp_path))
    again = kind()
    again.load_assets(str(tmp_path))
    assert again.get_vocabulary() == layer.get_vocabulary()
    assert pathlib.Path(tmp_path, "vocabulary.txt").exists()


def test_inverse():
    there = LAYERS.StringLookup(vocabulary=["a", "b"])
    back = LAYERS.StringLookup(vocabulary=there.get_vocabulary(), invert=True)
    assert back(there(tf.constant(["b", "q"]))).numpy().tolist() == [b"b", b"[UNK]"]


def test_in_datasets_functions_and_models(tmp_path):
    layer = adapted(LAYERS.TextVectorization(output_sequence_length=3), ["a b", "b c"])
    rows = tf.data.Dataset.from_tensor_slices(["a b", "q"]).map(layer)
    assert [r.numpy().tolist() for r in rows] == [[4, 2, 0], [1, 0, 0]]
    assert tf.function(layer)(tf.constant(["c"])).numpy().tolist() == [[3, 0, 0]]
    model = tf.keras.Sequential([
        tf.keras.Input((1,), dtype=tf.string), layer, LAYERS.Embedding(10, 4), LAYERS.GlobalAveragePooling1D(),
        LAYERS.Dense(1)
    ])  # fmt: skip
    texts = tf.constant([["a b"], ["c"]])
    path = str(tmp_path / "model.keras")
    model.save(path)
    again = tf.keras.models.load_model(path)
    assert np.array_equal(model(texts), again(texts))
    assert again.layers[0].get_vocabulary() == layer.get_vocabulary()


def test_vectors_for_dense_layers():
    inputs = tf.keras.Input((1,), dtype="string")
    vectors = LAYERS.StringLookup(vocabulary=["a", "b"], output_mode="one_hot")(inputs)
    model = tf.keras.Model(inputs, LAYERS.Dense(2, kernel_initializer="ones")(vectors))
    assert model(tf.constant([["a"], ["z"]])).numpy().tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_sparse_results():
    found = LAYERS.StringLookup(vocabulary=["a"], output_mode="count", sparse=True)(tf.constant([["a", "q"]]))
    assert isinstance(found, tf.SparseTensor)
    assert tf.sparse.to_dense(found).numpy().tolist() == [[1, 1]]
    words = tf.sparse.from_dense([["a", ""], ["q", "a"]])
    assert LAYERS.StringLookup(vocabulary=["a"])(words).values.numpy().tolist() == [1, 0, 1]


def test_without_a_vocabulary():
    with pytest.raises(ValueError, match="adapt"):
        LAYERS.StringLookup()(tf.constant(["a"]))
    with pytest.raises(ValueError, match="floormod"):
        LAYERS.IntegerLookup(oov_method="farmhash")


def test_learning_in_steps():
    layer = LAYERS.IntegerLookup()
    for batch in ([1, 2], [2, 3]):
        layer.update_state(tf.constant(batch))
    layer.finalize_state()
    assert layer.get_vocabulary() == [-1, 2, 3, 1]
    assert layer.vocabulary_size() == 4
    layer.adapt(tf.data.Dataset.from_tensor_slices([5, 6, 6]).batch(1), steps=2)
    assert layer.get_vocabulary(include_special_tokens=False) == [6, 5]


@pytest.mark.parametrize("token", ["mask_token", "oov_token"])
def test_a_token_is_one(token):
    with pytest.raises(ValueError, match=f"`{token}` must be one token, or None, found"):
        LAYERS.StringLookup(**{token: []}, vocabulary=["a"])
