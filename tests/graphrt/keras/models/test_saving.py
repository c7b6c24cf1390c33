"""Files of Keras 3 and TensorFlow's checkpoints of its models, both ways; damaged ones are refused.

Covers: graphrt/keras/models/archives.py, graphrt/keras/models/weights_h5.py.
"""

import io
import json
import zipfile

import numpy as np
import pytest

import graphrt as tf
from graphrt.keras.models import weights_h5
from tests import GOLDEN
from tests.golden.keras_file_cases import fill, layers, models

FILES = GOLDEN / "keras_files"
WEIGHTS = json.loads((FILES / "weights.json").read_text())
NAMES = ["sequential", "functional", "subclass"]
K = tf.keras


def holds(model, name):
    return all(
        np.array_equal(v.numpy(), np.float32(w)) for v, w in zip(model.weights, WEIGHTS[name], strict=True)
    )  # fmt: skip


@pytest.fixture(scope="module")
def made():
    return models(tf, K)


@pytest.mark.parametrize("number", range(len(layers(tf, K))))
def test_checkpoints_of_layers_that_tensorflow_wrote(number):
    layer, given = layers(tf, K)[number]
    layer(*given)
    fill(layer.weights, number)
    wanted = [v.numpy() for v in layer.weights]
    fill(layer.weights, 99)
    tf.train.Checkpoint(model=layer).read(FILES / f"layer_{number}").assert_consumed()
    assert all(np.array_equal(a, v.numpy()) for a, v in zip(wanted, layer.weights, strict=True))


@pytest.mark.parametrize("name", NAMES)
def test_checkpoints_of_models_that_tensorflow_wrote(made, name):
    model = made[name]
    fill(model.weights, 99)
    model.load_weights(FILES / name)
    assert holds(model, name)
    fill(model.weights, 99)
    tf.train.Checkpoint(model=model).read(FILES / name).assert_existing_objects_matched()
    assert holds(model, name)


@pytest.mark.parametrize("name", NAMES)
def test_weights_go_into_a_checkpoint_and_back(made, name, tmp_path):
    model = made[name]
    model.load_weights(FILES / name)
    model.save_weights(tmp_path / "w")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["w.data-00000-of-00001", "w.index"]
    fill(model.weights, 99)
    model.load_weights(tmp_path / "w")
    assert holds(model, name)


def test_a_checkpoint_without_all_weights_is_refused(made, tmp_path):
    K.Sequential([K.layers.Input((4,)), K.layers.Dense(3)]).save_weights(tmp_path / "w")
    with pytest.raises(ValueError, match="does not hold all weights of model"):
        made["sequential"].load_weights(tmp_path / "w")


def test_names_of_checkpoints_are_those_of_keras(made, tmp_path):
    ours = {k for k, _ in tf.train.list_variables(tf.train.Checkpoint(model=made["functional"]).write(tmp_path / "w"))}
    theirs = {k for k, _ in tf.train.list_variables(FILES / "functional") if "optimizer" not in k}
    assert theirs - ours == set()


# --- HDF5 ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", NAMES)
def test_weights_in_hdf5(made, name, tmp_path):
    pytest.importorskip("h5py")
    model = made[name]
    fill(model.weights, 99)
    model.load_weights(FILES / f"{name}.weights.h5")
    assert holds(model, name)
    model.save_weights(tmp_path / "w.weights.h5")
    fill(model.weights, 99)
    model.load_weights(tmp_path / "w.weights.h5")
    assert holds(model, name)


@pytest.mark.parametrize("name", NAMES)
def test_hdf5_has_the_places_of_keras(made, name, tmp_path):
    h5py = pytest.importorskip("h5py")
    made[name].save_weights(tmp_path / "w.weights.h5")

    def places(path):
        found = {}
        with h5py.File(path) as file:
            file.visititems(lambda key, v: found.update({key: v.shape}) if isinstance(v, h5py.Dataset) else None)
        return {k: v for k, v in found.items() if not k.startswith("optimizer")}

    assert places(tmp_path / "w.weights.h5") == places(FILES / f"{name}.weights.h5")


