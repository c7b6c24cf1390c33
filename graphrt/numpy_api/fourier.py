"""NumPy's `fft` on tensors, as ops."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn

import numpy

from graphrt.ir.op import OpDef
from graphrt.numpy_api.arguments import in_floats
from graphrt.numpy_api.operands import as_floats, implements, rank_of, refuse, tensor_of_any
from graphrt.ops.array.padding import PadV2, roll
from graphrt.ops.array.shape import Reshape, Shape, transpose
from graphrt.ops.math.arithmetic import Maximum
from graphrt.ops.math.casting import cast
from graphrt.ops.math.elementwise import Sqrt, conj
from graphrt.ops.signal.fft import FFT, IFFT, IRFFT, RFFT
from graphrt.ops.support.kernel_helpers import place_in
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.types import dtype as dtypes
from graphrt.types.likes import AxisLike, ShapeLike, TensorLike

if TYPE_CHECKING:
    from graphrt.ir.op import OpDef

np: Any = numpy  # tensors take part in NumPy's functions by its protocols, which the types of NumPy do not know

__all__: list[str] = []


# --- Fourier ---------------------------------------------------------------------------------------------------------
def _complex(x: Any) -> Tensor:
    x = as_floats(tensor_of_any(x))
    if x.dtype.is_complex:
        return x
    return cast(x, dtypes.complex64 if x.dtype is dtypes.float32 else dtypes.complex128)


def _real(x: Any) -> Tensor:
    x = in_floats(x)
    if x.dtype.is_complex:
        raise TypeError("the input of a real Fourier transform must be real")
    return cast(x, dtypes.float32) if x.dtype is dtypes.float16 else x


def _refuse_points(n: int) -> NoReturn:
    refuse(f"Invalid number of FFT data points ({n}) specified.")


def _resized(x: Any, n: int | None, axis: int) -> Tensor:
    """`x` cut, or filled with zeros, to `n` elements along `axis`."""
    if n is None:
        if x.dims[axis] == 0:
            _refuse_points(0)
        return x
    if n < 1:
        _refuse_points(n)
    size = Shape(x)[axis]
    place = place_in(axis, rank_of(x))
    x = x[(*(slice(None),) * place, slice(None, n))]
    extra = Maximum(n - size, 0)
    widths = [[0, extra if i == place else 0] for i in range(rank_of(x))]
    found = PadV2(x, convert_to_tensor(widths), convert_to_tensor(0, x.dtype))
    found.set_shape([n if i == place else d for i, d in enumerate(x.dims)])
    return found


def _last(x: Tensor, axis: int, function: Callable[..., Any] | OpDef) -> Tensor:
    """`function` along `axis`, which it expects to be the last one."""
    rank = rank_of(x)
    place = place_in(axis, rank)
    if place == rank - 1:
        return function(x)
    order = [i for i in range(rank) if i != place] + [place]
    back = [order.index(i) for i in range(rank)]
    return transpose(function(transpose(x, order)), back)


def _last_size(x: Any) -> Tensor | list[int]:
    size = x.dims[-1]
    return [size] if size is not None else Shape(x)[-1:]


def _scaled(found: Tensor, n: Callable[..., Any] | Tensor | int, norm: str | None, inverse: bool) -> Tensor:
    """From the ops' scaling (1 forwards, 1/n backwards) to that of `norm`."""
    if norm not in (None, "backward", "ortho", "forward"):
        raise ValueError(f"Invalid norm value {norm}; should be 'backward', 'ortho' or 'forward'.")
    if norm in (None, "backward"):
        return found
    size = cast(cast(n() if callable(n) else n, dtypes.float64), found.dtype)
    factor = Sqrt(size) if norm == "ortho" else size
    return found * factor if inverse else found / factor


def _one(op: OpDef, inverse: bool) -> Callable[..., Any]:
    def transform(a: Tensor, n: int | None = None, axis: int = -1, norm: str | None = None) -> Tensor:
        x = _resized(_complex(a), n, axis)
        return _scaled(_last(x, axis, op), lambda: Shape(x)[axis], norm, inverse)

    return transform


_fft = implements(np.fft.fft)(_one(FFT, False))
_ifft = implements(np.fft.ifft)(_one(IFFT, True))


@implements(np.fft.rfft)
def _rfft(a: TensorLike, n: int | None = None, axis: int = -1, norm: str | None = None) -> Tensor:
    x = _resized(_real(a), n, axis)
    result = dtypes.complex64 if x.dtype is dtypes.float32 else dtypes.complex128
    found = _last(x, axis, lambda t: RFFT(t, _last_size(t), Tcomplex=result))
    return _scaled(found, lambda: Shape(x)[axis], norm, False)


