"""Convolutions and pooling in three dimensions, pooling that tells where, blocks moved into the batch."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.errors import ShapeError
from graphrt.ir.op import define, ops, provide
from graphrt.ops.support.kernel_helpers import bad, const_ints, ints, least, text_of
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.context import scope
from graphrt.tensor.tensor import TensorLike
from graphrt.types.dtype import FLOATING, INDEX, REAL, bfloat16, float16, float32, int64
from graphrt.types.shape import Dims

__all__ = [
    "avg_pool3d", "batch_to_space", "conv3d", "conv3d_transpose", "max_pool3d", "max_pool_with_argmax",
    "space_to_batch", "space_to_batch_nd",
]  # fmt: skip

_SPOTS = (1, 2, 3)


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _first(form: Any) -> bool:
    return _text(form) == "NCDHW"


def _three(values: Any, form: Any) -> list[int]:
    return list(values[2:5] if _first(form) else values[1:4])


def _last(x: Any, form: Any) -> Any:
    return np.moveaxis(x, 1, 4) if _first(form) else np.asarray(x)


def _back(x: Any, form: Any) -> Any:
    return np.ascontiguousarray(np.moveaxis(x, 4, 1) if _first(form) else x)


def _pads(size: Any, reach: Any, stride: Any, padding: Any) -> list[tuple[int, int]]:
    if _text(padding) == "VALID":
        return [(0, 0)] * 3
    total = [max((-(-n // s) - 1) * s + r - n, 0) for n, r, s in zip(size, reach, stride)]
    return [(t // 2, t - t // 2) for t in total]


def _view(x: Any, reach: Any, stride: Any, rate: Any) -> Any:
    """Batch, three places, channel, three places inside the window."""
    if any(n < r for n, r in zip(x.shape[1:4], reach)):
        raise bad(f"Computed output size would be negative: input {text_of(x.shape)}, window {text_of(reach)}")
    view = np.lib.stride_tricks.sliding_window_view(x, tuple(reach), axis=_SPOTS)
    steps = tuple(slice(None, None, s) for s in stride)
    rates = tuple(slice(None, None, r) for r in rate)
    return view[(slice(None), *steps, slice(None), *rates)]


def _spread(shape: Any, parts: Any, stride: Any, rate: Any) -> Any:
    """Adds up `parts`, laid out as `_view` lays them, where they came from."""
    out = np.zeros(shape, parts.dtype)
    counts = parts.shape[1:4]
    for at in np.ndindex(*parts.shape[5:8]):
        index = tuple(slice(i * r, i * r + n * s, s) for i, r, n, s in zip(at, rate, counts, stride))
        out[(slice(None), *index)] += parts[(..., *at)]
    return out


def _space_dims(dims: Dims, window: Any, attrs: Any, channels: Any) -> Dims:
    if dims is None:
        return (None,) * 5
    if len(dims) != 5:
        raise ShapeError(f"Shape must be rank 5 but is rank {len(dims)}")
    form = attrs["data_format"]
    same = _text(attrs["padding"]) == "SAME"
    sizes: list[int | None] = []
    for n, w, s in zip(_three(dims, form), window, _three(attrs["strides"], form)):
        if n is None or (w is None and not same):
            sizes.append(None)
        else:
            sizes.append(-(-n // s) if same else (n - w) // s + 1)
            if not same and n < w:
                raise ShapeError(f"Computed output size would be negative: {sizes[-1]}")
    return (dims[0], channels, *sizes) if _first(form) else (dims[0], *sizes, channels)


# --- convolution -----------------------------------------------------------------------------------------------------
_CONV = (
    "strides: list(int) >= 5; padding: {'SAME', 'VALID'}; data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'; "
    "dilations: list(int) = [1, 1, 1, 1, 1]"
)


def _conv_dims(c: Any) -> Dims:
    w = c.dims(1)
    rate = _three(c.attrs["dilations"], c.attrs["data_format"])
    if w is None:
        return _space_dims(c.dims(0), [None] * 3, c.attrs, None)
    if len(w) != 5:
        raise ShapeError(f"Shape must be rank 5 but is rank {len(w)}")
    window = [None if k is None else (k - 1) * r + 1 for k, r in zip(w[:3], rate)]
    return _space_dims(c.dims(0), window, c.attrs, w[4])


def _geometry(size: Any, kernel: Any, strides: Any, padding: Any, form: Any, dilations: Any) -> Any:
    stride, rate = _three(strides, form), _three(dilations, form)
    reach = [(k - 1) * r + 1 for k, r in zip(kernel, rate)]
    return stride, rate, reach, _pads(size, reach, stride, padding)


def _padded(x: Any, pads: Any, value: Any = 0) -> Any:
    return np.pad(x, [(0, 0), *pads, (0, 0)], constant_values=value) if any(map(any, pads)) else x


def _conv(x: Any, w: Any, *, strides: Any, padding: Any, data_format: Any, dilations: Any) -> Any:
    if np.ndim(x) != 5 or np.ndim(w) != 5:
        raise bad(f"input and filter must be 5-dimensional: {text_of(np.shape(x))} and {text_of(np.shape(w))}")
    v = _last(x, data_format)
    if v.shape[4] != w.shape[3]:
        raise bad(f"input depth must be evenly divisible by filter depth: {v.shape[4]} vs {w.shape[3]}")
    stride, rate, reach, pads = _geometry(v.shape[1:4], w.shape[:3], strides, padding, data_format, dilations)
    out = np.tensordot(_view(_padded(v, pads), reach, stride, rate), w, axes=((5, 6, 7, 4), (0, 1, 2, 3)))
    return _back(out.astype(x.dtype, copy=False), data_format)


def _conv_input(sizes: Any, w: Any, g: Any, *, strides: Any, padding: Any, data_format: Any, dilations: Any) -> Any:
    full = ints(sizes)
    space, depth = _three(full, data_format), full[1] if _first(data_format) else full[4]
    stride, rate, _, pads = _geometry(space, w.shape[:3], strides, padding, data_format, dilations)
    back = _last(g, data_format)
    shape = (full[0], *(n + sum(p) for n, p in zip(space, pads)), depth)
    parts = np.tensordot(back, w, axes=((4,), (4,))).transpose(0, 1, 2, 3, 7, 4, 5, 6)
    whole = _spread(shape, parts, stride, rate)
    inner = tuple(slice(p[0], p[0] + n) for p, n in zip(pads, space))
    return _back(whole[(slice(None), *inner)].astype(g.dtype, copy=False), data_format)


def _conv_filter(x: Any, sizes: Any, g: Any, *, strides: Any, padding: Any, data_format: Any, dilations: Any) -> Any:
    dims, v = ints(sizes), _last(x, data_format)
    stride, rate, reach, pads = _geometry(v.shape[1:4], dims[:3], strides, padding, data_format, dilations)
    view = _view(_padded(v, pads), reach, stride, rate)
    out = np.tensordot(view, _last(g, data_format), axes=((0, 1, 2, 3), (0, 1, 2, 3)))
    return out.transpose(1, 2, 3, 0, 4).astype(x.dtype, copy=False)


def _attrs(call: Any) -> dict[str, Any]:
    return {k: call.attrs[k] for k in ("strides", "padding", "data_format", "dilations")}


Conv3D = define(
    "Conv3D", "input: T, filter: T -> output: T", attrs="T: type; " + _CONV, allowed={"T": FLOATING},
    infer=_conv_dims, kernel=_conv,
    vjp=lambda call, g: [
        ops.Conv3DBackpropInputV2(ops.Shape(call.inputs[0]), call.inputs[1], g, **_attrs(call)),
        ops.Conv3DBackpropFilterV2(call.inputs[0], ops.Shape(call.inputs[1]), g, **_attrs(call)),
    ],
)  # fmt: skip
Conv3DBackpropInputV2 = define(
    "Conv3DBackpropInputV2", "input_sizes: Tshape, filter: T, out_backprop: T -> output: T",
    attrs="T: type; " + _CONV + "; Tshape: type = int32", allowed={"T": FLOATING, "Tshape": INDEX},
    infer=lambda c: c.shape_from(0) or (None,) * 5, kernel=_conv_input,
    vjp=lambda call, g: [
        None,
        ops.Conv3DBackpropFilterV2(g, ops.Shape(call.inputs[1]), call.inputs[2], **_attrs(call)),
        ops.Conv3D(g, call.inputs[1], **_attrs(call)),
    ],
)  # fmt: skip
Conv3DBackpropFilterV2 = define(
    "Conv3DBackpropFilterV2", "input: T, filter_sizes: int32, out_backprop: T -> output: T",
    attrs="T: type; " + _CONV, allowed={"T": FLOATING}, infer=lambda c: c.shape_from(1) or (None,) * 5,
    kernel=_conv_filter,
    vjp=lambda call, g: [
        ops.Conv3DBackpropInputV2(ops.Shape(call.inputs[0]), g, call.inputs[2], **_attrs(call)), None,
        ops.Conv3D(call.inputs[0], g, **_attrs(call)),
    ],
)  # fmt: skip


# --- pooling ---------------------------------------------------------------------------------------------------------
_POOL = (
    "ksize: list(int) >= 5; strides: list(int) >= 5; padding: {'SAME', 'VALID'}; "
    "data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'; T: type"
)


def _pool_dims(c: Any) -> Dims:
    dims, form = c.dims(0), c.attrs["data_format"]
    depth = None if dims is None or len(dims) != 5 else dims[1] if _first(form) else dims[4]
    return _space_dims(dims, _three(c.attrs["ksize"], form), c.attrs, depth)


def _pool_view(x: Any, ksize: Any, strides: Any, padding: Any, form: Any, value: Any) -> Any:
    if np.ndim(x) != 5:
        raise bad(f"tensor_in must be 5-dimensional: {text_of(np.shape(x))}")
    v = _last(x, form)
    window, stride = _three(ksize, form), _three(strides, form)
    pads = _pads(v.shape[1:4], window, stride, padding)
    return _view(_padded(v, pads, value), window, stride, (1, 1, 1)), pads, window, stride, v.shape


def _counts(shape: Any, window: Any, stride: Any, pads: Any, dtype: Any) -> Any:
    """How many elements that are there each window holds."""
    ones = _padded(np.ones((1, *shape[1:4], 1), dtype), pads)
    return _view(ones, window, stride, (1, 1, 1)).sum((5, 6, 7))


def _avg(x: Any, *, ksize: Any, strides: Any, padding: Any, data_format: Any) -> Any:
    view, pads, window, stride, shape = _pool_view(x, ksize, strides, padding, data_format, 0)
    out = view.sum((5, 6, 7), dtype=x.dtype) / _counts(shape, window, stride, pads, x.dtype)
    return _back(out.astype(x.dtype, copy=False), data_format)


def _avg_grad(sizes: Any, g: Any, *, ksize: Any, strides: Any, padding: Any, data_format: Any) -> Any:
    full = ints(sizes)
    space = _three(full, data_format)
    window, stride = _three(ksize, data_format), _three(strides, data_format)
    pads = _pads(space, window, stride, padding)
    back = _last(g, data_format)
    share = back / _counts((1, *space, 1), window, stride, pads, g.dtype)
    parts = np.broadcast_to(share[..., None, None, None], (*share.shape, *window))
    shape = (back.shape[0], *(n + sum(p) for n, p in zip(space, pads)), back.shape[4])
    whole = _spread(shape, parts, stride, (1, 1, 1))
    inner = tuple(slice(p[0], p[0] + n) for p, n in zip(pads, space))
    return _back(whole[(slice(None), *inner)].astype(g.dtype, copy=False), data_format)


def _pool_attrs(call: Any) -> dict[str, Any]:
    return {k: call.attrs[k] for k in ("ksize", "strides", "padding", "data_format")}


AvgPool3D = define(
    "AvgPool3D", "input: T -> output: T", attrs=_POOL, allowed={"T": FLOATING}, infer=_pool_dims, kernel=_avg,
    vjp=lambda call, g: [ops.AvgPool3DGrad(ops.Shape(call.inputs[0]), g, **_pool_attrs(call))],
)  # fmt: skip
AvgPool3DGrad = define(
    "AvgPool3DGrad", "orig_input_shape: int32, grad: T -> output: T", attrs=_POOL, allowed={"T": FLOATING},
    infer=lambda c: c.shape_from(0) or (None,) * 5, kernel=_avg_grad,
    vjp=lambda call, g: [None, ops.AvgPool3D(g, **_pool_attrs(call))],
)  # fmt: skip

_MAXED = (float16, bfloat16, float32)


def _max(x: Any, *, ksize: Any, strides: Any, padding: Any, data_format: Any) -> Any:
    view, *_ = _pool_view(x, ksize, strides, padding, data_format, -np.inf)
    return _back(view.max((5, 6, 7)), data_format)


def _best(x: Any, ksize: Any, strides: Any, padding: Any, form: Any) -> Any:
    view, pads, window, stride, shape = _pool_view(x, ksize, strides, padding, form, -np.inf)
    flat = view.reshape(*view.shape[:5], -1)
    return flat.argmax(-1), pads, window, stride, shape


def _max_grad(x: Any, y: Any, g: Any, *, ksize: Any, strides: Any, padding: Any, data_format: Any) -> Any:
    best, pads, window, stride, shape = _best(x, ksize, strides, padding, data_format)
    whole = np.zeros((shape[0], *(n + sum(p) for n, p in zip(shape[1:4], pads)), shape[4]), g.dtype)
    n, i, j, k, c = np.ogrid[tuple(slice(d) for d in best.shape)]
    a, b, d = np.unravel_index(best, tuple(window))
    np.add.at(whole, (n, i * stride[0] + a, j * stride[1] + b, k * stride[2] + d, c), _last(g, data_format))
    inner = tuple(slice(p[0], p[0] + m) for p, m in zip(pads, shape[1:4]))
    return _back(whole[(slice(None), *inner)], data_format)


def _max_grad_grad(x: Any, y: Any, g: Any, *, ksize: Any, strides: Any, padding: Any, data_format: Any) -> Any:
    best, pads, window, stride, _ = _best(x, ksize, strides, padding, data_format)
    view = _view(_padded(_last(g, data_format), pads), window, stride, (1, 1, 1))
    flat = view.reshape(*view.shape[:5], -1)
    return _back(np.take_along_axis(flat, best[..., None], -1)[..., 0], data_format)


MaxPool3D = define(
    "MaxPool3D", "input: T -> output: T", attrs=_POOL, allowed={"T": _MAXED}, infer=_pool_dims, kernel=_max,
    vjp=lambda call, g: [ops.MaxPool3DGrad(call.inputs[0], call.outputs[0], g, **_pool_attrs(call))],
)  # fmt: skip
MaxPool3DGrad = define(
    "MaxPool3DGrad", "orig_input: TInput, orig_output: TInput, grad: T -> output: T",
    attrs=_POOL + " = float32; TInput: type = float32", allowed={"T": _MAXED, "TInput": _MAXED},
    infer=lambda c: c.dims(0), kernel=_max_grad,
    vjp=lambda call, g: [None, None, ops.MaxPool3DGradGrad(call.inputs[0], call.inputs[1], g, **_pool_attrs(call))],
)  # fmt: skip
MaxPool3DGradGrad = define(
    "MaxPool3DGradGrad", "orig_input: T, orig_output: T, grad: T -> output: T", attrs=_POOL, allowed={"T": REAL},
    infer=lambda c: c.dims(1), kernel=_max_grad_grad,
    vjp=lambda call, g: [None, None, ops.MaxPool3DGrad(call.inputs[0], call.inputs[1], g, **_pool_attrs(call))],
)  # fmt: skip


# --- pooling that tells where ----------------------------------------------------------------------------------------
def _argmax_dims(c: Any) -> list[Dims]:
    dims = c.dims(0)
    if dims is None:
        return [(None,) * 4] * 2
    if len(dims) != 4:
        raise ShapeError(f"Shape must be rank 4 but is rank {len(dims)}")
    same = _text(c.attrs["padding"]) == "SAME"
    space = [
        None if n is None else -(-n // s) if same else (n - w) // s + 1
        for n, w, s in zip(dims[1:3], c.attrs["ksize"][1:3], c.attrs["strides"][1:3])
    ]
    return [(dims[0], *space, dims[3])] * 2


def _with_argmax(x: Any, *, ksize: Any, strides: Any, padding: Any, include_batch_in_index: bool, Targmax: Any) -> Any:
    if np.ndim(x) != 4:
        raise bad(f"tensor_in must be 4-dimensional: {text_of(np.shape(x))}")
    volume = x[:, None]
    low = least(x.dtype)
    window, stride = (1, ksize[1], ksize[2]), (1, strides[1], strides[2])
    pads = _pads(volume.shape[1:4], window, stride, padding)
    view = _view(_padded(volume, pads, low), window, stride, (1, 1, 1))
    flat = view.reshape(*view.shape[:5], -1)
    best = flat.argmax(-1)[:, 0]
    values = np.take_along_axis(flat, flat.argmax(-1)[..., None], -1)[:, 0, ..., 0]
    n, i, j, c = np.ogrid[tuple(slice(d) for d in best.shape)]
    row, column = i * stride[1] + best // window[2] - pads[1][0], j * stride[2] + best % window[2] - pads[2][0]
    at = (row * x.shape[2] + column) * x.shape[3] + c
    if include_batch_in_index:
        at = at + n * int(np.prod(x.shape[1:]))
    return np.ascontiguousarray(values), at.astype(Targmax.as_numpy_dtype)


def _argmax_grad(x: Any, g: Any, at: Any, *, include_batch_in_index: bool) -> Any:
    out = np.zeros(x.shape, g.dtype)
    size = int(np.prod(x.shape[1:]))
    places = at.astype(np.int64)
    if not include_batch_in_index:
        places = places + (np.arange(x.shape[0]) * size).reshape(-1, 1, 1, 1)
    np.add.at(out.reshape(-1), places.reshape(-1), g.reshape(-1))
    return out


_PLACES = "ksize: list(int) >= 4; strides: list(int) >= 4; Targmax: type = int64; padding: {'SAME', 'VALID'}; "
MaxPoolWithArgmax = define(
    "MaxPoolWithArgmax", "input: T -> output: T, argmax: Targmax",
    attrs=_PLACES + "include_batch_in_index: bool = False; T: type", allowed={"T": REAL, "Targmax": INDEX},
    infer=_argmax_dims, kernel=_with_argmax,
    vjp=lambda call, g, _: [
        ops.MaxPoolGradWithArgmax(
            call.inputs[0], g, call.outputs[1],
            **{k: call.attrs[k] for k in ("ksize", "strides", "padding", "include_batch_in_index")},
        )
    ],
)  # fmt: skip
MaxPoolGradWithArgmax = define(
    "MaxPoolGradWithArgmax", "input: T, grad: T, argmax: Targmax -> output: T",
    attrs="ksize: list(int) >= 4; strides: list(int) >= 4; padding: {'SAME', 'VALID'}; "
    "include_batch_in_index: bool = False; "
    "Targmax: type; T: type", allowed={"T": REAL, "Targmax": INDEX}, infer=lambda c: c.dims(0), kernel=_argmax_grad,
)  # fmt: skip


# --- blocks of space in the batch ------------------------------------------------------------------------------------
def _to_batch(x: Any, block: Any, paddings: Any) -> Any:
    if np.ndim(block) != 1:
        raise bad(f"block_shape must have rank 1, got shape {text_of(np.shape(block))}")
    sizes = ints(block)
    m = len(sizes)
    if np.shape(paddings) != (m, 2):
        raise bad(f"paddings should have shape [{m}, 2] instead of {text_of(np.shape(paddings))}")
    if np.ndim(x) < 1 + m:
        raise bad(f"input rank should be >= {1 + m} instead of {np.ndim(x)}")
    if min(sizes, default=1) < 1:
        raise bad("block_shape must be positive")
    if np.size(paddings) and np.min(paddings) < 0:
        raise bad("paddings must be non-negative")
    rest = x.ndim - 1 - m
    fill = {"constant_values": b""} if x.dtype == object else {}
    wide = np.pad(x, [(0, 0), *[tuple(p) for p in np.asarray(paddings).tolist()], *[(0, 0)] * rest], **fill)  # type: ignore[call-overload]
    shape = [wide.shape[0]]
    for n, b in zip(wide.shape[1:], sizes):
        if n % b:
            raise bad(f"padded_shape={n} is not divisible by block_shape={b}")
        shape += [n // b, b]
    parts = wide.reshape(*shape, *wide.shape[1 + m :])
    order = [*range(2, 2 * m + 1, 2), 0, *range(1, 2 * m + 1, 2), *range(2 * m + 1, parts.ndim)]
    out = parts.transpose(order)
    return np.ascontiguousarray(out).reshape(-1 if out.size else int(np.prod(sizes)) * wide.shape[0],
                                             *out.shape[m + 1 :])  # fmt: skip


def _from_batch(x: Any, block: Any, crops: Any) -> Any:
    sizes = ints(block)
    m, count = len(sizes), int(np.prod(sizes))
    if np.shape(crops) != (m, 2):
        raise bad(f"crops should have shape [{m}, 2] instead of {text_of(np.shape(crops))}")
    if np.ndim(x) < 1 + m:
        raise bad(f"input rank should be >= {1 + m} instead of {np.ndim(x)}")
    if count < 1 or x.shape[0] % count:
        raise bad(f"Input batch dimension ({x.shape[0]}) is not divisible by product of block sizes ({count})")
    parts = x.reshape(*sizes, x.shape[0] // count, *x.shape[1:])
    order = [m]
    for i in range(m):
        order += [m + 1 + i, i]
    out = parts.transpose([*order, *range(2 * m + 1, parts.ndim)])
    whole = out.reshape(x.shape[0] // count, *(n * b for n, b in zip(x.shape[1:], sizes)), *x.shape[1 + m :])
    index = [slice(None)]
    for n, (low, high) in zip(whole.shape[1:], np.asarray(crops).tolist()):
        if low < 0 or high < 0 or low + high > n:
            raise bad(f"cropped_shape={n - low - high} must be non-negative")
        index.append(slice(low, n - high))
    return np.ascontiguousarray(whole[tuple(index)])


def _block_dims(grow: bool) -> Any:
    def infer(c: Any) -> Dims:
        block = c.dims(1)
        if block is not None and len(block) != 1:
            raise ShapeError(f"block_shape must have rank 1, got shape {text_of(block)}")
        dims, sizes = c.dims(0), const_ints(c, 1)
        if dims is None:
            return None
        m = None if block is None else block[0]
        if sizes is None or m is None:
            return (None,) * len(dims)
        if len(dims) < m + 1:
            raise ShapeError(f"Shape must be at least rank {m + 1} but is rank {len(dims)}")
        edges = c.const(2)
        out: list[Any] = list(dims)
        count = int(np.prod(sizes))
        if dims[0] is not None:
            if not grow and dims[0] % count:
                raise ShapeError(f"Dimension size must be evenly divisible by {count} but is {dims[0]}")
            out[0] = dims[0] * count if grow else dims[0] // count
        for i, b in enumerate(sizes):
            n = dims[i + 1]
            if n is None or edges is None:
                out[i + 1] = None
                continue
            low, high = (int(v) for v in edges[i])
            if grow:
                if (n + low + high) % b:
                    raise ShapeError(f"Dimension size must be evenly divisible by {b} but is {n + low + high}")
                out[i + 1] = (n + low + high) // b
            else:
                out[i + 1] = n * b - low - high
        return tuple(out)

    return infer


SpaceToBatchND = define(
    "SpaceToBatchND", "input: T, block_shape: Tblock_shape, paddings: Tpaddings -> output: T",
    attrs="T: type; Tblock_shape: type = int32; Tpaddings: type = int32",
    allowed={"Tblock_shape": INDEX, "Tpaddings": INDEX}, infer=_block_dims(True), kernel=_to_batch,
    vjp=lambda call, g: [ops.BatchToSpaceND(g, *call.inputs[1:]), None, None],
)  # fmt: skip
BatchToSpaceND = define(
    "BatchToSpaceND", "input: T, block_shape: Tblock_shape, crops: Tcrops -> output: T",
    attrs="T: type; Tblock_shape: type = int32; Tcrops: type = int32",
    allowed={"Tblock_shape": INDEX, "Tcrops": INDEX}, infer=_block_dims(False), kernel=_from_batch,
    vjp=lambda call, g: [ops.SpaceToBatchND(g, *call.inputs[1:]), None, None],
)  # fmt: skip


# --- public ----------------------------------------------------------------------------------------------------------
def _five(value: Any, form: str, what: str) -> list[int]:
    found = [int(v) for v in np.ravel(value)]
    if len(found) == 5:
        return found
    if len(found) == 1:
        found = found * 3
    if len(found) != 3:
        raise ValueError(errors.at_user_line(f"{what} must have 1, 3 or 5 elements, found {value!r}"))
    return [1, 1, *found] if form == "NCDHW" else [1, *found, 1]


def _padding(padding: Any) -> str:
    if not isinstance(padding, str) or padding.upper() not in ("SAME", "VALID"):
        raise ValueError(errors.at_user_line(f"padding must be 'SAME' or 'VALID', found {padding!r}"))
    return padding.upper()


def conv3d(
    input: TensorLike, filters: TensorLike, strides: Any, padding: str, data_format: str = "NDHWC",
    dilations: Any = None, name: str | None = None,
) -> Any:  # fmt: skip
    """The convolution of volumes.

    >>> import graphrt as tf
    >>> tf.nn.conv3d(tf.ones([1, 3, 3, 3, 2]), tf.ones([2, 2, 2, 2, 4]), [1, 1, 1, 1, 1], "VALID").shape
    TensorShape([1, 2, 2, 2, 4])

    Raises:
      ValueError: an option is not valid.
      InvalidArgumentError: the shapes do not fit.
    """
    rate = _five(1 if dilations is None else dilations, data_format, "dilations")
    return Conv3D(
        input, filters, strides=_five(strides, data_format, "strides"), padding=_padding(padding),
        data_format=data_format, dilations=rate, name=name,
    )  # fmt: skip


def conv3d_transpose(
    input: TensorLike, filters: TensorLike, output_shape: Any, strides: Any, padding: str = "SAME",
    data_format: str = "NDHWC", dilations: Any = None, name: str | None = None,
) -> Any:  # fmt: skip
    """The transpose (gradient) of `conv3d`: volumes of `output_shape`.

    >>> import graphrt as tf
    >>> x, w = tf.ones([1, 2, 2, 2, 3]), tf.ones([2, 2, 2, 1, 3])
    >>> tf.nn.conv3d_transpose(x, w, [1, 4, 4, 4, 1], 2).shape
    TensorShape([1, 4, 4, 4, 1])

    Raises:
      ValueError: an option is not valid.
    """
    rate = _five(1 if dilations is None else dilations, data_format, "dilations")
    return Conv3DBackpropInputV2(
        output_shape, filters, input, strides=_five(strides, data_format, "strides"), padding=_padding(padding),
        data_format=data_format, dilations=rate, name=name or "conv3d_transpose",
    )  # fmt: skip


@provide
def max_pool3d(
    input: TensorLike, ksize: Any, strides: Any, padding: str, data_format: str = "NDHWC", name: str | None = None
) -> Any:
    """The greatest element of each window of volumes.

    >>> import graphrt as tf
    >>> tf.nn.max_pool3d(tf.ones([1, 4, 4, 4, 1]), 2, 2, "VALID").shape
    TensorShape([1, 2, 2, 2, 1])

    Raises:
      ValueError: an option is not valid.
    """
    return MaxPool3D(
        input, ksize=_five(ksize, data_format, "ksize"), strides=_five(strides, data_format, "strides"),
        padding=_padding(padding), data_format=data_format, name=name or "MaxPool3D",
    )  # fmt: skip


@provide
def avg_pool3d(
    input: TensorLike, ksize: Any, strides: Any, padding: str, data_format: str = "NDHWC", name: str | None = None
) -> Any:
    """The mean of each window of volumes.

    >>> import graphrt as tf
    >>> tf.nn.avg_pool3d(tf.ones([1, 4, 4, 4, 1]), 2, 2, "VALID").shape
    TensorShape([1, 2, 2, 2, 1])

    Raises:
      ValueError: an option is not valid.
    """
    return AvgPool3D(
        input, ksize=_five(ksize, data_format, "ksize"), strides=_five(strides, data_format, "strides"),
        padding=_padding(padding), data_format=data_format, name=name or "AvgPool3D",
    )  # fmt: skip


_Pooled = namedtuple("MaxPoolWithArgmax", "output argmax")  # type: ignore[name-match]


def max_pool_with_argmax(
    input: TensorLike, ksize: Any, strides: Any, padding: str, data_format: str = "NHWC", output_dtype: Any = int64,
    include_batch_in_index: bool = False, name: str | None = None,
) -> Any:  # fmt: skip
    """The greatest element of each window of images, and where it stands in the flat image.

    >>> import graphrt as tf
    >>> y, at = tf.nn.max_pool_with_argmax([[[[1.], [3.]]]], [1, 2], 1, "VALID")
    >>> y.numpy().item(), at.numpy().item()
    (3.0, 1)

    Raises:
      ValueError: an option is not valid.
    """
    if data_format != "NHWC":
        raise ValueError(errors.at_user_line("data_format values other than 'NHWC' are not supported"))

    def four(value: Any) -> list[int]:
        found = [int(v) for v in np.ravel(value)]
        return found if len(found) == 4 else [1, *(found * 2 if len(found) == 1 else found), 1]

    found = MaxPoolWithArgmax(
        input, ksize=four(ksize), strides=four(strides), padding=_padding(padding), Targmax=output_dtype,
        include_batch_in_index=include_batch_in_index, name=name,
    )  # fmt: skip
    return _Pooled(*found)


@provide
def space_to_batch_nd(input: TensorLike, block_shape: Any, paddings: Any, name: str | None = None) -> Any:
    """Blocks of the axes after the first moved into the first, after padding.

    >>> import graphrt as tf
    >>> tf.space_to_batch_nd([[1, 2, 3, 4]], [2], [[0, 0]]).numpy().tolist()
    [[1, 3], [2, 4]]

    Raises:
      InvalidArgumentError: the blocks do not fit.
    """
    return SpaceToBatchND(input, block_shape, paddings, name=name)


def space_to_batch(input: TensorLike, block_shape: Any, paddings: Any, name: str | None = None) -> Any:
    """`space_to_batch_nd`.

    >>> import graphrt as tf
    >>> tf.space_to_batch([[1, 2, 3, 4]], [2], [[0, 0]]).numpy().tolist()
    [[1, 3], [2, 4]]

    Raises:
      InvalidArgumentError: the blocks do not fit.
    """
    return SpaceToBatchND(input, block_shape, paddings, name=name)


@provide
def batch_to_space(input: TensorLike, block_shape: Any, crops: Any, name: str | None = None) -> Any:
    """The inverse of `space_to_batch`, cropped.

    >>> import graphrt as tf
    >>> tf.batch_to_space([[1, 3], [2, 4]], [2], [[0, 0]]).numpy().tolist()
    [[1, 2, 3, 4]]

    Raises:
      InvalidArgumentError: the blocks do not fit.
    """
    with scope(name, "batch_to_space"):
        sizes = np.repeat(block_shape, 2) if isinstance(block_shape, int) else block_shape
        return BatchToSpaceND(as_tensor(input), sizes, crops)
