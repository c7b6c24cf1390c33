"""`keras.ops`: functions of tensors under NumPy's and Keras's names, which also take symbolic tensors of models.

>>> import graphrt as tf
>>> tf.keras.ops.mean(tf.keras.ops.ones((2, 3)), axis=1).numpy().tolist()
[1.0, 1.0]
>>> tf.keras.ops.concatenate([tf.keras.Input((2,)), tf.keras.Input((3,))], axis=-1).shape
(None, 5)
"""

from __future__ import annotations

from typing import Any

import numpy as np

import graphrt as tf
from graphrt.keras import activations
from graphrt.keras.config import floatx
from graphrt.keras.symbolic import KerasTensor, works_on_symbols

# name here -> where it comes from: a function of graphrt, by its path
_RENAMED = {
    "abs": "abs", "absolute": "abs", "add": "add", "arccos": "acos", "arccosh": "acosh", "arcsin": "asin",
    "arcsinh": "asinh", "arctan": "atan", "arctan2": "atan2", "arctanh": "atanh", "broadcast_to": "broadcast_to",
    "cast": "cast", "ceil": "math.ceil", "cholesky": "linalg.cholesky", "cos": "cos", "cosh": "cosh", "det": "linalg.det",
    "divide": "divide", "divide_no_nan": "math.divide_no_nan", "einsum": "einsum", "erf": "math.erf", "exp": "exp",
    "expm1": "math.expm1", "floor": "floor", "floor_divide": "math.floordiv", "inv": "linalg.inv",
    "isfinite": "math.is_finite", "isinf": "math.is_inf", "isnan": "math.is_nan", "log": "math.log",
    "log1p": "math.log1p", "matmul": "matmul", "maximum": "maximum", "minimum": "minimum", "mod": "math.floormod",
    "multiply": "multiply", "negative": "negative", "norm": "norm", "ones_like": "ones_like", "power": "pow",
    "qr": "linalg.qr", "reciprocal": "math.reciprocal", "round": "round", "rsqrt": "math.rsqrt", "shape": "shape",
    "sign": "sign", "sin": "sin", "sinh": "sinh", "solve": "linalg.solve", "sqrt": "sqrt", "square": "square",
    "stop_gradient": "stop_gradient", "subtract": "subtract", "svd": "linalg.svd", "tan": "tan", "tensordot": "tensordot",
    "true_divide": "truediv", "unstack": "unstack", "where": "where", "zeros_like": "zeros_like",
    "vectorized_map": "vectorized_map", "in_top_k": "nn.in_top_k", "top_k": "nn.top_k",
    "equal": "equal", "not_equal": "not_equal", "less": "less", "less_equal": "less_equal", "greater": "greater",
    "greater_equal": "greater_equal", "logical_and": "logical_and", "logical_or": "logical_or",
    "logical_not": "logical_not", "segment_sum": "math.unsorted_segment_sum", "segment_max": "math.unsorted_segment_max",
    "segment_min": "math.unsorted_segment_min", "segment_prod": "math.unsorted_segment_prod", "eig": "linalg.eig",
    "eigh": "linalg.eigh", "erfc": "math.erfc", "erfinv": "math.erfinv", "logdet": "linalg.logdet",
    "slogdet": "linalg.slogdet", "lstsq": "linalg.lstsq", "saturate_cast": "saturate_cast", "map": "map_fn",
    "unravel_index": "unravel_index", "custom_gradient": "custom_gradient", "depth_to_space": "nn.depth_to_space",
    "space_to_depth": "nn.space_to_depth", "size": "size",
}  # fmt: skip
_OF_ACTIVATIONS = (
    "celu", "elu", "gelu", "glu", "hard_shrink", "hard_sigmoid", "hard_silu", "hard_swish", "hard_tanh", "leaky_relu",
    "log_sigmoid", "log_softmax", "relu", "relu6", "selu", "sigmoid", "silu", "soft_shrink", "softmax", "softplus",
    "softsign", "sparse_plus", "sparse_sigmoid", "sparsemax", "squareplus", "swish", "tanh", "tanh_shrink", "threshold",
)  # fmt: skip
_REDUCTIONS = {
    "all": "reduce_all", "any": "reduce_any", "max": "reduce_max", "amax": "reduce_max", "mean": "reduce_mean",
    "min": "reduce_min", "amin": "reduce_min", "prod": "reduce_prod", "sum": "reduce_sum",
    "logsumexp": "reduce_logsumexp", "std": "math.reduce_std", "var": "math.reduce_variance",
}  # fmt: skip
_OF_NUMPY = (
    "append", "average", "clip", "copy", "count_nonzero", "cross", "cumprod", "diag", "diagonal", "diff", "dot",
    "flip", "hstack", "inner", "isclose", "linspace", "median", "meshgrid", "moveaxis", "nan_to_num", "outer", "quantile",
    "ravel", "roll", "rot90", "sort", "argsort", "swapaxes", "take_along_axis", "trace", "tril", "triu", "vdot", "vstack",
    "argmax", "argmin", "cumsum", "expand_dims", "squeeze", "repeat", "tile", "stack", "split", "logaddexp", "log10",
    "log2", "hypot", "floor_divide", "digitize", "searchsorted", "allclose", "angle", "argpartition", "bitwise_and",
    "bitwise_invert", "bitwise_left_shift", "bitwise_not", "bitwise_or", "bitwise_right_shift", "bitwise_xor", "cbrt",
    "conj", "conjugate", "corrcoef", "deg2rad", "diagflat", "dstack", "exp2", "fabs", "fliplr", "flipud", "fmax", "fmin",
    "fmod", "full_like", "heaviside", "i0", "imag", "isin", "isneginf", "isposinf", "isreal", "kron", "ldexp",
    "left_shift", "logaddexp2", "logical_xor", "logspace", "nancumprod", "nancumsum", "nanmax", "nanmean", "nanmin",
    "nanprod", "nanstd", "nansum", "nanvar", "nextafter", "percentile", "ptp", "rad2deg", "real", "right_shift",
    "signbit", "sinc", "trapezoid", "trunc", "unique",
)  # fmt: skip


