"""Fourier transforms: complex, real, over one to three or any axes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from graphrt import errors
from graphrt.errors import ShapeError
from graphrt.ir.graph import InferContext
from graphrt.ir.op import OpDef, define
from graphrt.ops.array.concat_split import Pack, concat
from graphrt.ops.array.creation import range as range_
from graphrt.ops.array.creation import zeros_like
from graphrt.ops.array.gather_scatter import gather
from graphrt.ops.array.padding import Pad
from graphrt.ops.array.selection import where
from graphrt.ops.array.shape import Rank, Reshape, Shape
from graphrt.ops.array.slicing import Slice
from graphrt.ops.math.arithmetic import Maximum, Minimum
from graphrt.ops.math.casting import cast
from graphrt.ops.math.comparison import Equal
from graphrt.ops.math.division import FloorMod
from graphrt.ops.math.elementwise import Sqrt, real
from graphrt.ops.math.logical import LogicalOr
from graphrt.ops.math.reduction import reduce_prod, reduce_sum
from graphrt.ops.support.kernel_helpers import bad, const_ints, ints, place_in, text_of
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.context import current_graph, scope
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor, TensorLike, static_array
from graphrt.types.dtype import COMPLEX, DType, complex64, complex128, float32, float64, int32
from graphrt.types.likes import Array
from graphrt.types.nesting import shown
from graphrt.types.shape import Dims

__all__ = [
    "fft", "fft2d", "fft3d", "fftnd", "ifft", "ifft2d", "ifft3d", "ifftnd", "irfft",
    "irfft2d", "irfft3d", "irfftnd", "rfft", "rfft2d", "rfft3d", "rfftnd",
]  # fmt: skip

_REALS = (float32, float64)
_TWO_TYPES = "Treal: type = float32; Tcomplex: type = complex64"


def _check_rank(dims: Dims, rank: int) -> None:
    if dims is not None and len(dims) < rank:
        raise ShapeError(f"Shape must be at least rank {rank} but is rank {len(dims)}")


def _last_axes(rank: int) -> tuple[int, ...]:
    return tuple(range(-rank, 0))


def _checked(x: Array, rank: int) -> Array:
    if np.ndim(x) < rank:
        raise bad(f"Input must have rank of at least {rank} but got: {text_of(np.shape(x))}")
    return np.asarray(x)


# --- complex to complex ----------------------------------------------------------------------------------------------
def _complex_op(rank: int, inverse: bool) -> OpDef:
    function = np.fft.ifftn if inverse else np.fft.fftn
    suffix = "" if rank == 1 else f"{rank}D"

    def kernel(x: Array) -> Array:
        whole = _checked(x, rank)
        if not whole.size:
            return whole
        return function(whole, axes=_last_axes(rank)).astype(whole.dtype, copy=False)

    def infer(c: InferContext) -> Dims:
        _check_rank(c.dims(0), rank)
        return c.dims(0)

    def vjp(call: object, g: Any) -> list[Any]:
        count = _count(g, list(_last_axes(rank)), g.dtype)
        back = (_FORWARD if inverse else _INVERSE)[rank - 1](g)
        return [back / count if inverse else back * count]

    return define(
        ("IFFT" if inverse else "FFT") + suffix, "input: Tcomplex -> output: Tcomplex",
        attrs="Tcomplex: type = complex64", allowed={"Tcomplex": COMPLEX}, infer=infer, kernel=kernel, vjp=vjp,
    )  # fmt: skip


def _count(x: Any, axes: list[int], dtype: DType) -> Tensor:
    """How many elements the transformed axes hold together."""
    if x.dims and all(x.dims[a] is not None for a in axes):
        return as_tensor(np.array(np.prod([x.dims[a] for a in axes]), dtype.as_numpy_dtype))
    return cast(
        reduce_prod(gather(Shape(x), [a % len(x.dims) for a in axes] if x.dims else FloorMod(axes, Rank(x)))), dtype
    )


_FORWARD = FFT, FFT2D, FFT3D = [_complex_op(r, False) for r in (1, 2, 3)]
_INVERSE = IFFT, IFFT2D, IFFT3D = [_complex_op(r, True) for r in (1, 2, 3)]


# --- real to complex and back ----------------------------------------------------------------------------------------
def _lengths(length: Array, rank: int) -> tuple[int, ...]:
    found = tuple(ints(length))
    if np.ndim(length) != 1 or len(found) != rank:
        raise bad(f"fft_length must have shape [{rank}]")
    if any(n < 0 for n in found):
        raise bad("fft_length must be non-negative")
    return found


def _fitted(x: Array, sizes: tuple[int, ...], axes: tuple[int, ...]) -> Array:
    """`x` cut or filled with zeros to these sizes along these axes."""
    index, pads = [slice(None)] * x.ndim, [(0, 0)] * x.ndim
    for axis, size in zip(axes, sizes):
        index[axis] = slice(size)
        pads[axis] = (0, max(size - x.shape[axis], 0))
    return np.pad(x[tuple(index)], pads)


def _forward(x: Array, sizes: tuple[int, ...], axes: tuple[int, ...], dtype: type) -> Array:
    filled = _fitted(x, sizes, axes)
    if not filled.size or 0 in sizes:
        shape = list(filled.shape)
        shape[axes[-1]] = sizes[-1] // 2 + 1 if sizes[-1] else 0
        return np.zeros(shape, dtype)
    return np.fft.rfftn(filled, axes=axes).astype(dtype, copy=False)


def _backward(x: Array, sizes: tuple[int, ...], axes: tuple[int, ...], dtype: type) -> Array:
    filled = _fitted(x, (*sizes[:-1], sizes[-1] // 2 + 1 if sizes[-1] else 0), axes)
    if not filled.size or 0 in sizes:
        shape = list(filled.shape)
        shape[axes[-1]] = sizes[-1]
        return np.zeros(shape, dtype)
    return np.fft.irfftn(filled, s=sizes, axes=axes).astype(dtype, copy=False)


def _real_dims(rank: int, forward: bool) -> Callable[..., Any]:
    def infer(c: InferContext) -> Dims:
        dims = c.dims(0)
        _check_rank(dims, rank)
        if dims is None:
            return None
        sizes: list[Any] = const_ints(c, 1) or [None] * rank
        if len(sizes) != rank:
            raise ShapeError(f"fft_length must have {rank} elements, found {len(sizes)}")
        last = sizes[-1] if not forward or sizes[-1] is None else sizes[-1] // 2 + 1 if sizes[-1] else 0
        return (*dims[:-rank], *sizes[:-1], last)

    return infer


def _resized(x: Any, like: Any) -> Tensor:
    """A gradient, cut or filled with zeros to the shape of what it belongs to."""
    if like.dims is not None and like.dims == x.dims and None not in x.dims:
        return x
    wanted, found = Shape(like), Shape(x)
    cut = Slice(x, zeros_like(found), Minimum(wanted, found))
    more = Maximum(wanted - found, 0)
    out = Pad(cut, Pack([zeros_like(more), more], axis=1))
    out.set_shape(like.shape)
    return out


def _marked(axes: Any, x: Any) -> Array | Tensor:
    """1 at the last of `axes`, 0 at the other dimensions of `x`."""
    if isinstance(axes, (list, tuple)) and x.dims is not None:
        return np.eye(len(x.dims), dtype=np.int32)[axes[-1] % len(x.dims)]
    rank = Rank(x)
    return cast(Equal(range_(rank), FloorMod(axes[-1], rank)), int32)


def _rfft_gradient(call: Any, g: object, sizes: Any, axes: TensorLike, transform: Callable[..., Any] | OpDef) -> Tensor:
    """The real part of the transform's adjoint: the half that is not kept counts as zero."""
    x = call.inputs[0]
    last = _marked(axes, x)
    more = (sizes[-1] - reduce_sum(Shape(g) * last)) * last
    back = transform(Pad(g, Pack([zeros_like(more), more], axis=1)))
    count = cast(reduce_prod(sizes), x.dtype)
    return _resized(real(back) * count, x)


