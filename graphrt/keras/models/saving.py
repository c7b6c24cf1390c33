"""Weights and models in files: NumPy archives, and a zip file of configuration and weights."""

from __future__ import annotations

import contextlib
import io
import json
import os
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

import graphrt as tf
from graphrt import errors
from graphrt.keras import configurable, layer_classes
from graphrt.keras.configurable import serialize
from graphrt.keras.layer_classes import deserialize
from graphrt.keras.layers.base import Layer
from graphrt.keras.layers.core import InputLayer
from graphrt.keras.models import archives, weights_h5
from graphrt.keras.models.compiled_losses import revived_options
from graphrt.keras.models.functional import LayerGraph
from graphrt.keras.models.members import PARSED, array_members, member
from graphrt.keras.models.training import compile_options
from graphrt.keras.symbolic import KerasTensor, calls_of, place_behind
from graphrt.ops.io.files import local_path
from graphrt.ops.io.whole_files import regular, replaced
from graphrt.saving.objects import children
from graphrt.types import structure
from graphrt.types.likes import PathLike


# --- weights ---------------------------------------------------------------------------------------------------------
def _path(filepath: Any, overwrite: bool) -> str:
    path = local_path(filepath)
    if not overwrite and os.path.exists(path):
        raise ValueError(f"{path!r} exists already, and `overwrite` is False")
    return path


def _entries(model: Any) -> dict[str, Any]:
    """The weights by place and path: paths alone need not be different."""
    return {f"{i}:{getattr(v, 'path', v.name)}": v for i, v in enumerate(model.weights)}


_DAMAGE = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, RuntimeError, LookupError, TypeError,
    AttributeError, ArithmeticError, tokenize.TokenError, SyntaxError, MemoryError,
)  # fmt: skip


@contextlib.contextmanager
def _told(name: str, kind: str) -> Iterator[None]:
    """What reading damaged files comes to, as a ValueError that says which."""
    try:
        yield
    except _DAMAGE as error:
        raise ValueError(f"{name!r} is no {kind}, or is damaged: {type(error).__name__}: {error}") from error


def _json(text: str | bytes, name: str) -> Any:
    """What a JSON text says: an error names where it stands, too."""
    try:
        return json.loads(text)
    except ValueError as error:
        raise ValueError(f"{name!r} holds a configuration that cannot be read: {error}") from error


def _check_skipped(but: Sequence[object] | None, path: str, doing: str) -> Sequence[object]:
    if but and not weights_h5.is_h5(path):
        raise ValueError(f"`objects_to_skip` only supports {doing} '.weights.h5' files, found {path!r}.")
    return but or ()


def save_weights(
    model: Any, filepath: PathLike, overwrite: bool = True, objects_to_skip: Sequence[object] | None = None
) -> None:
    """Writes the weights of a model: as HDF5 (`.h5`), as a NumPy archive (`.npz`), or else as a checkpoint."""
    path = _path(filepath, overwrite)
    but = _check_skipped(objects_to_skip, path, "saving")
    if weights_h5.is_h5(path):
        weights_h5.h5py_module()  # before anything is written
        with replaced(path) as file:
            file.write(_as_h5(model, but))
    elif path.endswith(".npz"):
        with replaced(path) as file:
            np.savez(file, **{name: v.numpy() for name, v in _entries(model).items()})
    else:
        if not overwrite and os.path.exists(f"{path}.index"):
            raise ValueError(f"{path!r} exists already, and `overwrite` is False")
        tf.train.Checkpoint(model).write(path)


def _as_h5(model: Any, but: Sequence[object] = ()) -> bytes:
    data = io.BytesIO()
    weights_h5.write_weights(model, data, but)
    return data.getvalue()


def load_weights(
    model: Any, filepath: Any, skip_mismatch: bool = False, objects_to_skip: Sequence[object] | None = None
) -> None:
    """Reads what `save_weights` wrote, or the weights in what `save_model` wrote."""
    path = _path(filepath, True)
    but = _check_skipped(objects_to_skip, path, "loading")
    if os.path.exists(f"{path}.index"):
        _restore(model, path)
        return
    with open(path, "rb", opener=regular) as file:
        if path.endswith(".keras"):
            _fill_from_archive(model, file, path, skip_mismatch)
        elif weights_h5.is_h5(path):
            weights_h5.h5py_module()
            with _told(path, "file of weights"):
                weights_h5.read_weights(model, file, path, skip_mismatch, but)
        else:
            _fill(model, file, skip_mismatch, path)


