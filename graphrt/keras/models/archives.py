"""`.keras` archives as Keras 3 writes and reads them: configurations that name modules, and weights in HDF5.

    metadata.json       the version
    config.json         {"module": "keras.layers", "class_name": "Dense", "config": {...}, "registered_name": null}
    model.weights.h5    see `weights_h5`

Reading makes objects of classes that are known here, by name. Nothing in an archive is executed.
"""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Iterator, Mapping
from types import FunctionType
from typing import Any

import numpy as np

import graphrt as tf
from graphrt.keras import layer_classes, ops
from graphrt.keras.configurable import described, serialize
from graphrt.keras.layers.base import Layer
from graphrt.keras.layers.core import InputLayer
from graphrt.keras.models.functional import LayerGraph
from graphrt.keras.names import snake_case
from graphrt.keras.symbolic import FunctionLayer, KerasTensor, Node, apply_symbolically, calls_of, item, place_behind
from graphrt.types import structure
from graphrt.types.nesting import shown

__all__ = [
    "METADATA",
    "described_operation",
    "for_older",
    "is_operation",
    "model_config",
    "operation",
    "revived",
    "taken_by",
    "written_leaf",
]

METADATA = json.dumps({"keras_version": "3.12.0", "date_saved": "2026-01-01@00:00:00"})
# what Keras says of layers that makes no difference here
# functions of `keras.ops` that Keras has classes of the same name for: by module, and by how many arguments calls take
_OPERATIONS = {
    ("numpy", 1): """
        absolute abs all angle any amax amin arccos arccosh arcsin arcsinh arctan arctanh argmax argmin argsort broadcast_to
        cbrt ceil clip concatenate conj copy cos cosh count_nonzero cumprod cumsum diag diagonal diff exp exp2 expand_dims
        expm1 flip floor hstack imag isfinite isinf isnan log log10 log1p log2 logical_not max median min moveaxis
        nan_to_num ones_like zeros_like prod ravel real reciprocal repeat reshape roll round sign sin sinh sort split stack
        std swapaxes tan tanh tile trace tril triu trunc vstack negative square sqrt squeeze transpose mean var sum
    """,
    ("numpy", 2): """
        add append arctan2 cross digitize dot equal greater greater_equal less less_equal logaddexp logical_and logical_or
        matmul maximum minimum mod not_equal outer take take_along_axis tensordot vdot inner subtract multiply divide
        divide_no_nan true_divide power floor_divide logical_xor
    """,
    ("numpy", 3): "where",
    ("nn", 1): """
        relu relu6 sigmoid softplus softsign silu log_sigmoid leaky_relu hard_sigmoid hard_silu elu selu gelu celu glu
        softmax log_softmax max_pool average_pool one_hot moments normalize
    """,
    ("nn", 2): "conv",
    ("math", 1): "top_k logsumexp rsqrt erf",
    ("core", 1): "stop_gradient unstack cast",
    ("linalg", 1): "cholesky det inv norm",
    ("numpy", 0): "einsum",
}  # fmt: skip
_LEADING = {"einsum": ("subscripts",)}  # options that stand before the tensors of a call
_CALLED = {name: place for place, names in _OPERATIONS.items() for name in names.split()}
_NEW = {
    "quantization_config": None, "renorm": False, "renorm_clipping": None, "use_gate": False, "sliding_window": None,
}  # fmt: skip
_UNTOLD = frozenset(["quantization_config", "renorm_momentum", "renorm_clipping", "synchronized", "build_input_shape"])


# --- writing ---------------------------------------------------------------------------------------------------------
def model_config(model: Any, graph: LayerGraph | None) -> dict[str, Any]:
    """The configuration of a model in Keras's words."""
    kind = type(model).__name__
    if kind == "Functional" and graph is not None:
        return described(model, _graph_config(model, graph))
    if kind == "Sequential":
        config = model.get_config()
        entries = [layer for layer in graph.layers if isinstance(layer, InputLayer)] if graph is not None else []
        config["layers"] = [_of_layer(layer) for layer in (*entries, *model.layers)]
        return described(model, config)
    return described(model, worded(model.get_config()))


def for_older(value: Any) -> Any:
    """A configuration without what only the newest Kerases know, where it says nothing."""
    if isinstance(value, dict):
        new = {k for k, nothing in _NEW.items() if k in value and value[k] == nothing}
        new |= {"renorm_momentum"} if "renorm" in new else set()
        return {k: for_older(v) for k, v in value.items() if k not in new}
    return [for_older(v) for v in value] if isinstance(value, list) else value


