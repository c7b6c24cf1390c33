"""Making arrays."""

from __future__ import annotations

from typing import Any

import numpy

from graphrt import errors
from graphrt.numpy_api.array_api.data_types import (
    COMPLEX,
    DEFAULT,
    array_of,
    check_device,
    complex64,
    dtype_of,
    float32,
)
from graphrt.numpy_api.operands import check_numbers
from graphrt.ops.array.creation import fill
from graphrt.ops.array.creation import ones_like as ones_like_
from graphrt.ops.array.creation import range as range_
from graphrt.ops.array.creation import zeros_like as zeros_like_
from graphrt.ops.array.shape import Shape
from graphrt.ops.math.casting import cast
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.types.dtype import DType
from graphrt.types.likes import DTypeLike, ShapeLike, TensorLike
from graphrt.types.limits import made

np: Any = numpy  # tensors take part in NumPy's functions by its protocols, which the types of NumPy do not know


def _chosen(dtype: Any, otherwise: DType = float32) -> DType:
    return otherwise if dtype is None else dtype_of(dtype)


def _shape(shape: Any) -> list[Any]:
    if isinstance(shape, (int, np.integer)) or (isinstance(shape, Tensor) and shape.ndim == 0):
        return [shape]
    return list(shape) if isinstance(shape, tuple) else shape


def _filled(shape: Any, value: Any, dtype: DType) -> Tensor:
    value = convert_to_tensor(value if not dtype.is_bool else value == 1, dtype)
    return fill(convert_to_tensor(_shape(shape), dtype_hint="int32"), value)


def arange(
    start: TensorLike, /, stop: TensorLike | None = None, step: TensorLike = 1, *, dtype: DTypeLike | None = None,
    device: str | None = None
) -> Tensor:  # fmt: skip
    """The numbers from `start` (or 0) up to `stop` in steps of `step`: int32, or float32 if one is a float.

    >>> import graphrt as tf
    >>> tf.array_api.arange(1, 7, 2).numpy().tolist()
    [1, 3, 5]
    """
    check_device(device)
    if stop is None:
        start, stop = 0, start
    parts = (start, stop, step)
    if dtype is not None:
        kind = dtype_of(dtype)
    elif any(isinstance(v, Tensor) for v in parts):
        kind = next(v.dtype for v in parts if isinstance(v, Tensor))
    else:
        kind = DEFAULT["real floating" if any(isinstance(v, float) for v in parts) else "integral"]
    if any(isinstance(v, Tensor) for v in parts):
        first, end, by = (cast(v, kind) for v in parts)
        return range_(first, end, by)
    check_numbers("arange", *parts)
    numbers: Any = made("the numbers", np.arange, start, stop, step)
    return convert_to_tensor(numbers.astype(kind.as_numpy_dtype))


def asarray(
    obj: TensorLike, /, *, dtype: DTypeLike | None = None, device: str | None = None, copy: bool | None = None
) -> Tensor:  # fmt: skip
    """Numbers, nested sequences, buffers and arrays as an array.

    Raises:
      ValueError: `copy` is False, and there is no other way than to copy.
    """
    check_device(device)
    kind = None if dtype is None else dtype_of(dtype)
    if isinstance(obj, Tensor):
        if kind is None or obj.dtype is kind:
            return obj
        if copy is False:
            raise ValueError(f"an array of dtype {obj.dtype.name} cannot become one of {kind.name} without a copy")
        return cast(obj, kind)
    if copy is False:
        raise ValueError("arrays are immutable, so what others may write to is copied: copy=False is not possible")
    if hasattr(obj, "__tf_tensor__"):
        found = convert_to_tensor(obj)
    elif hasattr(obj, "__dlpack__") and not hasattr(obj, "__array__"):
        found = from_dlpack(obj)
    else:
        found = (
            convert_to_tensor(obj, kind) if kind is not None and not hasattr(obj, "dtype") else convert_to_tensor(obj)
        )
        if kind is None and found.dtype is COMPLEX["complex128"] and not hasattr(obj, "dtype"):
            kind = complex64  # of Python's numbers
    return found if kind is None or found.dtype is kind else cast(found, kind)


def empty(shape: ShapeLike, *, dtype: DTypeLike | None = None, device: str | None = None) -> Tensor:
    """An array of `shape`: zeros, as nothing can be written into it."""
    return zeros(shape, dtype=dtype, device=device)


def empty_like(x: TensorLike, /, *, dtype: DTypeLike | None = None, device: str | None = None) -> Tensor:
    """An array of the shape of `x`: zeros."""
    return zeros_like(x, dtype=dtype, device=device)


