"""Activations as layers."""

from __future__ import annotations

from typing import Any, Unpack

import graphrt as tf
from graphrt.keras import activations, constraints, initializers, regularizers
from graphrt.keras.configurable import Identifier
from graphrt.keras.layers.base import InputSpec, Layer
from graphrt.keras.layers.options import LayerOptions
from graphrt.tensor.tensor import Tensor

__all__ = [
    "ELU",
    "Activation",
    "ActivityRegularization",
    "LeakyReLU",
    "PReLU",
    "ReLU",
    "Softmax",
]


class _Elementwise(Layer):
    """A layer without weights that passes masks on."""

    _stateless = True

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True


class Activation(_Elementwise):
    """A function of `keras.activations`, by name or itself.

    >>> import graphrt as tf
    >>> tf.keras.layers.Activation("relu")(tf.constant([-1.0, 1.0])).numpy().tolist()
    [0.0, 1.0]
    """

    def __init__(self, activation: Identifier, **kwargs: Unpack[LayerOptions]) -> None:
        super().__init__(**kwargs)
        self.activation = activations.get(activation)

    def call(self, inputs: Tensor) -> Tensor:
        """What the function gives for the inputs."""
        return self.activation(inputs)


class ReLU(_Elementwise):
    """`keras.activations.relu`.

    >>> import graphrt as tf
    >>> tf.keras.layers.ReLU(max_value=1.0)(tf.constant([-1.0, 3.0])).numpy().tolist()
    [0.0, 1.0]

    Raises:
      ValueError: an argument is negative.
    """

    def __init__(
        self, max_value: float | None = None, negative_slope: float = 0.0, threshold: float = 0.0,
        **kwargs: Unpack[LayerOptions]
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        for name, value in (("max_value", max_value), ("negative_slope", negative_slope), ("threshold", threshold)):
            if (value is None and name != "max_value") or (value is not None and value < 0):
                raise ValueError(f"{name} of a ReLU layer cannot be a negative value. Received: {name}={value}")
        self.max_value, self.negative_slope, self.threshold = max_value, negative_slope, threshold

    def call(self, inputs: Tensor) -> Tensor:
        """The rectified inputs."""
        return activations.relu(inputs, self.negative_slope, self.max_value, self.threshold)


class LeakyReLU(_Elementwise):
    """The inputs where positive, `negative_slope` times them elsewhere.

    >>> import graphrt as tf
    >>> tf.keras.layers.LeakyReLU(0.5)(tf.constant([-1.0, 3.0])).numpy().tolist()
    [-0.5, 3.0]

    Raises:
      ValueError: `negative_slope` is None or negative.
    """

    def __init__(self, negative_slope: float = 0.3, **kwargs: Any) -> None:
        negative_slope = kwargs.pop("alpha", negative_slope)
        super().__init__(**kwargs)
        if negative_slope is None or negative_slope < 0:
            raise ValueError(
                "The negative_slope value of a Leaky ReLU layer cannot be None or negative value. "
                f"Expected a float. Received: negative_slope={negative_slope}"
            )
        self.negative_slope = negative_slope

    def call(self, inputs: Tensor) -> Tensor:
        """The rectified inputs."""
        return activations.leaky_relu(inputs, self.negative_slope)


class ELU(_Elementwise):
    """The exponential linear unit.

    >>> import graphrt as tf
    >>> tf.keras.layers.ELU()(tf.constant([3.0])).numpy().tolist()
    [3.0]
    """

    def __init__(self, alpha: float = 1.0, **kwargs: Unpack[LayerOptions]) -> None:
        super().__init__(**kwargs)
        self.alpha = alpha

    def call(self, inputs: Tensor) -> Tensor:
        """The inputs, bent below zero."""
        return activations.elu(inputs, self.alpha)


class PReLU(Layer):
    """A leaky rectifier whose slopes `alpha` are learned; `shared_axes` are those that share one.

    >>> import graphrt as tf
    >>> tf.keras.layers.PReLU(alpha_initializer="ones")(tf.constant([[-1.0, 3.0]])).numpy().tolist()
    [[-1.0, 3.0]]
    """

    def __init__(
        self, alpha_initializer: Identifier = "Zeros", alpha_regularizer: Identifier = None,
        alpha_constraint: Identifier = None, shared_axes: Any = None, **kwargs: Unpack[LayerOptions]
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        self.supports_masking = True
        self.alpha_initializer = initializers.get(alpha_initializer)
        self.alpha_regularizer = regularizers.get(alpha_regularizer)
        self.alpha_constraint = constraints.get(alpha_constraint)
        self.shared_axes = [shared_axes] if isinstance(shared_axes, int) else shared_axes

    def build(self, input_shape: Any) -> None:
        """Makes `alpha`."""
        rank = len(input_shape)
        if any(not -rank <= axis < rank for axis in self.shared_axes or ()):
            raise IndexError(
                f"`shared_axes` of layer {self.name!r} are {self.shared_axes}, the inputs have rank {rank}"
            )
        shared = [axis % rank for axis in self.shared_axes or ()]
        shape = [1 if axis in shared else n for axis, n in enumerate(input_shape)][1:]
        self.alpha = self.add_weight(
            name="alpha", shape=shape, initializer=self.alpha_initializer, regularizer=self.alpha_regularizer,
            constraint=self.alpha_constraint,
        )  # fmt: skip
        axes = {axis: n for axis, n in enumerate(input_shape) if axis and axis not in shared}
        self.input_spec = InputSpec(ndim=len(input_shape), axes=axes)

    def call(self, inputs: Tensor) -> Tensor:
        """The rectified inputs."""
        return tf.nn.relu(inputs) - self.alpha * tf.nn.relu(-inputs)


class Softmax(_Elementwise):
    """Positive numbers that sum to 1 along `axis`; where the boolean `mask` is False they are 0.

    >>> import graphrt as tf
    >>> tf.keras.layers.Softmax()(tf.constant([1.0, 1.0])).numpy().tolist()
    [0.5, 0.5]
    """

    def __init__(self, axis: Any = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """The shares of the inputs."""
        if mask is None:
            return activations.softmax(inputs, self.axis)
        mask = tf.convert_to_tensor(mask)
        self._check_mask(tuple(mask.shape), tuple(inputs.shape))
        inputs += (1.0 - tf.cast(mask, inputs.dtype)) * max(inputs.dtype.min, -3e38) / 2
        return activations.softmax(inputs, self.axis) * tf.cast(tf.cast(mask, tf.bool), inputs.dtype)

    def _check_mask(self, mask: tuple[Any, ...], inputs: tuple[Any, ...]) -> None:
        fits = all(m in (1, None) or n is None or m == n for m, n in zip(mask[::-1], inputs[::-1]))
        if len(mask) > len(inputs) or not fits:
            raise ValueError(
                f"The `mask` of layer {self.name!r} must be broadcastable to its inputs, and must not have more "
                f"dimensions. Received: inputs.shape={inputs}, mask.shape={mask}"
            )


class ActivityRegularization(_Elementwise):
    """Gives its inputs, and adds a penalty on them to the loss.

    >>> import graphrt as tf
    >>> layer = tf.keras.layers.ActivityRegularization(l1=0.5)
    >>> _ = layer(tf.constant([[2.0, -2.0]]))
    >>> layer.losses[0].numpy().item()
    2.0
    """

    def __init__(self, l1: float = 0.0, l2: float = 0.0, **kwargs: object) -> None:
        super().__init__(activity_regularizer=regularizers.L1L2(l1, l2), **kwargs)
        self.l1, self.l2 = l1, l2

    def call(self, inputs: Tensor) -> Any:
        """The inputs."""
        return inputs

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an equal layer."""
        config = super().get_config()
        config.pop("activity_regularizer", None)
        return config
