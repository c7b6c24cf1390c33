"""Dense layers, embeddings, and layers around functions."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self, Unpack

import graphrt as tf
from graphrt import errors
from graphrt.keras import activations, constraints, initializers, ops, regularizers
from graphrt.keras.calling import call_users
from graphrt.keras.configurable import Identifier, described_function, function_of
from graphrt.keras.layer_classes import deserialize
from graphrt.keras.layers.base import InputSpec, Layer
from graphrt.keras.layers.options import BaseOptions, LayerOptions
from graphrt.keras.layers.windows import whole
from graphrt.keras.symbolic import KerasTensor, Node
from graphrt.tensor.tensor import Tensor
from graphrt.types.likes import DTypeLike, ShapeLike, TensorLike
from graphrt.types.nesting import said, shown

if TYPE_CHECKING:
    pass

__all__ = [
    "Dense",
    "EinsumDense",
    "Embedding",
    "Identity",
    "Input",
    "InputLayer",
    "Lambda",
    "Masking",
    "Wrapper",
]


def positive(value: int, name: str, layer: str = "") -> Any:
    """`value` as Python's integer, or a ValueError when it is no positive one."""
    value = whole(value)
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise ValueError(
            f"Received an invalid value for `{name}`, expected a positive integer. Received: {name}={said(value)}"
        )
    return value


def not_quantized(config: object, layer: str) -> None:
    """Refuses a `quantization_config` other than None, which configurations of Keras hold."""
    if config is not None:
        raise ValueError(
            f"layer {shown(layer)} cannot be quantized: `quantization_config` must be None, found {shown(config)}"
        )