def _fill_from_archive(model: Any, file: io.BufferedReader, path: str, skip_mismatch: bool) -> None:
    """The weights of a `.keras` file."""
    with _told(path, "archive of a model"), zipfile.ZipFile(file) as archive:
        in_h5 = "model.weights.h5" in archive.namelist()
        data = io.BytesIO(member(archive, "model.weights.h5" if in_h5 else "model.weights.npz"))
    if not in_h5:
        _fill(model, data, skip_mismatch, path)
        return
    weights_h5.h5py_module()
    with _told(path, "file of weights"):
        weights_h5.read_weights(model, data, path, skip_mismatch)


class _Weights:
    """A model without its optimizer, for checkpoints that have none."""

    def __init__(self, model: Any, name: str | None) -> None:
        self.parts = children(model)
        self.name = name

    def _saved_children(self) -> dict[str, object]:
        parts = {k: v for k, v in self.parts.items() if k != "optimizer"}
        return parts if self.name is None else {self.name: _Weights.of(parts)}

    @staticmethod
    def of(parts: dict[str, object]) -> dict[str, object]:
        return parts


def _restore(model: Any, path: str) -> None:
    """Reads a checkpoint of the model, or of something of which it is the part called `model`."""
    inside = any(name.startswith("model/") for name, _ in tf.train.list_variables(path))
    inside = inside and "model" not in children(model)
    status = tf.train.Checkpoint(_Weights(model, "model" if inside else None)).read(path).expect_partial()
    try:
        status.assert_existing_objects_matched()
    except AssertionError as error:
        raise ValueError(
            f"{path!r} does not hold all weights of model {model.name!r}: {error}. A model that was not called yet has "
            "none: build it first."
        ) from None


def _fill(model: Any, file: Any, skip_mismatch: bool, name: str) -> None:
    with _told(name, "NumPy archive of weights"):
        arrays = array_members(file, lambda key: int(key.partition(":")[0]), name)
    weights = model.weights
    if len(arrays) != len(weights) and not skip_mismatch:
        raise ValueError(
            f"{name!r} holds {len(arrays)} weights, but model {model.name!r} has {len(weights)}. A model that was not "
            "called yet has none: build it first."
        )
    for variable, array in zip(weights, arrays):
        if tuple(variable.shape) != array.shape:
            if skip_mismatch:
                continue
            raise ValueError(
                f"weight {getattr(variable, 'path', variable.name)!r} has shape {tuple(variable.shape)}, but {name!r} "
                f"has shape {array.shape} in its place"
            )
        with _told(name, "NumPy archive of weights"):
            try:
                variable.assign(array)
            except ValueError as error:
                raise ValueError(f"{name}: weight {getattr(variable, 'path', variable.name)}: {error}") from None


# --- configurations --------------------------------------------------------------------------------------------------
def to_json(model: Any, **kwargs: Any) -> str:
    """The configuration of a model as JSON, in Keras's words."""
    return json.dumps(_whole_config(model), **kwargs)


def _whole_config(model: Any) -> dict[str, Any]:
    """The configuration of a model with what it was built for and compiled with, as older Kerases read it, too."""
    graph = getattr(model, "_graph", None)
    config = archives.model_config(model, graph)
    shape = _shape_of(model)
    if shape is None and graph is not None and len(graph.flat_inputs) == 1:
        shape = graph.flat_inputs[0].shape
    if shape is not None:
        config["build_config"] = {"input_shape": archives.worded(serialize(shape))}
    whole: dict[str, Any] = archives.for_older({**config, "compile_config": archives.worded(_compiled(model) or {})})
    return whole


def _shape_of(model: Any) -> Any:
    """The shape, or structure of shapes, that a model was built for."""
    shape = getattr(model, "_built_for", None)
    return shape if shape is not None else (model.get_build_config() or {}).get("input_shape")


def model_from_json(json_string: str, custom_objects: Mapping[str, Any] | None = None) -> Any:
    """The model of a configuration that `Model.to_json` gave, here or in Keras 3; its weights begin anew.

    >>> import graphrt as tf
    >>> model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(3)])
    >>> tf.keras.models.model_from_json(model.to_json()).output_shape
    (None, 3)
    """
    with configurable.custom_object_scope(custom_objects or {}), _told("the text", "configuration of a model"):
        told = _json(json_string, "the text")
        if isinstance(told, dict) and "module" in told:
            model = archives.revived(told)
            _compile_as(model, told)
            return model
        return deserialize(_tuples(told), custom_objects)


