"""The loss that `compile` is given: one number for the outputs of a model, however these are nested."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import graphrt as tf
from graphrt.keras import losses, metrics
from graphrt.keras.configurable import Identifier, known_custom
from graphrt.keras.names import snake_case
from graphrt.tensor.tensor import Tensor
from graphrt.types import structure
from graphrt.types.likes import TensorLike

Path = tuple[Any, ...]
"""The keys and positions that lead to a part of the outputs."""


def leaf_paths(value: object, path: Path = ()) -> list[Path]:
    """The way to each leaf: keys of dictionaries, in their order, and positions."""
    if not structure.is_nested(value):
        return [path]
    parts = structure.children(value)
    keyed = isinstance(value, Mapping)
    return [found for i, (key, part) in enumerate(parts) for found in leaf_paths(part, (*path, key if keyed else i))]


def at(path: Path, value: object) -> Any:
    """The part of a structure where a path leads."""
    for key in path:
        value = value[key] if isinstance(value, (Mapping, list, tuple)) else structure.children(value)[key][1]
    return value


def is_config(value: object) -> bool:
    """Whether a dictionary is what `serialize` gives of one object."""
    return isinstance(value, Mapping) and {"class_name", "config"} <= value.keys()


def revived_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of `compile` as a file tells them, with objects for configurations and for names of custom objects.

    Such objects may be known for as long as the file is read.

    Raises:
      ValueError: a loss is not known.
    """
    made = dict(options)
    for key, get in (("loss", losses.get), ("metrics", metrics.get), ("weighted_metrics", metrics.get)):
        made[key] = _revived(options.get(key), get)
    return made


def _revived(value: Any, get: Any) -> Any:
    if isinstance(value, str) and known_custom(value) is None:
        if get is losses.get:  # "accuracy" of a metric depends on the outputs
            try:
                get(value)
            except ValueError as error:
                raise ValueError(
                    f"{error} One of the program's own is found where it is told of: custom_objects={{'{value}': ...}}."
                ) from None
        return value
    if isinstance(value, str) or is_config(value):
        return get(value)
    if isinstance(value, (list, tuple)):
        return type(value)(_revived(v, get) for v in value)
    if isinstance(value, Mapping):
        return {k: _revived(v, get) for k, v in value.items()}
    return value


def shown(value: object) -> Any:
    """A structure with a star for each tensor."""
    return structure.map_structure(lambda _: "*", value) if structure.is_nested(value) else "*"


def _is_flat_list(value: object) -> bool:
    return isinstance(value, (list, tuple)) and not any(structure.is_nested(v) for v in value)


def aligned(y_true: Any, y_pred: Any, names: list[str] | None, given: object = None) -> Any:
    """The targets in the structure of the predictions: lists by the order of outputs, dictionaries by their names.

    Those of outputs that have no loss may be missing.

    Raises:
      ValueError: they do not belong together.
    """
    wanted, there = leaf_paths(y_pred), leaf_paths(y_true)
    if set(there) == set(wanted) or (isinstance(y_true, Mapping) and set(there) < set(wanted)):
        return y_true
    if not structure.is_nested(y_true) and structure.is_nested(y_pred) and len(y_pred) == 1:
        return structure.pack_like(y_pred, [y_true]) if len(wanted) == 1 else [y_true]
    listed = isinstance(y_pred, (list, tuple))
    if listed and isinstance(y_true, Mapping) and names is not None and y_true.keys() <= set(names):
        return [y_true.get(name) for name in names]
    if not structure.is_nested(y_pred) and len(there) == 1:
        return structure.flatten(y_true)[0]
    if structure.is_nested(y_pred) and _is_flat_list(y_true) and len(there) == len(wanted):
        return structure.pack_like(y_pred, list(y_true))
    if structure.is_nested(given) and not is_config(given):
        chosen = structure.flatten(given)
        if sum(one is not None for one in chosen) == len(there):
            targets = iter(structure.flatten(y_true))
            found = structure.pack_like(given, [None if one is None else next(targets) for one in chosen])
            return [found.get(n) for n in names] if listed and isinstance(found, Mapping) and names else found
    raise ValueError(
        "y_true and y_pred have different structures.\n"
        f"y_true: {shown(y_true)}\ny_pred: {shown(y_pred)}\n"
        "Give a target for each output, or for each output that has a loss."
    )


