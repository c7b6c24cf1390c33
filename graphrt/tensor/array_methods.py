"""The methods and attributes that an ndarray has, on tensors: each is NumPy's function of that name.

`x.std(axis=0)` is `np.std(x, axis=0)`, which NumPy hands back to the tensor: see `graphrt.numpy_api.functions`.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy

from graphrt import errors
from graphrt.ir.op import ops

np: Any = numpy  # tensors take part in NumPy's functions by its protocols, which the types of NumPy do not know


class ArrayMethods:
    """What `Tensor` takes over from NumPy's arrays. Nothing here changes a tensor in place."""

    __slots__ = ()

    # --- reductions ---
    def sum(self, axis: Any = None, keepdims: bool = False, *, dtype: Any = None) -> Any:
        """Sum over `axis` (all axes when None)."""
        return ops.reduce_sum(self if dtype is None else ops.cast(self, dtype), axis, keepdims)

    def mean(self, axis: Any = None, keepdims: bool = False, *, dtype: Any = None) -> Any:
        """Mean over `axis` (all axes when None); that of integers is a float."""
        return np.mean(self, axis=axis, dtype=dtype, keepdims=keepdims)

    def prod(self, axis: Any = None, keepdims: bool = False, *, dtype: Any = None) -> Any:
        """Product over `axis` (all axes when None)."""
        return ops.reduce_prod(self if dtype is None else ops.cast(self, dtype), axis, keepdims)

    def max(self, axis: Any = None, keepdims: bool = False) -> Any:
        """Maximum over `axis` (all axes when None)."""
        return np.max(self, axis=axis, keepdims=keepdims)

    def min(self, axis: Any = None, keepdims: bool = False) -> Any:
        """Minimum over `axis` (all axes when None)."""
        return np.min(self, axis=axis, keepdims=keepdims)

    def any(self, axis: Any = None, keepdims: bool = False) -> Any:
        """Whether an element over `axis` is true, or not zero (all axes when None)."""
        return np.any(self, axis=axis, keepdims=keepdims)

    def all(self, axis: Any = None, keepdims: bool = False) -> Any:
        """Whether all elements over `axis` are true, or not zero (all axes when None)."""
        return np.all(self, axis=axis, keepdims=keepdims)

    def var(self, axis: Any = None, dtype: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
        """Variance over `axis`, of the elements less `ddof`."""
        return np.var(self, axis=axis, dtype=dtype, ddof=ddof, keepdims=keepdims)

    def std(self, axis: Any = None, dtype: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
        """Standard deviation over `axis`: the root of `var`."""
        return np.std(self, axis=axis, dtype=dtype, ddof=ddof, keepdims=keepdims)

    def ptp(self, axis: Any = None, keepdims: bool = False) -> Any:
        """Maximum less minimum over `axis`."""
        return np.ptp(self, axis=axis, keepdims=keepdims)

    def argmax(self, axis: Any = None, keepdims: bool = False) -> Any:
        """Position of the (first) maximum along `axis`, int64; in the flat tensor when None."""
        return np.argmax(self, axis=axis, keepdims=keepdims)

    def argmin(self, axis: Any = None, keepdims: bool = False) -> Any:
        """Position of the (first) minimum along `axis`, int64; in the flat tensor when None."""
        return np.argmin(self, axis=axis, keepdims=keepdims)

    def cumsum(self, axis: Any = None, dtype: Any = None) -> Any:
        """Running sum along `axis` (of the flat tensor when None)."""
        return np.cumsum(self, axis=axis, dtype=dtype)

    def cumprod(self, axis: Any = None, dtype: Any = None) -> Any:
        """Running product along `axis` (of the flat tensor when None)."""
        return np.cumprod(self, axis=axis, dtype=dtype)

    def trace(self, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> Any:
        """Sum along a diagonal."""
        return np.trace(self, offset, axis1, axis2, dtype)

    # --- shapes ---
    def reshape(self, *shape: Any) -> Any:
        """The same elements in another shape."""
        return ops.reshape(self, shape[0] if len(shape) == 1 else list(shape))

    def ravel(self) -> Any:
        """The elements in one dimension."""
        return ops.Reshape(self, [-1])

    def flatten(self) -> Any:
        """The elements in one dimension."""
        return ops.Reshape(self, [-1])

    def squeeze(self, axis: Any = None) -> Any:
        """Without the dimensions of size 1 (those in `axis`)."""
        return np.squeeze(self, axis=axis)

    def transpose(self, *axes: Any) -> Any:
        """The dimensions in the order of `axes`, in reverse order when there are none."""
        if not axes or axes == (None,):
            return ops.transpose(self)
        return np.transpose(self, axes[0] if len(axes) == 1 and isinstance(axes[0], (tuple, list)) else axes)

    def swapaxes(self, axis1: int, axis2: int) -> Any:
        """With two dimensions exchanged."""
        return np.swapaxes(self, axis1, axis2)

    def diagonal(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
        """The elements of a diagonal."""
        return np.diagonal(self, offset, axis1, axis2)

    @property
    def T(self) -> Any:
        """The transpose: dimensions in reverse order."""
        return ops.transpose(self)

    @property
    def mT(self) -> Any:
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
        return int(np.dtype(self.dtype.as_numpy_dtype).itemsize)  # type: ignore[attr-defined]

    @property
    def nbytes(self) -> Any:
        """Bytes of all elements."""
        return self.size * self.itemsize

    # --- elements ---
    def astype(self, dtype: Any, copy: bool = True) -> Any:
        """The elements converted to another dtype (a NumPy one, or Python's bool, int, float)."""
        return np.astype(self, dtype)

    def copy(self) -> Any:
        """The tensor itself: nothing can change it."""
        return self

    def clip(self, min: Any = None, max: Any = None) -> Any:
        """The elements kept between `min` and `max`."""
        return np.clip(self, min, max)

    def round(self, decimals: int = 0) -> Any:
        """The elements rounded, halves to even."""
        return np.round(self, decimals)

    def repeat(self, repeats: Any, axis: Any = None) -> Any:
        """Each element several times."""
        return np.repeat(self, repeats, axis)

    def take(self, indices: Any, axis: Any = None) -> Any:
        """The elements at `indices` along `axis` (of the flat tensor when None)."""
        return np.take(self, indices, axis)

    def compress(self, condition: Any, axis: Any = None) -> Any:
        """The parts along `axis` where `condition` holds."""
        return np.compress(condition, self, axis)

    def choose(self, choices: Any, mode: str = "raise") -> Any:
        """For each element n that of the n-th choice."""
        return np.choose(self, choices, mode=mode)

    def nonzero(self) -> Any:
        """Where the elements are not zero: positions, a tensor for each dimension."""
        return np.nonzero(self)

    def argsort(self, axis: Any = -1) -> Any:
        """The positions that sort along `axis`, int64."""
        return np.argsort(self, axis=axis)

    def searchsorted(self, v: Any, side: Any = "left", sorter: Any = None) -> Any:
        """Where `v` would be put into this sorted tensor."""
        return np.searchsorted(self, v, side, sorter)

    def dot(self, b: Any) -> Any:
        """The product of vectors and matrices."""
        return np.dot(self, b)

    def conj(self) -> Any:
        """The complex conjugate."""
        return ops.conj(self)

    def conjugate(self) -> Any:
        """The complex conjugate."""
        return ops.conj(self)

    @property
    def real(self) -> Any:
        """The real part."""
        return ops.real(self)

    @property
    def imag(self) -> Any:
        """The imaginary part."""
        return np.imag(self)

    @property
    def flat(self) -> Any:
        """The elements in one dimension, to loop over."""
        return ops.Reshape(self, [-1])

    # --- what would write ---
    def sort(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Not available: an array sorts itself in place.

        Raises:
          TypeError: always.
        """
        raise _in_place("sort", "x = np.sort(x)")

    def fill(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Not available: it writes.

        Raises:
          TypeError: always.
        """
        raise _in_place("fill", "x = np.full_like(x, value)")

    def partition(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Not available: it writes.

        Raises:
          TypeError: always.
        """
        raise _in_place("partition", "x = np.partition(x, kth)")

    def put(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Not available: it writes.

        Raises:
          TypeError: always.
        """
        raise _in_place("put", "x[indices] = values in a traced function, or tf.tensor_scatter_nd_update")

    def resize(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Not available: it writes.

        Raises:
          TypeError: always.
        """
        raise _in_place("resize", "x = np.resize(x, shape)")

    # --- the array API ---
    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        return ops.array_namespace(api_version)

    def to_device(self, device: Any, /, *, stream: Any = None) -> Any:
        """The tensor itself: there is one device.

        Raises:
          ValueError: `device` is another one, or a stream is given.
        """
        return ops.to_device(self, device, stream)


def _in_place(method: str, instead: str) -> TypeError:
    return TypeError(
        errors.at_user_line(f"{method}() changes an array in place, and a tensor cannot be changed. Write {instead}.")
    )
