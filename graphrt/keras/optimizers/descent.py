"""Gradient descent, and the methods that adapt its steps to past gradients or their signs."""

from __future__ import annotations

from typing import Any, Unpack

import graphrt as tf
from graphrt.keras.optimizers.base import LearningRate, Optimizer, OptimizerOptions, with_square
from graphrt.keras.optimizers.slots import Slots, make_slots
from graphrt.keras.signatures import takes_what
from graphrt.tensor.tensor import Tensor
from graphrt.types.likes import TensorLike


@takes_what(Optimizer)
class SGD(Optimizer):
    """Gradient descent: `w -= learning_rate * g`, with momentum (also Nesterov's) if wanted.

    >>> import graphrt as tf
    >>> w = tf.Variable([1.0])
    >>> tf.keras.optimizers.SGD().apply([tf.constant([2.0])], [w])
    >>> w.numpy().round(4).tolist()
    [0.9800000190734863]

    Raises:
      ValueError: `momentum` is not between 0 and 1.
    """

    def __init__(
        self, learning_rate: LearningRate = 0.01, momentum: float = 0.0, nesterov: bool = False,
        **options: Unpack[OptimizerOptions],
    ) -> None:  # fmt: skip
        if not isinstance(momentum, (int, float)) or not 0 <= momentum <= 1:
            raise ValueError("`momentum` must be a float between [0, 1].")
        super().__init__(learning_rate, **options)
        self.momentum, self.nesterov = momentum, nesterov
        self._momentums = Slots()

    def _build_slots(self, variables: list[Any]) -> None:
        if self.momentum != 0:
            (self._momentums,) = make_slots(self, variables, "momentum")

    def update_step(self, gradient: TensorLike, variable: Any, learning_rate: TensorLike) -> None:
        """Updates one variable."""
        step = tf.cast(learning_rate, variable.dtype) * tf.cast(gradient, variable.dtype)
        if self.momentum == 0:
            variable.assign_sub(step)
            return
        velocity = self._momentums.of(variable)
        new = self.momentum * velocity - step
        velocity.assign(new)
        variable.assign_add(self.momentum * new - step if self.nesterov else new)


@takes_what(Optimizer)
class RMSprop(Optimizer):
    """Divides gradients by the root of a moving mean of their squares.

    >>> import graphrt as tf
    >>> w = tf.Variable([1.0])
    >>> tf.keras.optimizers.RMSprop().apply([tf.constant([2.0])], [w])
    >>> w.numpy().round(4).tolist()
    [0.9968000054359436]
    """

    _takes_slices = True

    def __init__(
        self, learning_rate: LearningRate = 0.001, rho: float = 0.9, momentum: float = 0.0, epsilon: float = 1e-7,
        centered: bool = False, **options: Unpack[OptimizerOptions],
    ) -> None:  # fmt: skip
        super().__init__(learning_rate, **options)
        self.rho, self.momentum, self.epsilon, self.centered = rho, momentum, epsilon, centered

    def _build_slots(self, variables: list[Any]) -> None:
        (self._velocities,) = make_slots(self, variables, "velocity")
        (self._momentums,) = make_slots(self, variables if self.momentum > 0 else [], "momentum")
        (self._means,) = make_slots(self, variables if self.centered else [], "average_gradient")

    def update_step(self, gradient: Tensor, variable: Any, learning_rate: Tensor) -> None:
        """Updates one variable."""
        rate = tf.cast(learning_rate, variable.dtype)
        gradient, squared = with_square(gradient, variable.dtype)
        velocity = self._velocities.of(variable)
        new = self.rho * velocity + (1.0 - self.rho) * squared
        velocity.assign(new)
        if self.centered:
            mean = self._means.of(variable)
            average = self.rho * mean + (1.0 - self.rho) * gradient
            mean.assign(average)
            new = new - tf.square(average)
        step = rate * gradient * tf.math.rsqrt(new + self.epsilon)
        if self.momentum > 0:
            kept = self._momentums.of(variable)
            step = self.momentum * kept + step
            kept.assign(step)
        variable.assign_sub(step)


