"""`.weights.h5`: the weights of a model in a file of HDF5, laid out as Keras 3 does.

    layers/dense/vars/0        the weights of a layer, trainable ones first
    layers/dense_1/vars/0      layers of a list go by their classes, in order
    encoder/cell/vars/0        other parts by the attributes that hold them

What a file names is read from that file alone: links to other files, and arrays that lie in other files, are refused.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from graphrt.errors import MissingExtraError
from graphrt.keras.layers.base import Layer
from graphrt.keras.models import rehearsal
from graphrt.keras.names import snake_case
from graphrt.keras.optimizers.base import Optimizer
from graphrt.tensor.queries import get_logger
from graphrt.types.likes import Array
from graphrt.types.limits import DEFAULT, limits
from graphrt.types.nesting import shown, told

__all__ = ["h5py_module", "is_h5", "is_installed", "parts_by_path", "read_weights", "write_weights"]

_UNBUILT = 2  # numbers of an optimizer that has met no variables
_OWN = frozenset(["_graph_layers", "_layers", "_given", "_nodes", "_losses", "_weights", "_graph", "_functional"])


def is_installed() -> bool:
    """Whether h5py can be imported."""
    return importlib.util.find_spec("h5py") is not None


def h5py_module() -> Any:
    """The package `h5py`.

    Raises:
      MissingExtraError: it is not installed.
    """
    try:
        return importlib.import_module("h5py")
    except ImportError as error:
        raise MissingExtraError("files of HDF5 need the package h5py: pip install 'graphrt[h5]'") from error


# --- what belongs to a model -----------------------------------------------------------------------------------------
def parts_by_path(model: Layer | Optimizer, but: Iterable[object] = ()) -> Iterator[tuple[str, Layer | Optimizer]]:
    """The model, its layers and its optimizer, each once, with the names that Keras gives their places.

    Raises:
      ValueError: lists or dictionaries among the attributes are nested too deep.
    """
    try:
        yield from _walk(model, "", {id(part): part for part in but})
    except RecursionError as error:
        raise told(vars(model).values(), error) from None


def _walk(thing: Any, path: str, seen: dict[int, Any]) -> Iterator[tuple[str, Any]]:
    if id(thing) in seen:
        return
    seen[id(thing)] = thing
    yield path, thing
    for name, child in _attributes(thing):
        inner = f"{path}/{name}" if path else name
        if isinstance(child, (Layer, Optimizer)):
            yield from _walk(child, inner, seen)
        elif isinstance(child, (list, tuple, dict)):
            yield from _walk_container(child, inner, seen)


def _attributes(thing: Any) -> list[tuple[str, object]]:
    found: list[tuple[str, object]] = []
    if isinstance(thing, Layer) and _has_layers(thing):
        found.append(("layers", thing.layers))  # type: ignore[attr-defined]
    if isinstance(thing, Optimizer):
        return found
    own = {k: v for k, v in vars(thing).items() if k not in _OWN and k != "layers"}
    if not found and isinstance(getattr(type(thing), "layers", None), property):
        own["layers"] = thing.layers  # of a model that is a class: what stands behind it in the alphabet is found here
    return found + sorted(own.items(), key=lambda item: f"~{item[0]}" if item[0].startswith("_") else item[0])


def _has_layers(layer: Layer) -> bool:
    return "_layers" in vars(layer) or getattr(layer, "_graph", None) is not None


def _walk_container(container: Any, path: str, seen: dict[int, Any]) -> Iterator[tuple[str, Any]]:
    if id(container) in seen:
        return
    seen[id(container)] = container  # kept: another list that models make of their layers may get the place of one
    used: dict[str, int] = {}
    for child in container.values() if isinstance(container, dict) else container:
        kind = snake_case(type(child).__name__) if isinstance(child, (Layer, Optimizer)) else "container"
        if kind == "container" and not isinstance(child, (list, tuple, dict)):
            continue
        count = used.get(kind, 0)
        used[kind] = count + 1
        inner = f"{path}/{kind}_{count}" if count else f"{path}/{kind}"
        yield from (_walk_container if kind == "container" else _walk)(child, inner, seen)


def _variables(thing: Layer | Optimizer) -> list[Any]:
    return list(thing.variables) if isinstance(thing, Optimizer) else thing.own_variables()


# --- files -----------------------------------------------------------------------------------------------------------
def write_weights(model: Layer, file: Any, but: Iterable[object] = ()) -> None:
    """Writes the weights into `file`, a file opened for writing and reading; those of the parts `but` are left out.

    Raises:
      MissingExtraError: h5py is not installed.
    """
    with h5py_module().File(file, "w") as archive:
        for path, thing in parts_by_path(model, but):
            group = archive.require_group(f"{path}/vars" if path else "vars")
            group.attrs["name"] = thing.name
            for number, variable in enumerate(_variables(thing)):
                value = np.asarray(variable)
                group[str(number)] = value.astype(np.float32) if value.dtype.name == "bfloat16" else value


def read_weights(model: Layer, file: Any, what: str, skip_mismatch: bool = False, but: Iterable[object] = ()) -> None:
    """Puts the weights of `file` in place, but those of some parts; nothing is changed when they do not fit.

    Raises:
      MissingExtraError: h5py is not installed.
      ValueError: the file is damaged, or its weights are not those of the model; or reading it takes longer than the
        limit of `seconds` that `tf.config.limits` has set, which a process of its own finds out first.
    """
    if limits.seconds < DEFAULT.seconds:
        largest = max((np.asarray(v).nbytes for _, p in parts_by_path(model) for v in _variables(p)), default=0)
        why = rehearsal.refusal(file.read(), limits.seconds, largest)
        if why is not None:
            raise ValueError(f"{what!r}: {why}. It is damaged, or was made to do that")
        file.seek(0)
    planned: list[tuple[Any, Array]] = []
    with h5py_module().File(file, "r") as archive:
        for path, thing in parts_by_path(model, but):
            variables = _variables(thing)
            group = _inside(archive, f"{path}/vars" if path else "vars", what)
            there = [] if group is None else sorted((k for k in group if k.isdecimal()), key=int)
            if isinstance(thing, Optimizer):
                if len(there) == _UNBUILT:  # it was saved before it had met variables: its step and its rate
                    variables = variables[:_UNBUILT]
                if not there or len(there) != len(variables):  # as Keras does: training begins anew
                    if there and variables:
                        get_logger().warning(
                            "%r holds %d numbers of the optimizer %s, which has %d: they are left out.",
                            what, len(there), thing.name, len(variables),
                        )  # fmt: skip
                    continue
            if len(there) != len(variables):
                if skip_mismatch:
                    continue
                raise ValueError(
                    f"{what!r} holds {len(there)} weights of {shown(path or 'the model')} ({thing.name}), which has "
                    f"{len(variables)}. A layer that was not called yet has none: build the model first."
                )
            for key, variable in zip(there, variables):
                array = _array(group, key, variable, what, f"{path}/{key}", skip_mismatch)
                if array is not None:
                    planned.append((variable, array))
    for variable, array in planned:
        variable.assign(array)
    for _, thing in parts_by_path(model):
        loaded = getattr(thing, "load_own_variables", None)
        if loaded is not None:
            loaded(None)


def _inside(archive: Any, path: str, what: str) -> Any:
    """The group at `path`, by links that stay in the file; None when there is none."""
    h5py = h5py_module()
    group = archive
    for name in path.split("/"):
        if name not in group:
            return None
        if not isinstance(group.get(name, getlink=True), h5py.HardLink):
            raise ValueError(f"{what!r}: {path!r} is a link to somewhere else, which is not followed")
        group = group[name]
        if not isinstance(group, h5py.Group):
            return None
    return group


def _array(group: Any, key: str, variable: Any, what: str, path: str, skip_mismatch: bool) -> Array | None:
    h5py = h5py_module()
    if not isinstance(group.get(key, getlink=True), h5py.HardLink) or not isinstance(group[key], h5py.Dataset):
        raise ValueError(f"{what!r}: {path!r} is no array of the file")
    dataset = group[key]
    if dataset.external or dataset.is_virtual:
        raise ValueError(f"{what!r}: the array {path!r} lies in another file, which is not read")
    if tuple(dataset.shape) != tuple(variable.shape):
        if skip_mismatch:
            return None
        raise ValueError(
            f"weight {getattr(variable, 'path', variable.name)!r} has shape {tuple(variable.shape)}, but {what!r} has "
            f"shape {tuple(dataset.shape)} in its place"
        )
    if dataset.dtype.kind not in "biuf":
        raise ValueError(f"{what!r}: {path!r} holds {dataset.dtype}, no numbers")
    return np.asarray(dataset[()]).astype(variable.dtype.as_numpy_dtype)


def is_h5(path: str) -> bool:
    """Whether a name asks for HDF5."""
    return path.endswith((".h5", ".hdf5"))