def _tuples(value: object) -> Any:
    """JSON has no tuples: shapes are turned back."""
    if isinstance(value, dict):
        return {k: tuple(v) if k in ("batch_shape", "target_shape") and v is not None else _tuples(v)
                for k, v in value.items()}  # fmt: skip
    return [_tuples(v) for v in value] if isinstance(value, list) else value


def graph_config(model: Any, graph: LayerGraph) -> dict[str, Any]:
    """The layers of a functional model, and the calls that connect them."""
    places = {id(node): position for position, node in enumerate(graph.nodes)}
    entries = [place_behind(t)[0] for t in graph.flat_inputs]

    def written(value: Any) -> Any:
        if isinstance(value, KerasTensor):
            node, position = place_behind(value)
            where = ["input", next(i for i, e in enumerate(entries) if e is node)] if id(node) not in places else [
                "call", places[id(node)]
            ]  # fmt: skip
            return {"keras_tensor": [*where, position]}
        if isinstance(value, dict):
            return {k: written(v) for k, v in value.items()}
        if isinstance(value, tuple):
            return {"tuple": [written(v) for v in value]}
        return [written(v) for v in value] if isinstance(value, list) else archives.written_leaf(value)

    layers: list[Any] = []
    calls = []
    for node in graph.nodes:
        if all(node.layer is not known for known in layers):
            layers.append(node.layer)
        place = next(i for i, known in enumerate(layers) if known is node.layer)
        of_layer = isinstance(node.layer, Layer)
        args, kwargs = (node.args, node.kwargs) if of_layer else archives.taken_by(node.layer, node)
        calls.append({"layer": place, "args": written(args), "kwargs": written(kwargs)})
    return {
        "name": model.name, "trainable": model.trainable,
        "input_layers": [serialize(e.layer) for e in entries],
        "layers": [
            serialize(layer) if isinstance(layer, Layer) else archives.described_operation(layer, model.name)
            for layer in layers
        ],
        "calls": calls,
        "inputs": written(graph.inputs), "output_layers": written(graph.outputs),
    }  # fmt: skip


def model_of_graph(config: dict[str, Any], custom_objects: Mapping[str, Any] | None = None) -> Any:
    """The functional model of what `graph_config` gave."""
    entries = [calls_of(InputLayer.from_config(c["config"]))[0].outputs for c in config["input_layers"]]
    layers = [
        archives.operation(c) if archives.is_operation(c) else deserialize(c, custom_objects) for c in config["layers"]
    ]
    results: list[list[Any]] = []

    def read(value: Any) -> Any:
        if isinstance(value, dict) and "keras_tensor" in value:
            kind, place, index = value["keras_tensor"]
            return (entries if kind == "input" else results)[place][index]
        if isinstance(value, dict) and set(value) == {"tuple"}:
            return tuple(read(v) for v in value["tuple"])
        if isinstance(value, dict) and str(value.get("class_name")).startswith("__"):
            return archives.plain(value)
        if isinstance(value, dict):
            return {k: read(v) for k, v in value.items()}
        return [read(v) for v in value] if isinstance(value, list) else value

    for call in config["calls"]:
        found = layers[call["layer"]](*read(call["args"]), **read(call["kwargs"]))
        results.append([t for t in structure.flatten(found) if t is not None])
    functional = layer_classes.known("Functional")  # the class that uses this module
    return functional(inputs=read(config["inputs"]), outputs=read(config["output_layers"]), name=config["name"])


# --- models ----------------------------------------------------------------------------------------------------------
def save_model(model: Any, filepath: PathLike, overwrite: bool = True, **kwargs: object) -> None:
    """Writes configuration, weights and what `compile` was told into one file.

    >>> import graphrt as tf
    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "model.keras")
    >>> model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2)])
    >>> tf.keras.models.save_model(model, path)
    >>> again = tf.keras.models.load_model(path)
    >>> bool((again(tf.ones([1, 3])) == model(tf.ones([1, 3]))).numpy().all())
    True

    Raises:
      ValueError: the name does not end in `.keras`.
    """
    errors.expect(model, Layer, "model", "a model or a layer")
    path = _path(filepath, overwrite)
    if not path.endswith(".keras"):
        raise ValueError(f"Invalid filepath extension for saving: {path!r}. Use a name that ends in '.keras'.")
    if weights_h5.is_installed():
        _save_archive(model, path)
        return
    weights = io.BytesIO()
    np.savez(weights, **{name: v.numpy() for name, v in _entries(model).items()})
    shape = _shape_of(model)
    config = {
        "class_name": type(model).__name__, "config": model.get_config(), "build_config": serialize(shape),
        "compile_config": _compiled(model),
    }  # fmt: skip
    with replaced(path) as file, zipfile.ZipFile(file, "w") as archive:
        archive.writestr("config.json", json.dumps(config))
        archive.writestr("model.weights.npz", weights.getvalue())
        if model.optimizer is not None and model.optimizer.built:
            state = io.BytesIO()
            np.savez(state, *model.optimizer.get_weights())
            archive.writestr("optimizer.npz", state.getvalue())


