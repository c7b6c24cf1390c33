"""NumPy's products, differences and sums over windows, on tensors."""

from __future__ import annotations

from typing import Any

import numpy

from graphrt import errors
from graphrt.numpy_api.arguments import flattened, in_floats, leading_slices
from graphrt.numpy_api.operands import (
    as_floats,
    dtype_of,
    implements,
    rank_of,
    refuse,
    require,
    strictly,
    tensor_of_any,
    together,
)
from graphrt.numpy_api.ufunc_rules import matmul
from graphrt.ops.array.concat_split import concat, stack, unstack
from graphrt.ops.array.creation import Fill, ones_like, zeros_like
from graphrt.ops.array.gather_scatter import gather
from graphrt.ops.array.identity import ensure_shape
from graphrt.ops.array.padding import PadV2, ReverseV2
from graphrt.ops.array.repetition import tile
from graphrt.ops.array.selection import where
from graphrt.ops.array.shape import ExpandDims, Reshape, Shape, Size, transpose
from graphrt.ops.array.sorting import searchsorted
from graphrt.ops.linalg.diagonals import diag_part
from graphrt.ops.linalg.matmul import matmul as matmul_
from graphrt.ops.math.arithmetic import Maximum, Minimum, clip_by_value, times
from graphrt.ops.math.casting import cast
from graphrt.ops.math.comparison import Equal, Greater, GreaterEqual, Less, LessEqual
from graphrt.ops.math.cumulative import cumprod
from graphrt.ops.math.elementwise import Sqrt, conj, real
from graphrt.ops.math.reduction import reduce_mean, reduce_sum
from graphrt.ops.support.kernel_helpers import place_in
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.types import dtype as dtypes
from graphrt.types.likes import AxisLike, DTypeLike, TensorLike

__all__: list[str] = []

np: Any = numpy  # tensors take part in NumPy's functions by its protocols, which the types of NumPy do not know


# --- products and sums over windows ----------------------------------------------------------------------------------
@implements(np.kron)
def _kron(a: TensorLike, b: TensorLike) -> Tensor:
    x, y = together([a, b])
    rank = max(rank_of(x), rank_of(y))
    x, y = (Reshape(v, concat([[1] * (rank - rank_of(v)), Shape(v)], 0)) for v in (x, y))
    size = Shape(x) * Shape(y)
    for i in range(rank):
        x, y = ExpandDims(x, 2 * i + 1), ExpandDims(y, 2 * i)
    return Reshape(times(x, y), size)


@implements(np.cross)
def _cross(
    a: TensorLike, b: TensorLike, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None
) -> Tensor:  # fmt: skip
    if axis is not None:
        axisa = axisb = axisc = axis
    x, y = together([a, b])
    x, y = np.moveaxis(x, axisa, -1), np.moveaxis(y, axisb, -1)
    # where a size is not known it is looked at when it runs
    x, y = (ensure_shape(v, [*(v.dims or ())[:-1], 3]) if v.dims and v.dims[-1] is None else v for v in (x, y))
    n, m = (int(v.dims[-1] or 0) if v.dims else 0 for v in (x, y))
    if not {n, m} <= {2, 3}:
        return NotImplemented

    def product(i: int, j: int) -> Tensor:
        return x[..., i] * y[..., j]

    def minor(i: int, j: int) -> Tensor:
        """x[i] y[j] - x[j] y[i], without the term of an element that a vector of two does not have."""
        if max(i, j) < min(n, m):
            return product(i, j) - product(j, i)
        return product(i, j) if i < n and j < m else -product(j, i)

    if n == m == 2:
        return minor(0, 1)
    parts = [minor(i, j) for i, j in ((1, 2), (2, 0), (0, 1))]
    return stack(parts, axisc if rank_of(parts[0]) else 0)


@implements(np.linalg.cross)
def _cross_of_three(x1: TensorLike, x2: TensorLike, /, *, axis: int = -1) -> Tensor:
    x, y = together([x1, x2])
    return NotImplemented if 2 in (x.dims[axis], y.dims[axis]) else _cross(x, y, axis=axis)