def eye(
    n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: DTypeLike | None = None, device: str | None = None
) -> Tensor:  # fmt: skip
    """Ones on the `k`-th diagonal."""
    check_device(device)
    return convert_to_tensor(made("the matrix", np.eye, n_rows, n_cols, k, _chosen(dtype).as_numpy_dtype))


def from_dlpack(x: TensorLike, /, *, device: str | None = None, copy: bool | None = None) -> Tensor:
    """What another library hands over by DLPack. It is copied: nobody else may write to a tensor.

    >>> import graphrt as tf
    >>> import numpy
    >>> tf.array_api.from_dlpack(numpy.arange(3)).numpy().tolist()
    [0, 1, 2]

    Raises:
      ValueError: `copy` is False, and `x` is no tensor.
    """
    check_device(device)
    if isinstance(x, Tensor):
        return x
    if copy is False:
        raise ValueError("arrays are immutable, so what others may write to is copied: copy=False is not possible")
    if not hasattr(x, "__dlpack__"):
        raise errors.unexpected(x, "x", "an array that offers `__dlpack__`")
    return convert_to_tensor(np.array(np.from_dlpack(x)))


def full(
    shape: ShapeLike, fill_value: TensorLike, *, dtype: DTypeLike | None = None, device: str | None = None
) -> Tensor:
    """An array of `shape` filled with a value, in the default dtype of its kind."""
    check_device(device)
    value = asarray(fill_value, dtype=dtype)
    return fill(convert_to_tensor(_shape(shape), dtype_hint="int32"), value)


def full_like(
    x: Tensor, /, fill_value: TensorLike, *, dtype: DTypeLike | None = None, device: str | None = None
) -> Tensor:
    """An array of the shape and dtype of `x` filled with a value."""
    check_device(device)
    x = array_of(x)
    value = asarray(fill_value, dtype=x.dtype if dtype is None else dtype)
    return fill(Shape(x), value)


def linspace(
    start: TensorLike, stop: TensorLike, /, num: int, *, dtype: DTypeLike | None = None, device: str | None = None,
    endpoint: bool = True
) -> Tensor:  # fmt: skip
    """`num` numbers from `start` to `stop`, at equal distances."""
    check_device(device)
    kind = _chosen(dtype, complex64 if isinstance(start, complex) or isinstance(stop, complex) else float32)
    if isinstance(start, Tensor) or isinstance(stop, Tensor):
        return cast(np.linspace(array_of(start), array_of(stop), num, endpoint), kind)
    check_numbers("linspace", start, stop)
    return convert_to_tensor(np.linspace(start, stop, num, endpoint).astype(kind.as_numpy_dtype))


def meshgrid(*arrays: TensorLike, indexing: str = "xy") -> list[Tensor]:
    """The coordinates of a grid from those of its axes."""
    return list(np.meshgrid(*map(array_of, arrays), indexing=indexing))


def ones(shape: ShapeLike, *, dtype: DTypeLike | None = None, device: str | None = None) -> Tensor:
    """An array of ones."""
    check_device(device)
    return _filled(shape, 1, _chosen(dtype))


def ones_like(x: TensorLike, /, *, dtype: DTypeLike | None = None, device: str | None = None) -> Tensor:
    """An array of ones of the shape of `x`."""
    check_device(device)
    return ones_like_(array_of(x), None if dtype is None else dtype_of(dtype))


def tril(x: TensorLike, /, *, k: int = 0) -> Tensor:
    """The lower triangles of matrices, up to the `k`-th diagonal."""
    return np.tril(array_of(x), k)


def triu(x: TensorLike, /, *, k: int = 0) -> Tensor:
    """The upper triangles of matrices, from the `k`-th diagonal."""
    return np.triu(array_of(x), k)


def zeros(shape: ShapeLike, *, dtype: DTypeLike | None = None, device: str | None = None) -> Tensor:
    """An array of zeros."""
    check_device(device)
    return _filled(shape, 0, _chosen(dtype))


def zeros_like(x: TensorLike, /, *, dtype: DTypeLike | None = None, device: str | None = None) -> Tensor:
    """An array of zeros of the shape of `x`."""
    check_device(device)
    return zeros_like_(array_of(x), None if dtype is None else dtype_of(dtype))


__all__ = [
    "arange", "asarray", "empty", "empty_like", "eye", "from_dlpack", "full", "full_like", "linspace",
    "meshgrid", "ones", "ones_like", "tril", "triu", "zeros", "zeros_like",
]  # fmt: skip
