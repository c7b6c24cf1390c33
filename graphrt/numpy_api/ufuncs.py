"""NumPy's ufuncs on tensors: `np.tanh(x)`, `array + x`, `np.add.reduce(x)` become ops, eagerly and while tracing.

An array that meets a tensor is converted to the dtype of the tensor where that loses nothing, as the operators do;
otherwise NumPy's promotion holds. A ufunc without an op runs in NumPy on concrete tensors, and is refused, by name, on
symbolic ones. Functions that are no ufuncs are in `functions.py`.
"""

from __future__ import annotations

import dis
import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.ir.op import OpDef, provide
from graphrt.numpy_api.operands import (
    any_symbolic,
    as_booleans,
    as_floats,
    dtype_of,
    is_tensor_like,
    number_like,
    of_bits,
    tensor_of_any,
    together,
    truncated_mod,
)
from graphrt.ops.array.concat_split import concat
from graphrt.ops.array.creation import ones_like, zeros_like
from graphrt.ops.array.selection import where as where_
from graphrt.ops.array.shape import ExpandDims, Squeeze
from graphrt.ops.linalg.matmul import matmul as matmul_
from graphrt.ops.math.arithmetic import Atan2, Maximum, Minimum, NextAfter, Pow, Sub, plus, times
from graphrt.ops.math.bitwise import BitwiseAnd, BitwiseOr, BitwiseXor, Invert, LeftShift, PopulationCount, RightShift
from graphrt.ops.math.casting import cast
from graphrt.ops.math.comparison import Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual
from graphrt.ops.math.cumulative import cumprod, cumsum
from graphrt.ops.math.division import FloorDiv, FloorMod, RealDiv, TruncateDiv, true_divide
from graphrt.ops.math.elementwise import (
    Abs,
    Acos,
    Acosh,
    Asin,
    Asinh,
    Atan,
    Atanh,
    Ceil,
    Cos,
    Cosh,
    Exp,
    Expm1,
    Floor,
    IsFinite,
    IsInf,
    IsNan,
    Log,
    Log1p,
    Neg,
    Reciprocal,
    Rint,
    Sign,
    Sin,
    Sinh,
    Sqrt,
    Square,
    Tan,
    Tanh,
    conj,
    imag,
    negative,
    real,
    sign,
)
from graphrt.ops.math.elementwise import abs as abs_
from graphrt.ops.math.logical import LogicalAnd, LogicalNot, LogicalOr, logical_xor
from graphrt.ops.math.reduction import reduce_all, reduce_any, reduce_max, reduce_min, reduce_prod, reduce_sum
from graphrt.ops.support.kernel_helpers import place_in
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import EagerTensor, Tensor
from graphrt.tensor.values import to_numpy
from graphrt.types import dtype as dtypes
from graphrt.types.dtype import from_numpy
from graphrt.types.likes import Array, AxisLike, TensorLike
from graphrt.types.nesting import bounded

# --- ufunc -> op -----------------------------------------------------------------------------------------------------
# state: registry, filled by declarations
_UFUNCS: dict[Any, Callable[..., Any]] = {}


def _of_floats(op: OpDef) -> Callable[..., Any]:
    return lambda *xs: op(*(as_floats(x) for x in xs))


