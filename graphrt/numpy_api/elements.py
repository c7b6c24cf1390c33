"""NumPy's choices between elements, and comparisons of them, on tensors."""

from __future__ import annotations

from typing import Any

import numpy

from graphrt.numpy_api.joining import np_nonzero
from graphrt.numpy_api.operands import as_booleans, as_floats, implements, strictly, tensor_of_any, together
from graphrt.ops.array.creation import zeros_like
from graphrt.ops.array.selection import where
from graphrt.ops.math.arithmetic import Maximum, Minimum, clip_by_value
from graphrt.ops.math.casting import complex as complex_
from graphrt.ops.math.comparison import Equal, Greater, LessEqual
from graphrt.ops.math.elementwise import IsFinite, IsInf, IsNan, Round, angle, imag, real
from graphrt.ops.math.elementwise import abs as abs_
from graphrt.ops.math.elementwise import round as round_
from graphrt.ops.math.logical import LogicalAnd, LogicalOr
from graphrt.ops.math.reduction import reduce_all
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.types.likes import TensorLike

__all__: list[str] = []

np: Any = numpy  # tensors take part in NumPy's functions by its protocols, which the types of NumPy do not know


# --- choices ---------------------------------------------------------------------------------------------------------
@implements(np.where)
def np_where(condition: TensorLike, x: Tensor | float | None = None, y: Tensor | float | None = None) -> Any:
    mask = as_booleans(tensor_of_any(condition))
    if x is None and y is None:
        return np_nonzero(mask)
    first, second = together([x, y])
    return where(mask, first, second)


@implements(np.clip)
def _clip(a: TensorLike, a_min: Any = None, a_max: Any = None, *, min: Any = None, max: Any = None) -> Tensor:
    low, high = a_min if min is None else min, a_max if max is None else max
    x = tensor_of_any(a)
    if low is None and high is None:
        return np.positive(x)
    plain = (int, float)
    fits = x.dtype.kind == "f" or type(low) is type(high) is int
    if fits and type(low) in plain and type(high) in plain and low <= high:
        return clip_by_value(x, low, high)  # as one writes it without NumPy
    if low is not None:
        x = Maximum(*together([x, low]))
    return x if high is None else Minimum(*together([x, high]))


@implements(np.nan_to_num)
def _nan_to_num(x: TensorLike, copy: bool = True, nan: float = 0.0, posinf: Any = None, neginf: Any = None) -> Tensor:
    t = tensor_of_any(x)
    if t.dtype.is_complex:
        first, second = (_nan_to_num(part, nan=nan, posinf=posinf, neginf=neginf) for part in _parts(t))
        return complex_(first, second)
    if t.dtype.kind != "f":
        return t
    high = convert_to_tensor(t.dtype.max if posinf is None else posinf, t.dtype)
    low = convert_to_tensor(t.dtype.min if neginf is None else neginf, t.dtype)
    found = where(IsNan(t), convert_to_tensor(nan, t.dtype), t)
    infinite = IsInf(found)
    zero = convert_to_tensor(0, t.dtype)
    return where(infinite, where(Greater(found, zero), high, low), found)


@implements(np.isclose)
def _isclose(a: TensorLike, b: TensorLike, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Tensor:
    x, y = (as_floats(v) for v in together([a, b]))
    near = LessEqual(abs_(x - y), atol + rtol * abs_(y))
    finite = LogicalAnd(*map(IsFinite, _parts(y))) if y.dtype.is_complex else IsFinite(y)
    near = LogicalOr(LogicalAnd(near, finite), Equal(x, y))
    return LogicalOr(near, LogicalAnd(_is_nan(x), _is_nan(y))) if equal_nan else near


def _parts(x: Any) -> tuple[Any, Any]:
    return real(x), imag(x)


def _is_nan(x: Any) -> Any:
    return LogicalOr(*map(IsNan, _parts(x))) if x.dtype.is_complex else IsNan(x)


@implements(np.allclose)
def _allclose(a: TensorLike, b: TensorLike, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Tensor:
    return reduce_all(_isclose(a, b, rtol, atol, equal_nan))


@implements(np.array_equal)
def _array_equal(a1: TensorLike, a2: TensorLike) -> Tensor:
    x, y = together([a1, a2])
    if x.dims is None or y.dims is None or None in x.dims or None in y.dims:
        return NotImplemented
    return reduce_all(Equal(x, y)) if x.dims == y.dims else convert_to_tensor(False)


@implements(np.round, np.around)
def _round(a: TensorLike, decimals: int = 0) -> Tensor:
    x = tensor_of_any(a)
    if decimals == 0:
        return round_(x)
    if x.dtype.kind != "f":
        return NotImplemented if decimals < 0 or x.dtype.is_bool else x
    scale = convert_to_tensor(10.0 ** abs(decimals), x.dtype)
    return Round(x * scale) / scale if decimals > 0 else Round(x / scale) * scale


@implements(np.real)
def _real(val: Tensor) -> Tensor:
    return real(tensor_of_any(val))


@implements(np.imag)
def _imag(val: TensorLike) -> Tensor:
    return imag(tensor_of_any(val))


@implements(np.angle)
def _angle(z: TensorLike) -> Tensor:
    x = tensor_of_any(z)
    return angle(x) if x.dtype.is_complex or not strictly() else np.arctan2(zeros_like(as_floats(x)), x)


@implements(np.iscomplexobj)
def _iscomplexobj(x: Any) -> Any:
    return tensor_of_any(x).dtype.is_complex


@implements(np.isrealobj)
def _isrealobj(x: Any) -> Any:
    return not tensor_of_any(x).dtype.is_complex


@implements(np.result_type)
def _result_type(*arrays_and_dtypes: Any) -> Any:
    return np.result_type(
        *(np.dtype(v.dtype.as_numpy_dtype) if isinstance(v, Tensor) else v for v in arrays_and_dtypes)
    )
