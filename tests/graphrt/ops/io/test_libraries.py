"""Libraries of kernels are refused as TensorFlow refuses those that do not fit it."""

import pytest

import graphrt as tf


def test_a_library_that_is_not_there():
    with pytest.raises(tf.errors.NotFoundError, match="nothing.so: cannot open shared object file"):
        tf.load_op_library("nothing.so")
    with pytest.raises(FileNotFoundError, match="does not exist"):
        tf.load_library("nothing.so")
    with pytest.raises(TypeError, match="found 3"):
        tf.load_op_library(3)


def test_kernels_of_tensorflow(tmp_path):
    assert tf.load_library(tmp_path) is None
    with pytest.raises(tf.errors.NotFoundError, match="Is a directory"):
        tf.load_op_library(str(tmp_path))
    library = tmp_path / "ops.so"
    library.write_bytes(b"\x7fELF")
    for load in (tf.load_op_library, tf.load_library):
        with pytest.raises(tf.errors.NotFoundError, match="compiled for TensorFlow cannot be loaded"):
            load(str(library))
    with pytest.raises(tf.errors.NotFoundError, match="compiled for TensorFlow"):
        tf.load_library(tmp_path)
