"""Adafactor: adapts steps with memory for rows and columns only."""

from __future__ import annotations

from typing import Any, Unpack

import graphrt as tf
from graphrt.keras.optimizers.base import LearningRate, Optimizer, OptimizerOptions, with_square
from graphrt.keras.optimizers.slots import Slots
from graphrt.keras.signatures import takes_what


@takes_what(Optimizer)
class Adafactor(Optimizer):
    """Keeps means of squared gradients for rows and columns of matrices, and bounds the size of steps.

    >>> import graphrt as tf
    >>> w = tf.Variable([1.0])
    >>> tf.keras.optimizers.Adafactor().apply([tf.constant([2.0])], [w])
    >>> w.numpy().round(4).tolist()
    [0.9990000128746033]
    """

    _takes_slices = True

    def __init__(
        self, learning_rate: LearningRate = 0.001, beta_2_decay: float = -0.8, epsilon_1: float = 1e-30,
        epsilon_2: float = 1e-3, clip_threshold: float = 1.0, relative_step: bool = True,
        **options: Unpack[OptimizerOptions],
    ) -> None:  # fmt: skip
        super().__init__(learning_rate, **options)
        self.beta_2_decay, self.epsilon_1, self.epsilon_2 = beta_2_decay, epsilon_1, epsilon_2
        self.clip_threshold, self.relative_step = clip_threshold, relative_step

    def _build_slots(self, variables: list[Any]) -> None:
        rows, columns, squares = [], [], []
        for variable in variables:
            shape = tuple(variable.shape)
            is_factored = len(shape) >= 2
            row, column = (shape[:-1], shape[:-2] + shape[-1:]) if is_factored else ((), ())
            dtype = None if is_factored else tf.int32  # in their place stands the number 0
            path = getattr(variable, "path", variable.name.removesuffix(":0")).replace("/", "_")
            rows.append(self.add_variable(row, dtype=dtype, name=f"{path}_row"))
            columns.append(self.add_variable(column, dtype=dtype, name=f"{path}_column"))
            squares.append(self.add_variable_from_reference(variable, "velocity"))
        self._rows, self._columns = Slots(variables, rows), Slots(variables, columns)
        self._squares = Slots(variables, squares)

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        """Updates one variable."""
        dtype = variable.dtype
        rate = tf.cast(learning_rate, dtype)
        gradient, squared = with_square(gradient, dtype)
        step = tf.cast(self.iterations + 1, dtype)
        limit = tf.minimum(rate, 1.0 / tf.sqrt(step)) if self.relative_step else rate
        size = tf.sqrt(tf.reduce_mean(tf.square(tf.convert_to_tensor(variable))))
        scale = tf.maximum(tf.cast(self.epsilon_2, dtype), size) * limit
        square = squared + self.epsilon_1
        keep = 1.0 - tf.pow(step, self.beta_2_decay)
        if len(variable.shape) >= 2:
            r, c = self._rows.of(variable), self._columns.of(variable)
            r.assign(keep * r + (1.0 - keep) * tf.reduce_mean(square, axis=-1))
            c.assign(keep * c + (1.0 - keep) * tf.reduce_mean(square, axis=-2))
            rows, columns = tf.convert_to_tensor(r), tf.convert_to_tensor(c)
            share = rows / tf.reduce_mean(rows, axis=-1, keepdims=True)
            mean = tf.expand_dims(share, -1) * tf.expand_dims(columns, -2)
        else:
            v = self._squares.of(variable)
            v.assign(keep * v + (1.0 - keep) * square)
            mean = tf.convert_to_tensor(v)
        update = gradient * tf.math.rsqrt(mean)
        over = tf.sqrt(tf.reduce_mean(tf.square(update))) / self.clip_threshold
        variable.assign_sub(scale * update / tf.maximum(1.0, over))