def _irfft_gradient(call: Any, g: object, sizes: Any, axes: TensorLike, transform: Callable[..., Any]) -> Tensor:
    """The transform of the gradient, in which every frequency but the first and the middle one counts twice."""
    x = call.inputs[0]
    size = sizes[-1]
    at = range_(size // 2 + 1)
    once = LogicalOr(Equal(at, 0), Equal(at * 2, size))
    factor = cast(where(once, 1, 2), x.dtype) / cast(reduce_prod(sizes), x.dtype)
    shape = 1 - 2 * _marked(axes, x)
    return _resized(transform(g) * Reshape(factor, shape), x)


def _real_op(rank: int, forward: bool) -> OpDef:
    suffix = "" if rank == 1 else f"{rank}D"
    axes = _last_axes(rank)

    def to_complex(x: Array, length: Array, *, Tcomplex: DType) -> Array:
        return _forward(_checked(x, rank), _lengths(length, rank), axes, Tcomplex.as_numpy_dtype)

    def to_real(x: Array, length: Array, *, Treal: DType) -> Array:
        return _backward(_checked(x, rank), _lengths(length, rank), axes, Treal.as_numpy_dtype)

    def forward_vjp(call: Any, g: Any) -> list[Any]:
        return [_rfft_gradient(call, g, call.inputs[1], list(axes), _INVERSE[rank - 1]), None]

    def backward_vjp(call: Any, g: Any) -> list[Any]:
        def transform(x: Any) -> Any:
            return _REAL_FORWARD[rank - 1](x, call.inputs[1], Tcomplex=call.inputs[0].dtype)

        return [_irfft_gradient(call, g, call.inputs[1], list(axes), transform), None]

    if forward:
        return define(
            f"RFFT{suffix}", "input: Treal, fft_length: int32[1] -> output: Tcomplex", attrs=_TWO_TYPES,
            allowed={"Treal": _REALS, "Tcomplex": COMPLEX}, infer=_real_dims(rank, True), kernel=to_complex,
            vjp=forward_vjp,
        )  # fmt: skip
    return define(
        f"IRFFT{suffix}", "input: Tcomplex, fft_length: int32[1] -> output: Treal", attrs=_TWO_TYPES,
        allowed={"Treal": _REALS, "Tcomplex": COMPLEX}, infer=_real_dims(rank, False), kernel=to_real,
        vjp=backward_vjp,
    )  # fmt: skip


_REAL_FORWARD = RFFT, RFFT2D, RFFT3D = [_real_op(r, True) for r in (1, 2, 3)]
_REAL_INVERSE = IRFFT, IRFFT2D, IRFFT3D = [_real_op(r, False) for r in (1, 2, 3)]


# --- any axes --------------------------------------------------------------------------------------------------------
def _axes_of(x: Any, length: Array, axes: Array) -> tuple[tuple[int, ...], tuple[int, ...]]:
    sizes, found = tuple(ints(length)), tuple(ints(axes))
    if len(sizes) != len(found):
        raise bad(f"fft_length and axes must have one length, found {len(sizes)} and {len(found)}")
    if any(not -x.ndim <= a < x.ndim for a in found):
        raise bad(f"axes must lie in [-{x.ndim}, {x.ndim}), found {list(found)}")
    return sizes, tuple(place_in(a, x.ndim) for a in found)


def _nd_dims(kind: str) -> Callable[..., Any]:
    def infer(c: InferContext) -> Dims:
        dims = c.dims(0)
        sizes, axes = const_ints(c, 1), const_ints(c, 2)
        if dims is None or axes is None:
            return None if dims is None else (None,) * len(dims)
        out = list(dims)
        for i, axis in enumerate(axes):
            if not -len(dims) <= axis < len(dims):
                raise ShapeError(f"axes must lie in [-{len(dims)}, {len(dims)}), found {axes}")
            size = None if sizes is None else sizes[i]
            half = kind == "r" and i == len(axes) - 1 and size is not None
            out[axis] = size // 2 + 1 if half and size is not None else size
        return tuple(out)

    return infer


def _complex_nd(inverse: bool) -> OpDef:
    function = np.fft.ifftn if inverse else np.fft.fftn

    def kernel(x: Array, length: Array, axes: Array) -> Array:
        sizes, found = _axes_of(np.asarray(x), length, axes)
        filled = _fitted(np.asarray(x), sizes, found)
        return function(filled, axes=found).astype(filled.dtype, copy=False) if filled.size else filled

    def vjp(call: Any, g: object) -> list[Any]:
        x, length, axes = call.inputs
        back = (FFTND if inverse else IFFTND)(g, length, axes)
        count = cast(reduce_prod(length), x.dtype)
        return [_resized(back / count if inverse else back * count, x), None, None]

    return define(
        "IFFTND" if inverse else "FFTND", "input: Tcomplex[1+], fft_length: int32, axes: int32 -> output: Tcomplex",
        attrs="Tcomplex: type = complex64", allowed={"Tcomplex": COMPLEX}, infer=_nd_dims("c"), kernel=kernel, vjp=vjp,
    )  # fmt: skip


FFTND, IFFTND = _complex_nd(False), _complex_nd(True)


def _rfftnd_kernel(x: Array, length: Array, axes: Array, *, Tcomplex: DType) -> Array:
    return _forward(np.asarray(x), *_axes_of(np.asarray(x), length, axes), Tcomplex.as_numpy_dtype)


def _irfftnd_kernel(x: Array, length: Array, axes: Array, *, Treal: DType) -> Array:
    return _backward(np.asarray(x), *_axes_of(np.asarray(x), length, axes), Treal.as_numpy_dtype)


def _rfftnd_vjp(call: Any, g: object) -> list[Any]:
    _, length, axes = call.inputs
    return [_rfft_gradient(call, g, length, axes, lambda v: IFFTND(v, length, axes)), None, None]


def _irfftnd_vjp(call: Any, g: object) -> list[Any]:
    x, length, axes = call.inputs
    return [
        _irfft_gradient(call, g, length, axes, lambda v: RFFTND(v, length, axes, Tcomplex=x.dtype)), None, None
    ]  # fmt: skip


RFFTND = define(
    "RFFTND", "input: Treal[1+], fft_length: int32, axes: int32 -> output: Tcomplex", attrs=_TWO_TYPES,
    allowed={"Treal": _REALS, "Tcomplex": COMPLEX}, infer=_nd_dims("r"), kernel=_rfftnd_kernel, vjp=_rfftnd_vjp,
)  # fmt: skip
IRFFTND = define(
    "IRFFTND", "input: Tcomplex[1+], fft_length: int32, axes: int32 -> output: Treal", attrs=_TWO_TYPES,
    allowed={"Treal": _REALS, "Tcomplex": COMPLEX}, infer=_nd_dims("i"), kernel=_irfftnd_kernel, vjp=_irfftnd_vjp,
)  # fmt: skip


# --- public ----------------------------------------------------------------------------------------------------------
class _Transform(Protocol):
    def __call__(self, input: TensorLike, name: str | None = None) -> Tensor: ...


class _RealTransform(Protocol):
    def __call__(
        self, input_tensor: TensorLike, fft_length: TensorLike | None = None, name: str | None = None
    ) -> Tensor: ...


class _AxesTransform(Protocol):
    def __call__(
        self, input_tensor: TensorLike, fft_length: Any = None, axes: Sequence[int] | None = None,
        norm: str | None = None, name: str | None = None,
    ) -> Tensor: ...  # fmt: skip


def _transform(rank: int, inverse: bool) -> _Transform:
    op = (_INVERSE if inverse else _FORWARD)[rank - 1]
    name_ = op.type.lower()

    def function(input: TensorLike, name: str | None = None) -> Tensor:
        return op(input, name=name)

    function.__name__ = function.__qualname__ = name_
    function.__doc__ = f"""The {"inverse " if inverse else ""}Fourier transform over the last {rank} axes.

    >>> import graphrt as tf
    >>> tf.signal.{name_}(tf.ones([2] * {rank}, tf.complex64)).shape.rank
    {rank}

    Raises:
      InvalidArgumentError: the input has too few axes.
    """
    return function


fft, fft2d, fft3d = (_transform(r, False) for r in (1, 2, 3))
ifft, ifft2d, ifft3d = (_transform(r, True) for r in (1, 2, 3))


def _partner(x: Tensor) -> dict[str, DType]:
    wide = x.dtype in (float64, complex128)
    if x.dtype.is_complex:
        return {"Treal": float64 if wide else float32}
    return {"Tcomplex": complex128 if wide else complex64}


def _default_lengths(x: Tensor, rank: int, inverse: bool) -> Tensor:
    if x.dims is not None and len(x.dims) < rank:
        raise ValueError(
            errors.at_user_line(f"the transform is of the last {rank} dimensions of a tensor, found shape {x.dims}")
        )
    if x.dims is None:
        shape: Any = Shape(x)[-rank:]
        known: list[Any] | None = None
    else:
        shape, known = Shape(x)[-rank:] if None in x.dims[-rank:] else None, list(x.dims[-rank:])
    if known is not None and None not in known:
        if inverse:
            known[-1] = max(2 * (known[-1] - 1), 0)
        return as_tensor(np.array(known, np.int32))
    if inverse:
        return concat([shape[:-1], Maximum(2 * (shape[-1:] - 1), 0)], 0)
    return shape


def filled_up(x: Tensor, sizes: Tensor, rank: int, inverse: bool) -> Tensor:
    """`x` with zeros behind it, where a transform of these sizes takes more than there is.

    The kernels here do that by themselves, those of TensorFlow, which may run the graph, do not.
    """
    if current_graph() is None or x.dims is None:
        return x
    known, dims = static_array(sizes), x.dims[-rank:]
    if known is not None and None not in dims:
        wanted = [int(n) for n in known.tolist()]
        if inverse:
            wanted[-1] = wanted[-1] // 2 + 1
        missing = [max(0, n - (d or 0)) for n, d in zip(wanted, dims)]
        if not any(missing):
            return x
        kind = np.int64 if max(missing) >> 31 else np.int32
        return Pad(x, np.array([[0, 0]] * (len(x.dims) - rank) + [[0, m] for m in missing], kind))
    if inverse:
        sizes = concat([sizes[:-1], sizes[-1:] // 2 + 1], 0)
    behind = concat([np.zeros(len(x.dims) - rank, np.int32), Maximum(0, sizes - Shape(x)[-rank:])], 0)
    return Pad(x, Pack([zeros_like(behind), behind], axis=1))


def _real_transform(rank: int, inverse: bool) -> _RealTransform:
    op = (_REAL_INVERSE if inverse else _REAL_FORWARD)[rank - 1]
    name_ = op.type.lower()

    def function(input_tensor: TensorLike, fft_length: TensorLike | None = None, name: str | None = None) -> Tensor:
        with scope(name, name_) as full:
            usual = complex64 if inverse else float32
            open_ = isinstance(input_tensor, np.ndarray) or not hasattr(input_tensor, "dtype")
            x = as_tensor(convert_to_tensor(input_tensor, dtype_hint=usual) if open_ else input_tensor)
            if x.dtype.is_complex != inverse or (not inverse and x.dtype not in _REALS):
                kind = "complex" if inverse else "float32 or float64"
                raise ValueError(errors.at_user_line(f"{name_} takes a {kind} tensor, found {x.dtype.name}"))
            if fft_length is None:
                sizes = _default_lengths(x, rank, inverse)
            else:
                sizes = as_tensor(fft_length, "int32")
                x = filled_up(x, sizes, rank, inverse)
            return op(x, sizes, name=full, **_partner(x))

    function.__name__ = function.__qualname__ = name_
    what = (
        "back to real numbers, from the half of the frequencies that is not redundant"
        if inverse
        else ("of real numbers: the half of the frequencies that is not redundant")
    )
    kind = "tf.complex64" if inverse else "tf.float32"
    function.__doc__ = f"""The Fourier transform over the last {rank} axes, {what}.

    `fft_length` (default: what the input has) says how many elements are taken along each axis; zeros are appended.

    >>> import graphrt as tf
    >>> tf.signal.{name_}(tf.ones([4] * {rank}, {kind})).shape.rank
    {rank}

    Raises:
      ValueError: the input has another dtype.
      InvalidArgumentError: the input has too few axes.
    """
    return function


rfft, rfft2d, rfft3d = (_real_transform(r, False) for r in (1, 2, 3))
irfft, irfft2d, irfft3d = (_real_transform(r, True) for r in (1, 2, 3))


def _any_axes(op: OpDef, doc: str) -> _AxesTransform:
    kind = op.type.lower()
    inverse = kind.startswith("i")

    def function(
        input_tensor: TensorLike, fft_length: Any = None, axes: Sequence[int] | None = None, norm: str | None = None,
        name: str | None = None,
    ) -> Tensor:  # fmt: skip
        if norm not in (None, "backward", "forward", "ortho"):
            raise ValueError(errors.at_user_line(f"norm must be backward, forward or ortho, found {shown(norm)}"))
        x = as_tensor(input_tensor)
        if x.dims is None:
            raise ValueError(errors.at_user_line(f"{kind} needs a tensor of known rank"))
        rank = len(x.dims)
        known = static_array(axes) if isinstance(axes, Tensor) else axes
        if axes is not None and known is None:  # axes that only the run tells
            found: Any = as_tensor(axes)
        else:
            places = range(rank) if known is None else [place_in(int(a), rank) for a in np.ravel(np.asarray(known))]
            found = np.array(places, np.int32)
        if fft_length is None:
            full = gather(Shape(x), found)
            sizes = full
            if kind == "irfftnd":
                sizes = concat([full[:-1], 2 * (full[-1:] - 1)], 0)
        else:
            sizes = as_tensor(fft_length, "int32")
        partner = _partner(x) if "rfft" in kind else {}
        out = op(x, sizes, as_tensor(found), name=name, **partner)
        if norm in (None, "backward"):
            return out
        count = cast(reduce_prod(sizes), out.dtype)
        factor = Sqrt(count) if norm == "ortho" else count
        return out * factor if inverse else out / factor

    function.__name__ = function.__qualname__ = kind
    dtype = "tf.complex64" if kind != "rfftnd" else "tf.float32"
    function.__doc__ = f"""{doc}

    `norm` is "backward" (the inverse divides), "forward" (the other one does) or "ortho" (both, by the root).

    >>> import graphrt as tf
    >>> tf.signal.{kind}(tf.ones([4, 4], {dtype}), axes=[0]).shape[1]
    4

    Raises:
      ValueError: the rank is not known, or `norm` is none of the three.
      InvalidArgumentError: an axis is out of range.
    """
    return function


fftnd = _any_axes(FFTND, "The Fourier transform over `axes` (default: all).")
ifftnd = _any_axes(IFFTND, "The inverse Fourier transform over `axes` (default: all).")
rfftnd = _any_axes(RFFTND, "The Fourier transform of real numbers over `axes` (default: all), half of the last one.")
irfftnd = _any_axes(IRFFTND, "The inverse of `rfftnd`.")