class _Term(NamedTuple):
    """One loss of a part of the outputs."""

    path: Path
    given: Any
    name: str | None  # of the output; None if it has none


def _terms(given: Any, y_pred: object, names: dict[Path, str], path: Path = (), whole: bool = False) -> Iterator[_Term]:
    """The losses in `given`, each with the part of the outputs that it is for.

    A list that is not of the outputs' kind holds several losses of all that is here. One loss for all of a model's
    outputs is that of each, unless it is `whole`.

    Raises:
      KeyError: there is no such part.
      ValueError: lists are not as long as those of outputs.
    """
    here = at(path, y_pred)
    nested = structure.is_nested(here)
    if given is None:
        return
    if not structure.is_nested(given) or is_config(given):
        for leaf in leaf_paths(here) if nested and not path and not whole else [()]:
            yield _Term((*path, *leaf), given, _name_of((*path, *leaf), names))
        return
    if isinstance(given, Mapping):
        if not isinstance(here, Mapping):
            raise KeyError(f"The path: {path} in the `loss` argument, can't be found in the model's output (`y_pred`): "
                           f"what is there is no dictionary, but {shown(here)!r}.")  # fmt: skip
        for key, one in given.items():
            if key not in here and one is not None:
                raise KeyError(_not_found((*path, key)))
            if one is not None:
                yield from _terms(one, y_pred, names, (*path, key), True)
        return
    leaves = leaf_paths(here)
    if nested and _is_flat_list(given) and len(given) == len(leaves):
        for one, leaf in zip(given, leaves):
            yield from _terms(one, y_pred, names, (*path, *leaf), True)
        return
    if not nested:
        yield _Term(path, given, _name_of(path, names))
        return
    if not isinstance(here, type(given)):
        for one in given:
            yield from _terms(one, y_pred, names, path, True)
        return
    if len(given) != len(here):
        raise ValueError(
            f"`loss` has {len(given)} entries for the {len(here)} outputs {shown(here)} of the model: expected a "
            f"{type(here).__name__} with one for each, or a {'tuple' if isinstance(here, list) else 'list'} of losses "
            "of all of them."
        )
    for i, one in enumerate(given):
        yield from _terms(one, y_pred, names, (*path, i), True)


def _not_found(path: Path) -> str:
    return (
        f"The path: {path} in the `loss` argument, can't be found in either the model's output (`y_pred`) or in the "
        "labels (`y_true`)."
    )


def _name_of(path: Path, names: dict[Path, str]) -> str | None:
    """The name of an output: the keys that lead to it, and that of its layer in place of a position."""
    known = names.get(path)
    if not path or isinstance(path[-1], int):
        if known is None and path:
            return None
        path = (*path[:-1], known or "_".join(p[-1] if isinstance(p[-1], str) else n for p, n in names.items()))
    return "/".join(map(str, path)) or None


