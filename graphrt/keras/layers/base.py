"""`Layer`: weights, and a function of tensors that uses them.

A layer makes its weights when it is first called, in `build`, eagerly even while a function is traced. The function
itself is `call`; AutoGraph converts it where it is traced, so tensors may be used in `if` and `while`.
"""

# long: one class, whose parts (building, calling, tracking, saving) read each other's attributes
from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import Any, Protocol, TypeVar, overload
from typing import cast as typed

import numpy as np

import graphrt as tf
from graphrt import errors
from graphrt.ir.tracebacks import shorten
from graphrt.keras import constraints, initializers, regularizers
from graphrt.keras.calling import call_users
from graphrt.keras.config import standardize_dtype
from graphrt.keras.configurable import Configurable, Identifier, policy, serialize
from graphrt.keras.masks import mask_of, masks_of, set_mask
from graphrt.keras.metrics.base import Metric
from graphrt.keras.names import auto_name, building, path_scope, snake_case
from graphrt.keras.random import SeedGenerator
from graphrt.keras.symbolic import KerasTensor, Node, any_symbolic, traced_spec
from graphrt.keras.variable import Variable
from graphrt.tensor.tensor import Tensor
from graphrt.types import structure
from graphrt.types.likes import DTypeLike, TensorLike
from graphrt.types.nesting import shown
from graphrt.types.shape import TensorShape

__all__ = [
    "InputSpec",
    "Layer",
]

_Given = TypeVar("_Given", covariant=True)


class _Computes(Protocol[_Given]):
    """For type checkers: a call of a layer gives what its `call` says that it gives."""

    @property
    def call(self) -> Callable[..., _Given]: ...


_training: ContextVar[tuple[Any, Any] | None] = ContextVar("graphrt_keras_call", default=None)
"""Of the outermost layer that is being called: itself, and what was said about training."""


class InputSpec:
    """What a layer expects of an input: rank, shape, and the sizes of some axes.

    >>> import graphrt as tf
    >>> tf.keras.layers.InputSpec(min_ndim=2, axes={-1: 3})
    InputSpec(min_ndim=2, axes={-1: 3})
    """

    def __init__(
        self, dtype: DTypeLike | None = None, shape: Sequence[int | None] | TensorShape | None = None,
        ndim: int | None = None, max_ndim: int | None = None, min_ndim: int | None = None,
        axes: dict[int, int | None] | None = None, allow_last_axis_squeeze: bool = False,
        name: str | None = None, optional: bool = False
    ) -> None:  # fmt: skip
        self.dtype = dtype
        self.shape = None if shape is None else tuple(shape)
        self.ndim = len(self.shape) if self.shape is not None else ndim
        self.max_ndim, self.min_ndim = max_ndim, min_ndim
        errors.expect(axes or {}, Mapping, "axes", "a dictionary from axes to sizes")
        self.axes = {int(k): v for k, v in (axes or {}).items()}
        self.allow_last_axis_squeeze, self.name, self.optional = allow_last_axis_squeeze, name, optional

    def __repr__(self) -> str:
        shown = {"shape": self.shape, "ndim": self.ndim, "max_ndim": self.max_ndim, "min_ndim": self.min_ndim}
        parts = [f"{k}={v}" for k, v in shown.items() if v is not None] + ([f"axes={self.axes}"] if self.axes else [])
        return f"InputSpec({', '.join(parts)})"

    def check(self, shape: tuple[int | None, ...], layer: str, position: int) -> None:
        """ValueError, naming the layer, the expected and the found shape, when `shape` does not fit."""

        def refuse(expected: str) -> None:
            raise ValueError(
                f"Input {position} of layer {shown(layer)} is incompatible with the layer: expected {expected}. "
                f"Full shape received: {shape}"
            )

        rank = len(shape)
        if self.ndim is not None and rank != self.ndim and not self.allow_last_axis_squeeze:
            refuse(f"ndim={self.ndim}, found ndim={rank}")
        if self.max_ndim is not None and rank > self.max_ndim:
            refuse(f"max_ndim={self.max_ndim}, found ndim={rank}")
        if self.min_ndim is not None and rank < self.min_ndim:
            refuse(f"min_ndim={self.min_ndim}, found ndim={rank}")
        for axis, size in self.axes.items():
            if size is not None and -rank <= axis < rank and shape[axis] not in (size, None):
                refuse(f"axis {axis} of input shape to have value {size}, but received input with shape {shape}")
        if self.shape is not None and rank == len(self.shape):
            for expected, found in zip(self.shape, shape):
                if expected is not None and found is not None and expected != found:
                    refuse(f"shape={self.shape}, found shape={shape}")


