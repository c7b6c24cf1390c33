"""From one dtype to another: `cast`, `saturate_cast`, `bitcast`, and complex numbers from their parts."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt import errors
from graphrt.ir.code import Code, Template
from graphrt.ir.graph import InferContext, Node
from graphrt.ir.op import ALIASES, ELEMENTWISE, PER_ELEMENT, PRESERVES_ZERO, define, ops, provide  # late: a circle
from graphrt.ops.array.selection import SelectV2
from graphrt.ops.math.comparison import Greater, Less
from graphrt.ops.support.never_fails import no_strings
from graphrt.ops.support.shape_rules import as_tensor, broadcast_two, known_value, runs_now, same_shape, unbroadcast
from graphrt.tensor.context import scope
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import EagerTensor, Tensor, TensorLike, raw_of
from graphrt.types import dtype as dtypes
from graphrt.types.advice import conversion
from graphrt.types.dtype import COMPLEX, NUMERIC, QUANTIZED, DType, as_dtype, plain
from graphrt.types.float_warnings import silently
from graphrt.types.likes import Array, DTypeLike

__all__ = ["bitcast", "cast", "complex", "saturate_cast"]


# --- Cast ------------------------------------------------------------------------------------------------------------
def _cast(x: Array, *, SrcT: DType, DstT: DType) -> Array:
    if SrcT is DstT:
        return x
    if SrcT.kind in "SO" or DstT.kind in "SO":
        call = conversion(SrcT, DstT)
        advice = call and f": use {call}"
        raise errors.UnimplementedError(None, None, f"Cast {SrcT.name} to {DstT.name} is not supported{advice}")
    if SrcT.kind == "c" and DstT.kind != "c":
        if DstT.kind == "b":
            return np.not_equal(x, 0)
        x = x.real
    return plain(x).astype(DstT.as_numpy_dtype)


def _cast_vjp(c: Any, g: Any) -> list[Any]:
    source = c.inputs[0].dtype
    if source.kind not in "fc" or g.dtype.kind not in "fc":
        return [None]
    return [cast(g, source)]


def _cast_partial(c: InferContext) -> int | list[int | None] | None:
    if c.attrs["SrcT"].kind not in "iu" or c.attrs["DstT"].kind not in "iu":
        return None
    found = known_value(c.inputs[0])
    low, high = c.attrs["DstT"].min, c.attrs["DstT"].max
    if isinstance(found, list):
        return [None if v is None or not low <= v <= high else v for v in found]
    return found if found is not None and low <= found <= high else None


_BY_CALL = Template("{}({})")
_BY_METHOD = Template("{}.astype({})")


def _emit_cast(emitter: Any, node: Node, inputs: list[Code]) -> list[Code] | None:
    source, target = node.attrs["SrcT"], node.attrs["DstT"]
    if source is target:
        return [inputs[0]]
    if source.kind in "SOcq" or target.kind in "SOq":
        return None
    kind = emitter.bind(target.as_numpy_dtype, target.name)
    # a NumPy scalar converts fastest by calling the type; an out-of-range float has one meaning only in `astype`
    if node.inputs[0].dims == () and (target.kind in "fc" or (source.kind == "b" and target.kind in "iu")):
        return [_BY_CALL(kind, inputs[0])]
    return [_BY_METHOD(inputs[0], kind)]


Cast = define(
    "Cast", "x: SrcT -> y: DstT", attrs="Truncate: bool = False",
    infer=same_shape, kernel=_cast, vjp=_cast_vjp, partial=_cast_partial, emit=_emit_cast,
    traits=(ELEMENTWISE, ALIASES, PRESERVES_ZERO, PER_ELEMENT),
    never_fails=no_strings,
)  # fmt: skip


@provide
def cast(x: TensorLike, dtype: DTypeLike, name: str | None = None) -> Tensor:
    """`x` converted to `dtype`: numbers towards zero, complex numbers by their real part, anything but 0 is True.

    >>> import graphrt as tf
    >>> tf.cast([1.8, -2.2], tf.int32).numpy().tolist()
    [1, -2]

    Raises:
      UnimplementedError: from or to strings.
    """
    target = as_dtype(dtype)
    if isinstance(x, Tensor) and x.dtype is target:
        return Cast(x, DstT=target, name=name) if x.weak else x  # what is asked for by name is weak no longer
    if type(x) is EagerTensor and x.dtype.kind in "biuf" and target.kind in "biufc" and runs_now():
        return EagerTensor(silently(raw_of(x).astype, target.as_numpy_dtype))
    spread = getattr(x, "__tf_cast__", None)  # a composite (a list of slices, say) casts its parts itself
    if spread is not None:
        return spread(target)
    with scope(name, "Cast") as full:
        x = as_tensor(x, name="x")
        return x if x.dtype is target else Cast(x, DstT=target, name=full)


@provide
def saturate_cast(value: TensorLike, dtype: DTypeLike, name: str | None = None) -> Tensor:
    """`value` converted to `dtype`; what is too small or too large becomes the least or greatest value of `dtype`.

    >>> import graphrt as tf
    >>> tf.saturate_cast([-5.0, 12.0, 300.0], tf.uint8).numpy().tolist()
    [0, 12, 255]
    """
    target = as_dtype(dtype)
    with scope(name, "saturate_cast") as full:
        x = as_tensor(value, name="value")
        if target.is_quantized:
            return cast(x, target, name=full) if x.dtype is target else target.min  # which says that there is none
        if x.dtype.kind == "S" or target.kind == "S":
            raise errors.DTypeMismatchError(
                errors.at_user_line(f"saturate_cast takes numbers, not {x.dtype.name} to {target.name}")
            )
        if x.dtype.is_complex:
            if target.is_complex:
                return cast(x, target, name=full)
            x = ops.real(x)
        if not (x.dtype.is_floating or x.dtype.is_integer) or not (target.is_floating or target.is_integer):
            return cast(x, target, name=full)
        low = _representable(target.min, x.dtype, target, up=True)
        high = _representable(target.max, x.dtype, target, up=False)
        if low > x.dtype.min or high < x.dtype.max or (x.dtype.is_floating and target.is_integer):  # infinities
            limits = convert_to_tensor(low, x.dtype), convert_to_tensor(high, x.dtype)
            clamped = ops.ClipByValue(x, *limits, name="clamp")
            if target.is_integer and int(high) < target.max and x.dtype.is_floating:
                return _exact_saturation(x, clamped, limits, target, full)
            x = clamped
        return cast(x, target, name=full)


def _representable(limit: float, source: DType, target: DType, up: bool) -> float:
    """The value of `source` nearest to `limit` that is inside the range of `target`."""
    if source.is_integer:
        whole = int(limit) if target.is_integer else int(float(limit))  # int() of a bfloat16 wraps around
        return max(source.min, whole) if up else min(source.max, whole)
    scalar = source.as_numpy_dtype
    if not target.is_integer:
        return max(float(limit), source.min) if up else min(float(limit), source.max)
    found = scalar(min(max(float(limit), source.min), source.max))
    if (int(found) < limit) if up else (int(found) > limit):
        found = np.nextafter(found, scalar(0))
    return float(found)


def _exact_saturation(
    x: Tensor, clamped: Tensor, limits: tuple[Tensor, Tensor], target: DType, name: str | None
) -> Tensor:
    """The greatest float below the limit is not the limit itself: what lies above it becomes the limit."""
    low, high = limits
    found = cast(clamped, target)
    if x.dtype.min > target.min:
        found = SelectV2(Less(x, low), convert_to_tensor(target.min, target), found)
    return SelectV2(Greater(x, high), convert_to_tensor(target.max, target), found, name=name)


# --- Bitcast ---------------------------------------------------------------------------------------------------------
def _bitcast_dims(c: InferContext) -> tuple[int | None, ...] | None:
    dims = c.dims(0)
    source, target = c.attrs["T"].size, c.attrs["type"].size
    if dims is None or source == target:
        return dims
    if source > target:
        return (*dims, source // target)
    if not dims:
        raise errors.ShapeError(f"Cannot bitcast a scalar of {c.attrs['T'].name} to the larger {c.attrs['type'].name}")
    if dims[-1] is not None and dims[-1] != target // source:
        raise errors.ShapeError(
            f"Cannot bitcast due to shape: the last dimension must be {target // source}, found {dims[-1]}"
        )
    return dims[:-1]


def _bitcast(input: Any, *, type: DType) -> Array:
    array = np.ascontiguousarray(input).reshape(np.shape(input))
    source, target = array.dtype.itemsize, type.size
    kind = type.as_numpy_dtype
    if source == target:
        return array.view(kind)[()]
    if source > target:
        return array.reshape(*array.shape, 1).view(kind)
    if array.ndim == 0 or array.shape[-1] != target // source:
        raise errors.InvalidArgumentError(
            None, None, f"Cannot bitcast from {array.dtype.name} to {type.name}: shape {list(array.shape)}"
        )
    return array.view(kind).reshape(array.shape[:-1])[()]


Bitcast = define(
    "Bitcast", "input: T -> output: type", allowed={"T": NUMERIC + QUANTIZED, "type": NUMERIC + QUANTIZED},
    infer=_bitcast_dims, kernel=_bitcast, vjp=lambda c, g: [None], traits=(ALIASES, PER_ELEMENT),
)  # fmt: skip


@provide
def bitcast(input: TensorLike, type: DTypeLike, name: str | None = None) -> Tensor:
    """The same bytes as elements of another dtype; a last dimension appears or disappears when sizes differ.

    >>> import graphrt as tf
    >>> hex(int(tf.bitcast(1.0, tf.uint32)))
    '0x3f800000'

    Raises:
      InvalidArgumentError: the last dimension does not hold whole elements of `type`.
    """
    return Bitcast(as_tensor(input, name="input"), type=as_dtype(type), name=name)


# --- Complex ---------------------------------------------------------------------------------------------------------
def _complex(real: Any, imag: Array, *, Tout: DType) -> Array:
    out = np.empty(np.broadcast_shapes(np.shape(real), np.shape(imag)), Tout.as_numpy_dtype)
    out.real = real
    out.imag = imag
    return out[()]


def _complex_vjp(c: Any, g: Any) -> list[Any]:
    re, im = c.inputs
    return [unbroadcast(ops.real(g), re, im), unbroadcast(ops.imag(g), im, re)]


Complex = define(
    "Complex", "real: T, imag: T -> out: Tout", attrs="T: type = float32; Tout: type = complex64",
    allowed={"T": (dtypes.float32, dtypes.float64), "Tout": COMPLEX},
    infer=broadcast_two, kernel=_complex, vjp=_complex_vjp, traits=(ELEMENTWISE,),
)  # fmt: skip


@provide
def complex(real: TensorLike, imag: TensorLike, name: str | None = None) -> Tensor:
    """Complex numbers of the parts `real` and `imag`, both float32 or both float64.

    >>> import graphrt as tf
    >>> tf.complex([1.0], [2.0]).numpy().tolist()
    [(1+2j)]

    Raises:
      TypeError: the parts differ in dtype, or are neither float32 nor float64.
    """
    re, im = as_tensor(real, name="real"), as_tensor(imag, name="imag")
    target = {dtypes.float32: dtypes.complex64, dtypes.float64: dtypes.complex128}.get(re.dtype)
    if target is None or im.dtype is not re.dtype:
        raise TypeError(
            errors.at_user_line(
                f"The parts of a complex tensor must both be float32 or float64, got {re.dtype.name} {im.dtype.name}"
            )
        )
    return Complex(re, im, Tout=target, name=name)
