"""Functions of elements."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import numpy

from graphrt.numpy_api.array_api.data_types import array_of
from graphrt.ops.array.creation import zeros_like
from graphrt.ops.array.selection import where
from graphrt.ops.math.arithmetic import Maximum, Minimum
from graphrt.ops.math.casting import Complex, cast
from graphrt.ops.math.comparison import Equal
from graphrt.ops.math.elementwise import Rint
from graphrt.ops.math.elementwise import imag as imag_
from graphrt.ops.math.elementwise import real as real_
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.types.likes import TensorLike
from graphrt.types.nesting import shown

np: Any = numpy  # tensors take part in NumPy's functions by its protocols, which the types of NumPy do not know


def _one(name: str, text: str) -> Callable[[Any], Any]:
    ufunc = getattr(np, name)

    def function(x: Tensor, /) -> Tensor:
        return ufunc(array_of(x))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = text
    return function


def _two(name: str, text: str) -> Callable[[Any, Any], Any]:
    ufunc = getattr(np, name)

    def function(x1: Tensor, x2: Tensor, /) -> Tensor:
        if not hasattr(x1, "dtype") and not hasattr(x2, "dtype"):
            raise TypeError(f"{name} needs a tensor among its arguments, found {shown(x1)} and {shown(x2)}")
        return ufunc(x1 if not hasattr(x1, "dtype") else array_of(x1), x2 if not hasattr(x2, "dtype") else array_of(x2))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = text
    return function


abs = _one("abs", "Absolute value, real for complex numbers.")
acos = _one("acos", "Inverse cosine.")
acosh = _one("acosh", "Inverse hyperbolic cosine.")
add = _two("add", "Sum.")
asin = _one("asin", "Inverse sine.")
asinh = _one("asinh", "Inverse hyperbolic sine.")
atan = _one("atan", "Inverse tangent.")
atan2 = _two("atan2", "Angle of the point (x2, x1).")
atanh = _one("atanh", "Inverse hyperbolic tangent.")
bitwise_and = _two("bitwise_and", "Bits that are set in both.")
bitwise_invert = _one("bitwise_invert", "All bits turned.")
bitwise_left_shift = _two("bitwise_left_shift", "Bits moved to the left.")
bitwise_or = _two("bitwise_or", "Bits that are set in one of them.")
bitwise_right_shift = _two("bitwise_right_shift", "Bits moved to the right.")
bitwise_xor = _two("bitwise_xor", "Bits that differ.")
ceil = _one("ceil", "The next integer above.")
conj = _one("conj", "Complex conjugate.")
copysign = _two("copysign", "The size of x1 with the sign of x2.")
cos = _one("cos", "Cosine.")
cosh = _one("cosh", "Hyperbolic cosine.")
divide = _two("divide", "Quotient, of floats.")
equal = _two("equal", "Whether x1 == x2.")
exp = _one("exp", "Exponential.")
expm1 = _one("expm1", "Exponential less 1, exact near 0.")
floor = _one("floor", "The next integer below.")
floor_divide = _two("floor_divide", "Quotient rounded down.")
greater = _two("greater", "Whether x1 > x2.")
greater_equal = _two("greater_equal", "Whether x1 >= x2.")
hypot = _two("hypot", "Root of the sum of the squares.")
isfinite = _one("isfinite", "Whether neither infinite nor NaN.")
isinf = _one("isinf", "Whether infinite.")
isnan = _one("isnan", "Whether NaN.")
less = _two("less", "Whether x1 < x2.")
less_equal = _two("less_equal", "Whether x1 <= x2.")
log = _one("log", "Natural logarithm.")
log1p = _one("log1p", "Logarithm of 1 + x, exact near 0.")
log2 = _one("log2", "Logarithm to the base 2.")
log10 = _one("log10", "Logarithm to the base 10.")
logaddexp = _two("logaddexp", "Logarithm of the sum of the exponentials.")
logical_and = _two("logical_and", "Whether both are true.")
logical_not = _one("logical_not", "Whether not true.")
logical_or = _two("logical_or", "Whether one is true.")
logical_xor = _two("logical_xor", "Whether exactly one is true.")
maximum = _two("maximum", "The greater.")
minimum = _two("minimum", "The lesser.")
multiply = _two("multiply", "Product.")
negative = _one("negative", "The negative.")
nextafter = _two("nextafter", "The next number from x1 in the direction of x2.")
not_equal = _two("not_equal", "Whether x1 != x2.")
positive = _one("positive", "The same.")
pow = _two("pow", "Power.")
reciprocal = _one("reciprocal", "1 / x.")
sign = _one("sign", "-1, 0 or 1; x / |x| for complex numbers.")
signbit = _one("signbit", "Whether the sign is minus, also of -0 and NaN.")
sin = _one("sin", "Sine.")
sinh = _one("sinh", "Hyperbolic sine.")
sqrt = _one("sqrt", "Square root.")
square = _one("square", "Square.")
subtract = _two("subtract", "Difference.")
tan = _one("tan", "Tangent.")
tanh = _one("tanh", "Hyperbolic tangent.")
trunc = _one("trunc", "The next integer in the direction of 0.")


def clip(x: Any, /, min: Tensor | float | None = None, max: Tensor | float | None = None) -> Tensor:
    """`x` kept between `min` and `max`, numbers or tensors; the dtype is that of `x`.

    >>> import graphrt as tf
    >>> tf.array_api.clip(tf.constant([1, 5, 9]), 2, 6).numpy().tolist()
    [2, 5, 6]
    """
    x = array_of(x)
    for limit, op in ((min, Maximum), (max, Minimum)):
        if limit is not None:
            if hasattr(limit, "dtype"):
                limit = cast(array_of(limit), x.dtype)
            elif x.dtype.is_integer:  # a limit that the dtype cannot hold is none
                limit = convert_to_tensor(builtins.min(builtins.max(limit, x.dtype.min), x.dtype.max), x.dtype)
            else:
                limit = convert_to_tensor(limit, x.dtype)
            x = op(x, limit)
    return x


def real(x: TensorLike, /) -> Tensor:
    """Real part."""
    return real_(array_of(x))


def imag(x: TensorLike, /) -> Tensor:
    """Imaginary part."""
    return imag_(array_of(x))


def remainder(x1: TensorLike, x2: TensorLike, /) -> Tensor:
    """What remains of floor_divide, with the sign of x2, also where it is 0."""
    found = np.remainder(*(array_of(x) if hasattr(x, "dtype") or isinstance(x, (list, tuple)) else x for x in (x1, x2)))
    found = convert_to_tensor(found)
    if not found.dtype.is_floating:
        return found
    zero = convert_to_tensor(0, found.dtype)
    return where(Equal(found, zero), np.copysign(zeros_like(found), x2), found)


def round(x: Tensor, /) -> Tensor:
    """The nearest integer, halves to even; of complex numbers the parts."""
    x = array_of(x)
    if x.dtype.is_complex:
        return Complex(Rint(real_(x)), Rint(imag_(x)), Tout=x.dtype)
    return Rint(x) if x.dtype.is_floating else x