class CompileLoss:
    """The losses of all outputs, weighted and summed."""

    def __init__(self, loss: object, loss_weights: object, output_names: list[str] | None) -> None:
        if loss_weights and not isinstance(loss_weights, (list, tuple, dict, float, int)):
            raise ValueError(
                "Expected `loss_weights` argument to be a float (single output case) or a list, tuple, or dict "
                f"(multiple output case). Received instead: loss_weights={loss_weights} of type {type(loss_weights)}"
            )
        self._given, self._weights, self._known_names = loss, loss_weights, output_names
        self._losses: list[tuple[Path, Any, Any]] | None = None
        self.trackers: list[Any] = []

    def build(self, y_true: object, y_pred: object) -> None:
        """Chooses the losses for the structure and the shapes of outputs."""
        given = self._by_output(self._given, y_pred)
        leaves = leaf_paths(y_pred)
        known = self._known_names if self._known_names and len(self._known_names) == len(leaves) else []
        terms = list(_terms(given, y_pred, dict(zip(leaves, known))))
        factors = self._factors(terms, given, y_pred)
        made = []
        for term, factor in zip(terms, factors):
            try:
                target = at(term.path, y_true)
            except (KeyError, IndexError, TypeError):
                raise KeyError(_not_found(term.path)) from None
            made.append((term.path, _as_loss(term.given, target, at(term.path, y_pred)), factor))
        if len(made) > 1:
            names = _distinct_names(terms, [one for _, one, _ in made])
            self.trackers = [metrics.Mean(name=f"{name}_loss") for name in names]
        self._losses = made

    def _by_output(self, given: object, y_pred: object) -> Any:
        """Losses by the names of outputs as a list, if the outputs are one."""
        if not isinstance(given, Mapping) or is_config(given) or isinstance(y_pred, Mapping):
            return given
        names = self._known_names
        if names is None or given.keys() != set(names):
            raise ValueError(
                f"Expected keys {names} in loss dict, but found loss.keys()={list(given)}: the keys are the names of "
                "the model's outputs, and None stands for no loss."
            )
        found = [given[name] for name in names]
        return found if isinstance(y_pred, (list, tuple)) else found[0]

    def _factors(self, terms: list[_Term], given: object, y_pred: object) -> list[Any]:
        """The weight of each loss.

        Raises:
          ValueError: there are too many or too few.
        """
        weights = self._weights
        if weights is None or not terms:
            return [None] * len(terms)
        one_for_all = not structure.is_nested(given) or is_config(given) or len(terms) == 1
        if not structure.is_nested(weights) and one_for_all:
            return [weights] * len(terms)
        if isinstance(weights, Mapping):
            weights = self._weights_by_output(weights, y_pred)
        flat = structure.flatten(weights)
        if isinstance(weights, (list, tuple)) and len(flat) == len(terms):
            return flat
        if len(flat) == len(structure.flatten(given)) and not isinstance(weights, Mapping):
            return [w for w, one in zip(flat, structure.flatten(given)) if one is not None]
        if not isinstance(weights, Mapping):
            raise ValueError(
                f"`loss_weights` must match the number of losses, got {len(terms)} losses and {len(flat)} weights."
            )
        found = []
        for path in (term.path for term in terms):
            part: Any = weights
            for key in path:
                part = part.get(key) if isinstance(part, Mapping) else None if part is None else part[key]
            found.append(part)
        return found

    def _weights_by_output(self, weights: Any, y_pred: object) -> Any:
        names = list(y_pred) if isinstance(y_pred, Mapping) else self._known_names or []
        unknown = [key for key in weights if key not in names]
        if unknown:
            raise ValueError(f"In the dict argument `loss_weights`, key '{unknown[0]}' does not correspond to any model "
                             f"output. The model's output names are: {names}.")  # fmt: skip
        return weights if isinstance(y_pred, Mapping) else [weights.get(name) for name in names]

    def __call__(self, y_true: object, y_pred: object, sample_weight: object = None) -> Tensor:
        """The loss of a batch."""
        y_true = aligned(y_true, y_pred, self._known_names, self._given)
        if self._losses is None:
            self.build(y_true, y_pred)
        assert self._losses is not None
        weights = _aligned_weights(sample_weight, y_pred, self._known_names, self._given)
        total, tracker = None, iter(self.trackers)
        for path, loss, factor in self._losses:
            predicted = at(path, y_pred)
            value = loss(at(path, y_true), predicted, _weight_at(path, weights))
            if self.trackers:
                next(tracker).update_state(value, sample_weight=tf.shape(structure.flatten(predicted)[0])[0])
            value = value if factor is None else tf.cast(factor, value.dtype) * value
            total = value if total is None else total + value
        if total is None:
            raise ValueError("No loss to compute: the `loss` given to `compile` is None for all outputs.")
        return total


