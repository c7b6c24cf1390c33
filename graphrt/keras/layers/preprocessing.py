"""Layers that prepare data: scaling, normalizing, resizing, encoding."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from types import MappingProxyType
from typing import Any, Self, Unpack

import numpy as np

import graphrt as tf
from graphrt import errors
from graphrt.keras.config import standardize_data_format
from graphrt.keras.layers.base import InputSpec, Layer
from graphrt.keras.layers.options import LayerOptions
from graphrt.keras.layers.reshaping import known_interpolation
from graphrt.keras.layers.windows import as_before, channels_last
from graphrt.tensor.tensor import Tensor
from graphrt.types.likes import Array, DTypeLike, TensorLike

__all__ = [
    "CategoryEncoding",
    "CenterCrop",
    "Discretization",
    "Normalization",
    "Rescaling",
    "Resizing",
]


class Rescaling(Layer):
    """`inputs * scale + offset`.

    >>> import graphrt as tf
    >>> tf.keras.layers.Rescaling(1 / 255)(tf.constant([255, 0])).numpy().tolist()
    [1.0, 0.0]
    """

    _takes_lists = True

    def __init__(self, scale: TensorLike, offset: TensorLike = 0.0, **kwargs: Unpack[LayerOptions]) -> None:
        super().__init__(**kwargs)
        self.scale, self.offset = scale, offset
        self.supports_masking = True

    def call(self, inputs: Tensor) -> Tensor:
        """The scaled inputs."""
        dtype = self.compute_dtype
        return tf.cast(inputs, dtype) * tf.cast(self.scale, dtype) + tf.cast(self.offset, dtype)


class Normalization(Layer):
    """Brings each feature to mean 0 and variance 1, with the statistics given or learned by `adapt`.

    >>> import graphrt as tf
    >>> layer = tf.keras.layers.Normalization()
    >>> layer.adapt([[1.0], [3.0]])
    >>> layer(tf.constant([[1.0], [3.0]])).numpy().ravel().tolist()
    [-1.0, 1.0]

    Raises:
      ValueError: only one of `mean` and `variance` is given, or the layer is used before `adapt`.
    """

    _takes_lists = True
    input_spec = InputSpec(min_ndim=0)
    __saved_before__ = MappingProxyType({"mean": "adapt_mean", "variance": "adapt_variance"})

    def __init__(
        self, axis: int = -1, mean: Any = None, variance: Any = None, invert: bool = False,
        **kwargs: Unpack[LayerOptions]
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        if (mean is None) != (variance is None):
            raise ValueError(
                "When setting values directly, both `mean` and `variance` must be set. "
                f"Received: mean={mean} and variance={variance}"
            )
        self.axis = () if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
        self.invert = invert
        self._statistics = mean, variance
        self.supports_masking = True
        self._learns = mean is None

    def _learned(self, name: str, given: Any) -> Any:
        if not self._learns or "adapt_mean" not in self.__dict__:
            return given
        return tf.reshape(self.__dict__[name], self._shape)

    @property
    def mean(self) -> Any:
        """What is taken from the inputs: as given, or as learned, in a shape that fits beside them."""
        return self._learned("adapt_mean", self._statistics[0])

    @property
    def variance(self) -> Any:
        """The square of what the inputs are divided by: as given, or as learned, in a shape that fits beside them."""
        return self._learned("adapt_variance", self._statistics[1])

    def build(self, input_shape: Any) -> None:
        """Makes `adapt_mean`, `adapt_variance` and `count`, if they are to be learned."""
        self._rank = len(input_shape)
        if any(not -self._rank <= a < self._rank for a in self.axis):
            raise ValueError(
                f"All `axis` values must be in the range [-ndim, ndim), found axis={self.axis} with inputs of rank "
                f"{self._rank}"
            )
        if not self._learns:
            return
        kept = sorted(a % self._rank for a in self.axis)
        shape = [input_shape[a] for a in kept]
        self._shape = tuple(input_shape[a] if a in kept else 1 for a in range(self._rank))
        if "adapt_mean" not in self.__dict__:
            self.adapt_mean = self.add_weight(name="mean", shape=shape, initializer="zeros", trainable=False)
            self.adapt_variance = self.add_weight(name="variance", shape=shape, initializer="ones", trainable=False)
            self.count = self.add_weight(name="count", shape=(), dtype="int64", initializer="zeros", trainable=False)
            self._adapted = False

    def adapt(self, data: Any) -> None:
        """Learns mean and variance of the features of an array or a dataset."""
        if isinstance(data, tf.data.Dataset):
            data = np.concatenate([np.atleast_1d(batch) for batch in data.as_numpy_iterator()])
        array = np.asarray(data)
        if array.dtype.kind not in "biuf" or not array.ndim:
            raise errors.unexpected(data, "data", "an array of numbers with a batch axis, or a dataset of such")
        if not self.built:
            self.build((None, *array.shape[1:]))
        kept = {a % array.ndim for a in self.axis}
        axes = tuple(a for a in range(array.ndim) if a not in kept)
        self.adapt_mean.assign(array.mean(axis=axes, dtype=np.float64).astype(np.float32))
        self.adapt_variance.assign(array.var(axis=axes, dtype=np.float64).astype(np.float32))
        self.count.assign(int(np.prod([array.shape[a] for a in axes])))
        self._adapted = True

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an equal layer; what was learned is in its weights."""
        config = super().get_config()
        return {**config, "mean": None, "variance": None} if self._learns else config

    def load_own_variables(self, store: Any) -> None:
        """Statistics that were loaded count as learned."""
        self._adapted = True

    def call(self, inputs: Tensor) -> Tensor:
        """The normalized inputs."""
        x = tf.cast(inputs, self.compute_dtype)
        rank = len(x.shape)
        kept = {a % rank for a in self.axis}
        shape = [x.shape[a] if a in kept else 1 for a in range(rank)]
        found = (self.adapt_mean, self.adapt_variance) if self._learns else self._statistics
        mean, variance = (tf.cast(v, x.dtype) for v in found)
        if self._learns or np.ndim(found[0]):
            mean, variance = (
                tf.reshape(tf.broadcast_to(v, [n for n in shape if n != 1] or [1]) if v.shape.rank == 0 else v, shape)
                for v in (mean, variance)
            )
        spread = tf.maximum(tf.sqrt(variance), 1e-7)
        return x * spread + mean if self.invert else (x - mean) / spread


