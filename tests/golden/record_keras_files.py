"""Keeps weights and models as Keras 3 and TensorFlow write them: `python -m tests.golden.record_keras_files`, with both."""

import json
import pathlib
import shutil

import keras
import tensorflow as tf

from tests.golden.keras_file_cases import described, fill, layers, models

FOLDER = pathlib.Path(__file__).parent / "keras_files"

if __name__ == "__main__":
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    for number, (layer, given) in enumerate(layers(tf, keras)):
        layer(*given)
        fill(layer.weights, number)
        tf.train.Checkpoint(model=layer).write(str(FOLDER / f"layer_{number}"))
    found = {}
    for name, model in models(tf, keras).items():
        fill(model.weights, 0)
        tf.train.Checkpoint(model=model).write(str(FOLDER / name))
        model.save_weights(FOLDER / f"{name}.weights.h5")
        if name != "subclass":
            model.save(FOLDER / f"{name}.keras")
        found[name] = [v.numpy().tolist() for v in model.weights]
    (FOLDER / "weights.json").write_text(json.dumps(found))
    lines = ",\n".join(model.to_json() for model in described(keras))
    (FOLDER / "models_as_json.json").write_text(f"[\n{lines}\n]\n")
