"""`keras.callbacks.TensorBoard` writes what Keras 3 writes: tags, steps, values (`keras/tensorboard`, `keras/callback`)."""

import glob
import json

import numpy as np
import pytest

import graphrt as tf
from graphrt.keras.callback import Callback
from graphrt.summaries.events import event_class

K = tf.keras
X, Y = np.ones((8, 3), np.float32), np.ones((8, 1), np.float32)


def written(folder):
    """(tag, step, value) of every summary below a folder, in order."""
    found = []
    for path in sorted(glob.glob(f"{folder}/*tfevents*")):
        for record in tf.data.TFRecordDataset(path):
            event = event_class("Event").FromString(record.numpy())
            found += [(v.tag, event.step, v) for v in event.summary.value]
    return found


def trained(folder, **options):
    K.utils.set_random_seed(1)
    K.backend.clear_session()
    layers = [K.layers.Input((3,)), K.layers.Dense(2, name="first"), K.layers.Dense(1, name="last")]
    model = K.Sequential(layers, name="model")
    model.compile("sgd", "mse", metrics=["mae"])
    told = K.callbacks.TensorBoard(folder, **options)
    history = model.fit(X, Y, batch_size=2, epochs=2, validation_data=(X, Y), callbacks=[told], verbose=0).history
    return model, told, history


def test_metrics_of_epochs(tmp_path):
    model, told, history = trained(tmp_path)
    model.evaluate(X, Y, callbacks=[told], verbose=0)
    train, validation = written(tmp_path / "train"), written(tmp_path / "validation")
    names = ["epoch_loss", "epoch_mae", "epoch_learning_rate"]
    assert [(tag, step) for tag, step, _ in train] == [("keras", 0), *((n, e) for e in range(2) for n in names)]
    assert train[0][2].metadata.plugin_data.plugin_name == "graph_keras_model"
    shown = json.loads(train[0][2].tensor.string_val[0])
    assert [layer["config"]["name"] for layer in shown["config"]["layers"][1:]] == ["first", "last"]
    losses = [np.frombuffer(v.tensor.tensor_content, "f") if v.tensor.tensor_content else v.tensor.float_val
              for tag, _, v in train if tag == "epoch_loss"]  # fmt: skip
    np.testing.assert_allclose(np.ravel(losses), history["loss"], rtol=1e-6)
    own = [
        ("evaluation_loss_vs_iterations", 4),
        ("evaluation_mae_vs_iterations", 4),
        ("epoch_loss", 0),
        ("epoch_mae", 0),
    ]
    assert [(tag, step) for tag, step, _ in validation][:4] == own
    assert [step for tag, step, _ in validation if tag == "evaluation_loss_vs_iterations"] == [4, 8, 8]


def test_metrics_of_batches_weights_and_pictures(tmp_path):
    trained(
        tmp_path, update_freq=2, write_steps_per_second=True, write_images=True, histogram_freq=2, write_graph=False
    )
    found = [(tag, step) for tag, step, _ in written(tmp_path / "train")]
    assert [step for tag, step in found if tag == "batch_loss"] == [2, 4, 6, 8]
    assert [step for tag, step in found if tag == "batch_steps_per_second"] == [2, 4, 6, 8]
    assert [step for tag, step in found if tag == "epoch_steps_per_second"] == [0, 1]
    weights = [f"model/{layer}/{weight}" for layer in ("first", "last") for weight in ("kernel", "bias")]
    assert [tag for tag, step in found if "histogram" in tag] == [f"{name}/histogram" for name in weights]
    assert [tag for tag, step in found if "image" in tag] == [
        f"{name}/image" for name in weights[:3]
    ]  # one number is none
    trained(tmp_path / "each", update_freq="batch")
    assert [step for tag, step, _ in written(tmp_path / "each/train") if tag == "batch_mae"] == [*range(1, 9)]


@pytest.mark.parametrize(
    "options", [{"update_freq": 0}, {"update_freq": "step"}, {"profile_batch": 2}, {"embeddings_freq": 1}]
)
def test_refused(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        K.callbacks.TensorBoard(**options)


def test_its_base_is_that_of_all_callbacks():
    assert K.callbacks.Callback is Callback and issubclass(K.callbacks.TensorBoard, Callback)