@implements(np.linalg.outer)
def _outer(x1: TensorLike, x2: TensorLike, /) -> Any:
    x, y = together([x1, x2])
    if not rank_of(x) == rank_of(y) == 1:
        refuse(f"Input arrays must be one-dimensional, but they are x1.ndim={rank_of(x)} and x2.ndim={rank_of(y)}.")
    return np.outer(x, y)


implements(np.linalg.matmul)(lambda x1, x2, /: matmul(*together([x1, x2])))
implements(np.linalg.matrix_transpose)(lambda x, /: np.swapaxes(x, -1, -2))
implements(np.linalg.vecdot)(lambda x1, x2, /, *, axis=-1: _vecdot(x1, x2, axis))
implements(np.linalg.tensordot)(lambda x1, x2, /, *, axes=2: np.tensordot(x1, x2, axes))
implements(np.linalg.diagonal)(lambda x, /, *, offset=0: np.diagonal(x, offset, -2, -1))
implements(np.linalg.trace)(lambda x, /, *, offset=0, dtype=None: np.trace(x, offset, -2, -1, dtype))


def _vecdot(a: Tensor, b: Tensor, axis: int) -> Tensor:
    x, y = together([a, b])
    return np.vecdot(np.moveaxis(x, axis, -1), np.moveaxis(y, axis, -1))


def _correlated(a: Tensor, v: Tensor, mode: str) -> Tensor:
    """The sum of a[k + i] v[i] over i, for each place k where at least one term exists."""
    if mode not in ("full", "same", "valid"):
        refuse(f"mode must be one of 'valid', 'same', or 'full' (got {mode!r})")
    x, y = together([a, v])
    if x.dims == (0,) or y.dims == (0,):
        refuse("a and v cannot be empty")
    n, m = x.dims[0], y.dims[0]
    if n is None or m is None or rank_of(x) != 1 or rank_of(y) != 1 or x.dtype.is_bool:
        return NotImplemented
    padded = PadV2(x, [[m - 1, m - 1]], convert_to_tensor(0, x.dtype))
    places = np.arange(n + m - 1)[:, None] + np.arange(m)
    windows = gather(padded, places)
    if x.dtype.kind in "fc":  # where `a` ends there is no term: 0 times infinity would be one
        terms = where(
            gather(PadV2(ones_like(x, dtypes.bool_), [[m - 1, m - 1]], False), places), windows * y, zeros_like(windows)
        )
    else:
        terms = windows * y
    full = reduce_sum(terms, 1)
    if mode == "full":
        return full
    size, short = max(n, m), min(n, m)
    if mode == "valid":
        return full[short - 1 : size]
    start = (short - 1) // 2 if n >= m else short // 2
    return full[start : start + size]


@implements(np.convolve)
def _convolve(a: TensorLike, v: TensorLike, mode: str = "full") -> Tensor:
    x, y = together([a, v])
    if x.dims[0] is not None and y.dims[0] is not None and y.dims[0] > x.dims[0]:
        x, y = y, x
    return _correlated(x, ReverseV2(y, [0]), mode)


@implements(np.correlate)
def _correlate(a: TensorLike, v: TensorLike, mode: str = "valid") -> Tensor:
    x, y = together([a, v])
    return _correlated(x, conj(y), mode)


@implements(np.trapezoid)
def _trapezoid(y: TensorLike, x: TensorLike | None = None, dx: TensorLike = 1.0, axis: int = -1) -> Tensor:
    t = in_floats(y)
    lead = leading_slices(t, axis)
    if x is None:
        width = dx
    else:
        points = np.diff(in_floats(x), axis=-1 if rank_of(tensor_of_any(x)) == 1 else axis)
        if rank_of(points) == 1:
            points = Reshape(points, [-1 if i == place_in(axis, rank_of(t)) else 1 for i in range(rank_of(t))])
        width = points
    after, before = t[(*lead, slice(1, None))], t[(*lead, slice(None, -1))]
    return reduce_sum(np.multiply(width, after + before) / 2.0, axis)


