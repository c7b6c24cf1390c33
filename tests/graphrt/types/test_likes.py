"""What functions take, as their annotations say: names that resolve, and cover what the functions do take.

Covers: graphrt/types/likes.py, graphrt/tensor/call.py, graphrt/keras/layers/options.py.
"""

import typing

import numpy as np
import pytest

import graphrt as tf
from graphrt.autodiff.backprop import Call
from graphrt.ir.op import REGISTRY
from graphrt.keras.layers.options import BaseOptions, LayerOptions
from graphrt.tensor import call
from graphrt.types import likes


@pytest.mark.parametrize("function", [tf.cast, tf.nn.softmax, tf.convert_to_tensor, tf.Tensor.__add__, tf.maximum])
def test_annotations_of_public_functions_resolve(function):
    hints = typing.get_type_hints(function)
    assert hints.pop("return", None) is not None
    assert not any(hint is typing.Any for hint in hints.values())


@pytest.mark.parametrize(
    ("value", "protocol"),
    [
        (tf.constant(1.0), likes.HasDType),
        (tf.Variable(1.0), likes.HasDType),
        (tf.ragged.constant([[1], []]), likes.HasDType),
        (tf.sparse.from_dense([0, 1]), likes.HasDType),
        (np.ones(2), likes.HasArray),
        (np.float32(1), likes.HasArray),
    ],
)
def test_tensors_and_arrays_have_what_the_protocols_ask_for(value, protocol):
    wanted = [name for name in ("dtype", "shape", "__array__") if name in vars(protocol)]
    assert wanted
    assert all(hasattr(value, name) for name in wanted)


def test_gradient_rules_are_given_what_their_parameter_promises():
    x = tf.constant([1.0])
    given = Call(REGISTRY["Neg"], [x], {}, [x])
    promised = {*call.Call.__annotations__, "outputs", "node"}
    assert all(hasattr(given, name) for name in promised)


def test_options_of_layers_are_what_layers_take():
    for name in LayerOptions.__annotations__:
        value = {"name": "own", "dtype": "float32", "input_dim": 3, "trainable": False, "autocast": True}.get(name)
        tf.keras.layers.Dense(1, **{name: value})
    assert LayerOptions.__annotations__.keys() - BaseOptions.__annotations__.keys() == {"activity_regularizer"}
