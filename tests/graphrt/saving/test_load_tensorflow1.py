"""SavedModels of TensorFlow 1: their parts, gradients, restoring, and what is refused. What they give is compared with TensorFlow in
`tests/graphrt/programs/test_from_tensorflow.py`.

Covers: graphrt/saving/graph_parts.py, graphrt/saving/loaded.py, graphrt/graphdef/references.py
"""

import base64
import io
import json
import zipfile

import numpy as np
import pytest
from google.protobuf import text_format

import graphrt as tf
from graphrt.graphdef.schema import message_class
from tests import GOLDEN

FILES = json.loads((GOLDEN / "from_tensorflow.json").read_text())


def unpacked(name, folder):
    with zipfile.ZipFile(io.BytesIO(base64.b64decode(FILES[name]))) as archive:
        archive.extractall(folder)
    return folder / "saved"


@pytest.fixture
def mlp(tmp_path):
    return tf.saved_model.load(unpacked("v1-saved_simple", tmp_path))


def test_what_is_loaded(mlp):
    assert [v.name for v in mlp.variables] == ["one/w:0", "one/b:0", "two/w:0", "two/b:0"]
    assert all(v.trainable for v in mlp.variables)
    assert mlp.asset_paths == [] and mlp.tensorflow_version == "2.20.0"
    assert mlp.graph.get_operation_by_name("Relu").type == "Relu"
    assert "save/SaveV2" not in [o.name for o in mlp.graph.get_operations()]


def test_variables_have_gradients_and_train_on(mlp):
    x = tf.ones([2, 4])
    with tf.GradientTape() as tape:
        y = mlp.signatures["serving_default"](x=x)["y"]
        loss = tf.reduce_sum(y[:, 0])
    gradients = tape.gradient(loss, mlp.variables)
    assert [g.shape for g in gradients] == [v.shape for v in mlp.variables]
    for variable, gradient in zip(mlp.variables, gradients):
        variable.assign_add(gradient)
    assert tf.reduce_sum(mlp.signatures["serving_default"](x)["y"][:, 0]) > loss


def test_prune(mlp):
    tensor = mlp.graph.get_tensor_by_name("Relu:0")
    inner = mlp.prune("x:0", {"a": tensor, "b": ["Relu_1:0"], "done": mlp.graph.get_operation_by_name("one/w/read")})
    found = inner(tf.ones([2, 4]))
    assert found["a"].shape == (2, 8) and found["b"][0].shape == (2, 3) and found["done"] is None
    rest = mlp.prune([tensor], "Softmax:0")
    np.testing.assert_array_equal(rest(found["a"]), mlp.signatures["serving_default"](tf.ones([2, 4]))["y"])
    assert mlp.prune([], "one/b:0")().shape == (8,)


@pytest.mark.parametrize(
    ("feeds", "fetches", "error", "why"),
    [
        ([], "Relu:0", ValueError, "needs the placeholder 'x', which is not among what is fed"),
        ([], "nothing", KeyError, "'nothing' refers to an Operation which does not exist"),
        ([], "Relu:x", KeyError, "refers to a Tensor which does not exist"),
        (["x:0"], "Relu:7", tf.errors.InvalidArgumentError, "'Relu' has 1 outputs"),
        ([], "save/SaveV2", (tf.errors.UnimplementedError, ValueError), "SaveV2"),
    ],
)
def test_parts_that_do_not_exist(mlp, feeds, fetches, error, why):
    with pytest.raises(error, match=why):
        mlp.prune(feeds, fetches)


def test_restore(mlp, tmp_path):
    values = [v.numpy() for v in mlp.variables]
    for variable in mlp.variables:
        variable.assign(variable * 0 + 1)
    mlp.restore(tmp_path / "saved" / "variables" / "variables")
    for variable, value in zip(mlp.variables, values):
        np.testing.assert_array_equal(variable, value)
    with pytest.raises(tf.errors.NotFoundError):
        mlp.restore(tmp_path / "other")


def test_it_can_be_saved_again(tmp_path):
    first = tf.saved_model.load(unpacked("v1-saved_by_builder", tmp_path))
    tf.saved_model.save(first, tmp_path / "again", signatures=dict(first.signatures))
    again = tf.saved_model.load(tmp_path / "again")
    words = tf.constant(["blue", "no", "red"])
    for key, value in first.signatures["words"](s=words).items():
        np.testing.assert_array_equal(value, again.signatures["words"](s=words)[key])