@implements(np.gradient)
def _gradient(
    f: TensorLike, *varargs: TensorLike, axis: int | None = None, edge_order: int = 1
) -> Tensor | tuple[Tensor, ...]:
    t: Any = in_floats(f)
    axes = list(range(rank_of(t))) if axis is None else np.atleast_1d(axis).tolist()
    steps = list(varargs) or [1.0]
    steps = steps * len(axes) if len(steps) == 1 else steps
    if varargs and (not axes or len(varargs) not in (1, len(axes))):
        raise TypeError(errors.at_user_line("invalid number of arguments"))
    if any(t.dims[place] is not None and t.dims[place] < edge_order + 1 for place in axes):
        refuse("Shape of array too small to calculate a numerical gradient: edge_order + 1 elements are needed")
    if edge_order != 1 or any(rank_of(tensor_of_any(h)) for h in steps) or len(steps) != len(axes):
        return NotImplemented
    found = []
    for place, h in zip(axes, steps):
        lead = leading_slices(t, place)
        h = cast(h, t.dtype)
        inner = (t[(*lead, slice(2, None))] - t[(*lead, slice(None, -2))]) / (h * 2.0)
        first = (t[(*lead, slice(1, 2))] - t[(*lead, slice(0, 1))]) / h
        last = (t[(*lead, slice(-1, None))] - t[(*lead, slice(-2, -1))]) / h
        found.append(concat([first, inner, last], place))
    return found[0] if len(found) == 1 else tuple(found)


@implements(np.ediff1d)
def _ediff1d(ary: TensorLike, to_end: Any = None, to_begin: Any = None) -> Tensor:
    x = flattened(ary)
    if x.dtype.is_bool:
        return NotImplemented
    for name, given in (("to_end", to_end), ("to_begin", to_begin)):
        if given is not None and not np.can_cast(np.result_type(given), np.result_type(x), "same_kind"):
            raise TypeError(
                errors.at_user_line(
                    f"dtype of `{name}` must be compatible with input `ary` under the `same_kind` rule."
                )
            )
    parts = [p for p in (to_begin, x[1:] - x[:-1], to_end) if p is not None]
    return concat([flattened(cast(p, x.dtype)) for p in parts], 0)


@implements("cumulative_sum")
def cumulative_sum(
    x: TensorLike, /, *, axis: AxisLike = None, dtype: DTypeLike | None = None, include_initial: bool = False
) -> Tensor:  # fmt: skip
    return _cumulative(np.cumsum, 0, x, axis, dtype, include_initial)


@implements("cumulative_prod")
def cumulative_prod(
    x: TensorLike, /, *, axis: AxisLike = None, dtype: DTypeLike | None = None, include_initial: bool = False
) -> Tensor:  # fmt: skip
    return _cumulative(np.cumprod, 1, x, axis, dtype, include_initial)


def _cumulative(function: Any, neutral: int, x: Any, axis: Any, dtype: Any, include_initial: bool) -> Tensor:
    t = tensor_of_any(x)
    if axis is None:
        if rank_of(t) != 1:
            raise ValueError("For arrays which have more than one dimension ``axis`` argument is required.")
        axis = 0
    found = function(t, axis=axis, dtype=dtype)
    if not include_initial:
        return found
    shape = [1 if i == place_in(axis, rank_of(found)) else Shape(found)[i] for i in range(rank_of(found))]
    start = Fill(convert_to_tensor(shape), convert_to_tensor(neutral, found.dtype))
    return concat([start, found], axis)


@implements(np.interp)
def _interp(
    x: TensorLike, xp: TensorLike, fp: TensorLike, left: TensorLike | None = None, right: TensorLike | None = None,
    period: TensorLike | None = None
) -> Tensor:  # fmt: skip
    if period is not None:
        return NotImplemented
    t, points, values = (as_floats(v) for v in together([x, xp, fp]))
    if t.dtype.is_complex or points.dtype.is_complex:
        return NotImplemented
    if rank_of(points) != 1 or rank_of(values) != 1:
        refuse("object too deep for desired array: sample points and values are vectors")
    if points.dims == (0,):
        refuse("array of sample points is empty")
    fits = Equal(Size(points), Size(values)) if None in (*points.dims, *values.dims) else points.dims == values.dims
    require(fits, ValueError("fp and xp are not of the same length."))
    flat = Reshape(t, [-1])
    last = Shape(points)[0] - 1
    high = clip_by_value(searchsorted(points, flat, side="right"), Minimum(1, last), last)
    low = Maximum(high - 1, 0)
    x0, x1, y0, y1 = (gather(v, i) for v, i in ((points, low), (points, high), (values, low), (values, high)))
    width = where(Equal(x0, x1), ones_like(x0), x1 - x0)
    found = y0 + (y1 - y0) / width * (flat - x0)
    found = where(LessEqual(flat, points[0]), values[0], found)
    found = where(GreaterEqual(flat, points[-1]), values[-1], found)
    if left is not None:
        found = where(Less(flat, points[0]), cast(left, t.dtype), found)
    if right is not None:
        found = where(Greater(flat, points[-1]), cast(right, t.dtype), found)
    return Reshape(found, Shape(t))


