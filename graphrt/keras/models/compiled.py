"""What `compile` makes of metrics: those of all outputs as one, that each batch updates."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from graphrt.keras import losses, metrics
from graphrt.keras.calling import call_users
from graphrt.keras.configurable import Identifier
from graphrt.keras.models.compiled_losses import Path, aligned, at, is_config, kind_of, label, leaf_paths, shown
from graphrt.tensor.tensor import Tensor
from graphrt.types import structure
from graphrt.types.likes import TensorLike


class _Group(NamedTuple):
    """The metrics of one output."""

    path: Path
    name: str | None  # of the output; None if it has none, or is the only one
    metrics: list[Any]


class CompileMetrics(metrics.Metric):
    """The metrics of all outputs, as one."""

    def __init__(self, given: Any, weighted: Any, output_names: list[str] | None) -> None:
        super().__init__(name="compile_metrics")
        self._given, self._weighted, self._known_names = given, weighted, output_names
        self._built = False
        self._groups: tuple[list[_Group], list[_Group]] = ([], [])  # those without weights, those with

    def build(self, y_true: object, y_pred: object) -> None:
        """Chooses metrics for the shapes of the outputs."""
        if self._built:
            return
        y_true = aligned(y_true, y_pred, self._known_names)
        plain = self._chosen(self._given, "metrics", y_true, y_pred)
        self._groups = (plain, self._chosen(self._weighted, "weighted_metrics", y_true, y_pred))
        self._built = True

    def _chosen(self, given: object, argument: str, y_true: object, y_pred: object) -> list[_Group]:
        if not given:
            return []
        try:
            found = list(_given_by_output(given, y_pred, self._known_names))
        except (KeyError, ValueError) as error:
            raise ValueError(
                f"{error.args[0]}\nInvalid `{argument}`. `{argument}` should contain metrics objects and be a dict or a "
                f"list that matches the output names {self._known_names} of the model, or its output structure: "
                f"{shown(y_pred)}.\nReceived: {argument}={given}"
            ) from None
        leaves = leaf_paths(y_pred)
        known = self._known_names if self._known_names and len(self._known_names) == len(leaves) else []
        names: dict[Path, str] = dict(zip(leaves, known)) if len(leaves) > 1 else {}
        flat_keys = len(leaves) > 1 and isinstance(y_pred, Mapping) and all(len(path) == 1 for path in leaves)
        groups = []
        for path, group in found:
            target, predicted = at(path, y_true), at(path, y_pred)
            made = [] if target is None else [_as_metric(one, target, predicted) for one in group if one is not None]
            groups.append(_Group(path, path[0] if flat_keys else names.get(path), made))
        return groups

    @property
    def metrics(self) -> list[Any]:
        """The metrics in it."""
        return [m for part in self._groups for group in part for m in group.metrics]

    @property
    def variables(self) -> list[Any]:
        """The variables of the metrics in it."""
        return [v for m in self.metrics for v in m.variables]

    def update_state(self, y_true: object, y_pred: object, sample_weight: Tensor | None = None) -> None:
        """Takes a batch into account."""
        self.build(y_true, y_pred)
        y_true = aligned(y_true, y_pred, self._known_names)
        weights = sample_weight
        if structure.is_nested(weights):
            flat = structure.flatten(weights)
            weights = flat[0] if len(flat) == 1 else aligned(weights, y_pred, self._known_names)
        for part, weighted in zip(self._groups, (False, True)):
            for path, _, group in part:
                weight = at(path, weights) if structure.is_nested(weights) else weights
                for metric in group:
                    target = at(path, y_true)
                    if weighted and weight is not None:
                        call_users(metric.update_state, target, at(path, y_pred), sample_weight=weight)
                    else:
                        call_users(metric.update_state, target, at(path, y_pred))

    def result(self) -> dict[str, Any]:
        """The results by name: what occurs again is numbered, or said to be weighted."""
        found: dict[str, Any] = {}
        times: dict[str, int] = {}
        for part, weighted in zip(self._groups, (False, True)):
            for _, output, group in part:
                for metric in group:
                    value = metric.result()
                    if isinstance(value, dict):
                        found.update(value)
                        continue
                    prefix = f"{output}_" if output else ""
                    name = prefix + metric.name
                    if weighted and name in times:
                        name = f"{prefix}weighted_{metric.name}"
                    count = times[name] = times.get(name, 0) + 1
                    found[name if count == 1 else f"{name}_{count - 1}"] = value
        return found

    def reset_state(self) -> None:
        """Begins anew."""
        for metric in self.metrics:
            metric.reset_state()


def _listed(value: object) -> list[Any]:
    return [] if value is None else list(value) if isinstance(value, (list, tuple)) else [value]


def _is_group(value: object) -> bool:
    """Whether these are the metrics of one output."""
    return not isinstance(value, Mapping) and not any(isinstance(v, (list, tuple)) for v in _listed(value))


def _given_by_output(given: object, y_pred: object, names: list[str] | None) -> list[tuple[Path, list[Any]]]:
    """The metrics of each output that has some.

    Raises:
      ValueError: they are not of the structure of the outputs.
      KeyError: the same, of dictionaries.
    """
    leaves = leaf_paths(y_pred)
    if len(leaves) == 1:
        if isinstance(given, Mapping) and not is_config(given):
            allowed = [*(names or []), *(y_pred if isinstance(y_pred, Mapping) else [])]
            unknown = [] if not allowed else [key for key in given if key not in allowed]
            if unknown:
                raise ValueError(f"key '{unknown[0]}' does not correspond to any model output {allowed}")
        return [(leaves[0], structure.flatten(given))]
    flat = all(len(path) == 1 for path in leaves)
    if flat and isinstance(given, (list, tuple)) and len(given) == len(leaves):
        return [((path), _listed(one)) for path, one in zip(_in_order(y_pred, names), given)]
    if flat and isinstance(given, Mapping) and not isinstance(y_pred, Mapping):
        unknown = [key for key in given if key not in (names or ())]
        if unknown:
            raise ValueError(f"In the dict argument, key '{unknown[0]}' does not correspond to any model output.")
        assert names is not None
        return [((i,), _listed(given[name])) for i, name in enumerate(names) if name in given]
    found = list(_walked(given, y_pred, ()))
    order = {path: i for i, path in enumerate(_in_order(y_pred, names))}
    return sorted(found, key=lambda one: order[one[0]])


def _in_order(y_pred: object, names: list[str] | None) -> list[Path]:
    """The ways to the outputs: in the model's order, where its names say it."""
    paths = leaf_paths(y_pred)
    if isinstance(y_pred, Mapping) and all(len(path) == 1 for path in paths):
        if names and set(names) == set(y_pred):
            return [(name,) for name in names]
        if isinstance(y_pred, OrderedDict):
            return [(key,) for key in y_pred]
    return paths