def test_links_out_of_a_file_are_not_followed(tmp_path):
    h5py = pytest.importorskip("h5py")
    model = K.Sequential([K.layers.Input((2,)), K.layers.Dense(1)])
    model.save_weights(tmp_path / "w.weights.h5")
    secret = tmp_path / "secret.bin"
    secret.write_bytes(np.ones(2, np.float32).tobytes())
    with h5py.File(tmp_path / "w.weights.h5", "r+") as file:
        del file["layers/dense/vars/0"]
        file["layers/dense/vars"].create_dataset("0", (2, 1), "f4", external=[(str(secret), 0, 8)])
    with pytest.raises(ValueError, match="lies in another file"):
        model.load_weights(tmp_path / "w.weights.h5")
    with h5py.File(tmp_path / "w.weights.h5", "r+") as file:
        del file["layers/dense"]
        file["layers/dense"] = h5py.ExternalLink(str(FILES / "sequential.weights.h5"), "/layers/dense")
    with pytest.raises(ValueError, match="a link to somewhere else"):
        model.load_weights(tmp_path / "w.weights.h5")


def test_what_does_not_fit_changes_nothing(made, tmp_path):
    pytest.importorskip("h5py")
    model = K.Sequential([K.layers.Input((4,)), K.layers.Dense(3), K.layers.BatchNormalization(), K.layers.Dense(7)])
    before = model.get_weights()
    with pytest.raises(ValueError, match="has shape"):
        model.load_weights(FILES / "sequential.weights.h5")
    assert all(np.array_equal(a, b) for a, b in zip(before, model.get_weights()))
    model.load_weights(FILES / "sequential.weights.h5", skip_mismatch=True)
    assert np.array_equal(model.get_weights()[0], np.float32(WEIGHTS["sequential"][0]))
    with pytest.raises(ValueError, match="holds 0 weights"):
        made["subclass"].load_weights(FILES / "sequential.weights.h5")


# --- archives --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["sequential", "functional"])
def test_archives_of_keras(made, name, tmp_path):
    pytest.importorskip("h5py")
    model = K.models.load_model(FILES / f"{name}.keras")
    assert holds(model, name)
    assert model.compiled == (name == "sequential")  # of the other, Keras wrote an empty configuration
    made[name].load_weights(FILES / name)
    given = [tf.ones([2, 5, 4]), tf.ones([2, 5, 4])] if name == "functional" else tf.ones([2, 4])
    assert np.array_equal(model(given), made[name](given))
    model.save(tmp_path / "again.keras")
    with zipfile.ZipFile(tmp_path / "again.keras") as archive:
        assert sorted(archive.namelist()) == ["config.json", "metadata.json", "model.weights.h5"]
        assert json.loads(archive.read("config.json"))["module"].startswith("keras")
    again = K.models.load_model(tmp_path / "again.keras")
    assert holds(again, name)
    assert np.array_equal(again(given), model(given))


def test_a_sequential_model_from_keras_goes_on_training():
    pytest.importorskip("h5py")
    model = K.models.load_model(FILES / "sequential.keras")
    assert type(model.optimizer).__name__ == "Adam"
    assert model.optimizer.iterations.numpy() == 1
    model.fit(tf.ones([2, 4]), tf.ones([2, 2]), verbose=0)
    assert model.optimizer.iterations.numpy() == 2


def changed(name, change):
    """The bytes of an archive with another configuration."""
    out = io.BytesIO()
    with zipfile.ZipFile(FILES / f"{name}.keras") as old, zipfile.ZipFile(out, "w") as new:
        for entry in old.namelist():
            data = old.read(entry)
            if entry == "config.json":
                config = json.loads(data)
                change(config)
                data = json.dumps(config)
            new.writestr(entry, data)
    return out.getvalue()


