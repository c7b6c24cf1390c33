"""Normalization by mean and variance, and by norms."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt.ir.op import ops, provide
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.context import scope
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types.dtype import float32

__all__ = [
    "batch_norm_with_global_normalization", "batch_normalization", "l2_normalize", "layer_normalization", "moments",
    "normalize_moments", "sufficient_statistics", "weighted_moments",
]  # fmt: skip


@provide
def l2_normalize(
    x: TensorLike, axis: Any = None, epsilon: float = 1e-12, name: str | None = None, dim: Any = None
) -> Any:
    """`x` divided by its euclidean norm along `axis`.

    >>> import graphrt as tf
    >>> tf.math.l2_normalize([0., 4.]).numpy().tolist()
    [0.0, 1.0]
    """
    axis = dim if axis is None else axis
    with scope(name, "l2_normalize") as own:
        value = as_tensor(x, name="x")
        if value.dtype.is_complex:
            squares = ops.reduce_sum(ops.square(ops.real(value)) + ops.square(ops.imag(value)), axis, keepdims=True)
            return ops.Mul(value, ops.cast(ops.rsqrt(ops.maximum(squares, epsilon)), value.dtype), name=own)
        total = ops.reduce_sum(ops.square(value), axis, keepdims=True)
        return ops.Mul(value, ops.rsqrt(ops.maximum(total, epsilon)), name=own)


@provide
def moments(x: TensorLike, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None) -> Any:
    """Mean and variance of `x` over `axes`.

    >>> import graphrt as tf
    >>> [t.numpy().item() for t in tf.nn.moments([1., 3.], [0])]
    [2.0, 1.0]
    """
    with scope(name, "moments"):
        value = as_tensor(x, name="x")
        wide = ops.cast(value, float32) if value.dtype.name in ("float16", "bfloat16") else value
        mean = ops.reduce_mean(wide, axes, keepdims=True, name="mean")
        spread = ops.SquaredDifference(wide, ops.stop_gradient(mean))
        variance = ops.reduce_mean(spread, axes, keepdims=True, name="variance")
        if not keepdims:
            mean, variance = ops.squeeze(mean, axes), ops.squeeze(variance, axes)
        if wide is not value:
            mean, variance = ops.cast(mean, value.dtype), ops.cast(variance, value.dtype)
        return mean, variance


def _number_or_tensor(value: Any) -> Any:
    return value if isinstance(value, (int, float)) else as_tensor(value)


def batch_normalization(
    x: TensorLike, mean: TensorLike, variance: TensorLike, offset: Any, scale: Any, variance_epsilon: Any,
    name: str | None = None,
) -> Any:  # fmt: skip
    """`x` less `mean`, divided by the standard deviation, times `scale`, plus `offset`.

    >>> import graphrt as tf
    >>> tf.nn.batch_normalization([3.], [1.], [4.], None, None, 0.).numpy().tolist()
    [1.0]
    """
    with scope(name, "batchnorm"):
        value = as_tensor(x)
        mean, variance = _number_or_tensor(mean), _number_or_tensor(variance)
        factor = ops.rsqrt(variance + variance_epsilon)
        if scale is not None:
            factor = factor * scale
        scaled = value * ops.cast(factor, value.dtype)
        shift = (offset - mean * factor) if offset is not None else -mean * factor
        return scaled + ops.cast(shift, value.dtype)


def layer_normalization(
    x: TensorLike, scale: Any = None, offset: Any = None, axis: Any = -1, epsilon: float = 1e-3, name: str | None = None
) -> Any:
    """`x` less its mean over `axis`, divided by its standard deviation, times `scale`, plus `offset`.

    >>> import graphrt as tf
    >>> tf.nn.layer_normalization([1., 3.], epsilon=0.).numpy().tolist()
    [-1.0, 1.0]
    """
    with scope(name, "layer_norm"):
        value = as_tensor(x)
        mean, variance = moments(value, [axis] if isinstance(axis, int) else axis, keepdims=True)
        out = (value - mean) * ops.rsqrt(variance + ops.cast(epsilon, value.dtype))
        if scale is not None:
            out = out * scale
        return out if offset is None else out + offset


# --- smaller ones ----------------------------------------------------------------------------------------------------
def weighted_moments(
    x: TensorLike, axes: Any, frequency_weights: TensorLike, keepdims: bool = False, name: str | None = None
) -> tuple[Any, Any]:
    """Mean and variance of `x` over `axes`, each element counted as often as its weight says.

    >>> import graphrt as tf
    >>> [t.numpy().item() for t in tf.nn.weighted_moments([0., 4.], [0], [1., 3.])]
    [3.0, 3.0]
    """
    with scope(name, "weighted_moments"):
        value = as_tensor(x)
        weights = as_tensor(frequency_weights, None if isinstance(frequency_weights, Tensor) else value.dtype)
        weights = ops.cast(weights, value.dtype) + ops.zeros_like(value)
        total = ops.reduce_sum(weights, axes, keepdims=True)
        mean = ops.reduce_sum(weights * value, axes, keepdims=True) / total
        variance = ops.reduce_sum(weights * ops.SquaredDifference(value, mean), axes, keepdims=True) / total
        if not keepdims:
            mean, variance = ops.squeeze(mean, axes), ops.squeeze(variance, axes)
        return mean, variance


def normalize_moments(counts: Any, mean_ss: Any, variance_ss: Any, shift: Any, name: str | None = None) -> Any:
    """Mean and variance from the number of elements, their sum and the sum of their squares (less `shift`).

    >>> import graphrt as tf
    >>> [t.numpy().item() for t in tf.nn.normalize_moments(2., 4., 10., None)]
    [2.0, 1.0]
    """
    with scope(name, "normalize"):
        divisor = ops.reciprocal(as_tensor(counts))
        shifted = mean_ss * divisor
        mean = shifted if shift is None else shifted + shift
        return mean, variance_ss * divisor - ops.square(shifted)


# --- statistics ------------------------------------------------------------------------------------------------------
def sufficient_statistics(
    x: TensorLike, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None
) -> tuple[Any, Any, Any, Any]:
    """What mean and variance over `axes` follow from: count, sum, sum of squares, and the shift they are taken with.

    >>> import graphrt as tf
    >>> count, total, squares, shift = tf.nn.sufficient_statistics([1., 2., 3.], [0])
    >>> count.numpy().item(), total.numpy().item(), squares.numpy().item(), shift
    (3.0, 6.0, 14.0, None)
    """
    with scope(name, "sufficient_statistics"):
        value = as_tensor(x)
        places = sorted({int(a) % len(value.dims) for a in np.ravel(np.asarray(axes))}) if value.dims else list(axes)
        dims = value.dims
        sizes = [] if dims is None else [size for a in places if (size := dims[a]) is not None]
        if dims is not None and len(sizes) == len(places):
            count = as_tensor(float(np.prod(sizes)), value.dtype)
        else:
            at = ops.FloorMod(np.array(places, np.int32), ops.rank(value))
            count = ops.cast(ops.reduce_prod(ops.gather(ops.shape(value), at)), value.dtype)
        if shift is not None:
            shift = as_tensor(shift, value.dtype)
            total = ops.reduce_sum(value - shift, places, keepdims)
            squares = ops.reduce_sum(ops.SquaredDifference(value, shift), places, keepdims)
        else:
            total = ops.reduce_sum(value, places, keepdims)
            squares = ops.reduce_sum(ops.Square(value), places, keepdims)
        return count, total, squares, shift


def batch_norm_with_global_normalization(
    input: TensorLike, mean: TensorLike, variance: TensorLike, beta: TensorLike, gamma: TensorLike,
    variance_epsilon: Any, scale_after_normalization: bool, name: str | None = None,
) -> Any:  # fmt: skip
    """`(input - mean) / sqrt(variance + epsilon)`, times `gamma` if wanted, plus `beta`: see `batch_normalization`.

    >>> import graphrt as tf
    >>> x = tf.reshape(tf.range(2.), [1, 1, 1, 2])
    >>> tf.nn.batch_norm_with_global_normalization(x, [0., 0.], [1., 1.], [1., 1.], [2., 2.], 0., True).numpy().tolist()
    [[[[1.0, 3.0]]]]
    """
    with scope(name, "batchnorm"):
        x = as_tensor(input)
        scale = ops.Rsqrt(as_tensor(variance, x.dtype) + as_tensor(variance_epsilon, x.dtype))
        if scale_after_normalization:
            scale = scale * as_tensor(gamma, x.dtype)
        return x * scale + (as_tensor(beta, x.dtype) - as_tensor(mean, x.dtype) * scale)
