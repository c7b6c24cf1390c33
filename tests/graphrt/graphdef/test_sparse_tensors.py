"""Tensors and sparse tensors as strings: the very bytes that TensorFlow 2.20 writes."""

import numpy as np
import pytest

import graphrt as tf

X = tf.SparseTensor([[0, 1], [1, 0], [1, 1]], [5.0, 6.0, 7.0], [2, 2])


@pytest.mark.parametrize(("value", "dtype", "data"), [
    (5.0, "float32", b'\x08\x01\x12\x00"\x04\x00\x00\xa0@'), ([True, False], "bool", b'\x08\n\x12\x04\x12\x02\x08\x02"\x02\x01\x00'),
    (3, "uint8", b'\x08\x04\x12\x00"\x01\x03'), (7, "uint64", b'\x08\x17\x12\x00"\x08\x07\x00\x00\x00\x00\x00\x00\x00'),
    ([1.5], "float16", b'\x08\x13\x12\x04\x12\x02\x08\x01"\x02\x00>'), ([1 + 2j], "complex64", b'\x08\x08\x12\x04\x12\x02\x08\x01"\x08\x00\x00\x80?\x00\x00\x00@'),
    ("ab", "string", b"\x08\x07\x12\x00B\x02ab"), ([], "float32", b"\x08\x01\x12\x04\x12\x02\x08\x00"[:6] + b"\x12\x00"),
])  # fmt: skip
def test_tensors(value, dtype, data):
    found = tf.io.serialize_tensor(tf.constant(value, dtype))
    back = tf.io.parse_tensor(found, dtype)
    np.testing.assert_array_equal(back.numpy(), tf.constant(value, dtype).numpy())
    if np.size(value):
        assert found.numpy() == data


def test_one_sparse_tensor():
    found = tf.io.serialize_sparse(tf.SparseTensor([[0, 1]], [5.0], [2, 2]))
    assert found.numpy().tolist() == [
        b'\x08\t\x12\x08\x12\x02\x08\x01\x12\x02\x08\x02"\x10' + b"\x00" * 8 + b"\x01" + b"\x00" * 7,
        b'\x08\x01\x12\x04\x12\x02\x08\x01"\x04\x00\x00\xa0@',
        b'\x08\t\x12\x04\x12\x02\x08\x02"\x10' + (b"\x02" + b"\x00" * 7) * 2,
    ]


@pytest.mark.parametrize("traced", [False, True])
def test_many_there_and_back(traced):
    def both(data):
        return tf.io.deserialize_many_sparse(data, tf.float32, rank=1)

    data = tf.io.serialize_many_sparse(X)
    back = (tf.function(both) if traced else both)(data)
    assert data.shape == [2, 3]
    for name in ("indices", "values", "dense_shape"):
        np.testing.assert_array_equal(getattr(back, name), getattr(X, name))
    one = tf.io.serialize_sparse(X)
    stacked = tf.io.deserialize_many_sparse(tf.stack([one, one]), tf.float32)
    assert stacked.dense_shape.numpy().tolist() == [2, 2, 2] and stacked.values.shape == [6]


def test_errors():
    data = tf.io.serialize_many_sparse(X)
    for call, error in (
        (lambda: tf.io.serialize_sparse([1.0]), TypeError), (lambda: tf.io.deserialize_many_sparse(data, tf.int32), tf.errors.InvalidArgumentError),
        (lambda: tf.io.deserialize_many_sparse(data[0], tf.float32), tf.errors.InvalidArgumentError),
        (lambda: tf.io.serialize_many_sparse(tf.SparseTensor([[0]], [1.0], [1])), tf.errors.InvalidArgumentError),
        (lambda: tf.io.deserialize_many_sparse([["a", "b", "c"]], tf.float32), tf.errors.InvalidArgumentError),
    ):  # fmt: skip
        with pytest.raises(error):
            call()
