"""float16 and bfloat16: TensorFlow's values, bit by bit; bfloat16 needs the extra `graphrt[bfloat16]`."""

import importlib.util
import json
import os

import numpy as np
import pytest

import graphrt as tf
from tests import GOLDEN
from tests.golden import half_precision_cases as cases

with open(os.path.join(GOLDEN, "half_precision.json")) as _file:
    RECORDED = json.load(_file)
HAS_BFLOAT16 = importlib.util.find_spec("ml_dtypes") is not None
NEEDS = pytest.mark.skipif(not HAS_BFLOAT16, reason="needs ml_dtypes: pip install 'graphrt[bfloat16]'")
DTYPES = ["float16", pytest.param("bfloat16", marks=NEEDS)]
UNIT = {"float16": 2.0**-10, "bfloat16": 2.0**-7}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("call", cases.EXACT)
def test_bit_by_bit(call, dtype):
    found, wanted = cases.run(tf, call, dtype), RECORDED[dtype][call]
    assert found[:2] == wanted[:2]
    assert found[-1] == wanted[-1]  # a few values, for their message
    assert found[2] == wanted[2]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("call", cases.NEAR)
def test_within_two_units_of_the_last_place(call, dtype):
    found, wanted = cases.run(tf, call, dtype), RECORDED[dtype][call]
    assert found[:2] == wanted[:2]
    np.testing.assert_allclose(found[2], wanted[2], rtol=2 * UNIT[dtype], atol=UNIT[dtype] / 8)


@pytest.mark.parametrize("dtype", DTYPES)
def test_graphs_give_what_eager_calls_give(dtype):
    def f(x, w):
        y = tf.nn.softmax(tf.matmul(x, w) * 1.5)
        for row in x:
            y += tf.reduce_sum(row)
        return y

    x, w = tf.cast(tf.constant(cases.X), dtype), tf.cast(tf.constant(cases.Y), dtype)
    graph = tf.function(f)
    found = graph(x, w)
    assert found.dtype.name == dtype
    np.testing.assert_array_equal(found.numpy().astype(np.float32), f(x, w).numpy().astype(np.float32))
    text = str(graph.get_concrete_function(x, w).graph.as_graph_def())
    assert "half_val" in text or "tensor_content" in text


@NEEDS
def test_bfloat16_everywhere_else():
    x = tf.constant([1.0, 2.5, -3.25], tf.bfloat16)
    assert repr(x) == "<tf.Tensor: shape=(3,), dtype=bfloat16, numpy=array([1, 2.5, -3.25], dtype=bfloat16)>"
    assert (x + 1).dtype is tf.bfloat16
    assert tf.constant(np.asarray(x)).dtype is tf.bfloat16
    assert (tf.bfloat16.size, tf.bfloat16.max, tf.bfloat16.min) == (2, 3.3895313892515355e38, -3.3895313892515355e38)
    with pytest.raises(TypeError):
        tf.function(lambda a: a + tf.constant(1.0))(x)
    v = tf.Variable(x)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(v * v)
    slope = tape.gradient(y, v)
    assert (slope.dtype, slope.numpy().tolist()) == (tf.bfloat16, [2.0, 5.0, -6.5])
    assert [e.numpy().item() for e in tf.data.Dataset.from_tensor_slices(x).map(lambda e: e + 1)] == [2.0, 3.5, -2.25]
    proto = tf.make_tensor_proto([1.5, 2.0], tf.bfloat16)
    assert tf.make_ndarray(proto).tolist() == [1.5, 2.0]


@pytest.mark.skipif(HAS_BFLOAT16, reason="ml_dtypes is there")
def test_without_the_extra_it_is_named():
    with pytest.raises(ImportError, match=r"graphrt\[bfloat16\]"):
        tf.constant(1.0, tf.bfloat16)
