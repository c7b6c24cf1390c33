"""`keras.random` draws in every dtype, as Keras does: what is drawn in another one is converted."""

import pytest

import graphrt as tf

random = tf.keras.random


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "uint32", "int64"])
def test_integers_of_every_dtype_are_those_of_64_bits(dtype):
    found = random.randint((4,), 0, 9, dtype=dtype, seed=3)
    assert found.dtype == dtype and found.numpy().tolist() == [8, 0, 2, 6]
    assert random.categorical(tf.zeros([1, 4]), 3, dtype=dtype, seed=2).dtype == dtype


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32", "float64"])
def test_floats_of_every_dtype(dtype):
    drawn = random.gamma((3,), 2.0, dtype, seed=1), random.beta((3,), 2.0, 1.0, dtype, seed=1)
    counts = random.binomial((3,), 5.0, 0.5, dtype, seed=1)
    assert all(v.dtype == dtype for v in (*drawn, counts))
    assert tf.cast(drawn[0], tf.float32).numpy() == pytest.approx([3.04927, 1.96602, 1.62301], rel=1e-2)