def worded(value: Any) -> Any:
    """A configuration of this library, of `compile` say, as JSON has it: without tuples."""
    if isinstance(value, dict):
        return {k: worded(v) for k, v in value.items()}
    return [worded(v) for v in value] if isinstance(value, (list, tuple)) else value


def _of_layer(layer: Any) -> dict[str, Any]:
    graph = getattr(layer, "_graph", None)
    if type(layer).__name__ in ("Sequential", "Functional"):
        return model_config(layer, graph)
    found: dict[str, Any] = worded(serialize(layer))
    build = layer.get_build_config() if layer.built else None
    return {**found, "build_config": worded(build)} if build else found


def described_operation(step: FunctionLayer, model: str) -> dict[str, object]:
    """An operation as Keras describes it, or as the file that it came from did.

    Raises:
      ValueError: Keras has none such.
    """
    if step.described is not None:
        return dict(step.described)
    place = _CALLED.get(step.label)
    if place is None or inspect.unwrap(getattr(ops, step.label)) is not inspect.unwrap(step.function):
        raise ValueError(
            f"model {shown(model)} cannot be written down: it applies the operation {step.name!r} to symbolic "
            "tensors. Use a layer for it (keras.layers.Add, Rescaling, Lambda, ...)."
        )
    module, _ = place
    kind = "".join(map(str.capitalize, step.label.split("_")))
    options = {k: _named(v) for k, v in _parts(step)[1].items()}
    return {
        "module": f"keras.src.ops.{module}", "class_name": kind, "config": {"name": step.name, **worded(options)},
        "registered_name": kind,
    }  # fmt: skip


def written_leaf(value: object) -> object:
    """What stands among the arguments of a call and is no symbolic tensor."""
    if isinstance(value, slice):
        return {"class_name": "__slice__", "config": {"start": value.start, "stop": value.stop, "step": value.step}}
    if value is ...:
        return {"class_name": "__ellipsis__", "config": {}}
    if isinstance(value, (np.ndarray, tf.Tensor, tf.Variable)):
        array = np.asarray(value)
        kind = "__numpy__" if isinstance(value, np.ndarray) else "__tensor__"
        return {"class_name": kind, "config": {"value": array.tolist(), "dtype": array.dtype.name}}
    return worded(serialize(value))


def taken_by(step: FunctionLayer, node: Node) -> tuple[tuple[object, ...], dict[str, object]]:
    """The arguments of the call of an operation, without those that describe it."""
    if step.described is not None:
        return node.args, node.kwargs
    return _parts(step)[0], {}


def _parts(step: FunctionLayer) -> tuple[tuple[object, ...], dict[str, object]]:
    """What a call takes, and the options that describe the operation."""
    given = _given(step)
    if step.label in _LEADING:
        (node,) = calls_of(step)
        count = len(_LEADING[step.label])
        return node.args[count:], dict(list(given.items())[:count])
    count = _CALLED[step.label][1]
    return tuple(list(given.values())[:count]), dict(list(given.items())[count:])


def _given(step: FunctionLayer) -> dict[str, object]:
    """The arguments of the one call of a function of `keras.ops`, by name."""
    (node,) = calls_of(step)
    signature = inspect.signature(step.function)
    found = signature.bind(*node.args, **node.kwargs).arguments
    needed = list(signature.parameters)[: _CALLED[step.label][1]]
    return {
        **{k: found.get(k, signature.parameters[k].default) for k in needed},
        **{k: v for k, v in found.items() if k not in needed},
    }


def _named(value: object) -> object:
    if isinstance(value, tf.DType):
        return value.name
    return value.tolist() if isinstance(value, np.ndarray) else value


