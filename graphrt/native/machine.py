"""Functions that native programs call: ordinary Python, which Numba compiles with them.

Integers are divided here, since machines stop the process where the divisor is 0, or where the quotient does not fit.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def floored_quotient(a: Any, b: Any) -> Any:
    """`a // b`, rounded down.

    Raises:
      ArithmeticError: `b` is 0.
    """
    if b == 0:
        raise ArithmeticError
    if b < 0 and b + 1 == 0:
        return -a
    return a // b


def nonzero(b: Any) -> Any:
    """`b`, a divisor without sign.

    Raises:
      ArithmeticError: it is 0.
    """
    if b == 0:
        raise ArithmeticError
    return b


def floored_rest(a: Any, b: Any) -> Any:
    """`a % b`, with the sign of `b`.

    Raises:
      ArithmeticError: `b` is 0.
    """
    if b == 0:
        raise ArithmeticError
    if b < 0 and b + 1 == 0:
        return a - a
    return a % b


def truncated_quotient(a: Any, b: Any) -> Any:
    """`a / b`, rounded towards 0.

    Raises:
      ArithmeticError: `b` is 0.
    """
    if b == 0:
        raise ArithmeticError
    if b < 0 and b + 1 == 0:
        return -a
    quotient = a // b
    if quotient < 0 and quotient * b != a:
        quotient += 1
    return quotient


def truncated_rest(a: Any, b: Any) -> Any:
    """What `truncated_quotient` leaves, with the sign of `a`.

    Raises:
      ArithmeticError: `b` is 0.
    """
    if b == 0:
        raise ArithmeticError
    if b < 0 and b + 1 == 0:
        return a - a
    rest = a % b
    if rest != 0 and (rest < 0) != (a < 0):
        rest -= b
    return rest


def int32_of_float(x: Any) -> Any:
    """A float cut to an int32; the least one stands for all that do not fit, as NumPy has it."""
    if x > -2147483649.0 and x < 2147483648.0:
        return np.int32(x)
    return np.int32(-2147483648)


def int64_of_float(x: Any) -> Any:
    """A float cut to an int64."""
    if x >= -9223372036854775808.0 and x < 9223372036854775808.0:
        return np.int64(x)
    return np.int64(-9223372036854775808)


FUNCTIONS = (
    floored_quotient, nonzero, floored_rest, truncated_quotient, truncated_rest, int32_of_float, int64_of_float,
)  # fmt: skip

# What else a native program calls by a name.
NAMES: dict[str, Any] = {
    "__name__": __name__,  # machine code from the disk asks for the module that it belongs to
    "empty": np.empty, "zeros": np.zeros, "ones": np.ones, "bool_": np.bool_, "inf": np.inf, "nan": np.nan,
    "sqrt": np.sqrt, "floor": np.floor, "ceil": np.ceil, "rint": np.rint, "trunc": np.trunc, "fmod": np.fmod,
    "in_rows": lambda x: x.flags.c_contiguous and x.flags.aligned, "flat_view": lambda x: x.reshape(-1),
    "result": lambda x: x,
    "ArithmeticError": ArithmeticError,
    "complex": complex, "max": max, "range": range, "abs": abs,
    **{t: getattr(np, t) for t in (
        "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64",
        "complex64", "complex128",
    )},
}  # fmt: skip
TAKEN = (*NAMES, *(f.__name__ for f in FUNCTIONS))  # no variable of a program may be called so
