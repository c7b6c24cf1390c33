"""`Model` and `Functional`: layers that can be trained, saved and summarized."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any, Self

import graphrt as tf
from graphrt.keras.layers.base import InputSpec, Layer, sublayers_of, tensors_of_shapes
from graphrt.keras.layers.core import InputLayer
from graphrt.keras.models import saving
from graphrt.keras.models.functional import LayerGraph, name_of
from graphrt.keras.models.summary import print_summary
from graphrt.keras.models.training import Trainer
from graphrt.keras.symbolic import KerasTensor, call_behind, calls_of
from graphrt.types import structure
from graphrt.types.likes import PathLike, ShapeLike


def _overridden_at_will(method: Callable[..., Any]) -> Callable[..., Any]:
    """Tells type checkers that a subclass's method may have whatever parameters it likes."""
    return method


def _is_data(value: object) -> bool:
    flat = structure.flatten(value)
    return bool(flat) and all(isinstance(t, (tf.Tensor, tf.RaggedTensor, tf.SparseTensor)) for t in flat)


def _batch_spec(value: Any) -> Any:
    """The spec of batches of any size of what `value` is one of."""
    dims = value.shape if value.shape.rank in (None, 0) else [None, *value.shape[1:]]
    if isinstance(value, tf.RaggedTensor):
        return tf.RaggedTensorSpec(dims, value.dtype, value.ragged_rank, value.row_splits.dtype)
    return (tf.SparseTensorSpec if isinstance(value, tf.SparseTensor) else tf.TensorSpec)(dims, value.dtype)


def _tree_of(variables: list[Any], value_format: str) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for variable in variables:
        *parents, last = variable.path.split("/")
        place = tree
        for name in parents:
            place = place.setdefault(name, {})
        if last in place:
            raise ValueError(
                f"The following variable path is found twice in the model: '{variable.path}'. `get_state_tree()` can "
                "only be called when all variable paths are unique. Make sure to give unique names to your layers."
            )
        place[last] = variable.numpy() if value_format == "numpy_array" else tf.convert_to_tensor(variable)
    return tree


