"""NumPy's products, diagonals and triangles, on tensors."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt.numpy_api.operands import (
    as_floats,
    axes_in,
    implements,
    rank_of,
    refuse,
    strictly,
    tensor_of_any,
    together,
)
from graphrt.numpy_api.reductions import np_sum
from graphrt.numpy_api.shapes import np_moveaxis, np_ravel
from graphrt.numpy_api.ufunc_rules import matmul
from graphrt.ops.array.concat_split import concat
from graphrt.ops.array.creation import ones_like, zeros_like
from graphrt.ops.array.creation import range as range_
from graphrt.ops.array.selection import where
from graphrt.ops.array.shape import ExpandDims, Reshape, Shape, Squeeze
from graphrt.ops.linalg.diagonals import diag, diag_part
from graphrt.ops.linalg.einsum import einsum, tensordot
from graphrt.ops.math.arithmetic import Mul
from graphrt.ops.math.comparison import Equal, GreaterEqual, LessEqual
from graphrt.ops.math.elementwise import Sin, conj
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.types.likes import DTypeLike, TensorLike

__all__: list[str] = []


# --- products --------------------------------------------------------------------------------------------------------
@implements(np.dot)
def _dot(a: TensorLike, b: TensorLike) -> Tensor:
    x, y = together([a, b])
    if rank_of(x) == 0 or rank_of(y) == 0:
        return Mul(x, y)
    if rank_of(x) <= 2 and rank_of(y) <= 2:
        return matmul(x, y)
    letters = "abcdefghijklmnopqrstuvw"
    left, right = letters[: rank_of(x) - 1], letters[rank_of(x) : rank_of(x) + rank_of(y) - 1]
    inner = f"{right}z" if len(right) == 0 else f"{right[:-1]}z{right[-1]}"
    return einsum(f"{left}z,{inner}->{left}{right}", x, y)


@implements(np.inner)
def _inner(a: TensorLike, b: TensorLike) -> Tensor:
    x, y = together([a, b])
    if rank_of(x) == 0 or rank_of(y) == 0:
        return Mul(x, y)
    return _tensordot(x, y, ([-1], [-1]))


@implements(np.vdot)
def _vdot(a: TensorLike, b: TensorLike) -> Tensor:
    x, y = together([a, b])
    return einsum("i,i->", conj(Reshape(x, [-1])), Reshape(y, [-1]))


@implements(np.outer)
def _outer(a: TensorLike, b: TensorLike) -> Tensor:
    x, y = together([a, b])
    return Mul(Reshape(x, [-1, 1]), Reshape(y, [1, -1]))


@implements(np.tensordot)
def _tensordot(a: TensorLike, b: TensorLike, axes: Any = 2) -> Tensor:
    x, y = together([a, b])
    if not strictly() and not (x.dtype.is_bool or (x.dtype.kind == "i" and x.dtype.size < 4)):  # which MatMul takes
        return tensordot(x, y, axes)  # of which only the numbers of elements must fit
    if isinstance(axes, (int, np.integer)):
        places: Any = range(rank_of(x) - int(axes), rank_of(x)), range(int(axes))
    else:
        places = axes
    left, right = axes_in(places[0], rank_of(x)), axes_in(places[1], rank_of(y))
    if len(left) != len(right):
        refuse("shape-mismatch for sum")
    names_x = [f"{chr(97 + i)}" for i in range(rank_of(x))]
    names_y = [names_x[left[right.index(j)]] if j in right else chr(97 + rank_of(x) + j) for j in range(rank_of(y))]
    kept = [n for i, n in enumerate(names_x) if i not in left] + [n for j, n in enumerate(names_y) if j not in right]
    return einsum(f"{''.join(names_x)},{''.join(names_y)}->{''.join(kept)}", x, y)


@implements(np.einsum)
def _einsum(subscripts: str, *operands: TensorLike) -> Tensor:
    if not isinstance(subscripts, str):
        return NotImplemented
    left, _, right = _explicit(subscripts).partition("->")
    terms, values = left.split(","), together(operands)
    if len(terms) == len(values) > 1 and "..." not in left:
        terms, values = _without_ones(terms, values)
    return einsum(f"{','.join(terms)}->{right}", *values)


def _without_ones(terms: list[str], values: list[Any]) -> tuple[list[str], list[Any]]:
    """Terms and operands without axes of size 1 where another operand has more, which NumPy repeats and the op refuses."""
    long = {c for t, v in zip(terms, values) for c, size in zip(t, v.dims or ()) if size != 1}
    found = []
    for term, value in zip(terms, values):
        ones = [i for i, (c, size) in enumerate(zip(term, value.dims or ())) if size == 1 and c in long]
        kept = "".join(c for i, c in enumerate(term) if i not in ones)
        found.append((kept, Squeeze(value, squeeze_dims=ones) if ones else value))
    return [t for t, _ in found], [v for _, v in found]


def _explicit(subscripts: str) -> str:
    """`subscripts` with its output spelt out: the letters that occur once, in order of the alphabet."""
    text = subscripts.replace(" ", "")
    if "->" in text:
        return text
    letters = text.replace(",", "").replace("...", "")
    once = "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    return f"{text}->{'...' if '...' in text else ''}{once}"


@implements(np.tril)
def _tril(m: TensorLike, k: int = 0) -> Tensor:
    return _band(m, lambda i, j: LessEqual(j, i + k))


@implements(np.triu)
def _triu(m: TensorLike, k: int = 0) -> Tensor:
    return _band(m, lambda i, j: GreaterEqual(j, i + k))


def _band(m: Any, keep: Callable[[Any, Any], Any]) -> Tensor:
    x = tensor_of_any(m)
    shape = Shape(x)
    rows, columns = ExpandDims(range_(shape[-2]), 1), ExpandDims(range_(shape[-1]), 0)
    return where(keep(rows, columns), x, zeros_like(x))


@implements(np.diag)
def _diag(v: TensorLike, k: int = 0) -> Tensor:
    x = tensor_of_any(v)
    if rank_of(x) not in (1, 2):
        return NotImplemented
    return _diagonal(x, k) if rank_of(x) == 2 else diag(x, k=k)


@implements(np.diagflat)
def _diagflat(v: TensorLike, k: int = 0) -> Tensor:
    return diag(np_ravel(v), k=k)


@implements(np.diagonal)
def _diagonal(a: TensorLike, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    x = np_moveaxis(a, (axis1, axis2), (-2, -1))
    rows, columns = x.dims[-2:]
    if rows is not None and columns is not None and not -rows < offset < columns:
        return Reshape(x[..., :0, :0], concat([Shape(x)[:-2], [0]], 0))  # NumPy: nothing stands so far out
    return diag_part(x, k=offset)


@implements(np.trace)
def _trace(a: TensorLike, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: DTypeLike | None = None) -> Tensor:
    return np_sum(_diagonal(a, offset, axis1, axis2), -1, dtype)


@implements(np.sinc)
def _sinc(x: TensorLike) -> Tensor:
    t = as_floats(tensor_of_any(x)) * math.pi
    zero = convert_to_tensor(0, t.dtype)
    at = where(Equal(t, zero), ones_like(t), t)
    return where(Equal(t, zero), ones_like(t), Sin(at) / at)