def test_slots_are_not_trainable_and_step_counts(tmp_path):
    model = tf.saved_model.load(unpacked("v1-saved_by_builder", tmp_path))
    assert {v.name: v.trainable for v in model.variables}["layer/w/Momentum:0"] is False
    train = model.prune("x:0", ["Momentum", "global_step:0"])
    train(tf.ones([1, 4]))
    assert model.signatures["serving_default"](tf.ones([1, 4]))["step"] == 2


def changed(folder, change):
    path = folder / "saved_model.pb"
    message = message_class("SavedModel")()
    message.ParseFromString(path.read_bytes())
    change(message.meta_graphs[0])
    path.write_bytes(message.SerializeToString())
    return folder


def node(meta, name):
    return next(n for n in meta.graph_def.node if n.name == name)


def other_file(meta):
    filling = next(n for n in meta.graph_def.node if n.op == "InitializeTableFromTextFileV2")
    made = meta.graph_def.node.add(name="elsewhere", op="Const")
    text = 'key: "value" value { tensor { dtype: DT_STRING tensor_shape {} string_val: "/etc/passwd" } }'
    text_format.Parse(f'attr {{ {text} }} attr {{ key: "dtype" value {{ type: DT_STRING }} }}', made)
    filling.input[1] = "elsewhere"


def no_name(meta):
    meta.signature_def["words"].inputs["s"].name = "s:x"


def outside(meta):
    held = meta.collection_def["saved_model_assets"].any_list.value[0]
    asset = message_class("AssetFileDef")()
    asset.ParseFromString(held.value)
    asset.filename = "../../words.txt"
    held.value = asset.SerializeToString()


def twice(meta):
    meta.graph_def.node.add().CopyFrom(meta.graph_def.node[0])


def no_constant(meta):
    node(meta, "save/RestoreV2").input[1] = "s"


def other_dtype(meta):
    node(meta, "save/RestoreV2").attr["dtypes"].list.type[0] = 2


def a_circle(meta):
    node(meta, "layer/w/Assign").input[0] = "layer/w/Assign"


def unknown(meta):
    meta.signature_def["words"].outputs["ids"].name = "nothing:0"


def damaged(meta):
    meta.collection_def["variables"].bytes_list.value[0] = b"\xff\xff"


@pytest.mark.parametrize(
    ("change", "error", "why"),
    [
        (other_file, tf.errors.PermissionDeniedError, "opens a file that is no asset"),
        (outside, tf.errors.PermissionDeniedError, "is no file of the directory"),
        (no_name, tf.errors.InvalidArgumentError, "refers to a Tensor which does not exist"),
        (twice, tf.errors.InvalidArgumentError, "two nodes have one name"),
        (no_constant, tf.errors.InvalidArgumentError, "is no constant"),
        (other_dtype, tf.errors.InvalidArgumentError, "is no float64"),
        (a_circle, tf.errors.InvalidArgumentError, "go in a circle"),
        (unknown, tf.errors.InvalidArgumentError, "does not exist"),
        (damaged, tf.errors.InvalidArgumentError, "cannot be read"),
    ],
)
def test_what_is_damaged_or_reaches_out_is_refused(tmp_path, change, error, why):
    folder = changed(unpacked("v1-saved_by_builder", tmp_path), change)
    with pytest.raises(error, match=why):
        tf.saved_model.load(folder)


def test_an_op_that_does_not_exist_spoils_only_what_uses_it(tmp_path):
    def change(meta):
        node(meta, "Relu").op = "NoSuchOp"

    model = tf.saved_model.load(changed(unpacked("v1-saved_by_builder", tmp_path), change))
    assert model.signatures["words"](tf.constant(["red"]))["ids"] == 0
    with pytest.raises(tf.errors.UnimplementedError, match="NoSuchOp: Relu"):
        model.signatures["serving_default"]


def test_values_can_be_left_out(tmp_path):
    options = tf.saved_model.LoadOptions(experimental_skip_checkpoint=True)
    model = tf.saved_model.load(unpacked("v1-saved_simple", tmp_path), options=options)
    with pytest.raises(tf.errors.FailedPreconditionError):
        model.variables[0].numpy()
