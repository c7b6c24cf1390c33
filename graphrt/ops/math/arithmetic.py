"""Arithmetic of two or more tensors: sums, products, quotients, remainders, powers, extrema.

Shapes broadcast as NumPy's do, integers wrap around silently, and an integer divided by zero is an error.
"""

# long: one subject, each op with its kernel, shape rule and gradient
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.errors import ShapeError
from graphrt.ir.code import Code, Template, joined, sign
from graphrt.ir.graph import Node
from graphrt.ir.op import (  # late: io.printing imports this file
    COMMUTATIVE,
    ELEMENTWISE,
    PER_ELEMENT,
    Neutral,
    OpDef,
    ScalarEmit,
    define,
    infix,
    ops,
    provide,
)
from graphrt.ops.array.creation import ones_like, zeros_like
from graphrt.ops.array.identity import identity
from graphrt.ops.array.selection import SelectV2, where
from graphrt.ops.math.casting import cast
from graphrt.ops.math.comparison import Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual
from graphrt.ops.math.elementwise import Log, Square
from graphrt.ops.math.logical import LogicalAnd, LogicalOr
from graphrt.ops.support.kernel_helpers import between
from graphrt.ops.support.never_fails import floats_only
from graphrt.ops.support.shape_rules import (
    as_tensor,
    broadcast_all,
    broadcast_two,
    elementwise_partial,
    merged,
    real_conj,
    unbroadcast,
    unbroadcast_both,
)  # fmt: skip
from graphrt.tensor.call import Call
from graphrt.tensor.changes import SWITCH
from graphrt.tensor.context import scope
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.promotion import promoted
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types import dtype as dtypes
from graphrt.types.dtype import COMPLEX, FLOATING, INEXACT, NUMERIC, REAL
from graphrt.types.likes import Array, ShapeLike
from graphrt.types.nesting import bounded, shown
from graphrt.types.shape import compatible, is_static, merge
from graphrt.types.structure import Composite, Repeatable

__all__ = [
    "accumulate_n", "add", "add_n", "atan2", "clip_by_value", "maximum", "minimum", "multiply", "multiply_no_nan",
    "nextafter", "pow", "scalar_mul", "squared_difference", "subtract", "xdivy", "xlog1py", "xlogy",
]  # fmt: skip

_SIGNED = (dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64)
_POW_TYPES = (*FLOATING, *_SIGNED, *COMPLEX)
_ADD_TYPES = (
    dtypes.bfloat16, dtypes.float16, dtypes.float32, dtypes.float64, dtypes.uint8, dtypes.int8, dtypes.int16,
    dtypes.int32, dtypes.int64, dtypes.complex64, dtypes.complex128, dtypes.string,
)  # fmt: skip


# --- sums and products -----------------------------------------------------------------------------------------------
AddV2 = define(
    "AddV2", "x: T, y: T -> z: T", allowed={"T": NUMERIC},
    infer=broadcast_two, kernel=np.add, vjp=lambda c, g: unbroadcast_both(c, g, g),
    partial=elementwise_partial(operator.add), emit=infix("+"), traits=(ELEMENTWISE, COMMUTATIVE),
    ufunc=np.add, neutral=Neutral(-0.0),
)  # fmt: skip
Add = define(
    "Add", "x: T, y: T -> z: T", allowed={"T": _ADD_TYPES},
    infer=broadcast_two, kernel=lambda x, y: _add(x, y), vjp=lambda c, g: unbroadcast_both(c, g, g),
    partial=elementwise_partial(operator.add), emit=infix("+"), traits=(ELEMENTWISE,),
    ufunc=np.add, neutral=Neutral(-0.0),
)  # fmt: skip


def _add(x: Array, y: Array) -> Array:
    total = np.add(x, y)
    return np.array(total, object) if isinstance(total, bytes) else total


