"""What `tf.saved_model.save` refuses, and what it leaves behind when it fails.

Covers: graphrt/saving/saved_objects.py, graphrt/saving/directories.py
"""

import os
import subprocess
import sys
from collections.abc import Mapping

import pytest

import graphrt as tf
from graphrt.graphdef.schema import message_class
from tests import ROOT


class Scale(tf.Module):
    def __init__(self):
        super().__init__()
        self.factor = tf.Variable(2.0)

    @tf.function(input_signature=[tf.TensorSpec([])])
    def __call__(self, x):
        return x * self.factor


def test_an_untracked_variable_is_named(tmp_path):
    outside = tf.Variable(1.0, name="outside")
    made = Scale()
    made.other = tf.function(lambda x: x + outside, input_signature=[tf.TensorSpec([])])
    with pytest.raises(ValueError, match="uses the variable 'outside', which does not belong to the object"):
        tf.saved_model.save(made, tmp_path / "saved")
    assert not (tmp_path / "saved").exists()


def test_a_python_function_is_refused_with_its_place(tmp_path):
    made = Scale()
    made.other = tf.function(
        lambda x: tf.py_function(lambda v: v, [x], tf.float32), input_signature=[tf.TensorSpec([])]
    )
    with pytest.raises(ValueError, match=r"made at .*test_save.py:\d+, calls a Python function"):
        tf.saved_model.save(made, tmp_path / "saved")


@pytest.mark.parametrize("what", [3, tf.Variable(1.0), tf.function(lambda: 1)])
def test_only_objects_with_parts(what, tmp_path):
    with pytest.raises(ValueError, match="Expected an object with parts"):
        tf.saved_model.save(what, tmp_path / "saved")


def test_a_signature_gives_tensors_by_name(tmp_path):
    made = Scale()
    made.bad = tf.function(lambda x: {"a": [x]}, input_signature=[tf.TensorSpec([])])
    with pytest.raises(ValueError, match="the signature 'bad' must give a tensor"):
        tf.saved_model.save(made, tmp_path / "saved", signatures={"bad": made.bad})
    with pytest.raises(ValueError, match="0 traces and no input_signature"):
        tf.saved_model.save(made, tmp_path / "saved", signatures=tf.function(lambda x: x))


def test_saving_replaces_a_directory_whole(tmp_path):
    made = Scale()
    tf.saved_model.save(made, tmp_path / "saved")
    made.factor.assign(5.0)
    tf.saved_model.save(made, tmp_path / "saved")
    assert tf.saved_model.load(tmp_path / "saved")(2.0).numpy() == 10
    made.other = tf.function(
        lambda x: tf.py_function(lambda v: v, [x], tf.float32), input_signature=[tf.TensorSpec([])]
    )
    with pytest.raises(ValueError, match="Python function"):
        tf.saved_model.save(made, tmp_path / "saved")
    assert tf.saved_model.load(tmp_path / "saved")(2.0).numpy() == 10
    assert [p.name for p in tmp_path.iterdir()] == ["saved"]


def test_two_saves_are_equal(tmp_path):
    made = Scale()
    for name in ("a", "b"):
        tf.saved_model.save(made, tmp_path / name)
    assert (tmp_path / "a" / "saved_model.pb").read_bytes() == (tmp_path / "b" / "saved_model.pb").read_bytes()


# --- signatures and types of one's own -------------------------------------------------------------------------------
def test_signatures_take_and_give_what_is_made_of_tensors(tmp_path):
    ragged, sparse = tf.RaggedTensorSpec([None, None], tf.float32), tf.SparseTensorSpec([None, 3], tf.float32)

    def several(x, y, scale=2.0):
        many = {f"o{i}": x.values[0] + i for i in range(12)}  # which are in another order as texts
        return {"k": x * scale, "z": x.values, "s": y, **many}

    module = tf.Module()
    module.f = tf.function(several, input_signature=[ragged, sparse])
    tf.saved_model.save(module, tmp_path / "m")
    signature = tf.saved_model.load(tmp_path / "m").signatures["serving_default"]
    x, y = tf.ragged.constant([[1.0], [2.0, 3.0]]), tf.SparseTensor([[0, 1]], [5.0], [2, 3])
    found = signature(x=x.values, x_1=x.row_splits, y=y.indices, y_1=y.values, y_2=y.dense_shape)
    assert found["k"].to_list() == [[2.0], [4.0, 6.0]] and found["z"].numpy().tolist() == [1.0, 2.0, 3.0]
    assert tf.sparse.to_dense(found["s"]).numpy().tolist() == [[0.0, 5.0, 0.0], [0.0, 0.0, 0.0]]
    assert [found[f"o{i}"].numpy().item() for i in range(12)] == [1.0 + i for i in range(12)]
    message = (
        message_class("SavedModel")
        .FromString((tmp_path / "m/saved_model.pb").read_bytes())
        .meta_graphs[0]
        .signature_def["serving_default"]
    )
    assert message.outputs["s"].coo_sparse.indices_tensor_name and message.outputs["s"].dtype == 1
    assert [p.dtype for p in message.outputs["k"].composite_tensor.components] == [1, 9]

    module = tf.Module()
    module.f = tf.function(
        lambda d: d["b"][0] + 1, input_signature=[{"a": tf.TensorSpec([]), "b": [tf.TensorSpec([2])]}]
    )
    tf.saved_model.save(module, tmp_path / "n")
    signature = tf.saved_model.load(tmp_path / "n").signatures["serving_default"]
    assert signature(d=tf.constant(0.0), d_1=tf.constant([1.0, 2.0]))["output_0"].numpy().tolist() == [2.0, 3.0]


