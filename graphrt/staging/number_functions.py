"""Built-in functions that make numbers, called on symbolic tensors: `int`, `float`, `complex`, `round`, `pow`, `len`.

y64 + int(x)        the integer that `int` makes is a number of Python: it takes the dtype of y64
"""

from __future__ import annotations

from typing import Any

from autograph.backends import register_counterpart
from graphrt import errors
from graphrt.ir.op import ops  # late: start-up, `import graphrt` reads this file
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.tensor.weak import is_flexible, weak_cast, weak_tensor, weakened
from graphrt.types.dtype import complex128, float32, float64, int32, int64, uint32, uint64
from graphrt.types.likes import TensorLike


def float_(x: TensorLike = 0.0) -> Tensor:
    """`float(x)`: a float, of 64 bits if `x` is one, else of 32 as long as nothing asks for more."""
    tensor = convert_to_tensor(x)
    if tensor.dtype.kind == "S":
        return weakened(ops.StringToNumber(tensor))
    if tensor.dtype.kind == "c":
        raise TypeError(
            errors.at_user_line("float() of a complex tensor would lose its imaginary part: use tf.math.real")
        )
    return weak_cast(tensor, float64 if tensor.dtype is float64 else float32)


def int_(x: TensorLike = 0, *base: Any) -> Tensor:
    """`int(x)`: an integer, of as many bits as that of `x`, else of 32 as long as nothing asks for more."""
    tensor = convert_to_tensor(x)
    if tensor.dtype.kind == "S":
        if base and base[0] not in (0, 10):
            raise ValueError(errors.at_user_line("int() of a string tensor takes no base but 10"))
        return weakened(ops.StringToNumber(tensor, out_type="int32"))
    if tensor.dtype.kind == "c":
        raise TypeError(
            errors.at_user_line("int() of a complex tensor would lose its imaginary part: use tf.math.real")
        )
    return weak_cast(tensor, int64 if tensor.dtype in (int64, uint32, uint64) else int32)


def _complex(real: Any = 0, imag: Any = 0) -> Any:
    if isinstance(real, Tensor) and real.dtype.is_complex:
        return weak_cast(real, complex128) + imag * 1j
    a, b = (ops.cast(convert_to_tensor(v), float64) for v in (real, imag))
    return weak_cast(ops.complex(a, b), complex128)


def round_(x: TensorLike, *ndigits: Any) -> Tensor:
    """`round(x)` and `round(x, ndigits)`, to even numbers; a float stays one."""
    return round(convert_to_tensor(x), *ndigits)


def _pow(base: Tensor, exp: Tensor, mod: Any = None) -> Tensor:
    if mod is None:
        return base**exp
    numbers = base, exp, mod
    if any((v.dtype.kind not in "iu") if isinstance(v, Tensor) else type(v) is not int for v in numbers):
        raise TypeError(errors.at_user_line("pow() with a third argument takes integers only"))
    found = ops.power_modulo(*numbers)
    if all(map(is_flexible, numbers)):
        wide = any(isinstance(v, Tensor) and v.dtype is int64 for v in numbers)
        return weak_cast(found, int64 if wide else int32)
    return ops.cast(found, next(v.dtype for v in numbers if isinstance(v, Tensor) and not is_flexible(v)))


def length(x: Any) -> Any:
    """A number of elements as the number that `len` gives."""
    return weak_cast(x, int32) if isinstance(x, Tensor) else weak_tensor(x)


def register() -> None:
    """Makes the counterparts known to converted code."""
    register_counterpart(complex, _complex)
    register_counterpart(pow, _pow)
