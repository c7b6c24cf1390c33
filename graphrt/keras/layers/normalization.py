"""Layers that bring their inputs to mean 0 and variance 1, over the batch or over axes."""

from __future__ import annotations

from typing import Any, Unpack

import graphrt as tf
from graphrt.keras import constraints, initializers, regularizers
from graphrt.keras.configurable import Identifier
from graphrt.keras.layers.base import InputSpec, Layer
from graphrt.keras.layers.options import LayerOptions, NormalizationOptions, ScalingOptions
from graphrt.keras.layers.windows import whole
from graphrt.keras.signatures import takes_what
from graphrt.tensor.tensor import Tensor
from graphrt.types.likes import AxisLike, ShapeLike
from graphrt.types.nesting import said, shown

__all__ = [
    "BatchNormalization",
    "GroupNormalization",
    "LayerNormalization",
    "RMSNormalization",
    "UnitNormalization",
]


def _places(axis: int | list[int], rank: int, layer: str) -> list[int]:
    """The positive axes, in order.

    Raises:
      IndexError: inputs of this rank have no such axis.
    """
    axes = [axis] if isinstance(axis, int) else axis
    for a in axes:
        if not -rank <= a < rank:
            raise IndexError(f"axis {a} of layer {shown(layer)} is out of range: the inputs have rank {rank}")
    return sorted(a % rank for a in axes)


