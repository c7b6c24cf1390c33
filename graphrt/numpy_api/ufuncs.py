"""NumPy's ufuncs on tensors: `np.tanh(x)`, `array + x`, `np.add.reduce(x)` become ops, eagerly and while tracing.

An array that meets a tensor is converted to the dtype of the tensor where that loses nothing, as the operators do;
otherwise NumPy's promotion holds. A ufunc without an op runs in NumPy on concrete tensors, and is refused, by name, on
symbolic ones. Functions that are no ufuncs are in `functions.py`.
"""

from __future__ import annotations

import dis
import functools
import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.ir.op import provide
from graphrt.numpy_api.operands import (
    any_symbolic,
    as_booleans,
    as_floats,
    dtype_of,
    held_in,
    is_tensor_like,
    number_like,
    of_bits,
    strictly,
    tensor_of_any,
    together,
    truncated_mod,
)
from graphrt.numpy_api.ufunc_rules import (
    absolute,
    always,
    bit_count,
    bits,
    copied_sign,
    cube_root,
    divide,
    either_part,
    greatest_divisor,
    hypotenuse,
    inner_last,
    least_multiple,
    log_add,
    log_add_2,
    matmul,
    matrix_vector,
    never,
    of_booleans,
    of_floats,
    ones_below_zero,
    only_floats,
    plus_any,
    power_of,
    scaled_by,
    shift_by,
    sign_bit,
    split_parts,
    step_at,
    times_factor,
    times_power_of_two,
    truncate,
    unless_nan,
    vector_matrix,
)
from graphrt.ops.array.concat_split import concat
from graphrt.ops.array.creation import zeros_like
from graphrt.ops.array.selection import where as where_
from graphrt.ops.array.shape import ExpandDims, Shape, broadcast_to
from graphrt.ops.math.arithmetic import Atan2, Maximum, Minimum, NextAfter, Pow, Sub, times
from graphrt.ops.math.bitwise import BitwiseAnd, BitwiseOr, BitwiseXor, Invert, LeftShift, RightShift
from graphrt.ops.math.casting import cast
from graphrt.ops.math.comparison import Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual
from graphrt.ops.math.cumulative import cumprod, cumsum
from graphrt.ops.math.division import FloorDiv, FloorMod
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
    Reciprocal,
    Rint,
    Sin,
    Sinh,
    Sqrt,
    Square,
    Tan,
    Tanh,
    conj,
    negative,
    sign,
)
from graphrt.ops.math.logical import LogicalAnd, LogicalNot, LogicalOr, logical_xor
from graphrt.ops.math.reduction import reduce_all, reduce_any, reduce_max, reduce_min, reduce_prod, reduce_sum
from graphrt.ops.support.kernel_helpers import place_in
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import EagerTensor, Tensor
from graphrt.tensor.values import to_numpy
from graphrt.types import dtype as dtypes
from graphrt.types.dtype import from_numpy
from graphrt.types.likes import Array, AxisLike, DTypeLike, TensorLike
from graphrt.types.nesting import bounded
from graphrt.types.shape import broadcast, is_static

