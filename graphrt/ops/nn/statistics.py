"""Statistics, losses and rankings that few networks need."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.ir.op import define, ops
from graphrt.ops.support.kernel_helpers import bad
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.context import scope
from graphrt.tensor.tensor import TensorLike
from graphrt.types.dtype import FLOATING, REAL, bfloat16, float16, float32, float64, int8, int16, uint8, uint16

__all__ = [
    "approx_max_k", "approx_min_k", "batch_norm_with_global_normalization", "compute_average_loss",
    "isotonic_regression", "scale_regularization_loss", "sufficient_statistics",
]  # fmt: skip


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


# --- losses of one replica -------------------------------------------------------------------------------------------
def compute_average_loss(per_example_loss: TensorLike, sample_weight: Any = None, global_batch_size: Any = None) -> Any:
    """The sum of the losses of examples, times their weights, over the size of the batch.

    >>> import graphrt as tf
    >>> tf.nn.compute_average_loss([1., 2., 3.], global_batch_size=6).numpy().item()
    1.0

    Raises:
      ValueError: the losses are a scalar, or the size of the batch is no integer.
    """
    losses = as_tensor(per_example_loss)
    if losses.dims == ():
        raise ValueError(errors.at_user_line("`per_example_loss` must have rank at least 1"))
    dtype = losses.dtype
    if sample_weight is not None:
        weight = ops.cast(as_tensor(sample_weight), dtype)
        if weight.dims is not None and losses.dims is not None and len(weight.dims) < len(losses.dims):
            weight = ops.reshape(
                weight, ops.concat([ops.shape(weight), [1] * (len(losses.dims) - len(weight.dims))], 0)
            )
        losses = losses * weight
    losses = ops.cast(losses, dtype)
    if global_batch_size is None:
        size = ops.shape(losses)[0]
    else:
        size = as_tensor(global_batch_size)
        if size.dims not in ((), None):
            raise ValueError(errors.at_user_line("global_batch_size must be scalar."))
        if not size.dtype.is_integer:
            raise TypeError(errors.at_user_line("global_batch_size must be an int."))
    return ops.DivNoNan(ops.reduce_sum(losses), ops.cast(size, dtype))


def scale_regularization_loss(regularization_loss: TensorLike) -> Any:
    """The sum of the losses: what one of a single replica adds to the loss of all.

    >>> import graphrt as tf
    >>> tf.nn.scale_regularization_loss([1., 2.]).numpy().item()
    3.0
    """
    return ops.reduce_sum(as_tensor(regularization_loss))


# --- isotonic regression ---------------------------------------------------------------------------------------------
def _pooled_rows(row: list[float]) -> tuple[list[float], list[int]]:
    """The decreasing row nearest to `row`, and which of its values share a mean."""
    blocks: list[list[float]] = []  # sum and count
    for value in row:
        blocks.append([value, 1.0])
        while len(blocks) > 1 and blocks[-1][0] / blocks[-1][1] > blocks[-2][0] / blocks[-2][1]:
            total, count = blocks.pop()
            blocks[-1][0] += total
            blocks[-1][1] += count
    means, ids = [], []
    for i, (total, count) in enumerate(blocks):
        means += [total / count] * int(count)
        ids += [i] * int(count)
    return means, ids


def _isotonic_kernel(x: Any, *, output_dtype: Any) -> Any:
    if x.ndim < 1:
        raise bad("input must have rank at least 1")
    rows = x.reshape(-1, x.shape[-1]).astype(np.float64)
    found = [_pooled_rows(r) for r in rows.tolist()]
    out = np.array([f[0] for f in found]).reshape(x.shape).astype(output_dtype.as_numpy_dtype)
    return out, np.array([f[1] for f in found], np.int32).reshape(x.shape)


def _isotonic_vjp(call: Any, g: Any, _: Any) -> list[Any]:
    ids = call.outputs[1]
    width = ops.shape(ids)[-1]
    flat = ops.reshape(ids, ops.stack([-1, width]))
    rows = ops.shape(flat)[0]
    places = ops.reshape(flat + ops.expand_dims(ops.range(rows) * width, 1), [-1])
    values = ops.reshape(g, [-1])
    total = ops.UnsortedSegmentSum(values, places, rows * width)
    count = ops.UnsortedSegmentSum(ops.ones_like(values), places, rows * width)
    return [ops.reshape(ops.GatherV2(ops.DivNoNan(total, count), places, np.int32(0)), ops.shape(g))]


IsotonicRegression = define(
    "IsotonicRegression", "input: T -> output: output_dtype, segments: int32",
    attrs="T: type; output_dtype: type = float32",
    allowed={"T": REAL, "output_dtype": (bfloat16, float16, float32, float64)},
    infer=lambda c: [c.dims(0), c.dims(0)], kernel=_isotonic_kernel, vjp=_isotonic_vjp,
)  # fmt: skip
Regression = namedtuple("IsotonicRegression", "output segments")  # type: ignore[name-match]


def _rank(x: Any, function: str) -> int:
    """The rank of `x`, which `function` cannot do without."""
    if x.dims is None:
        raise ValueError(errors.at_user_line(f"{function} needs a tensor of known rank: use tf.ensure_shape"))
    return len(x.dims)


def isotonic_regression(inputs: TensorLike, decreasing: bool = True, axis: int = -1) -> Any:
    """The decreasing (or increasing) sequences nearest to those along `axis`, and which of their values are equal.

    >>> import graphrt as tf
    >>> tf.nn.isotonic_regression([3., 1., 2.])[0].numpy().tolist()
    [3.0, 1.5, 1.5]
    """
    x = as_tensor(inputs)
    kind = x.dtype
    if kind in (int8, int16, uint8, uint16):
        kind = float32
    elif kind not in FLOATING:
        kind = float64
    rank = _rank(x, "isotonic_regression")
    place = axis % rank
    if place != rank - 1:
        order = [*range(place), *range(place + 1, rank), place]
        back = [*range(place), rank - 1, *range(place, rank - 1)]
        values, segments = isotonic_regression(ops.transpose(x, order), decreasing)
        return ops.transpose(values, back), ops.transpose(segments, back)
    if decreasing:
        return Regression(*IsotonicRegression(x, output_dtype=kind))
    values, segments = IsotonicRegression(-x, output_dtype=kind)
    return -values, segments


# --- nearest neighbours ----------------------------------------------------------------------------------------------
Ranked = namedtuple("ApproxTopK", "values indices")  # type: ignore[name-match]


def _moved(x: Any, source: int, target: int) -> Any:
    """`x` with dimension `source` at `target`."""
    if source == target:
        return x
    order = [i for i in range(len(x.dims)) if i != source]
    order.insert(target, source)
    return ops.transpose(x, order)


def _top(operand: Any, k: int, axis: int, sign: int) -> Any:
    x = as_tensor(operand)
    rank = _rank(x, "approx_max_k and approx_min_k")
    if not -rank <= axis < rank:
        raise ValueError(errors.at_user_line(f"reduction_dimension {axis} is out of range of rank {rank}"))
    place = axis % rank
    turned = _moved(x, place, rank - 1)
    values, places = ops.TopKV2(turned if sign > 0 else -turned, np.int32(k))
    values = values if sign > 0 else -values
    return Ranked(_moved(values, rank - 1, place), _moved(places, rank - 1, place))


def approx_max_k(
    operand: TensorLike, k: int, reduction_dimension: int = -1, recall_target: float = 0.95,
    reduction_input_size_override: int = -1, aggregate_to_topk: bool = True, name: str | None = None,
) -> Any:  # fmt: skip
    """The `k` greatest elements along a dimension and their places. Here they are exact: the recall is 1.

    >>> import graphrt as tf
    >>> values, places = tf.nn.approx_max_k([1., 5., 3.], 2)
    >>> values.numpy().tolist(), places.numpy().tolist()
    ([5.0, 3.0], [1, 2])

    Raises:
      ValueError: there is no such dimension.
    """
    return _top(operand, k, reduction_dimension, 1)


def approx_min_k(
    operand: TensorLike, k: int, reduction_dimension: int = -1, recall_target: float = 0.95,
    reduction_input_size_override: int = -1, aggregate_to_topk: bool = True, name: str | None = None,
) -> Any:  # fmt: skip
    """The `k` least elements along a dimension and their places. Here they are exact: the recall is 1.

    >>> import graphrt as tf
    >>> values, places = tf.nn.approx_min_k([1., 5., 3.], 2)
    >>> values.numpy().tolist(), places.numpy().tolist()
    ([1.0, 3.0], [0, 2])

    Raises:
      ValueError: there is no such dimension.
    """
    return _top(operand, k, reduction_dimension, -1)