def _graph_config(model: Any, graph: LayerGraph) -> dict[str, Any]:
    """The layers with the calls that were made of them, each call by the tensors that it takes."""
    entries = [place_behind(t)[0] for t in graph.flat_inputs]
    places: dict[int, tuple[str, int]] = {}
    calls: dict[int, list[Any]] = {}
    for node in (*entries, *graph.nodes):
        of_layer = calls.setdefault(id(node.layer), [])
        places[id(node)] = node.layer.name, len(of_layer)
        of_layer.append(node)

    def history(tensor: KerasTensor) -> list[Any]:
        node, position = place_behind(tensor)
        return [*places[id(node)], position]

    def written(value: Any) -> Any:
        if isinstance(value, KerasTensor):
            told = {"shape": list(value.shape), "dtype": value.dtype, "keras_history": history(value)}
            return {"class_name": "__keras_tensor__", "config": serialize(told)}
        if isinstance(value, dict):
            return {k: written(v) for k, v in value.items()}
        return [written(v) for v in value] if isinstance(value, (list, tuple)) else written_leaf(value)

    layers = []
    for layer in graph.layers:
        described = _of_layer(layer) if isinstance(layer, Layer) else described_operation(layer, model.name)
        nodes = []
        for node in () if isinstance(layer, InputLayer) else calls[id(layer)]:
            args, kwargs = (node.args, node.kwargs) if isinstance(layer, Layer) else taken_by(layer, node)
            nodes.append({"args": [written(a) for a in args], "kwargs": written(kwargs)})
        layers.append({**described, "name": layer.name, "inbound_nodes": nodes})
    return {
        "name": model.name, "trainable": model.trainable, "layers": layers,
        "input_layers": structure.map_structure(history, graph.inputs),
        "output_layers": structure.map_structure(history, graph.outputs),
    }  # fmt: skip


# --- reading ---------------------------------------------------------------------------------------------------------
def revived(config: Mapping[str, Any]) -> Any:
    """The layer or model of a configuration that Keras wrote.

    Raises:
      ValueError: a class is not known here, or takes something that is not known here.
    """
    kind, told = config["class_name"], config["config"]
    if is_operation(config):
        return operation(config)
    if kind == "Sequential":
        layers = layer_classes.shared_by_name(revived(c) for c in told["layers"])
        made = layer_classes.known(kind)(layers, name=told.get("name"))
    elif "input_layers" in told and "output_layers" in told:
        made = _revived_graph(told)
    else:
        cls = layer_classes.known(kind)
        made = cls.from_config(_known_options(cls, {k: plain(v) for k, v in told.items()}))
    if told.get("trainable") is False:
        made.trainable = False
    shape = (config.get("build_config") or {}).get("input_shape")
    if any(isinstance(s, int) and s < 0 for s in shape or ()):
        raise ValueError(f"sizes that a layer is built for must not be negative, found {shape!r:.200} for {kind!r}")
    if shape is not None and not made.built:
        build(made, shape)
    return made


def build(made: Any, shape: Any) -> None:
    """Builds a layer or model for the shape of its inputs, or for a structure of shapes, which models know."""
    if isinstance(shape, (list, tuple)) and not any(isinstance(s, (list, tuple, dict)) for s in shape):
        made.build(tuple(shape))
    elif hasattr(made, "_seen_input"):
        made.build(_as_shapes(shape))


def _as_shapes(shape: Any) -> Any:
    if isinstance(shape, dict):
        return {name: _as_shapes(s) for name, s in shape.items()}
    if not isinstance(shape, (list, tuple)):
        raise ValueError(f"a model is built for a shape or a structure of shapes, found {shape!r:.200}")
    if any(isinstance(s, (list, tuple, dict)) for s in shape):
        return [_as_shapes(s) for s in shape]
    return tuple(shape)


def is_operation(config: Mapping[str, Any]) -> bool:
    """Whether the configuration is that of a function of `keras.ops`."""
    return str(config.get("module")).startswith("keras.src.ops.")


def operation(config: Mapping[str, Any]) -> Any:
    """The function of `keras.ops` for an operation that stands among the layers of a graph (`NotEqual`, of a mask)."""
    name = snake_case(config["class_name"])
    function = item if name == "get_item" else getattr(ops, name, None)
    if not isinstance(function, FunctionType):
        raise ValueError(f"operation {config['class_name']!r} is not known: keras.ops has no function {name!r} here")
    told = {k: plain(v) for k, v in config["config"].items() if k != "name"}
    described = {k: v for k, v in config.items() if k not in ("name", "inbound_nodes")}
    leading = [told.pop(k) for k in _LEADING.get(name, ()) if k in told]
    on_tensors = functools.partial(function, *leading, **told)
    return lambda *args, **kwargs: apply_symbolically(on_tensors, name, args, kwargs, described)