class Masked(tf.experimental.ExtensionType):
    __name__ = "tests.Masked"
    values: tf.Tensor
    mask: tf.Tensor
    scale: int = 3


class Several(tf.experimental.ExtensionType):
    __name__ = "tests.Several"
    parts: tuple[tf.Tensor, ...]
    inner: Masked
    by_name: Mapping[str, tf.Tensor]
    dtype: tf.DType
    dims: tf.TensorShape
    rows: tf.RaggedTensor
    note: str = ""
    maybe: tf.Tensor | None = None


class OfMasked(tf.Module):
    @tf.function
    def take(self, m):
        return tf.where(m.mask, m.values, 0.0) * float(m.scale)

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def give(self, x):
        rows = tf.ragged.constant([[1], [2, 3]])
        return Several((x, x + 1.0), Masked(x, x > 0, 5), {"b": x * 3.0, "a": x * 2.0}, tf.int8, [None, 2], rows, "n")


def test_extension_types_keep_their_class_in_saved_models(tmp_path):
    module = OfMasked()
    module.take(Masked([1.0, 2.0], [True, False]))
    tf.saved_model.save(module, tmp_path / "m")
    loaded = tf.saved_model.load(tmp_path / "m")
    assert loaded.take(Masked([5.0, 6.0], [False, True])).numpy().tolist() == [0.0, 18.0]
    found = loaded.give(tf.constant([2.0]))
    assert type(found) is Several and type(found.inner) is Masked and found.inner.scale == 5
    assert (found.dtype, found.dims.as_list(), found.note, found.maybe) == (tf.int8, [None, 2], "n", None)
    assert {k: v.numpy().tolist() for k, v in found.by_name.items()} == {"a": [4.0], "b": [6.0]}
    assert found.rows.to_list() == [[1], [2, 3]] and found.parts[1].numpy().tolist() == [3.0]


def test_extension_types_that_the_program_does_not_have(tmp_path):
    code = """
import sys
import graphrt as tf
loaded = tf.saved_model.load(sys.argv[1])
found = loaded.give(tf.constant([2.0]))
print(type(found).__name__, found.inner.values.numpy().tolist(), found.by_name["b"].numpy().tolist(), found.note)
"""
    module = OfMasked()
    module.take(Masked([1.0, 2.0], [True, False]))
    tf.saved_model.save(module, tmp_path / "m")
    ran = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "m")], capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert ran.stdout.strip() == "AnonymousExtensionType [2.0] [6.0] n"


def test_extension_types_without_a_name_for_files(tmp_path, caplog):
    class Nameless(tf.experimental.ExtensionType):
        v: tf.Tensor

    module = tf.Module()
    module.f = tf.function(lambda n: n.v)
    module.f(Nameless(1.0))
    tf.saved_model.save(module, tmp_path / "m")
    assert "set `__name__ = 'package.Nameless'` in the body of class Nameless" in caplog.text


def test_the_default_signature_of_what_was_loaded_and_of_concrete_functions(tmp_path):
    made = tf.Module()
    made.f = tf.function(lambda x: {"y": x * 2.0}, input_signature=[tf.TensorSpec([])])
    tf.saved_model.save(made, tmp_path / "a")
    loaded = tf.saved_model.load(tmp_path / "a")
    tf.saved_model.save(loaded, tmp_path / "b")
    concrete = tf.Module()
    concrete.f = tf.function(lambda x: {"y": x * 2.0}).get_concrete_function(tf.TensorSpec([], name="x"))
    tf.saved_model.save(concrete, tmp_path / "c")
    tf.saved_model.save(loaded, tmp_path / "d", {"serving_default": loaded.f})
    for name in "abcd":
        found = tf.saved_model.load(tmp_path / name).signatures["serving_default"]
        assert found(x=tf.constant(3.0))["y"].numpy() == 6.0