Sub = define(
    "Sub", "x: T, y: T -> z: T", allowed={"T": NUMERIC},
    infer=broadcast_two, kernel=np.subtract, vjp=lambda c, g: unbroadcast_both(c, g, -g),
    partial=elementwise_partial(operator.sub), emit=infix("-"), traits=(ELEMENTWISE,),
    ufunc=np.subtract, neutral=Neutral(0.0, left=False),
)  # fmt: skip


def _mul_vjp(c: Call, g: Tensor) -> list[Any]:
    x, y = c.inputs
    return unbroadcast_both(c, g * real_conj(y), g * real_conj(x))


Mul = define(
    "Mul", "x: T, y: T -> z: T", allowed={"T": NUMERIC},
    infer=broadcast_two, kernel=np.multiply, vjp=_mul_vjp,
    partial=elementwise_partial(operator.mul), emit=infix("*"), traits=(ELEMENTWISE, COMMUTATIVE),
    ufunc=np.multiply, neutral=Neutral(1),
)  # fmt: skip


def _mul_no_nan_vjp(c: Any, g: object) -> list[Any]:
    x, y = c.inputs
    return unbroadcast_both(c, MulNoNan(g, y), MulNoNan(x, g))


MulNoNan = define(
    "MulNoNan", "x: T, y: T -> z: T", allowed={"T": INEXACT},
    infer=broadcast_two, kernel=lambda x, y: np.where(y == 0, x.dtype.type(0), x * y)[()], vjp=_mul_no_nan_vjp,
    traits=(ELEMENTWISE,),
)  # fmt: skip


# --- powers and logarithms -------------------------------------------------------------------------------------------
def _pow(x: Array, y: Array) -> Array:
    if y.dtype.kind == "i" and x.size and (y < 0).any():
        raise errors.InvalidArgumentError(None, None, "Integers to negative integer powers are not allowed")
    found = np.power(x, y)
    if (
        y.dtype.kind == "f" and (half := y == 0.5).any()
    ):  # NumPy takes roots then, where -0.0 and -inf have other values
        found = np.where(half & ((x == 0) | (x == -np.inf)), abs(x), found)[()]
    return found


def _pow_vjp(c: Any, g: Any) -> list[Any]:
    x, y = c.inputs
    cx, cy, z = real_conj(x), real_conj(y), real_conj(c.outputs[0])
    one = ones_like(y)
    gx = g * cy * Pow(cx, cy - one)
    if x.dtype.is_complex:
        usable = NotEqual(x, zeros_like(x))
    else:
        usable = Greater(x, zeros_like(x))
    log = where(usable, Log(where(usable, cx, ones_like(x))), zeros_like(x))
    return unbroadcast_both(c, gx, g * z * log)


Pow = define(
    "Pow", "x: T, y: T -> z: T", allowed={"T": _POW_TYPES},
    infer=broadcast_two, kernel=_pow, vjp=_pow_vjp, partial=elementwise_partial(operator.pow), traits=(ELEMENTWISE,),
    never_fails=floats_only,
)  # fmt: skip


def _zero_times(function: Callable[..., Any] | np.ufunc) -> Callable[..., Any]:
    def kernel(x: Array, y: Array) -> Array:
        return np.where(x == 0, x, function(x, y))[()]

    return kernel


def _xlogy_vjp(c: Any, g: Any) -> list[Any]:
    x, y = c.inputs
    mask = cast(NotEqual(x, zeros_like(x)), x.dtype)
    return unbroadcast_both(c, g * real_conj(Xlogy(mask, y)), g * real_conj(Xdivy(x, y)))


def _xlog1py_vjp(c: Any, g: Any) -> list[Any]:
    x, y = c.inputs
    mask = cast(NotEqual(x, zeros_like(x)), x.dtype)
    return unbroadcast_both(c, g * real_conj(Xlog1py(mask, y)), g * real_conj(Xdivy(x, y + ones_like(y))))


