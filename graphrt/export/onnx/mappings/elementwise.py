"""Ops that look at one element, or pair of elements, at a time."""

# names of another format: those of ONNX's ops

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from graphrt.export.onnx.builder import Ref
from graphrt.export.onnx.lowering import Rule, Use
from graphrt.types.dtype import bool_, float32, float64, int64, string, uint8, uint16, uint32, uint64


def same(op: str) -> Rule:
    """An op that ONNX calls `op`, with the same inputs."""
    return lambda c: c.emit(op, *c.inputs)


def test(op: str) -> Rule:
    """An op of ONNX that answers yes or no."""
    return lambda c: c.emit(op, *c.inputs, dtype=bool_)


def in_double(op: str, formula: Callable[[Use, Ref], Ref]) -> Rule:
    """`op`, for which ONNX Runtime has a float32 kernel only; of float64 by `formula`."""
    return lambda c: formula(c, c[0]) if c[0].dtype is float64 else c.emit(op, c[0])


def _add(c: Use) -> Ref:
    return c.emit("StringConcat" if c[0].dtype is string else "Add", c[0], c[1])


def _add_all(c: Use) -> Ref:
    total = c[0]
    for other in c.inputs[1:]:
        total = c.emit("Add", total, other)
    return total


def _refuse_complex(c: Use) -> None:
    if any(v.dtype.is_complex for v in c.node.inputs):
        c.refuse("complex numbers have no counterpart")


# --- division --------------------------------------------------------------------------------------------------------
def _floor_mod(c: Use) -> Ref:
    x, y = c[0], c[1]
    if not x.dtype.is_floating:
        return c.emit("Mod", x, y)
    rest = c.emit("Mod", x, y, fmod=1)
    zero = c.like(rest, 0)
    differs = c.emit("Xor", c.emit("Less", rest, zero, dtype=bool_), c.emit("Less", y, zero, dtype=bool_), dtype=bool_)
    nonzero = c.emit("Not", c.emit("Equal", rest, zero, dtype=bool_))
    return c.where(c.emit("And", differs, nonzero), c.emit("Add", rest, y), rest)


def _floor_div(c: Use) -> Ref:
    x, y = c[0], c[1]
    if x.dtype.is_floating:
        return c.emit("Floor", c.emit("Div", x, y))
    if x.dtype.is_unsigned:
        return c.emit("Div", x, y)
    return c.emit("Div", c.emit("Sub", x, c.emit("Mod", x, y)), y)


def _truncate_div(c: Use) -> Ref:
    quotient = c.emit("Div", c[0], c[1])
    if not quotient.dtype.is_floating:
        return quotient
    negative = c.emit("Less", quotient, c.like(quotient, 0), dtype=bool_)
    return c.where(negative, c.emit("Ceil", quotient), c.emit("Floor", quotient))


def _no_nan(op: str, tested: int) -> Rule:
    """`op`, but 0 where the input `tested` is 0, whatever the other is."""

    def rule(c: Use) -> Ref:
        zero = c.like(c[0], 0)
        plain = c.emit(op, c[0], c[1])
        return c.where(c.emit("Equal", c[tested], zero, dtype=bool_), zero, plain)

    return rule


def _x_times(function: Callable[[Use, Ref], Ref]) -> Rule:
    """`x * function(y)`, but 0 where x is 0."""

    def rule(c: Use) -> Ref:
        zero = c.like(c[0], 0)
        return c.where(c.emit("Equal", c[0], zero, dtype=bool_), zero, c.emit("Mul", c[0], function(c, c[1])))

    return rule


def _pow(c: Use) -> Ref:
    if c[0].dtype is uint64:
        c.refuse("powers of uint64 have no kernel")
    return c.emit("Pow", c[0], c[1])


# --- exponentials ----------------------------------------------------------------------------------------------------
def log1p(c: Use, x: Ref) -> Ref:
    """log(1 + x), exact for small x: the error of 1 + x is divided out."""
    one = c.like(x, 1)
    u = c.emit("Add", x, one)
    d = c.emit("Sub", u, one)
    plain = c.emit("Log", u)
    exact = c.emit("Mul", plain, c.emit("Div", x, d))
    keep = c.emit("Equal", d, c.like(x, 0), dtype=bool_)
    whole = c.emit("Equal", u, x, dtype=bool_)  # so large, or infinite, that 1 is lost
    return c.where(keep, x, c.where(whole, plain, exact))


