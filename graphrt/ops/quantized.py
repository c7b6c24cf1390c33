"""Tensors of quantized dtypes: integers that stand for the numbers of a range, which goes along as two scalars.

    quantize([-1.0, 0.5], -1.0, 1.0, tf.quint8)    output [0, 191], output_min -1.0, output_max 1.0
    dequantize([0, 191], -1.0, 1.0)                [-1.0, 0.498]

The least integer stands for one end of the range, the greatest for the other. In the mode SCALED, 0 stands for 0.0.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from graphrt.errors import ShapeError
from graphrt.ir.graph import InferContext
from graphrt.ir.op import OpDef, define
from graphrt.ops.array.concat_split import ConcatV2
from graphrt.ops.array.shape import Reshape
from graphrt.ops.linalg.matmul import MatMul
from graphrt.ops.nn.convolution import Conv2D
from graphrt.ops.nn.pooling import AvgPool, MaxPool
from graphrt.ops.quantized_numbers import (
    away,
    axis_of,
    ends_of,
    made,
    requantized,
    standing,
    used_range,
    whole,
    width_of,
)
from graphrt.ops.support.kernel_helpers import bad
from graphrt.ops.support.shape_rules import as_tensor, require_rank
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types.dtype import INDEX, QUANTIZED, DType, as_dtype, bfloat16, float32, plain, qint32
from graphrt.types.likes import Array, DTypeLike
from graphrt.types.shape import Dims

__all__ = ["Quantized", "dequantize", "quantize", "quantized_concat"]


class Quantized(NamedTuple):
    """What ops on quantized tensors give: the integers, and the ends of the range for which they stand."""

    output: Any
    output_min: Any
    output_max: Any


# --- QuantizeV2 and Dequantize ---------------------------------------------------------------------------------------
_MODES = "mode: {'MIN_COMBINED', 'MIN_FIRST', 'SCALED'} = 'MIN_COMBINED'"


def _check_mode(mode: str) -> None:
    if mode not in ("MIN_COMBINED", "MIN_FIRST", "SCALED"):
        raise bad(f"mode must be 'MIN_COMBINED', 'MIN_FIRST' or 'SCALED', found {mode!r}")


def _along(ends: Array, rank: int, axis: int) -> Array:
    """The ends of ranges, such that they meet the elements of `axis`."""
    return np.reshape(ends, [-1 if i == axis else 1 for i in range(rank)]) if axis >= 0 else np.asarray(ends)


def _quantize_range(low: Array, high: Array, least: float) -> tuple[Array, Array]:
    """The range around zero that is wide enough."""
    if np.any(low > high):
        raise bad(f"input_max_range must be larger than input_min_range, found {high} and {low}")
    far = np.maximum(np.float32(1), np.maximum(np.abs(low), np.abs(high))) * np.float32(least)
    low = np.minimum(np.float32(0), low)
    return low, np.maximum(np.float32(0), np.maximum(high, low + far))


def _scale_of(low: Array, high: Array, dtype: DType, narrow_range: bool) -> tuple[Array, Array, Array]:
    """How many steps one is, where 0 stands for 0.0, and the range that follows."""
    first, last = map(np.float32, ends_of(dtype))
    first += np.float32(narrow_range)
    with np.errstate(all="ignore"):
        largest = np.finfo(np.float32).max
        scale = np.minimum(
            np.where(first * low > 0, first / low, largest), np.where(last * high > 0, last / high, largest)
        ).astype(np.float32)
        return scale, first / scale, last / scale


def _quantize_kernel(
    input: Array, min_range: Array, max_range: Array, *, T: DType, mode: str, round_mode: str, narrow_range: bool,
    axis: int, ensure_minimum_range: float,
) -> tuple[Array, Array, Array]:  # fmt: skip
    if round_mode == "HALF_TO_EVEN" and mode != "SCALED":
        raise bad(f"Round mode 'HALF_TO_EVEN' only supported for mode 'SCALED', but mode is '{mode}'.")
    _check_mode(mode)
    rank = np.ndim(input)
    low, high = (np.reshape(v, -1 if axis >= 0 else ()) for v in (min_range, max_range))
    low, high = _quantize_range(low, high, ensure_minimum_range)
    first, last = ends_of(T)
    if mode == "SCALED":
        scale, low, high = _scale_of(low, high, T, narrow_range)
    near, far = _along(low, rank, axis), _along(high, rank, axis)
    with np.errstate(all="ignore"):
        inside = np.clip(input, near, far)
        if mode == "SCALED":
            steps = inside * _along(scale, rank, axis)
            found = np.rint(steps) if round_mode == "HALF_TO_EVEN" else away(steps)
        elif mode == "MIN_FIRST":
            steps = np.float32(width_of(T) - 1) / (far - near)
            found = away(input * steps) - away(near * steps) + np.float32(first)
        else:
            steps = (inside - near) * (np.float32(last - first) / (far - near))
            found = away(steps - np.float32((last - first + 1) / 2)) if first else np.floor(steps + np.float32(0.5))
    return whole(found.astype(np.float64), T), low[()], high[()]


def _range_infer(c: InferContext) -> list[Dims]:
    """The shape of the input, and those of the ends of its range: scalars, or vectors along `axis`."""
    dims, axis = c.dims(0), c.attrs["axis"]
    if axis < -1 or (dims is not None and axis >= len(dims)):
        raise ShapeError(f"Axis {axis} is out of range for an input of shape {dims}")
    ends: tuple[int | None, ...] = () if axis < 0 else (None if dims is None else dims[axis],)
    _check_mode(c.attrs["mode"])
    for i in (1, 2) if ends else ():
        found = c.dims(i)
        if found is not None and (len(found) != 1 or (None not in (*ends, *found) and ends != found)):
            raise ShapeError(f"The ends of the range need the shape {list(ends)}, found {list(found)}")
    return [dims, ends, ends]


QuantizeV2 = define(
    "QuantizeV2", "input: float32, min_range: float32, max_range: float32 -> output: T, output_min: float32, "
    "output_max: float32",
    attrs=f"T: type; {_MODES}; round_mode: {{'HALF_AWAY_FROM_ZERO', 'HALF_TO_EVEN'}} = 'HALF_AWAY_FROM_ZERO'; "
    "narrow_range: bool = False; axis: int = -1; ensure_minimum_range: float = 0.01",
    allowed={"T": QUANTIZED}, infer=_range_infer, kernel=_quantize_kernel,
)  # fmt: skip


def _dequantize_kernel(
    input: Array,
    min_range: Array,
    max_range: Array,
    *,
    T: DType,
    mode: str,
    narrow_range: bool,
    axis: int,
    dtype: DType,
) -> Array:
    _check_mode(mode)
    first, last = map(np.float32, ends_of(T))
    rank = np.ndim(input)
    low, high = (_along(np.asarray(v, np.float32), rank, axis) for v in (min_range, max_range))
    x = plain(input).astype(np.float32)
    with np.errstate(all="ignore"):
        if mode == "SCALED":
            scale = high / last
            found = x * (np.maximum(low / (first + np.float32(narrow_range)), scale) if first else scale)
        elif mode == "MIN_FIRST":
            step = (high - low) * np.float32(width_of(T) / (width_of(T) - 1.0)) / np.float32(width_of(T))
            start = np.where(low == high, low, away(low / step) * step).astype(np.float32)
            found = x * step + (start - first * step)
        else:
            half = (last - first + np.float32(1)) / np.float32(2) if first else np.float32(0)
            found = (x + half) * ((high - low) / (last - first)) + low
    return np.asarray(found).astype(dtype.as_numpy_dtype)[()]


Dequantize = define(
    "Dequantize", "input: T, min_range: float32, max_range: float32 -> output: dtype",
    attrs=f"{_MODES}; narrow_range: bool = False; axis: int = -1; dtype: type = float32",
    allowed={"T": QUANTIZED, "dtype": (bfloat16, float32)}, infer=lambda c: _range_infer(c)[:1],
    kernel=_dequantize_kernel,
)  # fmt: skip


# --- from one range to another ---------------------------------------------------------------------------------------
def _scalars(c: InferContext, *which: int) -> None:
    for i in which:
        require_rank(c, i, 0)


_RANGED = "input: Tinput, input_min: float32, input_max: float32"


def _requantize_kernel(
    input: Array, input_min: Array, input_max: Array, requested_output_min: Array, requested_output_max: Array, *,
    Tinput: DType, out_type: DType,
) -> tuple[Array, Array, Array]:  # fmt: skip
    low, high = requested_output_min, requested_output_max
    if low > 0:
        raise bad(f"requested_output_min must be <= 0, but got {low}")
    if high < low:
        raise bad(f"requested_output_max must be >= requested_output_min, but got {high} and {low}")
    return requantized(plain(input), Tinput, input_min, input_max, out_type, (low, high)), low, high


def _shrink_kernel(
    input: Array, input_min: Array, input_max: Array, *, Tinput: DType, out_type: DType
) -> tuple[Array, Array, Array]:
    low, high = used_range(plain(input), input_min, input_max, Tinput)
    return requantized(plain(input), Tinput, input_min, input_max, out_type, (low, high)), low, high


def _with_ends(count: int) -> Any:
    """A rule for what keeps the shape of its first input; the rest are scalars."""

    def infer(c: InferContext) -> list[Dims]:
        _scalars(c, *range(1, count))
        return [c.dims(0), (), ()]

    return infer


_OUT = "output: out_type, output_min: float32, output_max: float32"
_TO: dict[str, tuple[DType, ...]] = {"Tinput": QUANTIZED, "out_type": QUANTIZED}

Requantize = define(
    "Requantize", f"{_RANGED}, requested_output_min: float32, requested_output_max: float32 -> {_OUT}",
    attrs="out_type: type", allowed=_TO, infer=_with_ends(5), kernel=_requantize_kernel,
)  # fmt: skip
QuantizeDownAndShrinkRange = define(
    "QuantizeDownAndShrinkRange", f"{_RANGED} -> {_OUT}", attrs="out_type: type", allowed=_TO, infer=_with_ends(3),
    kernel=_shrink_kernel,
)  # fmt: skip
RequantizationRange = define(
    "RequantizationRange", f"{_RANGED} -> output_min: float32, output_max: float32", allowed={"Tinput": QUANTIZED},
    infer=lambda c: _with_ends(3)(c)[1:],
    kernel=lambda x, low, high, *, Tinput: used_range(plain(x), low, high, Tinput),
)  # fmt: skip


# --- activations and shapes ------------------------------------------------------------------------------------------
_ACTIVATIONS = "activations: out_type, min_activations: float32, max_activations: float32"


def _bounded(features: Array, low: Array, high: Array, ends: tuple[float, ...], source: DType, target: DType) -> Any:
    """Integers that stand for numbers between 0 and an end."""
    edges = [int(np.clip(standing(end, low, high, source), *ends_of(source))) for end in (0.0, *ends)]
    found = np.maximum(plain(features), edges[0])
    found = found if len(edges) == 1 else np.minimum(found, edges[1])
    return whole(found, target), low, high


def _relu_op(type_: str, *ends: float) -> OpDef:
    return define(
        type_, f"features: Tinput, min_features: float32, max_features: float32 -> {_ACTIVATIONS}",
        attrs="out_type: type = quint8", allowed=_TO, infer=_with_ends(3),
        kernel=lambda x, low, high, *, Tinput, out_type: _bounded(x, low, high, ends, Tinput, out_type),
    )  # fmt: skip


QuantizedRelu = _relu_op("QuantizedRelu")
QuantizedRelu6 = _relu_op("QuantizedRelu6", 6.0)
QuantizedReluX = define(
    "QuantizedReluX",
    f"features: Tinput, max_value: float32, min_features: float32, max_features: float32 -> {_ACTIVATIONS}",
    attrs="out_type: type = quint8", allowed=_TO, infer=_with_ends(4),
    kernel=lambda x, top, low, high, *, Tinput, out_type: _bounded(x, low, high, (float(top),), Tinput, out_type),
)  # fmt: skip


def _reshape_infer(c: InferContext) -> list[Dims]:
    _scalars(c, 2, 3)
    found = Reshape.infer(c)
    return [found[0] if isinstance(found, list) else found, (), ()]


QuantizedReshape = define(
    "QuantizedReshape", "tensor: T, shape: Tshape, input_min: float32, input_max: float32 -> output: T, "
    "output_min: float32, output_max: float32",
    attrs="T: type; Tshape: type = int32", allowed={"Tshape": INDEX}, infer=_reshape_infer,
    kernel=lambda x, shape, low, high: (Reshape.compute(x, shape), low, high),
)  # fmt: skip


def _concat_kernel(
    concat_dim: Array, values: list[Array], input_mins: list[Array], input_maxes: list[Array], *, T: DType
) -> tuple[Array, Any, Any]:
    low = np.minimum(np.min(input_mins), np.float32(0))
    high = np.max(input_maxes)
    if T is qint32:  # the range of products, around zero
        high = np.maximum(-low, high)
        low = -high
    if T not in QUANTIZED:
        return ConcatV2.compute(values, concat_dim), low, high
    same = all(a == low and b == high for a, b in zip(input_mins, input_maxes))
    parts = values if same else [
        requantized(plain(v), T, a, b, T, (low, high)) for v, a, b in zip(values, input_mins, input_maxes)
    ]  # fmt: skip
    return ConcatV2.compute(list(parts), concat_dim), low, high


def _concat_infer(c: InferContext) -> list[Dims]:
    require_rank(c, 0, 0)
    count = (len(c.inputs) - 1) // 3
    _scalars(c, *range(1 + count, len(c.inputs)))
    parts = [c.dims(1 + i) for i in range(count)]
    known = [p for p in parts if p is not None]
    if not known:
        return [None, (), ()]
    if any(len(p) != len(known[0]) for p in known):
        raise ShapeError(f"Tensors that are joined need one rank, found the shapes {known}")
    axis = c.const(0)
    if axis is None:
        return [(None,) * len(known[0]), (), ()]
    where = int(axis) % len(known[0]) if known[0] else 0
    sizes = [None if p is None else p[where] for p in parts]
    total = None if None in sizes else sum(s for s in sizes if s is not None)
    return [tuple(total if i == where else known[0][i] for i in range(len(known[0]))), (), ()]


QuantizedConcat = define(
    "QuantizedConcat",
    "concat_dim: int32, values: N * T[1+], input_mins: N * float32, input_maxes: N * float32 -> output: T, "
    "output_min: float32, output_max: float32",
    attrs="N: int >= 2; T: type", infer=_concat_infer, kernel=_concat_kernel,
)  # fmt: skip


# --- pooling ---------------------------------------------------------------------------------------------------------
def _pooled(input: Array, op: OpDef, T: DType, attrs: dict[str, Any]) -> Array:
    return np.asarray(op.compute(plain(input).astype(np.float64), data_format="NHWC", **attrs))


def _max_kernel(
    input: Array, low: Array, high: Array, *, T: DType, ksize: list[int], strides: list[int], padding: str
) -> tuple[Array, Array, Array]:
    attrs = {"ksize": ksize, "strides": strides, "padding": padding, "explicit_paddings": []}
    return made(_pooled(input, MaxPool, T, attrs), T), low, high


def _avg_kernel(
    input: Array, low: Array, high: Array, *, T: DType, ksize: list[int], strides: list[int], padding: str
) -> tuple[Array, Array, Array]:
    found = _pooled(input, AvgPool, T, {"ksize": ksize, "strides": strides, "padding": padding})
    return whole(np.rint(found), T), low, high


def _pool_op(type_: str, of: OpDef, kernel: Any) -> OpDef:
    def infer(c: InferContext) -> list[Dims]:
        _scalars(c, 1, 2)
        plain_attrs = {**c.attrs, "data_format": "NHWC", "explicit_paddings": []}
        found: Any = of.infer(InferContext(of, c.inputs[:1], plain_attrs))
        return [found[0] if isinstance(found, list) else found, (), ()]

    return define(
        type_, "input: T, min_input: float32, max_input: float32 -> output: T, min_output: float32, "
        "max_output: float32",
        attrs="ksize: list(int); strides: list(int); padding: {'SAME', 'VALID'}", allowed={"T": QUANTIZED},
        infer=infer, kernel=kernel,
    )  # fmt: skip


QuantizedMaxPool = _pool_op("QuantizedMaxPool", MaxPool, _max_kernel)
QuantizedAvgPool = _pool_op("QuantizedAvgPool", AvgPool, _avg_kernel)


# --- products --------------------------------------------------------------------------------------------------------
def _zeroed(x: Array, low: Array, high: Array, dtype: DType) -> Array:
    """Integers less the one that stands for 0.0."""
    return plain(x).astype(np.float64) - np.float64(standing(0.0, low, high, dtype))


def _product_range(a: tuple[Array, Array, DType], b: tuple[Array, Array, DType]) -> tuple[Any, Any]:
    """The range for which products of integers stand, as 32-bit integers."""
    steps = [(high - low) / np.float32(ends_of(t)[1] - ends_of(t)[0]) for low, high, t in (a, b)]
    step = np.float32(steps[0] * steps[1])
    return step * np.float32(-(2.0**31)), step * np.float32(2.0**31 - 1)


def _matmul_kernel(
    a: Array, b: Array, min_a: Array, max_a: Array, min_b: Array, max_b: Array, *, T1: DType, T2: DType,
    transpose_a: bool, transpose_b: bool, Toutput: DType,
) -> tuple[Array, Any, Any]:  # fmt: skip
    for name, low, high in (("a", min_a, max_a), ("b", min_b, max_b)):
        if not high > low:
            raise bad(f"max_{name} must be larger than min_{name}, found {high} and {low}")
    left, right = _zeroed(a, min_a, max_a, T1), _zeroed(b, min_b, max_b, T2)
    found = (left.T if transpose_a else left) @ (right.T if transpose_b else right)
    return whole(found, Toutput), *_product_range((min_a, max_a, T1), (min_b, max_b, T2))


def _matmul_infer(c: InferContext) -> list[Dims]:
    _scalars(c, 2, 3, 4, 5)
    found: Any = MatMul.infer(InferContext(MatMul, c.inputs[:2], c.attrs))
    return [found[0] if isinstance(found, list) else found, (), ()]


QuantizedMatMul = define(
    "QuantizedMatMul",
    "a: T1, b: T2, min_a: float32, max_a: float32, min_b: float32, max_b: float32 -> out: Toutput, min_out: float32, "
    "max_out: float32",
    attrs="Toutput: type = qint32; transpose_a: bool = False; transpose_b: bool = False; Tactivation: type = quint8",
    allowed={"T1": QUANTIZED, "T2": QUANTIZED, "Toutput": QUANTIZED, "Tactivation": QUANTIZED}, infer=_matmul_infer,
    kernel=_matmul_kernel,
)  # fmt: skip


def _convolve_kernel(
    input: Array, filter: Array, min_input: Array, max_input: Array, min_filter: Array, max_filter: Array, *,
    Tinput: DType, Tfilter: DType, out_type: DType, strides: list[int], padding: str, dilations: list[int],
) -> tuple[Array, Any, Any]:  # fmt: skip
    image, window = _zeroed(input, min_input, max_input, Tinput), _zeroed(filter, min_filter, max_filter, Tfilter)
    found = Conv2D.compute(
        image, window, strides=strides, padding=padding, dilations=dilations, explicit_paddings=[], data_format="NHWC"
    )
    ends = _product_range((min_input, max_input, Tinput), (min_filter, max_filter, Tfilter))
    return whole(np.rint(found), out_type), *ends


def _convolve_infer(c: InferContext) -> list[Dims]:
    _scalars(c, 2, 3, 4, 5)
    attrs = {**c.attrs, "explicit_paddings": [], "data_format": "NHWC"}
    found: Any = Conv2D.infer(InferContext(Conv2D, c.inputs[:2], attrs))
    return [found[0] if isinstance(found, list) else found, (), ()]


QuantizedConv2D = define(
    "QuantizedConv2D",
    "input: Tinput, filter: Tfilter, min_input: float32, max_input: float32, min_filter: float32, "
    "max_filter: float32 -> output: out_type, min_output: float32, max_output: float32",
    attrs="out_type: type = qint32; strides: list(int); padding: {'SAME', 'VALID'}; "
    "dilations: list(int) = [1, 1, 1, 1]",
    allowed={"Tinput": QUANTIZED, "Tfilter": QUANTIZED, "out_type": QUANTIZED}, infer=_convolve_infer,
    kernel=_convolve_kernel,
)  # fmt: skip


# --- functions -------------------------------------------------------------------------------------------------------
def quantize(
    input: TensorLike, min_range: TensorLike, max_range: TensorLike, T: DTypeLike, mode: str = "MIN_COMBINED",
    round_mode: str = "HALF_AWAY_FROM_ZERO", name: str | None = None, narrow_range: bool = False,
    axis: int | None = None, ensure_minimum_range: float = 0.01,
) -> Quantized:  # fmt: skip
    """Numbers of a range as integers of a quantized dtype, and the range for which the integers stand.

    >>> import graphrt as tf
    >>> found = tf.quantization.quantize([-1.0, 0.0, 1.0], -1.0, 1.0, tf.quint8)
    >>> found.output.numpy().tolist(), float(found.output_min), found.output.dtype
    ([0, 128, 255], -1.0, tf.quint8)

    Args:
      input: numbers of any shape, float32.
      min_range, max_range: the ends, scalars; vectors as long as `axis`, if one is given.
      T: `tf.qint8`, `tf.quint8`, `tf.qint16`, `tf.quint16` or `tf.qint32`.
      mode: MIN_COMBINED, MIN_FIRST (0.0 is among the numbers) or SCALED (0 stands for 0.0).
      narrow_range: in the mode SCALED, without the least integer.
      ensure_minimum_range: how wide a range is at least, in parts of its greater end.

    Raises:
      InvalidArgumentError: the ends are not in order, or `round_mode` is not one of the mode.
    """
    x = as_tensor(input, float32)
    kind = as_dtype(T)
    return Quantized(*QuantizeV2(
        x, as_tensor(min_range, float32), as_tensor(max_range, float32), T=kind, mode=mode, round_mode=round_mode,
        narrow_range=narrow_range, axis=axis_of(x, axis), ensure_minimum_range=ensure_minimum_range, name=name,
    ))  # fmt: skip


def dequantize(
    input: TensorLike, min_range: TensorLike, max_range: TensorLike, mode: str = "MIN_COMBINED",
    name: str | None = None, axis: int | None = None, narrow_range: bool = False, dtype: DTypeLike = float32,
) -> Tensor:  # fmt: skip
    """The numbers for which the integers of a quantized tensor stand.

    >>> import graphrt as tf
    >>> tf.quantization.dequantize(tf.constant([0, 255], tf.quint8), -1.0, 1.0).numpy().tolist()
    [-1.0, 1.0]

    Args:
      input: a tensor of a quantized dtype.
      min_range, max_range: the ends, as `quantize` gives them.
      dtype: float32 or bfloat16.
    """
    x = as_tensor(input)
    return Dequantize(
        x, as_tensor(min_range, float32), as_tensor(max_range, float32), mode=mode, narrow_range=narrow_range,
        axis=axis_of(x, axis), dtype=as_dtype(dtype), name=name,
    )  # fmt: skip


def quantized_concat(
    concat_dim: TensorLike, values: Any, input_mins: Any, input_maxes: Any, name: str | None = None
) -> Quantized:
    """Quantized tensors joined along an axis; where their ranges differ, all stand for one that holds them.

    >>> import graphrt as tf
    >>> parts = [tf.constant([0, 128], tf.quint8), tf.constant([255], tf.quint8)]
    >>> found = tf.quantization.quantized_concat(0, parts, [0.0, 0.0], [1.0, 2.0])
    >>> found.output.numpy().tolist(), float(found.output_max)
    ([0, 64, 255], 2.0)
    """
    return Quantized(*QuantizedConcat(concat_dim, list(values), list(input_mins), list(input_maxes), name=name))
