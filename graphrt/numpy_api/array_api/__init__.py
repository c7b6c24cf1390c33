"""The Python array API standard, version 2024.12, on tensors: what `x.__array_namespace__()` gives.

>>> import graphrt as tf
>>> x = tf.constant([3.0, 1.0, 2.0])
>>> xp = x.__array_namespace__()
>>> xp.sort(x).numpy().tolist(), xp.__array_api_version__
([1.0, 2.0, 3.0], '2024.12')

The functions promote dtypes as the standard says (the operators of tensors keep TensorFlow's rule and promote nothing),
work on symbolic tensors, and let gradients through. Tensors are immutable, so there is no `x[key] = value`. Default
dtypes are TensorFlow's: float32, int32, complex64. Positions are int64.
"""

from __future__ import annotations

from graphrt.ir import examples
from graphrt.numpy_api.array_api import fft, linalg
from graphrt.numpy_api.array_api.creation import (
    arange,
    asarray,
    empty,
    empty_like,
    eye,
    from_dlpack,
    full,
    full_like,
    linspace,
    meshgrid,
    ones,
    ones_like,
    tril,
    triu,
    zeros,
    zeros_like,
)
from graphrt.numpy_api.array_api.data_types import (
    astype,
    bool,
    can_cast,
    complex64,
    complex128,
    finfo,
    float32,
    float64,
    iinfo,
    int8,
    int16,
    int32,
    int64,
    isdtype,
    result_type,
    uint8,
    uint16,
    uint32,
    uint64,
)
from graphrt.numpy_api.array_api.elementwise import (
    abs,
    acos,
    acosh,
    add,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    bitwise_and,
    bitwise_invert,
    bitwise_left_shift,
    bitwise_or,
    bitwise_right_shift,
    bitwise_xor,
    ceil,
    clip,
    conj,
    copysign,
    cos,
    cosh,
    divide,
    equal,
    exp,
    expm1,
    floor,
    floor_divide,
    greater,
    greater_equal,
    hypot,
    imag,
    isfinite,
    isinf,
    isnan,
    less,
    less_equal,
    log,
    log1p,
    log2,
    log10,
    logaddexp,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    maximum,
    minimum,
    multiply,
    negative,
    nextafter,
    not_equal,
    positive,
    pow,
    real,
    reciprocal,
    remainder,
    round,
    sign,
    signbit,
    sin,
    sinh,
    sqrt,
    square,
    subtract,
    tan,
    tanh,
    trunc,
)
from graphrt.numpy_api.array_api.info import __array_namespace_info__
from graphrt.numpy_api.array_api.linalg import matmul, matrix_transpose, tensordot, vecdot
from graphrt.numpy_api.array_api.manipulation import (
    broadcast_arrays,
    broadcast_shapes,
    broadcast_to,
    concat,
    expand_dims,
    flip,
    moveaxis,
    permute_dims,
    repeat,
    reshape,
    roll,
    squeeze,
    stack,
    tile,
    unstack,
)
from graphrt.numpy_api.array_api.searching import (
    argmax,
    argmin,
    argsort,
    count_nonzero,
    isin,
    nonzero,
    searchsorted,
    sort,
    take,
    take_along_axis,
    unique_all,
    unique_counts,
    unique_inverse,
    unique_values,
    where,
)
from graphrt.numpy_api.array_api.statistics import (
    all,
    any,
    cumulative_prod,
    cumulative_sum,
    diff,
    max,
    mean,
    min,
    prod,
    std,
    sum,
    var,
)

__array_api_version__ = "2024.12"

e = 2.718281828459045
inf = float("inf")
nan = float("nan")
newaxis = None
pi = 3.141592653589793

__all__ = [
    "__array_api_version__", "__array_namespace_info__", "abs", "acos", "acosh", "add", "all", "any", "arange", "argmax",
    "argmin", "argsort", "asarray", "asin", "asinh", "astype", "atan", "atan2", "atanh", "bitwise_and",
    "bitwise_invert", "bitwise_left_shift", "bitwise_or", "bitwise_right_shift", "bitwise_xor", "bool",
    "broadcast_arrays", "broadcast_shapes", "broadcast_to", "can_cast", "ceil", "clip", "complex64", "complex128",
    "concat", "conj",
    "copysign", "cos", "cosh", "count_nonzero", "cumulative_prod", "cumulative_sum", "diff", "divide", "e", "empty",
    "empty_like", "equal", "exp", "expand_dims", "expm1", "eye", "fft", "finfo", "flip", "float32", "float64", "floor",
    "floor_divide", "from_dlpack", "full", "full_like", "greater", "greater_equal", "hypot", "iinfo", "imag", "inf",
    "int8", "int16", "int32", "int64", "isdtype", "isfinite", "isin", "isinf", "isnan", "less", "less_equal", "linalg",
    "linspace", "log", "log1p", "log2", "log10", "logaddexp", "logical_and", "logical_not", "logical_or",
    "logical_xor", "matmul", "matrix_transpose", "max", "maximum", "mean", "meshgrid", "min", "minimum", "moveaxis",
    "multiply", "nan", "negative", "newaxis", "nextafter", "nonzero", "not_equal", "ones", "ones_like",
    "permute_dims", "pi", "positive", "pow", "prod", "real", "reciprocal", "remainder", "repeat", "reshape",
    "result_type", "roll", "round", "searchsorted", "sign", "signbit", "sin", "sinh", "sort", "sqrt", "square",
    "squeeze", "stack", "std", "subtract", "sum", "take", "take_along_axis", "tan", "tanh", "tensordot", "tile",
    "tril", "triu", "trunc", "uint8", "uint16", "uint32", "uint64", "unique_all", "unique_counts", "unique_inverse",
    "unique_values", "unstack", "var", "vecdot", "where", "zeros", "zeros_like",
]  # fmt: skip

examples.add_to(
    "array_api",
    globals() | {f"fft.{n}": v for n, v in vars(fft).items()} | {f"linalg.{n}": v for n, v in vars(linalg).items()},
)