def expm1(c: Use, x: Ref) -> Ref:
    """exp(x) - 1, exact for small x."""
    one = c.like(x, 1)
    u = c.emit("Exp", x)
    d = c.emit("Sub", u, one)
    exact = c.emit("Mul", d, c.emit("Div", x, c.emit("Log", u)))
    large = c.emit("GreaterOrEqual", c.emit("Abs", x), one, dtype=bool_)
    keep = c.emit("Equal", d, c.like(x, 0), dtype=bool_)
    return c.where(keep, x, c.where(large, d, exact))


def _half_difference(c: Use, x: Ref) -> Ref:
    e = expm1(c, x)
    one = c.like(x, 1)
    return c.emit("Mul", c.like(x, 0.5), c.emit("Add", e, c.emit("Div", e, c.emit("Add", e, one))))


def _half_sum(c: Use, x: Ref) -> Ref:
    u = c.emit("Exp", c.emit("Abs", x))
    return c.emit("Mul", c.like(x, 0.5), c.emit("Add", u, c.emit("Reciprocal", u)))


def _tan(c: Use, x: Ref) -> Ref:
    return c.emit("Div", c.emit("Sin", x), c.emit("Cos", x))


def _asinh(c: Use, x: Ref) -> Ref:
    size, one = c.emit("Abs", x), c.like(x, 1)
    square = c.emit("Mul", size, size)
    root = c.emit("Sqrt", c.emit("Add", square, one))
    inner = c.emit("Add", size, c.emit("Div", square, c.emit("Add", root, one)))
    return c.emit("Mul", c.emit("Sign", x), log1p(c, inner))


def _acosh(c: Use, x: Ref) -> Ref:
    one = c.like(x, 1)
    t = c.emit("Sub", x, one)
    root = c.emit("Sqrt", c.emit("Add", c.emit("Mul", c.like(x, 2), t), c.emit("Mul", t, t)))
    return log1p(c, c.emit("Add", t, root))


def _atanh(c: Use, x: Ref) -> Ref:
    one, two = c.like(x, 1), c.like(x, 2)
    inner = c.emit("Div", c.emit("Mul", two, x), c.emit("Sub", one, x))
    return c.emit("Mul", c.like(x, 0.5), log1p(c, inner))


def atan(c: Use, x: Ref) -> Ref:
    """The arc tangent; of float64 that of float32, made exact by one step."""
    if x.dtype is not float64:
        return c.emit("Atan", x)
    near = c.cast(c.emit("Atan", c.cast(x, float32)), float64)
    sine, cosine = c.emit("Sin", near), c.emit("Cos", near)
    bound = c.emit("Min", c.emit("Max", x, c.like(x, -1e300)), c.like(x, 1e300))  # infinity times zero is none
    above = c.emit("Sub", c.emit("Mul", bound, cosine), sine)
    below = c.emit("Add", cosine, c.emit("Mul", bound, sine))
    return c.emit("Add", near, c.emit("Div", above, below))


def _asin(c: Use, x: Ref) -> Ref:
    one = c.like(x, 1)
    root = c.emit("Sqrt", c.emit("Mul", c.emit("Sub", one, x), c.emit("Add", one, x)))
    return c.emit("Mul", c.like(x, 2), atan(c, c.emit("Div", x, c.emit("Add", one, root))))


def _acos(c: Use, x: Ref) -> Ref:
    one = c.like(x, 1)
    ratio = c.emit("Div", c.emit("Sub", one, x), c.emit("Add", one, x))
    return c.emit("Mul", c.like(x, 2), atan(c, c.emit("Sqrt", ratio)))


