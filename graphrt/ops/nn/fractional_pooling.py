"""Pools whose windows have sizes that are no integers."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from graphrt import errors
from graphrt.errors import ShapeError
from graphrt.ir.graph import InferContext
from graphrt.ir.op import OpDef, define
from graphrt.ops.array.shape import shape
from graphrt.ops.random import philox as rb
from graphrt.ops.random.sampling_ops import get_seed
from graphrt.ops.support.kernel_helpers import bad, ints, text_of
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types.accumulate import combine_at
from graphrt.types.dtype import float32, float64, int32, int64
from graphrt.types.likes import Array, PerAxis
from graphrt.types.shape import Dims

__all__ = ["fractional_avg_pool", "fractional_max_pool"]


# --- fractional pools ------------------------------------------------------------------------------------------------
_FRACTIONAL = (float32, float64, int32, int64)
_ATTRS = (
    "pooling_ratio: list(float) >= 4; pseudo_random: bool = False; overlapping: bool = False; deterministic: bool = False; "
    "seed: int = 0; seed2: int = 0"
)


def _edges(size: int, ratio: float, pseudo: bool, stream: rb.Stream) -> list[int]:
    """Where the windows begin along one dimension, and where the last ends: steps of `floor(ratio)` and one more.

    Source: Graham, Fractional max-pooling, https://arxiv.org/abs/1412.6071
    """
    count = int(size / ratio)
    if count < 1:
        raise bad(f"pooling ratio {ratio} is too large for a dimension of {size}")
    if size % count == 0:
        return list(range(0, size + 1, size // count))
    small, extra = divmod(size, count)
    if pseudo:  # steps as even as they can be, from a start chosen at random
        alpha = size / count
        most = min((small + 2) / alpha - 1, (size + 1 - small) / alpha - (count - 1))
        start = float(rb.uniform(*stream.reserve(1), 1, np.float64)[0]) * most
        return [0, *(math.ceil(alpha * (i + start)) - 1 for i in range(1, count)), size]
    steps = np.array([small + 1] * extra + [small] * (count - extra))
    return [0, *np.cumsum(steps[rb.shuffled(*stream.reserve(-(-count // 4)), count)]).tolist()]


def _cells(rows: list[int], cols: list[int], overlapping: bool, height: int, width: int) -> Any:
    more = 1 if overlapping else 0
    for i, (a, b) in enumerate(itertools.pairwise(rows)):
        for j, (c, d) in enumerate(itertools.pairwise(cols)):
            yield i, j, slice(a, min(b + more, height)), slice(c, min(d + more, width))


def _fractional(mean: bool) -> Callable[..., Any]:
    def kernel(
        x: Array,
        *,
        pooling_ratio: list[float],
        pseudo_random: bool,
        overlapping: bool,
        deterministic: bool,
        seed: int,
        seed2: int,
    ) -> tuple[Array, Array, Array]:
        if x.ndim != 4:
            raise bad("tensor_in must be 4-dimensional")
        if len(pooling_ratio) != 4 or pooling_ratio[0] != 1 or pooling_ratio[3] != 1:
            raise bad("Fractional pooling is not yet supported on the batch or channel dimension.")
        if any(r < 1 for r in pooling_ratio):
            raise bad("pooling_ratio cannot be smaller than 1")
        if x.shape[1] == 0 or x.shape[2] == 0:
            raise bad(f"tensor_in must have rows and columns, got shape {text_of(x.shape)}")
        stream = rb.Stream(seed or (1 if deterministic and not seed2 else 0), seed2)
        rows = _edges(x.shape[1], pooling_ratio[1], pseudo_random, stream)
        cols = _edges(x.shape[2], pooling_ratio[2], pseudo_random, stream)
        out = np.empty((x.shape[0], len(rows) - 1, len(cols) - 1, x.shape[3]), x.dtype)
        for i, j, r, c in _cells(rows, cols, overlapping, x.shape[1], x.shape[2]):
            part = x[:, r, c]
            out[:, i, j] = part.mean(axis=(1, 2)).astype(x.dtype) if mean else part.max(axis=(1, 2))
        return out, np.array(rows, np.int64), np.array(cols, np.int64)

    return kernel


def _fractional_dims(c: InferContext) -> list[Dims]:
    dims = c.dims(0)
    if dims is None:
        return [None, (None,), (None,)]
    if len(dims) != 4:
        raise ShapeError(f"Shape must be rank 4 but is rank {len(dims)}")
    ratio = c.attrs["pooling_ratio"]
    out: list[int | None] = [None if d is None else int(d / r) for d, r in zip(dims, ratio)]
    return [tuple(out), *((None if n is None else n + 1,) for n in out[1:3])]


def _check_edges(name: str, edges: list[int], windows: int, size: int) -> None:
    if len(edges) < 2 or len(edges) != windows + 1:
        raise bad(f"{name}_pooling_sequence must have one element more than there are windows, got {len(edges)}")
    if edges[0] < 0 or edges[-1] > size or any(b <= a for a, b in itertools.pairwise(edges)):
        raise bad(f"{name}_pooling_sequence must rise from 0 or more to {size} at most, got {text_of(edges)}")


def _max_back(x: Array, y: Array, g: Array, rows: Array, cols: Array, *, overlapping: bool) -> Array:
    _check_edges("row", ints(rows), g.shape[1], x.shape[1])
    _check_edges("col", ints(cols), g.shape[2], x.shape[2])
    out = np.zeros_like(x)
    batch, channel = np.arange(x.shape[0])[:, None], np.arange(x.shape[3])[None]
    for i, j, r, c in _cells(ints(rows), ints(cols), overlapping, x.shape[1], x.shape[2]):
        part = x[:, r, c]
        best = part.reshape(x.shape[0], -1, x.shape[3]).argmax(axis=1)
        at = (batch, r.start + best // part.shape[2], c.start + best % part.shape[2], channel)
        combine_at(np.add, out, at, g[:, i, j])
    return out


def _mean_back(sizes: Array, g: Array, rows: Array, cols: Array, *, overlapping: bool) -> Array:
    dims = ints(sizes)
    if len(dims) != 4 or g.ndim != 4:
        raise bad(f"original shape and gradient must be 4-dimensional, got {text_of(dims)} and rank {g.ndim}")
    _check_edges("row", ints(rows), g.shape[1], dims[1])
    _check_edges("col", ints(cols), g.shape[2], dims[2])
    out = np.zeros(dims, np.float64)
    for i, j, r, c in _cells(ints(rows), ints(cols), overlapping, dims[1], dims[2]):
        part = out[:, r, c]
        part += g[:, i, j][:, None, None] / (part.shape[1] * part.shape[2])
    return out.astype(g.dtype)


FractionalMaxPool = define(
    "FractionalMaxPool", "value: T -> output: T, row_pooling_sequence: int64, col_pooling_sequence: int64",
    attrs=_ATTRS, allowed={"T": _FRACTIONAL}, infer=_fractional_dims, kernel=_fractional(False),
    vjp=lambda call, g, r, c: [
        FractionalMaxPoolGrad(call.inputs[0], *(call.outputs[0], g), *call.outputs[1:],
                              overlapping=call.attrs["overlapping"])
    ],
)  # fmt: skip
FractionalMaxPoolGrad: OpDef = define(
    "FractionalMaxPoolGrad",
    "orig_input: T[4], orig_output: T, out_backprop: T, row_pooling_sequence: int64, col_pooling_sequence: int64 "
    "-> output: T",
    attrs="overlapping: bool = False", allowed={"T": _FRACTIONAL}, infer=lambda c: c.dims(0), kernel=_max_back,
)  # fmt: skip
FractionalAvgPool = define(
    "FractionalAvgPool", "value: T -> output: T, row_pooling_sequence: int64, col_pooling_sequence: int64",
    attrs=_ATTRS, allowed={"T": _FRACTIONAL}, infer=_fractional_dims, kernel=_fractional(True),
    vjp=lambda call, g, r, c: [
        FractionalAvgPoolGrad(shape(call.inputs[0], out_type=int64), g, *call.outputs[1:],
                              overlapping=call.attrs["overlapping"])
    ],
)  # fmt: skip
FractionalAvgPoolGrad: OpDef = define(
    "FractionalAvgPoolGrad",
    "orig_input_tensor_shape: int64, out_backprop: T, row_pooling_sequence: int64, col_pooling_sequence: int64 "
    "-> output: T",
    attrs="overlapping: bool = False", allowed={"T": _FRACTIONAL}, infer=lambda c: c.shape_from(0), kernel=_mean_back,
)  # fmt: skip


class MaxPooled(NamedTuple):
    """The result of `fractional_max_pool`, named as in TensorFlow."""

    output: Tensor
    row_pooling_sequence: Tensor
    col_pooling_sequence: Tensor


class MeanPooled(MaxPooled):
    """The result of `fractional_avg_pool`."""


MaxPooled.__name__, MeanPooled.__name__ = FractionalMaxPool.type, FractionalAvgPool.type


def _ratios(ratio: Any) -> list[float]:
    given = [float(v) for v in ratio] if isinstance(ratio, (list, tuple)) else [float(ratio)]
    if not given:
        raise ValueError(
            errors.at_user_line("the pooling ratio must be a number, or a list of them; found an empty list")
        )
    return {1: [1.0, given[0], given[0], 1.0], 2: [1.0, *given[:2], 1.0]}.get(len(given), given)


def _pool_seeds(seed: int) -> dict[str, Any]:
    if seed == 0:
        return {"deterministic": False}
    first, second = get_seed(seed)
    return {"seed": first, "seed2": second, "deterministic": True}


def fractional_max_pool(
    value: TensorLike, pooling_ratio: PerAxis, pseudo_random: bool = False, overlapping: bool = False, seed: int = 0,
    name: str | None = None,
) -> MaxPooled:  # fmt: skip
    """The greatest pixel of windows whose sizes vary, so that images shrink by a ratio that is no integer.

    Gives the pooled images, and where the windows begin in rows and columns.

    >>> import graphrt as tf
    >>> tf.nn.fractional_max_pool(tf.ones([1, 6, 6, 1]), 1.5).output.shape
    TensorShape([1, 4, 4, 1])

    Raises:
      InvalidArgumentError: a ratio is smaller than 1, or given for batch or channels.
    """
    return MaxPooled(*FractionalMaxPool(
        value, pooling_ratio=_ratios(pooling_ratio), pseudo_random=pseudo_random, overlapping=overlapping, name=name,
        **_pool_seeds(seed)))  # fmt: skip


def fractional_avg_pool(
    value: TensorLike, pooling_ratio: PerAxis, pseudo_random: bool = False, overlapping: bool = False, seed: int = 0,
    name: str | None = None,
) -> MeanPooled:  # fmt: skip
    """The mean of windows whose sizes vary: see `fractional_max_pool`.

    >>> import graphrt as tf
    >>> tf.nn.fractional_avg_pool(tf.ones([1, 6, 6, 1]), 1.5).output.shape
    TensorShape([1, 4, 4, 1])

    Raises:
      InvalidArgumentError: a ratio is smaller than 1, or given for batch or channels.
    """
    return MeanPooled(*FractionalAvgPool(
        value, pooling_ratio=_ratios(pooling_ratio), pseudo_random=pseudo_random, overlapping=overlapping, name=name,
        **_pool_seeds(seed)))  # fmt: skip