def _found(path: str) -> Any:
    value: Any = tf
    for part in path.split("."):
        value = getattr(value, part)
    return value


def _reduction(path: str) -> Any:
    function = _found(path)

    def reduce(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        x = tf.convert_to_tensor(x)
        if path in ("reduce_all", "reduce_any") and x.dtype != tf.bool:
            x = tf.cast(x, tf.bool)
        if path in ("reduce_mean", "math.reduce_std", "math.reduce_variance") and not x.dtype.is_floating:
            x = tf.cast(x, floatx())
        return function(x, axis=axis, keepdims=keepdims)

    return reduce


def _of_numpy(name: str) -> Any:
    function = getattr(np, name)

    def call(*args: Any, **kwargs: Any) -> Any:
        args = tuple(tf.convert_to_tensor(a) if isinstance(a, np.ndarray) and i == 0 else a for i, a in enumerate(args))
        return tf.convert_to_tensor(function(*args, **kwargs)) if not _several(name) else function(*args, **kwargs)

    return call


def _several(name: str) -> bool:
    return name in ("split", "meshgrid")


def __getattr__(name: str) -> Any:
    if name in _RENAMED:
        made = _found(_RENAMED[name])
    elif name in _OF_ACTIVATIONS:
        return getattr(activations, name)
    elif name in _REDUCTIONS:
        made = _reduction(_REDUCTIONS[name])
    elif name in _OF_NUMPY:
        made = _of_numpy(name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    function = works_on_symbols(made)
    globals()[name] = function
    return function


def __dir__() -> list[str]:
    return sorted({*globals(), *_RENAMED, *_OF_ACTIVATIONS, *_REDUCTIONS, *_OF_NUMPY})


# --- those that need a word of their own -----------------------------------------------------------------------------
def convert_to_tensor(x: Any, dtype: Any = None, sparse: Any = None) -> Any:
    """`x` as a tensor."""
    return x if isinstance(x, KerasTensor) else tf.cast(x, dtype) if dtype is not None else tf.convert_to_tensor(x)


def convert_to_numpy(x: Any) -> Any:
    """`x` as an array."""
    return np.asarray(x)


def is_tensor(x: Any) -> bool:
    """Whether `x` is a tensor, or symbolic."""
    return isinstance(x, KerasTensor) or bool(tf.is_tensor(x))


def zeros(shape: Any, dtype: Any = None) -> Any:
    """Zeros."""
    return tf.zeros(shape, dtype or floatx())


def ones(shape: Any, dtype: Any = None) -> Any:
    """Ones."""
    return tf.ones(shape, dtype or floatx())


def full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    """One value everywhere."""
    return tf.fill(shape, tf.cast(fill_value, dtype or floatx()))


def eye(n: int, m: int | None = None, dtype: Any = None) -> Any:
    """The identity matrix."""
    return tf.eye(n, m, dtype=dtype or floatx())


identity = eye


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Any:
    """Numbers from `start` to `stop`."""
    return tf.range(start, delta=step, dtype=dtype) if stop is None else tf.range(start, stop, step, dtype=dtype)


def array(x: Any, dtype: Any = None) -> Any:
    """`x` as a tensor."""
    return convert_to_tensor(x, dtype)


@works_on_symbols
def concatenate(xs: Any, axis: int = 0) -> Any:
    """The tensors one after the other along `axis`."""
    return tf.concat(list(xs), axis=axis)


@works_on_symbols
def reshape(x: Any, newshape: Any) -> Any:
    """`x` in another shape."""
    return tf.reshape(x, newshape)


@works_on_symbols
def transpose(x: Any, axes: Any = None) -> Any:
    """`x` with its axes in another order."""
    return tf.transpose(x, axes)


@works_on_symbols
def pad(x: Any, pad_width: Any, mode: str = "constant", constant_values: Any = 0) -> Any:
    """`x` with something around it."""
    width = np.broadcast_to(np.asarray(pad_width), (len(x.shape), 2)).tolist()
    return tf.pad(x, width, mode.upper(), constant_values) if mode == "constant" else tf.pad(x, width, mode.upper())


@works_on_symbols
def take(x: Any, indices: Any, axis: int | None = None) -> Any:
    """The parts of `x` at `indices` along `axis`, of the flat tensor for None."""
    return tf.gather(tf.reshape(x, [-1]), indices) if axis is None else tf.gather(x, indices, axis=axis)


@works_on_symbols
def one_hot(x: Any, num_classes: int, axis: int = -1, dtype: Any = None) -> Any:
    """Integers as one-hot vectors."""
    return tf.one_hot(tf.cast(x, tf.int32), num_classes, axis=axis, dtype=dtype or floatx())


@works_on_symbols
def normalize(x: Any, axis: int = -1, order: int = 2, epsilon: float | None = None) -> Any:
    """Vectors along `axis` divided by their norms."""
    if order == 2:
        return tf.nn.l2_normalize(x, axis=axis, epsilon=(epsilon or 1e-7) ** 2)
    return x / tf.maximum(tf.norm(x, ord=order, axis=axis, keepdims=True), epsilon or 1e-7)


@works_on_symbols
def moments(x: Any, axes: Any, keepdims: bool = False) -> Any:
    """Mean and variance along `axes`."""
    return tf.nn.moments(x, axes, keepdims=keepdims)


@works_on_symbols
def conv(
    inputs: Any, kernel: Any, strides: Any = 1, padding: str = "valid", data_format: str | None = None,
    dilation_rate: Any = 1,
) -> Any:  # fmt: skip
    """The convolution of inputs (batch, ..., channels) with a kernel."""
    rank = len(kernel.shape) - 2
    steps, holes = ([v] * rank if isinstance(v, int) else list(v) for v in (strides, dilation_rate))
    if rank == 3:
        return tf.nn.conv3d(inputs, kernel, [1, *steps, 1], padding.upper(), dilations=[1, *holes, 1])
    return tf.nn.convolution(inputs, kernel, strides=steps, padding=padding.upper(), dilations=holes)


@works_on_symbols
def max_pool(inputs: Any, pool_size: Any, strides: Any = None, padding: str = "valid") -> Any:
    """The maximum of windows of inputs (batch, ..., channels)."""
    return tf.nn.max_pool(inputs, pool_size, pool_size if strides is None else strides, padding.upper())


@works_on_symbols
def average_pool(inputs: Any, pool_size: Any, strides: Any = None, padding: str = "valid") -> Any:
    """The mean of windows of inputs (batch, ..., channels)."""
    return tf.nn.avg_pool(inputs, pool_size, pool_size if strides is None else strides, padding.upper())


def cond(pred: Any, true_fn: Any, false_fn: Any) -> Any:
    """What one of two functions gives."""
    return tf.cond(pred, true_fn, false_fn)


def while_loop(cond: Any, body: Any, loop_vars: Any, maximum_iterations: int | None = None) -> Any:
    """Runs `body` while `cond` holds."""
    return tf.while_loop(cond, lambda *v: body(*v), loop_vars, maximum_iterations=maximum_iterations)


def fori_loop(lower: Any, upper: Any, body_fun: Any, init_val: Any) -> Any:
    """`value = body_fun(i, value)` for each i from `lower` to `upper`.

    >>> import graphrt as tf
    >>> tf.keras.ops.fori_loop(0, 4, lambda i, total: total + i, tf.constant(0)).numpy().item()
    6
    """
    found = tf.while_loop(lambda i, _: i < upper, lambda i, v: (i + 1, body_fun(i, v)), (tf.constant(lower), init_val))
    return found[1]


@works_on_symbols
def categorical_crossentropy(target: Any, output: Any, from_logits: bool = False, axis: int = -1) -> Any:
    """The cross entropy of one-hot targets."""
    from graphrt.keras import losses  # only this function and the next need them

    return losses.categorical_crossentropy(target, output, from_logits, axis=axis)


@works_on_symbols
def sparse_categorical_crossentropy(target: Any, output: Any, from_logits: bool = False, axis: int = -1) -> Any:
    """The cross entropy of integer targets."""
    from graphrt.keras import losses  # as above

    return losses.sparse_categorical_crossentropy(target, output, from_logits, axis=axis)


@works_on_symbols
def binary_crossentropy(target: Any, output: Any, from_logits: bool = False) -> Any:
    """The cross entropy of targets 0 and 1, element by element."""
    from graphrt.keras import loss_functions  # as above

    return loss_functions.binary_entropies(tf.cast(target, output.dtype), output, from_logits)