class InputLayer(Layer):
    """The place where data enters a model.

    >>> import graphrt as tf
    >>> tf.keras.layers.InputLayer((3,)).output.shape
    (None, 3)
    """

    def __init__(
        self, shape: Any = None, batch_size: int | None = None, dtype: Any = None, sparse: Any = None,
        ragged: Any = None, batch_shape: Any = None, input_tensor: Any = None, optional: bool = False,
        name: str | None = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(name=name)
        shape, batch_shape = (
            kwargs.pop("input_shape", shape),
            kwargs.pop("batch_input_shape", batch_shape),
        )  # of Keras 2
        if kwargs:
            raise ValueError(f"Unrecognized keyword arguments passed to {type(self).__name__}: {kwargs}")
        for other, value in (("shape", shape), ("batch_size", batch_size)):
            if value is not None and batch_shape is not None:
                raise ValueError(f"You cannot pass both `{other}` and `batch_shape` at the same time.")
        if sparse and ragged:
            raise ValueError("An input cannot be sparse and ragged at the same time: `sparse=True` and `ragged=True`.")
        if input_tensor is not None:
            errors.expect(input_tensor, KerasTensor, "input_tensor", "a tensor that tf.keras.Input made")
            batch_shape, dtype = _of_tensor(input_tensor, shape, batch_shape, dtype)
        if batch_shape is None:
            if shape is None:
                raise ValueError("You must pass a `shape` argument.")
            shape = (shape,) if isinstance(shape, int) else shape
            batch_shape = (batch_size, *shape)
        self.batch_shape = tuple(batch_shape)
        self.dtype = tf.as_dtype(dtype or self.dtype).name
        self.sparse, self.ragged, self.optional = bool(sparse), bool(ragged), optional
        output = input_tensor
        if output is None:
            output = KerasTensor(self.batch_shape, self.dtype, self.sparse, self.ragged, name=name)
        Node(self, (), {}, [output])
        self.built = True

    def call(self) -> None:
        """Does nothing: the layer only marks where data enters a model."""

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an equal layer."""
        return {
            "batch_shape": self.batch_shape, "dtype": self.dtype, "sparse": self.sparse, "ragged": self.ragged,
            "name": self.name, "optional": self.optional,
        }  # fmt: skip


def _of_tensor(tensor: KerasTensor, shape: Any, batch_shape: Any, dtype: Any) -> tuple[Any, Any]:
    """Shape and dtype of the tensor that is to be the input, which must be those that are said, too."""
    said = batch_shape if shape is None else (tensor.shape[0], *((shape,) if isinstance(shape, int) else shape))
    for name, given, known in (("shape", said, tuple(tensor.shape)), ("dtype", dtype, tensor.dtype)):
        if given is not None and (tuple(given) if name == "shape" else tf.as_dtype(given)) != known:
            raise ValueError(f"`input_tensor` has the {name} {known}, which is not that of the argument: {given}")
    return tuple(tensor.shape), tensor.dtype


def Input(
    shape: ShapeLike = None, batch_size: int | None = None, dtype: DTypeLike | None = None, sparse: Any = None,
    ragged: Any = None, batch_shape: ShapeLike = None, name: str | None = None, tensor: Any = None,
    optional: bool = False
) -> Any:  # fmt: skip
    """A symbolic tensor of this shape (without the batch), from which a model is put together.

    >>> import graphrt as tf
    >>> x = tf.keras.Input((4,))
    >>> model = tf.keras.Model(x, tf.keras.layers.Dense(1)(x))
    >>> model(tf.ones([2, 4])).shape
    TensorShape([2, 1])
    """
    return InputLayer(shape, batch_size, dtype, sparse, ragged, batch_shape, tensor, optional, name).output


class Dense(Layer):
    """`activation(inputs @ kernel + bias)`, on the last axis.

    >>> import graphrt as tf
    >>> layer = tf.keras.layers.Dense(2, activation="relu")
    >>> layer(tf.ones([4, 3])).shape, [tuple(w.shape) for w in layer.weights]
    (TensorShape([4, 2]), [(3, 2), (2,)])

    Raises:
      ValueError: `units` is no positive integer; the input has fewer than two axes, or another last one than before.
    """

    _floats = True
    __saved_names__ = MappingProxyType({"kernel": "_kernel"})
    _takes_sparse = True
    _told_if_other = frozenset({"activity_regularizer"})

    def __init__(
        self,
        units: int,
        activation: Identifier = None,
        use_bias: bool = True,
        kernel_initializer: Identifier = "glorot_uniform",
        bias_initializer: Identifier = "zeros",
        kernel_regularizer: Identifier = None,
        bias_regularizer: Identifier = None,
        activity_regularizer: Identifier = None,
        kernel_constraint: Identifier = None,
        bias_constraint: Identifier = None,
        quantization_config: None = None,
        **kwargs: Unpack[BaseOptions],
    ) -> None:
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        not_quantized(quantization_config, self.name)
        self.units = positive(units, "units")
        self.activation = activations.get(activation)
        self.use_bias = use_bias
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.kernel_constraint = constraints.get(kernel_constraint)
        self.bias_constraint = constraints.get(bias_constraint)
        self.input_spec = InputSpec(min_ndim=2)
        self.supports_masking = True

    def build(self, input_shape: Any) -> None:
        """Makes `kernel` (inputs, units) and `bias` (units)."""
        self.kernel = self.add_weight(
            name="kernel", shape=(input_shape[-1], self.units), initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer, constraint=self.kernel_constraint,
        )  # fmt: skip
        self.bias = None
        if self.use_bias:
            self.bias = self.add_weight(
                name="bias", shape=(self.units,), initializer=self.bias_initializer,
                regularizer=self.bias_regularizer, constraint=self.bias_constraint,
            )  # fmt: skip
        self.input_spec = InputSpec(min_ndim=2, axes={-1: input_shape[-1]})

    def call(self, inputs: Any, training: Any = None) -> Tensor:
        """The transformed inputs."""
        rank = len(inputs.shape)
        if isinstance(inputs, tf.SparseTensor):
            x = tf.sparse.sparse_dense_matmul(inputs, self.kernel)
        else:
            x = tf.matmul(inputs, self.kernel) if rank == 2 else tf.tensordot(inputs, self.kernel, [[rank - 1], [0]])
        if self.bias is not None:
            x += self.bias
        return x if self.activation is None else self.activation(x)


class EinsumDense(Layer):
    """`activation(einsum(equation, inputs, kernel) + bias)`.

    `output_shape` is the shape of the output without the batch, None where it is that of the input; `bias_axes` the
    letters of the output that the bias has.

    >>> import graphrt as tf
    >>> layer = tf.keras.layers.EinsumDense("abc,cd->abd", output_shape=(None, 4), bias_axes="d")
    >>> layer(tf.ones([2, 3, 5])).shape
    TensorShape([2, 3, 4])

    Raises:
      ValueError: the equation does not fit the shapes.
    """

    _floats = True
    __saved_names__ = MappingProxyType({"kernel": "_kernel"})
    input_spec = InputSpec(min_ndim=1)

    _tells_activity = True

    def __init__(
        self,
        equation: str,
        output_shape: Any,
        activation: Identifier = None,
        bias_axes: str | None = None,
        kernel_initializer: Identifier = "glorot_uniform",
        bias_initializer: Identifier = "zeros",
        kernel_regularizer: Identifier = None,
        bias_regularizer: Identifier = None,
        kernel_constraint: Identifier = None,
        bias_constraint: Identifier = None,
        quantization_config: None = None,
        **kwargs: Unpack[LayerOptions],
    ) -> None:
        super().__init__(**kwargs)
        not_quantized(quantization_config, self.name)
        self.equation = equation
        self.output_shape = (output_shape,) if isinstance(output_shape, int) else tuple(output_shape)
        self.activation = activations.get(activation)
        self.bias_axes = bias_axes
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.kernel_constraint = constraints.get(kernel_constraint)
        self.bias_constraint = constraints.get(bias_constraint)

    def build(self, input_shape: Any) -> None:
        """Makes `kernel`, and `bias` where there are `bias_axes`."""
        kernel_shape, bias_shape = self._shapes(tuple(input_shape))
        self.kernel = self.add_weight(
            name="kernel", shape=kernel_shape, initializer=self._initializer(),
            regularizer=self.kernel_regularizer, constraint=self.kernel_constraint,
        )  # fmt: skip
        self.bias = None
        if bias_shape is not None:
            self.bias = self.add_weight(
                name="bias", shape=bias_shape, initializer=self.bias_initializer,
                regularizer=self.bias_regularizer, constraint=self.bias_constraint,
            )  # fmt: skip

    def _initializer(self) -> Any:
        """The initializer, told which axes of the kernel meet the inputs and which the outputs."""
        given = self.kernel_initializer
        if not isinstance(given, initializers.VarianceScaling) or given.input_axes is not None:
            return given
        kernel, result = self.equation.replace(".", "").split(",")[1].split("->")
        told = copy.copy(given)
        told.input_axes = [i for i, letter in enumerate(kernel) if letter not in result]
        told.output_axes = [i for i, letter in enumerate(kernel) if letter in result]
        return told

    def _shapes(self, input_shape: tuple[Any, ...]) -> tuple[Any, Any]:
        """The shapes of the kernel and the bias, by the letters of the equation."""
        found = re.fullmatch(r"(\.\.\.)?([a-zA-Z]+)(\.\.\.)?,([a-zA-Z]+)->(\.\.\.)?([a-zA-Z]+)(\.\.\.)?", self.equation)
        if found is None:
            raise ValueError(
                f"Invalid einsum equation {shown(self.equation)} of layer {self.name!r}. Equations must be in the form "
                "[X],[Y]->[Z], ...[X],[Y]->...[Z], or [X]...,[Y]->[Z]...."
            )
        dots_first, letters, dots_last, kernel, _, result, _ = found.groups()
        sizes = dict(zip(letters[::-1], input_shape[::-1])) if dots_first else dict(zip(letters, input_shape))
        output = list(self.output_shape) if dots_first else [input_shape[0], *self.output_shape]
        pairs = zip(result[::-1], output[::-1]) if dots_first else zip(result, output)
        for letter, size in pairs:
            if size is None:
                continue
            if sizes.get(letter, size) not in (size, None):
                raise ValueError(
                    f"Input shape and output shape do not match at shared dimension {letter!r} of layer {self.name!r}: "
                    f"the input has {sizes[letter]}, the output {size}."
                )
            sizes[letter] = size
        missing = [letter for letter in kernel if letter not in sizes]
        if missing:
            raise ValueError(
                f"Weight dimension {shown(missing[0])} did not have a match in either the input spec {letters!r} or the "
                f"output spec {shown(result)} of layer {self.name!r}. For this layer, the weight must be fully specified."
            )
        if self.bias_axes is None:
            return [sizes[letter] for letter in kernel], None
        first = min(result.index(letter) for letter in self.bias_axes)
        bias = [sizes[letter] if letter in self.bias_axes else 1 for letter in result[first:]]
        beyond = len(input_shape) - len(letters) if dots_last else 0  # axes behind those of the bias
        return [sizes[letter] for letter in kernel], bias + [1] * beyond

    def call(self, inputs: Tensor, training: Any = None) -> Tensor:
        """The transformed inputs."""
        x = tf.einsum(self.equation, inputs, self.kernel)
        if self.bias is not None:
            x += self.bias
        return self.activation(x)


class Embedding(Layer):
    """A vector of `output_dim` numbers for each of the integers below `input_dim`.

    With `mask_zero` the integer 0 is padding: layers that know masks pass over it.

    >>> import graphrt as tf
    >>> tf.keras.layers.Embedding(10, 4)(tf.constant([[1, 2, 3]])).shape
    TensorShape([1, 3, 4])

    Raises:
      ValueError: `input_dim` or `output_dim` is no positive integer.
      InvalidArgumentError: (when called) an integer is out of range.
    """

    __saved_names__ = MappingProxyType({"embeddings": "_embeddings"})

    _tells_activity = True

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        embeddings_initializer: Any = "uniform",
        embeddings_regularizer: Any = None,
        embeddings_constraint: Any = None,
        mask_zero: bool = False,
        weights: Any = None,
        quantization_config: None = None,
        **kwargs: Any,
    ) -> None:
        kwargs.pop("input_length", None)
        super().__init__(**kwargs)
        not_quantized(quantization_config, self.name)
        self.input_dim, self.output_dim = positive(input_dim, "input_dim"), positive(output_dim, "output_dim")
        self.embeddings_initializer = initializers.get(embeddings_initializer)
        self.embeddings_regularizer = regularizers.get(embeddings_regularizer)
        self.embeddings_constraint = constraints.get(embeddings_constraint)
        self.mask_zero = mask_zero
        self.supports_masking = mask_zero
        self.autocast = False
        self._first = weights

    def build(self, input_shape: Any = None) -> None:
        """Makes `embeddings` (input_dim, output_dim)."""
        self.embeddings = self.add_weight(
            name="embeddings", shape=(self.input_dim, self.output_dim), initializer=self.embeddings_initializer,
            regularizer=self.embeddings_regularizer, constraint=self.embeddings_constraint,
        )  # fmt: skip
        if self._first is not None:
            self.set_weights(self._first if isinstance(self._first, (list, tuple)) else [self._first])

    def call(self, inputs: Tensor) -> Tensor:
        """The vectors of the integers."""
        inputs = tf.convert_to_tensor(inputs)
        if not inputs.dtype.is_integer:
            inputs = tf.cast(inputs, tf.int32)
        return tf.nn.embedding_lookup(self.embeddings, inputs)

    def compute_mask(self, inputs: TensorLike, mask: TensorLike | None = None) -> Any:
        """Which integers are not 0, with `mask_zero`."""
        return ops.not_equal(inputs, 0) if self.mask_zero else None

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an equal layer."""
        config = super().get_config()
        config.pop("weights", None)
        return config


class Lambda(Layer):
    """A function of tensors as a layer.

    >>> import graphrt as tf
    >>> tf.keras.layers.Lambda(lambda x: x ** 2)(tf.constant([2.0])).numpy().tolist()
    [4.0]
    """

    _told_if_other = frozenset({"output_shape", "mask"})

    def __init__(
        self, function: Callable[..., Any], output_shape: ShapeLike = None, mask: Any = None, arguments: Any = None,
        **kwargs: Unpack[LayerOptions],
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        self.function = function
        self.arguments = arguments or {}
        self.mask = mask
        self.supports_masking = mask is not None
        self._output_shape = output_shape
        parameters = getattr(getattr(function, "__code__", None), "co_varnames", ())
        self._takes = [name for name in ("mask", "training") if name in parameters]

    def call(self, inputs: Tensor, mask: Any = None, training: Any = None) -> Tensor:
        """What the function gives for the inputs."""
        known = {"mask": mask, "training": training}
        given = {**self.arguments, **{name: known[name] for name in self._takes}}
        return call_users(self.function, inputs, **given)

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an equal layer: of functions the names."""
        told = {k: described_function(v) for k, v in (("function", self.function), ("mask", self.mask)) if callable(v)}
        return {**super().get_config(), **told}

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Self:
        """The layer of a configuration, whose functions are found by their names."""
        of_functions = {
            k: function_of(v, activations.get, cls.__name__)
            for k, v in config.items()
            if k == "function" or (k == "mask" and isinstance(v, (str, Mapping)))
        }
        return super().from_config({**config, **of_functions})

    def compute_mask(self, inputs: TensorLike, mask: Any = None) -> Any:
        """What `mask` says, or gives when called."""
        return self.mask(inputs, mask) if callable(self.mask) else self.mask


class Identity(Layer):
    """Gives its inputs.

    >>> import graphrt as tf
    >>> tf.keras.layers.Identity()(tf.constant([1.0])).numpy().tolist()
    [1.0]
    """

    _stateless = True

    def __init__(self, **kwargs: Unpack[LayerOptions]) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True

    def call(self, inputs: Tensor) -> Any:
        """The inputs."""
        return inputs


class Masking(Layer):
    """Steps of which all features are `mask_value` are masked, and zero.

    >>> import graphrt as tf
    >>> x = tf.constant([[[1.0, 2.0], [0.0, 0.0]]])
    >>> layer = tf.keras.layers.Masking()
    >>> layer.compute_mask(x).numpy().tolist()
    [[True, False]]
    """

    _stateless = True
    input_spec = InputSpec(min_ndim=1)

    def __init__(self, mask_value: float = 0.0, **kwargs: Unpack[LayerOptions]) -> None:
        super().__init__(**kwargs)
        self.mask_value = mask_value
        self.supports_masking = True

    def call(self, inputs: Tensor) -> Any:
        """The inputs, zero where they are masked."""
        kept = tf.reduce_any(tf.not_equal(inputs, tf.cast(self.mask_value, inputs.dtype)), axis=-1, keepdims=True)
        return inputs * tf.cast(kept, inputs.dtype)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """Which steps have a feature that is not `mask_value`."""
        return ops.any(ops.not_equal(inputs, self.mask_value), axis=-1)


class Wrapper(Layer):
    """Base of layers around one other layer.

    >>> import graphrt as tf
    >>> tf.keras.layers.Wrapper(tf.keras.layers.Dense(1, name="inner")).layer.name
    'inner'
    """

    def __init__(self, layer: Any, **kwargs: Unpack[LayerOptions]) -> None:
        super().__init__(**kwargs)
        if not isinstance(layer, Layer):
            raise ValueError(f"Layer {shown(layer)} supplied to Wrapper isn't a supported layer type. Please ensure "
                             "wrapped layer is a valid Keras layer.")  # fmt: skip
        self.layer = layer

    def build(self, input_shape: Any = None) -> None:
        """Builds the layer inside."""
        if not self.layer.built:
            self.layer.build(input_shape)

    @classmethod
    def from_config(cls, config: Any) -> Any:
        """The layer that `get_config` described."""
        config = dict(config)
        for key in ("layer", "backward_layer", "cell"):
            if isinstance(config.get(key), dict):
                config[key] = deserialize(config[key])
        return cls(**config)