def _atan2(c: Use) -> Ref:
    y, x = c[0], c[1]
    zero, pi = c.like(x, 0), c.like(x, math.pi)
    base = atan(c, c.emit("Div", y, x))
    down = c.emit("Less", y, zero, dtype=bool_)
    turned = c.emit("Add", base, c.where(down, c.emit("Neg", pi), pi))
    quarter = c.like(x, math.pi / 2)
    upright = c.where(c.emit("Equal", y, zero, dtype=bool_), zero, c.where(down, c.emit("Neg", quarter), quarter))
    found = c.where(c.emit("Less", x, zero, dtype=bool_), turned, base)
    return c.where(c.emit("Equal", x, zero, dtype=bool_), upright, found)


# --- numbers ---------------------------------------------------------------------------------------------------------
def _square(c: Use) -> Ref:
    return c.emit("Mul", c[0], c[0])


def _squared_difference(c: Use) -> Ref:
    d = c.emit("Sub", c[0], c[1])
    return c.emit("Mul", d, d)


def _rsqrt(c: Use) -> Ref:
    return c.emit("Reciprocal", c.emit("Sqrt", c[0]))


def _neg(c: Use) -> Ref:
    return c.emit("Sub", c.like(c[0], 0), c[0]) if c[0].dtype.is_unsigned else c.emit("Neg", c[0])


def _unchanged_integers(op: str) -> Rule:
    return lambda c: c.emit(op, c[0]) if c[0].dtype.is_floating else c[0]


def _is_finite(c: Use) -> Ref:
    bad = c.emit("Or", c.emit("IsNaN", c[0], dtype=bool_), c.emit("IsInf", c[0], dtype=bool_), dtype=bool_)
    return c.emit("Not", bad)


def _clip(c: Use) -> Ref:
    return c.emit("Max", c.emit("Min", c[0], c[2]), c[1])


def _extremum(op: str) -> Rule:
    """`Max` or `Min` of a pair, of any integers."""
    compare = {"Max": "Greater", "Min": "Less"}[op]

    def rule(c: Use) -> Ref:
        if c[0].dtype in (uint16, uint32):
            return c.where(c.emit(compare, c[0], c[1], dtype=bool_), c[0], c[1])
        return c.emit(op, c[0], c[1])

    return rule


def _cast(c: Use) -> Ref:
    source, target = c[0].dtype, c.dtype()
    _refuse_complex(c)
    if target.is_complex:
        c.refuse("complex numbers have no counterpart")
    if source.is_floating and target in (uint8, uint16):  # a C cast of a negative number is not defined
        return c.cast(c.cast(c[0], int64), target)
    return c.cast(c[0], target)


def _bits(op: str) -> Rule:
    return lambda c: c.emit(op, c[0], c[1])


_UNSIGNED = {"int8": uint8, "int16": uint16, "int32": uint32, "int64": uint64}


def _left_shift(c: Use) -> Ref:
    plain = _UNSIGNED.get(c[0].dtype.name, c[0].dtype)
    moved = c.emit("BitShift", c.cast(c[0], plain), c.cast(c[1], plain), direction="LEFT")
    return c.cast(moved, c[0].dtype)


def _right_shift(c: Use) -> Ref:
    x = c[0]
    if x.dtype.is_unsigned:
        return c.emit("BitShift", x, c[1], direction="RIGHT")
    plain = _UNSIGNED[x.dtype.name]
    negative = c.emit("Less", x, c.like(x, 0), dtype=bool_)
    positive = c.where(negative, c.emit("BitwiseNot", x), x)  # shifts of negative numbers fill in ones
    moved = c.cast(c.emit("BitShift", c.cast(positive, plain), c.cast(c[1], plain), direction="RIGHT"), x.dtype)
    return c.where(negative, c.emit("BitwiseNot", moved), moved)


def _not_equal(c: Use) -> Ref:
    return c.emit("Not", c.emit("Equal", c[0], c[1], dtype=bool_))


def _select(c: Use) -> Ref:
    condition, x, y = c[0], c[1], c[2]
    rank = c.rank(0)
    if c.node.type == "Select" and rank == 1 and c.rank(1) > 1:  # names: the older op, which chooses whole rows
        condition = c.emit("Unsqueeze", condition, c.ints(range(1, c.rank(1))))
    return c.where(condition, x, y)