@implements(np.fft.irfft)
def _irfft(a: TensorLike, n: int | None = None, axis: int = -1, norm: str | None = None) -> Tensor:
    x: Any = _complex(a)
    if n is None and x.dims[axis] is not None:
        n = 2 * (x.dims[axis] - 1)
    if n is not None and n < 1:
        _refuse_points(n)
    size = (Shape(x)[axis] - 1) * 2 if n is None else n
    x = x if n is None else _resized(x, n // 2 + 1, axis)
    result = dtypes.float32 if x.dtype is dtypes.complex64 else dtypes.float64
    found = _last(x, axis, lambda t: IRFFT(t, Reshape(size, [1]), Treal=result))
    return _scaled(found, size, norm, True)


_TURNED = MappingProxyType({None: "forward", "backward": "forward", "forward": "backward"})  # norms, other way round


@implements(np.fft.hfft)
def _hfft(a: TensorLike, n: int | None = None, axis: int = -1, norm: str | None = None) -> Tensor:
    return _irfft(conj(_complex(a)), n, axis, _TURNED.get(norm, norm))


@implements(np.fft.ihfft)
def _ihfft(a: TensorLike, n: int | None = None, axis: int = -1, norm: str | None = None) -> Tensor:
    return conj(_rfft(a, n, axis, _TURNED.get(norm, norm)))


def _axes(x: Any, s: Any, axes: Any) -> list[tuple[int, int | None]]:
    if axes is None:
        axes = range(rank_of(x)) if s is None else range(-len(s), 0)
    if s is not None and len(s) != len(axes):
        refuse("Shape and axes have different lengths.")
    sizes = [None if n in (None, -1) else int(n) for n in s] if s is not None else [None] * len(axes)
    return list(zip(axes, sizes))


def _many(one: Callable[..., Any]) -> Callable[..., Any]:
    def transform(
        a: Tensor, s: tuple[int, ...] | None = None, axes: tuple[int, ...] | None = None, norm: str | None = None
    ) -> Tensor:
        x = tensor_of_any(a)
        for axis, n in reversed(_axes(x, s, axes)):
            x = one(x, n, axis, norm)
        return x

    return transform


_fftn = implements(np.fft.fftn)(_many(_fft))
_ifftn = implements(np.fft.ifftn)(_many(_ifft))


@implements(np.fft.fft2)
def _fft2(a: TensorLike, s: ShapeLike = None, axes: AxisLike = (-2, -1), norm: str | None = None) -> Tensor:
    return _fftn(a, s, axes, norm)


@implements(np.fft.ifft2)
def _ifft2(a: TensorLike, s: ShapeLike = None, axes: AxisLike = (-2, -1), norm: str | None = None) -> Tensor:
    return _ifftn(a, s, axes, norm)


@implements(np.fft.rfftn)
def _rfftn(a: TensorLike, s: ShapeLike = None, axes: AxisLike = None, norm: str | None = None) -> Tensor:
    x = tensor_of_any(a)
    *rest, (last, n) = _axes(x, s, axes)
    x = _rfft(x, n, last, norm)
    for axis, n in reversed(rest):
        x = _fft(x, n, axis, norm)
    return x


@implements(np.fft.irfftn)
def _irfftn(a: TensorLike, s: ShapeLike = None, axes: AxisLike = None, norm: str | None = None) -> Tensor:
    x = tensor_of_any(a)
    *rest, (last, n) = _axes(x, s, axes)
    for axis, size in rest:
        x = _ifft(x, size, axis, norm)
    if n is None and s is not None:  # -1 stands for the size of the input
        n = x.dims[last]
    return _irfft(x, n, last, norm)


@implements(np.fft.rfft2)
def _rfft2(a: TensorLike, s: ShapeLike = None, axes: AxisLike = (-2, -1), norm: str | None = None) -> Tensor:
    return _rfftn(a, s, axes, norm)


@implements(np.fft.irfft2)
def _irfft2(a: TensorLike, s: ShapeLike = None, axes: AxisLike = (-2, -1), norm: str | None = None) -> Tensor:
    return _irfftn(a, s, axes, norm)


def _shift(a: Any, axes: Any, half: Callable[..., Any]) -> Tensor:
    x = tensor_of_any(a)
    places = list(range(rank_of(x))) if axes is None else np.atleast_1d(axes).tolist()
    return roll(x, [half(Shape(x)[i]) for i in places], places)


@implements(np.fft.fftshift)
def _fftshift(x: TensorLike, axes: AxisLike = None) -> Tensor:
    return _shift(x, axes, lambda n: n // 2)


@implements(np.fft.ifftshift)
def _ifftshift(x: TensorLike, axes: int | None = None) -> Tensor:
    return _shift(x, axes, lambda n: -(n // 2))