class Resizing(Layer):
    """Images of another size.

    >>> import graphrt as tf
    >>> tf.keras.layers.Resizing(2, 3)(tf.ones([1, 4, 4, 1])).shape
    TensorShape([1, 2, 3, 1])

    Raises:
      ValueError: the interpolation is not known.
    """

    _takes_lists = True
    input_spec = InputSpec(min_ndim=3)

    def __init__(
        self, height: int, width: int, interpolation: str = "bilinear", crop_to_aspect_ratio: bool = False,
        pad_to_aspect_ratio: bool = False, fill_mode: str = "constant", fill_value: float = 0.0,
        antialias: bool = False, data_format: str | None = None, **kwargs: Unpack[LayerOptions],
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        if crop_to_aspect_ratio and pad_to_aspect_ratio:
            raise ValueError("Only one of `crop_to_aspect_ratio` and `pad_to_aspect_ratio` can be True.")
        self.height, self.width, self.interpolation = height, width, known_interpolation(interpolation)
        self.crop_to_aspect_ratio, self.pad_to_aspect_ratio = crop_to_aspect_ratio, pad_to_aspect_ratio
        self.fill_mode, self.fill_value, self.antialias = fill_mode, fill_value, antialias
        self.data_format = standardize_data_format(data_format)

    def call(self, inputs: Tensor) -> Tensor:
        """The resized images."""
        x = channels_last(tf.cast(inputs, self.compute_dtype), self.data_format)
        rows, columns = x.shape[-3], x.shape[-2]
        if self.crop_to_aspect_ratio:
            height = min(rows, int(columns * self.height / self.width))
            width = min(columns, int(rows * self.width / self.height))
            top, left = (rows - height) // 2, (columns - width) // 2
            x = x[..., top : top + height, left : left + width, :]
        elif self.pad_to_aspect_ratio:
            height = max(rows, int(columns * self.height / self.width))
            width = max(columns, int(rows * self.width / self.height))
            top, left = (height - rows) // 2, (width - columns) // 2
            edges = [(0, 0)] * (len(x.shape) - 3) + [
                (top, height - rows - top), (left, width - columns - left), (0, 0)
            ]  # fmt: skip
            x = tf.pad(x, edges, constant_values=self.fill_value)
        x = tf.image.resize(x, [self.height, self.width], method=self.interpolation, antialias=self.antialias)
        return as_before(x, self.data_format)


class CenterCrop(Layer):
    """The middle of images; those that are too small are resized.

    >>> import graphrt as tf
    >>> tf.keras.layers.CenterCrop(2, 2)(tf.ones([1, 4, 4, 1])).shape
    TensorShape([1, 2, 2, 1])
    """

    _takes_lists = True
    input_spec = InputSpec(min_ndim=3)

    def __init__(self, height: int, width: int, data_format: str | None = None, **kwargs: Unpack[LayerOptions]) -> None:
        super().__init__(**kwargs)
        self.height, self.width = height, width
        self.data_format = standardize_data_format(data_format)

    def call(self, inputs: Tensor) -> Tensor:
        """The cropped images."""
        x = channels_last(tf.cast(inputs, self.compute_dtype), self.data_format)
        rows, columns = x.shape[-3], x.shape[-2]
        if rows is None or columns is None:
            raise ValueError(f"layer {self.name!r} needs images of a known size, found shape {x.shape}")
        if rows < self.height or columns < self.width:
            x = Resizing(self.height, self.width, crop_to_aspect_ratio=True, data_format="channels_last")(x)
        else:
            top, left = (rows - self.height) // 2, (columns - self.width) // 2
            x = x[..., top : top + self.height, left : left + self.width, :]
        return as_before(x, self.data_format)


class CategoryEncoding(Layer):
    """Integers as 'one_hot', 'multi_hot' or 'count' vectors of `num_tokens` numbers.

    >>> import graphrt as tf
    >>> tf.keras.layers.CategoryEncoding(3, output_mode="one_hot")(tf.constant([2, 0])).numpy().tolist()
    [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]

    Raises:
      ValueError: `output_mode` is not known.
    """

    _takes_lists = True

    _told_if_other = frozenset({"sparse"})

    def __init__(
        self, num_tokens: int | None = None, output_mode: str = "multi_hot", sparse: bool = False,
        **kwargs: Unpack[LayerOptions]
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        if output_mode not in ("count", "one_hot", "multi_hot"):
            raise ValueError(f"Unknown arg for output_mode: {output_mode}")
        if num_tokens is None:
            raise ValueError("num_tokens must be set to use this layer. If the number of tokens is not known "
                             "beforehand, use the IntegerLookup layer instead.")  # fmt: skip
        if num_tokens < 1:
            raise ValueError(f"`num_tokens` must be >= 1. Received: num_tokens={num_tokens}.")
        self.num_tokens, self.output_mode, self.sparse = num_tokens, output_mode, sparse

    def call(self, inputs: Tensor, count_weights: Any = None) -> Tensor:
        """The vectors."""
        inputs = tf.cast(inputs, tf.int32)
        hot = tf.one_hot(inputs, self.num_tokens, dtype=self.compute_dtype)
        if self.output_mode == "one_hot":
            return tf.squeeze(hot, -2) if len(inputs.shape) > 1 and inputs.shape[-1] == 1 else hot
        if count_weights is not None:
            hot *= tf.expand_dims(tf.cast(count_weights, hot.dtype), -1)
        if len(inputs.shape) == 0:
            return hot
        reduce = tf.reduce_sum if self.output_mode == "count" else tf.reduce_max
        axis = -2 if len(inputs.shape) > 1 else 0
        return reduce(hot, axis=axis)


def _some_of(batch: Array, epsilon: float) -> Array:
    """Of the numbers in order about `1 / epsilon`, and how many each stands for, as Keras takes them."""
    values = np.sort(np.ravel(np.asarray(batch, np.float32)))
    step = max(len(values) * epsilon, 1)
    chosen = values[int(step - 1) :: int(step)]
    return np.stack([chosen, np.full_like(chosen, step)])


def _fewer(found: Array, epsilon: float) -> Array:
    """Those between which a share of `epsilon` of all numbers lies."""
    if found.shape[1] * epsilon < 1:
        return found
    count = np.cumsum(found[1])
    shares = epsilon + np.arange(0.0, 1.0, epsilon)
    values, upto = (np.interp(shares, count / count[-1], v) for v in (found[0], count))
    return np.stack([values, np.diff(upto, prepend=0)]).astype(np.float32)


def _merged(first: Array, second: Array, epsilon: float) -> Array:
    both = np.concatenate([first, second], axis=1)
    return _fewer(both[:, np.argsort(both[0])], epsilon)


class Discretization(Layer):
    """Numbers as the index of the interval they fall in; boundaries are given, or learned by `adapt`.

    >>> import graphrt as tf
    >>> tf.keras.layers.Discretization([0.0, 1.0])(tf.constant([-1.0, 0.5, 2.0])).numpy().tolist()
    [0, 1, 2]

    Raises:
      ValueError: neither or both of `bin_boundaries` and `num_bins` are given.
    """

    _dtype_by_name = True
    _takes_lists = True

    def __init__(
        self, bin_boundaries: Any = None, num_bins: int | None = None, epsilon: float = 0.01,
        output_mode: str = "int", sparse: bool = False, dtype: DTypeLike | None = None, name: str | None = None,
    ) -> None:  # fmt: skip
        super().__init__(name=name, dtype=dtype)
        if (bin_boundaries is None) == (num_bins is None):
            raise ValueError("You need to set either `num_bins` or `bin_boundaries`.")
        self.bin_boundaries = None if bin_boundaries is None else sorted(bin_boundaries)
        self.num_bins, self.epsilon, self.output_mode, self.sparse = num_bins, epsilon, output_mode, sparse

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Self:
        """The layer that `get_config` told of, with the boundaries that it had learned."""
        if config.get("num_bins") is None or config.get("bin_boundaries") is None:
            return super().from_config(config)
        layer = super().from_config({**config, "bin_boundaries": None})
        layer.bin_boundaries = list(config["bin_boundaries"])
        return layer

    def adapt(self, data: Any) -> None:
        """Learns boundaries between which about as many numbers lie."""
        if self.num_bins is None:
            raise ValueError("Cannot adapt a Discretization layer that has been initialized with `bin_boundaries`.")
        batches = data.as_numpy_iterator() if isinstance(data, tf.data.Dataset) else [data]
        parts = (_some_of(batch, self.epsilon) for batch in batches)
        found = reduce(lambda one, other: _merged(one, other, self.epsilon), parts, np.zeros((2, 0), np.float32))
        self.bin_boundaries = _fewer(found, 1 / self.num_bins)[0, :-1].tolist()

    def call(self, inputs: Tensor) -> Tensor:
        """The indices, or their encoding."""
        if self.bin_boundaries is None:
            raise ValueError(f"You need to call `adapt` of layer {self.name!r} before it is used.")
        x = tf.cast(inputs, tf.float32)
        found = tf.reduce_sum(
            tf.cast(tf.expand_dims(x, -1) >= tf.constant(self.bin_boundaries, tf.float32), tf.int32), axis=-1
        )
        if self.output_mode == "int":
            return found
        return CategoryEncoding(len(self.bin_boundaries) + 1, self.output_mode)(found)