@takes_what(Optimizer)
class Adagrad(Optimizer):
    """Divides gradients by the root of the sum of their squares so far.

    >>> import graphrt as tf
    >>> w = tf.Variable([1.0])
    >>> tf.keras.optimizers.Adagrad().apply([tf.constant([2.0])], [w])
    >>> w.numpy().round(4).tolist()
    [0.9990000128746033]
    """

    _takes_slices = True

    def __init__(
        self, learning_rate: LearningRate = 0.001, initial_accumulator_value: float = 0.1, epsilon: float = 1e-7,
        **options: Unpack[OptimizerOptions],
    ) -> None:  # fmt: skip
        super().__init__(learning_rate, **options)
        self.initial_accumulator_value, self.epsilon = initial_accumulator_value, epsilon

    def _build_slots(self, variables: list[Any]) -> None:
        (self._accumulators,) = make_slots(self, variables, "accumulator", first=self.initial_accumulator_value)

    def update_step(self, gradient: TensorLike, variable: Any, learning_rate: TensorLike) -> None:
        """Updates one variable."""
        rate = tf.cast(learning_rate, variable.dtype)
        gradient, squared = with_square(gradient, variable.dtype)
        accumulator = self._accumulators.of(variable)
        total = accumulator + squared
        accumulator.assign(total)
        variable.assign_sub(rate * gradient / tf.sqrt(total + self.epsilon))


@takes_what(Optimizer)
class Adadelta(Optimizer):
    """Steps as large as past steps were, relative to past gradients.

    >>> import graphrt as tf
    >>> w = tf.Variable([1.0])
    >>> tf.keras.optimizers.Adadelta().apply([tf.constant([2.0])], [w])
    >>> w.numpy().round(4).tolist()
    [1.0]
    """

    _takes_slices = True

    def __init__(
        self, learning_rate: LearningRate = 0.001, rho: float = 0.95, epsilon: float = 1e-7,
        **options: Unpack[OptimizerOptions],
    ) -> None:  # fmt: skip
        super().__init__(learning_rate, **options)
        self.rho, self.epsilon = rho, epsilon

    def _build_slots(self, variables: list[Any]) -> None:
        self._squares, self._steps_squared = make_slots(self, variables, "accumulated_grad", "accumulated_delta_var")

    def update_step(self, gradient: TensorLike, variable: Any, learning_rate: TensorLike) -> None:
        """Updates one variable."""
        rate = tf.cast(learning_rate, variable.dtype)
        gradient, squared = with_square(gradient, variable.dtype)
        squares, steps = self._squares.of(variable), self._steps_squared.of(variable)
        total = self.rho * squares + (1.0 - self.rho) * squared
        squares.assign(total)
        step = -tf.sqrt(steps + self.epsilon) * gradient / tf.sqrt(total + self.epsilon)
        moved = (steps + self.epsilon) * squared / (total + self.epsilon)  # the squares of the steps
        steps.assign(self.rho * steps + (1.0 - self.rho) * moved)
        variable.assign_add(rate * step)


