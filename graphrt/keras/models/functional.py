"""Models put together of symbolic tensors: `Model(inputs, outputs)`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import graphrt as tf
from graphrt.keras.layers.base import Layer
from graphrt.keras.layers.core import InputLayer
from graphrt.keras.masks import mask_of, set_mask
from graphrt.keras.symbolic import KerasTensor, Node, call_behind, place_behind, substitute
from graphrt.tensor.tensor import Tensor
from graphrt.types import structure
from graphrt.types.likes import TensorLike
from graphrt.types.nesting import shown


class LayerGraph:
    """The calls of layers between symbolic inputs and outputs, in an order in which they can run.

    `layers` are what it calls, and `operations` these together with what makes the masks that they take, as Keras 3
    counts them.
    """

    def __init__(self, inputs: Any, outputs: Any) -> None:
        self.inputs, self.outputs = inputs, outputs
        self.flat_inputs: list[KerasTensor] = structure.flatten(inputs)
        self.flat_outputs: list[KerasTensor] = structure.flatten(outputs)
        for name, tensors in (("inputs", self.flat_inputs), ("outputs", self.flat_outputs)):
            for tensor in tensors:
                if not isinstance(tensor, KerasTensor):
                    raise ValueError(
                        f"All `{name}` values must be KerasTensors, made with `keras.Input` and layers. Received: "
                        f"a value of type {type(tensor).__name__}"
                    )
        self.nodes = self._ordered()
        self.operations = self._by_depth(with_masks=True) or self._by_depth(with_masks=False) or []
        run = {id(node.layer) for node in self.nodes} | {id(n.layer) for t in self.flat_inputs if (n := call_behind(t))}
        self.layers = [layer for layer in self.operations if id(layer) in run]

    def _ordered(self) -> list[Node]:
        """The nodes, each after those it takes from."""
        begins = {id(t) for t in self.flat_inputs}

        def behind(tensors: list[KerasTensor]) -> list[Node]:
            nodes = [place_behind(t)[0] for t in tensors if id(t) not in begins]
            for tensor, node in zip((t for t in tensors if id(t) not in begins), nodes):
                if isinstance(node.layer, InputLayer):
                    raise ValueError(
                        f"The outputs depend on the input {tensor.name!r}, which is not among the `inputs` of the model."
                    )
            return nodes

        return _walked(behind(self.flat_outputs), lambda node: behind(node.inputs))[1]

    def _by_depth(self, with_masks: bool) -> list[Any] | None:
        """The layers and operations by their distance from the outputs; None where masks come from elsewhere.

        Of those at one distance, that comes first which is met first on the way from the outputs. A layer that is
        called more than once stands at its greatest distance.
        """
        begins = {id(node): node for t in self.flat_inputs if (node := call_behind(t)) is not None}

        def makers(node: Node) -> list[Node]:
            return [] if id(node) in begins else _makers(node, with_masks)

        met_nodes, found = _walked([node for t in self.flat_outputs if (node := call_behind(t)) is not None], makers)
        if any(isinstance(node.layer, InputLayer) and id(node) not in begins for node in found):
            return None
        met: dict[int, int] = {}  # the layers, by when they were met
        for node in met_nodes:
            met.setdefault(id(node.layer), len(met))
        depth: dict[int, int] = {}
        of_layer: dict[int, tuple[int, Any]] = {}
        for node in reversed(found):
            mine = max(depth.get(id(node), 0), of_layer.get(id(node.layer), (0, None))[0])
            of_layer[id(node.layer)] = mine, node.layer
            for maker in makers(node):
                depth[id(maker)] = max(depth.get(id(maker), 0), mine + 1)
        for node in begins.values():  # inputs that nothing takes come first among the last
            of_layer.setdefault(id(node.layer), (0, node.layer))
        order = sorted(of_layer, key=lambda k: (-of_layer[k][0], met.get(k, -1)))
        return [of_layer[k][1] for k in order]

    def run(self, given: list[Any], training: Any) -> Tensor:
        """The outputs for tensors in the place of the inputs."""
        values: dict[int, Any] = {id(t): v for t, v in zip(self.flat_inputs, given)}
        for node in self.nodes:
            args, kwargs = substitute((node.args, node.kwargs), lambda t: values[id(t)])
            if isinstance(node.layer, Layer):
                if training is not None and "training" not in kwargs:
                    kwargs["training"] = training
                result = node.layer(*args, **kwargs)
            else:
                result = node.layer(*args, **kwargs)
            for symbol, value in zip(node.outputs, [t for t in structure.flatten(result) if t is not None]):
                values[id(symbol)] = value
        return substitute(self.outputs, lambda t: values[id(t)])

    def arrange(self, inputs: TensorLike) -> list[Any]:
        """What a caller gave, as a tensor for each input: by name, by position, cast and checked.

        Raises:
          ValueError: there are too few or too many, or a shape does not fit.
        """
        names = [name_of(t) for t in self.flat_inputs]
        if isinstance(inputs, dict) and not isinstance(self.inputs, dict):
            missing = [n for n in names if n not in inputs]
            if missing:
                raise ValueError(f"Missing data for input {shown(missing[0])}. You passed a data dictionary with keys "
                                 f"{list(inputs)}. Expected the following keys: {names}")  # fmt: skip
            flat = [inputs[n] for n in names]
        elif isinstance(inputs, dict):
            flat = (
                [inputs[k] for k in sorted(self.inputs)] if set(self.inputs) <= set(inputs) else list(inputs.values())
            )
        else:
            flat = list(structure.flatten(inputs)) if isinstance(inputs, (list, tuple)) else [inputs]
        if len(flat) != len(self.flat_inputs):
            raise ValueError(
                f"the model expects {len(self.flat_inputs)} input(s), named {names}, but it received {len(flat)}"
            )
        return [_fitting(v, t, n) for v, t, n in zip(flat, self.flat_inputs, names)]


def _walked(starts: list[Node], makers: Callable[[Node], list[Node]]) -> tuple[list[Node], list[Node]]:
    """The calls on the way from `starts` to what made what they take: as they are met, and each after its makers."""
    met: dict[int, Node] = {}
    found: list[Node] = []
    stack = [(node, False) for node in reversed(starts)]
    while stack:
        node, done = stack.pop()
        if done:
            found.append(node)
        elif id(node) not in met:
            met[id(node)] = node
            stack.append((node, True))
            stack += [(maker, False) for maker in reversed(makers(node))]
    return list(met.values()), found


def _makers(node: Node, with_masks: bool) -> list[Node]:
    """The calls that gave what a call takes."""
    taken = [*node.inputs, *node.masks] if with_masks else node.inputs
    return [maker for t in taken if (maker := call_behind(t)) is not None]


def name_of(tensor: KerasTensor) -> str:
    """The name of the layer that gave a symbolic tensor; its own, if none did."""
    maker = call_behind(tensor)
    return tensor.name if maker is None else maker.layer.name


def adapted(value: Any, symbol: KerasTensor) -> Any:
    """The tensor in the dtype of the symbolic one, with a last axis of size 1 put in or taken away if it has one."""
    if isinstance(value, tf.SparseTensor) and not symbol.sparse:
        value = tf.sparse.to_dense(value)
    if isinstance(value, tf.SparseTensor):  # the layers that take it know what to do
        return value if value.dtype.name == symbol.dtype else tf.cast(value, symbol.dtype)
    mask = mask_of(value)
    tensor = tf.convert_to_tensor(value)
    expected = symbol.shape
    found = tensor.shape
    if found.rank is not None and found.rank == len(expected) - 1 and expected[-1] == 1:
        tensor = tf.expand_dims(tensor, -1)
    elif found.rank is not None and found.rank == len(expected) + 1 and found[-1] == 1:
        tensor = tf.squeeze(tensor, -1)
    if tensor.dtype.name != symbol.dtype:
        tensor = tf.cast(tensor, symbol.dtype)
    if mask is not None:
        set_mask(tensor, mask)
    return tensor


def _fitting(value: TensorLike | None, symbol: KerasTensor, name: str) -> Any:
    if value is None:
        maker = call_behind(symbol)
        if maker is not None and getattr(maker.layer, "optional", False):
            return None
        raise ValueError(f"The input {name!r} is not optional, but None was passed: give a tensor.")
    tensor = adapted(value, symbol)
    expected, found = symbol.shape, tensor.shape
    fits = found.rank is None or (found.rank == len(expected) and all(
        a is None or b is None or a == b for a, b in zip(found.as_list(), expected)
    ))  # fmt: skip
    if not fits:
        raise ValueError(
            f"Input {name!r} of the model is incompatible with it: expected shape={tuple(expected)}, found "
            f"shape={tuple(found)}"
        )
    return tensor
