"""`tf.experimental.numpy.random`: random tensors of float64, from the global generator."""

from __future__ import annotations

from typing import Any

from graphrt.ops.math.casting import cast
from graphrt.ops.random.distributions import normal as _normal
from graphrt.ops.random.distributions import poisson as _poisson
from graphrt.ops.random.distributions import uniform as _uniform
from graphrt.ops.random.sampling_ops import set_seed
from graphrt.tensor.tensor import Tensor
from graphrt.types.dtype import as_dtype, float64, int64
from graphrt.types.likes import DTypeLike, TensorLike

__all__ = ["normal", "poisson", "rand", "randint", "randn", "random", "seed", "standard_normal", "uniform"]


def _dims(size: Any) -> list[Any]:
    return [] if size is None else list(size) if isinstance(size, (list, tuple)) else [size]


def seed(s: int) -> None:
    """Sets the seed of the global generator.

    >>> import graphrt as tf
    >>> tf.experimental.numpy.random.seed(1)
    """
    set_seed(s)


def randn(*args: int) -> Tensor:
    """Normal numbers of a shape.

    >>> import graphrt as tf
    >>> tf.experimental.numpy.random.randn(2, 3).shape
    TensorShape([2, 3])
    """
    return standard_normal(args)


def standard_normal(size: TensorLike | None = None) -> Tensor:
    """Normal numbers of a shape.

    >>> import graphrt as tf
    >>> tf.experimental.numpy.random.standard_normal(2).dtype
    tf.float64
    """
    return normal(0.0, 1.0, size)


def normal(loc: float = 0.0, scale: float = 1.0, size: TensorLike | None = None) -> Tensor:
    """Numbers with a normal distribution.

    >>> import graphrt as tf
    >>> tf.experimental.numpy.random.normal(size=[2]).shape
    TensorShape([2])
    """
    return _normal(_dims(size), loc, scale, float64)


def uniform(low: float = 0.0, high: float = 1.0, size: TensorLike | None = None) -> Tensor:
    """Numbers spread evenly between two limits.

    >>> import graphrt as tf
    >>> tf.experimental.numpy.random.uniform(size=[2]).shape
    TensorShape([2])
    """
    return _uniform(_dims(size), low, high, float64)


def random(size: TensorLike | None = None) -> Tensor:
    """Numbers spread evenly between 0 and 1.

    >>> import graphrt as tf
    >>> tf.experimental.numpy.random.random((2,)).shape
    TensorShape([2])
    """
    return uniform(0.0, 1.0, size)


def rand(*size: int) -> Tensor:
    """Numbers spread evenly between 0 and 1.

    >>> import graphrt as tf
    >>> tf.experimental.numpy.random.rand(2, 1).shape
    TensorShape([2, 1])
    """
    return uniform(0.0, 1.0, size)


def randint(low: int, high: int | None = None, size: TensorLike | None = None, dtype: DTypeLike = int64) -> Tensor:
    """Integers spread evenly from `low` up to but without `high`.

    >>> import graphrt as tf
    >>> tf.experimental.numpy.random.randint(1, 2).numpy().item()
    1
    """
    first, last = (0, low) if high is None else (low, high)
    found = _uniform(_dims(size), first, last, int64)
    return found if as_dtype(dtype) is int64 else cast(found, as_dtype(dtype))


def poisson(lam: TensorLike = 1.0, size: TensorLike | None = None) -> Tensor:
    """Counts with a Poisson distribution.

    >>> import graphrt as tf
    >>> tf.experimental.numpy.random.poisson(2.0, size=[3]).shape
    TensorShape([3])
    """
    return _poisson(_dims(size), lam, float64)
