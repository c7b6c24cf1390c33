"""What kernels and shape rules of several families share: failures, 0-d results, what is known of index vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.ir.graph import InferContext, Value
from graphrt.ops.support import threads
from graphrt.ops.support.shape_rules import known_value
from graphrt.tensor.tensor import EagerTensor, Tensor, alike, raw_of
from graphrt.types.dtype import INDEX
from graphrt.types.likes import Array, DTypeLike, TensorLike


def bad(message: str) -> errors.InvalidArgumentError:
    """An InvalidArgumentError for a kernel to raise."""
    return errors.InvalidArgumentError(None, None, message)


def text_of(dims: Any) -> str:
    """Dimensions as kernels print them: `[2,3]`."""
    return "<unknown>" if dims is None else "[" + ",".join("?" if d is None else str(d) for d in dims) + "]"


def unwrapped(array: TensorLike) -> Any:
    """A kernel's result in the form values have: NumPy scalars when 0-d, but 0-d object arrays for strings."""
    if isinstance(array, np.ndarray):
        return array[()] if array.ndim == 0 and array.dtype != object else array
    return array if isinstance(array, np.generic) else np.array(array, object)


def of_finite(decompose: Callable[..., Any], matrices: Any, *args: bool) -> Any:
    """What `decompose` makes of the matrices whose elements are finite, and NaN for the others.

    LAPACK's iterations may fail on the others, or never end.
    """
    whole = np.isfinite(matrices).all((-2, -1))
    if whole.all():
        return decompose(matrices, *args)
    found = decompose(np.where(whole[..., None, None], matrices, matrices.dtype.type(0)), *args)
    parts = found if isinstance(found, tuple) else (found,)
    lead = np.ndim(whole)
    kept = [np.where(whole.reshape(whole.shape + (1,) * (p.ndim - lead)), p, p.dtype.type(np.nan)) for p in parts]
    return tuple(kept) if isinstance(found, tuple) else kept[0]


def single(value: Any, message: str) -> Any:
    """The scalar `value`, or the one element of a vector, which kernels of TensorFlow take for it.

    Raises:
      InvalidArgumentError: it is neither; `message` is said, with the shape.
    """
    dims = np.shape(value)
    if dims == (1,):
        return value[0]
    if dims:
        raise bad(f"{message} {text_of(dims)}")
    return value


def ints(vector: Any) -> list[int]:
    """An index tensor as a list of Python ints."""
    return np.ravel(vector).tolist()


def const_ints(c: InferContext, index: int) -> list[int] | None:
    """The value of an integer input that is known while tracing, as a list, else None."""
    array = c.const(index)
    return None if array is None else [int(v) for v in np.ravel(array)]


def const_int(c: InferContext, index: int) -> int | None:
    """The value of an integer scalar input that is known while tracing, else None."""
    found = const_ints(c, index)
    return found[0] if found else None


def entries(value: Value) -> list[int | None] | None:
    """What is known of the elements of an integer vector (a scalar counts as a list of one); None for nothing."""
    known = known_value(value)
    if known is None:
        return [None] if value.dims == () else None
    return known if isinstance(known, list) else [known]


def axis_in(axis: int, rank: int) -> int:
    """`axis` counted from the front.

    Raises:
      IndexError: it is out of range.
    """
    if not -rank <= axis < rank:
        raise IndexError(axis)
    return axis + rank if axis < 0 else axis


def place_in(axis: int, rank: int) -> int:
    """`axis` counted from the front.

    Raises:
      ShapeError: it is out of range; the error names the user's line.
    """
    if not -rank <= axis < rank:
        raise errors.ShapeError(errors.at_user_line(f"axis {axis} is out of range for a tensor of rank {rank}"))
    return axis + rank if axis < 0 else axis


def known_rank(x: Any, what: str) -> int:
    """The rank of a tensor; ValueError where it is not known, which names the user's line."""
    if x.dims is None:
        raise ValueError(errors.at_user_line(f"{what} needs a tensor of known rank: use tf.ensure_shape"))
    return len(x.dims)


def plain_ints(value: Any) -> tuple[int, ...] | None:
    """Python ints, or a sequence of them, or an index tensor that holds its elements, as a tuple; None for the rest."""
    if type(value) is int:
        return (value,)
    if type(value) is list or type(value) is tuple:
        return tuple(value) if all(type(v) is int for v in value) else None
    if type(value) is EagerTensor and value.dtype in INDEX:
        return tuple(np.ravel(raw_of(value)).tolist())
    return None


def of_now(array: Array, tensor: Any) -> Tensor:
    """What a kernel called without detours gave, as a tensor of the dtype of `tensor`."""
    return alike(unwrapped(array), tensor)


def log_softmax_rows(x: Array) -> Array:
    """The logarithm of the softmax of each row."""
    if not np.ndim(x):
        raise bad(f"logits must have >= 1 dimension, got {text_of(np.shape(x))}")
    return rows_on_threads(_log_softmax_of, x) if x.size else x


def _log_softmax_of(x: Array, out: Array) -> None:
    shifted = np.subtract(x, np.maximum.reduce(x, axis=-1, keepdims=True), out=out)  # what `max` and `sum` call
    sums = np.add.reduce(np.exp(shifted), axis=-1, keepdims=True, dtype=summed_in(x.dtype)).astype(x.dtype, copy=False)
    shifted -= np.log(sums)


_ROWS = 1 << 15  # elements whose exponentials take as long as it takes to hand work to a thread


