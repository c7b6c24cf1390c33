"""The dtypes of the standard, and what is asked of them."""

from __future__ import annotations

import builtins
from dataclasses import dataclass

import numpy as np

from graphrt.ops.math.casting import cast
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.types.dtype import (
    DType,
    as_dtype,
    complex64,
    complex128,
    float32,
    float64,
    from_numpy,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from graphrt.types.dtype import bool_ as bool
from graphrt.types.likes import DTypeLike, TensorLike
from graphrt.types.nesting import bounded, said, shown

DEFAULT = {"real floating": float32, "complex floating": complex64, "integral": int32, "indexing": int64}
SIGNED = {"int8": int8, "int16": int16, "int32": int32, "int64": int64}
UNSIGNED = {"uint8": uint8, "uint16": uint16, "uint32": uint32, "uint64": uint64}
REAL = {"float32": float32, "float64": float64}
COMPLEX = {"complex64": complex64, "complex128": complex128}
KINDS: dict[str, dict[str, DType]] = {
    "bool": {"bool": bool},
    "signed integer": SIGNED,
    "unsigned integer": UNSIGNED,
    "integral": SIGNED | UNSIGNED,
    "real floating": REAL,
    "complex floating": COMPLEX,
    "numeric": SIGNED | UNSIGNED | REAL | COMPLEX,
}


def dtype_of(dtype: DTypeLike) -> DType:
    """A dtype of ours, of NumPy's or of Python's (`bool`, `int`, `float`, `complex`) as one of ours."""
    if isinstance(dtype, DType):
        return dtype
    plain = {builtins.bool: bool, int: int32, float: float32, complex: complex64}
    return plain[dtype] if isinstance(dtype, type) and dtype in plain else as_dtype(dtype)


def array_of(x: TensorLike) -> Tensor:
    """A tensor as it is; variables and arrays as tensors."""
    return x if isinstance(x, Tensor) else convert_to_tensor(x)


def check_device(device: str | None) -> None:
    """Raises ValueError unless `device` is ours, or not said."""
    if device is not None and said(device).rpartition("/")[2].lower() not in ("cpu", "cpu:0", "device:cpu:0"):
        raise ValueError(f"there is one device, the CPU, found {shown(device)}")


def astype(x: Tensor, dtype: DTypeLike, /, *, copy: builtins.bool = True, device: str | None = None) -> Tensor:
    """`x` converted to `dtype`."""
    check_device(device)
    x = array_of(x)
    return x if x.dtype is dtype_of(dtype) else cast(x, dtype_of(dtype))


def can_cast(from_: DType | Tensor, to: DType, /) -> builtins.bool:
    """Whether `from_` (a dtype or a tensor) promotes to `to`."""
    source = from_.dtype if isinstance(from_, Tensor) else dtype_of(from_)
    return np.can_cast(source.as_numpy_dtype, dtype_of(to).as_numpy_dtype)


@dataclass(frozen=True)
class FloatInfo:
    """The limits of a floating dtype."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: DType


@dataclass(frozen=True)
class IntInfo:
    """The limits of an integer dtype."""

    bits: int
    max: int
    min: int
    dtype: DType


def finfo(type: DType | Tensor, /) -> FloatInfo:
    """The limits of a floating dtype, or of that of a tensor; of a complex one those of its parts."""
    dtype = (type.dtype if isinstance(type, Tensor) else dtype_of(type)).real_dtype
    found = np.finfo(dtype.as_numpy_dtype)
    return FloatInfo(
        found.bits, float(found.eps), float(found.max), float(found.min), float(found.smallest_normal), dtype
    )


def iinfo(type: DType | Tensor, /) -> IntInfo:
    """The limits of an integer dtype, or of that of a tensor."""
    dtype = type.dtype if isinstance(type, Tensor) else dtype_of(type)
    found = np.iinfo(dtype.as_numpy_dtype)
    return IntInfo(found.bits, int(found.max), int(found.min), dtype)


@bounded
def isdtype(dtype: DTypeLike, kind: str | DType | tuple[str | DType, ...]) -> builtins.bool:
    """Whether `dtype` is (of) `kind`: a dtype, one of the standard's words for kinds, or a tuple of these.

    Raises:
      ValueError: no such kind.
    """
    if isinstance(kind, tuple):
        return any(isdtype(dtype, k) for k in kind)
    if isinstance(kind, str) and kind not in KINDS:
        raise ValueError(f"unrecognized data type kind: {kind!r}; the kinds are {', '.join(KINDS)}")
    if isinstance(kind, str):
        return dtype_of(dtype) in KINDS[kind].values()
    return dtype_of(dtype) is dtype_of(kind)


def result_type(*arrays_and_dtypes: DType | Tensor) -> DType:
    """The dtype that tensors, dtypes and Python numbers promote to.

    Raises:
      TypeError: there are only numbers.
    """
    if not any(isinstance(v, (Tensor, DType)) or hasattr(v, "dtype") for v in arrays_and_dtypes):
        raise TypeError("at least one tensor or dtype is needed")
    found = [
        np.dtype(v.as_numpy_dtype) if isinstance(v, DType)
        else np.dtype(v.dtype.as_numpy_dtype) if hasattr(v, "dtype") and isinstance(v.dtype, DType) else v
        for v in arrays_and_dtypes
    ]  # fmt: skip
    return from_numpy(np.result_type(*found))


__all__ = [
    "astype", "bool", "can_cast", "complex64", "complex128", "finfo", "float32", "float64", "iinfo", "int8", "int16",
    "int32", "int64", "isdtype", "result_type", "uint8", "uint16", "uint32", "uint64",
]  # fmt: skip
