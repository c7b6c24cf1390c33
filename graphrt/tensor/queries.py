"""Questions about values: is it a tensor, what is it made of, what is known of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from graphrt.tensor.context import current_graph
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import SymbolicTensor, Tensor, static_array
from graphrt.types.likes import TensorLike
from graphrt.types.log import logger
from graphrt.types.nesting import shown
from graphrt.types.spec import TensorSpec
from graphrt.types.structure import Dispatching, Nullable, Repeatable

if TYPE_CHECKING:
    import logging


def is_tensor(x: object) -> Any:
    """Whether `x` is a tensor, ragged, sparse or not, or a variable (arrays and Python numbers are not).

    A bool tensor where `x` is None in some runs of the graph that is being traced.

    >>> import graphrt as tf
    >>> tf.is_tensor(tf.constant(1)), tf.is_tensor(1)
    (True, False)
    """
    if isinstance(x, Nullable):
        return x.flag if is_tensor(x.value) else False
    if isinstance(x, Repeatable):  # a list that grew
        return False
    return isinstance(x, (Tensor, Dispatching)) or hasattr(x, "__tf_tensor__")


def is_symbolic_tensor(tensor: TensorLike) -> bool:
    """Whether `tensor` belongs to a graph that is being traced, so that it has no value yet.

    >>> import graphrt as tf
    >>> tf.is_symbolic_tensor(tf.constant(1))
    False
    """
    return isinstance(tensor, SymbolicTensor)


def inside_function() -> bool:
    """Whether a function is being traced.

    >>> import graphrt as tf
    >>> tf.inside_function()
    False
    """
    return current_graph() is not None


def get_static_value(tensor: TensorLike, partial: bool = False) -> Any:
    """The value of `tensor` as an array when it is known now, else None.

    >>> import graphrt as tf
    >>> tf.get_static_value(tf.constant([1, 2])).tolist()
    [1, 2]
    """
    array = static_array(tensor)
    if array is None:
        return None
    return np.array(array) if array.ndim else array[()]


def type_spec_from_value(value: Any) -> Any:
    """The spec that describes `value`.

    >>> import graphrt as tf
    >>> tf.type_spec_from_value(tf.constant([1, 2]))
    TensorSpec(shape=(2,), dtype=tf.int32, name=None)

    Raises:
      TypeError: no spec describes it.
    """
    if hasattr(value, "_type_spec"):
        return value._type_spec
    try:
        tensor = convert_to_tensor(value)
    except (TypeError, ValueError):
        raise TypeError(f"Could not build a TypeSpec for {shown(value)} of type {type(value).__name__}") from None
    return TensorSpec(tensor.shape, tensor.dtype)


def get_logger() -> logging.Logger:
    """The logger of graphrt.

    >>> import graphrt as tf
    >>> tf.get_logger().name
    'graphrt'
    """
    return logger()


class device:
    """A context that would place ops on a device: there is only the CPU, so nothing happens.

    >>> import graphrt as tf
    >>> with tf.device("/CPU:0"):
    ...     x = tf.constant(1)
    """

    def __init__(self, device_name: str) -> None:
        self.name = device_name

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: Any) -> None:
        return None