class Layer(tf.Module, Configurable):
    """Base of layers: `build(input_shape)` makes weights with `add_weight`, `call(inputs)` uses them.

    >>> import graphrt as tf
    >>> class Scale(tf.keras.layers.Layer):
    ...     def build(self, input_shape):
    ...         self.scale = self.add_weight(shape=(input_shape[-1],), initializer="ones", name="scale")
    ...     def call(self, x):
    ...         return x * self.scale
    >>> layer = Scale()
    >>> layer(tf.constant([[1.0, 2.0]])).numpy().tolist()
    [[1.0, 2.0]]
    >>> [w.path for w in layer.weights]
    ['scale/scale']

    Raises:
      ValueError: a keyword argument is not known.
    """

    _untracked: frozenset[str] = frozenset(
        ("_given", "_nodes", "_losses", "_functional", "optimizer", "_seen_output", "_weights")
    )
    _TF_MODULE_IGNORED_PROPERTIES = tf.Module._TF_MODULE_IGNORED_PROPERTIES | {"_given", "_nodes", "_losses"}
    built = False
    _stateless = False  # whether there is nothing to make: built from the start, unless a subclass says how to build
    input_spec: Any = None
    _trainable = True
    _takes_lists = False  # whether Python numbers are inputs, too
    _takes_sparse = False  # whether a layer of ours is given sparse tensors as they are; those of the user always are
    _tells_activity = False  # whether a configuration tells of the `activity_regularizer` also where there is none
    _dtype_by_name = False  # whether a configuration has the name of the dtype alone
    _floats = False  # whether integers are cast to the dtype of the layer, too
    _casts_arguments = True  # whether Keras casts what the layer is called with; models leave that to their layers
    _seen_output: Any = None
    _weights: list[Variable] = []

    def __init__(
        self,
        *,
        activity_regularizer: Any = None,
        trainable: bool = True,
        dtype: Any = None,
        autocast: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        shape = kwargs.pop("input_shape", None)
        batch_shape = kwargs.pop("batch_input_shape", kwargs.pop("batch_shape", None))
        size = kwargs.pop("input_dim", None)
        if kwargs:
            raise ValueError(f"Unrecognized keyword arguments passed to {type(self).__name__}: {kwargs}")
        if name is not None and (not isinstance(name, str) or "/" in name):
            raise ValueError(
                f"Argument `name` must be a string and cannot contain character `/`. Received: {shown(name)}"
            )
        self._name = name or auto_name(snake_case(type(self).__name__))
        self._scope_name = self._name
        if not isinstance(trainable, (bool, np.bool_, int)):
            raise ValueError(f"Expected `trainable` to be a boolean. Received: trainable={shown(trainable)}")
        self._trainable = bool(trainable)
        if self._stateless and type(self).build is Layer.build:
            self.built = True
        self.dtype = standardize_dtype(dtype)
        self.autocast = autocast
        self.activity_regularizer = regularizers.get(activity_regularizer)
        if batch_shape is None and (shape is not None or size is not None):
            batch_shape = (None, *(shape if shape is not None else (size,)))
        self._declared_input_shape: Any = batch_shape
        self.supports_masking = type(self).compute_mask is not Layer.compute_mask
        self._weights = []
        self._losses: list[Any] = []
        self._nodes: list[Node] = []

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        if "build" in cls.__dict__:
            cls.build = _finished(cls.build)  # type: ignore[method-assign]

    # --- what subclasses define ---
    def build(self, input_shape: Any) -> None:
        """Makes the weights for inputs of this shape; called before the first call.

        A `build` that calls this one first may call the layer then: it is no longer built on the way.
        """
        self.built = True

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """The function of the layer. A parameter `training` says whether the model is being trained."""
        raise NotImplementedError(f"Layer {type(self).__name__} does not have a `call` method implemented.")

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> Any:
        """The mask of the output, from that of the inputs."""
        return previous_mask

    def compute_output_shape(self, *args: Any, **kwargs: Any) -> Any:
        """The shape of the output for inputs of this shape: `input_shape`, or `<name>_shape` of arguments of `call`."""
        named = {k.removesuffix("_shape"): tensors_of_shapes(v, self.compute_dtype) for k, v in kwargs.items()}
        given = [tensors_of_shapes(a, self.compute_dtype) for a in args]
        if not named.keys() <= _call_parameters(type(self)).keys():  # type: ignore[arg-type]
            given, named = [*given, *named.values()], {}
        outputs = self.compute_output_spec(*given, **named)
        return structure.map_structure(lambda t: t.shape, outputs)

    def compute_output_spec(self, *args: Any, **kwargs: Any) -> Any:
        """What the layer gives for `KerasTensor`s, as `KerasTensor`s; weights are made if there are none yet.

        A layer of the user's that says in `compute_output_shape` what shapes it gives is asked for these, once all in it
        is built.
        """
        said = type(self).compute_output_shape
        if not said.__module__.startswith("graphrt.") and all(layer.built for layer in sublayers_of(self)):
            shapes = self._shapes_said(args, kwargs)
            if shapes is not None:
                return tensors_of_shapes(shapes, self.compute_dtype)
        return traced_spec(self._cast_and_call, args, kwargs)

    def _shapes_said(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What a user's `compute_output_shape` gives; None if it takes something else than these."""
        shapes = [
            structure.map_structure(lambda t: tuple(t.shape), a)
            for a in args
            if all(isinstance(t, KerasTensor) for t in structure.flatten(a))
        ]
        if len(shapes) != len(args) or any(isinstance(t, KerasTensor) for t in structure.flatten(kwargs)):
            return None
        signature = inspect.signature(self.compute_output_shape)
        if any(p.kind is p.VAR_POSITIONAL for p in signature.parameters.values()):
            return None
        try:
            signature.bind(*shapes)
        except TypeError:
            return None
        return self.compute_output_shape(*shapes)

    # --- weights ---
    def add_weight(
        self,
        *args: Any,
        shape: Any = None,
        initializer: Identifier = None,
        dtype: DTypeLike | None = None,
        trainable: bool = True,
        autocast: bool = True,
        regularizer: Identifier = None,
        constraint: Identifier = None,
        aggregation: str = "none",
        overwrite_with_gradient: bool = False,
        name: str | None = None,
    ) -> Variable:
        """A new weight of the layer.

        Without an initializer it begins as `glorot_uniform` if floating, as zeros otherwise.
        """
        for value in args:  # the name or the shape, in either order
            if isinstance(value, str):
                name = value
            else:
                shape = value
        shape = () if shape is None else (shape,) if isinstance(shape, int) else tuple(shape)
        for size in shape:
            if size is not None and not hasattr(size, "__index__"):
                raise ValueError(
                    f"Cannot convert {shown(shape)} to a shape. Found invalid dimension {shown(size)} of type {type(size)} "
                    f"for a weight of layer {self.name!r}."
                )
            if size is None:
                raise ValueError(
                    f"layer {self.name!r} cannot make the weight {name!r} of shape {shape}: all its sizes must be known"
                )
        dtype = tf.as_dtype(dtype or self.dtype)
        initializer = initializers.get(initializer or ("glorot_uniform" if dtype.is_floating else "zeros"))
        with path_scope(self._name):
            made = Variable(
                initializer, shape, dtype, trainable, name=name, regularizer=regularizers.get(regularizer),
                constraint=constraints.get(constraint),
            )  # fmt: skip
        if not self._trainable:
            made.trainable = False
        self._weights.append(made)
        return made

    add_variable = add_weight

    def _tracked(self, kind: type) -> Iterator[Any]:
        """The attributes of a kind, in the order in which they were first set, also those in lists and dictionaries."""
        for key, value in dict(self.__dict__).items():
            if key not in self._untracked:
                yield from _leaves_of(value, kind)

    def _saved_children(self) -> dict[str, object]:
        """What belongs to it in a checkpoint, by the names that it has in those of Keras."""
        names = self.__saved_names__
        return {names.get(k, k): v for k, v in self.__own_attributes__().items() if k not in self._untracked}

    def _flatten_layers(self) -> list[Layer]:
        found: list[Layer] = [self]
        for layer in sublayers_of(self):
            found += layer._flatten_layers()
        return _each_once(found)

    def own_variables(self) -> list[Any]:
        """The variables of this layer itself, trainable ones first."""
        own = _each_once([*self._weights, *self._tracked(tf.Variable)])
        return sorted(own, key=lambda v: not _made_trainable(v))

    @property
    def weights(self) -> list[Variable]:
        """The variables that `get_weights` gives: own ones first, trainable before others, then those of sublayers."""
        own = self.own_variables()
        for layer in sublayers_of(self):
            own += layer.weights
        return _each_once(own)

    @property
    def variables(self) -> list[Variable]:  # type: ignore[override]
        """All variables: `weights`, and the states of seed generators and metrics."""
        own = self.own_variables()
        own += [seeds.state for seeds in self._tracked(SeedGenerator)]
        for layer in sublayers_of(self):
            own += layer.variables
        return _each_once(own)

    @property
    def trainable_weights(self) -> list[Variable]:
        """Those of `weights` that are trained."""
        return [v for v in self.weights if v.trainable] if self._trainable else []

    @property
    def non_trainable_weights(self) -> list[Any]:
        """Those of `weights` that are not trained."""
        return [v for v in self.weights if not v.trainable] if self._trainable else self.weights

    @property
    def trainable_variables(self) -> list[Variable]:  # type: ignore[override]  # of modules, a tuple
        """Those of `variables` that are trained."""
        return [v for v in self.variables if v.trainable] if self._trainable else []

    @property
    def non_trainable_variables(self) -> list[Variable]:  # type: ignore[override]
        """Those of `variables` that are not trained."""
        return [v for v in self.variables if not v.trainable] if self._trainable else self.variables

    @property
    def trainable(self) -> bool:
        """Whether the weights of the layer are trained; setting it sets it for all sublayers."""
        return self._trainable

    @trainable.setter
    def trainable(self, value: bool) -> None:
        value = bool(value)
        self._trainable = value
        for variable in [*self._weights, *self._tracked(Variable)]:
            if isinstance(variable, Variable) and _made_trainable(variable):
                variable.trainable = value
        for layer in sublayers_of(self):
            layer.trainable = value

    def get_weights(self) -> list[np.ndarray]:
        """The values of `weights`, as arrays."""
        return [v.numpy() for v in self.weights]

    def set_weights(self, weights: Any) -> None:
        """Gives `weights` the values of a list of arrays.

        Raises:
          ValueError: there are too many or too few, or one has another shape.
        """
        own = self.weights
        if len(own) != len(weights):
            raise ValueError(
                f"You called `set_weights(weights)` on layer {self.name!r} with a weight list of length "
                f"{len(weights)}, but the layer was expecting {len(own)} weights."
            )
        for variable, value in zip(own, weights):
            if tuple(variable.shape) != tuple(np.shape(value)):
                raise ValueError(
                    f"Layer {self.name!r} weight {shown(getattr(variable, 'path', variable.name))} has shape "
                    f"{tuple(variable.shape)}, which is not compatible with the provided weight of shape "
                    f"{tuple(np.shape(value))}."
                )
        for variable, value in zip(own, [tf.cast(value, v.dtype) for v, value in zip(own, weights)]):  # all, or none
            variable.assign(value)

    def count_params(self) -> int:
        """How many numbers the weights hold.

        Raises:
          ValueError: the layer has no weights yet.
        """
        if not self.built:
            raise ValueError(
                f"You tried to call `count_params` on layer {self.name!r}, but the layer isn't built. "
                "You can build it manually via: `layer.build(input_shape)`."
            )
        return sum(v.shape.num_elements() or 0 for v in self.weights)

    # --- losses ---
    def add_loss(self, loss: Any) -> None:
        """Adds a scalar, or a list of them, to the loss of the model; to be called in `call`."""
        self._losses += [tf.convert_to_tensor(v) for v in structure.flatten(loss)]

    @property
    def losses(self) -> list[Any]:
        """What `add_loss` and activity regularizers added in the last call, and the penalties on weights."""
        found: list[Any] = []
        for layer in self._flatten_layers():
            found += [v for v in layer._losses if tf.inside_function() or not tf.is_symbolic_tensor(v)]
        for variable in self.trainable_weights:
            if getattr(variable, "regularizer", None) is not None:
                found.append(variable.regularizer(variable))
        return found

    def _clear_losses(self) -> None:
        for layer in self._flatten_layers():
            layer._losses = []

    # --- calling ---
    @overload
    def __call__(self: _Computes[_Given], *args: Any, **kwargs: Any) -> _Given: ...
    @overload
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            if "_weights" not in self.__dict__:
                raise RuntimeError(
                    f"In layer {type(self).__name__}, you forgot to call `super().__init__()` as the first statement in "
                    "the `__init__()` method."
                )
            if any_symbolic(args) or any_symbolic(kwargs):
                return self._symbolic_call(args, kwargs)
            if args and args[0] is None and _is_own(self):
                raise ValueError(f"Inputs to a layer should be tensors. Got None as input for layer {self._name!r}.")
            return self._cast_and_call(*args, **kwargs)
        except BaseException as error:
            shorten(error)
            raise

    def _cast_and_call(self, *args: object, **kwargs: object) -> Any:
        args = tuple([self._cast_input(a, position) for position, a in enumerate(args)])
        kwargs = {k: self._cast_input(v, k) for k, v in kwargs.items()}
        return self._call_and_build(*args, **kwargs)

    def _symbolic_call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        kwargs = {k: v for k, v in kwargs.items() if not (k == "training" and v is None)}
        self._build_for(args, kwargs)
        outputs = self.compute_output_spec(*args, **kwargs)
        flat = [t for t in structure.flatten(outputs) if t is not None]
        taken = [t for t in structure.flatten((args, kwargs)) if isinstance(t, KerasTensor)]
        if any(t is output for t in taken for output in flat):  # a step of its own for a layer that gives its input
            outputs = structure.map_structure(lambda t: KerasTensor(t.shape, t.dtype), outputs)
            flat = structure.flatten(outputs)
        mask = masks_of(args[0]) if args else None
        given = mask if kwargs.get("mask") is None else kwargs["mask"]
        if given is not None or _makes_masks(self):
            self._pass_symbolic_mask(args[0] if args else None, flat, given)
        Node(self, args, kwargs, flat, self._masks_counted(args, kwargs, mask))
        self._clear_losses()  # what the trace added belongs to no data
        return outputs

    def _pass_symbolic_mask(self, inputs: Any, outputs: list[Any], mask: Any) -> None:
        """Gives symbolic outputs their masks, as `compute_mask` makes them of symbols."""
        try:
            self._pass_mask(inputs, outputs, mask)
        except (TypeError, ValueError, NotImplementedError):
            if _is_own(self):
                raise  # that of a user may work on tensors alone: it has run on some already

    def _masks_counted(self, args: tuple[Any, ...], kwargs: dict[str, Any], mask: Any) -> list[Any]:
        """The symbolic masks that Keras 3 counts among what this call takes, which checkpoints number operations by.

        These are those that it adds to the keywords of the call: not where it makes a copy of them, to cast arguments.
        """
        if mask is None or "mask" not in _call_parameters(type(self)):  # type: ignore[arg-type]
            return []
        if self._casts_arguments and (kwargs or len(args) != 1 or getattr(args[0], "dtype", "") != self.compute_dtype):
            return []
        return [] if kwargs.get("mask") is not None else [m for m in structure.flatten(mask) if m is not None]

    def _cast_input(self, value: object, place: int | str) -> Any:
        """Arrays become tensors; floats of another dtype are cast to that of the layer."""
        dtype = tf.as_dtype(self.compute_dtype)

        def cast(x: Any) -> Any:
            if isinstance(x, (np.ndarray, np.generic)):
                x = tf.convert_to_tensor(x)
            if isinstance(x, tf.SparseTensor) and _is_own(self) and not self._takes_sparse:
                x = tf.sparse.to_dense(x)
            if (
                isinstance(x, (tf.Tensor, tf.Variable, tf.SparseTensor, tf.RaggedTensor))
                and self.autocast
                and x.dtype.is_floating
            ):
                if x.dtype is dtype:
                    return x
                made = tf.cast(x, dtype)
                if (mask := mask_of(x)) is not None:  # the same steps count, in whatever dtype
                    set_mask(made, mask)
                return made
            if self._floats and place == 0 and isinstance(x, tf.Tensor) and x.dtype.is_integer:
                return tf.cast(x, dtype)
            return x

        if place == 0 and (_is_own(self) or isinstance(value, (list, tuple, dict, int, float))):
            flat = structure.flatten(value)
            other = next((x for x in flat if isinstance(x, (int, float))), None)
            images = self.input_spec is not None and isinstance(value, (list, tuple))
            if self._takes_lists and (other is not None or images):
                return cast(tf.convert_to_tensor(typed(Any, value)))
            if other is None and _is_own(self) and not self._takes_lists:
                other = next((x for x in flat if x is not None and not hasattr(x, "shape")), None)
            if other is not None:
                found = "" if other is value else f"a {type(value).__name__} of "
                raise ValueError(
                    f"Only input tensors may be passed as positional arguments to layer {self.name!r}, found {found}"
                    f"{type(other).__name__}. Make it a tensor first: `tf.constant(...)`."
                )
        if isinstance(value, (list, tuple, dict)):
            return structure.map_structure(cast, value)
        return cast(value)

    def _call_and_build(
        self, *args: object, **kwargs: object
    ) -> Tensor | list[Tensor] | tuple[Tensor, list[Tensor | list[Any]]]:
        outer = _training.get()
        parameters = _call_parameters(type(self))  # type: ignore[arg-type]
        said = kwargs.pop("training", None)
        if said is None and outer is not None:
            said = outer[1]
        if "training" in parameters and not _given_by_position("training", parameters, args):
            default = parameters["training"].default
            said = default if said is None and default is not inspect.Parameter.empty else said
            kwargs["training"] = said
        mask = masks_of(args[0]) if args else None
        if "mask" in parameters and kwargs.get("mask") is None and mask is not None and _only_first(args, kwargs):
            kwargs["mask"] = mask
        if kwargs.get("mask") is not None:
            mask = kwargs["mask"]  # one that is given goes on, too
        if not _is_own(self):
            for name, value in [*zip(parameters, args), *kwargs.items()]:
                own = f"{name}_mask"
                if own in parameters and kwargs.get(own) is None and list(parameters).index(own) >= len(args):
                    kwargs = {**kwargs, own: masks_of(value)}
        token = _training.set((outer[0] if outer is not None else self, said))
        if outer is None:
            self._clear_losses()
        try:
            with tf.name_scope(_scope_of(self._name)), path_scope(self._name):
                self._build_for(args, kwargs)
                outputs = self._run_call(args, kwargs)
            if self._seen_output is None:
                self._seen_output = structure.map_structure(lambda t: getattr(t, "shape", None), outputs)
        finally:
            _training.reset(token)
        if self.activity_regularizer is not None:
            for output in structure.flatten(outputs):
                share = tf.cast(tf.maximum(tf.shape(output)[0], 1), output.dtype)  # nothing costs nothing
                self._losses.append(self.activity_regularizer(output) / share)
        if mask is not None or _makes_masks(self):
            self._pass_mask(args[0] if args else None, outputs, mask)
        return outputs

    def _run_call(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Tensor | list[Tensor] | tuple[Tensor, list[Tensor | list[Any]]]:
        try:
            return call_users(self.call, *args, **kwargs)
        except Exception as error:
            if not getattr(error, "_told_layer", False):
                shapes = structure.map_structure(lambda t: getattr(t, "shape", t), list(args))
                error.add_note(f"in layer {self._name!r} ({type(self).__name__}), called with inputs of shape "
                               f"{', '.join(map(str, shapes))}")  # fmt: skip
                try:
                    error._told_layer = True  # type: ignore[attr-defined]
                except AttributeError:
                    pass
            raise

    def _pass_mask(self, inputs: Any, outputs: TensorLike, mask: Any) -> None:
        if not self.supports_masking:
            return
        found = self.compute_mask(inputs, mask)
        if found is None:
            return
        flat = structure.flatten(outputs)
        masks = found if isinstance(found, (list, tuple)) and len(found) == len(flat) else [found]
        for output, one in zip(flat, masks):
            set_mask(output, one)

    def _build_for(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if not self.built:
            with building:
                if not self.built:
                    self._build_once(args, kwargs)
        self._check_inputs(args)

    def _build_once(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        for name, parameter in [*_call_parameters(type(self)).items()][len(args) :]:  # type: ignore[arg-type]
            if parameter.default is parameter.empty and name not in kwargs:
                raise TypeError(errors.at_user_line(f"layer {self._name!r} was called without {name!r}"))
        self._check_inputs(args)  # what `__init__` knows, before `build` takes the shapes apart
        with tf.init_scope(), path_scope(self._name):
            shapes = self._shapes_for_build(args, kwargs)
            self.build(**shapes)
        self.built = True

    def _shapes_for_build(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """The arguments of `build`: `input_shape`, or `<name>_shape` of arguments of `call` where it asks for them."""
        wanted = list(inspect.signature(self.build).parameters.values())
        wanted = [p for p in wanted if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
        named = {**dict(zip(_call_parameters(type(self)), args)), **kwargs}  # type: ignore[arg-type]
        shapes: dict[str, Any] = {}
        for position, parameter in enumerate(wanted):
            source = parameter.name.removesuffix("_shape")
            if parameter.name.endswith("_shape") and source in named:
                value = named[source]
            elif position == 0 and args:
                value = args[0]
            elif position == 0 and kwargs:
                value = next(iter(kwargs.values()))
            else:
                continue
            if value is None and parameter.default is not parameter.empty:
                continue
            shapes[parameter.name] = _shape_of(value)
        return shapes

    def _check_inputs(self, args: tuple[Any, ...]) -> None:
        if self.input_spec is None or not args:
            return
        specs = self.input_spec if isinstance(self.input_spec, (list, tuple)) else [self.input_spec]
        inputs = structure.flatten(args[0]) if len(specs) > 1 or isinstance(args[0], (list, tuple, dict)) else [args[0]]
        if len(inputs) != len(specs):
            raise ValueError(
                f"Layer {self.name!r} expects {len(specs)} input(s), but it received {len(inputs)} input tensors. "
                f"Inputs received: {inputs}"
            )
        if specs[0] is self.input_spec and isinstance(args[0], (list, tuple, dict)) and _is_own(self):
            raise ValueError(
                f"Layer {self.name!r} takes a tensor, but was called with a {type(args[0]).__name__} that holds one: "
                "call it with what it holds"
            )
        for position, (spec, value) in enumerate(zip(specs, inputs)):
            dims = getattr(value, "shape", None)
            if spec is not None and dims is not None and tf.TensorShape(dims).rank is not None:
                spec.check(tuple(tf.TensorShape(dims).as_list()), self._name, position)

    # --- what it is ---
    @property
    def name(self) -> str:
        """The name that was given, or one made of the class's name."""
        return self._name

    @property
    def path(self) -> str:
        """The name: layers do not know what holds them."""
        return self._name

    @property
    def compute_dtype(self) -> str:
        """The dtype in which it computes."""
        return self.dtype

    @property
    def variable_dtype(self) -> str:
        """The dtype of its weights."""
        return self.dtype

    @property
    def dtype_policy(self) -> str:
        """The dtype of weights and computations."""
        return self.dtype

    def own_metrics(self) -> list[Any]:
        """The metrics among its attributes, without those of sublayers."""
        return list(self._tracked(Metric))

    @property
    def metrics(self) -> list[Any]:
        """The metrics among the attributes, and those of sublayers."""
        found = self.own_metrics()
        for layer in sublayers_of(self):
            found += layer.metrics
        return _each_once(found)

    @property
    def metrics_variables(self) -> list[Any]:
        """The variables of `metrics`."""
        return [v for metric in self.metrics for v in metric.variables]

    @property
    def input(self) -> Any:
        """The symbolic input of the call that put the layer into a model."""
        return _only(self._only_node("input").inputs)

    @property
    def output(self) -> Any:
        """The symbolic output of the call that put the layer into a model."""
        return _only(self._only_node("output").outputs)

    def _only_node(self, what: str) -> Node:
        if not self._nodes:
            raise AttributeError(
                f"The layer {self.name!r} has never been called on symbolic inputs and thus has no defined {what}."
            )
        return self._nodes[0]

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an equal layer: name, trainable, dtype, and those of the constructor."""
        dtype = self.dtype if self._dtype_by_name else policy(self.dtype)
        config: dict[str, Any] = {"name": self._name, "trainable": self._trainable, "dtype": dtype}
        if self.activity_regularizer is not None or self._tells_activity:
            config["activity_regularizer"] = serialize(self.activity_regularizer)
        taken = inspect.signature(type(self).__init__).parameters
        config.update(
            {k: v for k, v in super().get_config().items() if k not in config and (k not in _DECLARED or k in taken)}
        )
        if not any(p.kind is p.VAR_KEYWORD for p in taken.values()):  # a constructor that takes no more than it names
            config = {k: v for k, v in config.items() if k in taken}
        return config

    def get_build_config(self) -> dict[str, Any] | None:
        """The shape that the layer was built for, if it takes one input."""
        shape = getattr(self, "_built_for", None)
        asked = [p for p in inspect.signature(self.build).parameters.values() if p.default is p.empty]
        return None if shape is None or len(asked) > 1 else {"input_shape": shape}

    def __repr__(self) -> str:
        return f"<{type(self).__name__} name={self._name}, built={self.built}>"


# what a layer is told about its input, which is no part of it
_DECLARED = frozenset({"batch_input_shape", "batch_shape", "input_dim", "input_shape"})


# --- helpers ---------------------------------------------------------------------------------------------------------
def _finished(build: Callable[..., Any]) -> Callable[..., Any]:
    """`build`, in the layer's path and outside of the graph being traced; marks the layer as built."""

    @functools.wraps(build)
    def in_path(
        self: Any, *args: list[tuple[int, ...]] | tuple[int | None, ...],
        **kwargs: list[tuple[int, ...] | tuple[int, ...] | tuple[int, ...]] | tuple[int | None, ...]
    ) -> None:  # fmt: skip
        name = self.__dict__.get("_name", "")
        with tf.init_scope(), path_scope(name):
            result = build(self, *args, **kwargs)
        self.built = True
        if args or kwargs:
            self._built_for = args[0] if args else next(iter(kwargs.values()))
        return result

    return in_path


@functools.lru_cache(maxsize=256)  # classes of the user's may go
def _call_parameters(cls: Any) -> dict[str, inspect.Parameter]:
    found = list(inspect.signature(cls.call).parameters.values())[1:]
    return {p.name: p for p in found if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)}


def _given_by_position(name: str, parameters: dict[str, Any], args: tuple[Any, ...]) -> bool:
    return list(parameters).index(name) < len(args)


def _only_first(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether the first argument is the only one of tensors: then a mask that it has is meant by `mask`."""
    return not any(isinstance(t, (tf.Tensor, tf.Variable)) for t in structure.flatten((args[1:], kwargs)))


def _is_own(layer: Layer) -> bool:
    return type(layer).__module__.startswith("graphrt.keras.layers")


def _makes_masks(layer: Layer) -> bool:
    return type(layer).compute_mask is not Layer.compute_mask


def _scope_of(name: str) -> str:
    return name.replace(" ", "_") if name.isascii() else ""


def layers_in(layer: Layer) -> list[Layer]:
    """The layers that a layer is made of, at any depth."""
    return layer._flatten_layers()[1:]


def sublayers_of(layer: Layer) -> list[Layer]:
    """The layers among the attributes of a layer, and in their lists and dictionaries."""
    return _each_once(layer._tracked(Layer))


def declared_input_shape(layer: Layer) -> Any:
    """The shape with the batch that `input_shape` or `batch_input_shape` gave to the layer; None without."""
    return layer._declared_input_shape


def _shape_of(value: TensorLike) -> Any:
    """The shape of a tensor as a tuple; of a structure, the structure of shapes."""
    if isinstance(value, (list, tuple)):
        return [_shape_of(v) for v in value]
    if isinstance(value, dict):
        return {k: _shape_of(v) for k, v in value.items()}
    shape = getattr(value, "shape", None)
    if shape is None:
        return None
    shape = tf.TensorShape(shape)
    return None if shape.rank is None else tuple(shape.as_list())


def tensors_of_shapes(shapes: Any, dtype: str) -> Any:
    """Symbolic tensors of these shapes, in the structure that they have."""
    if isinstance(shapes, dict):
        return {k: tensors_of_shapes(v, dtype) for k, v in shapes.items()}
    if isinstance(shapes, (list, tuple)) and any(isinstance(s, (list, tuple, dict, tf.TensorShape)) for s in shapes):
        found = [tensors_of_shapes(s, dtype) for s in shapes]
        return tuple(found) if isinstance(shapes, tuple) else found
    return KerasTensor(shapes, dtype)


def _leaves_of(value: object, kind: type) -> Iterator[Any]:
    waiting, seen = [value], set()
    while waiting:  # no recursion: structures may be deep, or hold themselves
        part = waiting.pop()
        if isinstance(part, kind):
            yield part
        elif isinstance(part, (list, tuple, dict)) and id(part) not in seen:
            seen.add(id(part))
            inner = part.values() if isinstance(part, dict) else part
            waiting.extend(reversed(list(inner)))


def _each_once(values: Iterator[Any] | list[Any]) -> list[Any]:
    return list({id(v): v for v in values}.values())


def _made_trainable(variable: Variable) -> bool:
    """Whether it was made to be trained; a frozen layer keeps the order of its weights."""
    return bool(getattr(variable, "_made_trainable", variable.trainable))


def _only(values: list[Any]) -> Any:
    return values[0] if len(values) == 1 else values