def test_concrete_functions_keep_the_values_that_they_were_made_for(tmp_path):
    made = tf.Module()
    made.v = tf.Variable(2.0)
    made.f = tf.function(lambda x, y=2: x * y * made.v)
    made.c = made.f.get_concrete_function(tf.TensorSpec([], name="given"), 3)
    tf.saved_model.save(made, tmp_path / "a")
    tf.saved_model.save(tf.saved_model.load(tmp_path / "a"), tmp_path / "b")
    x = tf.constant(1.0)
    for name in "ab":
        loaded = tf.saved_model.load(tmp_path / name)
        calls = loaded.c(x), loaded.c(given=x), loaded.c(x, 3), loaded.c(x, y=3), loaded.f(x, 3)
        assert [float(y) for y in calls] == [6.0] * 5
        with pytest.raises(TypeError):
            loaded.c(x, 2)


def test_gradients_of_two_functions_that_share_a_loop(tmp_path):
    made = tf.Module()
    made.v = tf.Variable([1.0, 2.0])

    def powers(x, n):
        while n > 0:
            x = x * made.v
            n -= 1
        return x

    made.f = tf.function(powers, input_signature=[tf.TensorSpec([2]), tf.TensorSpec([], tf.int32)])
    made.c = made.f.get_concrete_function()
    tf.saved_model.save(made, tmp_path / "m")
    loaded = tf.saved_model.load(tmp_path / "m")
    for function in (loaded.f, loaded.c, loaded.f):
        with tf.GradientTape() as tape:
            y = function(tf.constant([1.0, -1.0]), tf.constant(3))
        assert tape.gradient(y, loaded.v).numpy().tolist() == [3.0, -12.0]


@pytest.mark.parametrize("steps", [1, 60])  # small bodies are copied, big ones called
def test_gradients_of_loops_that_use_one_function(tmp_path, steps):
    made = tf.Module()
    made.v = tf.Variable([1.0, 2.0])

    def powers(x, n):
        while n > 0:
            for _ in range(steps):
                x = x * 1.0 + 0.0
            x = x * made.v
            n -= 1
        return x

    made.f = tf.function(powers, input_signature=[tf.TensorSpec([2]), tf.TensorSpec([], tf.int32)])
    tf.saved_model.save(made, tmp_path / "m")
    change_message(tmp_path / "m", third_of_the_loop)
    loaded = tf.saved_model.load(tmp_path / "m")
    with tf.GradientTape() as tape:
        y = loaded.f(tf.constant([1.0, -1.0]), tf.constant(2))
    assert y.numpy().tolist() == [1.0, -64.0]
    assert tape.gradient(y, loaded.v).numpy().tolist() == [6.0, -192.0]
    tf.saved_model.save(loaded, tmp_path / "n")
    again = tf.saved_model.load(tmp_path / "n")
    assert again.f(tf.constant([1.0, -1.0]), tf.constant(2)).numpy().tolist() == [1.0, -64.0]


def change_message(folder, change):
    """Changes the graph of a SavedModel, and leaves out its checksum."""
    message = message_class("SavedModel")()
    message.ParseFromString((folder / "saved_model.pb").read_bytes())
    change(message.meta_graphs[0].graph_def.library)
    (folder / "saved_model.pb").write_bytes(message.SerializeToString())
    (folder / "fingerprint.pb").unlink(missing_ok=True)


def third_of_the_loop(library):
    """Lets the loop run three times, one after the other, with the same functions."""
    (function,) = [f for f in library.function if any(n.op == "While" for n in f.node_def)]
    (first,) = [n for n in function.node_def if n.op == "While"]
    at = next(i for i, edge in enumerate(first.input) if edge == "x")
    named = first.name
    for name in ("second", "third"):
        node = function.node_def.add()
        node.CopyFrom(first)
        node.name, node.input[at] = name, f"{named}:output:{at}"
        named = name
    for node in function.node_def:
        if node.op != "While":
            for i, edge in enumerate(node.input):
                if edge == f"{first.name}:output:{at}":
                    node.input[i] = f"third:output:{at}"
