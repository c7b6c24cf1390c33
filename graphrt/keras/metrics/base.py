"""`Metric`: numbers that are gathered over batches in variables; `Mean`, `Sum`, and means of functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import numpy as np

import graphrt as tf
from graphrt.ir.tracebacks import shorten
from graphrt.keras import initializers, losses
from graphrt.keras.calling import call_users
from graphrt.keras.config import floatx
from graphrt.keras.configurable import Configurable, Identifier, described_function, function_of
from graphrt.keras.loss_functions import same_rank
from graphrt.keras.losses import reduce_weighted
from graphrt.keras.masks import mask_of
from graphrt.keras.names import auto_name, path_scope, snake_case
from graphrt.keras.variable import Variable
from graphrt.tensor.tensor import Tensor
from graphrt.types.likes import DTypeLike, TensorLike
from graphrt.types.shape import TensorShape


class Metric(Configurable):
    """Base of metrics: `update_state` gathers, `result` says what was found, `reset_state` begins anew.

    Calling a metric updates it and gives the result.

    >>> import graphrt as tf
    >>> class Count(tf.keras.metrics.Metric):
    ...     def __init__(self, **kwargs):
    ...         super().__init__(**kwargs)
    ...         self.n = self.add_weight(initializer="zeros", name="n")
    ...     def update_state(self, y_true, y_pred, sample_weight=None):
    ...         self.n.assign_add(tf.cast(tf.size(y_true), tf.float32))
    ...     def result(self):
    ...         return self.n
    >>> count = Count()
    >>> count.update_state([1, 2], [1, 2])
    >>> count.result().numpy().item()
    2.0
    """

    def __init__(self, dtype: DTypeLike | None = None, name: str | None = None) -> None:
        self.name = name or auto_name(snake_case(type(self).__name__))
        self.dtype = tf.as_dtype(getattr(dtype, "name", dtype) or floatx()).name
        self._variables: list[Variable] = []

    def add_weight(
        self, shape: Sequence[int | None] | TensorShape = (), initializer: Identifier = None,
        dtype: DTypeLike | None = None, name: str | None = None
    ) -> Any:  # fmt: skip
        """A new variable of the metric, zeros unless said otherwise."""
        if isinstance(shape, str):  # the name came first once
            shape, name = (), shape
        with tf.init_scope(), path_scope(self.name):
            made = Variable(
                initializers.get("zeros" if initializer is None else initializer),
                tuple(shape),
                dtype or self.dtype,
                trainable=False,
                name=name,
            )
        self._variables.append(made)
        return made

    add_variable = add_weight

    @property
    def variables(self) -> list[Any]:
        """The variables: its own, made by `add_weight` or kept in attributes, then those of metrics in attributes."""
        kept = [p for key, value in dict(self.__dict__).items() if key != "_variables" for p in _parts(value)]
        found = [*self._variables, *(p for p in kept if isinstance(p, Variable))]
        found += [v for p in kept if isinstance(p, Metric) for v in p.variables]
        return list({id(v): v for v in found}.values())

    def update_state(self, *args: Any, **kwargs: Any) -> Any:
        """Takes a batch into account."""
        raise NotImplementedError(f"{type(self).__name__} must define `update_state`")

    def result(self) -> Any:
        """What was found so far."""
        raise NotImplementedError(f"{type(self).__name__} must define `result(self)`")

    def reset_state(self) -> None:
        """Makes all variables zeros."""
        for variable in self.variables:
            variable.assign(tf.zeros(variable.shape, variable.dtype))

    def reset_states(self) -> None:
        """The same as `reset_state`."""
        self.reset_state()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Takes a batch into account, and gives the result."""
        try:
            call_users(self.update_state, *args, **kwargs)
            return self.result()
        except BaseException as error:
            shorten(error)
            raise

    def __repr__(self) -> str:
        return f"<{type(self).__name__} name={self.name}>"


def _parts(value: object) -> list[object]:
    """What an attribute holds, in lists and dicts too."""
    if isinstance(value, (list, tuple)):
        return [p for v in value for p in _parts(v)]
    return [p for v in value.values() for p in _parts(v)] if isinstance(value, dict) else [value]