def _walked(given: object, y_pred: object, path: Path) -> list[tuple[Path, list[Any]]]:
    here = at(path, y_pred)
    if given is None:
        return []
    if not structure.is_nested(here):
        if not _is_group(given):
            raise ValueError(f"The output at {path} is one tensor, but its metrics are {given}.")
        return [(path, _listed(given))]
    if isinstance(here, Mapping) != isinstance(given, Mapping) or not isinstance(given, (Mapping, list, tuple)):
        raise ValueError(f"The output at {path} is a {type(here).__name__}, but its metrics are {given}.")
    if isinstance(given, Mapping):
        unknown = [key for key in given if key not in here]
        if unknown:
            raise ValueError(f"In the dict argument, key '{unknown[0]}' does not correspond to any model output.")
        parts = list(given.items())
    else:
        if len(given) != len(here):
            raise ValueError(f"The output at {path} has {len(here)} parts, but there are {len(given)} metrics.")
        parts = list(enumerate(given))
    return [found for key, one in parts for found in _walked(one, y_pred, (*path, key))]


_ACCURACIES: dict[str, Callable[..., Any]] = {
    "binary": metrics.BinaryAccuracy, "categorical": metrics.CategoricalAccuracy,
    "sparse": metrics.SparseCategoricalAccuracy,
}  # fmt: skip
_ENTROPIES: dict[str, Callable[..., Any]] = {
    "binary": metrics.BinaryCrossentropy, "categorical": metrics.CategoricalCrossentropy,
    "sparse": metrics.SparseCategoricalCrossentropy,
}  # fmt: skip


def _as_metric(identifier: Identifier, y_true: TensorLike, y_pred: TensorLike) -> Any:
    if identifier is None or isinstance(identifier, metrics.Metric):
        return identifier
    text = str(identifier).lower() if isinstance(identifier, str) else ""
    if text in ("accuracy", "acc"):
        return _ACCURACIES[kind_of(y_true, y_pred)](name=identifier)
    if text in ("crossentropy", "ce"):
        return _ENTROPIES[kind_of(y_true, y_pred)](name=identifier)
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
    return metrics.MeanMetricWrapper(found, name=label(found))
