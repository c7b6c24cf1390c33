"""`keras.ops`: functions of tensors under NumPy's and Keras's names, which also take symbolic tensors of models.

>>> import graphrt as tf
>>> tf.keras.ops.mean(tf.keras.ops.ones((2, 3)), axis=1).numpy().tolist()
[1.0, 1.0]
>>> tf.keras.ops.concatenate([tf.keras.Input((2,)), tf.keras.Input((3,))], axis=-1).shape
(None, 5)
"""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

import graphrt as tf
from graphrt import errors
from graphrt.ir import examples
from graphrt.keras import activations, made_ops
from graphrt.keras.config import floatx, standardize_data_format, standardize_dtype
from graphrt.keras.symbolic import KerasTensor, works_on_symbols
from graphrt.tensor.tensor import Tensor
from graphrt.types.likes import Array, AxisLike, DTypeLike, PerAxis, ShapeLike, TensorLike
from graphrt.types.missing import missing_attribute
from graphrt.types.nesting import shown

_F = TypeVar("_F", bound=Callable[..., Any])
_OF_ACTIVATIONS = (
    "celu", "elu", "glu", "hard_shrink", "hard_sigmoid", "hard_silu", "hard_swish", "hard_tanh", "leaky_relu",
    "log_sigmoid", "log_softmax", "relu", "relu6", "selu", "sigmoid", "silu", "soft_shrink", "softmax", "softplus",
    "softsign", "sparse_plus", "sparse_sigmoid", "sparsemax", "squareplus", "swish", "tanh", "tanh_shrink", "threshold",
)  # fmt: skip
_OF_GRAPHRT = ("custom_gradient",)


def __getattr__(name: str) -> Any:
    if name in ("linalg", "nn", "numpy"):
        return importlib.import_module(f"graphrt.keras.ops.{name}")
    if name in _OF_ACTIVATIONS:
        return getattr(activations, name)
    if name in _OF_GRAPHRT:
        return getattr(tf, name)
    if name not in made_ops.NAMES:
        raise missing_attribute(__name__, name)
    function = works_on_symbols(made_ops.made(name))
    globals()[name] = function
    return function


def __dir__() -> list[str]:
    return sorted({*globals(), *_OF_ACTIVATIONS, *_OF_GRAPHRT, *made_ops.NAMES})


# --- those that need a word of their own -----------------------------------------------------------------------------
def _example(function: _F) -> _F:
    """Adds its example to the docstring."""
    text = examples.of_name("keras_ops", function.__name__)
    function.__doc__ = f"{inspect.cleandoc(function.__doc__ or '')}\n\n{text}\n"
    return function


def _of_tensors(function: _F) -> _F:
    return works_on_symbols(_example(function))


def _tensor(x: Any) -> Any:
    return x if tf.is_tensor(x) else tf.convert_to_tensor(x)


@_of_tensors
def convert_to_tensor(x: Any, dtype: DTypeLike | None = None, sparse: Any = None, ragged: Any = None) -> Any:
    """`x` as a tensor, of `dtype` if one is given; of a symbolic tensor, a symbolic tensor."""
    return tf.cast(x, standardize_dtype(dtype)) if dtype is not None else tf.convert_to_tensor(x)


@_example
def convert_to_numpy(x: TensorLike) -> Array:
    """`x` as an array of NumPy, of the same dtype and shape."""
    return np.asarray(x)


@_example
def is_tensor(x: TensorLike) -> bool:
    """Whether `x` is a tensor, or symbolic."""
    return isinstance(x, KerasTensor) or bool(tf.is_tensor(x))


@_example
def dtype(x: Any) -> str:
    """The name of the dtype of a tensor."""
    if not hasattr(x, "dtype"):
        raise errors.unexpected(x, "x", "a tensor")
    return standardize_dtype(x.dtype)


@_of_tensors
def cast(x: Any, dtype: DTypeLike) -> Any:
    """`x` in another dtype, in the same shape."""
    return tf.cast(_tensor(x), standardize_dtype(dtype))


@_example
def zeros(shape: ShapeLike, dtype: DTypeLike | None = None) -> Tensor:
    """Zeros of a shape; of `keras.config.floatx()` if no dtype is given."""
    return tf.zeros(shape, standardize_dtype(dtype))


