# Written by tests/stubs.py from graphrt/api/exports.py.
"""Functions of numbers."""
from graphrt.ops.array.shape import (
    invert_permutation as invert_permutation
)
from graphrt.ops.array.sorting import (
    in_top_k as in_top_k, top_k as top_k
)
from graphrt.ops.math.arg_extrema import (
    argmax as argmax, argmin as argmin
)
from graphrt.ops.math.arithmetic import (
    accumulate_n as accumulate_n, add as add, add_n as add_n, atan2 as atan2, maximum as maximum, minimum as minimum,
    multiply as multiply, multiply_no_nan as multiply_no_nan, nextafter as nextafter, pow as pow,
    scalar_mul as scalar_mul, squared_difference as squared_difference, subtract as subtract, xdivy as xdivy,
    xlog1py as xlog1py, xlogy as xlogy
)
from graphrt.ops.math.comparison import (
    equal as equal, greater as greater, greater_equal as greater_equal, less as less, less_equal as less_equal,
    not_equal as not_equal
)
from graphrt.ops.math.cumulative import (
    cumprod as cumprod, cumsum as cumsum, cumulative_logsumexp as cumulative_logsumexp
)
from graphrt.ops.math.division import (
    divide as divide, divide_no_nan as divide_no_nan, floordiv as floordiv, floormod as floormod, mod as mod,
    reciprocal_no_nan as reciprocal_no_nan, truediv as truediv
)
from graphrt.ops.math.elementwise import (
    abs as abs, acos as acos, acosh as acosh, angle as angle, asin as asin, asinh as asinh, atan as atan,
    atanh as atanh, ceil as ceil, conj as conj, cos as cos, cosh as cosh, exp as exp, expm1 as expm1, floor as floor,
    imag as imag, is_finite as is_finite, is_inf as is_inf, is_nan as is_nan, log as log, log1p as log1p,
    log_sigmoid as log_sigmoid, negative as negative, real as real, reciprocal as reciprocal, rint as rint,
    round as round, rsqrt as rsqrt, sigmoid as sigmoid, sign as sign, sin as sin, sinh as sinh, sqrt as sqrt,
    square as square, tan as tan, tanh as tanh
)
from graphrt.ops.math.histogram import (
    bincount as bincount, confusion_matrix as confusion_matrix, is_non_decreasing as is_non_decreasing,
    is_strictly_increasing as is_strictly_increasing
)
from graphrt.ops.math.logical import (
    logical_and as logical_and, logical_not as logical_not, logical_or as logical_or, logical_xor as logical_xor
)
from graphrt.ops.math.reduction import (
    count_nonzero as count_nonzero, reduce_all as reduce_all, reduce_any as reduce_any,
    reduce_euclidean_norm as reduce_euclidean_norm, reduce_logsumexp as reduce_logsumexp, reduce_max as reduce_max,
    reduce_mean as reduce_mean, reduce_min as reduce_min, reduce_prod as reduce_prod, reduce_std as reduce_std,
    reduce_sum as reduce_sum, reduce_variance as reduce_variance, zero_fraction as zero_fraction
)
from graphrt.ops.math.segments import (
    segment_max as segment_max, segment_mean as segment_mean, segment_min as segment_min,
    segment_prod as segment_prod, segment_sum as segment_sum, unsorted_segment_max as unsorted_segment_max,
    unsorted_segment_mean as unsorted_segment_mean, unsorted_segment_min as unsorted_segment_min,
    unsorted_segment_prod as unsorted_segment_prod, unsorted_segment_sqrt_n as unsorted_segment_sqrt_n,
    unsorted_segment_sum as unsorted_segment_sum
)
from graphrt.ops.math.special.bessel import (
    bessel_i0 as bessel_i0, bessel_i0e as bessel_i0e, bessel_i1 as bessel_i1, bessel_i1e as bessel_i1e
)
from graphrt.ops.math.special.gamma import (
    betainc as betainc, digamma as digamma, erf as erf, erfc as erfc, erfcinv as erfcinv, erfinv as erfinv,
    igamma as igamma, igammac as igammac, lbeta as lbeta, lgamma as lgamma, ndtri as ndtri, polygamma as polygamma,
    polyval as polyval, zeta as zeta
)
from graphrt.ops.nn.activations import (
    log_softmax as log_softmax, softmax as softmax, softplus as softplus, softsign as softsign
)
from graphrt.ops.nn.normalization import (
    l2_normalize as l2_normalize
)
from graphrt.ops.nn.statistics import (
    approx_max_k as approx_max_k, approx_min_k as approx_min_k
)
from graphrt.ops.random.sobol import (
    sobol_sample as sobol_sample
)
from graphrt.api import math_special as math_special
special = math_special