def _known_options(cls: Any, told: dict[str, Any]) -> dict[str, Any]:
    takes = set(inspect.signature(cls).parameters) | {"name", "trainable", "dtype"}
    if any(
        p.kind is p.VAR_KEYWORD for p in inspect.signature(cls).parameters.values()
    ) and not cls.__module__.startswith("graphrt."):
        return told
    unknown = [k for k, v in told.items() if k not in takes and k not in _UNTOLD and v not in (None, False)]
    if unknown:
        raise ValueError(
            f"{cls.__name__} does not take {shown(unknown[0])} here, which the file sets to {shown(told[unknown[0]])}"
        )
    return {k: tuple(v) if k in ("batch_shape", "target_shape") and v is not None else v
            for k, v in told.items() if k in takes}  # fmt: skip


def plain(value: Any) -> Any:
    """A configuration of Keras in the words of this library."""
    if isinstance(value, list):
        return [plain(v) for v in value]
    if not isinstance(value, dict):
        return value
    kind = value.get("class_name")
    if kind == "__slice__":
        return slice(*(value["config"][k] for k in ("start", "stop", "step")))
    if kind == "__ellipsis__":
        return ...
    if kind in ("__numpy__", "__tensor__"):
        found = np.array(value["config"]["value"], tf.as_dtype(value["config"]["dtype"]).as_numpy_dtype)
        return found if kind == "__numpy__" else tf.constant(found)
    if kind == "__tuple__":
        return tuple(plain(v) for v in value["items"])
    if kind == "__lambda__":
        raise ValueError("the file holds Python code (a Lambda), which is not executed")
    if kind == "DTypePolicy":
        return value["config"]["name"]
    if kind == "function":
        return value["config"]
    if kind is not None and "config" in value:
        told = value["config"]
        if isinstance(told, dict):
            told = {k: v for k, v in told.items() if k not in _UNTOLD or v not in (None, False)}
        return {"class_name": kind, "config": plain(told)}
    return {k: plain(v) for k, v in value.items()}


def _revived_graph(told: Mapping[str, Any]) -> Any:
    layers = {c["name"]: revived(c) for c in told["layers"]}
    results: dict[tuple[str, int], list[Any]] = {}
    waiting: list[tuple[str, int, Any]] = []
    for config in told["layers"]:
        layer = layers[config["name"]]
        if isinstance(layer, InputLayer):
            results[config["name"], 0] = calls_of(layer)[0].outputs
        waiting += [(config["name"], i, node) for i, node in enumerate(config["inbound_nodes"])]
    while waiting:
        left = [entry for entry in waiting if not _run(entry, layers, results)]
        if len(left) == len(waiting):
            raise ValueError(f"the calls of layer {shown(left[0][0])} take tensors that nothing gives")
        waiting = left

    def read(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: read(v) for k, v in value.items()}
        if len(value) == 3 and isinstance(value[0], str):
            return results[value[0], value[1]][value[2]]
        return [read(v) for v in value]

    functional = layer_classes.known("Functional")  # the class that uses this module
    return functional(inputs=read(told["input_layers"]), outputs=read(told["output_layers"]), name=told.get("name"))


def _run(entry: tuple[str, int, Any], layers: dict[str, Any], results: dict[tuple[str, int], list[Any]]) -> bool:
    """Calls a layer once more, when all that it takes is there."""
    name, index, node = entry
    taken = [tuple(h[:2]) for h in _histories(node)]
    if any(t not in results for t in taken) or (index and (name, index - 1) not in results):
        return False

    def read(value: Any) -> Any:
        if isinstance(value, dict) and value.get("class_name") == "__keras_tensor__":
            maker, at, position = value["config"]["keras_history"]
            return results[maker, at][position]
        if isinstance(value, dict) and value.get("class_name") == "__tuple__":
            return tuple(read(v) for v in value["items"])
        if isinstance(value, dict) and "class_name" not in value:
            return {k: read(v) for k, v in value.items()}
        return [read(v) for v in value] if isinstance(value, list) else plain(value)

    kwargs = {k: read(v) for k, v in node["kwargs"].items() if v is not None and k != "training"}
    found = layers[name](*(read(a) for a in node["args"]), **kwargs)
    results[name, index] = [t for t in structure.flatten(found) if t is not None]
    return True


def _histories(value: Any) -> Iterator[list[Any]]:
    if isinstance(value, dict):
        if value.get("class_name") == "__keras_tensor__":
            yield value["config"]["keras_history"]
        else:
            for part in value.values():
                yield from _histories(part)
    elif isinstance(value, list):
        for part in value:
            yield from _histories(part)
