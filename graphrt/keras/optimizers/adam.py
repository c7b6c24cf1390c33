"""Adam and its kin: moving means of gradients and of their squares, corrected for their start at zero."""

from __future__ import annotations

from typing import Any, Unpack

import graphrt as tf
from graphrt.keras.optimizers.base import LearningRate, Optimizer, OptimizerOptions, OptionsWithoutDecay, with_square
from graphrt.keras.optimizers.slots import make_slots
from graphrt.keras.signatures import takes_what
from graphrt.keras.variable import Variable
from graphrt.tensor.tensor import Tensor
from graphrt.types.likes import TensorLike


class _TwoMeans(Optimizer):
    """Keeps two moving means of each variable, with a decay each."""

    def __init__(
        self, learning_rate: LearningRate = 0.001, beta_1: float = 0.9, beta_2: float = 0.999, epsilon: float = 1e-7,
        **options: Unpack[OptimizerOptions],
    ) -> None:  # fmt: skip
        super().__init__(learning_rate, **options)
        self.beta_1, self.beta_2, self.epsilon = beta_1, beta_2, epsilon

    def _build_slots(self, variables: list[Any]) -> None:
        self._momentums, self._velocities = make_slots(self, variables, "momentum", "velocity")

    def _moved(self, variable: Variable, gradient: Tensor, squared: Tensor) -> tuple[Tensor, Tensor]:
        """The means of gradients and of their squares, which have taken in those of this step."""
        m, v = self._momentums.of(variable), self._velocities.of(variable)
        mean = m + (gradient - m) * (1.0 - self.beta_1)
        square = v + (squared - v) * (1.0 - self.beta_2)
        m.assign(mean)
        v.assign(square)
        return mean, square


@takes_what(Optimizer)
class Adam(_TwoMeans):
    """Steps along a moving mean of gradients, divided by the root of one of their squares.

    >>> import graphrt as tf
    >>> w = tf.Variable([1.0])
    >>> tf.keras.optimizers.Adam().apply([tf.constant([2.0])], [w])
    >>> w.numpy().round(4).tolist()
    [0.9990000128746033]
    """

    _takes_slices = True

    def __init__(
        self, learning_rate: LearningRate = 0.001, beta_1: float = 0.9, beta_2: float = 0.999, epsilon: float = 1e-7,
        amsgrad: bool = False, **options: Unpack[OptimizerOptions],
    ) -> None:  # fmt: skip
        super().__init__(learning_rate, beta_1, beta_2, epsilon, **options)
        self.amsgrad = amsgrad

    def _build_slots(self, variables: list[Any]) -> None:
        super()._build_slots(variables)
        (self._greatest,) = make_slots(self, variables if self.amsgrad else [], "velocity_hat")

    def _powers(self, variable: Any) -> tuple[Any, Any]:
        """The decays to the power of the number of this step."""
        step = tf.cast(self.iterations + 1, variable.dtype)
        beta_1, beta_2 = tf.cast(self.beta_1, variable.dtype), tf.cast(self.beta_2, variable.dtype)
        return tf.pow(beta_1, step), tf.pow(beta_2, step)

    def update_step(self, gradient: Tensor, variable: Any, learning_rate: TensorLike) -> None:
        """Updates one variable."""
        rate = tf.cast(learning_rate, variable.dtype)
        gradient, squared = with_square(gradient, variable.dtype)
        power_1, power_2 = self._powers(variable)
        alpha = rate * tf.sqrt(1.0 - power_2) / (1.0 - power_1)
        mean, square = self._moved(variable, gradient, squared)
        if self.amsgrad:
            greatest = self._greatest.of(variable)
            square = tf.maximum(greatest, square)
            greatest.assign(square)
        variable.assign_sub(mean * alpha / (tf.sqrt(square) + self.epsilon))


@takes_what(Optimizer)
class AdamW(Adam):
    """Adam, with weights that shrink by a share of themselves before each step.

    >>> import graphrt as tf
    >>> w = tf.Variable([1.0])
    >>> tf.keras.optimizers.AdamW().apply([tf.constant([2.0])], [w])
    >>> w.numpy().round(4).tolist()
    [0.9990000128746033]

    Raises:
      ValueError: `weight_decay` is None.
    """

    def __init__(
        self, learning_rate: LearningRate = 0.001, weight_decay: float = 0.004, beta_1: float = 0.9,
        beta_2: float = 0.999, epsilon: float = 1e-7, amsgrad: bool = False, **options: Unpack[OptionsWithoutDecay],
    ) -> None:  # fmt: skip
        if weight_decay is None:
            raise ValueError("Argument `weight_decay` must be a float. Received: weight_decay=None")
        super().__init__(learning_rate, beta_1, beta_2, epsilon, amsgrad, weight_decay=weight_decay, **options)


