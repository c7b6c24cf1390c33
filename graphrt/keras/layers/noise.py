"""Layers that change their inputs at random while training, and pass them on otherwise."""

from __future__ import annotations

import abc
from typing import Any, Unpack

import graphrt as tf
from graphrt.keras import random
from graphrt.keras.config import standardize_data_format
from graphrt.keras.layers.base import InputSpec, Layer
from graphrt.keras.layers.options import LayerOptions
from graphrt.tensor.tensor import Tensor
from graphrt.types.likes import DTypeLike, ShapeLike, TensorLike
from graphrt.types.nesting import said, shown

__all__ = [
    "AlphaDropout",
    "Dropout",
    "GaussianDropout",
    "GaussianNoise",
    "SpatialDropout1D",
    "SpatialDropout2D",
    "SpatialDropout3D",
]


def _share(rate: float) -> float:
    if not isinstance(rate, (int, float)) or not 0 <= rate <= 1:
        raise ValueError(
            "Invalid value received for argument `rate`. Expected a float value between 0 and 1. Received: "
            f"rate={said(rate)}"
        )
    return rate


def _mask_sizes(sizes: object) -> tuple[int | None, ...] | None:
    """A `noise_shape`: None, or a tuple of positive integers and of None where the size is that of the inputs."""
    if sizes is None:
        return None
    said = "Invalid value received for argument `noise_shape`. Expected"
    if not isinstance(sizes, (list, tuple, tf.TensorShape)):
        raise ValueError(f"{said} a tuple or list of integers. Received: noise_shape={shown(sizes)}")
    for position, size in enumerate(sizes):
        if size is not None and (not isinstance(size, int) or isinstance(size, bool)):
            raise ValueError(f"{said} all elements to be integers or None. Received at index {position}: {shown(size)}")
        if size is not None and size <= 0:
            raise ValueError(
                f"{said} all dimensions to be positive integers or None. Received at index {position}: {size}"
            )
    return tuple(sizes)