@implements(np.polyval)
def _polyval(p: TensorLike, x: TensorLike) -> Tensor:
    coefficients, t = together([p, x])
    if coefficients.dims == ():
        raise TypeError(errors.at_user_line("iteration over a 0-d array"))
    found = zeros_like(t)
    if coefficients.dims is None or None in coefficients.dims:
        return NotImplemented
    if coefficients.dims[0] == 0:
        return zeros_like(tensor_of_any(x))
    for c in unstack(coefficients):
        found = found * t + c
    return found


@implements(np.vander)
def _vander(x: TensorLike, N: int | None = None, increasing: bool = False) -> Tensor:
    t = tensor_of_any(x)
    if t.dims is not None and len(t.dims) != 1:
        raise errors.ShapeError(
            errors.at_user_line(f"x must be a one-dimensional array or sequence, found shape {t.shape}")
        )
    count = N if N is not None else t.dims[0]
    if count is None:
        return NotImplemented
    if strictly():
        t = cast(t, dtype_of(np.promote_types(t.dtype.as_numpy_dtype, int)))
    powers = cumprod(tile(ExpandDims(t, 1), [1, count]), 1, exclusive=True)
    return powers if increasing else ReverseV2(powers, [1])


@implements(np.cov)
def _cov(
    m: TensorLike, y: TensorLike | None = None, rowvar: bool = True, bias: bool = False, ddof: Any = None
) -> Tensor:
    if max(rank_of(tensor_of_any(v)) for v in (m, y) if v is not None) > 2:
        refuse("m and y have at most 2 dimensions")
    x = np.atleast_2d(in_floats(m))
    if not rowvar and rank_of(tensor_of_any(m)) == 2:
        x = transpose(x)
    if y is not None:
        other = np.atleast_2d(in_floats(y))
        if not rowvar and rank_of(tensor_of_any(y)) == 2:
            other = transpose(other)
        x = concat(together([x, other]), 0)
    if x.dims is not None and x.dims[0] == 0:
        return zeros_like(matmul_(x, transpose(x)))
    off = x - reduce_mean(x, 1, True)
    degrees = cast(Shape(x)[1], x.dtype) - float((0 if bias else 1) if ddof is None else ddof)
    found = matmul_(off, transpose(conj(off))) / cast(Maximum(real(degrees), 0), x.dtype)
    return Reshape(found, []) if found.dims == (1, 1) else found


@implements(np.corrcoef)
def _corrcoef(x: TensorLike, y: Any = None, rowvar: bool = True) -> Tensor:
    c = _cov(x, y, rowvar)
    if rank_of(c) == 0:
        return c / c
    deviation = Sqrt(real(diag_part(c)))
    if c.dtype.is_complex:
        return NotImplemented
    found = c / ExpandDims(deviation, 1) / ExpandDims(deviation, 0)
    return np.clip(found, -1, 1)


@implements(np.polyfit)
def _polyfit(x: TensorLike, y: TensorLike, deg: int) -> Tensor:
    points, values = (as_floats(v) for v in together([x, y]))
    if rank_of(values) != 1:
        return NotImplemented
    if deg < 0:
        refuse("expected deg >= 0")
    if rank_of(points) != 1 or 0 in points.dims:
        raise TypeError(errors.at_user_line("expected a vector that is not empty for x"))
    powers = _vander(points, int(deg) + 1)
    scale = Sqrt(reduce_sum(powers * powers, 0))
    found = np.linalg.lstsq(powers / scale, values)[0]
    return found / scale
