"""Numbers rounded to what few bits hold: fake quantization, and quantization followed by its reverse."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt.errors import ShapeError
from graphrt.ir.graph import InferContext
from graphrt.ir.op import OpDef, define
from graphrt.ops.quantized_numbers import axis_of
from graphrt.ops.support.kernel_helpers import bad, text_of
from graphrt.ops.support.shape_rules import as_tensor, require_rank
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types.dtype import FLOATING, float32
from graphrt.types.likes import Array
from graphrt.types.shape import Dims

__all__ = [
    "fake_quant_with_min_max_args", "fake_quant_with_min_max_args_gradient", "fake_quant_with_min_max_vars",
    "fake_quant_with_min_max_vars_gradient", "fake_quant_with_min_max_vars_per_channel",
    "fake_quant_with_min_max_vars_per_channel_gradient", "quantize_and_dequantize", "quantize_and_dequantize_v2",
]  # fmt: skip


# --- fake quantization -----------------------------------------------------------------------------------------------
def _away(x: Array) -> Array:
    """Halves are rounded away from zero."""
    return np.copysign(np.floor(np.abs(x) + 0.5), x)


def _nudged(low: Array | float, high: Array | float, num_bits: int, narrow_range: bool) -> tuple[Any, Any, Any]:
    """Lower end, upper end and step of the grid next to `[low, high]` on which zero lies."""
    least, most = np.float32(int(narrow_range)), np.float32(2**num_bits - 1)
    low, high = np.asarray(low, np.float32), np.asarray(high, np.float32)
    with np.errstate(all="ignore"):
        scale = (high - low) / (most - least)
        zero = least - low / scale
        at = np.clip(_away(zero), least, most)
        at = np.where(zero < least, least, np.where(zero > most, most, at)).astype(np.float32)
        return (least - at) * scale, (most - at) * scale, scale


def _fake(inputs: Array, low: Array | float, high: Array | float, num_bits: int, narrow_range: bool) -> Array:
    start, end, scale = _nudged(low, high, num_bits, narrow_range)
    with np.errstate(all="ignore"):
        width = np.asarray(high, np.float32) - np.asarray(low, np.float32)
        inverse = np.float32(2**num_bits - 1 - int(narrow_range)) / width
        zero = np.floor(-start * inverse + np.float32(0.5))
        steps = np.floor((np.clip(inputs, start, end) - start) * inverse - zero + np.float32(0.5))
        found = (steps * scale).astype(np.float32)
    empty = (np.asarray(low) == 0) & (np.asarray(high) == 0)
    return np.where(empty, np.float32(0), found).astype(np.float32)[()]


def _inside(
    inputs: Array, low: Array | float, high: Array | float, num_bits: int, narrow_range: bool
) -> tuple[Any, Any, Any]:
    """Where inputs lie below, on and above the grid."""
    _bits(num_bits)
    start, end, _ = _nudged(low, high, num_bits, narrow_range)
    empty = (np.asarray(low) == 0) & (np.asarray(high) == 0)
    below, above = np.asarray(inputs < start) & ~empty, np.asarray(inputs > end) & ~empty
    return below, ~below & ~above, above


def _bits(num_bits: int) -> None:
    if not 2 <= num_bits <= 16:
        raise bad(f"num_bits must be between 2 and 16, inclusive, got {num_bits}")


_ATTRS = "num_bits: int = 8; narrow_range: bool = False"
_RANGE = "min: float = -6.0; max: float = 6.0; "


def _args_kernel(inputs: Array, *, min: float, max: float, num_bits: int, narrow_range: bool) -> Array:
    _bits(num_bits)
    if not min < max:
        raise bad(f"min has to be smaller than max, was: {min} >= {max}")
    return _fake(inputs, min, max, num_bits, narrow_range)


def _args_grad_kernel(
    gradients: Array, inputs: Array, *, min: float, max: float, num_bits: int, narrow_range: bool
) -> Array:
    if np.shape(gradients) != np.shape(inputs):
        raise bad("gradient and input must be the same size")
    return np.where(_inside(inputs, min, max, num_bits, narrow_range)[1], gradients, np.float32(0))[()]


def _copied(call: Any) -> dict[str, Any]:
    return {k: v for k, v in call.attrs.items() if not k.startswith("_")}


FakeQuantWithMinMaxArgs = define(
    "FakeQuantWithMinMaxArgs", "inputs: float32 -> outputs: float32", attrs=_RANGE + _ATTRS,
    infer=lambda c: c.dims(0), kernel=_args_kernel,
    vjp=lambda call, g: [FakeQuantWithMinMaxArgsGradient(g, call.inputs[0], **_copied(call))],
)  # fmt: skip
FakeQuantWithMinMaxArgsGradient: OpDef = define(
    "FakeQuantWithMinMaxArgsGradient", "gradients: float32, inputs: float32 -> backprops: float32",
    attrs=_RANGE + _ATTRS, infer=lambda c: c.dims(0), kernel=_args_grad_kernel,
    vjp=lambda call, g: [FakeQuantWithMinMaxArgsGradient(g, call.inputs[1], **_copied(call)), None],
)  # fmt: skip


def _vars_infer(c: InferContext) -> Dims:
    require_rank(c, 1, 0)
    require_rank(c, 2, 0)
    return c.dims(0)


def _vars_kernel(inputs: Array, min: Array, max: Array, *, num_bits: int, narrow_range: bool) -> Array:
    _bits(num_bits)
    return _fake(inputs, min, max, num_bits, narrow_range)


def _vars_grad_kernel(
    g: Array, inputs: Array, min: Array, max: Array, *, num_bits: int, narrow_range: bool
) -> tuple[Array, Array, Array]:
    below, inside, above = _inside(inputs, min, max, num_bits, narrow_range)
    zero = np.float32(0)
    return (
        np.where(inside, g, zero)[()],
        np.where(below, g, zero).sum(dtype=np.float32),
        np.where(above, g, zero).sum(dtype=np.float32),
    )


FakeQuantWithMinMaxVars = define(
    "FakeQuantWithMinMaxVars", "inputs: float32, min: float32, max: float32 -> outputs: float32", attrs=_ATTRS,
    infer=_vars_infer, kernel=_vars_kernel,
    vjp=lambda call, g: list(FakeQuantWithMinMaxVarsGradient(g, *call.inputs, **_copied(call))),
)  # fmt: skip
FakeQuantWithMinMaxVarsGradient: OpDef = define(
    "FakeQuantWithMinMaxVarsGradient",
    "gradients: float32, inputs: float32, min: float32[0], max: float32[0] -> backprops_wrt_input: float32, "
    "backprop_wrt_min: float32, backprop_wrt_max: float32",
    attrs=_ATTRS, infer=lambda c: [c.dims(0), (), ()], kernel=_vars_grad_kernel,
)  # fmt: skip


def _channel_infer(c: InferContext) -> Dims:
    require_rank(c, 1, 1)
    require_rank(c, 2, 1)
    dims = c.dims(0)
    if dims is not None and len(dims) < 1:
        raise ShapeError("Shape must be at least rank 1 but is rank 0")
    for i in (1, 2):
        ends = c.dims(i)
        if ends and dims and None not in (ends[0], dims[-1]) and ends[0] != dims[-1]:
            raise ShapeError(f"Dimensions must be equal, but are {dims[-1]} and {ends[0]}")
    return dims


def _check_channels(inputs: Array, low: Array, high: Array) -> None:
    depth = inputs.shape[-1]
    for name, found in (("min", low), ("max", high)):
        if np.shape(found) != (depth,):
            raise bad(f"{name} has incorrect size, expected {depth} was {text_of(np.shape(found))}")


def _channel_kernel(inputs: Array, min: Array, max: Array, *, num_bits: int, narrow_range: bool) -> Array:
    _bits(num_bits)
    _check_channels(inputs, min, max)
    return _fake(inputs, min, max, num_bits, narrow_range)


def _channel_grad_kernel(
    g: Array, inputs: Array, min: Array, max: Array, *, num_bits: int, narrow_range: bool
) -> tuple[Array, Array, Array]:
    _check_channels(inputs, min, max)
    below, inside, above = _inside(inputs, min, max, num_bits, narrow_range)
    zero, axes = np.float32(0), tuple(range(np.ndim(inputs) - 1))
    return (
        np.where(inside, g, zero),
        np.where(below, g, zero).sum(axes, dtype=np.float32),
        np.where(above, g, zero).sum(axes, dtype=np.float32),
    )


FakeQuantWithMinMaxVarsPerChannel = define(
    "FakeQuantWithMinMaxVarsPerChannel", "inputs: float32, min: float32, max: float32 -> outputs: float32",
    attrs=_ATTRS, infer=_channel_infer, kernel=_channel_kernel,
    vjp=lambda call, g: list(FakeQuantWithMinMaxVarsPerChannelGradient(g, *call.inputs, **_copied(call))),
)  # fmt: skip
FakeQuantWithMinMaxVarsPerChannelGradient: OpDef = define(
    "FakeQuantWithMinMaxVarsPerChannelGradient",
    "gradients: float32, inputs: float32, min: float32, max: float32 -> backprops_wrt_input: float32, "
    "backprop_wrt_min: float32, backprop_wrt_max: float32",
    attrs=_ATTRS, infer=lambda c: [c.dims(0), c.dims(2), c.dims(3)], kernel=_channel_grad_kernel,
)  # fmt: skip


def fake_quant_with_min_max_args(
    inputs: TensorLike, min: float = -6, max: float = 6, num_bits: int = 8, narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Float32 numbers rounded to the `2**num_bits` values that lie evenly between `min` and `max`, of which 0 is one.

    >>> import graphrt as tf
    >>> tf.quantization.fake_quant_with_min_max_args([-9., 0.2, 1.3], min=-1, max=2, num_bits=2).numpy().tolist()
    [-1.0, 0.0, 1.0]

    Raises:
      InvalidArgumentError: `min` is not below `max`, or `num_bits` not in 2 to 16.
    """
    return FakeQuantWithMinMaxArgs(inputs, min=min, max=max, num_bits=num_bits, narrow_range=narrow_range, name=name)


