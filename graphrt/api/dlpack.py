"""`tf.experimental.dlpack`: arrays handed to other libraries, and taken from them, without a copy."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt import errors
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import EagerTensor, Tensor
from graphrt.types.likes import TensorLike

__all__ = ["from_dlpack", "to_dlpack"]


class _Capsule:
    """What NumPy wants to see of a capsule."""

    __slots__ = ("capsule",)

    def __init__(self, capsule: object) -> None:
        self.capsule = capsule

    def __dlpack__(self, **_: tuple[int, ...] | None) -> Any:
        return self.capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0


def to_dlpack(tf_tensor: TensorLike) -> Any:
    """A capsule that holds the elements of a tensor, for another library to take over, once.

    >>> import graphrt as tf
    >>> capsule = tf.experimental.dlpack.to_dlpack(tf.constant([1, 2]))
    >>> tf.experimental.dlpack.from_dlpack(capsule).numpy().tolist()
    [1, 2]

    Raises:
      TypeError: the tensor has no value yet, or elements that other libraries do not know.
    """
    tensor = convert_to_tensor(tf_tensor)
    if isinstance(tensor, Tensor) and not isinstance(tensor, EagerTensor):
        raise TypeError(errors.at_user_line("The argument to `to_dlpack` must be a TF tensor that holds its elements"))
    if tensor.dtype.kind in "SO":
        raise TypeError(errors.at_user_line(f"tensors of dtype {tensor.dtype.name} cannot be given to other libraries"))
    return np.array(tensor.numpy()).__dlpack__()


def from_dlpack(dlcapsule: object) -> Tensor:
    """The tensor that a capsule, or an object with `__dlpack__`, holds.

    >>> import graphrt as tf, numpy as np
    >>> tf.experimental.dlpack.from_dlpack(np.arange(3.0)).numpy().tolist()
    [0.0, 1.0, 2.0]
    """
    source = dlcapsule if hasattr(dlcapsule, "__dlpack__") else _Capsule(dlcapsule)
    return convert_to_tensor(np.array(np.from_dlpack(source)))
