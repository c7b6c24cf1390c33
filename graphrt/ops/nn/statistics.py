"""Monotone regression, and the nearest of many."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from graphrt import errors
from graphrt.ir.op import define
from graphrt.ops.array.concat_split import stack
from graphrt.ops.array.creation import ones_like
from graphrt.ops.array.creation import range as range_
from graphrt.ops.array.gather_scatter import GatherV2
from graphrt.ops.array.shape import expand_dims, reshape, shape, transpose
from graphrt.ops.array.sorting import TopKV2
from graphrt.ops.math.division import DivNoNan
from graphrt.ops.math.segments import UnsortedSegmentSum
from graphrt.ops.support.kernel_helpers import bad, place_in
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types.dtype import FLOATING, REAL, DType, bfloat16, float16, float32, float64, int8, int16, uint8, uint16
from graphrt.types.likes import Array

__all__ = ["approx_max_k", "approx_min_k", "isotonic_regression"]


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


def _isotonic_kernel(x: Array, *, output_dtype: DType) -> tuple[Array, Array]:
    if x.ndim < 1:
        raise bad("input must have rank at least 1")
    rows = x.reshape(int(np.prod(x.shape[:-1])), x.shape[-1]).astype(np.float64)
    found = [_pooled_rows(r) for r in rows.tolist()]
    out = np.array([f[0] for f in found]).reshape(x.shape).astype(output_dtype.as_numpy_dtype)
    return out, np.array([f[1] for f in found], np.int32).reshape(x.shape)


def _isotonic_vjp(call: Any, g: Any, _: object) -> list[Any]:
    ids = call.outputs[1]
    width = shape(ids)[-1]
    flat = reshape(ids, stack([-1, width]))
    rows = shape(flat)[0]
    places = reshape(flat + expand_dims(range_(rows) * width, 1), [-1])
    values = reshape(g, [-1])
    total = UnsortedSegmentSum(values, places, rows * width)
    count = UnsortedSegmentSum(ones_like(values), places, rows * width)
    return [reshape(GatherV2(DivNoNan(total, count), places, np.int32(0)), shape(g))]


IsotonicRegression = define(
    "IsotonicRegression", "input: T -> output: output_dtype, segments: int32",
    attrs="T: type; output_dtype: type = float32",
    allowed={"T": REAL, "output_dtype": (bfloat16, float16, float32, float64)},
    infer=lambda c: [c.dims(0), c.dims(0)], kernel=_isotonic_kernel, vjp=_isotonic_vjp,
)  # fmt: skip


class Regression(NamedTuple):
    """The result of `isotonic_regression`, named as in TensorFlow."""

    output: Tensor
    segments: Tensor


Regression.__name__ = IsotonicRegression.type


def _rank(x: Tensor, function: str) -> int:
    """The rank of `x`, which `function` cannot do without."""
    if x.dims is None:
        raise ValueError(errors.at_user_line(f"{function} needs a tensor of known rank: use tf.ensure_shape"))
    return len(x.dims)


def isotonic_regression(inputs: TensorLike, decreasing: bool = True, axis: int = -1) -> tuple[Tensor, Tensor]:
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
    if not rank and axis == -1:
        values, segments = isotonic_regression(reshape(x, [1]), decreasing)
        return Regression(reshape(values, []), reshape(segments, []))
    place = place_in(axis, rank)
    if place != rank - 1:
        order = [*range(place), *range(place + 1, rank), place]
        back = [*range(place), rank - 1, *range(place, rank - 1)]
        values, segments = isotonic_regression(transpose(x, order), decreasing)
        return transpose(values, back), transpose(segments, back)
    if decreasing:
        return Regression(*IsotonicRegression(x, output_dtype=kind))
    values, segments = IsotonicRegression(-x, output_dtype=kind)
    return -values, segments


# --- nearest neighbours ----------------------------------------------------------------------------------------------
class Ranked(NamedTuple):
    """The result of `approx_max_k` and `approx_min_k`, named as in TensorFlow."""

    values: Tensor
    indices: Tensor


Ranked.__name__ = "ApproxTopK"


def _moved(x: Any, source: int, target: int) -> Tensor:
    """`x` with dimension `source` at `target`."""
    if source == target:
        return x
    order = [i for i in range(len(x.dims)) if i != source]
    order.insert(target, source)
    return transpose(x, order)


def _top(operand: Any, k: int, axis: int, sign: int) -> Ranked:
    x = as_tensor(operand)
    rank = _rank(x, "approx_max_k and approx_min_k")
    if not -rank <= axis < rank:
        raise ValueError(errors.at_user_line(f"reduction_dimension {axis} is out of range of rank {rank}"))
    place = axis % rank
    turned = _moved(x, place, rank - 1)
    values, places = TopKV2(turned if sign > 0 else -turned, np.int32(k))
    values = values if sign > 0 else -values
    return Ranked(_moved(values, rank - 1, place), _moved(places, rank - 1, place))


def approx_max_k(
    operand: TensorLike, k: int, reduction_dimension: int = -1, recall_target: float = 0.95,
    reduction_input_size_override: int = -1, aggregate_to_topk: bool = True, name: str | None = None,
) -> Ranked:  # fmt: skip
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
) -> Ranked:  # fmt: skip
    """The `k` least elements along a dimension and their places. Here they are exact: the recall is 1.

    >>> import graphrt as tf
    >>> values, places = tf.nn.approx_min_k([1., 5., 3.], 2)
    >>> values.numpy().tolist(), places.numpy().tolist()
    ([1.0, 3.0], [0, 2])

    Raises:
      ValueError: there is no such dimension.
    """
    return _top(operand, k, reduction_dimension, -1)