def _xdivy_vjp(c: Any, g: Any) -> list[Any]:
    x, y = c.inputs
    mask = cast(NotEqual(x, zeros_like(x)), x.dtype)
    return unbroadcast_both(c, g * real_conj(Xdivy(mask, y)), g * real_conj(Xdivy(-x, Square(y))))


Xlogy = define(
    "Xlogy", "x: T, y: T -> z: T", allowed={"T": INEXACT},
    infer=broadcast_two, kernel=_zero_times(lambda x, y: x * np.log(y)), vjp=_xlogy_vjp, traits=(ELEMENTWISE,),
)  # fmt: skip
Xlog1py = define(
    "Xlog1py", "x: T, y: T -> z: T", allowed={"T": INEXACT},
    infer=broadcast_two, kernel=_zero_times(lambda x, y: x * np.log1p(y)), vjp=_xlog1py_vjp, traits=(ELEMENTWISE,),
)  # fmt: skip
Xdivy = define(
    "Xdivy", "x: T, y: T -> z: T", allowed={"T": INEXACT},
    infer=broadcast_two, kernel=_zero_times(np.true_divide), vjp=_xdivy_vjp, traits=(ELEMENTWISE,),
)  # fmt: skip


# --- extrema, distances ----------------------------------------------------------------------------------------------
def _extremum_vjp(compare: OpDef) -> Any:
    def vjp(c: Any, g: Any) -> list[Any]:
        x, y = c.inputs
        first = compare(x, y)
        nothing = zeros_like(g)
        return unbroadcast_both(c, where(first, g, nothing), where(first, nothing, g))

    return vjp


_BETTER = Template("{0} if {0} {2} {1} else {1}")
_BETTER_OR_NAN = Template("{0} if {0} {2} {1} or {0} != {0} else {1}")


def _better(symbol: str) -> ScalarEmit:
    above = sign(symbol)

    def rule(emitter: object, node: Node, inputs: list[Code]) -> Code | None:
        a, b = inputs
        kind = node.inputs[0].dtype.kind
        if kind in "iu":
            return _BETTER(a, b, above)
        return _BETTER_OR_NAN(a, b, above) if kind == "f" else None  # NaN wins

    return rule


Maximum = define(
    "Maximum", "x: T, y: T -> z: T", allowed={"T": REAL},
    infer=broadcast_two, kernel=np.maximum, vjp=_extremum_vjp(GreaterEqual),
    partial=elementwise_partial(max), traits=(ELEMENTWISE,),
    scalar_emit=_better(">"),
)  # fmt: skip
Minimum = define(
    "Minimum", "x: T, y: T -> z: T", allowed={"T": REAL},
    infer=broadcast_two, kernel=np.minimum, vjp=_extremum_vjp(LessEqual),
    partial=elementwise_partial(min), traits=(ELEMENTWISE,),
    scalar_emit=_better("<"),
)  # fmt: skip


def _squared_difference(x: Array, y: Array) -> Array:
    d = x - y
    return d * np.conj(d) if d.dtype.kind == "c" else d * d


def _squared_difference_vjp(c: Any, g: object) -> list[Any]:
    x, y = c.inputs
    slope = g * (as_tensor(2, x.dtype) * (x - y))
    return unbroadcast_both(c, slope, -slope)


SquaredDifference = define(
    "SquaredDifference", "x: T, y: T -> z: T",
    allowed={"T": (*FLOATING, dtypes.int32, dtypes.int64, *COMPLEX)},
    infer=broadcast_two, kernel=_squared_difference, vjp=_squared_difference_vjp, traits=(ELEMENTWISE, COMMUTATIVE),
)  # fmt: skip


def _atan2_vjp(c: Any, g: object) -> list[Any]:
    y, x = c.inputs
    slope = g / (Square(x) + Square(y))
    return unbroadcast_both(c, x * slope, -y * slope)