@pytest.mark.parametrize(("change", "message"), [
    (lambda c: c.pop("class_name"), "configuration of a model"),
    (lambda c: c["config"]["layers"][1].update(class_name="Nothing"), "Nothing"),
    (lambda c: c["config"]["layers"][1]["config"].update(wonder=3), "'wonder'"),
    (lambda c: c["config"]["layers"][1]["config"].update(activation={"class_name": "__lambda__", "config": {}}), "Lambda"),
    (lambda c: c["config"].update(layers=3), "configuration of a model"),
])  # fmt: skip
def test_archives_with_other_configurations_are_refused(change, message, tmp_path):
    pytest.importorskip("h5py")
    path = tmp_path / "m.keras"
    path.write_bytes(changed("sequential", change))
    with pytest.raises((ValueError, TypeError), match=message):
        K.models.load_model(path)


@pytest.mark.parametrize(("kept", "step"), [(2, 7), (3, 0), (0, 0)])
def test_an_optimizer_that_was_saved_with_other_numbers(kept, step, tmp_path, caplog):
    """Keras saves two numbers of one that was never used; other counts are told and left out."""
    h5py = pytest.importorskip("h5py")

    def compiled():
        model = K.Sequential([K.layers.Input((3,)), K.layers.Dense(2)])
        model.compile("adam", "mse")
        model.optimizer.build(model.trainable_variables)
        return model

    model = compiled()
    model.optimizer.iterations.assign(7)
    model.save_weights(tmp_path / "w.weights.h5")
    with h5py.File(tmp_path / "w.weights.h5", "r+") as file:
        held = file.require_group("optimizer/vars")
        for key in list(held):
            del held[key]
        for i, variable in enumerate(model.optimizer.variables[:kept]):
            held[str(i)] = np.asarray(variable)
    again = compiled()
    again.load_weights(tmp_path / "w.weights.h5")
    np.testing.assert_array_equal(again.weights[0], model.weights[0])
    assert again.optimizer.iterations == step
    assert ("are left out" in caplog.text) is (kept == 3)


def test_export(tmp_path):
    inputs = K.Input((4,), name="my-input")
    both = K.Model(inputs, {"sum": inputs + 1.0, "double": inputs * 2.0})
    both.export(tmp_path / "a", verbose=False)
    loaded = tf.saved_model.load(tmp_path / "a")
    assert loaded.serve(tf.ones([2, 4]))["double"].shape == (2, 4)
    assert set(loaded.signatures) == {"serve", "serving_default"}
    (name,) = loaded.signatures["serve"].structured_input_signature[1]
    assert loaded.signatures["serve"](**{name: tf.ones([3, 4])})["sum"].shape == (3, 4)

    named = [K.Input((2,), name="b"), K.Input((2,), name="a")]
    K.Model(named, K.layers.BatchNormalization()(K.layers.Add()(named))).export(tmp_path / "d")
    loaded = tf.saved_model.load(tmp_path / "d")
    assert sorted(loaded.signatures["serve"].structured_input_signature[1]) == ["a", "b"]
    assert [len(v) for v in (loaded.variables, loaded.trainable_variables, loaded.non_trainable_variables)] == [4, 2, 2]
    assert loaded.serve([tf.ones([1, 2]), tf.ones([1, 2])]).shape == (1, 2)
    assert K.Input((2,)).name.startswith("keras_tensor")

    class Own(K.Model):
        def call(self, x, training=False):
            return x + (1.0 if training else 2.0)

    model = Own()
    with pytest.raises(ValueError, match="never called on tensors"):
        model.export(tmp_path / "b")
    model.export(tmp_path / "b", input_signature=[tf.TensorSpec([None], tf.float32)])
    assert tf.saved_model.load(tmp_path / "b").serve([1.0]).numpy().tolist() == [3.0]
    with pytest.raises(ValueError, match="onnx"):
        model.export(tmp_path / "c", format="onnx")