def fake_quant_with_min_max_args_gradient(
    gradients: TensorLike, inputs: TensorLike, min: float = -6, max: float = 6, num_bits: int = 8,
    narrow_range: bool = False, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The gradients where `inputs` lie in the range of `fake_quant_with_min_max_args`, zeros elsewhere.

    >>> import graphrt as tf
    >>> tf.quantization.fake_quant_with_min_max_args_gradient([1., 1.], [0., 7.]).numpy().tolist()
    [1.0, 0.0]
    """
    return FakeQuantWithMinMaxArgsGradient(
        gradients, inputs, min=min, max=max, num_bits=num_bits, narrow_range=narrow_range, name=name
    )


def fake_quant_with_min_max_vars(
    inputs: TensorLike, min: TensorLike, max: TensorLike, num_bits: int = 8, narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """As `fake_quant_with_min_max_args`, with ends that are tensors, which have gradients.

    >>> import graphrt as tf
    >>> tf.quantization.fake_quant_with_min_max_vars([-9., 0.2, 1.3], -1., 2., num_bits=2).numpy().tolist()
    [-1.0, 0.0, 1.0]

    Raises:
      InvalidArgumentError: `num_bits` is not in 2 to 16.
    """
    return FakeQuantWithMinMaxVars(inputs, min, max, num_bits=num_bits, narrow_range=narrow_range, name=name)


def fake_quant_with_min_max_vars_gradient(
    gradients: TensorLike, inputs: TensorLike, min: TensorLike, max: TensorLike, num_bits: int = 8,
    narrow_range: bool = False, name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """The gradients of `fake_quant_with_min_max_vars` for its inputs, `min` and `max`.

    >>> import graphrt as tf
    >>> found = tf.quantization.fake_quant_with_min_max_vars_gradient([1., 2.], [0., 7.], -1., 1.)
    >>> [g.numpy().tolist() for g in found]
    [[1.0, 0.0], 0.0, 2.0]
    """
    return tuple(
        FakeQuantWithMinMaxVarsGradient(
            gradients, inputs, min, max, num_bits=num_bits, narrow_range=narrow_range, name=name
        )
    )


def fake_quant_with_min_max_vars_per_channel(
    inputs: TensorLike, min: TensorLike, max: TensorLike, num_bits: int = 8, narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """As `fake_quant_with_min_max_vars`, with ends of their own for each element of the last axis.

    >>> import graphrt as tf
    >>> x = [[0.2, 0.2]]
    >>> tf.quantization.fake_quant_with_min_max_vars_per_channel(x, [0., 0.], [3., .3], num_bits=2).numpy().tolist()
    [[0.0, 0.20000000298023224]]

    Raises:
      InvalidArgumentError: `min` or `max` have another length, or `num_bits` is not in 2 to 16.
    """
    return FakeQuantWithMinMaxVarsPerChannel(inputs, min, max, num_bits=num_bits, narrow_range=narrow_range, name=name)


def fake_quant_with_min_max_vars_per_channel_gradient(
    gradients: TensorLike, inputs: TensorLike, min: TensorLike, max: TensorLike, num_bits: int = 8,
    narrow_range: bool = False, name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """The gradients of `fake_quant_with_min_max_vars_per_channel` for its inputs, `min` and `max`.

    >>> import graphrt as tf
    >>> f = tf.quantization.fake_quant_with_min_max_vars_per_channel_gradient
    >>> [g.numpy().tolist() for g in f([[1., 2.]], [[0., 7.]], [-1., -1.], [1., 1.])]
    [[[1.0, 0.0]], [0.0, 0.0], [0.0, 2.0]]
    """
    return tuple(
        FakeQuantWithMinMaxVarsPerChannelGradient(
            gradients, inputs, min, max, num_bits=num_bits, narrow_range=narrow_range, name=name
        )
    )


# --- there and back --------------------------------------------------------------------------------------------------
def _ends(x: Array, low: Array, high: Array, axis: int, range_given: bool) -> tuple[Any, Any]:
    """Least and greatest value, of the shape that broadcasts against `x`."""
    if axis < -1 or axis >= np.ndim(x):
        raise bad(f"Axis should be at least -1 and less than the rank {np.ndim(x)}, got {axis}")
    along = [1] * np.ndim(x)
    if axis >= 0:
        along[axis] = x.shape[axis]
    if not range_given:
        others = tuple(i for i in range(np.ndim(x)) if i != axis) if axis >= 0 else None
        if np.size(x) == 0:
            return np.zeros(along, x.dtype), np.zeros(along, x.dtype)
        return np.min(x, axis=others, keepdims=True), np.max(x, axis=others, keepdims=True)
    for name, end in (("input_min", low), ("input_max", high)):
        if axis >= 0 and np.shape(end) != (x.shape[axis],):
            raise bad(f"Shape must be [{x.shape[axis]}] for {name}, got {text_of(np.shape(end))}")
    if not (np.asarray(low) <= np.asarray(high)).all():
        raise bad("Invalid range: input_min must be less than or equal to input_max")
    shape = along if axis >= 0 else [1] * np.ndim(x)
    return np.reshape(low, shape), np.reshape(high, shape)


def _there_and_back(
    x: Array, low: Array, high: Array, num_bits: int, signed_input: bool, range_given: bool, round_mode: str,
    narrow_range: bool, axis: int,
) -> Array:  # fmt: skip
    if not 1 + signed_input <= num_bits <= 62 + (not signed_input):
        raise bad(f"num_bits is out of range: {num_bits} with signed_input {signed_input}")
    kind = x.dtype.type
    low, high = _ends(x, low, high, axis, range_given)
    least = float(-(2 ** (num_bits - 1)) + narrow_range) if signed_input else float(int(narrow_range))
    most = float(2 ** (num_bits - 1) - 1) if signed_input else float(2**num_bits - 1)
    low, high = low.astype(x.dtype), high.astype(x.dtype)
    largest = np.finfo(x.dtype).max
    with np.errstate(all="ignore"):
        from_low = np.where(kind(least) * low > 0, kind(least) / low, largest)
        from_high = np.where(kind(most) * high > 0, kind(most) / high, largest)
        smaller = from_low < from_high
        scale = np.where(smaller, from_low, from_high).astype(x.dtype)
        inverse = np.where(smaller, low / kind(least) if least else low, high / kind(most)).astype(x.dtype)
        high = np.where(smaller, kind(most) * inverse, high).astype(x.dtype)
        low = np.where(smaller, low, kind(least) * inverse).astype(x.dtype)
        # beyond the range nothing is representable; without a given range nothing lies beyond
        steps = np.clip(x, low, high) * scale if range_given else x * scale
        if round_mode == "HALF_TO_EVEN":
            rounded = np.rint(steps)
        elif round_mode == "HALF_UP":
            rounded = np.floor(steps + kind(0.5))
        else:
            raise bad(f"Round mode string must be 'HALF_TO_EVEN' or 'HALF_UP', is '{round_mode}'")
        if not range_given:
            rounded = np.minimum(rounded, kind(most))
        return (rounded * inverse).astype(x.dtype)[()]


def _range_infer(c: InferContext) -> Dims:
    dims, axis = c.dims(0), c.attrs["axis"]
    mode = c.attrs.get("round_mode", "HALF_TO_EVEN")
    if mode not in ("HALF_TO_EVEN", "HALF_UP"):
        raise ValueError(f"Value for attr 'round_mode' of \"{mode}\" is not in the list of allowed values")
    if axis < -1 or (dims is not None and axis >= len(dims)):
        raise ShapeError(f"Axis {axis} is out of range for an input of shape {dims}")
    for i in (1, 2) if axis >= 0 and c.attrs["range_given"] else ():
        ends = c.dims(i)
        size = None if dims is None else dims[axis]
        if ends is not None and (len(ends) != 1 or (None not in (size, ends[0]) and ends[0] != size)):
            raise ShapeError(f"The ends of the range need the shape [{size}], found {ends}")
    return dims


_HOW = "signed_input: bool = True; "


def _fixed_kernel(
    x: Array, low: Array, high: Array, *, signed_input: bool, num_bits: int, range_given: bool, round_mode: str,
    narrow_range: bool, axis: int,
) -> Array:  # fmt: skip
    return _there_and_back(x, low, high, num_bits, signed_input, range_given, round_mode, narrow_range, axis)


def _straight(call: Any, g: object) -> list[Any]:
    """The gradient goes straight through."""
    return [g, *[None] * (len(call.inputs) - 1)]


QuantizeAndDequantizeV2 = define(
    "QuantizeAndDequantizeV2", "input: T, input_min: T[0..1], input_max: T[0..1] -> output: T",
    attrs=_HOW + "num_bits: int = 8; range_given: bool = False; T: type; "
    "round_mode: {'HALF_TO_EVEN', 'HALF_UP'} = 'HALF_TO_EVEN'; "
    "narrow_range: bool = False; axis: int = -1",
    allowed={"T": FLOATING}, infer=_range_infer, kernel=_fixed_kernel, vjp=_straight,
)  # fmt: skip
QuantizeAndDequantizeV3 = define(
    "QuantizeAndDequantizeV3", "input: T, input_min: T[0..1], input_max: T[0..1], num_bits: int32[0] -> output: T",
    attrs=_HOW + "range_given: bool = True; T: type; narrow_range: bool = False; axis: int = -1",
    allowed={"T": FLOATING}, infer=_range_infer, vjp=_straight,
    kernel=lambda x, low, high, num_bits, *, signed_input, range_given, narrow_range, axis: _there_and_back(
        x, low, high, int(num_bits), signed_input, range_given, "HALF_TO_EVEN", narrow_range, axis
    ),
)  # fmt: skip
QuantizeAndDequantizeV4 = define(
    "QuantizeAndDequantizeV4", "input: T, input_min: T[0..1], input_max: T[0..1] -> output: T",
    attrs=_HOW + "num_bits: int = 8; range_given: bool = False; T: type; "
    "round_mode: {'HALF_TO_EVEN', 'HALF_UP'} = 'HALF_TO_EVEN'; "
    "narrow_range: bool = False; axis: int = -1",
    allowed={"T": FLOATING}, infer=_range_infer, kernel=_fixed_kernel,
    vjp=lambda call, g: list(QuantizeAndDequantizeV4Grad(g, *call.inputs, axis=call.attrs["axis"])),
)  # fmt: skip


def _back_kernel(g: Array, x: Array, low: Array, high: Array, *, axis: int) -> tuple[Array, Array, Array]:
    shape = [1] * np.ndim(x)
    if axis >= 0:
        shape[axis] = x.shape[axis]
    one, two = np.reshape(low, shape), np.reshape(high, shape)
    return np.where((x >= one) & (x <= two), g, g.dtype.type(0))[()], np.zeros_like(low), np.zeros_like(high)


QuantizeAndDequantizeV4Grad: OpDef = define(
    "QuantizeAndDequantizeV4Grad",
    "gradients: T, input: T, input_min: T[0..1], input_max: T[0..1] -> input_backprop: T, input_min_backprop: T, "
    "input_max_backprop: T",
    attrs="axis: int = -1; T: type", allowed={"T": FLOATING}, infer=lambda c: [c.dims(1), c.dims(2), c.dims(3)],
    kernel=_back_kernel,
)  # fmt: skip


def quantize_and_dequantize(
    input: TensorLike, input_min: TensorLike, input_max: TensorLike, signed_input: bool = True, num_bits: int = 8,
    range_given: bool = False, round_mode: str = "HALF_TO_EVEN", name: str | None = None, narrow_range: bool = False,
    axis: int | None = None,
) -> Tensor:  # fmt: skip
    """As `quantize_and_dequantize_v2`, with a gradient that goes straight through.

    >>> import graphrt as tf
    >>> tf.quantization.quantize_and_dequantize([0.3, 3.], 0., 3., num_bits=3, range_given=True).numpy().tolist()
    [0.0, 3.0]
    """
    x = as_tensor(input)
    kind = x.dtype if x.dtype in FLOATING else float32
    return QuantizeAndDequantizeV2(
        x, as_tensor(input_min, kind), as_tensor(input_max, kind), signed_input=signed_input, num_bits=num_bits,
        range_given=range_given, round_mode=round_mode, narrow_range=narrow_range, axis=axis_of(x, axis), name=name,
    )  # fmt: skip


def quantize_and_dequantize_v2(
    input: TensorLike, input_min: TensorLike, input_max: TensorLike, signed_input: bool = True, num_bits: int = 8,
    range_given: bool = False, round_mode: str = "HALF_TO_EVEN", name: str | None = None, narrow_range: bool = False,
    axis: int | None = None,
) -> Tensor:  # fmt: skip
    """Numbers rounded to a grid of `2**num_bits` steps around zero, in one range or one for each element of `axis`.

    Without `range_given` the range is that of the input.

    >>> import graphrt as tf
    >>> found = tf.quantization.quantize_and_dequantize_v2([0.3, 3.], 0., 3., num_bits=3, range_given=True)
    >>> found.numpy().tolist()
    [0.0, 3.0]

    Raises:
      InvalidArgumentError: `input_min` is above `input_max`, or `num_bits` is out of range.
    """
    x = as_tensor(input)
    kind = x.dtype if x.dtype in FLOATING else float32
    return QuantizeAndDequantizeV4(
        x, as_tensor(input_min, kind), as_tensor(input_max, kind), signed_input=signed_input, num_bits=num_bits,
        range_given=range_given, round_mode=round_mode, narrow_range=narrow_range, axis=axis_of(x, axis), name=name,
    )  # fmt: skip