Atan2 = define(
    "Atan2", "y: T, x: T -> z: T", allowed={"T": FLOATING},
    infer=broadcast_two, kernel=np.arctan2, vjp=_atan2_vjp, traits=(ELEMENTWISE,),
)  # fmt: skip


def _next_after_vjp(c: object, g: Any) -> list[Any]:
    return unbroadcast_both(c, g, zeros_like(g))


NextAfter = define(
    "NextAfter", "x1: T, x2: T -> output: T", attrs="T: type = float32",
    allowed={"T": (dtypes.float64, dtypes.float32)},
    infer=broadcast_two, kernel=np.nextafter, vjp=_next_after_vjp, traits=(ELEMENTWISE,),
)  # fmt: skip


def _clip_vjp(c: Any, g: Any) -> list[Any]:
    t, low, high = c.inputs
    below, above = Less(t, low), Greater(t, high)
    nothing = zeros_like(g)
    inside = where(LogicalOr(below, above), nothing, g)
    return [
        unbroadcast(inside, t, g), unbroadcast(where(below, g, nothing), low, g),
        unbroadcast(where(above, g, nothing), high, g),
    ]  # fmt: skip


ClipByValue = define(
    "ClipByValue", "t: T, clip_value_min: T, clip_value_max: T -> output: T", allowed={"T": NUMERIC},
    infer=broadcast_all, kernel=between, vjp=_clip_vjp,
    traits=(ELEMENTWISE, PER_ELEMENT),
)  # fmt: skip


# --- sums of many ----------------------------------------------------------------------------------------------------
def _add_n(inputs: list[Any]) -> Any:
    first = inputs[0]
    if not isinstance(first, (np.ndarray, np.generic)):  # variants: lists of tensors are added entry by entry
        total = first
        for item in inputs[1:]:
            total = total + item
        return total
    if len(inputs) == 1:
        return first
    if any(np.shape(x) != np.shape(first) for x in inputs):
        other = next(np.shape(x) for x in inputs if np.shape(x) != np.shape(first))
        raise errors.InvalidArgumentError(
            None, None,
            f"Inputs to operation AddN must have the same size and shape: {list(np.shape(first))} != {list(other)}",
        )  # fmt: skip
    total = inputs[0] + inputs[1]
    for item in inputs[2:]:
        total = total + item
    return total


_SUM = Template("({})")


def _emit_sum(e: object, node: Node, inputs: list[Code]) -> list[Code] | None:
    """`a + b + c`, where the static shapes prove that nothing broadcasts."""
    dims = node.inputs[0].dims
    if node.outputs[0].dtype.kind == "O" or not is_static(dims) or any(v.dims != dims for v in node.inputs):
        return None
    return [_SUM(joined(" + ", inputs))] if len(inputs) > 1 else None


AddN = define(
    "AddN", "inputs: N * T -> sum: T", attrs="N: int >= 1", allowed={"T": (*NUMERIC, dtypes.variant)},
    infer=merged, kernel=_add_n, vjp=lambda c, g: [g] * len(c.inputs), emit=_emit_sum,
)  # fmt: skip
AccumulateNV2 = define(
    "AccumulateNV2", "inputs: N * T -> sum: T", attrs="N: int >= 1; shape: shape", allowed={"T": NUMERIC},
    infer=lambda c: merge(merged(c), c.attrs["shape"]), kernel=_add_n, vjp=lambda c, g: [g] * len(c.inputs),
)  # fmt: skip
BroadcastGradientArgs = define(
    "BroadcastGradientArgs", "s0: T[1], s1: T[1] -> r0: T, r1: T", attrs="T: type = int32", allowed={"T": dtypes.INDEX},
    infer=lambda c: [(None,), (None,)], kernel=lambda s0, s1: _broadcast_gradient_args(s0, s1),
    vjp=lambda call, *grads: [None, None],
)  # fmt: skip


