"""Gradients of the user's own are part of what is saved. What TensorFlow saved is compared in
`tests/graphrt/programs/test_from_tensorflow.py`.
"""

import logging

import numpy as np
import pytest

import graphrt as tf
from graphrt.graphdef.schema import message_class
from tests.from_tensorflow.saved_models import CASES, gradients_of

X = np.array([0.5, -1.0], np.float32)


@pytest.fixture(scope="module")
def model():
    return CASES["captured_gradients"](tf)[0]


@pytest.mark.parametrize(("function", "variables"), [("f", ["w"]), ("g", ["k"]), ("loop", [])])
def test_a_loaded_model_has_the_gradients(model, tmp_path, function, variables):
    tf.saved_model.save(model, tmp_path / "a")
    tf.saved_model.save(tf.saved_model.load(tmp_path / "a"), tmp_path / "b")
    wanted = gradients_of(tf, model, function, [X], variables)
    for name in "ab":
        found = gradients_of(tf, tf.saved_model.load(tmp_path / name), function, [X], variables)
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted):
            np.testing.assert_array_equal(one, other)


def message(folder):
    found = message_class("SavedModel")()
    found.ParseFromString((folder / "saved_model.pb").read_bytes())
    return found.meta_graphs[0]


def test_they_stand_in_the_file_as_functions(model, tmp_path):
    tf.saved_model.save(model, tmp_path / "m")
    meta = message(tmp_path / "m")
    told = meta.graph_def.library.registered_gradients
    assert len(told) == 3
    assert {t.gradient_func for t in told} <= {f.signature.name for f in meta.graph_def.library.function}
    assert [n.captured_tensor.name for n in meta.object_graph_def.nodes if n.WhichOneof("kind") == "captured_tensor"]


def test_they_can_be_left_out(model, tmp_path):
    options = tf.saved_model.SaveOptions(experimental_custom_gradients=False)
    tf.saved_model.save(model, tmp_path / "m", options=options)
    assert not message(tmp_path / "m").graph_def.library.registered_gradients


def test_one_that_no_file_can_hold_is_told_and_left_out(tmp_path, caplog):
    class Model(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([])])
        def f(self, x):
            for _ in tf.range(2):
                y = x * 2.0

                @tf.custom_gradient
                def doubled(x, y=y):
                    return x * 2.0, lambda up: up * y

                x = doubled(x)
            return x

    with caplog.at_level(logging.WARNING):
        tf.saved_model.save(Model(), tmp_path / "m")
    assert "cannot be saved: it uses" in caplog.text
    assert tf.saved_model.load(tmp_path / "m").f(1.0) == 4.0


def test_one_that_uses_what_its_branch_does_not_have_is_refused(model, tmp_path):
    tf.saved_model.save(model, tmp_path / "m")
    saved = message_class("SavedModel")()
    saved.ParseFromString((tmp_path / "m" / "saved_model.pb").read_bytes())
    for node in saved.meta_graphs[0].object_graph_def.nodes:
        if node.WhichOneof("kind") == "captured_tensor":
            node.captured_tensor.name = (
                "while_placeholder_1:0"  # as TensorFlow writes a value of a loop around a branch
            )
    (tmp_path / "m" / "saved_model.pb").write_bytes(saved.SerializeToString())
    (tmp_path / "m" / "fingerprint.pb").unlink()
    loaded = tf.saved_model.load(tmp_path / "m")
    x = tf.constant(X)
    told = r"uses the tensor 'while_placeholder_1:0' of .*as an argument"
    with pytest.raises(tf.errors.UnimplementedError, match=told), tf.GradientTape() as tape:
        tape.watch(x)
        tape.gradient(loaded.f(x), x)