@pytest.mark.parametrize("use", ["call", "fit", "predict", "given"])
def test_export_of_models_that_were_called(tmp_path, use):
    class Own(K.Model):
        def __init__(self):
            super().__init__()
            self.dense = K.layers.Dense(3)

        def call(self, inputs, training=None):
            return {"o": self.dense(inputs["a"]) + tf.cast(inputs["b"], tf.float32)}

    model = Own()
    data = {"a": np.ones((2, 4)), "b": np.ones((2, 3), np.int64)}
    specs = None
    if use == "call":
        model(data, training=True)
    elif use == "predict":
        model.predict(data, verbose=0)
    elif use == "fit":
        model.compile("sgd", "mse")
        model.fit(data, {"o": np.zeros((2, 3))}, verbose=0)
    else:
        specs = [{"a": K.InputSpec(shape=(None, 4), dtype="float32"), "b": K.Input((3,), dtype="int64")}]
    model.export(tmp_path / "a", input_signature=specs)
    loaded = tf.saved_model.load(tmp_path / "a")
    found = loaded.serve({"a": tf.ones([5, 4]), "b": tf.ones([5, 3], tf.int64)})
    assert np.allclose(found["o"], model({"a": np.ones((5, 4)), "b": np.ones((5, 3), np.int64)})["o"])
    taken = loaded.signatures["serving_default"].structured_input_signature[1]
    dtypes = sorted((str(s.shape), s.dtype.name) for s in taken.values())
    assert dtypes == [("(None, 3)", "int64"), ("(None, 4)", "float32")]
    if specs is None:
        assert sorted(taken) == ["args_0", "args_0_1"]


def operated(inputs, other):
    """Tensors made of symbolic ones by operators, and by functions of `keras.ops`."""
    ops = K.ops
    return [
        inputs + other, 1.0 - inputs, inputs * np.array([1.0, 2.0, 3.0, 4.0], np.float32), 2.0**inputs, -abs(inputs) // 2.0,
        (inputs > 0.5) & ~(other <= 1.0), inputs[:, 1:3], inputs[..., 0], inputs[:, None], ops.sum(inputs, 1, keepdims=True),
        ops.where(inputs > other, inputs, other), ops.concatenate([inputs, other], axis=-1), ops.stack([inputs, other], 1),
        ops.reshape(inputs, (-1, 2, 2)), ops.matmul(inputs, ops.transpose(other)), ops.clip(inputs, 0.0, 1.0),
        ops.einsum("bi,bj->bij", inputs, other),
        ops.softmax(K.layers.Dense(2)(inputs * 2.0)), ops.leaky_relu(inputs, 0.3), ops.cast(inputs, "int32"),
        K.activations.relu(inputs),
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["m.keras", "json"])
def test_models_with_operations_are_saved(tmp_path, name):
    inputs = [K.Input((4,), name="a"), K.Input((4,), name="b")]
    model = K.Model(inputs, operated(*inputs))
    data = [
        np.array([[0.5, -1, 2, 3.25], [1, 1.5, -2, 0]], np.float32),
        np.array([[2, 2, -3, 1], [0, 1, 1, 4]], np.float32),
    ]
    if name == "json":
        again = K.models.model_from_json(model.to_json())
        again.set_weights(model.get_weights())
    else:
        model.save(tmp_path / name)
        again = K.models.load_model(tmp_path / name)
    for made in (again, K.models.clone_model(again)):
        made.set_weights(model.get_weights())
        for found, wanted in zip(made(data), model(data), strict=True):
            assert found.dtype == wanted.dtype and np.array_equal(found, wanted)


