"""Layers that change shapes: reshaping, padding, cropping, repeating."""

from __future__ import annotations

import math
from typing import Any, Unpack

import graphrt as tf
from graphrt.keras.config import standardize_data_format
from graphrt.keras.layers.base import InputSpec, Layer
from graphrt.keras.layers.options import LayerOptions
from graphrt.keras.layers.windows import as_before, channels_last, sizes, whole
from graphrt.tensor.tensor import Tensor
from graphrt.types.likes import TensorLike
from graphrt.types.nesting import said

__all__ = [
    "Cropping1D",
    "Cropping2D",
    "Cropping3D",
    "Flatten",
    "Permute",
    "RepeatVector",
    "Reshape",
    "UpSampling1D",
    "UpSampling2D",
    "UpSampling3D",
    "ZeroPadding1D",
    "ZeroPadding2D",
    "ZeroPadding3D",
]


def _batch_first(x: Any, rest: list[int]) -> list[Any]:
    batch = x.shape[0]
    return [tf.shape(x)[0] if batch is None else batch, *rest]


class Flatten(Layer):
    """All axes but the batch made one.

    >>> import graphrt as tf
    >>> tf.keras.layers.Flatten()(tf.ones([2, 3, 4])).shape
    TensorShape([2, 12])
    """

    def __init__(self, data_format: str | None = None, **kwargs: Unpack[LayerOptions]) -> None:
        super().__init__(**kwargs)
        self.data_format = standardize_data_format(data_format)
        self.input_spec = InputSpec(min_ndim=1)

    def call(self, inputs: Any) -> Tensor:
        """The flat inputs."""
        if self.data_format == "channels_first" and len(inputs.shape) > 1:
            inputs = channels_last(inputs, self.data_format)
        rest = inputs.shape.as_list()[1:]
        size = -1 if None in rest else math.prod(rest)
        return tf.reshape(inputs, [-1, size] if size != -1 and size and inputs.shape[0] is None
                          else _batch_first(inputs, [size]))  # fmt: skip