class _Noise(Layer, abc.ABC):
    """A layer with a seed generator, that does nothing unless `training`."""

    _stateless = True

    def __init__(self, seed: int | None = None, needed: bool = True, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.seed = seed
        self.supports_masking = True
        if needed:
            self.seed_generator = random.SeedGenerator(seed) if not isinstance(seed, random.SeedGenerator) else seed

    def call(self, inputs: Any, training: Any = False) -> Tensor:
        """The inputs, changed when `training`."""
        return self._changed(inputs) if training and hasattr(self, "seed_generator") else inputs

    @abc.abstractmethod
    def _changed(self, inputs: TensorLike) -> Any: ...


class Dropout(_Noise):
    """Sets a share of `rate` of the inputs to 0 while training, and scales up the rest.

    `noise_shape` is the shape of the mask; sizes of 1 drop whole parts together.

    >>> import graphrt as tf
    >>> layer = tf.keras.layers.Dropout(0.5, seed=3)
    >>> layer(tf.ones(5)).numpy().tolist()
    [1.0, 1.0, 1.0, 1.0, 1.0]
    >>> layer(tf.ones(5), training=True).numpy().tolist()
    [0.0, 2.0, 2.0, 2.0, 0.0]

    Raises:
      ValueError: `rate` is not between 0 and 1, or `noise_shape` holds something else than positive integers and None.
    """

    def __init__(
        self,
        rate: float,
        noise_shape: ShapeLike = None,
        seed: int | None = None,
        **kwargs: Unpack[LayerOptions],
    ) -> None:
        super().__init__(seed, needed=_share(rate) > 0, **kwargs)
        self.rate, self.noise_shape = rate, _mask_sizes(noise_shape)

    def _mask_shape(self, inputs: Tensor) -> Any:
        return self.noise_shape

    def _changed(self, inputs: Any) -> Tensor:
        return random.dropout(inputs, self.rate, self._mask_shape(inputs), self.seed_generator)


class _SpatialDropout(Dropout):
    rank = 1
    _dtype_by_name = True

    def __init__(
        self, rate: float, data_format: str | None = None, seed: int | None = None, name: str | None = None,
        dtype: DTypeLike | None = None
    ) -> None:  # fmt: skip
        super().__init__(rate, seed=seed, name=name, dtype=dtype)
        self.data_format = standardize_data_format(data_format)
        self.input_spec = InputSpec(ndim=self.rank + 2)

    def _mask_shape(self, inputs: Tensor) -> Any:
        ones = (1,) * self.rank
        return (None, *ones, None) if self.data_format == "channels_last" else (None, None, *ones)


class SpatialDropout1D(_SpatialDropout):
    """Drops whole channels of (batch, steps, channels).

    >>> import graphrt as tf
    >>> tf.keras.layers.SpatialDropout1D(0.5)(tf.ones([1, 4, 3]), training=True).shape
    TensorShape([1, 4, 3])
    """

    def __init__(
        self,
        rate: float,
        seed: int | None = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(rate, "channels_last", seed, name, dtype)


class SpatialDropout2D(_SpatialDropout):
    """Drops whole channels of images.

    >>> import graphrt as tf
    >>> tf.keras.layers.SpatialDropout2D(0.5)(tf.ones([1, 4, 4, 3]), training=True).shape
    TensorShape([1, 4, 4, 3])
    """

    rank = 2


class SpatialDropout3D(_SpatialDropout):
    """Drops whole channels of volumes.

    >>> import graphrt as tf
    >>> tf.keras.layers.SpatialDropout3D(0.5)(tf.ones([1, 2, 2, 2, 3]), training=True).shape
    TensorShape([1, 2, 2, 2, 3])
    """

    rank = 3


class GaussianNoise(_Noise):
    """Adds normal noise of this standard deviation while training.

    >>> import graphrt as tf
    >>> tf.keras.layers.GaussianNoise(0.1)(tf.ones(3)).numpy().tolist()
    [1.0, 1.0, 1.0]

    Raises:
      ValueError: `stddev` is not between 0 and 1.
    """

    def __init__(self, stddev: float, seed: int | None = None, **kwargs: Unpack[LayerOptions]) -> None:
        if not 0 <= stddev <= 1:
            raise ValueError(
                "Invalid value received for argument `stddev`. Expected a float value between 0 and 1. "
                f"Received: stddev={stddev}"
            )
        super().__init__(seed, needed=stddev > 0, **kwargs)
        self.stddev = stddev

    def _changed(self, inputs: Any) -> Any:
        return inputs + random.normal(tf.shape(inputs), 0.0, self.stddev, inputs.dtype, self.seed_generator)


class GaussianDropout(_Noise):
    """Multiplies by normal noise of mean 1 and variance rate / (1 - rate) while training.

    >>> import graphrt as tf
    >>> tf.keras.layers.GaussianDropout(0.1)(tf.ones(3)).numpy().tolist()
    [1.0, 1.0, 1.0]

    Raises:
      ValueError: `rate` is not between 0 and 1.
    """

    def __init__(self, rate: float, seed: int | None = None, **kwargs: Unpack[LayerOptions]) -> None:
        super().__init__(seed, needed=_share(rate) > 0, **kwargs)
        self.rate = rate

    def _changed(self, inputs: Any) -> Any:
        stddev = (self.rate / (1.0 - self.rate)) ** 0.5
        return inputs * random.normal(tf.shape(inputs), 1.0, stddev, inputs.dtype, self.seed_generator)


class AlphaDropout(_Noise):
    """Drops inputs to the negative limit of `selu`, and keeps mean and variance.

    >>> import graphrt as tf
    >>> tf.keras.layers.AlphaDropout(0.1)(tf.ones(3)).numpy().tolist()
    [1.0, 1.0, 1.0]

    Raises:
      ValueError: `rate` is not between 0 and 1.
    """

    def __init__(self, rate: float, noise_shape: Any = None, seed: Any = None, **kwargs: object) -> None:
        super().__init__(seed, needed=_share(rate) > 0, **kwargs)
        self.rate, self.noise_shape = rate, noise_shape

    def _changed(self, inputs: Any) -> Any:
        alpha = -1.6732632423543772848170429916717 * 1.0507009873554804934193349852946
        shape: Any = tf.shape(inputs)
        if self.noise_shape is not None:
            shape = [shape[i] if n is None else n for i, n in enumerate(self.noise_shape)]
        kept = tf.cast(random.uniform(shape, seed=self.seed_generator) >= self.rate, inputs.dtype)
        a = ((1 - self.rate) * (1 + self.rate * alpha**2)) ** -0.5
        return a * (inputs * kept + alpha * (1 - kept)) - a * alpha * self.rate