# --- ufunc -> op -----------------------------------------------------------------------------------------------------
# state: registry, filled by declarations
_UFUNCS: dict[Any, Callable[..., Any]] = {}


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
        _UFUNCS[ufunc] = of_floats(op)
    for ufunc, logical, bitwise in (
        (np.bitwise_and, LogicalAnd, BitwiseAnd), (np.bitwise_or, LogicalOr, BitwiseOr),
        (np.bitwise_xor, logical_xor, BitwiseXor), (np.invert, LogicalNot, Invert),
    ):  # fmt: skip
        _UFUNCS[ufunc] = bits(logical, bitwise)
    _UFUNCS.update({
        np.logical_and: of_booleans(LogicalAnd), np.logical_or: of_booleans(LogicalOr),
        np.logical_xor: of_booleans(logical_xor), np.logical_not: of_booleans(LogicalNot),
    })  # fmt: skip
    _UFUNCS.update({
        np.add: plus_any, np.subtract: Sub, np.multiply: lambda x, y: times(x, y),
        np.true_divide: divide, np.floor_divide: FloorDiv, np.remainder: FloorMod,
        np.fmod: truncated_mod, np.power: power_of,
        np.float_power: lambda x, y: Pow(x, y) if strictly() else Pow(cast(x, dtypes.float64), cast(y, dtypes.float64)),
        np.divmod: lambda x, y: (FloorDiv(x, y), FloorMod(x, y)),
        np.positive: lambda x: x, np.absolute: absolute, np.conjugate: lambda x: conj(x),
        np.reciprocal: Reciprocal,
        np.floor: only_floats(Floor, lambda x: x), np.ceil: only_floats(Ceil, lambda x: x), np.trunc: truncate,
        np.negative: lambda x: Sub(number_like(0, x), x) if x.dtype.is_unsigned else negative(x),
        np.sign: lambda x: cast(as_booleans(x), x.dtype) if x.dtype.is_unsigned else sign(x),
        np.isnan: either_part(IsNan, LogicalOr, never), np.isinf: either_part(IsInf, LogicalOr, never),
        np.isfinite: either_part(IsFinite, LogicalAnd, always),
        np.log2: scaled_by(Log, 1 / math.log(2)), np.log10: scaled_by(Log, 1 / math.log(10)),
        np.exp2: lambda x: Pow(number_like(2, as_floats(x)), as_floats(x)), np.cbrt: cube_root,
        np.hypot: hypotenuse, np.logaddexp: log_add, np.logaddexp2: log_add_2, np.signbit: sign_bit,
        np.copysign: copied_sign, np.heaviside: step_at, np.modf: split_parts, np.ldexp: times_power_of_two,
        np.vecdot: inner_last,
        np.degrees: times_factor(180 / math.pi), np.rad2deg: times_factor(180 / math.pi),
        np.radians: times_factor(math.pi / 180), np.deg2rad: times_factor(math.pi / 180),
        np.fmax: unless_nan(Maximum), np.fmin: unless_nan(Minimum),
        np.left_shift: shift_by(LeftShift, zeros_like), np.right_shift: shift_by(RightShift, ones_below_zero),
        np.matmul: lambda x, y: matmul(x, y), np.bitwise_count: bit_count,
        np.gcd: greatest_divisor, np.lcm: least_multiple,
    })  # fmt: skip


_fill_ufuncs()
_UFUNCS.update({getattr(np, n): r for n, r in (("matvec", matrix_vector), ("vecmat", vector_matrix)) if hasattr(np, n)})
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
    for harmless in ("order", "subok"):
        kwargs.pop(harmless, None)
    rule = _UFUNCS.get(ufunc)
    if rule is not None and method == "__call__" and set(kwargs) <= {"dtype", "casting"}:
        return _call(rule, ufunc, inputs, kwargs.get("dtype"), kwargs.get("casting", "same_kind"))
    if rule is not None and method == "__call__" and symbolic and set(kwargs) == {"where"}:
        found = _call(rule, ufunc, inputs)  # NumPy leaves the other elements as they happen to be
        return where_(tensor_of_any(kwargs["where"]), found, zeros_like(found))
    kwargs = {k: v for k, v in kwargs.items() if v is not np._NoValue}
    if method == "reduce" and ufunc in _REDUCE and set(kwargs) <= {"axis", "keepdims", "dtype", "initial", "where"}:
        return _reduced(ufunc, inputs[0], *inputs[1:], **kwargs)
    if method == "accumulate" and ufunc in _DOUBLED and set(kwargs) <= {"axis"}:
        found = _running(ufunc, tensor_of_any(inputs[0]), kwargs.get("axis", 0))
        if found is not None:
            return found
    if method == "accumulate" and ufunc in _ACCUMULATE and set(kwargs) <= {"axis", "dtype"}:
        x = tensor_of_any(inputs[0])
        x = in_wide_integers(x) if kwargs.get("dtype") is None else _as(x, kwargs["dtype"])
        return _ACCUMULATE[ufunc](x, kwargs.get("axis", 0))
    if method == "outer" and rule is not None and not kwargs:
        x, y = together(inputs)
        if y.dims is not None:
            for _ in y.dims:
                x = ExpandDims(x, -1)
            return _applied(rule, ufunc, [x, y])
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


def _as(x: Tensor, dtype: DTypeLike | None) -> Tensor:
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


def _call(
    rule: Callable[..., Any], ufunc: np.ufunc, inputs: Any, dtype: DTypeLike | None = None, casting: str = "same_kind"
) -> Any:
    if dtype is None:
        found = _as_operator(ufunc, inputs)
        if found is not NotImplemented:
            return found
    apart = dtype is not None or len(inputs) == 1 or ufunc.__name__.startswith("logical_") or ufunc is np.ldexp
    tensors = [tensor_of_any(x) for x in inputs] if apart else together(inputs)
    return _applied(rule, ufunc, tensors, dtype, casting)


