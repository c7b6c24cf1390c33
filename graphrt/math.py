"""`tf.math`: functions of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING as _TYPE_CHECKING

from graphrt import math_special as special
from graphrt.lazy_names import lazy_names as _lazy_names
from graphrt.ops.activations import log_softmax, softmax, softplus, softsign
from graphrt.ops.arithmetic import (
    accumulate_n,
    add,
    add_n,
    atan2,
    maximum,
    minimum,
    multiply,
    multiply_no_nan,
    nextafter,
    pow,
    scalar_mul,
    squared_difference,
    subtract,
    xdivy,
    xlog1py,
    xlogy,
)
from graphrt.ops.bessel import bessel_i0, bessel_i0e, bessel_i1, bessel_i1e
from graphrt.ops.comparison import equal, greater, greater_equal, less, less_equal, not_equal
from graphrt.ops.counting import bincount, confusion_matrix, is_non_decreasing, is_strictly_increasing
from graphrt.ops.division import divide, divide_no_nan, floordiv, floormod, mod, reciprocal_no_nan, truediv
from graphrt.ops.elementwise import (
    abs,
    acos,
    acosh,
    angle,
    asin,
    asinh,
    atan,
    atanh,
    ceil,
    conj,
    cos,
    cosh,
    exp,
    expm1,
    floor,
    imag,
    is_finite,
    is_inf,
    is_nan,
    log,
    log1p,
    log_sigmoid,
    negative,
    real,
    reciprocal,
    rint,
    round,
    rsqrt,
    sigmoid,
    sign,
    sin,
    sinh,
    sqrt,
    square,
    tan,
    tanh,
)
from graphrt.ops.logical import logical_and, logical_not, logical_or, logical_xor
from graphrt.ops.nn import l2_normalize
from graphrt.ops.reduction import (
    argmax,
    argmin,
    count_nonzero,
    cumprod,
    cumsum,
    cumulative_logsumexp,
    reduce_all,
    reduce_any,
    reduce_euclidean_norm,
    reduce_logsumexp,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_std,
    reduce_sum,
    reduce_variance,
    zero_fraction,
)
from graphrt.ops.segments import (
    segment_max,
    segment_mean,
    segment_min,
    segment_prod,
    segment_sum,
    unsorted_segment_max,
    unsorted_segment_mean,
    unsorted_segment_min,
    unsorted_segment_prod,
    unsorted_segment_sqrt_n,
    unsorted_segment_sum,
)
from graphrt.ops.shape import invert_permutation
from graphrt.ops.sorting import in_top_k, top_k
from graphrt.ops.special_functions import (
    betainc,
    digamma,
    erf,
    erfc,
    erfcinv,
    erfinv,
    igamma,
    igammac,
    lbeta,
    lgamma,
    ndtri,
    polygamma,
    polyval,
    zeta,
)

if _TYPE_CHECKING:
    from graphrt.ops.nn_rest import (  # noqa: F401
        approx_max_k,
        approx_min_k,
    )
    from graphrt.ops.sobol import (  # noqa: F401
        sobol_sample,
    )

# imported when they are asked for
_ELSEWHERE = {
    "graphrt.ops.nn_rest": ("approx_max_k approx_min_k"),
    "graphrt.ops.sobol": ("sobol_sample"),
}
__getattr__, __dir__ = _lazy_names(__name__, _ELSEWHERE)


__all__ = [
    "abs", "accumulate_n", "acos", "acosh", "add", "add_n", "angle", "argmax", "argmin", "asin", "asinh", "atan",
    "atan2", "atanh", "bessel_i0", "bessel_i0e", "bessel_i1", "bessel_i1e", "betainc", "bincount", "ceil",
    "confusion_matrix", "conj", "cos", "cosh", "count_nonzero", "cumprod", "cumsum", "cumulative_logsumexp",
    "digamma", "divide", "divide_no_nan", "equal", "erf", "erfc", "erfcinv", "erfinv", "exp", "expm1", "floor",
    "floordiv", "floormod", "greater", "greater_equal", "igamma", "igammac", "imag", "in_top_k", "invert_permutation",
    "is_finite", "is_inf", "is_nan", "is_non_decreasing", "is_strictly_increasing", "l2_normalize", "lbeta", "less",
    "less_equal", "lgamma", "log", "log1p", "log_sigmoid", "log_softmax", "logical_and", "logical_not", "logical_or",
    "logical_xor", "maximum", "minimum", "mod", "multiply", "multiply_no_nan", "ndtri", "negative", "nextafter",
    "not_equal", "polygamma", "polyval", "pow", "real", "reciprocal", "reciprocal_no_nan", "reduce_all", "reduce_any",
    "reduce_euclidean_norm", "reduce_logsumexp", "reduce_max", "reduce_mean", "reduce_min", "reduce_prod",
    "reduce_std", "reduce_sum", "reduce_variance", "rint", "round", "rsqrt", "scalar_mul", "segment_max",
    "segment_mean", "segment_min", "segment_prod", "segment_sum", "sigmoid", "sign", "sin", "sinh", "softmax",
    "softplus", "softsign", "special", "sqrt", "square", "squared_difference", "subtract", "tan", "tanh", "top_k",
    "truediv", "unsorted_segment_max", "unsorted_segment_mean", "unsorted_segment_min", "unsorted_segment_prod",
    "unsorted_segment_sqrt_n", "unsorted_segment_sum", "xdivy", "xlog1py", "xlogy", "zero_fraction", "zeta",
]  # fmt: skip