@takes_what(Optimizer)
class Adamax(_TwoMeans):
    """Adam, divided by the greatest recent gradient instead of a root mean square.

    >>> import graphrt as tf
    >>> w = tf.Variable([1.0])
    >>> tf.keras.optimizers.Adamax().apply([tf.constant([2.0])], [w])
    >>> w.numpy().round(4).tolist()
    [0.9990000128746033]
    """

    def _build_slots(self, variables: list[Any]) -> None:
        self._momentums, self._norms = make_slots(self, variables, "momentum", "norm")

    def update_step(self, gradient: Tensor, variable: Any, learning_rate: TensorLike) -> None:
        """Updates one variable."""
        rate, gradient = tf.cast(learning_rate, variable.dtype), tf.cast(gradient, variable.dtype)
        step = tf.cast(self.iterations + 1, variable.dtype)
        power = tf.pow(tf.cast(self.beta_1, variable.dtype), step)
        m, u = self._momentums.of(variable), self._norms.of(variable)
        mean = m + (gradient - m) * (1.0 - self.beta_1)
        greatest = tf.maximum(self.beta_2 * u, tf.abs(gradient))
        m.assign(mean)
        u.assign(greatest)
        variable.assign_sub(rate * mean / ((1.0 - power) * (greatest + self.epsilon)))


@takes_what(Optimizer)
class Nadam(_TwoMeans):
    """Adam with Nesterov's momentum.

    >>> import graphrt as tf
    >>> w = tf.Variable([1.0])
    >>> tf.keras.optimizers.Nadam().apply([tf.constant([2.0])], [w])
    >>> w.numpy().round(4).tolist()
    [0.9988999962806702]
    """

    _takes_slices = True

    def _build_slots(self, variables: list[Any]) -> None:
        super()._build_slots(variables)
        self._product = self.add_variable((), "ones", "float32", name="u_product")

    def _before_updates(self) -> None:
        step = tf.cast(self.iterations + 1, tf.float32)
        share = self.beta_1 * (1.0 - 0.5 * tf.pow(0.96, step))
        self._product.assign(self._product * share)

    def update_step(self, gradient: Tensor, variable: Any, learning_rate: TensorLike) -> None:
        """Updates one variable."""
        dtype = variable.dtype
        rate = tf.cast(learning_rate, dtype)
        gradient, squared = with_square(gradient, dtype)
        step = tf.cast(self.iterations + 1, dtype)
        decay = tf.cast(0.96, dtype)
        now = self.beta_1 * (1.0 - 0.5 * tf.pow(decay, step))
        following = self.beta_1 * (1.0 - 0.5 * tf.pow(decay, step + 1.0))
        product = tf.cast(self._product, dtype)
        power = tf.pow(tf.cast(self.beta_2, dtype), step)
        mean, square = self._moved(variable, gradient, squared)
        ahead = following * mean / (1.0 - product * following) + (1.0 - now) * gradient / (1.0 - product)
        variable.assign_sub(ahead * rate / (tf.sqrt(square / (1.0 - power)) + self.epsilon))


@takes_what(Optimizer)
class Lamb(Adam):
    """Adam, with the step of each variable as long as the variable itself.

    >>> import graphrt as tf
    >>> w = tf.Variable([1.0])
    >>> tf.keras.optimizers.Lamb().apply([tf.constant([2.0])], [w])
    >>> w.numpy().round(4).tolist()
    [0.9990000128746033]
    """

    def __init__(
        self, learning_rate: LearningRate = 0.001, beta_1: float = 0.9, beta_2: float = 0.999, epsilon: float = 1e-7,
        **options: Unpack[OptimizerOptions],
    ) -> None:  # fmt: skip
        super().__init__(learning_rate, beta_1, beta_2, epsilon, **options)

    def update_step(self, gradient: Tensor, variable: Any, learning_rate: TensorLike) -> None:
        """Updates one variable."""
        rate = tf.cast(learning_rate, variable.dtype)
        gradient, squared = with_square(gradient, variable.dtype)
        power_1, power_2 = self._powers(variable)
        mean, square = self._moved(variable, gradient, squared)
        step = mean / (1.0 - power_1) / (tf.sqrt(square / (1.0 - power_2)) + self.epsilon)
        weight_norm, step_norm = tf.norm(variable), tf.norm(step)
        ratio = tf.where(weight_norm > 0, tf.where(step_norm > 0, weight_norm / step_norm, 1.0), 1.0)
        variable.assign_sub(ratio * rate * step)