def rows_on_threads(kernel: Callable[[Array, Array], None], x: Array) -> Array:
    """What `kernel(rows, out)` sets `out` to, where each row's result is its own: of large arrays some on each thread."""
    out = np.empty(x.shape, x.dtype)
    most = x.size // _ROWS
    if most < 4 or threads.useful(most) < 2 or not x.flags.c_contiguous:
        kernel(x, out)
        return out
    rows, results = x.reshape(-1, x.shape[-1]), out.reshape(-1, x.shape[-1])
    threads.in_parts(lambda start, end: kernel(rows[start:end], results[start:end]), len(rows), most)
    return out


def is_whole(dtype: Any) -> bool:
    """Whether a NumPy dtype is one of integers; bfloat16, which NumPy has no kind for, is a float."""
    return dtype.kind in "iub"


def is_half(dtype: Any) -> bool:
    """Whether a NumPy dtype is a float of 16 bits: float16 or bfloat16. Sums of these are made with 32 bits."""
    return dtype.itemsize == 2 and dtype.kind in "fV"


def summed_in(dtype: DTypeLike) -> Any:
    """The NumPy dtype that sums of elements of `dtype` are made in."""
    return np.float32 if is_half(dtype) else dtype


def least(dtype: Any) -> float:
    """What every element of a NumPy dtype is at least: the lowest integer, or minus infinity."""
    return np.iinfo(dtype).min if dtype.kind in "iu" else -np.inf


def greatest(dtype: Any) -> float:
    """What every element of a NumPy dtype is at most: the highest integer, or infinity."""
    return np.iinfo(dtype).max if dtype.kind in "iu" else np.inf


def finite_least(dtype: Any) -> Array:
    """The lowest number of a NumPy dtype."""
    return dtype.type(np.iinfo(dtype).min if dtype.kind in "iu" else -finite_greatest(dtype))


def finite_greatest(dtype: Any) -> Array:
    """The highest number of a NumPy dtype; of bfloat16, which NumPy does not know, the one of its eight bits."""
    if dtype.kind in "iu":
        return dtype.type(np.iinfo(dtype).max)
    return dtype.type(np.finfo(dtype).max if dtype.kind == "f" else 255 * 2.0**120)


# --- choosing --------------------------------------------------------------------------------------------------------
_LARGE, _BLOCK = 1 << 15, 1 << 16  # elements


_ROW = 1 << 13  # elements: as many make one of NumPy's loops over two arrays
_CLIPS_FAST = "fd"  # dtypes of which NumPy clips a vector at once


def limited(extremum: Any, x: Any, limit: Any, out: Any = None) -> Any:
    """`extremum(x, limit)`, np.maximum or np.minimum of an array and a number.

    NumPy has no vector loop for a number, so that large arrays meet an array of it, row by row.
    """
    if np.ndim(limit) or np.size(x) < 8 * _ROW or not x.flags.c_contiguous or x.dtype.isbuiltin != 1:
        return extremum(x, limit, out=out)
    if x.dtype.char in _CLIPS_FAST:
        return np.clip(x, *((limit, np.inf) if extremum is np.maximum else (-np.inf, limit)), out=out)
    if out is None:
        out = np.empty_like(x)
    elif not out.flags.c_contiguous:
        return extremum(x, limit, out=out)
    end = x.size // _ROW * _ROW
    flat, there = x.reshape(-1), out.reshape(-1)
    extremum(flat[:end].reshape(-1, _ROW), np.full(_ROW, limit, x.dtype), out=there[:end].reshape(-1, _ROW))
    extremum(flat[end:], limit, out=there[end:])
    return out


def between(x: Any, low: Any, high: Any, out: Any = None) -> Any:
    """`np.maximum(np.minimum(x, high), low)`; of large arrays and two numbers in one loop."""
    single = not np.ndim(low) and not np.ndim(high) and np.size(x) >= 8 * _ROW
    if single and x.dtype.char in _CLIPS_FAST and low <= high:
        return np.clip(x, low, high, out=out)
    return limited(np.maximum, limited(np.minimum, x, high, out), low, out)


def select(condition: Any, a: Any, b: Any) -> Any:
    """`np.where`; of large arrays by their bits: it takes a branch an element, which nobody can foretell."""
    if not _by_bits(condition, a, b):
        return np.where(condition, a, b)
    shape, word = condition.shape, np.dtype(f"i{a.dtype.itemsize}")
    found = np.empty(shape, a.dtype)
    out, mask, choices = found.reshape(-1), condition.reshape(-1).view(np.int8), (a.reshape(-1), b.reshape(-1))
    room = np.empty(min(_BLOCK, out.size), word)
    for at in range(0, out.size, _BLOCK):
        cut = slice(at, at + _BLOCK)
        bits, (x, y) = out[cut].view(word), (c.view(word) if c.size == 1 else c[cut].view(word) for c in choices)
        chosen = room[: bits.size]
        np.copyto(chosen, mask[cut] != 0)  # a view of bytes may have others than 0 and 1
        np.negative(chosen, out=chosen)
        np.bitwise_xor(x, y, out=bits)
        np.bitwise_and(bits, chosen, out=bits)
        np.bitwise_xor(bits, y, out=bits)
    return found


def _by_bits(condition: Any, a: Any, b: Any) -> bool:
    """Whether these are large enough and lie so that bits can be chosen; `a` or `b` may be one number."""
    if not isinstance(condition, np.ndarray) or condition.size < _LARGE or condition.dtype != bool:
        return False
    if not hasattr(a, "dtype") or not hasattr(b, "dtype") or a.dtype != b.dtype:
        return False
    if a.dtype.kind not in "iufb" or a.dtype.itemsize > 8 or not condition.flags.c_contiguous:
        return False
    return all(v.shape == () or (v.shape == condition.shape and v.flags.c_contiguous) for v in (a, b))
