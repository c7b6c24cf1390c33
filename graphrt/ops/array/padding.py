"""Tensors with elements added around them, or moved: padding, mirroring, reversing, rolling."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.errors import ShapeError
from graphrt.ir.graph import InferContext
from graphrt.ir.op import ALIASES, OpDef, define, provide
from graphrt.ops.array.concat_split import stack
from graphrt.ops.array.shape import Reshape, shape
from graphrt.ops.array.shape import rank as rank_
from graphrt.ops.array.slicing import Slice
from graphrt.ops.math.elementwise import Neg
from graphrt.ops.math.reduction import reduce_sum
from graphrt.ops.support.kernel_helpers import bad, const_ints, entries, ints, text_of
from graphrt.ops.support.shape_rules import require_equal, require_rank
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types.dtype import INDEX
from graphrt.types.likes import Array, AxisLike
from graphrt.types.shape import Dims, merge

__all__ = ["pad", "reverse", "reverse_sequence", "roll"]


# --- padding ---------------------------------------------------------------------------------------------------------
def _padded_dims(c: InferContext) -> Dims:
    dims, pads = c.dims(0), c.const(1)
    if pads is not None and (pads.ndim != 2 or pads.shape[1] != 2):
        raise ShapeError(f"paddings must be a matrix with 2 columns: {text_of(pads.shape)}")
    if pads is not None and (pads < 0).any():
        a, b = pads[(pads < 0).any(axis=1)][0].tolist()
        raise ShapeError(f"Paddings must be non-negative: {a} {b}")
    if dims is None:
        rows = c.dims(1)
        return (None,) * rows[0] if rows is not None and rows[0] is not None else None
    if pads is None:
        return (None,) * len(dims)
    if len(pads) != len(dims):
        raise ShapeError(
            f"The first dimension of paddings must be the rank of inputs {text_of(pads.shape)} {text_of(dims)}"
        )
    return tuple(None if d is None else d + int(a) + int(b) for d, (a, b) in zip(dims, pads))


def _checked_pads(x: Array, paddings: Array) -> list[Any]:
    if np.ndim(paddings) != 2 or np.shape(paddings)[1] != 2:
        raise bad(f"paddings must be a matrix with 2 columns: {text_of(np.shape(paddings))}")
    if len(paddings) != np.ndim(x):
        raise bad(
            "The first dimension of paddings must be the rank of inputs"
            f"{text_of(np.shape(paddings))} {text_of(np.shape(x))}"
        )
    pads = paddings.tolist()
    for a, b in pads:
        if a < 0 or b < 0:
            raise bad(f"Paddings must be non-negative: {a} {b}")
    return pads


def _pad_kernel(x: Array, paddings: Array, value: Array | None = None) -> Array:
    pads = _checked_pads(x, paddings)
    if not pads:
        return x
    array = np.asarray(x)
    fill = (b"" if array.dtype == object else np.zeros((), array.dtype)) if value is None else np.asarray(value)[()]
    out = np.full([d + a + b for d, (a, b) in zip(array.shape, pads)], fill, array.dtype)
    out[tuple(slice(a, a + d) for d, (a, _) in zip(array.shape, pads))] = array
    return out


def _unpadded(call: Any, g: object) -> Tensor:
    x, paddings = call.inputs[:2]
    begin = Reshape(Slice(paddings, [0, 0], stack([rank_(x), 1])), [-1])
    return Slice(g, begin, shape(x, out_type=begin.dtype))


Pad = define(
    "Pad", "input: T, paddings: Tpaddings[2] -> output: T", attrs="T: type; Tpaddings: type = int32",
    allowed={"Tpaddings": INDEX}, infer=_padded_dims, kernel=_pad_kernel,
    vjp=lambda call, g: [_unpadded(call, g), None], traits=(ALIASES,),
)  # fmt: skip
PadV2 = define(
    "PadV2", "input: T, paddings: Tpaddings[2], constant_values: T -> output: T",
    attrs="T: type; Tpaddings: type = int32", allowed={"Tpaddings": INDEX}, infer=_padded_dims, kernel=_pad_kernel,
    vjp=lambda call, g: [_unpadded(call, g), None, reduce_sum(g) - reduce_sum(_unpadded(call, g))],
    traits=(ALIASES,),
)  # fmt: skip


def _mirror_kernel(x: Array, paddings: Array, *, mode: str) -> Array:
    pads = _checked_pads(x, paddings)
    reflect = mode == "REFLECT"
    for d, (a, b) in zip(np.shape(x), pads):
        if (a >= d or b >= d) if reflect else (a > d or b > d):
            relation = "less than" if reflect else "no greater than"
            raise bad(f"paddings must be {relation} the dimension size: {a}, {b} not {relation} {d}")
    return np.pad(x, pads, "reflect" if reflect else "symmetric") if pads else x


MirrorPad = define(
    "MirrorPad", "input: T, paddings: Tpaddings[2] -> output: T",
    attrs="T: type; Tpaddings: type = int32; mode: {'REFLECT', 'SYMMETRIC'}",
    allowed={"Tpaddings": INDEX}, infer=_padded_dims, kernel=_mirror_kernel,
    vjp=lambda call, g: [MirrorPadGrad(g, call.inputs[1], mode=call.attrs["mode"]), None], traits=(ALIASES,),
)  # fmt: skip


def _mirror_grad_kernel(g: Array, paddings: Array, *, mode: str) -> Array:
    offset = 1 if mode == "REFLECT" else 0
    out = np.asarray(g)
    for axis, (a, b) in enumerate(paddings.tolist()):
        out = np.moveaxis(out, axis, 0)
        n = len(out) - a - b
        core = out[a : a + n].copy()
        if a:
            core[offset : offset + a] += out[:a][::-1]
        if b:
            core[n - offset - b : n - offset] += out[a + n :][::-1]
        out = np.moveaxis(core, 0, axis)
    return out


def _mirror_grad_dims(c: InferContext) -> Dims:
    dims, pads = c.dims(0), c.const(1)
    if dims is None or pads is None:
        return None if dims is None else (None,) * len(dims)
    return tuple(None if d is None else d - int(a) - int(b) for d, (a, b) in zip(dims, pads))


MirrorPadGrad: OpDef = define(
    "MirrorPadGrad", "input: T, paddings: Tpaddings[2] -> output: T",
    attrs="T: type; Tpaddings: type = int32; mode: {'REFLECT', 'SYMMETRIC'}", allowed={"Tpaddings": INDEX},
    infer=_mirror_grad_dims, kernel=_mirror_grad_kernel,
    vjp=lambda call, g: [MirrorPad(g, call.inputs[1], mode=call.attrs["mode"]), None],
)  # fmt: skip


@provide
def pad(
    tensor: TensorLike, paddings: TensorLike, mode: str = "CONSTANT", constant_values: Any = 0, name: str | None = None
) -> Tensor:
    """`tensor` with `paddings[i] = (before, after)` elements added in dimension i: constant, or mirrored.

    >>> import graphrt as tf
    >>> tf.pad([1, 2], [[1, 2]], constant_values=9).numpy().tolist()
    [9, 1, 2, 9, 9]

    Raises:
      ValueError: `mode` is none of CONSTANT, REFLECT, SYMMETRIC.
      InvalidArgumentError: the paddings do not fit.
    """
    errors.expect(mode, str, "mode", "'CONSTANT', 'REFLECT' or 'SYMMETRIC'")
    kind = mode.upper()
    if kind == "CONSTANT":
        if not isinstance(constant_values, Tensor) and np.ndim(constant_values) == 0 and constant_values == 0:
            return Pad(tensor, paddings, name=name)
        return PadV2(tensor, paddings, constant_values, name=name)
    if kind not in ("REFLECT", "SYMMETRIC"):
        raise ValueError(
            errors.at_user_line(
                "Value of argument `mode` expected to be one of 'CONSTANT', 'REFLECT', or 'SYMMETRIC'. "
                f"Received `mode` = {kind}"
            )
        )
    return MirrorPad(tensor, paddings, mode=kind, name=name)


# --- reversing and rolling -------------------------------------------------------------------------------------------
def _reverse_dims(c: InferContext) -> Dims:
    require_rank(c, 1, 1)
    dims, axes = c.dims(0), const_ints(c, 1)
    if dims is not None and axes is not None:
        _reverse_axes(len(dims), axes, ShapeError)
    return dims


def _reverse_axes(rank: int, axes: list[int], fail: Callable[..., Any] | type) -> list[int]:
    found: list[int] = []
    for i, a in enumerate(axes):
        if not -rank <= a < rank:
            raise fail(f"'axis'[{i}] = {a} is out of valid range [0, {rank - 1}]")
        a += rank if a < 0 else 0
        if a in found:
            raise fail(f"axis {a} specified more than once.")
        found.append(a)
    return found


def _reverse_kernel(x: Array, axis: Array) -> Array:
    if np.ndim(axis) != 1:
        raise bad(f"'dims' must be 1-dimension, not {np.ndim(axis)}")
    return np.flip(x, tuple(_reverse_axes(np.ndim(x), ints(axis), bad))) if np.ndim(x) else x


def _reverse_entries(c: InferContext) -> Any:
    axes = const_ints(c, 1)
    if axes is None or c.rank(0) != 1 or c.dtype(0).kind not in "iu":
        return None
    known = entries(c.inputs[0])
    return known if known is None or not axes else known[::-1]


ReverseV2: OpDef = define(
    "ReverseV2", "tensor: T, axis: Tidx -> output: T", attrs="T: type; Tidx: type = int32", allowed={"Tidx": INDEX},
    infer=_reverse_dims, partial=_reverse_entries, traits=(ALIASES,),
    kernel=_reverse_kernel,
    vjp=lambda call, g: [ReverseV2(g, call.inputs[1]), None],
)  # fmt: skip


@provide
def reverse(tensor: TensorLike, axis: AxisLike, name: str | None = None) -> Tensor:
    """`tensor` with the order reversed along the dimensions `axis`.

    >>> import graphrt as tf
    >>> tf.reverse([1, 2, 3], [0]).numpy().tolist()
    [3, 2, 1]

    Raises:
      InvalidArgumentError: an axis is out of range, or named twice.
    """
    return ReverseV2(tensor, axis, name=name)


def _reverse_sequence_kernel(x: Array, lengths: Array, *, seq_dim: int, batch_dim: int) -> Array:
    moved = np.moveaxis(x, (batch_dim, seq_dim), (0, 1))
    if len(lengths) != moved.shape[0]:
        raise bad(f"Length of seq_lengths != input.dims({batch_dim}), ({len(lengths)} vs. {moved.shape[0]})")
    outside = np.flatnonzero((lengths < 0) | (lengths > moved.shape[1]))
    if len(outside):
        at = outside[0]
        raise bad(f"seq_lens({at}) < 0" if lengths[at] < 0 else f"seq_lens({at}) > input.dims({seq_dim})")
    ends, places = lengths[:, None], np.arange(moved.shape[1])
    turned = moved[np.arange(len(lengths))[:, None], np.where(places < ends, ends - 1 - places, places)]
    return np.ascontiguousarray(np.moveaxis(turned, (0, 1), (batch_dim, seq_dim)))


def _reverse_sequence_dims(c: InferContext) -> Dims:
    dims, lengths, at = c.dims(0), merge(c.dims(1), (None,)), c.attrs["batch_dim"]
    if dims is None:
        return None
    if not (0 <= at < len(dims) and 0 <= c.attrs["seq_dim"] < len(dims)):
        raise ShapeError(f"batch_dim and seq_dim must be < input rank ( {max(at, c.attrs['seq_dim'])} vs. {len(dims)})")
    (batch,) = merge(dims[at : at + 1], lengths) or (None,)
    return (*dims[:at], batch, *dims[at + 1 :])


ReverseSequence: OpDef = define(
    "ReverseSequence", "input: T, seq_lengths: Tlen -> output: T",
    attrs="seq_dim: int; batch_dim: int = 0; T: type; Tlen: type = int64", allowed={"Tlen": INDEX},
    infer=_reverse_sequence_dims, kernel=_reverse_sequence_kernel,
    vjp=lambda call, g: [
        ReverseSequence(
            g, call.inputs[1], seq_dim=call.attrs["seq_dim"], batch_dim=call.attrs["batch_dim"]
        ),
        None,
    ],
)  # fmt: skip


def reverse_sequence(
    input: TensorLike, seq_lengths: TensorLike, seq_axis: int | None = None, batch_axis: int | None = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """`input` with the first `seq_lengths[i]` elements of row i reversed.

    >>> import graphrt as tf
    >>> tf.reverse_sequence([[1, 2, 3], [4, 5, 6]], [2, 3], seq_axis=1).numpy().tolist()
    [[2, 1, 3], [6, 5, 4]]

    Raises:
      InvalidArgumentError: a length does not fit.
    """
    return ReverseSequence(input, seq_lengths, seq_dim=seq_axis, batch_dim=batch_axis or 0, name=name)


def _roll_dims(c: InferContext) -> Dims:
    shift, axis = c.dims(1), c.dims(2)
    if shift is not None and axis is not None and len(shift) != len(axis):
        raise ShapeError(f"Shapes must be equal rank, but are {len(shift)} and {len(axis)}: shift and axis")
    require_equal(c, 1, 2)
    return c.dims(0)


def _roll_kernel(x: Array, shift: Array, axis: Array) -> Array:
    shifts, axes = ints(shift), ints(axis)
    if np.ndim(x) < 1:
        raise bad("input must be 1-D or higher")
    if np.shape(shift) != np.shape(axis):
        raise bad("shift and axis must have the same size")
    for a in axes:
        if not -np.ndim(x) <= a < np.ndim(x):
            raise bad(f"axis {a} is out of range")
    return np.roll(x, shifts, axes)


Roll: OpDef = define(
    "Roll", "input: T[1+], shift: Tshift[0..1], axis: Taxis[0..1] -> output: T", allowed={"Tshift": INDEX, "Taxis": INDEX},
    infer=_roll_dims, kernel=_roll_kernel,
    vjp=lambda call, g: [Roll(g, Neg(call.inputs[1]), call.inputs[2]), None, None],
)  # fmt: skip


@provide
def roll(input: TensorLike, shift: TensorLike, axis: AxisLike, name: str | None = None) -> Tensor:
    """`input` with its elements moved on by `shift` along `axis`; what leaves at the end comes in at the start.

    >>> import graphrt as tf
    >>> tf.roll([1, 2, 3], 1, 0).numpy().tolist()
    [3, 1, 2]

    Raises:
      InvalidArgumentError: an axis is out of range.
    """
    return Roll(input, shift, axis, name=name)
