"""What NumPy's ufuncs do with tensors of the dtypes in which NumPy computes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from graphrt import errors
from graphrt.control_flow.while_loop import while_loop
from graphrt.ir.op import OpDef
from graphrt.numpy_api.operands import (
    as_booleans,
    as_floats,
    number_like,
    strictly,
)
from graphrt.ops.array.creation import ones_like, zeros_like
from graphrt.ops.array.selection import where as where_
from graphrt.ops.array.shape import ExpandDims, Squeeze
from graphrt.ops.linalg.einsum import einsum
from graphrt.ops.linalg.matmul import matmul as matmul_
from graphrt.ops.math.arithmetic import Maximum, Minimum, Pow, plus
from graphrt.ops.math.bitwise import PopulationCount
from graphrt.ops.math.casting import cast
from graphrt.ops.math.casting import complex as complex_
from graphrt.ops.math.comparison import Equal, Greater, GreaterEqual, Less, NotEqual
from graphrt.ops.math.division import FloorDiv, FloorMod, RealDiv, TruncateDiv, true_divide
from graphrt.ops.math.elementwise import (
    Abs,
    Exp,
    IsInf,
    IsNan,
    Log1p,
    Neg,
    Sign,
    Sqrt,
    Square,
    conj,
    imag,
    real,
)
from graphrt.ops.math.elementwise import abs as abs_
from graphrt.ops.math.logical import LogicalAnd, LogicalOr
from graphrt.ops.math.reduction import reduce_any
from graphrt.tensor.tensor import Tensor
from graphrt.types import dtype as dtypes

__all__: list[str] = []


def of_floats(op: OpDef) -> Callable[..., Any]:
    return lambda *xs: op(*(as_floats(x) for x in xs))


def of_booleans(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *xs: function(*(as_booleans(x) for x in xs))


def bits(logical: Callable[..., Any], bitwise: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *xs: (logical if xs[0].dtype.is_bool else bitwise)(*xs)


def only_floats(op: OpDef, otherwise: Callable[[Any], Any]) -> Callable[..., Any]:
    return lambda x: op(x) if x.dtype.kind in "fc" else otherwise(x)


def never(x: Tensor) -> Tensor:
    return NotEqual(x, x)


def always(x: Tensor) -> Tensor:
    return Equal(x, x)


def divide(x: Tensor, y: Tensor) -> Tensor:
    if x.dtype.is_bool:
        x, y = cast(x, dtypes.float64), cast(y, dtypes.float64)
    return true_divide(x, y)


def power_of(x: Tensor, y: Tensor) -> Tensor:
    if x.dtype.is_unsigned:  # modulo 2**64 signs make no difference
        return cast(Pow(cast(x, dtypes.int64), cast(y, dtypes.int64)), x.dtype)
    return Pow(x, y)


def plus_any(x: Tensor, y: Tensor) -> Tensor:
    return LogicalOr(x, y) if x.dtype.is_bool else plus(x, y)


def absolute(x: Tensor) -> Tensor:
    return x if x.dtype.kind in "bu" else abs_(x)


def scaled_by(op: OpDef, factor: float) -> Callable[..., Any]:
    def apply(x: Tensor) -> Tensor:
        found = op(as_floats(x))
        if found.dtype.is_complex and strictly():  # part by part: infinity times 0 is no number
            first, second = real(found), imag(found)
            return complex_(first * number_like(factor, first), second * number_like(factor, second))
        return found * number_like(factor, found)

    return apply


def times_factor(factor: float) -> Callable[..., Any]:
    return lambda x: as_floats(x) * number_like(factor, as_floats(x))


def truncate(x: Tensor) -> Tensor:
    return x if x.dtype.kind in "biuc" else TruncateDiv(x, number_like(1, x))


def cube_root(x: Tensor) -> Tensor:
    x = as_floats(x)
    return Sign(x) * Pow(Abs(x), number_like(1 / 3, x))


def unless_nan(op: OpDef) -> Callable[..., Any]:
    def apply(x: Tensor, y: Tensor) -> Tensor:
        best = op(x, y)
        if x.dtype.kind != "f":
            return best
        return where_(IsNan(x), y, where_(IsNan(y), x, best))

    return apply


def log_add(x: Tensor, y: Tensor) -> Tensor:
    x, y = as_floats(x), as_floats(y)
    high, low = Maximum(x, y), Minimum(x, y)
    gap = where_(Equal(high, low), zeros_like(high), low - high)  # infinities that are equal have no gap
    return high + Log1p(Exp(gap))


def hypotenuse(x: Tensor, y: Tensor) -> Tensor:
    """Scaled by the longer side, so that squares neither overflow nor vanish."""
    x, y = Abs(as_floats(x)), Abs(as_floats(y))
    longer, shorter = Maximum(x, y), Minimum(x, y)
    safe = where_(Equal(longer, number_like(0, x)), ones_like(longer), longer)
    found = longer * Sqrt(number_like(1, x) + Square(shorter / safe))
    return where_(LogicalOr(IsInf(x), IsInf(y)), number_like(math.inf, x), found)


def sign_bit(x: Tensor) -> Tensor:
    if x.dtype.kind != "f":
        return Less(x, number_like(0, x)) if x.dtype.kind == "i" else never(x)
    negative_zero = Less(RealDiv(number_like(1, x), x), number_like(0, x))
    return LogicalOr(Less(x, number_like(0, x)), LogicalAnd(Equal(x, number_like(0, x)), negative_zero))


def copied_sign(x: Tensor, y: Tensor) -> Tensor:
    x, y = Abs(as_floats(x)), as_floats(y)
    return where_(sign_bit(y), Neg(x), x)


def step_at(x: Tensor, y: Tensor) -> Tensor:
    x, y = as_floats(x), as_floats(y)
    above = cast(Greater(x, number_like(0, x)), x.dtype)
    found = where_(Equal(x, number_like(0, x)), y, above)
    return where_(IsNan(x), x, found)


def split_parts(x: Tensor) -> tuple[Tensor, Tensor]:
    x = as_floats(x)
    whole = truncate(x)
    return where_(IsInf(x), zeros_like(x), x - whole), whole


def times_power_of_two(x: Tensor, y: Tensor) -> Tensor:
    x = as_floats(x)
    return x * Pow(number_like(2, x), cast(y, x.dtype))


def shift_by(op: OpDef, beyond: Callable[[Tensor], Tensor]) -> Callable[..., Any]:
    """A shift of numbers; by a distance out of range, which the op takes for the nearest one in range, it is `beyond`."""

    def apply(x: Tensor, y: Tensor) -> Tensor:
        if x.dtype.is_bool and y.dtype.is_bool:
            x, y = cast(x, dtypes.int8), cast(y, dtypes.int8)
        if not x.dtype.is_integer:
            return op(x, y)  # which refuses it
        inside = LogicalAnd(GreaterEqual(y, number_like(0, y)), Less(y, number_like(8 * x.dtype.size, y)))
        return where_(inside, op(x, y), beyond(x))

    return apply


def ones_below_zero(x: Tensor) -> Tensor:
    return zeros_like(x) if x.dtype.is_unsigned else Neg(cast(Less(x, number_like(0, x)), x.dtype))


def bit_count(x: Tensor) -> Tensor:
    """NumPy counts the bits of absolute values."""
    x = cast(x, dtypes.uint8) if x.dtype.is_bool else x
    return PopulationCount(absolute(x))


def inner_last(x: Tensor, y: Tensor) -> Tensor:
    return einsum("...i,...i->...", conj(x), y)


def matrix_vector(x: Any, y: Any) -> Any:
    return Squeeze(matmul_(x, ExpandDims(y, -1)), squeeze_dims=[-1])


def vector_matrix(x: Any, y: Any) -> Any:
    return Squeeze(matmul_(ExpandDims(conj(x), -2), y), squeeze_dims=[-2])


def log_add_2(x: Tensor, y: Tensor) -> Tensor:
    scale = math.log(2)
    x, y = as_floats(x), as_floats(y)
    return log_add(x * number_like(scale, x), y * number_like(scale, y)) * number_like(1 / scale, x)


def either_part(op: OpDef, join: OpDef, otherwise: Callable[[Any], Any]) -> Callable[..., Any]:
    """A question about floats, asked of both parts of complex numbers."""

    def apply(x: Tensor) -> Tensor:
        if x.dtype.kind == "c":
            return join(op(real(x)), op(imag(x)))
        return op(x) if x.dtype.kind == "f" else otherwise(x)

    return apply


def greatest_divisor(x: Any, y: Any) -> Any:
    """Euclid's: the greatest number that divides both."""
    if not x.dtype.is_integer:
        raise TypeError(errors.at_user_line(f"divisors are those of integers, found {x.dtype.name}"))
    nothing = zeros_like(x) * zeros_like(y)

    def step(a: Tensor, b: Tensor) -> list[Tensor]:
        done = Equal(b, zeros_like(b))
        return [where_(done, a, b), where_(done, b, FloorMod(a, where_(done, ones_like(b), b)))]

    start = (absolute(x) + nothing, absolute(y) + nothing)
    return absolute(while_loop(lambda _, b: reduce_any(NotEqual(b, zeros_like(b))), step, start)[0])


def least_multiple(x: Any, y: Any) -> Any:
    """The least number that both divide, 0 for 0."""
    common = greatest_divisor(x, y)
    return absolute(FloorDiv(x + zeros_like(common), Maximum(common, ones_like(common))) * y)


def matmul(x: Tensor, y: Tensor) -> Tensor:
    """NumPy's matrix product: vectors are rows on the left and columns on the right."""
    if x.dtype in (dtypes.int8, dtypes.int16):  # which MatMul does not take
        return cast(matmul(cast(x, dtypes.int32), cast(y, dtypes.int32)), x.dtype)
    left, right = x.dims is not None and len(x.dims) == 1, y.dims is not None and len(y.dims) == 1
    if left:
        x = ExpandDims(x, 0)
    if right:
        y = ExpandDims(y, -1)
    found = matmul_(x, y)
    if right:
        found = Squeeze(found, squeeze_dims=[-1])
    return Squeeze(found, squeeze_dims=[-1 if right else -2]) if left else found
