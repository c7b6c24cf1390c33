"""What `tf.saved_model.save` refuses, and what it leaves behind when it fails.

Covers: graphrt/saving/saved_objects.py, graphrt/saving/directories.py
"""

import pytest

import graphrt as tf


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