@_example
def ones(shape: ShapeLike, dtype: Any = None) -> Tensor:
    """Ones of a shape; of `keras.config.floatx()` if no dtype is given."""
    return tf.ones(shape, standardize_dtype(dtype))


@_example
def full(shape: ShapeLike, fill_value: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    """One value everywhere, or what broadcasts to `shape`; of `keras.config.floatx()` if no dtype is given.

    Raises:
      InvalidArgumentError: `shape` is a single number, or `fill_value` does not broadcast to it.
    """
    if isinstance(shape, int) or getattr(shape, "ndim", None) == 0:
        raise errors.InvalidArgumentError(None, None, f"`shape` must be a vector of sizes, found {shown(shape)}")
    return tf.broadcast_to(tf.cast(fill_value, standardize_dtype(dtype)), shape)


@_example
def eye(N: int, M: int | None = None, k: int = 0, dtype: DTypeLike | None = None) -> Tensor:
    """Ones on the `k`-th diagonal of an (N, M) matrix, and zeros elsewhere."""
    return tf.cast(tf.experimental.numpy.eye(N, M, k), standardize_dtype(dtype))


@_example
def identity(n: int, dtype: DTypeLike | None = None) -> Tensor:
    """The identity matrix of shape (n, n)."""
    return eye(n, dtype=dtype)


@_example
def arange(
    start: TensorLike, stop: TensorLike | None = None, step: TensorLike | None = None, dtype: DTypeLike | None = None
) -> Tensor:
    """Numbers from `start` to `stop`, which is left out, or from 0 to `start`.

    They are of int32, or of `keras.config.floatx()` if one of them is a float.
    """
    step = 1 if step is None else step
    start, stop = (0, start) if stop is None else (start, stop)
    common = made_ops.common_dtype([start, stop, step])
    wanted = None if dtype is None else tf.as_dtype(standardize_dtype(dtype))
    if wanted is not None and wanted.is_floating:
        common = wanted  # which says how many there are: 0.4 - 0.1 is more than three times 0.1 in float64
    start, stop, step = (
        tf.constant(v, common) if isinstance(v, (int, float)) else tf.cast(v, common) for v in (start, stop, step)
    )
    found = tf.range(start, stop, step)
    return found if dtype is None else tf.cast(found, standardize_dtype(dtype))


@_example
def array(x: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    """`x` as a tensor."""
    return convert_to_tensor(x, dtype)


@_example
def shape(x: Any) -> tuple[Any, ...]:
    """The shape as a tuple of integers, and of tensors where a dimension is not known while tracing."""
    if isinstance(x, KerasTensor):
        return x.shape
    x = _tensor(x)
    known = x.shape.as_list()
    sizes = tf.shape(x) if None in known else None
    return tuple(sizes[i] if n is None and sizes is not None else n for i, n in enumerate(known))


@_of_tensors
def size(x: TensorLike) -> Any:
    """The number of elements, as a tensor of int32."""
    return tf.size(_tensor(x))


@_of_tensors
def einsum(subscripts: str, *operands: TensorLike) -> Tensor:
    """Sums of products along named dimensions, as `tf.einsum`, of operands of one dtype."""
    given = [_tensor(x) for x in operands]
    dtype = made_ops.common_dtype(given)
    return tf.einsum(subscripts, *(tf.cast(x, dtype) for x in given))


@_of_tensors
def where(condition: TensorLike, x1: TensorLike | None = None, x2: TensorLike | None = None) -> Any:
    """The elements of `x1` where the condition holds, else those of `x2`; without them `nonzero` of it."""
    if x1 is None and x2 is None:
        return nonzero(condition)
    condition = tf.cast(_tensor(condition), tf.bool)
    x1, x2 = (x if isinstance(x, (bool, int, float, complex)) else _tensor(x) for x in (x1, x2))
    dtype = made_ops.common_dtype([x1, x2])
    return tf.where(condition, tf.cast(x1, dtype), tf.cast(x2, dtype))


@_of_tensors
def nonzero(x: TensorLike) -> list[Any]:
    """The positions of the elements that are not zero: a vector of int32 for each dimension."""
    found = tf.where(tf.not_equal(_tensor(x), tf.zeros([], _tensor(x).dtype)))
    return tf.unstack(tf.cast(found, tf.int32), axis=1)


@_example
def meshgrid(*x: TensorLike, indexing: str = "xy") -> list[Any]:
    """The coordinates of a grid over vectors, one tensor for each."""
    return list(tf.meshgrid(*(_tensor(v) for v in x), indexing=indexing))


@_of_tensors
def round(x: Any, decimals: int = 0) -> Any:
    """`x` rounded to a number of digits behind the point, halves to the even neighbour."""
    x = _tensor(x)
    if not decimals:
        return tf.round(x)
    if x.dtype.is_integer and decimals > 0:
        return x
    factor = 10.0**decimals
    return tf.cast(tf.round(tf.cast(x, "float64") * factor) / factor, x.dtype)


@_of_tensors
def ldexp(x1: TensorLike, x2: TensorLike) -> Any:
    """`x1` times 2 to the power of the integers `x2`, in the dtype of `x1` where that is one of floats.

    Raises:
      TypeError: `x2` holds no integers.
    """
    x, power = _tensor(x1), _tensor(x2)
    if not (power.dtype.is_integer or power.dtype.is_bool):
        raise TypeError(errors.at_user_line(f"the powers of ldexp must be integers, found {power.dtype.name}"))
    dtype = x.dtype if x.dtype.is_floating else tf.as_dtype(floatx())
    wide = tf.cast(x, dtype if dtype.size > 2 else tf.float32)
    return tf.cast(np.ldexp(wide, tf.cast(power, tf.int32)), dtype)


@_of_tensors
def max(x: Any, axis: AxisLike = None, keepdims: bool = False, initial: TensorLike | None = None) -> Any:
    """The greatest element along `axis`, but at least `initial`."""
    x = _tensor(x)
    if x.dtype.is_bool:
        return tf.cast(max(tf.cast(x, tf.int32), axis, keepdims, initial), tf.bool)
    found = tf.reduce_max(x, axis, keepdims)
    return found if initial is None else tf.maximum(found, tf.cast(initial, x.dtype))


@_of_tensors
def min(x: Any, axis: AxisLike = None, keepdims: bool = False, initial: TensorLike | None = None) -> Any:
    """The least element along `axis`, but at most `initial`."""
    x = _tensor(x)
    if x.dtype.is_bool:
        return tf.cast(min(tf.cast(x, tf.int32), axis, keepdims, initial), tf.bool)
    found = tf.reduce_min(x, axis, keepdims)
    return found if initial is None else tf.minimum(found, tf.cast(initial, x.dtype))


@_of_tensors
def pad(x: Any, pad_width: TensorLike, mode: str = "constant", constant_values: TensorLike | None = None) -> Tensor:
    """`x` with something around it: (before, after) for each dimension, or one pair or number for all.

    Raises:
      ValueError: `constant_values` with a mode that has none.
    """
    x = _tensor(x)
    if mode != "constant" and constant_values is not None:
        raise ValueError(f"Argument `constant_values` can only be provided when mode='constant'. Received: mode={mode}")
    width = np.broadcast_to(np.asarray(pad_width), (len(x.shape), 2)).tolist()
    return tf.pad(x, width, _upper(mode), constant_values or 0)


@_of_tensors
def unravel_index(indices: TensorLike, shape: ShapeLike) -> tuple[Any, ...]:
    """Positions in the flat tensor as positions along each dimension of `shape`."""
    places = _tensor(indices)
    found = tf.unravel_index(tf.reshape(places, [-1]), tf.cast(_tensor(shape), places.dtype))
    return tuple(tf.reshape(part, tf.shape(places)) for part in tf.unstack(found))


@_of_tensors
def one_hot(
    x: TensorLike, num_classes: int, axis: int = -1, dtype: DTypeLike | None = None, sparse: bool = False
) -> Any:
    """Integers as one-hot vectors along a new axis; of `keras.config.floatx()` if no dtype is given.

    With `sparse` it is a sparse tensor.
    """
    found = tf.one_hot(tf.cast(_tensor(x), tf.int64), num_classes, axis=axis, dtype=standardize_dtype(dtype))
    return tf.sparse.from_dense(found) if sparse else found


@_of_tensors
def multi_hot(
    inputs: TensorLike, num_classes: int | None = None, axis: int = -1, dtype: DTypeLike | None = None
) -> Tensor:
    """Rows of integers as vectors with a one at each of them."""
    return tf.reduce_max(
        one_hot(inputs, num_classes or 0, axis, dtype), axis=0 if len(_tensor(inputs).shape) == 1 else 1
    )


@_of_tensors
def normalize(x: Any, axis: int = -1, order: int = 2, epsilon: float | None = None) -> Any:
    """Vectors along `axis` divided by their norms of an order, but by no less than `epsilon`."""
    x = _tensor(x)
    x = x if x.dtype.is_floating else tf.cast(x, floatx())
    if order == 2:
        return tf.nn.l2_normalize(x, axis=axis, epsilon=(epsilon or 1e-7) ** 2)
    return x / tf.maximum(tf.norm(x, ord=order, axis=axis, keepdims=True), epsilon or 1e-7)


@_of_tensors
def moments(x: TensorLike, axes: AxisLike, keepdims: bool = False, synchronized: bool = False) -> tuple[Tensor, Tensor]:
    """Mean and variance along `axes`."""
    return tf.nn.moments(_tensor(x), axes, keepdims=keepdims)


@_of_tensors
def gelu(x: TensorLike, approximate: bool = True) -> Tensor:
    """`x` times the probability that a normal number is less, by default approximately."""
    return tf.nn.gelu(_tensor(x), approximate)


# --- windows ---------------------------------------------------------------------------------------------------------
def _channels_last(function: Callable[[Any], Any], x: Any, data_format: str | None) -> Tensor:
    """A function of inputs (batch, ..., channels), on inputs of a data format."""
    x = _tensor(x)
    if standardize_data_format(data_format) == "channels_last":
        return function(x)
    rank = len(x.shape)
    found = function(tf.transpose(x, [0, *range(2, rank), 1]))
    return tf.transpose(found, [0, rank - 1, *range(1, rank - 1)])


def _upper(kind: object) -> str:
    if not isinstance(kind, str):
        raise TypeError(f"the padding must be a text, such as 'same' or 'constant', found {kind!r}")
    return kind.upper()


@_of_tensors
def conv(
    inputs: TensorLike, kernel: TensorLike, strides: PerAxis = 1, padding: str = "valid", data_format: str | None = None,
    dilation_rate: PerAxis = 1,
) -> Tensor:  # fmt: skip
    """The convolution of inputs (batch, ..., channels) with a kernel (..., channels, outputs), in 1 to 3 dimensions."""
    filters = _tensor(kernel)
    rank = len(filters.shape) - 2
    steps, holes = ([v] * rank if isinstance(v, int) else list(v) for v in (strides, dilation_rate))

    def run(x: Tensor) -> Tensor:
        if rank == 3:
            return tf.nn.conv3d(x, filters, [1, *steps, 1], _upper(padding), dilations=[1, *holes, 1])
        return tf.nn.convolution(x, filters, strides=steps, padding=_upper(padding), dilations=holes)

    return _channels_last(run, inputs, data_format)


@_of_tensors
def max_pool(
    inputs: TensorLike, pool_size: PerAxis, strides: PerAxis | None = None, padding: str = "valid",
    data_format: str | None = None
) -> Tensor:  # fmt: skip
    """The maximum of windows of inputs (batch, ..., channels)."""
    strides = pool_size if strides is None else strides
    return _channels_last(lambda x: tf.nn.max_pool(x, pool_size, strides, _upper(padding)), inputs, data_format)


@_of_tensors
def average_pool(
    inputs: TensorLike, pool_size: PerAxis, strides: Any = None, padding: str = "valid", data_format: str | None = None
) -> Tensor:
    """The mean of windows of inputs (batch, ..., channels)."""
    strides = pool_size if strides is None else strides
    return _channels_last(lambda x: tf.nn.avg_pool(x, pool_size, strides, _upper(padding)), inputs, data_format)


# --- segments, linear algebra ----------------------------------------------------------------------------------------
def _segments(name: str, what: str) -> Callable[..., Any]:
    def function(data: Any, segment_ids: Array, num_segments: int | None = None, sorted: bool = False) -> Any:
        data, segment_ids = _tensor(data), _tensor(segment_ids)
        if sorted and num_segments is None:
            return getattr(tf.math, f"segment_{name}")(data, segment_ids)
        count: Any = num_segments
        if count is None:
            count = tf.reduce_max(tf.concat([segment_ids, [-1]], 0)) + 1  # no segments of no ids
        return getattr(tf.math, f"unsorted_segment_{name}")(data, segment_ids, count)

    function.__name__ = function.__qualname__ = f"segment_{name}"
    function.__doc__ = f"""The {what} of the rows of `data` with the same id, for each id below `num_segments`."""
    return _of_tensors(function)


segment_sum, segment_max = _segments("sum", "sum"), _segments("max", "maximum")
segment_min, segment_prod = _segments("min", "minimum"), _segments("prod", "product")


@_of_tensors
def in_top_k(targets: TensorLike, predictions: TensorLike, k: int) -> Tensor:
    """Whether each target is among the `k` classes with the highest predictions."""
    return tf.nn.in_top_k(_tensor(targets), _tensor(predictions), k)


@_of_tensors
def cholesky(x: TensorLike, upper: bool = False) -> Tensor:
    """The lower, or upper, triangular factor of symmetric positive-definite matrices."""
    found = tf.linalg.cholesky(_tensor(x))
    return tf.linalg.matrix_transpose(found, conjugate=True) if upper else found


@_of_tensors
def qr(x: TensorLike, mode: str = "reduced") -> tuple[Tensor, Tensor]:
    """Orthogonal and upper triangular factors (q, r); whole ones for the mode "complete"."""
    if mode not in ("reduced", "complete"):
        raise ValueError(
            f"`mode` argument value not supported. Expected one of ('reduced', 'complete'), found {mode!r}"
        )
    return tuple(tf.linalg.qr(_tensor(x), full_matrices=mode == "complete"))


@_of_tensors
def svd(x: TensorLike, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """The singular value decomposition (u, s, vh), or s alone."""
    if not compute_uv:
        return tf.linalg.svd(_tensor(x), compute_uv=False)
    s, u, v = tf.linalg.svd(_tensor(x), full_matrices=full_matrices)
    return u, s, tf.linalg.adjoint(v)


def _columns(function: Callable[[Any, Any], Any], a: Any, b: Any) -> Tensor:
    """A function of matrices, on a vector or on matrices."""
    a, b = _tensor(a), _tensor(b)
    if len(b.shape) == len(a.shape) - 1:
        return tf.squeeze(function(a, tf.expand_dims(b, -1)), -1)
    return function(a, b)


@_of_tensors
def solve(a: TensorLike, b: TensorLike) -> Tensor:
    """The x with `a @ x == b`, for a vector or for matrices."""
    return _columns(tf.linalg.solve, a, b)


@_of_tensors
def solve_triangular(a: TensorLike, b: TensorLike, lower: bool = False) -> Tensor:
    """The x with `a @ x == b`, for triangular matrices `a`."""
    return _columns(lambda a, b: tf.linalg.triangular_solve(a, b, lower=lower), a, b)


@_of_tensors
def lstsq(a: TensorLike, b: TensorLike, rcond: TensorLike | None = None) -> Tensor:
    """The x for which `a @ x` is nearest to `b`."""
    return _columns(lambda a, b: tf.linalg.lstsq(a, b, fast=False), a, b)


# --- scattering, control flow ----------------------------------------------------------------------------------------
@_of_tensors
def scatter(indices: TensorLike, values: TensorLike, shape: ShapeLike) -> Tensor:
    """Zeros of a shape with values added at indices."""
    return tf.scatter_nd(_tensor(indices), _tensor(values), shape)


@_of_tensors
def scatter_update(inputs: Any, indices: TensorLike, updates: TensorLike) -> Tensor:
    """`inputs` with other values at indices."""
    inputs = _tensor(inputs)
    return tf.tensor_scatter_nd_update(inputs, _tensor(indices), tf.cast(_tensor(updates), inputs.dtype))


@_of_tensors
def slice(inputs: TensorLike, start_indices: TensorLike, shape: Any) -> Tensor:
    """The part of a shape that begins at indices."""
    return tf.slice(_tensor(inputs), start_indices, shape)


@_example
def cond(pred: bool, true_fn: Callable[[], Any], false_fn: Callable[[], Any]) -> int:
    """What one of two functions gives, by a condition; both are traced where that is a tensor in a graph."""
    return tf.cond(pred, true_fn, false_fn)


@_example
def switch(index: TensorLike, branches: Sequence[Callable[..., Any]], *operands: TensorLike) -> Tensor:
    """What the function at an index gives for operands; the index is kept within bounds."""
    index = tf.clip_by_value(tf.cast(index, tf.int32), 0, len(branches) - 1)
    return tf.switch_case(index, [functools.partial(b, *operands) for b in branches])


@_example
def while_loop(
    cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Any, maximum_iterations: int | None = None
) -> Any:
    """Runs `body` on the variables while `cond` holds of them, and gives the last ones."""
    several = isinstance(loop_vars, (list, tuple))

    def step(*values: Tensor) -> tuple[Tensor]:
        found = body(*values)
        return tuple(found) if isinstance(found, (list, tuple)) else (found,)

    found = tf.while_loop(
        cond, step, tuple(loop_vars) if several else (loop_vars,), maximum_iterations=maximum_iterations
    )
    return tuple(found) if several else found[0]


@_example
def fori_loop(
    lower: TensorLike, upper: TensorLike, body_fun: Callable[[Any, Any], Any], init_val: TensorLike
) -> Tensor:
    """`value = body_fun(i, value)` for each i from `lower` to `upper`, which is left out."""
    found = tf.while_loop(
        lambda i, _: i < upper, lambda i, v: (i + 1, body_fun(i, v)), (tf.constant(lower), init_val)
    )  # fmt: skip
    return found[1]


@_example
def map(f: Callable[[Any], Any], xs: object) -> Tensor:
    """What a function gives for each row, one after the other, stacked; its dtypes may differ from those of the rows."""
    if not callable(f):
        raise errors.unexpected(f, "f", "a function")
    rows = tf.nest.map_structure(_tensor, xs)
    first = tf.function(f).get_concrete_function(
        tf.nest.map_structure(lambda x: tf.TensorSpec(x.shape[1:], x.dtype), rows)
    )
    given = first.structured_outputs
    for spec in tf.nest.flatten(given):
        errors.expect(spec, (tf.Tensor, tf.TypeSpec), "f", "a function that gives tensors")
    return tf.map_fn(f, rows, fn_output_signature=tf.nest.map_structure(lambda s: s.dtype, given))


@_example
def vectorized_map(function: Callable[[Any], Any], elements: TensorLike) -> Tensor:
    """What a function gives for each row, all at once, stacked."""
    return tf.vectorized_map(function, tf.nest.map_structure(_tensor, elements))


# --- losses ----------------------------------------------------------------------------------------------------------
@_of_tensors
def categorical_crossentropy(
    target: TensorLike, output: TensorLike, from_logits: bool = False, axis: int = -1
) -> Tensor:
    """The cross entropy of one-hot targets, one for each row."""
    from graphrt.keras import losses  # lazy: only this function and the next need them

    return losses.categorical_crossentropy(_tensor(target), _tensor(output), from_logits, axis=axis)


@_of_tensors
def sparse_categorical_crossentropy(
    target: TensorLike, output: TensorLike, from_logits: bool = False, axis: int = -1
) -> Tensor:
    """The cross entropy of integer targets, one for each row."""
    from graphrt.keras import losses  # lazy: as above

    return losses.sparse_categorical_crossentropy(_tensor(target), _tensor(output), from_logits, axis=axis)


@_of_tensors
def binary_crossentropy(target: TensorLike, output: TensorLike, from_logits: bool = False) -> Tensor:
    """The cross entropy of targets 0 and 1, element by element."""
    from graphrt.keras import loss_functions  # lazy: as above

    given = _tensor(output)
    return loss_functions.binary_entropies(tf.cast(_tensor(target), given.dtype), given, from_logits)