def _of_booleans(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *xs: function(*(as_booleans(x) for x in xs))


def _bits(logical: Callable[..., Any], bitwise: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *xs: (logical if xs[0].dtype.is_bool else bitwise)(*xs)


def _only_floats(op: OpDef, otherwise: Callable[[Any], Any]) -> Callable[..., Any]:
    return lambda x: op(x) if x.dtype.kind in "fc" else otherwise(x)


def _never(x: Tensor) -> Tensor:
    return NotEqual(x, x)


def _always(x: Tensor) -> Tensor:
    return Equal(x, x)


def _divide(x: Tensor, y: Tensor) -> Tensor:
    if x.dtype.is_bool:
        x, y = cast(x, dtypes.float64), cast(y, dtypes.float64)
    return true_divide(x, y)


def _power(x: Tensor, y: Tensor) -> Tensor:
    if x.dtype.is_unsigned:  # modulo 2**64 signs make no difference
        return cast(Pow(cast(x, dtypes.int64), cast(y, dtypes.int64)), x.dtype)
    return Pow(x, y)


def _sum(x: Tensor, y: Tensor) -> Tensor:
    return LogicalOr(x, y) if x.dtype.is_bool else plus(x, y)


def _absolute(x: Tensor) -> Tensor:
    return x if x.dtype.kind in "bu" else abs_(x)


def _scaled(op: OpDef, factor: float) -> Callable[..., Any]:
    def apply(x: Tensor) -> Tensor:
        found = op(as_floats(x))
        return found * number_like(factor, found)

    return apply


def _times(factor: float) -> Callable[..., Any]:
    return lambda x: as_floats(x) * number_like(factor, as_floats(x))


def _truncate(x: Tensor) -> Tensor:
    return x if x.dtype.kind in "biuc" else TruncateDiv(x, number_like(1, x))


def _cube_root(x: Tensor) -> Tensor:
    x = as_floats(x)
    return Sign(x) * Pow(Abs(x), number_like(1 / 3, x))


def _unless_nan(op: OpDef) -> Callable[..., Any]:
    def apply(x: Tensor, y: Tensor) -> Tensor:
        best = op(x, y)
        if x.dtype.kind != "f":
            return best
        return where_(IsNan(x), y, where_(IsNan(y), x, best))

    return apply


def _log_add(x: Tensor, y: Tensor) -> Tensor:
    x, y = as_floats(x), as_floats(y)
    high, low = Maximum(x, y), Minimum(x, y)
    gap = where_(Equal(high, low), zeros_like(high), low - high)  # infinities that are equal have no gap
    return high + Log1p(Exp(gap))


def _hypotenuse(x: Tensor, y: Tensor) -> Tensor:
    """Scaled by the longer side, so that squares neither overflow nor vanish."""
    x, y = Abs(as_floats(x)), Abs(as_floats(y))
    longer, shorter = Maximum(x, y), Minimum(x, y)
    safe = where_(Equal(longer, number_like(0, x)), ones_like(longer), longer)
    found = longer * Sqrt(number_like(1, x) + Square(shorter / safe))
    return where_(LogicalOr(IsInf(x), IsInf(y)), number_like(math.inf, x), found)


def _sign_bit(x: Tensor) -> Tensor:
    if x.dtype.kind != "f":
        return Less(x, number_like(0, x)) if x.dtype.kind == "i" else _never(x)
    negative_zero = Less(RealDiv(number_like(1, x), x), number_like(0, x))
    return LogicalOr(Less(x, number_like(0, x)), LogicalAnd(Equal(x, number_like(0, x)), negative_zero))


def _copied_sign(x: Tensor, y: Tensor) -> Tensor:
    x, y = Abs(as_floats(x)), as_floats(y)
    return where_(_sign_bit(y), Neg(x), x)


def _step(x: Tensor, y: Tensor) -> Tensor:
    x, y = as_floats(x), as_floats(y)
    above = cast(Greater(x, number_like(0, x)), x.dtype)
    found = where_(Equal(x, number_like(0, x)), y, above)
    return where_(IsNan(x), x, found)


def _parts(x: Tensor) -> tuple[Tensor, Tensor]:
    x = as_floats(x)
    whole = _truncate(x)
    return where_(IsInf(x), zeros_like(x), x - whole), whole


def _times_power_of_two(x: Tensor, y: Tensor) -> Tensor:
    x = as_floats(x)
    return x * Pow(number_like(2, x), cast(y, x.dtype))


def _inner_last(x: Tensor, y: Tensor) -> Tensor:
    return reduce_sum(times(conj(x), y), -1)


def _matrix_vector(x: Any, y: Any) -> Any:
    return Squeeze(matmul_(x, ExpandDims(y, -1)), squeeze_dims=[-1])


def _vector_matrix(x: Any, y: Any) -> Any:
    return Squeeze(matmul_(ExpandDims(conj(x), -2), y), squeeze_dims=[-2])


def _log_add_2(x: Tensor, y: Tensor) -> Tensor:
    scale = math.log(2)
    x, y = as_floats(x), as_floats(y)
    return _log_add(x * number_like(scale, x), y * number_like(scale, y)) * number_like(1 / scale, x)


def _either_part(op: OpDef, join: OpDef, otherwise: Callable[[Any], Any]) -> Callable[..., Any]:
    """A question about floats, asked of both parts of complex numbers."""

    def apply(x: Tensor) -> Tensor:
        if x.dtype.kind == "c":
            return join(op(real(x)), op(imag(x)))
        return op(x) if x.dtype.kind == "f" else otherwise(x)

    return apply


def _fill_ufuncs() -> None:
    ordering = (Square, Maximum, Minimum, Less, LessEqual, Greater, GreaterEqual)
    names = (np.square, np.maximum, np.minimum, np.less, np.less_equal, np.greater, np.greater_equal)
    _UFUNCS.update(zip(names, map(of_bits, ordering)))
    _UFUNCS.update({np.equal: Equal, np.not_equal: NotEqual, np.nextafter: NextAfter})
    for ufunc, op in {
        np.sqrt: Sqrt, np.exp: Exp, np.expm1: Expm1, np.log: Log, np.log1p: Log1p, np.sin: Sin, np.cos: Cos,
        np.tan: Tan, np.arcsin: Asin, np.arccos: Acos, np.arctan: Atan, np.sinh: Sinh, np.cosh: Cosh, np.tanh: Tanh,
        np.arcsinh: Asinh, np.arccosh: Acosh, np.arctanh: Atanh, np.arctan2: Atan2, np.rint: Rint, np.fabs: Abs,
    }.items():  # fmt: skip
        _UFUNCS[ufunc] = _of_floats(op)
    for ufunc, logical, bitwise in (
        (np.bitwise_and, LogicalAnd, BitwiseAnd), (np.bitwise_or, LogicalOr, BitwiseOr),
        (np.bitwise_xor, logical_xor, BitwiseXor), (np.invert, LogicalNot, Invert),
    ):  # fmt: skip
        _UFUNCS[ufunc] = _bits(logical, bitwise)
    _UFUNCS.update({
        np.logical_and: _of_booleans(LogicalAnd), np.logical_or: _of_booleans(LogicalOr),
        np.logical_xor: _of_booleans(logical_xor), np.logical_not: _of_booleans(LogicalNot),
    })  # fmt: skip
    _UFUNCS.update({
        np.add: _sum, np.subtract: Sub, np.multiply: lambda x, y: times(x, y),
        np.true_divide: _divide, np.floor_divide: FloorDiv, np.remainder: FloorMod,
        np.fmod: truncated_mod, np.power: _power,
        np.float_power: lambda x, y: Pow(cast(x, dtypes.float64), cast(y, dtypes.float64)),
        np.divmod: lambda x, y: (FloorDiv(x, y), FloorMod(x, y)),
        np.positive: lambda x: x, np.absolute: _absolute, np.conjugate: lambda x: conj(x),
        np.reciprocal: Reciprocal,
        np.floor: _only_floats(Floor, lambda x: x), np.ceil: _only_floats(Ceil, lambda x: x), np.trunc: _truncate,
        np.negative: lambda x: Sub(number_like(0, x), x) if x.dtype.is_unsigned else negative(x),
        np.sign: lambda x: cast(as_booleans(x), x.dtype) if x.dtype.is_unsigned else sign(x),
        np.isnan: _either_part(IsNan, LogicalOr, _never), np.isinf: _either_part(IsInf, LogicalOr, _never),
        np.isfinite: _either_part(IsFinite, LogicalAnd, _always),
        np.log2: _scaled(Log, 1 / math.log(2)), np.log10: _scaled(Log, 1 / math.log(10)),
        np.exp2: lambda x: Pow(number_like(2, as_floats(x)), as_floats(x)), np.cbrt: _cube_root,
        np.hypot: _hypotenuse, np.logaddexp: _log_add, np.logaddexp2: _log_add_2, np.signbit: _sign_bit,
        np.copysign: _copied_sign, np.heaviside: _step, np.modf: _parts, np.ldexp: _times_power_of_two,
        np.vecdot: _inner_last,
        np.degrees: _times(180 / math.pi), np.rad2deg: _times(180 / math.pi),
        np.radians: _times(math.pi / 180), np.deg2rad: _times(math.pi / 180),
        np.fmax: _unless_nan(Maximum), np.fmin: _unless_nan(Minimum),
        np.left_shift: LeftShift, np.right_shift: RightShift,
        np.matmul: lambda x, y: matmul(x, y), np.bitwise_count: PopulationCount,
    })  # fmt: skip


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


_fill_ufuncs()
_UFUNCS.update(
    {getattr(np, n): r for n, r in (("matvec", _matrix_vector), ("vecmat", _vector_matrix)) if hasattr(np, n)}
)
_REDUCE = {
    np.add: reduce_sum, np.multiply: reduce_prod, np.maximum: reduce_max, np.minimum: reduce_min,
    np.logical_and: reduce_all, np.logical_or: reduce_any,
}  # fmt: skip
_ACCUMULATE = {np.add: cumsum, np.multiply: cumprod}


# --- the protocol ----------------------------------------------------------------------------------------------------
def _refuse(what: str) -> Any:
    raise TypeError(errors.at_user_line(what))


def to_arrays(value: object) -> Any:
    """The arrays inside nested containers of concrete tensors."""
    if is_tensor_like(value):
        return np.asarray(tensor_of_any(value))
    if isinstance(value, (list, tuple)):
        return type(value)(to_arrays(v) for v in value)
    if isinstance(value, dict):
        return {k: to_arrays(v) for k, v in value.items()}
    return value


def from_arrays(value: Any) -> Any:
    """Arrays that a NumPy function returned, as tensors; anything else as it is."""
    if isinstance(value, (np.ndarray, np.generic)):
        try:
            from_numpy(value.dtype)
        except TypeError:
            return value
        return EagerTensor(value)
    if type(value) in (list, tuple):
        return type(value)(from_arrays(v) for v in value)
    return value


@provide
def array_ufunc(ufunc: np.ufunc, method: str, inputs: Any, kwargs: dict[str, Any]) -> Any:
    """What a NumPy ufunc gives when one of its inputs is a tensor.

    Raises:
      TypeError: `out=` cannot be written, or a symbolic tensor meets a ufunc or an argument that has no op.
    """
    kwargs = dict(kwargs)
    out = kwargs.pop("out", None)
    symbolic = any_symbolic(inputs) or any_symbolic(kwargs)
    if out is not None:
        if method == "__call__" and len(out) == 1 and symbolic and out[0] is inputs[0] and _in_place(sys._getframe(1)):
            return array_ufunc(ufunc, method, (np.array(inputs[0]), *inputs[1:]), kwargs)  # array += tensor
        return _into(ufunc, method, inputs, kwargs, out, symbolic)
    for harmless in ("casting", "order", "subok"):
        kwargs.pop(harmless, None)
    rule = _UFUNCS.get(ufunc)
    if rule is not None and method == "__call__" and set(kwargs) <= {"dtype"}:
        return _call(rule, ufunc, inputs, kwargs.get("dtype"))
    if rule is not None and method == "__call__" and symbolic and set(kwargs) == {"where"}:
        found = _call(rule, ufunc, inputs, None)  # NumPy leaves the other elements as they happen to be
        return where_(tensor_of_any(kwargs["where"]), found, zeros_like(found))
    kwargs = {k: v for k, v in kwargs.items() if v is not np._NoValue}
    if method == "reduce" and ufunc in _REDUCE and set(kwargs) <= {"axis", "keepdims", "dtype", "initial", "where"}:
        return _reduced(ufunc, inputs[0], *inputs[1:], **kwargs)
    if method == "accumulate" and ufunc in _DOUBLED and set(kwargs) <= {"axis"}:
        found = _running(ufunc, tensor_of_any(inputs[0]), kwargs.get("axis", 0))
        if found is not None:
            return found
    if method == "accumulate" and ufunc in _ACCUMULATE and set(kwargs) <= {"axis", "dtype"}:
        x = _as(tensor_of_any(inputs[0]), kwargs.get("dtype"))
        return _ACCUMULATE[ufunc](x, kwargs.get("axis", 0))
    if method == "outer" and rule is not None and not kwargs:
        x, y = together(inputs)
        if y.dims is not None:
            for _ in y.dims:
                x = ExpandDims(x, -1)
            return rule(x, y)
    if symbolic:
        extra = f" with {', '.join(sorted(kwargs))}" if kwargs else ""
        where = "" if method == "__call__" else f".{method}"
        _refuse(
            f"np.{ufunc.__name__}{where}{extra} has no counterpart among the ops, and a symbolic tensor has no elements"
            " for NumPy to work on. Use a tf function, or tf.numpy_function."
        )
    if method == "at":
        _refuse(f"np.{ufunc.__name__}.at changes its first argument, and a tensor cannot be changed in place.")
    return from_arrays(getattr(ufunc, method)(*to_arrays(inputs), **to_arrays(kwargs)))


def _into(
    ufunc: np.ufunc, method: str, inputs: Any, kwargs: dict[Any, Any], out: tuple[Array | Tensor], symbolic: bool
) -> Array:
    targets = out if isinstance(out, tuple) else (out,)
    if symbolic or any(is_tensor_like(t) for t in targets):
        _refuse(
            f"np.{ufunc.__name__}(..., out=...) cannot write: "
            + ("a symbolic tensor has no elements yet" if symbolic else "a tensor cannot be changed in place")
            + ". Use the value that the function returns."
        )
    return getattr(ufunc, method)(*to_arrays(inputs), **to_arrays(kwargs), out=out)


def _as(x: Tensor, dtype: type | None) -> Tensor:
    return x if dtype is None else cast(x, dtype_of(dtype))


# An array beside a tensor is an operand of Python's operator, which asked NumPy first.
_OPERATORS = {
    np.add: ("__add__", "__radd__"), np.subtract: ("__sub__", "__rsub__"), np.multiply: ("__mul__", "__rmul__"),
    np.true_divide: ("__truediv__", "__rtruediv__"), np.floor_divide: ("__floordiv__", "__rfloordiv__"),
    np.remainder: ("__mod__", "__rmod__"), np.power: ("__pow__", "__rpow__"), np.bitwise_and: ("__and__", "__rand__"),
    np.bitwise_or: ("__or__", "__ror__"), np.bitwise_xor: ("__xor__", "__rxor__"), np.less: ("__lt__", "__gt__"),
    np.less_equal: ("__le__", "__ge__"), np.greater: ("__gt__", "__lt__"), np.greater_equal: ("__ge__", "__le__"),
}  # fmt: skip


@bounded
def _as_operator(ufunc: Any, inputs: tuple[Any, ...]) -> Tensor:
    """The operator's result for a tensor and an array that fits its dtype, else NotImplemented."""
    names = _OPERATORS.get(ufunc)
    if names is None or len(inputs) != 2 or is_tensor_like(inputs[0]) == is_tensor_like(inputs[1]):
        return NotImplemented
    first = is_tensor_like(inputs[0])
    tensor, other = tensor_of_any(inputs[0] if first else inputs[1]), inputs[1] if first else inputs[0]
    if tensor.dtype.is_bool or tensor.dtype.kind == "S" or (ufunc is np.power and tensor.dtype.is_unsigned):
        return NotImplemented
    try:
        to_numpy(other, tensor.dtype)
    except (TypeError, ValueError):
        return NotImplemented
    return getattr(tensor, names[0] if first else names[1])(other)


def _call(rule: Callable[..., Any], ufunc: np.ufunc, inputs: Any, dtype: type | None) -> Tensor | tuple[Tensor, Tensor]:
    if dtype is None:
        found = _as_operator(ufunc, inputs)
        if found is not NotImplemented:
            return found
    apart = len(inputs) == 1 or ufunc.__name__.startswith("logical_")
    tensors = [tensor_of_any(x) for x in inputs] if apart else together(inputs)
    if dtype is not None:
        tensors = [_as(t, dtype) for t in tensors]
    return rule(*tensors)


_DOUBLED = (np.maximum, np.minimum, np.logical_and, np.logical_or)


def _running(ufunc: np.ufunc, x: Any, axis: int) -> Any:
    """`accumulate` by doubling: each round combines every element with that of twice the distance before it."""
    size = None if x.dims is None else x.dims[axis]
    if size is None:
        return None
    if ufunc in (np.logical_and, np.logical_or):
        x = as_booleans(x)
    lead = (slice(None),) * (place_in(axis, len(x.dims)))
    distance = 1
    while distance < size:
        joined = _UFUNCS[ufunc](x[(*lead, slice(distance, None))], x[(*lead, slice(None, -distance))])
        x = concat([x[(*lead, slice(None, distance))], joined], axis)
        distance *= 2
    return x


def _reduced(
    ufunc: Any, x: Any, axis: int | None = 0, dtype: Any = None, keepdims: bool = False, initial: float | None = None,
    where: bool = True
) -> Tensor:  # fmt: skip
    x = _as(tensor_of_any(x), dtype)
    if ufunc in (np.logical_and, np.logical_or):
        x = as_booleans(x)
    elif x.dtype.is_bool and ufunc in (np.add, np.multiply):
        x = cast(x, dtypes.int64)
    return reduced(_REDUCE[ufunc], ufunc, x, axis, keepdims, initial, where)


def reduced(
    reduce: Callable[..., Any], ufunc: np.ufunc, x: Tensor, axis: AxisLike, keepdims: bool = False,
    initial: TensorLike | None = None, where: TensorLike = True,
) -> Tensor:  # fmt: skip
    """`reduce` over the elements where `where` holds, and `initial`."""
    if where is not True:
        if ufunc in (np.maximum, np.minimum):
            if initial is None:
                raise ValueError(
                    f"reduction operation '{ufunc.__name__}' does not have an identity, so to use a where mask one "
                    "has to specify 'initial'"
                )
            neutral = initial
        else:
            neutral = ufunc.identity
        fill = convert_to_tensor(neutral, x.dtype) if not isinstance(neutral, Tensor) else neutral
        x = where_(tensor_of_any(where), x, fill)
    found = reduce(x, axis, keepdims)
    if initial is None:
        return found
    return _UFUNCS[ufunc](*together([found, initial]))


_FIRST_IN_PLACE = 13  # the arguments of BINARY_OP from here on are `+=`, `-=`, ...


def _in_place(frame: Any) -> bool:
    """Whether the Python code that runs in (a caller of) `frame` is at a statement such as `array += tensor`.

    Its name is bound to what we return, so a new tensor can stand for the array. `np.add(a, t, out=a)` is another
    thing: nobody would see the result.
    """
    while frame is not None and frame.f_code.co_filename == _TENSOR_FILE:
        frame = frame.f_back
    if frame is None or frame.f_lasti < 0:
        return False
    code = frame.f_code.co_code
    at = frame.f_lasti
    return code[at] == dis.opmap["BINARY_OP"] and _FIRST_IN_PLACE <= code[at + 1] < 2 * _FIRST_IN_PLACE


_TENSOR_FILE = Tensor.__getitem__.__code__.co_filename
