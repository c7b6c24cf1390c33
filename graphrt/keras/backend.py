"""`keras.backend`: the defaults, and a few functions that older programs take from here."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

import graphrt as tf
from graphrt import errors
from graphrt.keras.config import (
    epsilon,
    floatx,
    image_data_format,
    set_epsilon,
    set_floatx,
    set_image_data_format,
    standardize_dtype,
)
from graphrt.keras.names import get_uid
from graphrt.keras.random import clear_session
from graphrt.keras.symbolic import is_keras_tensor
from graphrt.keras.variable import Variable
from graphrt.types.likes import Array, DTypeLike, TensorLike
from graphrt.types.missing import missing_attribute

if TYPE_CHECKING:
    pass

__all__ = [
    "backend", "batch_get_value", "batch_set_value", "clear_session", "epsilon", "floatx", "get_uid", "get_value",
    "image_data_format", "int_shape", "is_keras_tensor", "set_epsilon", "set_floatx", "set_image_data_format",
    "set_value", "standardize_dtype", "variable",
]  # fmt: skip

_SAME = {
    "abs": "abs", "argmax": "argmax", "cast": "cast", "clip": "clip_by_value", "concatenate": "concat", "dot": "matmul",
    "equal": "equal", "exp": "exp", "expand_dims": "expand_dims", "gather": "gather", "greater": "greater",
    "less": "less", "maximum": "maximum", "minimum": "minimum", "not_equal": "not_equal", "one_hot": "one_hot",
    "ones": "ones", "ones_like": "ones_like", "pow": "pow", "reshape": "reshape", "round": "round", "shape": "shape",
    "sign": "sign", "sin": "sin", "cos": "cos", "sqrt": "sqrt", "square": "square", "squeeze": "squeeze",
    "stack": "stack", "stop_gradient": "stop_gradient", "tanh": "tanh", "tile": "tile", "transpose": "transpose",
    "zeros": "zeros", "zeros_like": "zeros_like", "sigmoid": "sigmoid", "constant": "constant", "eye": "eye",
    "cumsum": "cumsum",
}  # fmt: skip
_REDUCTIONS = {"sum": "reduce_sum", "mean": "reduce_mean", "max": "reduce_max", "min": "reduce_min",
               "prod": "reduce_prod", "any": "reduce_any", "all": "reduce_all"}  # fmt: skip
_OF_NN = ("relu", "softmax", "softplus", "softsign", "elu")


def __getattr__(name: str) -> Callable[..., Any]:
    if name in _SAME:
        return getattr(tf, _SAME[name])
    if name in _REDUCTIONS:
        return getattr(tf, _REDUCTIONS[name])
    if name in _OF_NN:
        return getattr(tf.nn, name)
    if name == "log":
        return tf.math.log
    raise missing_attribute(__name__, name)


def backend() -> str:
    """The name of the backend.

    >>> import graphrt as tf
    >>> tf.keras.backend.backend()
    'graphrt'
    """
    return "graphrt"


def get_value(x: TensorLike) -> Array:
    """The value of a tensor or variable as an array.

    >>> import graphrt as tf
    >>> tf.keras.backend.get_value(tf.constant([1, 2]))
    array([1, 2], dtype=int32)
    """
    return np.asarray(x)


def set_value(x: Variable, value: TensorLike) -> None:
    """Gives a variable a value.

    >>> import graphrt as tf
    >>> v = tf.keras.backend.variable([1.0, 2.0])
    >>> tf.keras.backend.set_value(v, [3.0, 4.0])
    >>> v.numpy().tolist()
    [3.0, 4.0]
    """
    errors.expect(x, tf.Variable, "x", "a tf.Variable")
    x.assign(np.asarray(value, x.dtype.as_numpy_dtype))


def batch_get_value(tensors: Any) -> list[Any]:
    """The values of several variables.

    >>> import graphrt as tf
    >>> tf.keras.backend.batch_get_value([tf.constant(1.5), tf.constant([2.5])])
    [array(1.5, dtype=float32), array([2.5], dtype=float32)]
    """
    return [get_value(t) for t in tensors]


def batch_set_value(tuples: Any) -> None:
    """Gives several variables values: `(variable, value)` pairs.

    >>> import graphrt as tf
    >>> v, w = tf.keras.backend.variable(1.0), tf.keras.backend.variable(2.0)
    >>> tf.keras.backend.batch_set_value([(v, 3.0), (w, 4.0)])
    >>> v.numpy().item(), w.numpy().item()
    (3.0, 4.0)
    """
    for x, value in tuples:
        set_value(x, value)


def variable(
    value: TensorLike, dtype: DTypeLike | None = None, name: str | None = None, constraint: Any = None
) -> Variable:
    """A variable of this value.

    >>> import graphrt as tf
    >>> tf.keras.backend.variable([1.0], name="v").path
    'v'
    """
    return Variable(value, dtype=dtype, name=name, constraint=constraint)


def int_shape(x: Any) -> Any:
    """The static shape as a tuple.

    >>> import graphrt as tf
    >>> tf.keras.backend.int_shape(tf.keras.Input((3,)))
    (None, 3)
    """
    if not hasattr(x, "shape"):
        raise errors.unexpected(x, "x", "a tensor")
    return tuple(tf.TensorShape(x.shape).as_list())
