"""Callables that make the first values of variables: `initializer(shape, dtype)`."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt import errors
from graphrt.ops.array.creation import fill, ones, zeros
from graphrt.ops.array.shape import reshape
from graphrt.ops.random.distributions import normal, uniform
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor, static_array
from graphrt.types.dtype import DType, as_dtype, float32, int32
from graphrt.types.likes import DTypeLike, ShapeLike, TensorLike
from graphrt.types.nesting import shown
from graphrt.types.shape import TensorShape

__all__ = [
    "constant_initializer", "ones_initializer", "random_normal_initializer", "random_uniform_initializer",
    "zeros_initializer",
]  # fmt: skip


class _Initializer:
    """What initializers share: a configuration to be made again from."""

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an equal initializer."""
        return dict(vars(self))

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """The initializer of a configuration."""
        return cls(**{k: v for k, v in config.items() if k != "dtype"})

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in vars(self).items())})"


def _numeric(dtype: Any, name: str) -> DType:
    found = as_dtype(dtype)
    if not (found.is_floating or found.is_integer or found.is_complex or found.is_bool):
        raise ValueError(errors.at_user_line(f"{name} makes numbers or booleans, not {found.name}"))
    return found


def _floating(dtype: Any) -> DType:
    found = as_dtype(dtype)
    if not found.is_floating:
        raise ValueError(errors.at_user_line(f"Argument `dtype` expected to be numeric or boolean, and floating; "
                                             f"received {found.name}"))  # fmt: skip
    return found


class zeros_initializer(_Initializer):
    """Zeros.

    >>> import graphrt as tf
    >>> tf.zeros_initializer()([2]).numpy().tolist()
    [0.0, 0.0]
    """

    def __call__(self, shape: ShapeLike, dtype: DTypeLike = float32, **kwargs: Any) -> Tensor:
        """A tensor of this shape and dtype."""
        return zeros(shape, _numeric(dtype, "zeros_initializer"))


class ones_initializer(_Initializer):
    """Ones.

    >>> import graphrt as tf
    >>> tf.ones_initializer()([2], tf.int32).numpy().tolist()
    [1, 1]
    """

    def __call__(self, shape: ShapeLike, dtype: DTypeLike = float32, **kwargs: Any) -> Tensor:
        """A tensor of this shape and dtype."""
        return ones(shape, _numeric(dtype, "ones_initializer"))


class constant_initializer(_Initializer):
    """The same value everywhere, or a list of values to fill the shape with.

    >>> import graphrt as tf
    >>> tf.constant_initializer(3.)([2]).numpy().tolist()
    [3.0, 3.0]

    Raises:
      TypeError: `value` is neither a number nor a list or array.
    """

    def __init__(self, value: TensorLike = 0, support_partition: bool = False) -> None:
        if not (np.isscalar(value) or isinstance(value, (list, tuple, np.ndarray))):
            raise TypeError(errors.at_user_line(f"Invalid type for initial value: {type(value).__name__}"))
        self.value = value
        self.support_partition = support_partition

    def __call__(self, shape: Any, dtype: DTypeLike | None = None, **kwargs: Any) -> Tensor:
        """A tensor of this shape and dtype."""
        found = as_tensor(self.value, None if dtype is None else as_dtype(dtype))
        if np.ndim(self.value) == 0:
            return fill(shape, found)
        known = TensorShape(static_array(convert_to_tensor(shape, dtype_hint=int32)))
        if known.num_elements() not in (np.size(self.value), None):
            raise TypeError(
                errors.at_user_line(f"{np.size(self.value)} values cannot fill the shape {known}: {shown(self.value)}")
            )
        return reshape(found, shape)

    def get_config(self) -> dict[str, Any]:
        """The value."""
        return {"value": self.value}


class random_uniform_initializer(_Initializer):
    """Numbers of `minval` to `maxval`, all equally likely.

    >>> import graphrt as tf
    >>> tf.random_uniform_initializer(seed=1)([2, 3]).shape
    TensorShape([2, 3])
    """

    def __init__(self, minval: TensorLike = -0.05, maxval: TensorLike = 0.05, seed: int | None = None) -> None:
        self.minval, self.maxval, self.seed = minval, maxval, seed

    def __call__(self, shape: ShapeLike, dtype: DTypeLike = float32, **kwargs: Any) -> Tensor:
        """A tensor of this shape and dtype."""
        kind = as_dtype(dtype)
        return uniform(shape, self.minval, self.maxval, kind, seed=self.seed)


class random_normal_initializer(_Initializer):
    """Numbers around `mean`, normally distributed.

    >>> import graphrt as tf
    >>> tf.random_normal_initializer(stddev=1.)([2, 3]).shape
    TensorShape([2, 3])

    Raises:
      ValueError: (when called) `dtype` is not floating.
    """

    def __init__(self, mean: TensorLike = 0.0, stddev: TensorLike = 0.05, seed: int | None = None) -> None:
        self.mean, self.stddev, self.seed = mean, stddev, seed

    def __call__(self, shape: ShapeLike, dtype: DTypeLike = float32, **kwargs: Any) -> Tensor:
        """A tensor of this shape and dtype."""
        return normal(shape, self.mean, self.stddev, _floating(dtype), seed=self.seed)