class _Normalization(Layer):
    """Weights `gamma` and `beta`, by which what was normalized is scaled and shifted."""

    _floats = True
    input_spec = InputSpec(min_ndim=1)
    axis: Any
    gamma: Any = None
    beta: Any = None

    def __init__(
        self, epsilon: float = 0.001, center: bool = True, scale: bool = True, beta_initializer: Identifier = "zeros",
        gamma_initializer: Identifier = "ones", beta_regularizer: Identifier = None,
        gamma_regularizer: Identifier = None, beta_constraint: Identifier = None, gamma_constraint: Identifier = None,
        **kwargs: Unpack[LayerOptions],
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        self.epsilon, self.center, self.scale = epsilon, center, scale
        self.beta_initializer, self.gamma_initializer = map(initializers.get, (beta_initializer, gamma_initializer))
        self.beta_regularizer, self.gamma_regularizer = map(regularizers.get, (beta_regularizer, gamma_regularizer))
        self.beta_constraint, self.gamma_constraint = map(constraints.get, (beta_constraint, gamma_constraint))
        self.supports_masking = True

    def _size_of(self, input_shape: Any) -> int:
        """The size of its one axis."""
        if not -len(input_shape) <= self.axis < len(input_shape) or input_shape[self.axis] is None:
            raise ValueError(f"layer {self.name!r} needs a known size of axis {self.axis}, found shape {input_shape}")
        return int(input_shape[self.axis])

    def _weights_of(self, shape: ShapeLike, rms: bool = False) -> None:
        if self.scale or rms:
            self.gamma = self.add_weight(
                name="gamma", shape=shape, initializer=self.gamma_initializer, regularizer=self.gamma_regularizer,
                constraint=self.gamma_constraint,
            )  # fmt: skip
        if self.center and not rms:
            self.beta = self.add_weight(
                name="beta", shape=shape, initializer=self.beta_initializer, regularizer=self.beta_regularizer,
                constraint=self.beta_constraint,
            )  # fmt: skip


_MOVING = "moving_mean_initializer moving_variance_initializer"


@takes_what(
    _Normalization,
    {"gamma_initializer": _MOVING, "gamma_constraint": "renorm renorm_clipping renorm_momentum synchronized"},
)
class BatchNormalization(_Normalization):
    """Normalizes with mean and variance of the batch while training, and with moving averages of them otherwise.

    >>> import graphrt as tf
    >>> layer = tf.keras.layers.BatchNormalization()
    >>> layer(tf.constant([[1.0], [3.0]]), training=True).numpy().round(2).ravel().tolist()
    [-1.0, 1.0]
    >>> layer.moving_mean.numpy().round(3).tolist()
    [0.019999999552965164]

    Raises:
      ValueError: the axis has no known size; `renorm` is asked for.
    """

    def __init__(
        self, axis: int = -1, momentum: float = 0.99, *, moving_mean_initializer: Identifier = "zeros",
        moving_variance_initializer: Identifier = "ones", synchronized: bool = False,
        renorm: bool = False, renorm_clipping: None = None, renorm_momentum: float = 0.99,
        **kwargs: Unpack[NormalizationOptions],
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        if renorm or renorm_clipping is not None:
            raise ValueError(
                f"layer {self.name!r} cannot renormalize batches: `renorm` must be False and `renorm_clipping` None, "
                f"found renorm={shown(renorm)}, renorm_clipping={shown(renorm_clipping)}"
            )
        self.renorm, self.renorm_clipping, self.renorm_momentum = False, None, renorm_momentum
        self.axis, self.momentum, self.synchronized = int(axis), momentum, synchronized
        self.moving_mean_initializer = initializers.get(moving_mean_initializer)
        self.moving_variance_initializer = initializers.get(moving_variance_initializer)

    def build(self, input_shape: Any) -> None:
        """Makes `gamma`, `beta`, `moving_mean` and `moving_variance`."""
        size = self._size_of(input_shape)
        self._weights_of((size,))
        self.moving_mean = self.add_weight(
            name="moving_mean", shape=(size,), initializer=self.moving_mean_initializer, trainable=False
        )
        self.moving_variance = self.add_weight(
            name="moving_variance", shape=(size,), initializer=self.moving_variance_initializer, trainable=False
        )
        self.input_spec = InputSpec(ndim=len(input_shape), axes={self.axis: size})

    def call(self, inputs: Tensor, training: Any = None, mask: Any = None) -> Tensor:
        """The normalized inputs."""
        rank = len(inputs.shape)
        axis = self.axis % rank
        if training and self.trainable:
            mean, variance = self._moments(inputs, axis, mask)
            keep = self.momentum
            for average, found in ((self.moving_mean, mean), (self.moving_variance, variance)):
                average.assign(average.__tf_value__() * keep + found * (1.0 - keep))
        else:
            mean, variance = tf.convert_to_tensor(self.moving_mean), tf.convert_to_tensor(self.moving_variance)
        shape = [1] * rank
        shape[axis] = inputs.shape[axis]
        scale = tf.math.rsqrt(variance + self.epsilon)
        if self.gamma is not None:
            scale *= self.gamma
        shift = -mean * scale
        if self.beta is not None:
            shift += self.beta
        return inputs * tf.reshape(scale, shape) + tf.reshape(shift, shape)

    def _moments(self, inputs: Any, axis: int, mask: Any) -> tuple[Any, Any]:
        axes = [a for a in range(len(inputs.shape)) if a != axis]
        if mask is None:
            return tf.nn.moments(inputs, axes)
        weight = tf.cast(mask, inputs.dtype)
        while len(weight.shape) < len(inputs.shape):
            weight = tf.expand_dims(weight, -1)
        weight = tf.broadcast_to(weight, tf.shape(inputs))
        count = tf.reduce_sum(weight, axes) + 1e-7
        mean = tf.reduce_sum(inputs * weight, axes, keepdims=True) / tf.reshape(count, _spread(inputs, axis))
        variance = tf.reduce_sum(tf.square(inputs - mean) * weight, axes) / count
        return tf.reshape(mean, [-1]), variance


def _spread(inputs: Tensor, axis: int) -> list[int]:
    return [-1 if a == axis else 1 for a in range(len(inputs.shape))]


@takes_what(_Normalization)
class LayerNormalization(_Normalization):
    """Brings each sample to mean 0 and variance 1 along `axis`, then scales by `gamma` and shifts by `beta`.

    With `rms_scaling=True`, which older programs pass, samples are divided by their deviation alone: nothing is
    subtracted, and there is no `beta`.

    >>> import graphrt as tf
    >>> tf.keras.layers.LayerNormalization()(tf.constant([[1.0, 3.0]])).numpy().round(2).tolist()
    [[-1.0, 1.0]]
    """

    def __init__(self, axis: AxisLike = -1, **kwargs: Unpack[ScalingOptions]) -> None:
        options: dict[str, Any] = dict(kwargs)
        self.rms_scaling = options.pop("rms_scaling", False)
        super().__init__(**options)
        axis = whole(axis)
        if not isinstance(axis, (int, list, tuple)):
            raise TypeError(
                f"Expected an int or a list/tuple of ints for the argument 'axis', but received: {shown(axis)}"
            )
        self.axis = axis if isinstance(axis, int) else list(axis)

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an equal layer."""
        return {**super().get_config(), "rms_scaling": self.rms_scaling}

    def _axes(self, rank: int) -> list[int]:
        return _places(self.axis, rank, self.name)

    def build(self, input_shape: Any) -> None:
        """Makes `gamma` and `beta`."""
        self.axis = [self.axis] if isinstance(self.axis, int) else self.axis
        self._weights_of([input_shape[a] for a in self._axes(len(input_shape))], self.rms_scaling)

    def call(self, inputs: Tensor) -> Tensor:
        """The normalized inputs."""
        rank = len(inputs.shape)
        axes = self._axes(rank)
        mean, variance = tf.nn.moments(inputs, axes, keepdims=True)
        x = (inputs if self.rms_scaling else inputs - mean) * tf.math.rsqrt(variance + self.epsilon)
        shape = [inputs.shape[a] if a in axes else 1 for a in range(rank)]
        if self.gamma is not None:
            x *= tf.reshape(self.gamma, shape)
        if self.beta is not None:
            x += tf.reshape(self.beta, shape)
        return x


@takes_what(_Normalization)
class GroupNormalization(_Normalization):
    """Brings groups of channels of each sample to mean 0 and variance 1; `groups=-1` makes a group of each channel.

    >>> import graphrt as tf
    >>> tf.keras.layers.GroupNormalization(2)(tf.ones([2, 3, 4])).shape
    TensorShape([2, 3, 4])

    Raises:
      ValueError: `groups` is neither positive nor -1, or the channels cannot be divided into so many groups.
    """

    def __init__(self, groups: int = 32, axis: int = -1, **kwargs: Unpack[NormalizationOptions]) -> None:
        super().__init__(**kwargs)
        groups = whole(groups)
        if not isinstance(groups, int) or (groups < 1 and groups != -1):
            raise ValueError(
                "Received an invalid value for argument `groups`, expected a positive integer (or `-1` for a group of "
                f"each channel). Received: groups={groups}"
            )
        self.groups, self.axis = groups, axis

    def build(self, input_shape: Any) -> None:
        """Makes `gamma` and `beta`."""
        size = self._size_of(input_shape)
        if self.groups == -1:
            self.groups = size
        if size < self.groups or size % self.groups != 0:
            raise ValueError(
                f"Number of groups ({self.groups}) of layer {self.name!r} must divide the number of channels ({size})."
            )
        self._weights_of((size,))

    def call(self, inputs: Any) -> Any:
        """The normalized inputs."""
        rank = len(inputs.shape)
        axis = self.axis % rank
        shape, static = tf.shape(inputs), inputs.shape.as_list()
        dims = [n if n is not None else shape[i] for i, n in enumerate(static)]
        grouped = [*dims[:axis], self.groups, static[axis] // self.groups, *dims[axis + 1 :]]
        x = tf.reshape(inputs, grouped)
        axes = [a for a in range(1, rank + 1) if a != axis]
        mean, variance = tf.nn.moments(x, axes, keepdims=True)
        x = tf.reshape((x - mean) * tf.math.rsqrt(variance + self.epsilon), dims)
        spread = [static[axis] if a == axis else 1 for a in range(rank)]
        if self.gamma is not None:
            x *= tf.reshape(self.gamma, spread)
        if self.beta is not None:
            x += tf.reshape(self.beta, spread)
        return x


class UnitNormalization(Layer):
    """Brings vectors along `axis` to length 1.

    >>> import graphrt as tf
    >>> tf.keras.layers.UnitNormalization()(tf.constant([[3.0, 4.0]])).numpy().round(2).tolist()
    [[0.6000000238418579, 0.800000011920929]]

    Raises:
      TypeError: `axis` is neither an integer nor a list of them.
    """

    _stateless = True

    def __init__(self, axis: int = -1, **kwargs: Unpack[LayerOptions]) -> None:
        super().__init__(**kwargs)
        axis = whole(axis)
        if not isinstance(axis, (int, list, tuple)):
            raise TypeError(
                f"Invalid value for `axis` argument: expected an int or a list/tuple of ints. Received: axis={said(axis)}"
            )
        self.axis = axis if isinstance(axis, int) else list(axis)
        self.supports_masking = True

    def call(self, inputs: Tensor) -> Tensor:
        """The normalized inputs."""
        return tf.nn.l2_normalize(inputs, axis=self.axis, epsilon=1e-12)


class RMSNormalization(Layer):
    """Divides by the root of the mean square along `axis`, and multiplies by the weight `scale`.

    >>> import graphrt as tf
    >>> tf.keras.layers.RMSNormalization()(tf.constant([[2.0, -2.0]])).numpy().round(3).tolist()
    [[1.0, -1.0]]
    """

    input_spec = InputSpec(min_ndim=1)

    def __init__(self, axis: int = -1, epsilon: float = 1e-6, **kwargs: Unpack[LayerOptions]) -> None:
        super().__init__(**kwargs)
        self.axis = axis if isinstance(axis, int) else list(axis)
        self.epsilon = epsilon

    def _axes(self, rank: int) -> list[int]:
        return _places(self.axis, rank, self.name)

    def build(self, input_shape: Any) -> None:
        """Makes `scale`."""
        axes = self._axes(len(input_shape))
        self.scale = self.add_weight(name="scale", shape=[input_shape[a] for a in axes], initializer="ones")

    def call(self, inputs: Tensor) -> Tensor:
        """The normalized inputs."""
        rank = len(inputs.shape)
        axes = self._axes(rank)
        size = tf.math.rsqrt(tf.reduce_mean(tf.square(inputs), axis=axes, keepdims=True) + self.epsilon)
        return inputs * size * tf.reshape(self.scale, [inputs.shape[a] if a in axes else 1 for a in range(rank)])
