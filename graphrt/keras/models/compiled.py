"""What `compile` makes of losses and metrics: the loss of all outputs, and the metrics that each batch updates."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from itertools import zip_longest
from typing import Any

import graphrt as tf
from graphrt.keras import losses, metrics
from graphrt.keras.calling import call_users
from graphrt.keras.configurable import Identifier
from graphrt.keras.names import snake_case
from graphrt.tensor.tensor import Tensor
from graphrt.types import structure
from graphrt.types.likes import TensorLike


def output_names_of(y_pred: TensorLike, known: list[str] | None) -> list[str]:
    """A name for each output."""
    if isinstance(y_pred, Mapping):
        return list(y_pred)
    count = len(y_pred) if isinstance(y_pred, (list, tuple)) else 1
    if known is not None and len(known) == count:
        return list(known)
    return [f"output_{i + 1}" for i in range(count)]


def listed(value: Any, names: list[str], y_pred: TensorLike, what: str) -> list[Any]:
    """One of `value` for each output: values may be a dictionary by name, or a list.

    Raises:
      ValueError: a name is not that of an output, or there are too many.
    """
    if isinstance(value, Mapping):
        unknown = [k for k in value if k not in names]
        if unknown:
            raise ValueError(f"In the dict argument `{what}`, key '{unknown[0]}' does not correspond to any model "
                             f"output. The model's output names are: {names}.")  # fmt: skip
        return [value.get(name) for name in names]
    if isinstance(value, (list, tuple)):
        if len(value) != len(names):
            raise ValueError(f"`{what}` has {len(value)} entries for the {len(names)} outputs {names} of the model.")
        return list(value)
    return [value for _ in names]


def flat_outputs(value: TensorLike | None, names: list[str]) -> list[Any]:
    """The outputs, or targets, in the order of the names."""
    if isinstance(value, Mapping):
        return [value.get(name) for name in names]
    return list(value) if isinstance(value, (list, tuple)) else [value]


class CompileLoss:
    """The losses of all outputs, weighted and summed."""

    def __init__(self, loss: Any, loss_weights: Any, output_names: list[str] | None) -> None:
        self._given, self._weights, self._known_names = loss, loss_weights, output_names
        self._losses: list[Any] | None = None
        self._names: list[str] = []
        self.trackers: list[Any] = []

    def _build(self, y_true: Any, y_pred: Any) -> None:
        self._names = output_names_of(y_pred, self._known_names)
        given = self._given
        if isinstance(given, Mapping) and {"class_name", "config"} <= given.keys():  # one loss, as `serialize` gives it
            given = losses.deserialize(dict(given))
        if isinstance(given, (list, tuple)) and len(given) == 1 and len(self._names) == 1:
            given = given[0]
        wanted, predicted = flat_outputs(y_true, self._names), flat_outputs(y_pred, self._names)
        self._losses = [
            _as_loss(one, *both)
            for one, *both in zip_longest(listed(given, self._names, y_pred, "loss"), wanted, predicted)
        ]
        weights = [None] * len(self._names) if self._weights is None else listed(
            self._weights, self._names, y_pred, "loss_weights"
        )  # fmt: skip
        self._factors = weights
        if sum(one is not None for one in self._losses) > 1:
            named = self._known_names is not None or isinstance(y_pred, Mapping)
            names = self._names if named else _names_of_losses(listed(given, self._names, y_pred, "loss"), self._names)
            self.trackers = [
                metrics.Mean(name=f"{name}_loss") for name, one in zip(names, self._losses) if one is not None
            ]

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Tensor:
        """The loss of a batch."""
        if self._losses is None:
            self._build(y_true, y_pred)
        assert self._losses is not None
        predicted = flat_outputs(y_pred, self._names)
        wanted = flat_outputs(y_true, self._names)
        weights = flat_outputs(sample_weight, self._names)
        if len(weights) == 1:
            weights = weights * len(predicted)
        if len(wanted) != len(predicted):
            raise ValueError(f"The model has {len(predicted)} outputs, but there are {len(wanted)} targets (`y`).")
        total, tracker = None, iter(self.trackers)
        for loss, factor, y, p, weight in zip(self._losses, self._factors, wanted, predicted, weights):
            if loss is None:
                continue
            value = loss(y, p, weight)
            if self.trackers:
                count = tf.shape(structure.flatten(p)[0])[0]
                next(tracker).update_state(value, sample_weight=count)
            value = value if factor is None else tf.cast(factor, value.dtype) * value
            total = value if total is None else total + value
        if total is None:
            raise ValueError("No loss to compute: the `loss` given to `compile` is None for all outputs.")
        return total


def _names_of_losses(given: list[Any], otherwise: list[str]) -> list[str]:
    """Outputs without names are told apart by their losses, if these differ."""
    names = [one if isinstance(one, str) else snake_case(getattr(one, "name", None) or _label(one)) for one in given]
    return names if len(set(names)) == len(names) else otherwise


def _label(function: Callable[..., Any]) -> str:
    """What a function, or an object that is called, is shown as."""
    return snake_case(getattr(function, "__name__", None) or type(function).__name__)


class _Sum(losses.Loss):
    """The losses of one output, added."""

    def __init__(self, given: list[losses.Loss]) -> None:
        super().__init__(name="_".join(one.name for one in given))
        self._given_losses = given

    def __call__(self, y_true: TensorLike, y_pred: TensorLike, sample_weight: TensorLike | None = None) -> Tensor:
        if isinstance(y_pred, (list, tuple, Mapping)):
            raise ValueError(
                f"A list of {len(self._given_losses)} losses is for an output that is one tensor, found a "
                f"{type(y_pred).__name__} of {len(y_pred)}: give a function of the whole output, which adds its losses."
            )
        return functools.reduce(tf.add, (one(y_true, y_pred, sample_weight) for one in self._given_losses))

    def call(self, y_true: TensorLike, y_pred: TensorLike) -> Tensor:
        """The sum of what the losses give."""
        return functools.reduce(tf.add, (one.call(y_true, y_pred) for one in self._given_losses))


def _as_loss(identifier: Identifier, y_true: Any, y_pred: Any) -> Any:
    """A loss of the batch: functions are averaged over it, and those of a list added.

    "crossentropy" is that for the shapes of the labels.
    """
    if isinstance(identifier, (list, tuple)):
        found = [made for one in identifier if (made := _as_loss(one, y_true, y_pred)) is not None]
        return found[0] if len(found) == 1 else _Sum(found)
    if isinstance(identifier, str) and identifier.lower() in ("crossentropy", "ce"):
        return losses.LossFunctionWrapper(_LOSSES[_kind(y_true, y_pred)], name=identifier)
    found = losses.get(identifier)
    if found is None or isinstance(found, losses.Loss):
        return found
    name = _label(found)
    return losses.LossFunctionWrapper(found, name=name)


class CompileMetrics(metrics.Metric):
    """The metrics of all outputs, as one."""

    def __init__(self, given: Any, weighted: Any, output_names: list[str] | None) -> None:
        super().__init__(name="compile_metrics")
        self._given, self._weighted, self._known_names = given, weighted, output_names
        self._built = False
        self._flat: list[tuple[int, bool, Any]] = []
        self._result_names: list[str] = []

    def build(self, y_true: Any, y_pred: Any) -> None:
        """Chooses metrics for the shapes of the outputs."""
        if self._built:
            return
        names = output_names_of(y_pred, self._known_names)
        wanted, predicted = flat_outputs(y_true, names), flat_outputs(y_pred, names)
        for given, weighted in ((self._given, False), (self._weighted, True)):
            for position, group in enumerate(_groups(given, names, y_pred)):
                for identifier in group:
                    made = _as_metric(identifier, wanted[position], predicted[position])
                    if made is None:
                        continue
                    self._flat.append((position, weighted, made))
                    self._result_names.append(self._result_name(made.name, names, position, y_pred, weighted))
        self._names = names
        self._built = True

    def _result_name(self, name: str, names: list[str], position: int, y_pred: TensorLike, weighted: bool) -> str:
        named = len(names) > 1 and (self._known_names is not None or isinstance(y_pred, Mapping))
        full = f"{names[position]}_{name}" if named else name
        if full not in self._result_names:
            return full
        if weighted:
            return f"{names[position]}_weighted_{name}" if named else f"weighted_{name}"
        return f"{names[position]}_{name}"

    @property
    def metrics(self) -> list[Any]:
        """The metrics in it."""
        return [m for _, _, m in self._flat]

    @property
    def variables(self) -> list[Any]:
        """The variables of the metrics in it."""
        return [v for m in self.metrics for v in m.variables]

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Tensor | None = None) -> None:
        """Takes a batch into account."""
        self.build(y_true, y_pred)
        wanted, predicted = flat_outputs(y_true, self._names), flat_outputs(y_pred, self._names)
        weights = flat_outputs(sample_weight, self._names)
        weights = weights * len(predicted) if len(weights) == 1 else weights
        for position, weighted, metric in self._flat:
            if wanted[position] is None:
                continue
            if weighted and weights[position] is not None:
                call_users(metric.update_state, wanted[position], predicted[position], sample_weight=weights[position])
            else:
                call_users(metric.update_state, wanted[position], predicted[position])

    def result(self) -> dict[str, Any]:
        """The results by name."""
        found: dict[str, Any] = {}
        for name, (_, _, metric) in zip(self._result_names, self._flat):
            value = metric.result()
            found.update(value) if isinstance(value, dict) else found.setdefault(name, value)
        return found

    def reset_state(self) -> None:
        """Begins anew."""
        for metric in self.metrics:
            metric.reset_state()


def _groups(given: Any, names: list[str], y_pred: TensorLike) -> list[list[Any]]:
    """The metrics of each output."""
    if given is None:
        return [[] for _ in names]
    if isinstance(given, Mapping):
        parts = listed(given, names, y_pred, "metrics")
    elif len(names) == 1:
        parts = [given[0] if len(given) == 1 and isinstance(given[0], (list, tuple)) else given]
    elif any(isinstance(g, (list, tuple)) or g is None for g in given) or len(given) == len(names):
        parts = listed(list(given), names, y_pred, "metrics")
    else:
        parts = [given for _ in names]
    return [[] if p is None else list(p) if isinstance(p, (list, tuple)) else [p] for p in parts]


_ACCURACIES: dict[str, Callable[..., Any]] = {
    "binary": metrics.BinaryAccuracy, "categorical": metrics.CategoricalAccuracy,
    "sparse": metrics.SparseCategoricalAccuracy,
}  # fmt: skip
_LOSSES: dict[str, Callable[..., Any]] = {
    "binary": losses.binary_crossentropy, "categorical": losses.categorical_crossentropy,
    "sparse": losses.sparse_categorical_crossentropy,
}  # fmt: skip
_ENTROPIES: dict[str, Callable[..., Any]] = {
    "binary": metrics.BinaryCrossentropy, "categorical": metrics.CategoricalCrossentropy,
    "sparse": metrics.SparseCategoricalCrossentropy,
}  # fmt: skip


def _kind(y_true: Any, y_pred: Any) -> str:
    """Whether labels are 0 and 1, integers, or one-hot; seen by the shapes."""
    if y_pred.shape.rank is None or y_pred.shape.rank == 0 or y_pred.shape[-1] == 1:
        return "binary"
    rank = tf.convert_to_tensor(y_true).shape.rank
    if rank is not None and (rank < y_pred.shape.rank or (rank == y_pred.shape.rank and y_true.shape[-1] == 1)):
        return "sparse"
    return "categorical"


def _as_metric(identifier: Identifier, y_true: TensorLike, y_pred: TensorLike) -> Any:
    if identifier is None or isinstance(identifier, metrics.Metric):
        return identifier
    text = str(identifier).lower() if isinstance(identifier, str) else ""
    if text in ("accuracy", "acc"):
        return _ACCURACIES[_kind(y_true, y_pred)](name=identifier)
    if text in ("crossentropy", "ce"):
        return _ENTROPIES[_kind(y_true, y_pred)](name=identifier)
    if isinstance(identifier, str):
        try:
            found = metrics.get(identifier)
        except ValueError as unknown:
            try:
                found = losses.get(identifier)  # any loss is a metric, too
            except ValueError:
                raise unknown from None
            found = found.call if isinstance(found, losses.Loss) else found
        if isinstance(found, metrics.Metric):
            found.name = identifier
            return found
        return metrics.MeanMetricWrapper(found, name=identifier)
    found = metrics.get(identifier)
    if isinstance(found, metrics.Metric):
        return found
    return metrics.MeanMetricWrapper(found, name=_label(found))