def _leaves_of_tree(tree: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in tree.items():
        if isinstance(value, Mapping):
            yield from _leaves_of_tree(value, f"{path}{name}/")
        else:
            yield f"{path}{name}", value


def _as_spec(value: object) -> object:
    if isinstance(value, (InputSpec, KerasTensor)):
        return tf.TensorSpec(value.shape, value.dtype or tf.float32, value.name)
    return value


class Model(Trainer):
    """A trainable layer made of layers: subclass it and write `call`, or give `inputs` and `outputs`.

    >>> import graphrt as tf
    >>> class Net(tf.keras.Model):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.hidden = tf.keras.layers.Dense(4, activation="relu")
    ...         self.out = tf.keras.layers.Dense(1)
    ...     def call(self, x):
    ...         return self.out(self.hidden(x))
    >>> net = Net()
    >>> net(tf.ones([2, 3])).shape, len(net.trainable_variables)
    (TensorShape([2, 1]), 4)
    >>> x = tf.keras.Input((3,))
    >>> tf.keras.Model(inputs=x, outputs=tf.keras.layers.Dense(1)(x)).count_params()
    4
    """

    _graph: LayerGraph | None = None
    _seen_input: list[Any] | None = None  # the specs of what it was first called with
    _casts_arguments = False
    _untracked = Trainer._untracked | {"_graph", "_seen_input"}

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        if cls is Model and (len(args) >= 2 or "outputs" in kwargs):
            return super().__new__(Functional, *args, **kwargs)  # type: ignore[return-value]
        return super().__new__(cls, *args, **kwargs)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        inputs = kwargs.pop("inputs", None)
        outputs = kwargs.pop("outputs", None)
        if len(args) >= 2:
            inputs, outputs, args = args[0], args[1], args[2:]
        super().__init__(*args, **kwargs)
        if outputs is not None:
            self._graph = LayerGraph(inputs, outputs)
            self._graph_layers = self._graph.layers
            self.built = True

    @_overridden_at_will
    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        """The outputs for `inputs`; to be written in subclasses."""
        if self._graph is None:
            raise NotImplementedError(f"Model {type(self).__name__} does not have a `call()` method implemented.")
        return self._graph.run(self._graph.arrange(inputs), training)

    def build(self, input_shape: Any) -> None:
        """Makes all weights, for inputs of this shape (or a list, or a dictionary of shapes)."""
        if self._graph is not None:
            return
        if type(self).call is not Model.call and input_shape is not None:
            before, self.built = self.built, True  # a `build` of the user's may have called this one: not again
            try:
                self.compute_output_spec(tensors_of_shapes(_as_shape(input_shape), self.compute_dtype))
            except BaseException:
                self.built = before
                raise

    def _build_for(self, args: Any, kwargs: dict[Any, Any]) -> None:
        if type(self).build is Model.build:
            self.built = True  # the layers make their weights when they are called
        super()._build_for(args, kwargs)

    def _call_and_build(self, *args: object, **kwargs: object) -> Any:
        found = super()._call_and_build(*args, **kwargs)
        if self._seen_input is None and self._graph is None:
            self._seen_input = [structure.map_structure(_batch_spec, a) for a in takewhile(_is_data, args)]
        return found

    def get_build_config(self) -> dict[str, Any] | None:
        """The shapes that the model was built for, or was called with first."""
        seen = self._seen_input if self._graph is None and getattr(self, "_built_for", None) is None else None
        if seen is None or len(seen) != 1 or any(s.shape.rank is None for s in structure.flatten(seen)):
            return super().get_build_config()
        return {"input_shape": structure.map_structure(lambda spec: tuple(spec.shape.as_list()), seen[0])}

    # --- its parts ---
    @property
    def layers(self) -> list[Layer]:
        """The layers it is directly made of."""
        if self._graph is not None:
            extra = [layer for layer in sublayers_of(self) if all(layer is not known for known in self._graph.layers)]
            return [layer for layer in self._graph.layers if isinstance(layer, Layer)] + extra
        return sublayers_of(self)

    def get_layer(self, name: str | None = None, index: int | None = None) -> Layer:
        """The layer of this name, or at this place.

        Raises:
          ValueError: there is none, or not just one of the arguments is given.
        """
        if (name is None) == (index is None):
            raise ValueError("Provide either a layer name or layer index at `get_layer`.")
        if index is not None:
            if not -len(self.layers) <= index < len(self.layers):
                raise ValueError(f"Was asked to retrieve layer at index {index} but model only has {len(self.layers)} "
                                 "layers.")  # fmt: skip
            return self.layers[index]
        for layer in self.layers:
            if layer.name == name:
                return layer
        raise ValueError(f"No such layer: {name}. Existing layers are: {[layer.name for layer in self.layers]}.")

    def _need_graph(self) -> LayerGraph:
        if self._graph is None:
            raise AttributeError(f"{type(self).__name__} {self.name!r} has no symbolic inputs and outputs: it was not "
                                 "made of `keras.Input`.")  # fmt: skip
        return self._graph

    @property
    def inputs(self) -> list[Any]:
        """The symbolic inputs."""
        return self._need_graph().flat_inputs

    @property
    def outputs(self) -> list[Any]:
        """The symbolic outputs."""
        return self._need_graph().flat_outputs

    @property
    def input(self) -> Any:
        """The symbolic input, or the structure of inputs."""
        return self._need_graph().inputs

    @property
    def output(self) -> Any:
        """The symbolic output, or the structure of outputs."""
        return self._need_graph().outputs

    @property
    def input_shape(self) -> Any:
        """The shape of the input, or the shapes."""
        return structure.map_structure(lambda t: t.shape, self._need_graph().inputs)

    @property
    def output_shape(self) -> Any:
        """The shape of the output, or the shapes."""
        return structure.map_structure(lambda t: t.shape, self._need_graph().outputs)

    @property
    def input_names(self) -> list[str]:
        """The names of the inputs."""
        return [name_of(t) for t in self._need_graph().flat_inputs if call_behind(t) is not None]

    @property
    def output_names(self) -> list[str] | None:
        """The names of the layers that give the outputs; None without symbolic outputs."""
        return None if self._graph is None else [name_of(t) for t in self._graph.flat_outputs]

    @property
    def graph(self) -> LayerGraph | None:
        """The calls of its layers, where these are known."""
        return self._graph

    def default_signature(self) -> Any:
        """The function by which a server calls the model, once its inputs are known; None before."""
        if self._graph is None:
            return None
        specs = [tf.TensorSpec(t.shape, t.dtype) for t in self._graph.flat_inputs]
        wanted = structure.pack_like(self._graph.inputs, specs)

        @tf.function(input_signature=[wanted])
        def serving_default(inputs: Any) -> Any:
            return self(inputs)

        return serving_default.get_concrete_function()

    # --- text and files ---
    def _saved_children(self) -> dict[str, object]:
        found = super()._saved_children()
        if self._graph is not None:
            found = {k: v for k, v in found.items() if k not in ("_graph_layers", "_layers")}
            found = {**self._saved_graph(self._graph.operations), **found}
        if self.optimizer is not None:
            found["optimizer"] = self.optimizer
        return found

    def _saved_graph(self, layers: list[Any]) -> dict[str, object]:
        return {"_operations": layers}

    def summary(
        self, line_length: int | None = None, positions: Any = None, print_fn: Any = None,
        expand_nested: bool = False, show_trainable: bool = False, layer_range: Any = None,
    ) -> None:  # fmt: skip
        """Prints a table of the layers, their outputs' shapes and the numbers of their weights."""
        print_summary(self, line_length, print_fn, expand_nested, show_trainable)

    def save_weights(
        self, filepath: PathLike, overwrite: bool = True, max_shard_size: object = None,
        objects_to_skip: Sequence[object] | None = None,
    ) -> None:  # fmt: skip
        """Writes the weights: as Keras 3 does (`.weights.h5`), as a NumPy archive (`.npz`), or else as a checkpoint.

        Files of HDF5 need the package h5py (`pip install 'graphrt[h5]'`); from them `objects_to_skip` (layers) are left
        out.
        """
        saving.save_weights(self, filepath, overwrite, objects_to_skip)

    def load_weights(
        self, filepath: PathLike, skip_mismatch: bool = False, objects_to_skip: Sequence[object] | None = None,
        **kwargs: object,
    ) -> None:  # fmt: skip
        """Reads the weights that `save_weights` wrote; those of `objects_to_skip` (layers) stay.

        Raises:
          ValueError: their number or shapes differ, and `skip_mismatch` is False.
        """
        saving.load_weights(self, filepath, skip_mismatch, objects_to_skip)

    def get_state_tree(self, value_format: str = "backend_tensor") -> dict[str, Any]:
        """The values of all variables by the parts of their paths, in four dictionaries.

        `value_format` is 'backend_tensor' or 'numpy_array'.

        >>> import graphrt as tf
        >>> model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1, name="out")], name="net")
        >>> model.compile("sgd", "mse")
        >>> list(model.get_state_tree()["trainable_variables"]["net"]["out"])
        ['kernel', 'bias']

        Raises:
          ValueError: two variables have one path, or the format is not known.
        """
        if value_format not in ("backend_tensor", "numpy_array"):
            raise ValueError(
                "Invalid `value_format` argument. Expected one of {'numpy_array', 'backend_tensor'}. Received: "
                f"value_format={value_format}"
            )
        return {kind: _tree_of(variables, value_format) for kind, variables in self._variables_by_kind().items()}

    def set_state_tree(self, state_tree: Mapping[str, Any]) -> None:
        """Gives variables the values of a tree like that of `get_state_tree`; what it leaves out stays.

        Raises:
          ValueError: a key is none of the four, or no variable has such a path.
        """
        kinds = self._variables_by_kind()
        if not isinstance(state_tree, Mapping):
            raise ValueError(f"`state_tree` must be a dictionary such as `get_state_tree` gives, found {state_tree!r}")
        for kind, tree in state_tree.items():
            if kind not in kinds:
                raise ValueError(f"Unknown variable name: {kind}. The names are {list(kinds)}.")
            variables = {variable.path: variable for variable in kinds[kind]}
            for path, value in _leaves_of_tree(tree):
                if path not in variables:
                    raise ValueError(f"There is no variable {path!r} among {kind}: they are {list(variables)}.")
                variables[path].assign(value)

    def _variables_by_kind(self) -> dict[str, list[Any]]:
        return {
            "trainable_variables": self.trainable_variables, "non_trainable_variables": self.non_trainable_variables,
            "optimizer_variables": self.optimizer.variables if self.optimizer is not None else [],
            "metrics_variables": self.metrics_variables,
        }  # fmt: skip

    def save(self, filepath: PathLike, overwrite: bool = True, zipped: Any = None, **kwargs: object) -> None:
        """Writes the configuration and the weights into one file (`.keras`), for `keras.models.load_model`."""
        saving.save_model(self, filepath, overwrite)

    def export(
        self, filepath: PathLike, format: str = "tf_saved_model", verbose: object = None, input_signature: Any = None,
        **kwargs: object,
    ) -> None:  # fmt: skip
        """Writes a SavedModel whose function `serve`, which stands among the signatures too, runs the model.

        `input_signature` are the specs of what `serve` takes; by default the inputs of the model, under their names, or
        what it was first called with, in batches of any size. What is loaded has the `variables`, those that are
        trained, and the others, as lists.

        >>> import graphrt as tf, os, tempfile
        >>> model = tf.keras.Sequential([tf.keras.layers.Input((2,)), tf.keras.layers.Dense(3)])
        >>> path = os.path.join(tempfile.mkdtemp(), "model")
        >>> model.export(path)
        >>> tf.saved_model.load(path).serve(tf.ones([4, 2])).shape
        TensorShape([4, 3])

        Raises:
          ValueError: the format is none of a SavedModel, or it is not known what the model takes.
        """
        if format != "tf_saved_model":
            raise ValueError(f"models are exported as 'tf_saved_model', not {format!r}: for ONNX see graphrt.export")
        specs = self._seen_input if input_signature is None else structure.map_structure(_as_spec, input_signature)
        if specs is None and self._graph is not None:
            flat = [tf.TensorSpec(t.shape, t.dtype, t.name) for t in self._graph.flat_inputs]
            specs = [structure.pack_like(self._graph.inputs, flat)]
        if not specs:
            raise ValueError(
                f"what {self.name!r} takes is not known: it was never called on tensors. Call it once, or say what it "
                "takes: input_signature=[tf.TensorSpec(...)]"
            )

        @tf.function(input_signature=specs)
        def serve(*args: Any) -> Any:
            return self(*args)

        concrete = serve.get_concrete_function()
        tf.saved_model.save(_Exported(self, serve), filepath, {"serve": concrete, "serving_default": concrete})

    def to_json(self, **kwargs: Any) -> str:
        """The configuration as JSON, for `keras.models.model_from_json`."""
        return saving.to_json(self, **kwargs)

    def get_config(self) -> dict[str, Any]:
        """What `from_config` makes an equal model of, without weights."""
        if self._graph is not None and type(self) is Functional:
            return saving.graph_config(self, self._graph)
        return super().get_config()

    @classmethod
    def from_config(cls, config: Any, custom_objects: Any = None) -> Any:
        """The model that `get_config` described.

        Raises:
          TypeError: the configuration does not fit the constructor.
        """
        if "layers" in config and "output_layers" in config:
            return saving.model_of_graph(config, custom_objects)
        try:
            return cls(**config)
        except TypeError as error:
            raise TypeError(
                f"Unable to revive model from config. When overriding `get_config()`, make sure that the returned "
                f"config contains all items used as arguments in the constructor of {cls}. Error: {error}"
            ) from error


class Functional(Model):
    """A model put together of symbolic tensors: what `Model(inputs, outputs)` gives.

    >>> import graphrt as tf
    >>> x = tf.keras.Input((3,))
    >>> type(tf.keras.Model(x, x * 2.0)).__name__
    'Functional'
    """

    def _cast_input(self, value: object, place: int | str) -> Any:
        return value  # each input has a dtype of its own


class _Exported(tf.Module):
    """What `export` writes: the model with its function, and its variables in lists."""

    def __init__(self, model: Model, serve: Any) -> None:
        super().__init__()
        self.model, self.serve = model, serve

    def _saved_children(self) -> dict[str, object]:
        kinds = ("variables", "trainable_variables", "non_trainable_variables")
        return {"model": self.model, "serve": self.serve, **{k: list(getattr(self.model, k)) for k in kinds}}


def as_model_input(value: object) -> Any:
    """The symbolic tensor of an `Input`, or of an `InputLayer`; None for anything else."""
    if isinstance(value, InputLayer):
        return calls_of(value)[0].outputs[0]
    return value if isinstance(value, KerasTensor) else None


def _as_shape(shape: ShapeLike) -> Any:
    if isinstance(shape, tf.TensorShape):
        return tuple(shape.as_list())
    return shape