def _broadcast_gradient_args(s0: Array, s1: Array) -> tuple[Any, Any]:
    """Over which axes the gradients of two broadcast operands of shapes `s0` and `s1` are summed."""
    if np.array_equal(s0, s1):
        none = np.zeros(0, s0.dtype)
        return none, none
    rank = max(len(s0), len(s1))
    a = [1] * (rank - len(s0)) + s0.tolist()
    b = [1] * (rank - len(s1)) + s1.tolist()
    for m, n in zip(a, b):
        if m != n and m != 1 and n != 1:
            raise errors.InvalidArgumentError(
                None, None, f"Incompatible shapes: {s0.tolist()} vs. {s1.tolist()}".replace(", ", ",")
            )
    r0 = [i for i in range(rank) if a[i] == 1]
    r1 = [i for i in range(rank) if b[i] == 1]
    return np.array(r0, s0.dtype), np.array(r1, s0.dtype)


# --- public functions ------------------------------------------------------------------------------------------------
@provide
def add(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The sum `x + y`, element by element; strings are joined.

    >>> import graphrt as tf
    >>> tf.add([1, 2], 10).numpy().tolist()
    [11, 12]
    """
    if SWITCH.promoting and (found := promoted(plus, x, y, name)) is not None:
        return found
    if not isinstance(x, Tensor):
        dtype = y.dtype if isinstance(y, Tensor) and not isinstance(x, (np.ndarray, np.generic)) else None
        x = as_tensor(x, dtype, name=None if name is None else f"{name}/x")
    return plus(x, y, name=name or "Add")


@provide
def plus(x: TensorLike, y: object, name: str | None = None) -> Tensor:
    """`x + y` as the operator `+` records it: AddV2, or Add for strings."""
    tensor: Any = x if isinstance(x, (Tensor, Composite)) else y
    is_text = isinstance(tensor, (Tensor, Composite)) and getattr(tensor, "dtype", None) is dtypes.string
    return (Add if is_text else AddV2)(x, y, name=name)


@provide
def subtract(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The difference `x - y`, element by element.

    >>> import graphrt as tf
    >>> tf.subtract([5, 6], [1, 2]).numpy().tolist()
    [4, 4]
    """
    return Sub(x, y, name=name)


@provide
def times(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x * y` as the operator `*` records it: Mul, or LogicalAnd for booleans."""
    tensor = x if isinstance(x, Tensor) and (x.dtype.is_bool or not isinstance(y, Tensor)) else y
    if isinstance(tensor, Tensor) and tensor.dtype.is_bool:
        other = y if tensor is x else x
        if not isinstance(other, (bool, np.bool_)):
            other = cast(other, dtypes.bool_)
        return LogicalAnd(tensor, other, name=name) if tensor is x else LogicalAnd(other, tensor, name=name)
    return Mul(x, y, name=name)


@provide
def multiply(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The product `x * y`, element by element.

    >>> import graphrt as tf
    >>> tf.multiply([1.5, 2.0], 2).numpy().tolist()
    [3.0, 4.0]
    """
    return Mul(x, y, name=name)


@provide
def multiply_no_nan(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The product `x * y`, and 0 where `y` is 0 even if `x` is infinite or NaN.

    >>> import graphrt as tf
    >>> tf.math.multiply_no_nan([float("nan"), 2.0], [0.0, 4.0]).numpy().tolist()
    [0.0, 8.0]
    """
    return MulNoNan(x, y, name=name or "multiply_no_nan")


@provide
def pow(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x` to the power of `y`.

    >>> import graphrt as tf
    >>> tf.pow([2, 3], [10, 2]).numpy().tolist()
    [1024, 9]

    Raises:
      InvalidArgumentError: an integer is raised to a negative power.
    """
    return Pow(x, y, name=name)


@provide
def power_modulo(x: TensorLike, y: TensorLike, modulus: TensorLike) -> Any:
    """`pow(x, y, modulus)` of integers, as int64: exact for a modulus of up to 31 bits."""
    base, left, m = (cast(v, dtypes.int64) for v in (x, y, modulus))
    none = (base + left + m) * 0
    base, left = base + none, left + none
    ops.Assert(
        ops.reduce_all(GreaterEqual(left, 0)), [convert_to_tensor("pow() with a negative exponent and a modulus"), left]
    )

    def step(left: Tensor, base: Any, found: Any) -> Any:
        odd = Equal(left % 2, 1)
        return left // 2, base * base % m, SelectV2(odd, found * base % m, found)

    one = (none + 1) % m
    return ops.while_loop(lambda left, *_: ops.reduce_any(left > 0), step, (left, base % m, one))[2]


@provide
def maximum(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The greater of `x` and `y`, element by element; NaN where either is NaN.

    >>> import graphrt as tf
    >>> tf.maximum([1, 5], [3, 2]).numpy().tolist()
    [3, 5]
    """
    return Maximum(x, y, name=name)


@provide
def minimum(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The lesser of `x` and `y`, element by element; NaN where either is NaN.

    >>> import graphrt as tf
    >>> tf.minimum([1, 5], [3, 2]).numpy().tolist()
    [1, 2]
    """
    return Minimum(x, y, name=name)


@provide
def squared_difference(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The squared magnitude of `x - y`.

    >>> import graphrt as tf
    >>> tf.math.squared_difference([1.0, 5.0], 3.0).numpy().tolist()
    [4.0, 4.0]
    """
    return SquaredDifference(x, y, name=name)


@provide
def atan2(y: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The angle of the point `(x, y)`, from -pi to pi.

    >>> import graphrt as tf
    >>> tf.atan2([0.0], [1.0]).numpy().tolist()
    [0.0]
    """
    return Atan2(y, x, name=name)


@provide
def nextafter(x1: TensorLike, x2: TensorLike, name: str | None = None) -> Tensor:
    """The floating-point number next to `x1` in the direction of `x2`.

    >>> import graphrt as tf
    >>> bool(tf.math.nextafter(1.0, 2.0) > 1.0)
    True
    """
    return NextAfter(x1, x2, name=name)


@provide
def xlogy(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x * log(y)`, and 0 where `x` is 0.

    >>> import graphrt as tf
    >>> tf.math.xlogy([0.0, 2.0], [0.0, 1.0]).numpy().tolist()
    [0.0, 0.0]
    """
    return Xlogy(x, y, name=name)


@provide
def xlog1py(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x * log(1 + y)`, and 0 where `x` is 0.

    >>> import graphrt as tf
    >>> tf.math.xlog1py([0.0, 2.0], [-1.0, 0.0]).numpy().tolist()
    [0.0, 0.0]
    """
    with scope(name, "xlog1py"):
        return Xlog1py(x, y)


@provide
def xdivy(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x / y`, and 0 where `x` is 0.

    >>> import graphrt as tf
    >>> tf.math.xdivy([0.0, 2.0], [0.0, 4.0]).numpy().tolist()
    [0.0, 0.5]
    """
    with scope(name, "xdivy"):
        return Xdivy(x, y)


@provide
def scalar_mul(scalar: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """`x` times the 0-d `scalar`, which is converted to the dtype of `x`.

    >>> import graphrt as tf
    >>> tf.scalar_mul(3, [1.0, 2.0]).numpy().tolist()
    [3.0, 6.0]

    Raises:
      ValueError: `scalar` is known not to be 0-d.
    """
    with scope(name, "scalar_mul") as full:
        x = as_tensor(x, name="x")
        scalar = as_tensor(scalar, None if isinstance(scalar, Tensor) else x.dtype, name="scalar")
        if scalar.dims is not None and scalar.dims != ():
            raise ValueError(errors.at_user_line(f"Input scalar should be a 0-D tensor, found shape {scalar.shape}."))
        return Mul(scalar, x, name=full)


def _same_type_tensors(inputs: Any, function: str) -> list[Any]:
    if not isinstance(inputs, (list, tuple)) or not inputs:
        raise ValueError(errors.at_user_line(f"{function} needs a list of at least one tensor, found {shown(inputs)}"))
    dtype = next((x.dtype for x in inputs if isinstance(x, Tensor)), None)
    tensors = [as_tensor(x, None if dtype is None else dtype) for x in inputs]
    if any(t.dtype is not tensors[0].dtype for t in tensors):
        raise errors.DTypeMismatchError(
            errors.at_user_line(f"{function} needs tensors of one dtype, found {[t.dtype.name for t in tensors]}")
        )
    return tensors


@provide
@bounded
def add_n(inputs: TensorLike, name: str | None = None) -> Tensor:
    """The sum of a list of tensors of one shape and dtype (no broadcasting); of a tensor, the sum of its rows.

    >>> import graphrt as tf
    >>> tf.add_n([[1, 2], [3, 4], [5, 6]]).numpy().tolist()
    [9, 12]

    Raises:
      ValueError: the list is empty, or shapes or dtypes differ.
    """
    if isinstance(inputs, Repeatable):  # a list that grew in a staged loop
        total: Tensor = ops.reduce_sum(as_tensor(inputs), 0, name=name)
        return total
    if isinstance(inputs, Tensor) or hasattr(inputs, "__tf_tensor__"):
        whole = as_tensor(inputs)
        inputs = list(whole) if whole.shape.rank else [whole]
    tensors = _same_type_tensors(inputs, "add_n")
    if len(tensors) == 1:
        return identity(tensors[0], name=name) if name else tensors[0]
    return AddN(tensors, name=name)


@provide
def accumulate_n(
    inputs: TensorLike, shape: ShapeLike = None, tensor_dtype: Any = None, name: str | None = None
) -> Tensor:
    """The sum of a list of tensors of one shape and dtype; the same as `add_n`.

    >>> import graphrt as tf
    >>> tf.math.accumulate_n([[1, 2], [3, 4]]).numpy().tolist()
    [4, 6]
    """
    if isinstance(inputs, Repeatable):
        return add_n(inputs, name)
    tensors = _same_type_tensors(inputs, "accumulate_n")
    if tensor_dtype is not None and tensors[0].dtype != tensor_dtype:
        raise TypeError(
            errors.at_user_line(f"tensor_dtype is {tensor_dtype}, but the inputs are of {tensors[0].dtype!r}")
        )
    for t in tensors[1:]:
        if t.dims is not None and tensors[0].dims is not None and not compatible(t.dims, tensors[0].dims):
            raise ShapeError(
                errors.at_user_line(f"accumulate_n needs one shape, found {tensors[0].shape} and {t.shape}")
            )
    return add_n(tensors, name=name)


@provide
def clip_by_value(
    t: TensorLike, clip_value_min: TensorLike, clip_value_max: TensorLike, name: str | None = None
) -> Tensor:
    """`t` with values below `clip_value_min` or above `clip_value_max` replaced by them.

    >>> import graphrt as tf
    >>> tf.clip_by_value([-1.0, 0.5, 9.0], 0, 1).numpy().tolist()
    [0.0, 0.5, 1.0]

    Raises:
      ValueError: the limits do not broadcast to the shape of `t`.
    """
    if hasattr(t, "map_values"):  # slices of a gradient
        return t.map_values(lambda values: clip_by_value(values, clip_value_min, clip_value_max, name))
    with scope(name, "clip_by_value") as full:
        t = as_tensor(t, name="t")
        low = Minimum(t, clip_value_max)
        _keeps_shape(t, low)
        found = Maximum(low, clip_value_min, name=full)
        _keeps_shape(t, found)
        return found


def _keeps_shape(t: Tensor, found: Tensor) -> None:
    if not compatible(t.dims, found.dims):
        raise errors.ShapeError(
            errors.at_user_line(f"the limits of clip_by_value change the shape of the values: {t.shape}, {found.shape}")
        )