def test_operations_are_described_as_in_keras(tmp_path):
    inputs = K.Input((4,), name="a")
    K.Model(inputs, [inputs[:, 1:], K.ops.sum(1.0 - inputs, axis=1)]).save(tmp_path / "m.keras")
    with zipfile.ZipFile(tmp_path / "m.keras") as archive:
        layers = json.loads(archive.read("config.json"))["config"]["layers"]
    told = {c["class_name"]: (c["module"], c["config"], c["inbound_nodes"][0]["args"]) for c in layers[1:]}
    assert {k: v[0] for k, v in told.items()} == dict.fromkeys(["GetItem", "Subtract", "Sum"], "keras.src.ops.numpy")
    assert told["Sum"][1]["axis"] == 1 and len(told["Sum"][2]) == 1
    assert told["Subtract"][2][0] == 1.0
    whole = {"class_name": "__slice__", "config": {"start": None, "stop": None, "step": None}}
    assert told["GetItem"][2][1] == [
        whole,
        {"class_name": "__slice__", "config": {"start": 1, "stop": None, "step": None}},
    ]


def test_operations_that_keras_has_no_class_for_are_told(tmp_path):
    inputs = K.Input((4,))
    model = K.Model(inputs, K.ops.heaviside(inputs, 0.5))
    with pytest.raises(ValueError, match=r"applies the operation 'heaviside.*Use a layer"):
        model.save(tmp_path / "m.keras")


def test_learned_statistics_are_named_as_in_keras(tmp_path):
    layer = K.layers.Normalization()
    layer.adapt(np.arange(12.0).reshape(3, 4))
    model = K.Sequential([K.Input((4,)), layer])
    path = tf.train.Checkpoint(model=model).write(str(tmp_path / "c"))
    held = tf.train.load_checkpoint(path).get_variable_to_dtype_map()
    told = {k.split("/")[-3]: d for k, d in held.items() if k.startswith("model/")}
    assert told == {"adapt_mean": tf.float32, "adapt_variance": tf.float32, "count": tf.int64}
    other = K.Sequential([K.Input((4,)), K.layers.Normalization()])
    tf.train.Checkpoint(model=other).read(path).assert_consumed()
    assert np.array_equal(other(np.ones((1, 4))), model(np.ones((1, 4))))


# --- models of the user's, called and never built --------------------------------------------------------------------
@K.saving.register_keras_serializable("test_saving")
class OfOne(K.Model):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.rows, self.dense = K.layers.Embedding(5, 3), K.layers.Dense(2)

    def call(self, x, training=False):
        return self.dense(self.rows(x))


@K.saving.register_keras_serializable("test_saving")
class OfTwo(OfOne):
    def call(self, x):
        ids, numbers = x
        return self.dense(self.rows(ids)) + numbers


@K.saving.register_keras_serializable("test_saving")
class OfNames(OfOne):
    def call(self, x):
        return self.dense(self.rows(x["ids"])) + x["numbers"]


@K.saving.register_keras_serializable("test_saving")
class Outer(K.Model):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.inner, self.last = OfTwo(), K.Sequential([K.layers.Dense(2)])

    def call(self, x):
        return self.last(self.inner([x, tf.cast(x, tf.float32)]))


IDS, NUMBERS = np.array([1, 4]), np.ones([2, 2], np.float32)


@pytest.mark.parametrize("with_h5", [True, False])
@pytest.mark.parametrize("kind, given", [
    (OfOne, IDS), (OfTwo, [IDS, NUMBERS]), (OfNames, {"ids": IDS, "numbers": NUMBERS}), (Outer, IDS),
])  # fmt: skip
def test_models_that_were_only_called_are_loaded(kind, given, with_h5, tmp_path, monkeypatch):
    if not with_h5:
        monkeypatch.setattr("graphrt.keras.models.weights_h5.is_installed", lambda: False)
    given = tf.nest.map_structure(tf.constant, given)
    model = kind()
    wanted = model(given)
    model.save(tmp_path / "model.keras")
    again = K.models.load_model(tmp_path / "model.keras")
    assert again.built and len(again.weights) == len(model.weights)
    np.testing.assert_array_equal(again(given), wanted)