def _aligned_weights(sample_weight: object, y_pred: object, names: list[str] | None, given: object) -> Any:
    if not structure.is_nested(sample_weight):
        return sample_weight
    flat = structure.flatten(sample_weight)
    return flat[0] if len(flat) == 1 else aligned(sample_weight, y_pred, names, given)


def _weight_at(path: Path, weights: Any) -> Any:
    """The weights of a part: those of all, where there are none of its own."""
    for key in path:
        if not structure.is_nested(weights):
            return weights
        weights = weights.get(key) if isinstance(weights, Mapping) else weights[key]
    return weights


def _distinct_names(terms: list[_Term], made: list[Any]) -> list[str]:
    """A name for each loss: outputs without names are told apart by their losses, if these differ."""
    names = [term.name or one.name for term, one in zip(terms, made)]
    if len(set(names)) == len(names):
        return names
    return [term.name or f"output_{i + 1}" for i, term in enumerate(terms)]


def label(function: Callable[..., Any]) -> str:
    """What a function, or an object that is called, is shown as."""
    return snake_case(getattr(function, "__name__", None) or type(function).__name__)


class _Sum(losses.Loss):
    """The losses of one output, added."""

    def __init__(self, given: list[losses.Loss]) -> None:
        super().__init__(name="_".join(one.name for one in given))
        self._given_losses = given

    def __call__(self, y_true: TensorLike, y_pred: TensorLike, sample_weight: TensorLike | None = None) -> Tensor:
        return functools.reduce(tf.add, (one(y_true, y_pred, sample_weight) for one in self._given_losses))

    def call(self, y_true: TensorLike, y_pred: TensorLike) -> Tensor:
        """The sum of what the losses give."""
        return functools.reduce(tf.add, (one.call(y_true, y_pred) for one in self._given_losses))


_LOSSES: dict[str, Callable[..., Any]] = {
    "binary": losses.binary_crossentropy, "categorical": losses.categorical_crossentropy,
    "sparse": losses.sparse_categorical_crossentropy,
}  # fmt: skip


def kind_of(y_true: TensorLike, y_pred: TensorLike) -> str:
    """Whether labels are 0 and 1, integers, or one-hot; seen by the shapes."""
    wanted, predicted = tf.convert_to_tensor(y_true).shape, tf.convert_to_tensor(y_pred).shape
    if predicted.rank is None or predicted.rank == 0 or predicted[-1] == 1:
        return "binary"
    rank = wanted.rank
    if rank is not None and (rank < predicted.rank or (rank == predicted.rank and wanted[-1] == 1)):
        return "sparse"
    return "categorical"


def _as_loss(identifier: Identifier, y_true: TensorLike, y_pred: Any) -> Any:
    """A loss of the batch: functions are averaged over it, and those of a list added.

    "crossentropy" is that for the shapes of the labels.
    """
    if isinstance(identifier, (list, tuple)):
        found = [_as_loss(one, y_true, y_pred) for one in identifier if one is not None]
        return found[0] if len(found) == 1 else _Sum(found)
    if isinstance(identifier, str) and structure.is_nested(y_pred):
        raise ValueError(
            f"The loss '{identifier}' is for an output that is one tensor, found a {type(y_pred).__name__} of "
            f"{len(y_pred)}: give a loss for each of its parts, or a function of the whole."
        )
    if isinstance(identifier, str) and identifier.lower() in ("crossentropy", "ce"):
        return losses.LossFunctionWrapper(_LOSSES[kind_of(y_true, y_pred)], name=identifier)
    made = losses.deserialize(dict(identifier)) if isinstance(identifier, Mapping) else losses.get(identifier)
    if isinstance(made, losses.Loss):
        return made
    return losses.LossFunctionWrapper(made, name=identifier if isinstance(identifier, str) else label(made))
