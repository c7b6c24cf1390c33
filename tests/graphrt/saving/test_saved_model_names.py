"""The names in SavedModels are those of the files that `tf.saved_model.save` writes (graphrt/saving/saved_model_names.py)."""

import os

import graphrt as tf


def test_names_are_those_of_the_files(tmp_path):
    module = tf.Module()
    module.v = tf.Variable(1.0)
    module.f = tf.function(lambda x: x + module.v, input_signature=[tf.TensorSpec([], tf.float32)])
    tf.saved_model.save(module, str(tmp_path), signatures=module.f)
    names = tf.saved_model
    assert {names.SAVED_MODEL_FILENAME_PB, names.VARIABLES_DIRECTORY} <= set(os.listdir(tmp_path))
    assert os.path.exists(tmp_path / names.VARIABLES_DIRECTORY / f"{names.VARIABLES_FILENAME}.index")
    loaded = tf.saved_model.load(str(tmp_path), tags=[names.SERVING])
    found = loaded.signatures[names.DEFAULT_SERVING_SIGNATURE_DEF_KEY](tf.constant(2.0))
    assert [float(t) for t in found.values()] == [3.0]


def test_they_are_tensorflows():  # what TensorFlow 2.20 has
    assert (tf.saved_model.PREDICT_METHOD_NAME, tf.saved_model.PREDICT_INPUTS, tf.saved_model.PREDICT_OUTPUTS) == (
        "tensorflow/serving/predict", "inputs", "outputs",
    )  # fmt: skip
    assert (tf.saved_model.CLASSIFY_OUTPUT_CLASSES, tf.saved_model.CLASSIFY_OUTPUT_SCORES) == ("classes", "scores")
    assert (tf.saved_model.ASSETS_DIRECTORY, tf.saved_model.ASSETS_KEY) == ("assets", "saved_model_assets")
    assert tf.saved_model.SAVED_MODEL_SCHEMA_VERSION == 1
