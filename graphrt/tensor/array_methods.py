"""The methods and attributes that an ndarray has, on tensors: each is NumPy's function of that name.

`x.std(axis=0)` is `np.std(x, axis=0)`, which NumPy hands back to the tensor: see `graphrt.numpy_api.functions`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy

from graphrt import errors
from graphrt.ir.op import ops  # late: ops stand above tensors
from graphrt.types.likes import AxisLike, DTypeLike, TensorLike

if TYPE_CHECKING:
    from graphrt.tensor.tensor import Tensor
    from graphrt.types.dtype import DType
    from graphrt.types.shape import TensorShape

np: Any = numpy  # tensors take part in NumPy's functions by its protocols, which the types of NumPy do not know


class ArrayMethods:
    """What `Tensor` takes over from NumPy's arrays. Nothing here changes a tensor in place."""

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def dtype(self) -> DType: ...
        @property
        def shape(self) -> TensorShape: ...

    # --- reductions ---
    def sum(self, axis: int | None = None, keepdims: bool = False, *, dtype: DTypeLike | None = None) -> Tensor:
        """Sum over `axis` (all axes when None)."""
        return np.sum(self, axis=axis, dtype=dtype, keepdims=keepdims)

    def mean(self, axis: AxisLike = None, keepdims: bool = False, *, dtype: DTypeLike | None = None) -> Tensor:
        """Mean over `axis` (all axes when None); that of integers is a float."""
        return np.mean(self, axis=axis, dtype=dtype, keepdims=keepdims)

    def prod(self, axis: Any = None, keepdims: bool = False, *, dtype: DTypeLike | None = None) -> Tensor:
        """Product over `axis` (all axes when None)."""
        return np.prod(self, axis=axis, dtype=dtype, keepdims=keepdims)

    def max(self, axis: AxisLike = None, keepdims: bool = False) -> Any:
        """Maximum over `axis` (all axes when None)."""
        return np.max(self, axis=axis, keepdims=keepdims)

    def min(self, axis: AxisLike = None, keepdims: bool = False) -> Any:
        """Minimum over `axis` (all axes when None)."""
        return np.min(self, axis=axis, keepdims=keepdims)

    def any(self, axis: AxisLike = None, keepdims: bool = False) -> Tensor:
        """Whether an element over `axis` is true, or not zero (all axes when None)."""
        return np.any(self, axis=axis, keepdims=keepdims)

    def all(self, axis: AxisLike = None, keepdims: bool = False) -> Any:
        """Whether all elements over `axis` are true, or not zero (all axes when None)."""
        return np.all(self, axis=axis, keepdims=keepdims)

    def var(
        self, axis: AxisLike = None, dtype: DTypeLike | None = None, ddof: int = 0, keepdims: bool = False
    ) -> Tensor:
        """Variance over `axis`, of the elements less `ddof`."""
        return np.var(self, axis=axis, dtype=dtype, ddof=ddof, keepdims=keepdims)

    def std(
        self, axis: AxisLike = None, dtype: DTypeLike | None = None, ddof: int = 0, keepdims: bool = False
    ) -> Tensor:
        """Standard deviation over `axis`: the root of `var`."""
        return np.std(self, axis=axis, dtype=dtype, ddof=ddof, keepdims=keepdims)

    def ptp(self, axis: AxisLike = None, keepdims: bool = False) -> Tensor:
        """Maximum less minimum over `axis`."""
        return np.ptp(self, axis=axis, keepdims=keepdims)

    def argmax(self, axis: AxisLike = None, keepdims: bool = False) -> Tensor:
        """Position of the (first) maximum along `axis`, int64; in the flat tensor when None."""
        return np.argmax(self, axis=axis, keepdims=keepdims)

    def argmin(self, axis: AxisLike = None, keepdims: bool = False) -> Tensor:
        """Position of the (first) minimum along `axis`, int64; in the flat tensor when None."""
        return np.argmin(self, axis=axis, keepdims=keepdims)

    def cumsum(self, axis: AxisLike = None, dtype: DTypeLike | None = None) -> Tensor:
        """Running sum along `axis` (of the flat tensor when None)."""
        return np.cumsum(self, axis=axis, dtype=dtype)

    def cumprod(self, axis: AxisLike = None, dtype: DTypeLike | None = None) -> Tensor:
        """Running product along `axis` (of the flat tensor when None)."""
        return np.cumprod(self, axis=axis, dtype=dtype)

    def trace(self, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: DTypeLike | None = None) -> Tensor:
        """Sum along a diagonal."""
        return np.trace(self, offset, axis1, axis2, dtype)

    # --- shapes ---
    def reshape(self, *shape: Any) -> Any:
        """The same elements in another shape."""
        one = len(shape) == 1 and not isinstance(shape[0], (int, np.integer)) and getattr(shape[0], "dims", None) != ()
        return ops.reshape(self, shape[0] if one else list(shape))

    def ravel(self) -> Any:
        """The elements in one dimension."""
        return ops.Reshape(self, [-1])

    def flatten(self) -> Tensor:
        """The elements in one dimension."""
        return ops.Reshape(self, [-1])

    def squeeze(self, axis: AxisLike = None) -> Tensor:
        """Without the dimensions of size 1 (those in `axis`)."""
        return np.squeeze(self, axis=axis)

    def transpose(self, *axes: Any) -> Any:
        """The dimensions in the order of `axes`, in reverse order when there are none."""
        if not axes or axes == (None,):
            return ops.transpose(self)
        return np.transpose(self, axes[0] if len(axes) == 1 and isinstance(axes[0], (tuple, list)) else axes)

    def swapaxes(self, axis1: int, axis2: int) -> Tensor:
        """With two dimensions exchanged."""
        return np.swapaxes(self, axis1, axis2)

    def diagonal(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
        """The elements of a diagonal."""
        return np.diagonal(self, offset, axis1, axis2)

    @property
    def T(self) -> Tensor:
        """The transpose: dimensions in reverse order."""
        return ops.transpose(self)

    @property
    def mT(self) -> Tensor:
        """The transpose of each matrix.

        Raises:
          ValueError: there are fewer than two dimensions.
        """
        if self.ndim is not None and self.ndim < 2:  # type: ignore[attr-defined]
            raise ValueError(errors.at_user_line("matrix transpose with ndim < 2 is undefined"))
        return ops.matrix_transpose(self)

    @property
    def size(self) -> Any:
        """The number of elements: an int where the shape is known, else a tensor."""
        return np.size(self)

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return int(np.dtype(self.dtype.as_numpy_dtype).itemsize)

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.size * self.itemsize

    # --- elements ---
    def astype(self, dtype: DTypeLike, copy: bool = True) -> Any:
        """The elements converted to another dtype (a NumPy one, or Python's bool, int, float)."""
        return np.astype(self, dtype)

    def copy(self) -> Any:
        """The tensor itself: nothing can change it."""
        return self

    def clip(self, min: TensorLike | None = None, max: TensorLike | None = None) -> Tensor:
        """The elements kept between `min` and `max`."""
        return np.clip(self, min, max)

    def round(self, decimals: int = 0) -> Tensor:
        """The elements rounded, halves to even."""
        return np.round(self, decimals)

    def repeat(self, repeats: TensorLike, axis: AxisLike = None) -> Tensor:
        """Each element several times."""
        return np.repeat(self, repeats, axis)

    def take(self, indices: TensorLike, axis: AxisLike = None) -> Tensor:
        """The elements at `indices` along `axis` (of the flat tensor when None)."""
        return np.take(self, indices, axis)

    def compress(self, condition: TensorLike, axis: AxisLike = None) -> Tensor:
        """The parts along `axis` where `condition` holds."""
        return np.compress(condition, self, axis)

    def choose(self, choices: TensorLike, mode: str = "raise") -> Tensor:
        """For each element n that of the n-th choice."""
        return np.choose(self, choices, mode=mode)

    def nonzero(self) -> tuple[Tensor]:
        """Where the elements are not zero: positions, a tensor for each dimension."""
        return np.nonzero(self)

    def argsort(self, axis: AxisLike = -1) -> Tensor:
        """The positions that sort along `axis`, int64."""
        return np.argsort(self, axis=axis)

    def searchsorted(self, v: TensorLike, side: str = "left", sorter: TensorLike | None = None) -> Tensor:
        """Where `v` would be put into this sorted tensor."""
        return np.searchsorted(self, v, side, sorter)

    def dot(self, b: TensorLike) -> Tensor:
        """The product of vectors and matrices."""
        return np.dot(self, b)

    def conj(self) -> Tensor:
        """The complex conjugate."""
        return ops.conj(self)

    def conjugate(self) -> Tensor:
        """The complex conjugate."""
        return ops.conj(self)

    @property
    def real(self) -> Tensor:
        """The real part."""
        return ops.real(self)

    @property
    def imag(self) -> Tensor:
        """The imaginary part."""
        return np.imag(self)

    @property
    def flat(self) -> Tensor:
        """The elements in one dimension, to loop over."""
        return ops.Reshape(self, [-1])

    # --- what would write ---
    def sort(self, *args: TensorLike, **kwargs: Any) -> NoReturn:
        """Not available: an array sorts itself in place.

        Raises:
          TypeError: always.
        """
        raise _in_place("sort", "x = np.sort(x)")

    def fill(self, *args: TensorLike, **kwargs: Any) -> NoReturn:
        """Not available: it writes.

        Raises:
          TypeError: always.
        """
        raise _in_place("fill", "x = np.full_like(x, value)")

    def partition(self, *args: TensorLike, **kwargs: Any) -> NoReturn:
        """Not available: it writes.

        Raises:
          TypeError: always.
        """
        raise _in_place("partition", "x = np.partition(x, kth)")

    def put(self, *args: TensorLike, **kwargs: Any) -> NoReturn:
        """Not available: it writes.

        Raises:
          TypeError: always.
        """
        raise _in_place("put", "x[indices] = values in a traced function, or tf.tensor_scatter_nd_update")

    def resize(self, *args: TensorLike, **kwargs: Any) -> NoReturn:
        """Not available: it writes.

        Raises:
          TypeError: always.
        """
        raise _in_place("resize", "x = np.resize(x, shape)")

    # --- the array API ---
    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        return ops.array_namespace(api_version)

    def to_device(self, device: Any, /, *, stream: Any = None) -> Tensor:
        """The tensor itself: there is one device.

        Raises:
          ValueError: `device` is another one, or a stream is given.
        """
        return ops.to_device(self, device, stream)


def _in_place(method: str, instead: str) -> TypeError:
    return TypeError(
        errors.at_user_line(f"{method}() changes an array in place, and a tensor cannot be changed. Write {instead}.")
    )
