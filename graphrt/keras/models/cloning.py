"""`keras.models.clone_model`: a model of the same layers, or of what a function makes of each, with weights of its own."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from graphrt import errors
from graphrt.keras.layers.base import Layer
from graphrt.keras.layers.core import Input, InputLayer
from graphrt.keras.metrics.base import Metric
from graphrt.keras.models.functional import LayerGraph, name_of
from graphrt.keras.models.model import Functional, Model
from graphrt.keras.models.sequential import Sequential
from graphrt.keras.models.training import compile_options
from graphrt.keras.symbolic import KerasTensor, apply_symbolically, call_behind, substitute
from graphrt.types import structure
from graphrt.types.nesting import shown


def clone_model(
    model: Any, input_tensors: object = None, clone_function: Callable[[Any], Layer] | None = None,
    call_function: Callable[..., object] | None = None, recursive: bool = False,
) -> Any:  # fmt: skip
    """A model of the same layers with weights of its own, compiled as `model` is.

    `clone_function` is given each layer (not those of inputs) and gives the one to be used in its place;
    `call_function(layer, *args, **kwargs)` calls that one, where it is to be called otherwise than by itself;
    `input_tensors` are symbolic tensors in the place of the inputs; with `recursive`, models among the layers are cloned
    layer by layer, too.

    >>> import graphrt as tf
    >>> model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(3)])
    >>> tf.keras.models.clone_model(model).output_shape
    (None, 3)
    >>> def wider(layer):
    ...     return tf.keras.layers.Dense(2 * layer.units)
    >>> tf.keras.models.clone_model(model, clone_function=wider).output_shape
    (None, 6)

    Raises:
      TypeError: `model` is no layer.
      ValueError: functions or tensors are given for a model that is neither functional nor sequential, a `call_function`
        for a sequential one, or tensors that are not symbolic or too many.
    """
    errors.expect(model, Layer, "model", "a tf.keras.Model")
    given = {"input_tensors": input_tensors, "clone_function": clone_function, "call_function": call_function}
    if recursive or any(v is not None for v in given.values()):
        cloned: Any = _layer_by_layer(model, given, recursive)
    else:
        cloned = _again(model)
    if isinstance(model, Model) and model.compiled and not cloned.compiled:
        options = structure.map_structure(lambda v: _again(v) if isinstance(v, Metric) else v, compile_options(model))
        cloned.compile(**{**options, "optimizer": model.optimizer and _again(model.optimizer)})
    return cloned


def _again(value: Any) -> Any:
    return type(value).from_config(value.get_config())


def _layer_by_layer(model: Layer, given: dict[str, Any], recursive: bool) -> Layer:
    make: Callable[[Layer], Layer] = given["clone_function"] or _again
    call = given["call_function"]

    def clone(layer: Layer) -> Layer:
        if recursive and isinstance(layer, Sequential):
            return clone_model(layer, clone_function=given["clone_function"], recursive=True)
        if recursive and isinstance(layer, Model) and layer.graph is not None:
            return clone_model(layer, None, given["clone_function"], call, recursive=True)
        return make(layer)

    if isinstance(model, Sequential):
        if call is not None:
            raise ValueError(
                "`call_function` is for functional models: the layers of a Sequential model are only listed."
            )
        entries = _entries(model.graph, given["input_tensors"]) if model.graph is not None else []
        return Sequential([*entries, *map(clone, model.layers)], name=model.name)
    graph = getattr(model, "graph", None)
    if graph is None:
        named = ", ".join(f"`{k}`" for k, v in given.items() if v is not None) or "`recursive`"
        raise ValueError(f"{named}: only for Functional and Sequential models, found a model of type {type(model)}")
    inputs = _entries(graph, given["input_tensors"])
    outputs = _called(graph, inputs, clone, call or (lambda layer, *args, **kwargs: layer(*args, **kwargs)))
    takes = inspect.signature(type(model).__init__).parameters
    cls = type(model) if {"inputs", "outputs"} <= set(takes) else Functional
    return cls(inputs=structure.pack_like(graph.inputs, inputs), outputs=outputs, name=model.name)


def _entries(graph: LayerGraph, tensors: object) -> list[KerasTensor]:
    """Symbolic tensors in the place of the inputs: those given, or new ones of the same names."""
    if tensors is None:
        return [_input_like(symbol) for symbol in graph.flat_inputs]
    found = structure.flatten(tensors)
    if len(found) != len(graph.flat_inputs):
        raise ValueError(
            f"`input_tensors` must have the structure of the inputs of the model: {len(graph.flat_inputs)} tensors, found "
            f"{len(found)}."
        )
    for tensor in found:
        if not isinstance(tensor, KerasTensor):
            raise ValueError(f"All entries of `input_tensors` must be KerasTensors. Received: {shown(tensor)}")
    return found


def _input_like(symbol: KerasTensor) -> KerasTensor:
    maker = call_behind(symbol)
    if maker is not None and isinstance(maker.layer, InputLayer):
        return InputLayer.from_config(maker.layer.get_config()).output
    return Input(batch_shape=symbol.shape, dtype=symbol.dtype, name=name_of(symbol))


def _called(
    graph: LayerGraph, inputs: list[KerasTensor], clone: Callable[[Layer], Layer], call: Callable[..., object]
) -> object:  # fmt: skip
    """The outputs of the calls of a graph, made again with the clones of its layers."""
    values: dict[int, Any] = {id(symbol): tensor for symbol, tensor in zip(graph.flat_inputs, inputs)}
    clones: dict[int, Layer] = {}
    for node in graph.nodes:
        args, kwargs = substitute((node.args, node.kwargs), lambda t: values[id(t)])
        if isinstance(node.layer, Layer):
            if id(node.layer) not in clones:
                clones[id(node.layer)] = clone(node.layer)
            found = call(clones[id(node.layer)], *args, **kwargs)
        else:  # an operator, or a function of `keras.ops`
            found = apply_symbolically(node.layer.function, node.layer.label, args, kwargs, node.layer.described)
        values.update(zip(map(id, node.outputs), (t for t in structure.flatten(found) if t is not None)))
    return substitute(graph.outputs, lambda t: values[id(t)])