def total_and_count(values: Any, sample_weight: Any, dtype: str, reduce: Callable[..., Tensor]) -> tuple[Any, Any]:
    """The weighted sum over the samples of a batch, and the sum of their weights; `reduce` makes one number of each."""
    mask = mask_of(values)
    values = tf.cast(values, dtype)
    weights: Any = None if sample_weight is None else tf.cast(sample_weight, dtype)
    if mask is not None:
        weights = tf.cast(mask, dtype)
        if sample_weight is not None:
            weights = reduce_weighted(weights, tf.cast(sample_weight, dtype), None, "none")
    if values.shape.rank is None:
        values = tf.reshape(values, [-1])
    if weights is not None:
        values, weights = same_rank(values, weights)
        given, rank = len(weights.shape), len(values.shape)
        if rank > given:
            values = reduce(values, axis=list(range(given, rank)))
        weights = tf.broadcast_to(weights, tf.shape(values))
        values *= weights
        if given > 1:
            weights = reduce(weights, axis=list(range(1, given)))
    rank = len(values.shape)
    if rank > 1:
        values = reduce(values, axis=list(range(1, rank)))
    count = tf.reduce_sum(weights) if weights is not None else tf.shape(values)[0] if rank else 1
    return tf.reduce_sum(values), tf.cast(count, dtype)


class Sum(Metric):
    """The (weighted) sum of all values.

    >>> import graphrt as tf
    >>> m = tf.keras.metrics.Sum()
    >>> m.update_state([1.0, 3.0])
    >>> m.result().numpy().item()
    4.0
    """

    def __init__(self, name: str | None = "sum", dtype: DTypeLike | None = None) -> None:
        super().__init__(dtype, name)
        self.total = self.add_weight(name="total")

    def update_state(self, values: Any, sample_weight: Any = None) -> None:
        """Takes values into account."""
        self.total.assign_add(total_and_count(values, sample_weight, self.dtype, tf.reduce_sum)[0])

    def result(self) -> Tensor:
        """The sum."""
        return tf.cast(self.total, self.dtype)


class Mean(Metric):
    """The (weighted) mean of all values.

    >>> import graphrt as tf
    >>> m = tf.keras.metrics.Mean()
    >>> m.update_state([1.0, 3.0], sample_weight=[3.0, 1.0])
    >>> m.result().numpy().item()
    1.5
    """

    def __init__(self, name: str | None = "mean", dtype: DTypeLike | None = None) -> None:
        super().__init__(dtype, name)
        self.total = self.add_weight(name="total")
        self.count = self.add_weight(name="count")

    def update_state(self, values: Any, sample_weight: Any = None) -> None:
        """Takes values into account."""
        total, count = total_and_count(values, sample_weight, self.dtype, tf.reduce_mean)
        self.total.assign_add(total)
        self.count.assign_add(count)

    def result(self) -> Tensor:
        """The mean; 0 of nothing."""
        return tf.math.divide_no_nan(tf.convert_to_tensor(self.total), self.count)


class MeanMetricWrapper(Mean):
    """The mean of a function `fn(y_true, y_pred, **kwargs)`.

    >>> import graphrt as tf
    >>> m = tf.keras.metrics.MeanMetricWrapper(lambda y, p: tf.abs(y - p))
    >>> m.update_state([1.0, 2.0], [1.0, 4.0])
    >>> m.result().numpy().item()
    1.0
    """

    def __init__(
        self, fn: Callable[..., Any], name: str | None = None, dtype: DTypeLike | None = None,
        **kwargs: TensorLike | None
    ) -> None:  # fmt: skip
        super().__init__(name or auto_name("mean_metric_wrapper"), dtype)
        self._fn, self._fn_kwargs = fn, kwargs

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an equal metric: of the function the name."""
        config = super().get_config()
        return {**config, "fn": described_function(self._fn)} if "fn" in config else config

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Self:
        """The metric of a configuration, whose function is found by its name."""
        if "fn" not in config:
            return super().from_config(config)
        return super().from_config({**config, "fn": function_of(config["fn"], losses.get, cls.__name__)})

    def update_state(  # type: ignore[override]
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> None:
        """Takes a batch into account."""
        mask = mask_of(y_pred)
        values = tf.convert_to_tensor(call_users(self._fn, _tensor(y_true), _tensor(y_pred), **self._fn_kwargs))
        if mask is not None:
            mask = tf.cast(mask, self.dtype)
            if sample_weight is None:
                sample_weight = mask
            else:
                weight, mask = same_rank(tf.cast(sample_weight, self.dtype), mask)
                sample_weight = weight * mask
        super().update_state(values, sample_weight)


def _tensor(value: Any) -> Any:
    if isinstance(value, (list, tuple)) and any(isinstance(v, tf.Tensor) for v in value):
        return value
    return tf.convert_to_tensor(np.asarray(value, floatx()) if _floats(value) else value)


def _floats(value: list[Any]) -> bool:
    return isinstance(value, (list, tuple, np.ndarray)) and np.asarray(value).dtype.kind == "f"
