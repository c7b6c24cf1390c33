"""Pooling: the maximum or the mean of windows, or of everything."""

from __future__ import annotations

from typing import Any, Unpack

import graphrt as tf
from graphrt.keras.config import standardize_data_format
from graphrt.keras.layers.base import InputSpec, Layer
from graphrt.keras.layers.options import LayerOptions
from graphrt.keras.layers.windows import as_before, channels_last, padding_of, sizes
from graphrt.tensor.tensor import Tensor
from graphrt.types.likes import PerAxis, TensorLike

__all__ = [
    "AveragePooling1D",
    "AveragePooling2D",
    "AveragePooling3D",
    "AvgPool1D",
    "AvgPool2D",
    "AvgPool3D",
    "GlobalAveragePooling1D",
    "GlobalAveragePooling2D",
    "GlobalAveragePooling3D",
    "GlobalAvgPool1D",
    "GlobalAvgPool2D",
    "GlobalAvgPool3D",
    "GlobalMaxPool1D",
    "GlobalMaxPool2D",
    "GlobalMaxPool3D",
    "GlobalMaxPooling1D",
    "GlobalMaxPooling2D",
    "GlobalMaxPooling3D",
    "MaxPool1D",
    "MaxPool2D",
    "MaxPool3D",
    "MaxPooling1D",
    "MaxPooling2D",
    "MaxPooling3D",
]


class _Pooling(Layer):
    """The maximum or mean of windows over `rank` axes."""

    rank = 2
    maximum = True

    _stateless = True

    def __init__(
        self, pool_size: PerAxis, strides: Any = None, padding: str = "valid",
        data_format: str | None = None, name: str | None = None, **kwargs: Any
    ) -> None:  # fmt: skip
        super().__init__(name=name, **kwargs)
        self.pool_size = sizes(pool_size, self.rank, "pool_size")
        self.strides = self.pool_size if strides is None else sizes(strides, self.rank, "strides")
        self.padding = padding_of(padding, self.name)
        self.data_format = standardize_data_format(data_format)
        self.input_spec = InputSpec(ndim=self.rank + 2)

    def call(self, inputs: Any) -> Tensor:
        """The pooled inputs."""
        x = channels_last(inputs, self.data_format)
        window, strides, padding = list(self.pool_size), list(self.strides), self.padding.upper()
        if self.rank == 1:
            x = tf.expand_dims(x, 1)
            window, strides = [1, *window], [1, *strides]
        if self.rank == 3:
            pool = tf.nn.max_pool3d if self.maximum else tf.nn.avg_pool3d
            x = pool(x, [1, *window, 1], [1, *strides, 1], padding)
        else:
            pool = tf.nn.max_pool2d if self.maximum else tf.nn.avg_pool2d
            x = pool(x, window, strides, padding)
        return as_before(tf.squeeze(x, 1) if self.rank == 1 else x, self.data_format)


class MaxPooling1D(_Pooling):
    """The maximum of windows of steps.

    >>> import graphrt as tf
    >>> tf.keras.layers.MaxPooling1D(2)(tf.constant([[[1.0], [3.0], [2.0], [4.0]]])).numpy().ravel().tolist()
    [3.0, 4.0]

    Raises:
      ValueError: the input has another rank.
    """

    rank = 1

    def __init__(
        self, pool_size: int = 2, strides: Any = None, padding: str = "valid", data_format: str | None = None,
        name: str | None = None, **kwargs: object,
    ) -> None:  # fmt: skip
        super().__init__(pool_size, strides, padding, data_format, name, **kwargs)


class MaxPooling2D(_Pooling):
    """The maximum of windows of images.

    >>> import graphrt as tf
    >>> tf.keras.layers.MaxPooling2D()(tf.ones([1, 4, 4, 3])).shape
    TensorShape([1, 2, 2, 3])

    Raises:
      ValueError: the input has another rank.
    """

    def __init__(
        self, pool_size: PerAxis = (2, 2), strides: Any = None, padding: str = "valid",
        data_format: str | None = None, name: str | None = None, **kwargs: object
    ) -> None:  # fmt: skip
        super().__init__(pool_size, strides, padding, data_format, name, **kwargs)


class MaxPooling3D(_Pooling):
    """The maximum of windows of volumes.

    >>> import graphrt as tf
    >>> tf.keras.layers.MaxPooling3D()(tf.ones([1, 4, 4, 4, 3])).shape
    TensorShape([1, 2, 2, 2, 3])

    Raises:
      ValueError: the input has another rank.
    """

    rank = 3

    def __init__(
        self, pool_size: PerAxis = (2, 2, 2), strides: Any = None, padding: str = "valid",
        data_format: str | None = None, name: str | None = None, **kwargs: object
    ) -> None:  # fmt: skip
        super().__init__(pool_size, strides, padding, data_format, name, **kwargs)


class AveragePooling1D(_Pooling):
    """The mean of windows of steps.

    >>> import graphrt as tf
    >>> tf.keras.layers.AveragePooling1D(2)(tf.constant([[[1.0], [3.0], [2.0], [4.0]]])).numpy().ravel().tolist()
    [2.0, 3.0]

    Raises:
      ValueError: the input has another rank.
    """

    rank = 1
    maximum = False