def _save_archive(model: Any, path: str) -> None:
    """The archive that Keras 3 writes."""
    config = _whole_config(model)
    weights = _as_h5(model)
    with replaced(path) as file, zipfile.ZipFile(file, "w") as archive:
        archive.writestr("metadata.json", archives.METADATA)
        archive.writestr("config.json", json.dumps(config))
        archive.writestr("model.weights.h5", weights)


def _compile_as(model: Any, config: Mapping[str, Any]) -> bool:
    """Compiles a model as the one was of which `config` tells, and says whether that was."""
    options = archives.plain(config.get("compile_config"))
    if options:  # Keras writes none, or an empty one, of a model that was not compiled
        options = revived_options(options)
        model.compile(**{k: v for k, v in options.items() if v is not None and k != "auto_scale_loss"})
    return bool(options)


def _load_archive(archive: zipfile.ZipFile, path: str, compile: bool) -> Any:
    config = _json(member(archive, "config.json", PARSED), path)
    with _told(path, "configuration of a model"):
        model = archives.revived(config)
        if compile and _compile_as(model, config):
            if model.optimizer is not None and model.trainable_variables:
                model.optimizer.build(model.trainable_variables)
    with _told(path, "archive of weights"):
        weights_h5.read_weights(model, io.BytesIO(member(archive, "model.weights.h5")), path)
    return model


def _compiled(model: Any) -> Any:
    if not model.compiled:
        return None
    config = {k: serialize(v) for k, v in compile_options(model).items()}
    config["optimizer"] = serialize(model.optimizer)
    return config


class NoSuchModel(FileNotFoundError, ValueError):
    """There is no file of that name: Python's error, and the one that Keras raises."""


def load_model(
    filepath: Any, custom_objects: Mapping[str, Any] | None = None, compile: bool = True, safe_mode: bool = True
) -> Any:
    """The model that `Model.save` wrote.

    >>> import graphrt as tf
    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "model.keras")
    >>> model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2)])
    >>> tf.keras.models.save_model(model, path)
    >>> again = tf.keras.models.load_model(path)
    >>> bool((again(tf.ones([1, 3])) == model(tf.ones([1, 3]))).numpy().all())
    True

    Raises:
      ValueError: a class is not known (`custom_objects` makes it so), the file is damaged, or (FileNotFoundError, too)
        there is none.
    """
    path = _path(filepath, True)
    if not os.path.exists(path):
        raise NoSuchModel(f"File not found: {path!r}. Give the name of a `.keras` file that `Model.save` wrote.")
    if os.path.isdir(path):
        raise ValueError(
            f"File format not supported: {path!r} is a directory. `load_model` reads `.keras` files that `Model.save` "
            "wrote; SavedModels are loaded with tf.saved_model.load."
        )
    with open(path, "rb", opener=regular) as file, _told(path, "archive of a model"), zipfile.ZipFile(file) as archive:
        if "model.weights.h5" in archive.namelist():
            weights_h5.h5py_module()
            with configurable.custom_object_scope(custom_objects or {}):
                return _load_archive(archive, path, compile)
        config = _tuples(_json(member(archive, "config.json", PARSED), path))
        weights = member(archive, "model.weights.npz")
        state = member(archive, "optimizer.npz") if "optimizer.npz" in archive.namelist() else None
    with configurable.custom_object_scope(custom_objects or {}):
        with _told(path, "configuration of a model"):
            model = deserialize(config, custom_objects)
            if not model.built and config.get("build_config") is not None:
                archives.build(model, config["build_config"])
            compiled = config["compile_config"]
        _fill(model, io.BytesIO(weights), False, path)
        if compile and compiled is not None:
            with _told(path, "configuration of a model"):
                model.compile(**revived_options(compiled))
            if state is not None:
                model.optimizer.build(model.trainable_variables)
                with _told(path, "archive of an optimizer"):
                    saved = array_members(io.BytesIO(state), lambda key: int(key.removeprefix("arr_")), path)
                model.optimizer.set_weights(saved)
    return model
