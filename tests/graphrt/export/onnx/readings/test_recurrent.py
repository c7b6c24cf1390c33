"""Nodes that stand for a loop, and numbers of few bits, give what ONNX Runtime gives.

Covers: graphrt/export/onnx/readings/recurrent.py, graphrt/export/onnx/readings/quantized.py,
  graphrt/export/onnx/readings/control_flow.py
"""

import json

import numpy as np
import pytest

import graphrt as tf
from tests.graphrt.export.onnx import recorded_nodes

ANSWERS = json.loads(recorded_nodes.ANSWERS.read_text())


def read(message, tmp_path):
    (tmp_path / "model.onnx").write_bytes(message.SerializeToString())
    return tf.export.from_onnx(tmp_path / "model.onnx")


@pytest.mark.parametrize("name", recorded_nodes.CASES)
def test_node(name, tmp_path):
    message, arrays = recorded_nodes.CASES[name]
    found = tf.nest.flatten(read(message, tmp_path)(*map(tf.constant, arrays)))
    names = [p.name for p in message.graph.output]
    order = sorted(range(len(names)), key=lambda i: names[i])  # results by name are flattened in the order of names
    for at, tensor in zip(order, found, strict=True):
        dtype, shape, values = ANSWERS[name][at]
        assert (tensor.dtype.name, tensor.shape.as_list()) == (dtype, shape)
        limit = 2e-6 if tensor.dtype.is_floating else 0
        np.testing.assert_allclose(tensor.numpy().ravel(), values, rtol=limit, atol=limit)


def test_no_steps(tmp_path):
    message, (x, lengths) = recorded_nodes.recurrent("LSTM", states=True)
    message.graph.input[0].type.tensor_type.shape.dim[1].dim_value = 2
    y, h, _ = read(message, tmp_path)(tf.constant(x[:0]), tf.constant(lengths * 0)).values()
    assert y.shape == (0, 1, 2, 3)
    np.testing.assert_array_equal(h, recorded_nodes.numbers(1, 2, 3))


def test_batch_first(tmp_path):
    message, (x, lengths) = recorded_nodes.CASES["GRU bidirectional"]
    wanted = read(message, tmp_path)(tf.constant(x), tf.constant(lengths))
    turned = type(message)()
    turned.CopyFrom(message)
    recorded_nodes.attribute_of(turned.graph.node[0], "layout", 1)
    (h,) = [t for t in turned.graph.initializer if t.name == "h"]
    turned.graph.initializer.remove(h)
    recorded_nodes.write_tensor(turned.graph.initializer.add(), recorded_nodes.numbers(2, 2, 3).swapaxes(0, 1), "h")
    found = read(turned, tmp_path)(tf.constant(x.swapaxes(0, 1)), tf.constant(lengths))
    np.testing.assert_array_equal(found["y"], tf.transpose(wanted["y"], [2, 0, 1, 3]))
    np.testing.assert_array_equal(found["y_h"], tf.transpose(wanted["y_h"], [1, 0, 2]))


@pytest.mark.parametrize(
    "change, told",
    [
        ({"direction": "sideways"}, "the direction 'sideways'"),
        ({"hidden_size": 7}, "its hidden_size is 7, its recurrent weights are for 3"),
        ({"activations": ["Tanh", "Nothing", "Tanh"]}, "the activations"),
        ({"activations": ["Tanh"]}, "the activations"),
    ],
)
def test_what_makes_no_sense(change, told, tmp_path):
    message, _ = recorded_nodes.recurrent("LSTM", **change)
    with pytest.raises(tf.errors.DataLossError, match=f"'the_LSTM' \\(LSTM\\): {told}"):
        read(message, tmp_path)
