"""Normalization by mean and variance, and by norms."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt.ir.op import provide
from graphrt.ops.array.creation import zeros_like
from graphrt.ops.array.gather_scatter import gather
from graphrt.ops.array.identity import stop_gradient
from graphrt.ops.array.shape import rank, shape, squeeze
from graphrt.ops.math.arithmetic import Mul, SquaredDifference, maximum
from graphrt.ops.math.casting import cast
from graphrt.ops.math.division import FloorMod, divide_no_nan
from graphrt.ops.math.elementwise import Rsqrt, Square, imag, real, reciprocal, rsqrt, square
from graphrt.ops.math.reduction import reduce_mean, reduce_prod, reduce_sum
from graphrt.ops.support.kernel_helpers import place_in
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.context import scope
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types.dtype import float32
from graphrt.types.likes import AxisLike

__all__ = [
    "batch_norm_with_global_normalization", "batch_normalization", "l2_normalize", "layer_normalization", "moments",
    "normalize_moments", "sufficient_statistics", "weighted_moments",
]  # fmt: skip


@provide
def l2_normalize(
    x: TensorLike, axis: AxisLike = None, epsilon: float = 1e-12, name: str | None = None, dim: AxisLike = None
) -> Tensor:
    """`x` divided by its euclidean norm along `axis`.

    >>> import graphrt as tf
    >>> tf.math.l2_normalize([0., 4.]).numpy().tolist()
    [0.0, 1.0]
    """
    axis = dim if axis is None else axis
    with scope(name, "l2_normalize") as own:
        value = as_tensor(x, name="x")
        if value.dtype.is_complex:
            squares = reduce_sum(square(real(value)) + square(imag(value)), axis, keepdims=True)
            return Mul(value, cast(rsqrt(maximum(squares, epsilon)), value.dtype), name=own)
        total = reduce_sum(square(value), axis, keepdims=True)
        return Mul(value, rsqrt(maximum(total, epsilon)), name=own)


@provide
def moments(
    x: TensorLike, axes: AxisLike, shift: Any = None, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Mean and variance of `x` over `axes`.

    >>> import graphrt as tf
    >>> [t.numpy().item() for t in tf.nn.moments([1., 3.], [0])]
    [2.0, 1.0]
    """
    with scope(name, "moments"):
        value = as_tensor(x, name="x")
        wide = cast(value, float32) if value.dtype.name in ("float16", "bfloat16") else value
        mean = reduce_mean(wide, axes, keepdims=True, name="mean")
        spread = SquaredDifference(wide, stop_gradient(mean))
        variance = reduce_mean(spread, axes, keepdims=True, name="variance")
        if not keepdims:
            mean, variance = squeeze(mean, axes), squeeze(variance, axes)
        if wide is not value:
            mean, variance = cast(mean, value.dtype), cast(variance, value.dtype)
        return mean, variance


def _number_or_tensor(value: TensorLike) -> Tensor | float:
    return value if isinstance(value, (int, float)) else as_tensor(value)


def batch_normalization(
    x: TensorLike, mean: TensorLike, variance: TensorLike, offset: TensorLike | None, scale: TensorLike | None,
    variance_epsilon: Any, name: str | None = None
) -> Tensor:  # fmt: skip
    """`x` less `mean`, divided by the standard deviation, times `scale`, plus `offset`.

    >>> import graphrt as tf
    >>> tf.nn.batch_normalization([3.], [1.], [4.], None, None, 0.).numpy().tolist()
    [1.0]
    """
    with scope(name, "batchnorm"):
        value = as_tensor(x)
        center = _number_or_tensor(mean)
        factor = rsqrt(_number_or_tensor(variance) + variance_epsilon)
        if scale is not None:
            factor = factor * scale
        scaled = value * cast(factor, value.dtype)
        shift = (offset - center * factor) if offset is not None else -center * factor
        return scaled + cast(shift, value.dtype)


def layer_normalization(
    x: TensorLike, scale: Any = None, offset: Any = None, axis: AxisLike = -1, epsilon: float = 1e-3,
    name: str | None = None
) -> Tensor:  # fmt: skip
    """`x` less its mean over `axis`, divided by its standard deviation, times `scale`, plus `offset`.

    >>> import graphrt as tf
    >>> tf.nn.layer_normalization([1., 3.], epsilon=0.).numpy().tolist()
    [-1.0, 1.0]
    """
    with scope(name, "layer_norm"):
        value = as_tensor(x)
        mean, variance = moments(value, [axis] if isinstance(axis, int) else axis, keepdims=True)
        out = (value - mean) * rsqrt(variance + cast(epsilon, value.dtype))
        if scale is not None:
            out = out * scale
        return out if offset is None else out + offset


