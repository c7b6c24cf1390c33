"""Earlier versions of ops whose values pass through, or are compared with centres."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt.ir.graph import InferContext
from graphrt.ir.op import ALIASES, FORWARDS, OPAQUE, PER_ELEMENT, QUIET, STATEFUL, define
from graphrt.ops.array.repetition import tile
from graphrt.ops.legacy.replacements import NO_GRADIENTS, forwarded
from graphrt.ops.nn.bias import BiasAdd
from graphrt.ops.support.kernel_helpers import bad, const_ints, ints, text_of
from graphrt.ops.support.shape_rules import require_rank
from graphrt.types.dtype import (
    NUMERIC,
    DType,
    float32,
    float64,
    int32,
    int64,
)
from graphrt.types.likes import Array
from graphrt.types.shape import Dims, merge

__all__: list[str] = []


# --- values that are passed on ---------------------------------------------------------------------------------------
Snapshot = define(
    "Snapshot", "input: T -> output: T", infer=lambda c: c.dims(0), kernel=lambda x: x, vjp=lambda call, g: [g],
    traits=(ALIASES, FORWARDS, QUIET),
)  # fmt: skip
DeepCopy = define(
    "DeepCopy", "x: T -> y: T", infer=lambda c: c.dims(0), kernel=lambda x: np.array(x)[()], vjp=lambda call, g: [g],
    traits=(STATEFUL, OPAQUE),
)  # fmt: skip
PlaceholderWithDefault = define(
    "PlaceholderWithDefault", "input: dtype -> output: dtype", attrs="dtype: type; shape: shape",
    infer=lambda c: c.attrs["shape"], kernel=lambda x: x, vjp=lambda call, g: [g], traits=(ALIASES, OPAQUE, PER_ELEMENT),
)  # fmt: skip


def _empty(shape: Array, *, dtype: DType) -> Array:
    if np.ndim(shape) != 1:
        raise bad(f"shape must be a vector of int32, got shape {text_of(np.shape(shape))}")
    found: Any = np.zeros(ints(shape), dtype.as_numpy_dtype)
    if dtype.name == "string":
        found[...] = b""
    return found


Empty = define(
    "Empty", "shape: int32[1] -> output: dtype", attrs="dtype: type; init: bool = False",
    infer=lambda c: c.shape_from(0), kernel=_empty, vjp=NO_GRADIENTS, traits=(STATEFUL, OPAQUE),
)  # fmt: skip


def _to_bool(x: Array) -> Any:
    if np.ndim(x):
        return np.bool_(np.size(x) > 0)
    return np.bool_(bool(x.item() if isinstance(x, np.ndarray) else x))


ToBool = define("ToBool", "input: T -> output: bool", infer=lambda c: (), kernel=_to_bool, vjp=NO_GRADIENTS)


def _bucket(x: Array, *, boundaries: list[float]) -> Array:
    edges = np.asarray(boundaries, np.float32)
    if (np.diff(edges) < 0).any():
        raise bad("Expected sorted boundaries")
    return np.searchsorted(edges.astype(np.float64), np.asarray(x, np.float64), "right").astype(np.int32)


Bucketize = define(
    "Bucketize", "input: T -> output: int32", attrs="T: type; boundaries: list(float)",
    allowed={"T": (int32, int64, float32, float64)}, infer=lambda c: c.dims(0), kernel=_bucket, vjp=NO_GRADIENTS,
    traits=(PER_ELEMENT,),
)  # fmt: skip


def _tile_grad(g: Array, multiples: Array) -> Array:
    dims = [(int(m), n // int(m)) for n, m in zip(np.shape(g), multiples)]
    split = np.reshape(g, [d for pair in dims for d in pair])
    return split.sum(tuple(range(0, 2 * len(dims), 2)), dtype=g.dtype)


def _tile_grad_dims(c: InferContext) -> Dims:
    dims, times = c.dims(0), const_ints(c, 1)
    if dims is None or times is None:
        return None if dims is None else (None,) * len(dims)
    return tuple(None if n is None else n // m for n, m in zip(dims, times))


TileGrad = define(
    "TileGrad", "input: T, multiples: int32 -> output: T", allowed={"T": NUMERIC}, infer=_tile_grad_dims,
    kernel=_tile_grad, vjp=lambda call, g: [tile(g, call.inputs[1]), None],
)  # fmt: skip


def _near(points: Array, centers: Array, k: Array) -> tuple[Array, Array]:
    if np.ndim(points) != 2 or np.ndim(centers) != 2 or points.shape[1] != centers.shape[1]:
        raise bad(
            f"Points and centers must be matrices of one width: {text_of(points.shape)} and {text_of(centers.shape)}"
        )
    distances = ((points[:, None, :] - centers[None]) ** 2).sum(-1)
    order = np.argsort(distances, -1, kind="stable")[:, : min(int(k), len(centers))]
    return order.astype(np.int64), np.take_along_axis(distances, order, -1).astype(np.float32)


NearestNeighbors = define(
    "NearestNeighbors",
    "points: float32, centers: float32, k: int64 -> nearest_center_indices: int64, nearest_center_distances: float32",
    infer=lambda c: [(None, None), (None, None)], kernel=_near, vjp=NO_GRADIENTS,
)  # fmt: skip


def _bias_dims(c: InferContext) -> Dims:
    require_rank(c, 1, 1)
    dims, bias = c.dims(0), c.dims(1)
    return None if dims is None else (*dims[:-1], *(merge(dims[-1:], bias) or (None,)))


BiasAddV1 = define(
    "BiasAddV1", "value: T[2+], bias: T -> output: T", allowed={"T": NUMERIC}, infer=_bias_dims,
    kernel=lambda x, bias: BiasAdd.compute(x, bias, data_format="NHWC"),
    vjp=forwarded(BiasAdd, lambda x, a: (x, {"data_format": "NHWC"})),
)  # fmt: skip
