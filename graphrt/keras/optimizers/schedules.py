"""`keras.optimizers.schedules`: learning rates that follow from the number of steps.

>>> import graphrt as tf
>>> rate = tf.keras.optimizers.schedules.ExponentialDecay(0.1, decay_steps=10, decay_rate=0.5)
>>> rate(10).numpy().round(3).item()
0.05000000074505806
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import graphrt as tf
from graphrt.keras.configurable import Configurable, Registry, custom_object_scope
from graphrt.keras.configurable import serialize as _serialize
from graphrt.tensor.tensor import Tensor

__all__ = [
    "CosineDecay", "CosineDecayRestarts", "ExponentialDecay", "InverseTimeDecay", "LearningRateSchedule",
    "PiecewiseConstantDecay", "PolynomialDecay", "deserialize", "serialize",
]  # fmt: skip


class LearningRateSchedule(Configurable):
    """Base of schedules: callables from a step to a learning rate.

    >>> import graphrt as tf
    >>> class Warmup(tf.keras.optimizers.schedules.LearningRateSchedule):
    ...     def __call__(self, step):
    ...         return 0.1 * tf.minimum(1.0, tf.cast(step, tf.float32) / 10.0)
    >>> optimizer = tf.keras.optimizers.SGD(Warmup())
    >>> optimizer.learning_rate.numpy().item()
    0.0
    """

    def __call__(self, step: Any) -> Any:
        """The learning rate at `step`."""
        raise NotImplementedError(f"{type(self).__name__} must define `__call__(self, step)`")


def _float(value: Any) -> Tensor:
    return tf.cast(value, tf.float32)


class ExponentialDecay(LearningRateSchedule):
    """`initial_learning_rate * decay_rate ** (step / decay_steps)`; with `staircase`, whole powers only.

    >>> import graphrt as tf
    >>> tf.keras.optimizers.schedules.ExponentialDecay(1.0, 10, 0.5, staircase=True)(19).numpy().item()
    0.5
    """

    def __init__(
        self, initial_learning_rate: float, decay_steps: float, decay_rate: float, staircase: bool = False,
        name: str = "ExponentialDecay",
    ) -> None:  # fmt: skip
        if decay_steps <= 0:
            raise ValueError(f"Argument `decay_steps` must be > 0. Received: decay_steps={decay_steps}")
        self.initial_learning_rate, self.decay_steps, self.decay_rate = initial_learning_rate, decay_steps, decay_rate
        self.staircase, self.name = staircase, name

    def __call__(self, step: Any) -> Tensor:
        """The learning rate at `step`."""
        power = _float(step) / _float(self.decay_steps)
        power = tf.floor(power) if self.staircase else power
        return _float(self.initial_learning_rate) * tf.pow(_float(self.decay_rate), power)


class InverseTimeDecay(LearningRateSchedule):
    """`initial_learning_rate / (1 + decay_rate * step / decay_steps)`.

    >>> import graphrt as tf
    >>> tf.keras.optimizers.schedules.InverseTimeDecay(1.0, 10, 1.0)(10).numpy().item()
    0.5
    """

    def __init__(
        self, initial_learning_rate: float, decay_steps: float, decay_rate: float, staircase: bool = False,
        name: str = "InverseTimeDecay",
    ) -> None:  # fmt: skip
        if decay_steps <= 0:
            raise ValueError(f"Argument `decay_steps` must be > 0. Received: decay_steps={decay_steps}")
        self.initial_learning_rate, self.decay_steps, self.decay_rate = initial_learning_rate, decay_steps, decay_rate
        self.staircase, self.name = staircase, name

    def __call__(self, step: Any) -> Tensor:
        """The learning rate at `step`."""
        power = _float(step) / _float(self.decay_steps)
        power = tf.floor(power) if self.staircase else power
        return _float(self.initial_learning_rate) / (1.0 + _float(self.decay_rate) * power)


class PiecewiseConstantDecay(LearningRateSchedule):
    """`values[i]` up to and with step `boundaries[i]`, the last value afterwards.

    >>> import graphrt as tf
    >>> rate = tf.keras.optimizers.schedules.PiecewiseConstantDecay([10, 20], [1.0, 0.5, 0.1])
    >>> [rate(s).numpy().round(2).item() for s in (10, 11, 30)]
    [1.0, 0.5, 0.10000000149011612]

    Raises:
      ValueError: there is not one more value than boundaries.
    """

    def __init__(self, boundaries: Any, values: Any, name: str = "PiecewiseConstant") -> None:
        if len(boundaries) != len(values) - 1:
            raise ValueError(
                "The length of boundaries should be 1 less than the length of values. "
                f"Received: boundaries={boundaries} of length {len(boundaries)}, and values={values} of length "
                f"{len(values)}."
            )
        self.boundaries, self.values, self.name = list(boundaries), list(values), name

    def __call__(self, step: Any) -> Tensor:
        """The learning rate at `step`."""
        step = _float(step)
        rate = _float(self.values[0])
        for boundary, value in zip(self.boundaries, self.values[1:]):
            rate = tf.where(step > _float(boundary), _float(value), rate)
        return rate


class PolynomialDecay(LearningRateSchedule):
    """Falls from the initial to the end rate in `decay_steps`, as (1 - step / decay_steps) ** power; may `cycle`.

    >>> import graphrt as tf
    >>> tf.keras.optimizers.schedules.PolynomialDecay(1.0, 10, 0.0)(5).numpy().item()
    0.5
    """

    def __init__(
        self, initial_learning_rate: float, decay_steps: float, end_learning_rate: float = 0.0001, power: float = 1.0,
        cycle: bool = False, name: str = "PolynomialDecay",
    ) -> None:  # fmt: skip
        if decay_steps <= 0:
            raise ValueError(f"Argument `decay_steps` must be > 0. Received: decay_steps={decay_steps}")
        self.initial_learning_rate, self.decay_steps = initial_learning_rate, decay_steps
        self.end_learning_rate, self.power, self.cycle, self.name = end_learning_rate, power, cycle, name

    def __call__(self, step: Any) -> Tensor:
        """The learning rate at `step`."""
        step, total = _float(step), _float(self.decay_steps)
        if self.cycle:
            total *= tf.where(tf.equal(step, 0.0), 1.0, tf.math.ceil(step / total))
        else:
            step = tf.minimum(step, total)
        first, last = _float(self.initial_learning_rate), _float(self.end_learning_rate)
        return (first - last) * tf.pow(1.0 - step / total, _float(self.power)) + last


class CosineDecay(LearningRateSchedule):
    """Falls along half a cosine to `alpha` times the initial rate; with `warmup_steps`, rises to `warmup_target` first.

    >>> import graphrt as tf
    >>> tf.keras.optimizers.schedules.CosineDecay(1.0, 10)(5).numpy().round(3).item()
    0.5
    """

    def __init__(
        self, initial_learning_rate: float, decay_steps: float, alpha: float = 0.0, name: str = "CosineDecay",
        warmup_target: float | None = None, warmup_steps: int = 0,
    ) -> None:  # fmt: skip
        if decay_steps <= 0:
            raise ValueError(f"Argument `decay_steps` must be > 0. Received: decay_steps={decay_steps}")
        self.initial_learning_rate, self.decay_steps, self.alpha, self.name = (
            initial_learning_rate, decay_steps, alpha, name,
        )  # fmt: skip
        self.warmup_target, self.warmup_steps = warmup_target, warmup_steps

    def _decayed(self, step: Any, first: Tensor) -> Tensor:
        share = tf.minimum(step, _float(self.decay_steps)) / _float(self.decay_steps)
        cosine = 0.5 * (1.0 + tf.cos(_float(math.pi) * share))
        return first * ((1.0 - self.alpha) * cosine + self.alpha)

    def __call__(self, step: Any) -> Tensor:
        """The learning rate at `step`."""
        step, first = _float(step), _float(self.initial_learning_rate)
        if self.warmup_target is None:
            return self._decayed(step, first)
        warm = _float(self.warmup_steps)
        target = _float(self.warmup_target)
        rising = first + (target - first) * (tf.minimum(step, warm) / warm)
        return tf.where(step > warm, self._decayed(step - warm, target), rising)


class CosineDecayRestarts(LearningRateSchedule):
    """Cosine decays one after the other, each `t_mul` times as long and starting `m_mul` times as high.

    >>> import graphrt as tf
    >>> tf.keras.optimizers.schedules.CosineDecayRestarts(1.0, 10)(10).numpy().round(3).item()
    1.0
    """

    def __init__(
        self, initial_learning_rate: float, first_decay_steps: float, t_mul: float = 2.0, m_mul: float = 1.0,
        alpha: float = 0.0, name: str = "SGDRDecay",
    ) -> None:  # fmt: skip
        if first_decay_steps <= 0:
            raise ValueError(f"Argument `first_decay_steps` must be > 0. Received: {first_decay_steps}")
        self.initial_learning_rate, self.first_decay_steps = initial_learning_rate, first_decay_steps
        self.t_mul, self.m_mul, self.alpha, self.name = t_mul, m_mul, alpha, name

    def __call__(self, step: Any) -> Tensor:
        """The learning rate at `step`."""
        done = _float(step) / _float(self.first_decay_steps)
        times = _float(self.t_mul)
        if self.t_mul == 1.0:
            restart = tf.floor(done)
            share = done - restart
        else:
            restart = tf.floor(tf.math.log(1.0 - done * (1.0 - times)) / tf.math.log(times))
            before = (1.0 - times**restart) / (1.0 - times)
            share = (done - before) / times**restart
        height = _float(self.m_mul) ** restart
        cosine = 0.5 * height * (1.0 + tf.cos(_float(math.pi) * share))
        return _float(self.initial_learning_rate) * ((1.0 - self.alpha) * cosine + self.alpha)


_REGISTRY = Registry("learning rate schedule", LearningRateSchedule)
_REGISTRY.add(globals(), [n for n in __all__ if n[0].isupper() and n != "LearningRateSchedule"])


def serialize(learning_rate_schedule: Any) -> Any:
    """The configuration from which `deserialize` makes it again.

    >>> import graphrt as tf
    >>> schedule = tf.keras.optimizers.schedules.ExponentialDecay(0.5, decay_steps=2, decay_rate=0.5)
    >>> tf.keras.optimizers.schedules.serialize(schedule)["class_name"]
    'ExponentialDecay'
    """
    return _serialize(learning_rate_schedule)


def deserialize(config: Any, custom_objects: Mapping[str, Any] | None = None) -> Any:
    """The schedule of a configuration.

    >>> import graphrt as tf
    >>> config = {"initial_learning_rate": 0.5, "decay_steps": 2, "decay_rate": 0.5}
    >>> config = {"class_name": "ExponentialDecay", "config": config}
    >>> float(tf.keras.optimizers.schedules.deserialize(config)(2))
    0.25
    """
    with custom_object_scope(custom_objects):
        return _REGISTRY.get(config)