def _applied(
    rule: Callable[..., Any], ufunc: np.ufunc, tensors: list[Any], dtype: DTypeLike | None = None,
    casting: str = "same_kind",
) -> Any:  # fmt: skip
    """What the rule gives for tensors of the dtypes that NumPy computes in, in the dtypes that it gives.

    Raises:
      TypeError: NumPy computes nothing of these dtypes, or not in `dtype`.
    """
    kinds = tuple(np.dtype(t.dtype.as_numpy_dtype) for t in tensors)
    if not strictly() or any(kind.kind not in "biufc" for kind in kinds):  # of which NumPy itself knows nothing
        return rule(*[_as(t, dtype) for t in tensors])
    try:
        loop = _loop(ufunc, kinds, None if dtype is None else np.dtype(dtype_of(dtype).as_numpy_dtype), casting)
    except TypeError:
        if dtype is None and ufunc in _OPERATORS:  # `array // tensor`: operators are those of tensors
            return rule(*tensors)
        raise
    found = rule(*[t if t.dtype == d else cast(t, d) for t, d in zip(tensors, loop)])
    if isinstance(found, tuple):
        return tuple(cast(f, d) for f, d in zip(found, loop[ufunc.nin :]))
    return cast(found, loop[-1])


@functools.lru_cache(maxsize=1024)
def _loop(ufunc: Any, kinds: tuple[Any, ...], dtype: Any, casting: str) -> tuple[Any, ...]:
    """The dtypes of arguments and results with which NumPy computes."""
    given = {} if dtype is None else {"signature": (None,) * ufunc.nin + (dtype,) * ufunc.nout}
    found = ufunc.resolve_dtypes(kinds + (None,) * ufunc.nout, casting=casting, **given)
    return tuple(from_numpy(d) for d in found)


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
    elif ufunc in (np.add, np.multiply) and dtype is None:
        x = in_wide_integers(x)
    return reduced(_REDUCE[ufunc], ufunc, x, axis, keepdims, initial, where)


def reduced(
    reduce: Callable[..., Any], ufunc: np.ufunc, x: Tensor, axis: AxisLike, keepdims: bool = False,
    initial: TensorLike | None = None, where: TensorLike = True,
) -> Tensor:  # fmt: skip
    """`reduce` over the elements where `where` holds, and `initial`.

    Raises:
      ValueError: there is no element and no `initial` for what is known to be empty, or `where` does not fit.
    """
    initial = held_in(initial, x.dtype)
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
        mask = tensor_of_any(where)
        if not is_static(mask.dims) or not is_static(x.dims):
            mask = broadcast_to(mask, Shape(x))
        elif broadcast(mask.dims, x.dims) != x.dims:
            raise ValueError(errors.at_user_line(f"where of shape {mask.shape} does not fit values of shape {x.shape}"))
        x = where_(mask, x, fill)
    elif ufunc in (np.maximum, np.minimum) and initial is None:
        check_not_empty(ufunc.__name__, x, axis)
    if x.dtype.is_bool and ufunc in (np.maximum, np.minimum):
        found = (reduce_any if ufunc is np.maximum else reduce_all)(x, axis, keepdims)
    else:
        found = reduce(x, axis, keepdims)
    if initial is None:
        return found
    return _UFUNCS[ufunc](found, cast(initial, found.dtype))


def check_not_empty(name: str, x: Tensor, axis: Any) -> None:
    """Raises ValueError where a reduction that has no identity is known to be over nothing."""
    if not strictly() or x.dims is None or 0 not in x.dims:
        return
    rank = len(x.dims)
    gone = set(range(rank) if axis is None else (place_in(i, rank) for i in np.atleast_1d(axis).tolist()))
    if 0 in [x.dims[i] for i in gone] and 0 not in [x.dims[i] for i in range(rank) if i not in gone]:
        raise ValueError(
            errors.at_user_line(f"zero-size array to reduction operation {name} which has no identity: shape {x.shape}")
        )


def in_wide_integers(x: Tensor) -> Tensor:
    """Integers and booleans of less than 64 bits in 64, as NumPy adds and multiplies them."""
    if x.dtype.is_bool or (x.dtype.kind == "i" and strictly()):
        return cast(x, dtypes.int64)
    return cast(x, dtypes.uint64) if x.dtype.kind == "u" and strictly() else x


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