class Reshape(Layer):
    """Another shape for each sample; -1 stands for what is left.

    >>> import graphrt as tf
    >>> tf.keras.layers.Reshape((2, -1))(tf.ones([5, 6])).shape
    TensorShape([5, 2, 3])

    Raises:
      ValueError: the numbers of elements differ.
    """

    input_spec = InputSpec(min_ndim=1)

    def __init__(self, target_shape: Any, **kwargs: Unpack[LayerOptions]) -> None:
        super().__init__(**kwargs)
        self.target_shape = tuple(target_shape)
        if self.target_shape.count(-1) > 1:
            raise ValueError(
                "There must be at most one unknown dimension (-1) in `target_shape`. "
                f"Received: target_shape={self.target_shape}."
            )

    def call(self, inputs: Any) -> Tensor:
        """The reshaped inputs."""
        rest = inputs.shape.as_list()[1:]
        target = list(self.target_shape)
        if None not in rest:
            total, known = math.prod(rest), math.prod(n for n in target if n != -1)
            if (-1 not in target and total != known) or (-1 in target and (known == 0 or total % known)):
                raise ValueError(
                    f"The total size of the tensor must be unchanged in layer {self.name!r}. Received: "
                    f"input_shape={tuple(rest)}, target_shape={self.target_shape}"
                )
            target = [total // known if n == -1 else n for n in target]
        return tf.reshape(inputs, _batch_first(inputs, target))


class Permute(Layer):
    """The axes of each sample in another order; counting begins at 1.

    >>> import graphrt as tf
    >>> tf.keras.layers.Permute((2, 1))(tf.ones([5, 2, 3])).shape
    TensorShape([5, 3, 2])

    Raises:
      ValueError: `dims` are not the numbers from 1 on.
    """

    def __init__(self, dims: Any, **kwargs: Unpack[LayerOptions]) -> None:
        super().__init__(**kwargs)
        self.dims = tuple(dims)
        if sorted(self.dims) != list(range(1, len(self.dims) + 1)):
            raise ValueError(
                "Invalid permutation argument `dims` for Permute Layer. The set of indices in `dims` must be "
                f"consecutive and start from 1. Received dims={dims}"
            )
        self.input_spec = InputSpec(ndim=len(self.dims) + 1)

    def call(self, inputs: Tensor) -> Tensor:
        """The transposed inputs."""
        return tf.transpose(inputs, [0, *self.dims])


class RepeatVector(Layer):
    """Each vector `n` times: (batch, features) becomes (batch, n, features).

    >>> import graphrt as tf
    >>> tf.keras.layers.RepeatVector(3)(tf.ones([2, 4])).shape
    TensorShape([2, 3, 4])

    Raises:
      TypeError: `n` is no integer.
      ValueError: `n` is not positive.
    """

    def __init__(self, n: int, **kwargs: Unpack[LayerOptions]) -> None:
        super().__init__(**kwargs)
        n = whole(n)
        if not isinstance(n, int):
            raise TypeError(f"Expected an integer value for `n`, got {type(n)}.")
        if n < 1:
            raise ValueError(f"Argument `n` should be a positive integer. Received: n={n}")
        self.n = n
        self.input_spec = InputSpec(ndim=2)

    def call(self, inputs: Tensor) -> Tensor:
        """The repeated vectors."""
        return tf.repeat(tf.expand_dims(inputs, 1), self.n, axis=1)


def _edges(value: Any, rank: int, name: str) -> tuple[tuple[int, int], ...]:
    """`((before, after), ...)` of one number, one for each axis, or a pair for each."""
    value = whole(value)
    if isinstance(value, int):
        if value < 0:
            raise ValueError(f"`{name}` cannot be negative. Received: {name}={value}.")
        return ((value, value),) * rank
    if not isinstance(value, (list, tuple)):
        raise ValueError(
            f"`{name}` should be an integer, or a tuple of {rank} of them or of pairs. Received: {said(value)}"
        )
    if rank == 1:
        return (sizes(value, 2, name, allow_zero=True),)  # type: ignore[return-value]
    if len(value) != rank:
        raise ValueError(f"`{name}` should have {rank} elements. Received: {said(value)}.")
    return tuple(sizes(v, 2, name, allow_zero=True) for v in value)  # type: ignore[misc]


class _ZeroPadding(Layer):
    rank = 2

    def __init__(self, padding: Any = 1, data_format: str | None = None, **kwargs: Unpack[LayerOptions]) -> None:
        super().__init__(**kwargs)
        self.data_format = standardize_data_format(data_format)
        self._around = _edges(padding, self.rank, "padding")
        self.padding: Any = self._around[0] if self.rank == 1 else self._around
        self.input_spec = InputSpec(ndim=self.rank + 2)

    def call(self, inputs: Any) -> Tensor:
        """The inputs with zeros around them."""
        edges = list(self._around)
        around = [(0, 0), *edges, (0, 0)] if self.data_format == "channels_last" else [(0, 0), (0, 0), *edges]
        return tf.pad(inputs, around)


class ZeroPadding1D(_ZeroPadding):
    """Zeros before and after the steps.

    >>> import graphrt as tf
    >>> tf.keras.layers.ZeroPadding1D((1, 2))(tf.ones([1, 4, 3])).shape
    TensorShape([1, 7, 3])

    Raises:
      ValueError: the input has another rank.
    """

    rank = 1


class ZeroPadding2D(_ZeroPadding):
    """Zeros around images: one number, one for rows and one for columns, or a pair for each.

    >>> import graphrt as tf
    >>> tf.keras.layers.ZeroPadding2D(((1, 0), (2, 2)))(tf.ones([1, 4, 4, 3])).shape
    TensorShape([1, 5, 8, 3])

    Raises:
      ValueError: the input has another rank.
    """

    def __init__(
        self, padding: TensorLike = (1, 1), data_format: str | None = None, **kwargs: Unpack[LayerOptions]
    ) -> None:
        super().__init__(padding, data_format, **kwargs)


class ZeroPadding3D(_ZeroPadding):
    """Zeros around volumes.

    >>> import graphrt as tf
    >>> tf.keras.layers.ZeroPadding3D()(tf.ones([1, 2, 2, 2, 3])).shape
    TensorShape([1, 4, 4, 4, 3])

    Raises:
      ValueError: the input has another rank.
    """

    rank = 3

    def __init__(
        self, padding: TensorLike = ((1, 1), (1, 1), (1, 1)), data_format: str | None = None,
        **kwargs: Unpack[LayerOptions]
    ) -> None:  # fmt: skip
        super().__init__(padding, data_format, **kwargs)


class _Cropping(Layer):
    rank = 2

    def __init__(self, cropping: Any, data_format: str | None = None, **kwargs: Unpack[LayerOptions]) -> None:
        super().__init__(**kwargs)
        self.data_format = standardize_data_format(data_format)
        self._around = _edges(cropping, self.rank, "cropping")
        self.cropping: Any = self._around[0] if self.rank == 1 else self._around
        self.input_spec = InputSpec(ndim=self.rank + 2)

    def call(self, inputs: Any) -> Tensor:
        """The middle of the inputs."""
        first = 1 if self.data_format == "channels_last" else 2
        key: list[Any] = [slice(None)] * len(inputs.shape)
        for axis, (before, after) in enumerate(self._around, first):
            size = inputs.shape[axis]
            if size is not None and before + after >= size:
                raise ValueError(
                    f"`cropping` of layer {self.name!r} must leave something of axis {axis}. Received: "
                    f"input_shape={tuple(inputs.shape)}, cropping={self.cropping}"
                )
            key[axis] = slice(before, -after if after else None)
        return inputs[tuple(key)]


class Cropping1D(_Cropping):
    """Steps without the first and last ones.

    >>> import graphrt as tf
    >>> tf.keras.layers.Cropping1D(1)(tf.ones([1, 4, 3])).shape
    TensorShape([1, 2, 3])

    Raises:
      ValueError: nothing would be left.
    """

    rank = 1

    def __init__(self, cropping: TensorLike = (1, 1), **kwargs: Unpack[LayerOptions]) -> None:
        super().__init__(cropping, "channels_last", **kwargs)


class Cropping2D(_Cropping):
    """Images without their edges.

    >>> import graphrt as tf
    >>> tf.keras.layers.Cropping2D(((1, 0), (1, 1)))(tf.ones([1, 4, 4, 3])).shape
    TensorShape([1, 3, 2, 3])

    Raises:
      ValueError: nothing would be left.
    """

    def __init__(
        self, cropping: TensorLike = ((0, 0), (0, 0)), data_format: str | None = None, **kwargs: Unpack[LayerOptions]
    ) -> None:
        super().__init__(cropping, data_format, **kwargs)


class Cropping3D(_Cropping):
    """Volumes without their edges.

    >>> import graphrt as tf
    >>> tf.keras.layers.Cropping3D()(tf.ones([1, 4, 4, 4, 3])).shape
    TensorShape([1, 2, 2, 2, 3])

    Raises:
      ValueError: nothing would be left.
    """

    rank = 3

    def __init__(
        self, cropping: TensorLike = ((1, 1), (1, 1), (1, 1)), data_format: str | None = None,
        **kwargs: Unpack[LayerOptions]
    ) -> None:  # fmt: skip
        super().__init__(cropping, data_format, **kwargs)


class UpSampling1D(Layer):
    """Each step `size` times.

    >>> import graphrt as tf
    >>> tf.keras.layers.UpSampling1D(2)(tf.ones([1, 4, 3])).shape
    TensorShape([1, 8, 3])

    Raises:
      ValueError: the input has another rank.
    """

    def __init__(self, size: int = 2, **kwargs: Unpack[LayerOptions]) -> None:
        super().__init__(**kwargs)
        size = whole(size)
        if not isinstance(size, int):
            raise TypeError(f"Expected an integer value for `size`, got {type(size)}.")
        if size < 1:
            raise ValueError(f"Argument `size` should be a positive integer. Received: size={size}")
        self.size = size
        self.input_spec = InputSpec(ndim=3)

    def call(self, inputs: Tensor) -> Tensor:
        """The repeated steps."""
        return tf.repeat(inputs, self.size, axis=1)


class UpSampling2D(Layer):
    """Larger images: each pixel repeated, or interpolated ('bilinear', 'bicubic', ...).

    >>> import graphrt as tf
    >>> tf.keras.layers.UpSampling2D((2, 3))(tf.ones([1, 4, 4, 3])).shape
    TensorShape([1, 8, 12, 3])

    Raises:
      ValueError: the input has another rank, or the interpolation is not known.
    """

    def __init__(
        self, size: TensorLike = (2, 2), data_format: str | None = None, interpolation: str = "nearest",
        **kwargs: Unpack[LayerOptions]
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        self.data_format = standardize_data_format(data_format)
        self.size = sizes(size, 2, "size")
        self.interpolation = known_interpolation(interpolation)
        self.input_spec = InputSpec(ndim=4)

    def call(self, inputs: Tensor) -> Tensor:
        """The larger images."""
        x = channels_last(inputs, self.data_format)
        if self.interpolation == "nearest":
            x = tf.repeat(tf.repeat(x, self.size[0], axis=1), self.size[1], axis=2)
        else:
            rows, columns = x.shape[1], x.shape[2]
            shape = tf.shape(x)
            target = [(shape[1] if rows is None else rows) * self.size[0],
                      (shape[2] if columns is None else columns) * self.size[1]]  # fmt: skip
            x = tf.image.resize(x, target, method=self.interpolation)
        return as_before(x, self.data_format)


def known_interpolation(name: str) -> str:
    """The way of resizing of this name, in small letters.

    Raises:
      ValueError: there is none.
    """
    known = ("nearest", "bilinear", "bicubic", "lanczos3", "lanczos5", "area", "gaussian", "mitchellcubic")
    if str(name).lower() not in known:
        raise ValueError(f"`interpolation` argument should be one of {known}. Received: interpolation={name}")
    return str(name).lower()


class UpSampling3D(Layer):
    """Larger volumes: each voxel repeated.

    >>> import graphrt as tf
    >>> tf.keras.layers.UpSampling3D()(tf.ones([1, 2, 2, 2, 3])).shape
    TensorShape([1, 4, 4, 4, 3])

    Raises:
      ValueError: the input has another rank.
    """

    def __init__(
        self, size: TensorLike = (2, 2, 2), data_format: str | None = None, **kwargs: Unpack[LayerOptions]
    ) -> None:
        super().__init__(**kwargs)
        self.data_format = standardize_data_format(data_format)
        self.size = sizes(size, 3, "size")
        self.input_spec = InputSpec(ndim=5)

    def call(self, inputs: Tensor) -> Any:
        """The larger volumes."""
        first = 1 if self.data_format == "channels_last" else 2
        for axis, times in enumerate(self.size, first):
            inputs = tf.repeat(inputs, times, axis=axis)
        return inputs