def test_no_part_of_many_models_in_a_model_is_left_out():
    """Lists that models make of their layers, one after the other in the same place of memory, are told apart."""

    class Row(K.Model):
        def __init__(self):
            super().__init__()
            self.parts = [K.layers.Dense(1), K.layers.Dense(1)]

    class All(K.Model):
        def __init__(self):
            super().__init__()
            self.rows = [K.Sequential([K.layers.Dense(1)]) if i % 2 else Row() for i in range(40)]

    model = All()
    found = [part for _, part in weights_h5.parts_by_path(model)]
    assert sum(isinstance(part, K.layers.Dense) for part in found) == 60


def twice_the_error(y_true, y_pred):
    return 2 * tf.reduce_mean(tf.abs(y_true - y_pred), -1)


class Scaled(K.losses.Loss):
    def __init__(self, scale=1.0, **kwargs):
        super().__init__(**kwargs)
        self.scale = scale

    def call(self, y_true, y_pred):
        return self.scale * tf.reduce_mean(tf.abs(y_true - y_pred), -1)

    def get_config(self):
        return {**super().get_config(), "scale": self.scale}


class Counted(K.metrics.Mean):
    def __init__(self, by=1.0, name="counted", dtype=None):
        super().__init__(name=name, dtype=dtype)
        self.by = by

    def update_state(self, y_true, y_pred, sample_weight=None):
        return super().update_state(self.by * tf.abs(y_true - y_pred))

    def get_config(self):
        return {**super().get_config(), "by": self.by}


OWN = {"twice_the_error": twice_the_error, "Scaled": Scaled, "Counted": Counted}
COMPILED = {
    "a function": {"loss": twice_the_error}, "a loss": {"loss": Scaled(3.0)}, "one of Keras": {"loss": K.losses.Huber(2.0)},
    "metrics": {"loss": "mse", "metrics": [twice_the_error, "mae", "accuracy", Counted(4.0)], "weighted_metrics": [Counted(2.0, "w")]},
    "a list": {"loss": [twice_the_error, Scaled(2.0)]},
    "by outputs": {"loss": {"a": Scaled(0.5), "b": "mse"}, "metrics": {"a": [twice_the_error], "b": Counted()}},
}  # fmt: skip


def compiled_model(name):
    entry = K.Input((2,))
    a = K.layers.Dense(1, name="a")(entry)
    outputs = [a, K.layers.Dense(1, name="b")(entry)] if name in ("a list", "by outputs") else a
    model = K.Model(entry, outputs)
    model.compile(optimizer="sgd", **COMPILED[name])
    return model


@pytest.mark.parametrize("installed", [True, False])
@pytest.mark.parametrize("name", COMPILED)
def test_losses_and_metrics_of_the_program_are_those_of_the_file(monkeypatch, tmp_path, name, installed):
    """They are known while the file is read; `fit` and `evaluate` come later."""
    if installed:
        pytest.importorskip("h5py")
    monkeypatch.setattr(weights_h5, "is_installed", lambda: installed)
    model, x = compiled_model(name), np.array([[1.0, 2.0], [3.0, -1.0]], np.float32)
    y = [np.ones((2, 1), np.float32)] * len(model.outputs)
    y = y if len(y) > 1 else y[0]
    model.fit(x, y, verbose=0)
    model.save(tmp_path / "model.keras")
    again = K.models.load_model(tmp_path / "model.keras", custom_objects=OWN)
    assert again.evaluate(x, y, verbose=0, return_dict=True) == pytest.approx(
        model.evaluate(x, y, verbose=0, return_dict=True)
    )
    again.fit(x, y, verbose=0)
    if name == "a loss":
        assert (type(again.loss), again.loss.scale) == (Scaled, 3.0)


def test_a_loss_that_nobody_knows_is_told_of_where_the_file_is_read(tmp_path):
    model = compiled_model("a function")
    model.save(tmp_path / "model.keras")
    with pytest.raises(ValueError, match="twice_the_error.*custom_objects="):
        K.models.load_model(tmp_path / "model.keras")
    assert not K.models.load_model(tmp_path / "model.keras", compile=False).compiled
