"""Diagonals and bands of matrices: built, read, replaced.

Several diagonals at once are packed as rows, padded to one length: `align` says on which side those above and below
the main diagonal stand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.errors import ShapeError
from graphrt.ir.graph import InferContext
from graphrt.ir.op import OpDef, define, ops, provide  # late: array.creation and math.reduction import this file
from graphrt.ops.array.shape import Reshape, shape
from graphrt.ops.support.kernel_helpers import bad, const_int, const_ints, ints, text_of
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.context import scope
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types.dtype import (
    INDEX,
    bfloat16,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int32,
    int64,
)
from graphrt.types.likes import Array
from graphrt.types.shape import Dims, merge

__all__ = [
    "band_part", "diag", "diag_part", "set_diag", "tensor_diag", "tensor_diag_part", "trace",
]  # fmt: skip


def _band(k: object, fail: Callable[..., Any] | type = bad) -> tuple[int, int]:
    bounds = ints(k)
    if not 1 <= len(bounds) <= 2:
        raise fail(f"diag_index must have only one or two elements, received {len(bounds)} elements.")
    low, high = bounds[0], bounds[-1]
    if low > high:
        raise fail(f"lower_diag_index must not be larger than upper_diag_index: {low} > {high}")
    return low, high


def _length(rows: int, columns: int, d: int) -> int:
    return min(rows + min(0, d), columns - max(0, d))


def _offset(d: int, length: int, longest: int, align: str) -> int:
    """Where the elements of diagonal `d` start in its padded row."""
    above, below = align.split("_")
    side = above if d >= 0 else below
    if d == 0 and above != below and length == longest:
        return 0
    return longest - length if side == "RIGHT" else 0


def _check_band(low: int, high: int, rows: int, columns: int, fail: Callable[..., Any] | type = bad) -> None:
    for d, which in ((low, "lower_diag_index"), (high, "upper_diag_index")):
        if not (-rows < d < columns or d == 0):
            raise fail(f"{which} is out of bound: {d} It must be between {-rows} and {columns}")


# --- MatrixDiagV3 ----------------------------------------------------------------------------------------------------
def _diag_size(
    low: int, high: int, longest: int, rows: int, columns: int, fail: Callable[..., Any] | type
) -> tuple[int, int]:
    least_rows = longest - min(high, 0)
    least_columns = longest + max(low, 0)
    if rows == -1 and columns == -1:
        size = max(least_rows, least_columns)
        return size, size
    rows = least_rows if rows == -1 else rows
    columns = least_columns if columns == -1 else columns
    if rows < least_rows:
        raise fail(f"The number of rows is too small: {rows} < {least_rows}")
    if columns < least_columns:
        raise fail(f"The number of columns is too small: {columns} < {least_columns}")
    if rows != least_rows and columns != least_columns:
        raise fail("The number of rows or columns is not consistent with the specified d_lower, d_upper, and diagonal.")
    return rows, columns


def _diag_kernel(diagonal: Array, k: Array, num_rows: Array, num_cols: Array, padding: Array, *, align: str) -> Array:
    low, high = _band(k)
    array = np.asarray(diagonal)
    if array.ndim < 1:
        raise bad(f"diagonal must be at least 1-dim, received shape: {text_of(array.shape)}")
    count = high - low + 1
    if len(ints(k)) == 2 and count > 1:
        if array.ndim < 2 or array.shape[-2] != count:
            raise bad(f"The number of diagonals provided in the input does not match the lower_diag_index and "
                      f"upper_diag_index range: {array.shape} {count}")  # fmt: skip
        lead = array.shape[:-2]
    else:
        lead = array.shape[:-1]
        array = array.reshape(*lead, 1, array.shape[-1])
    longest = array.shape[-1]
    rows, columns = _diag_size(low, high, longest, int(num_rows), int(num_cols), bad)
    out = np.full((*lead, rows, columns), np.asarray(padding)[()], array.dtype)
    for d in range(low, high + 1):
        length = _length(rows, columns, d)
        start = _offset(d, length, longest, align)
        i = np.arange(length)
        out[..., i + max(0, -d), i + max(0, d)] = array[..., high - d, start : start + length]
    return out


def _diag_dims(c: InferContext) -> Dims:
    dims, k = c.dims(0), const_ints(c, 1)
    if dims is None:
        return None
    if k is None:
        return None
    if not dims:
        raise ShapeError("Shape must be at least rank 1 but is rank 0")
    low, high = _band(k, ShapeError)
    lead = dims[:-2] if high > low else dims[:-1]
    rows, columns = const_int(c, 2), const_int(c, 3)
    if rows is None or columns is None or dims[-1] is None:
        return (*lead, rows if rows is not None and rows >= 0 else None,
                columns if columns is not None and columns >= 0 else None)  # fmt: skip
    return (*lead, *_diag_size(low, high, dims[-1], rows, columns, ShapeError))


def _part(call: Any, g: Any, x: Any) -> Tensor:
    found = MatrixDiagPartV3(g, call.inputs[1], np.asarray(0, g.dtype.as_numpy_dtype), align=call.attrs["align"])
    return Reshape(found, shape(x)) if found.dims != x.dims else found


MatrixDiagV3 = define(
    "MatrixDiagV3",
    "diagonal: T[1+], k: int32[0..1], num_rows: int32[0], num_cols: int32[0], padding_value: T[0] -> output: T",
    attrs="align: {'LEFT_RIGHT', 'RIGHT_LEFT', 'LEFT_LEFT', 'RIGHT_RIGHT'} = 'RIGHT_LEFT'", infer=_diag_dims,
    kernel=_diag_kernel,
    vjp=lambda call, g: [_part(call, g, call.inputs[0]), None, None, None, None],
)  # fmt: skip


# --- MatrixDiagPartV3 ------------------------------------------------------------------------------------------------
def _part_kernel(x: Array, k: Array, padding: Array, *, align: str) -> Array:
    low, high = _band(k)
    array = np.asarray(x)
    if array.ndim < 2:
        raise bad(f"input must be at least 2-dim, received shape: {text_of(array.shape)}")
    rows, columns = array.shape[-2:]
    _check_band(low, high, rows, columns)
    longest = min(rows + min(high, 0), columns - max(low, 0))
    out = np.full((*array.shape[:-2], high - low + 1, longest), np.asarray(padding)[()], array.dtype)
    for d in range(low, high + 1):
        length = _length(rows, columns, d)
        start = _offset(d, length, longest, align)
        i = np.arange(length)
        out[..., high - d, start : start + length] = array[..., i + max(0, -d), i + max(0, d)]
    return out if high > low else out[..., 0, :]


def _part_dims(c: InferContext) -> Dims:
    dims, k = c.dims(0), const_ints(c, 1)
    if dims is not None and len(dims) < 2:
        raise ShapeError(f"Shape must be at least rank 2 but is rank {len(dims)}")
    if dims is None or k is None:
        return None
    low, high = _band(k, ShapeError)
    rows, columns = dims[-2:]
    longest = None
    if rows is not None and columns is not None:
        _check_band(low, high, rows, columns, ShapeError)
        longest = min(rows + min(high, 0), columns - max(low, 0))
    return (*dims[:-2], high - low + 1, longest) if high > low else (*dims[:-2], longest)


def _part_vjp(call: Any, g: object) -> list[Any]:
    # an off-centre diagonal of a matrix may leave both rows and columns free: write it into zeros instead
    x, k, _ = call.inputs
    return [MatrixSetDiagV3(ops.zeros_like(x), g, k, align=call.attrs["align"]), None, None]


MatrixDiagPartV3 = define(
    "MatrixDiagPartV3", "input: T, k: int32[0..1], padding_value: T[0] -> diagonal: T",
    attrs="align: {'LEFT_RIGHT', 'RIGHT_LEFT', 'LEFT_LEFT', 'RIGHT_RIGHT'} = 'RIGHT_LEFT'",
    infer=_part_dims, kernel=_part_kernel, vjp=_part_vjp,
)  # fmt: skip


# --- MatrixSetDiagV3 -------------------------------------------------------------------------------------------------
def _set_kernel(x: Array, diagonal: Array, k: Array, *, align: str) -> Array:
    low, high = _band(k)
    out = np.array(x)
    if out.ndim < 2:
        raise bad(f"input must be at least 2-dim, received shape: {text_of(out.shape)}")
    rows, columns = out.shape[-2:]
    _check_band(low, high, rows, columns)
    longest = min(rows + min(high, 0), columns - max(low, 0))
    wanted = (*out.shape[:-2], high - low + 1, longest) if high > low else (*out.shape[:-2], longest)
    if np.shape(diagonal) != wanted:
        raise bad(
            "Either first dimensions of diagonal don't match input.shape[:-2], or diagonal.shape[:-1] is not equal to "
            f"the longests diagonal in range. Input shape: {text_of(out.shape)} Diagonal shape: "
            f"{text_of(np.shape(diagonal))} Expected diagonal shape: {text_of(wanted)}"
        )
    packed = diagonal if high > low else np.expand_dims(diagonal, -2)
    for d in range(low, high + 1):
        length = _length(rows, columns, d)
        start = _offset(d, length, longest, align)
        i = np.arange(length)
        out[..., i + max(0, -d), i + max(0, d)] = packed[..., high - d, start : start + length]
    return out


def _set_vjp(call: Any, g: Any) -> list[Any]:
    _, diagonal, k = call.inputs
    align = call.attrs["align"]
    zero = np.asarray(0, g.dtype.as_numpy_dtype)
    return [
        MatrixSetDiagV3(g, ops.zeros_like(diagonal), k, align=align), MatrixDiagPartV3(g, k, zero, align=align), None,
    ]  # fmt: skip


MatrixSetDiagV3 = define(
    "MatrixSetDiagV3", "input: T[2+], diagonal: T[1+], k: int32[0..1] -> output: T",
    attrs="align: {'LEFT_RIGHT', 'RIGHT_LEFT', 'LEFT_LEFT', 'RIGHT_RIGHT'} = 'RIGHT_LEFT'",
    infer=lambda c: c.dims(0), kernel=_set_kernel, vjp=_set_vjp,
)  # fmt: skip


# --- MatrixBandPart --------------------------------------------------------------------------------------------------
def _band_kernel(x: Array, lower: Array, upper: Array) -> Array:
    array = np.asarray(x)
    if array.ndim < 2:
        raise bad(f"input must be at least 2-dim, received shape: {text_of(array.shape)}")
    rows, columns = array.shape[-2:]
    for n, limit, which in ((lower, rows, "num_lower"), (upper, columns, "num_upper")):
        if n > limit:
            what = "rows" if which == "num_lower" else "columns"
            raise bad(f"{which} must be negative or less or equal to number of {what} ({limit}) got: {int(n)}")
    i, j = np.arange(rows)[:, None], np.arange(columns)[None, :]
    inside = ((lower < 0) | (i - j <= lower)) & ((upper < 0) | (j - i <= upper))
    return np.where(inside, array, array.dtype.type(0))


MatrixBandPart: OpDef = define(
    "MatrixBandPart", "input: T, num_lower: Tindex, num_upper: Tindex -> band: T",
    attrs="T: type; Tindex: type = int64", allowed={"Tindex": INDEX}, infer=lambda c: c.dims(0), kernel=_band_kernel,
    vjp=lambda call, g: [MatrixBandPart(g, *call.inputs[1:]), None, None],
)  # fmt: skip


# --- Diag, DiagPart of tensors ---------------------------------------------------------------------------------------
def _doubled(dims: Dims) -> Dims:
    return None if dims is None else dims * 2


def _halved(dims: Dims) -> Dims:
    if dims is None:
        return None
    half = len(dims) // 2
    if not half or len(dims) % 2:
        raise ShapeError(f"Input must have even and non-zero rank, input rank is {len(dims)}")
    return merge(dims[:half], dims[half:])


def _tensor_diag(x: Array) -> Array:
    array = np.asarray(x)
    if not array.ndim:
        raise bad("Input must be at least rank 1, got 0")
    return np.diag(array.ravel()).reshape(array.shape * 2)


_DIAGONAL = (bfloat16, float16, float32, float64, int32, int64, complex64, complex128)  # as TensorFlow has them
Diag = define(
    "Diag", "diagonal: T[1+] -> output: T", allowed={"T": _DIAGONAL}, infer=lambda c: _doubled(c.dims(0)),
    kernel=_tensor_diag, vjp=lambda call, g: [DiagPart(g)],
)  # fmt: skip


def _tensor_part(x: Array) -> Array:
    half = np.ndim(x) // 2
    dims = np.shape(x)
    if np.ndim(x) % 2 or dims[:half] != dims[half:]:
        raise bad(f"Invalid shape {text_of(dims)}: dimensions 0 and {half} do not match")
    size = int(np.prod(dims[:half]))
    return np.asarray(x).reshape(size, size).diagonal().reshape(dims[:half]).copy()


DiagPart: OpDef = define(
    "DiagPart", "input: T -> diagonal: T",
    infer=lambda c: _halved(c.dims(0)), kernel=_tensor_part,
    vjp=lambda call, g: [Diag(g)],
)  # fmt: skip


# --- public ----------------------------------------------------------------------------------------------------------
def _padding(tensor: Tensor, value: Any) -> Any:
    if hasattr(value, "dtype") and value.dtype == tensor.dtype:
        return value
    return convert_to_tensor(value, tensor.dtype, name="padding_value")


@provide
def diag(
    diagonal: TensorLike, name: str | None = "diag", k: TensorLike = 0, num_rows: TensorLike = -1,
    num_cols: TensorLike = -1, padding_value: TensorLike = 0, align: str = "RIGHT_LEFT"
) -> Tensor:  # fmt: skip
    """Matrices with the given diagonals (`k` says which: 0 the main one, `(low, high)` a band), zero elsewhere.

    >>> import graphrt as tf
    >>> tf.linalg.diag([1, 2]).numpy().tolist()
    [[1, 0], [0, 2]]

    Raises:
      InvalidArgumentError: the matrix would be too small.
    """
    with scope(name, "diag") as own:
        values = as_tensor(diagonal, name="diagonal")
        which = convert_to_tensor(k, name="k", dtype_hint=int32)
        rows = convert_to_tensor(-1 if num_rows is None else num_rows, name="num_rows")
        columns = convert_to_tensor(-1 if num_cols is None else num_cols, name="num_cols")
        if values.dtype.is_bool and not hasattr(padding_value, "dtype"):
            padding_value = bool(padding_value)
        return MatrixDiagV3(values, which, rows, columns, _padding(values, padding_value), align=align, name=own)


@provide
def diag_part(
    input: TensorLike, name: str | None = "diag_part", k: TensorLike = 0, padding_value: TensorLike = 0,
    align: str = "RIGHT_LEFT"
) -> Tensor:  # fmt: skip
    """The diagonals of matrices.

    >>> import graphrt as tf
    >>> tf.linalg.diag_part([[1, 2], [3, 4]]).numpy().tolist()
    [1, 4]

    Raises:
      InvalidArgumentError: there is no such diagonal.
    """
    with scope(name, "diag_part") as own:
        values = as_tensor(input, name="input")
        which = convert_to_tensor(k, name="k", dtype_hint=int32)
        if values.dtype.is_bool and not hasattr(padding_value, "dtype"):
            padding_value = bool(padding_value)
        return MatrixDiagPartV3(values, which, _padding(values, padding_value), align=align, name=own)


@provide
def set_diag(
    input: TensorLike, diagonal: TensorLike, name: str | None = "set_diag", k: TensorLike = 0, align: str = "RIGHT_LEFT"
) -> Tensor:
    """Matrices with their diagonals replaced.

    >>> import graphrt as tf
    >>> tf.linalg.set_diag([[1, 2], [3, 4]], [8, 9]).numpy().tolist()
    [[8, 2], [3, 9]]

    Raises:
      InvalidArgumentError: the diagonals do not fit.
    """
    return MatrixSetDiagV3(input, diagonal, k, align=align, name=name or "set_diag")


@provide
def band_part(input: TensorLike, num_lower: TensorLike, num_upper: TensorLike, name: str | None = None) -> Tensor:
    """Matrices with all zero but the main diagonal and so many below and above it (negative: all of them).

    >>> import graphrt as tf
    >>> tf.linalg.band_part([[1, 2], [3, 4]], -1, 0).numpy().tolist()
    [[1, 0], [3, 4]]

    Raises:
      InvalidArgumentError: there are not so many diagonals.
    """
    return MatrixBandPart(input, num_lower, num_upper, name=name, Tindex=_index_type(num_lower, num_upper))


def _index_type(*values: Any) -> str:
    return next((v.dtype for v in values if hasattr(v, "dtype") and v.dtype in INDEX), "int32")


def tensor_diag(diagonal: TensorLike, name: str | None = None) -> Tensor:
    """A tensor of twice the rank with `diagonal` on its diagonal.

    >>> import graphrt as tf
    >>> tf.linalg.tensor_diag([1, 2]).numpy().tolist()
    [[1, 0], [0, 2]]
    """
    return Diag(diagonal, name=name)


def tensor_diag_part(input: TensorLike, name: str | None = None) -> Tensor:
    """The diagonal of a tensor whose first and second half of dimensions agree.

    >>> import graphrt as tf
    >>> tf.linalg.tensor_diag_part([[1, 2], [3, 4]]).numpy().tolist()
    [1, 4]

    Raises:
      InvalidArgumentError: the halves differ.
    """
    return DiagPart(input, name=name)


@provide
def trace(x: TensorLike, name: str | None = None) -> Tensor:
    """The sum of the main diagonal of each matrix.

    >>> import graphrt as tf
    >>> tf.linalg.trace([[1, 2], [3, 4]]).numpy().item()
    5
    """
    with scope(name, "Trace") as own:
        values = as_tensor(x, name="x")
        if values.dims is not None and len(values.dims) < 2:
            raise errors.ShapeError(errors.at_user_line("input must be at least 2-dim, received shape: "
                                                        f"{text_of(values.dims)}"))  # fmt: skip
        return ops.Sum(diag_part(values), convert_to_tensor([-1], name="reduction_indices"), name=own)