def _approximately(c: Use) -> Ref:
    away = c.emit("Abs", c.emit("Sub", c[0], c[1]))
    return c.emit("Less", away, c.like(away, float(np.float32(c.attr("tolerance")))), dtype=bool_)


def _same_tensor(c: Use) -> Ref:
    return c[0]


# names: the ops of this family
RULES: dict[str, Rule] = {
    "Abs": same("Abs"),
    "AccumulateNV2": _add_all,
    "Acos": in_double("Acos", _acos),
    "Acosh": in_double("Acosh", _acosh),
    "Add": _add,
    "AddN": _add_all,
    "AddV2": _add,
    "ApproximateEqual": _approximately,
    "Asin": in_double("Asin", _asin),
    "Asinh": in_double("Asinh", _asinh),
    "Atan": lambda c: atan(c, c[0]),
    "Atan2": _atan2,
    "Atanh": in_double("Atanh", _atanh),
    "BitwiseAnd": _bits("BitwiseAnd"),
    "BitwiseOr": _bits("BitwiseOr"),
    "BitwiseXor": _bits("BitwiseXor"),
    "Cast": _cast,
    "Ceil": same("Ceil"),
    "ClipByValue": _clip,
    "Cos": same("Cos"),
    "Cosh": in_double("Cosh", _half_sum),
    "Div": same("Div"),
    "DivNoNan": _no_nan("Div", 1),
    "EnsureShape": _same_tensor,
    "Equal": test("Equal"),
    "Erf": same("Erf"),
    "Erfc": lambda c: c.emit("Sub", c.like(c[0], 1), c.emit("Erf", c[0])),
    "Exp": same("Exp"),
    "Expm1": lambda c: expm1(c, c[0]),
    "Floor": same("Floor"),
    "FloorDiv": _floor_div,
    "FloorMod": _floor_mod,
    "Greater": test("Greater"),
    "GuaranteeConst": _same_tensor,
    "GreaterEqual": test("GreaterOrEqual"),
    "Identity": lambda c: c.held(0),
    "IdentityN": lambda c: [c.held(i) for i in range(len(c))],
    "Inv": same("Reciprocal"),
    "Invert": same("BitwiseNot"),
    "IsFinite": _is_finite,
    "IsInf": test("IsInf"),
    "IsNan": test("IsNaN"),
    "LeftShift": _left_shift,
    "Less": test("Less"),
    "LessEqual": test("LessOrEqual"),
    "Log": same("Log"),
    "Log1p": lambda c: log1p(c, c[0]),
    "LogicalAnd": test("And"),
    "LogicalNot": test("Not"),
    "LogicalOr": test("Or"),
    "Maximum": _extremum("Max"),
    "Minimum": _extremum("Min"),
    "Mod": lambda c: c.emit("Mod", c[0], c[1], fmod=1),
    "Mul": same("Mul"),
    "MulNoNan": _no_nan("Mul", 1),
    "Neg": _neg,
    "NotEqual": _not_equal,
    "Pow": _pow,
    "PreventGradient": _same_tensor,
    "RealDiv": same("Div"),
    "Reciprocal": same("Reciprocal"),
    "RightShift": _right_shift,
    "Rint": same("Round"),
    "Round": _unchanged_integers("Round"),
    "Rsqrt": _rsqrt,
    "Select": _select,
    "SelectV2": lambda c: c.where(c[0], c[1], c[2]),
    "Sigmoid": same("Sigmoid"),
    "Sign": same("Sign"),
    "Sin": same("Sin"),
    "Sinh": in_double("Sinh", _half_difference),
    "Sqrt": same("Sqrt"),
    "Square": _square,
    "SquaredDifference": _squared_difference,
    "StopGradient": _same_tensor,
    "Sub": same("Sub"),
    "Tan": in_double("Tan", _tan),
    "Tanh": same("Tanh"),
    "TruncateDiv": _truncate_div,
    "TruncateMod": lambda c: c.emit("Mod", c[0], c[1], fmod=1),
    "Xdivy": _no_nan("Div", 0),
    "Xlog1py": _x_times(log1p),
    "Xlogy": _x_times(lambda c, y: c.emit("Log", y)),
}