@takes_what(Optimizer)
class Ftrl(Optimizer):
    """Follows the regularized leader: good for sparse, wide models.

    >>> import graphrt as tf
    >>> w = tf.Variable([1.0])
    >>> tf.keras.optimizers.Ftrl().apply([tf.constant([2.0])], [w])
    >>> w.numpy().round(4).tolist()
    [0.8428000211715698]

    Raises:
      ValueError: an option has the wrong sign.
    """

    _takes_slices = True

    def __init__(
        self, learning_rate: LearningRate = 0.001, learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1, l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0, l2_shrinkage_regularization_strength: float = 0.0, beta: float = 0.0,
        **options: Unpack[OptimizerOptions],
    ) -> None:  # fmt: skip
        for name, value in {
            "initial_accumulator_value": initial_accumulator_value,
            "l1_regularization_strength": l1_regularization_strength,
            "l2_regularization_strength": l2_regularization_strength,
            "l2_shrinkage_regularization_strength": l2_shrinkage_regularization_strength,
        }.items():
            if value < 0.0:
                raise ValueError(f"`{name}` needs to be positive or zero. Received: {name}={value}.")
        if learning_rate_power > 0.0:
            raise ValueError(
                "`learning_rate_power` needs to be negative or zero. Received: "
                f"learning_rate_power={learning_rate_power}."
            )
        super().__init__(learning_rate, **options)
        self.learning_rate_power = learning_rate_power
        self.initial_accumulator_value = initial_accumulator_value
        self.l1_regularization_strength = l1_regularization_strength
        self.l2_regularization_strength = l2_regularization_strength
        self.l2_shrinkage_regularization_strength = l2_shrinkage_regularization_strength
        self.beta = beta

    def _build_slots(self, variables: list[Any]) -> None:
        self._accumulators, self._linears = make_slots(
            self, variables, "accumulator", "linear", first=self.initial_accumulator_value
        )

    def update_step(self, gradient: TensorLike, variable: Tensor, learning_rate: TensorLike) -> None:
        """Updates one variable."""
        rate = tf.cast(learning_rate, variable.dtype)
        gradient, squared = with_square(gradient, variable.dtype)
        accumulator = self._accumulators.of(variable)
        linear = self._linears.of(variable)
        power = -self.learning_rate_power
        l2 = self.l2_regularization_strength + self.beta / (2.0 * rate)
        shrunk = gradient + 2.0 * self.l2_shrinkage_regularization_strength * variable
        total = accumulator + squared
        moved = linear + shrunk - (tf.pow(total, power) - tf.pow(accumulator, power)) / rate * variable
        linear.assign(moved)
        quadratic = tf.pow(total, power) / rate + 2.0 * l2
        limit = self.l1_regularization_strength
        variable.assign((tf.clip_by_value(moved, -limit, limit) - moved) / quadratic)
        accumulator.assign(total)


@takes_what(Optimizer)
class Lion(Optimizer):
    """Steps of one size, in the direction of the sign of a moving mean of gradients.

    >>> import graphrt as tf
    >>> w = tf.Variable([1.0])
    >>> tf.keras.optimizers.Lion().apply([tf.constant([2.0])], [w])
    >>> w.numpy().round(4).tolist()
    [0.9990000128746033]

    Raises:
      ValueError: `beta_1` is out of range.
    """

    def __init__(
        self, learning_rate: LearningRate = 0.001, beta_1: float = 0.9, beta_2: float = 0.99,
        **options: Unpack[OptimizerOptions],
    ) -> None:  # fmt: skip
        if beta_1 <= 0 or beta_1 > 1:
            raise ValueError(f"Argument `beta_1` must be in the [0, 1] range. Otherwise, the optimizer degenerates to "
                             f"SignSGD. Received: beta_1={beta_1}.")  # fmt: skip
        super().__init__(learning_rate, **options)
        self.beta_1, self.beta_2 = beta_1, beta_2

    def _build_slots(self, variables: list[Any]) -> None:
        (self._momentums,) = make_slots(self, variables, "momentum")

    def update_step(self, gradient: Tensor, variable: Any, learning_rate: Tensor) -> None:
        """Updates one variable."""
        rate, gradient = tf.cast(learning_rate, variable.dtype), tf.cast(gradient, variable.dtype)
        momentum = self._momentums.of(variable)
        variable.assign_sub(rate * tf.sign(momentum * self.beta_1 + gradient * (1.0 - self.beta_1)))
        momentum.assign(momentum * self.beta_2 + gradient * (1.0 - self.beta_2))