class AveragePooling2D(_Pooling):
    """The mean of windows of images.

    >>> import graphrt as tf
    >>> tf.keras.layers.AveragePooling2D(2)(tf.ones([1, 4, 4, 3])).shape
    TensorShape([1, 2, 2, 3])

    Raises:
      ValueError: the input has another rank.
    """

    maximum = False


class AveragePooling3D(_Pooling):
    """The mean of windows of volumes.

    >>> import graphrt as tf
    >>> tf.keras.layers.AveragePooling3D(2)(tf.ones([1, 4, 4, 4, 3])).shape
    TensorShape([1, 2, 2, 2, 3])

    Raises:
      ValueError: the input has another rank.
    """

    rank = 3
    maximum = False


class _GlobalPooling(Layer):
    """The maximum or mean over all but batch and channels."""

    rank = 2
    maximum = True

    _stateless = True

    def __init__(self, data_format: str | None = None, keepdims: bool = False, **kwargs: Unpack[LayerOptions]) -> None:
        super().__init__(**kwargs)
        self.data_format = standardize_data_format(data_format)
        self.keepdims = keepdims
        self.input_spec = InputSpec(ndim=self.rank + 2)

    def _axes(self) -> list[int]:
        first = 1 if self.data_format == "channels_last" else 2
        return list(range(first, first + self.rank))

    def call(self, inputs: Any) -> Tensor:
        """The pooled inputs."""
        reduce = tf.reduce_max if self.maximum else tf.reduce_mean
        return reduce(inputs, axis=self._axes(), keepdims=self.keepdims)


class GlobalMaxPooling1D(_GlobalPooling):
    """The maximum over the steps.

    >>> import graphrt as tf
    >>> tf.keras.layers.GlobalMaxPooling1D()(tf.constant([[[1.0], [3.0]]])).numpy().tolist()
    [[3.0]]

    Raises:
      ValueError: the input has another rank.
    """

    rank = 1


class GlobalMaxPooling2D(_GlobalPooling):
    """The maximum over an image, for each channel.

    >>> import graphrt as tf
    >>> tf.keras.layers.GlobalMaxPooling2D()(tf.ones([2, 4, 4, 3])).shape
    TensorShape([2, 3])

    Raises:
      ValueError: the input has another rank.
    """


class GlobalMaxPooling3D(_GlobalPooling):
    """The maximum over a volume, for each channel.

    >>> import graphrt as tf
    >>> tf.keras.layers.GlobalMaxPooling3D()(tf.ones([2, 4, 4, 4, 3])).shape
    TensorShape([2, 3])

    Raises:
      ValueError: the input has another rank.
    """

    rank = 3


class GlobalAveragePooling1D(_GlobalPooling):
    """The mean over the steps; masked steps do not count.

    >>> import graphrt as tf
    >>> tf.keras.layers.GlobalAveragePooling1D()(tf.constant([[[1.0], [3.0]]])).numpy().tolist()
    [[2.0]]

    Raises:
      ValueError: the input has another rank.
    """

    rank = 1
    maximum = False

    def __init__(self, data_format: str | None = None, keepdims: bool = False, **kwargs: Unpack[LayerOptions]) -> None:
        super().__init__(data_format, keepdims, **kwargs)
        self.supports_masking = True

    def call(self, inputs: Tensor, mask: Any = None) -> Tensor:
        """The pooled inputs."""
        if mask is None:
            return super().call(inputs)
        steps = 1 if self.data_format == "channels_last" else 2
        weight = tf.expand_dims(tf.cast(mask, inputs.dtype), 2 if steps == 1 else 1)
        total = tf.reduce_sum(inputs * weight, axis=steps, keepdims=self.keepdims)
        return total / tf.reduce_sum(weight, axis=steps, keepdims=self.keepdims)

    def compute_mask(self, inputs: TensorLike, mask: Any = None) -> Any:
        """None: there are no steps any more."""
        return None


class GlobalAveragePooling2D(_GlobalPooling):
    """The mean over an image, for each channel.

    >>> import graphrt as tf
    >>> tf.keras.layers.GlobalAveragePooling2D()(tf.ones([2, 4, 4, 3])).shape
    TensorShape([2, 3])

    Raises:
      ValueError: the input has another rank.
    """

    maximum = False


class GlobalAveragePooling3D(_GlobalPooling):
    """The mean over a volume, for each channel.

    >>> import graphrt as tf
    >>> tf.keras.layers.GlobalAveragePooling3D()(tf.ones([2, 4, 4, 4, 3])).shape
    TensorShape([2, 3])

    Raises:
      ValueError: the input has another rank.
    """

    rank = 3
    maximum = False


MaxPool1D, MaxPool2D, MaxPool3D = MaxPooling1D, MaxPooling2D, MaxPooling3D
AvgPool1D, AvgPool2D, AvgPool3D = AveragePooling1D, AveragePooling2D, AveragePooling3D
GlobalMaxPool1D, GlobalMaxPool2D, GlobalMaxPool3D = GlobalMaxPooling1D, GlobalMaxPooling2D, GlobalMaxPooling3D
GlobalAvgPool1D, GlobalAvgPool2D, GlobalAvgPool3D = (
    GlobalAveragePooling1D, GlobalAveragePooling2D, GlobalAveragePooling3D,
)  # fmt: skip