# --- smaller ones ----------------------------------------------------------------------------------------------------
def weighted_moments(
    x: TensorLike, axes: AxisLike, frequency_weights: TensorLike, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Mean and variance of `x` over `axes`, each element counted as often as its weight says.

    >>> import graphrt as tf
    >>> [t.numpy().item() for t in tf.nn.weighted_moments([0., 4.], [0], [1., 3.])]
    [3.0, 3.0]
    """
    with scope(name, "weighted_moments"):
        value = as_tensor(x)
        weights = as_tensor(frequency_weights, None if isinstance(frequency_weights, Tensor) else value.dtype)
        weights = cast(weights, value.dtype) + zeros_like(value)
        total = reduce_sum(weights, axes, keepdims=True)
        mean = divide_no_nan(reduce_sum(weights * value, axes, keepdims=True), total)
        variance = divide_no_nan(reduce_sum(weights * SquaredDifference(value, mean), axes, keepdims=True), total)
        if not keepdims:
            mean, variance = squeeze(mean, axes), squeeze(variance, axes)
        return mean, variance


def normalize_moments(
    counts: TensorLike, mean_ss: TensorLike, variance_ss: TensorLike, shift: Any, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Mean and variance from the number of elements, their sum and the sum of their squares (less `shift`).

    >>> import graphrt as tf
    >>> [t.numpy().item() for t in tf.nn.normalize_moments(2., 4., 10., None)]
    [2.0, 1.0]
    """
    with scope(name, "normalize"):
        divisor = reciprocal(as_tensor(counts))
        shifted = as_tensor(mean_ss) * divisor
        mean = shifted if shift is None else shifted + shift
        return mean, variance_ss * divisor - square(shifted)


# --- statistics ------------------------------------------------------------------------------------------------------
def sufficient_statistics(
    x: TensorLike, axes: Any, shift: TensorLike | None = None, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
    """What mean and variance over `axes` follow from: count, sum, sum of squares, and the shift they are taken with.

    >>> import graphrt as tf
    >>> count, total, squares, shift = tf.nn.sufficient_statistics([1., 2., 3.], [0])
    >>> count.numpy().item(), total.numpy().item(), squares.numpy().item(), shift
    (3.0, 6.0, 14.0, None)
    """
    with scope(name, "sufficient_statistics"):
        value = as_tensor(x)
        named = {int(a) for a in np.ravel(np.asarray(axes))}
        places = sorted(named if value.dims is None else {place_in(a, len(value.dims)) for a in named})
        dims = value.dims
        sizes = [] if dims is None else [size for a in places if (size := dims[a]) is not None]
        if dims is not None and len(sizes) == len(places):
            count = as_tensor(np.prod(sizes, dtype=np.int64).astype(value.dtype.as_numpy_dtype))
        else:
            at = FloorMod(np.array(places, np.int32), rank(value))
            count = cast(reduce_prod(gather(shape(value), at)), value.dtype)
        if shift is not None:
            shift = as_tensor(shift, value.dtype)
            total = reduce_sum(value - shift, places, keepdims)
            squares = reduce_sum(SquaredDifference(value, shift), places, keepdims)
        else:
            total = reduce_sum(value, places, keepdims)
            squares = reduce_sum(Square(value), places, keepdims)
        return count, total, squares, shift


def batch_norm_with_global_normalization(
    input: TensorLike, mean: TensorLike, variance: TensorLike, beta: TensorLike, gamma: TensorLike,
    variance_epsilon: TensorLike, scale_after_normalization: bool, name: str | None = None,
) -> Tensor:  # fmt: skip
    """`(input - mean) / sqrt(variance + epsilon)`, times `gamma` if wanted, plus `beta`: see `batch_normalization`.

    >>> import graphrt as tf
    >>> x = tf.reshape(tf.range(2.), [1, 1, 1, 2])
    >>> tf.nn.batch_norm_with_global_normalization(x, [0., 0.], [1., 1.], [1., 1.], [2., 2.], 0., True).numpy().tolist()
    [[[[1.0, 3.0]]]]
    """
    with scope(name, "batchnorm"):
        x = as_tensor(input)
        scale = Rsqrt(as_tensor(variance, x.dtype) + as_tensor(variance_epsilon, x.dtype))
        if scale_after_normalization:
            scale = scale * as_tensor(gamma, x.dtype)
        return x * scale + (as_tensor(beta, x.dtype) - as_tensor(mean, x.dtype) * scale)
