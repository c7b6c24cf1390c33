"""Ops that look at one element, or pair of elements, at a time."""

# names of another format: those of ONNX's ops

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graphrt.export.onnx import schema
from graphrt.export.onnx.reader import Reading, Use, renamed
from graphrt.ir.op import OpDef  # late: each op's module is imported when a model uses it
from graphrt.ops.array.creation import Fill
from graphrt.ops.array.selection import SelectV2
from graphrt.ops.array.shape import BroadcastTo, Shape, broadcast_dynamic_shape
from graphrt.ops.math.arithmetic import AddV2, Maximum, Minimum, Mul, Pow, Sub
from graphrt.ops.math.bitwise import BitwiseAnd, BitwiseOr, BitwiseXor, Invert, LeftShift, RightShift
from graphrt.ops.math.casting import Cast, cast
from graphrt.ops.math.comparison import Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual
from graphrt.ops.math.division import FloorMod, RealDiv, TruncateDiv, TruncateMod
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
    IsInf,
    IsNan,
    Log,
    Neg,
    Reciprocal,
    Round,
    Sigmoid,
    Sign,
    Sin,
    Sinh,
    Sqrt,
    Tan,
    Tanh,
)
from graphrt.ops.math.logical import LogicalAnd, LogicalNot, LogicalOr
from graphrt.ops.math.special.gamma import Erf
from graphrt.ops.nn.activations import Softplus, Softsign
from graphrt.ops.random.sampling_ops import Multinomial, RandomStandardNormal, RandomUniform
from graphrt.ops.strings.joining import StringJoin
from graphrt.ops.strings.numbers import AsString, StringToNumber
from graphrt.ops.strings.regex import StaticRegexFullMatch
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.types.dtype import bool_, int32, int64, string
from graphrt.types.likes import Array


def number(c: Use, value: float) -> Tensor:
    """A number of the type of the first input."""
    return convert_to_tensor(np.asarray(value, c.dtype.as_numpy_dtype))


def vector(values: Sequence[int]) -> Array:
    """Numbers known by now, as axes and the like."""
    return np.asarray(values, np.int32)


def same(op: Callable[[], OpDef]) -> Reading:
    """An op with one input, called otherwise here."""
    return lambda c: op()(c[0])


def pair(op: Callable[[], OpDef]) -> Reading:
    """An op with two inputs."""
    return lambda c: op()(c[0], c[1])


def many(op: Callable[[], OpDef]) -> Reading:
    """An op of any number of inputs, taken two by two."""

    def rule(c: Use) -> Tensor:
        found = c[0]
        for i in range(1, len(c.inputs)):
            found = op()(found, c[i])
        return found

    return rule


def _mean(c: Use) -> Tensor:
    total: Tensor = many(lambda: AddV2)(c)
    return RealDiv(total, number(c, len(c.inputs)))


def _div(c: Use) -> Tensor:
    return RealDiv(c[0], c[1]) if c.dtype.is_floating else TruncateDiv(c[0], c[1])


def _mod(c: Use) -> Tensor:
    if c.whole("fmod", 0):
        return TruncateMod(c[0], c[1])
    return FloorMod(c[0], c[1])


def _pow(c: Use) -> Tensor:
    x, y = c[0], c[1]
    if x.dtype is not y.dtype:
        if y.dtype.is_floating and not x.dtype.is_floating:
            return cast(Pow(cast(x, y.dtype), y), x.dtype)
        y = cast(y, x.dtype)
    return Pow(x, y)


def _abs(c: Use) -> Tensor:
    return c[0] if c.dtype.is_unsigned else Abs(c[0])


def _whole(op: Callable[[], OpDef]) -> Reading:
    """Floor and its like, which leave integers as they are."""
    return lambda c: op()(c[0]) if c.dtype.is_floating else c[0]


def _relu(c: Use) -> Tensor:
    return Maximum(c[0], number(c, 0))


def _leaky_relu(c: Use) -> Tensor:
    return SelectV2(c[0] < number(c, 0), c[0] * number(c, c.number("alpha", 0.01)), c[0])


def _elu_of(c: Use, alpha: float, gamma: float = 1.0) -> Tensor:
    low = Expm1(Minimum(c[0], number(c, 0))) * number(c, alpha * gamma)
    high = c[0] if gamma == 1.0 else c[0] * number(c, gamma)
    return SelectV2(c[0] < number(c, 0), low, high)


def _elu(c: Use) -> Tensor:
    return _elu_of(c, c.number("alpha", 1.0))


def _celu(c: Use) -> Tensor:
    alpha = c.number("alpha", 1.0)
    low = Expm1(Minimum(c[0], number(c, 0)) / number(c, alpha)) * number(c, alpha)
    return SelectV2(c[0] < number(c, 0), low, c[0])


def _selu(c: Use) -> Tensor:
    return _elu_of(c, c.number("alpha", 1.6732631921768188), c.number("gamma", 1.0507010221481323))


def _prelu(c: Use) -> Tensor:
    return SelectV2(c[0] < number(c, 0), c[0] * c[1], c[0])


def _thresholded(c: Use) -> Tensor:
    return SelectV2(c[0] > number(c, c.number("alpha", 1.0)), c[0], number(c, 0))


def _hard_sigmoid_of(c: Use, alpha: float, beta: float) -> Tensor:
    line = c[0] * number(c, alpha) + number(c, beta)
    return Maximum(number(c, 0), Minimum(number(c, 1), line))


def _hard_sigmoid(c: Use) -> Tensor:
    return _hard_sigmoid_of(c, c.number("alpha", 0.2), c.number("beta", 0.5))


def _hard_swish(c: Use) -> Tensor:
    return c[0] * _hard_sigmoid_of(c, 1 / 6, 0.5)


def _gelu(c: Use) -> Tensor:
    x = c[0]
    if c.text("approximate", "none") == "tanh":
        inner = (x + x * x * x * number(c, 0.044715)) * number(c, math.sqrt(2 / math.pi))
        return x * number(c, 0.5) * (number(c, 1) + Tanh(inner))
    return x * number(c, 0.5) * (number(c, 1) + Erf(x / number(c, math.sqrt(2))))


def _clip(c: Use) -> Tensor:
    found = c[0]
    if c.given(1) is not None:
        found = Maximum(found, c[1])
    return Minimum(found, c[2]) if c.given(2) is not None else found


def _is_inf(c: Use) -> Tensor:
    found = IsInf(c[0])
    if not c.whole("detect_negative", 1):
        found = found & (c[0] > number(c, 0))
    if not c.whole("detect_positive", 1):
        found = found & (c[0] < number(c, 0))
    return found


def _cast(c: Use) -> Tensor:
    to = schema.DTYPES.get(c.whole("to"))
    if to is None:
        raise ValueError(f"it casts to ONNX's type {c.whole('to')}, which is not known")
    return as_type(c[0], to)


def as_type(x: Tensor, to: Any) -> Tensor:
    """`x` as another type; numbers and texts are made of each other."""
    if x.dtype is to:
        return x
    if to is string:
        return AsString(x)
    if x.dtype is string:
        return StringToNumber(x, out_type=to)
    return cast(x, to)


def _shifted(c: Use) -> Tensor:
    return LeftShift(c[0], c[1]) if c.text("direction", "") == "LEFT" else RightShift(c[0], c[1])


def _dropout(c: Use) -> list[Tensor]:
    training = c.const(2)
    if c.given(2) is not None and (training is None or bool(training)):
        raise ValueError("dropout of a model that is being trained")
    return [c[0], Fill(Shape(c[0]), convert_to_tensor(True))]


def _joined(c: Use) -> Tensor:
    shape = broadcast_dynamic_shape(Shape(c[0]), Shape(c[1]))
    return StringJoin([BroadcastTo(c[0], shape), BroadcastTo(c[1], shape)])


def _categories(c: Use) -> Tensor:
    dtype = schema.DTYPES[c.whole("dtype", schema.NUMBERS[int32])]
    seed = int(c.number("seed", 0.0))
    found = Multinomial(c[0], np.int32(c.whole("sample_size", 1)), seed=seed, output_dtype=int64)
    return cast(found, dtype)


def _random(normal: bool, like: bool) -> Reading:
    def rule(c: Use) -> Tensor:
        shape: Any = Shape(c[0]) if like else np.asarray(c.ints("shape"), np.int32)
        dtype = schema.DTYPES[c.whole("dtype", schema.NUMBERS[c.dtype] if like else 1)]
        seed = int(c.number("seed", 0.0))
        if normal:
            found = RandomStandardNormal(shape, dtype=dtype, seed=seed)
            times, plus = c.number("scale", 1.0), c.number("mean", 0.0)
        else:
            found = RandomUniform(shape, dtype=dtype, seed=seed)
            low, high = c.number("low", 0.0), c.number("high", 1.0)
            times, plus = high - low, low
        plain = dtype.as_numpy_dtype
        return found * convert_to_tensor(np.asarray(times, plain)) + convert_to_tensor(np.asarray(plus, plain))

    return rule


def _constant(c: Use) -> Tensor:
    if c.has("value"):
        return convert_to_tensor(c.tensor("value"))
    for name, kind in (("value_float", np.float32), ("value_int", np.int64)):
        if c.has(name):
            found: Array = np.asarray(c.number(name, 0.0) if kind is np.float32 else c.whole(name), kind)
            return convert_to_tensor(found)
    if c.has("value_ints"):
        return convert_to_tensor(np.asarray(c.ints("value_ints"), np.int64))
    if c.has("value_floats"):
        return convert_to_tensor(np.asarray(list(c.attrs["value_floats"].floats), np.float32))
    if c.has("value_string"):
        return convert_to_tensor(bytes(c.attrs["value_string"].s))
    if c.has("value_strings"):
        return convert_to_tensor(np.asarray(list(c.attrs["value_strings"].strings), object))
    raise ValueError("it holds no value that is known")


def _compared(op: Callable[[], OpDef]) -> Reading:
    """A comparison; of flags as numbers."""

    def rule(c: Use) -> Tensor:
        if c.dtype is bool_:
            return op()(Cast(c[0], DstT=schema.DTYPES[6]), Cast(c[1], DstT=schema.DTYPES[6]))
        return op()(c[0], c[1])

    return rule


READINGS: dict[str, Reading] = {
    "Abs": _abs,
    "Acos": same(lambda: Acos),
    "Acosh": same(lambda: Acosh),
    "Add": pair(lambda: AddV2),
    "And": pair(lambda: LogicalAnd),
    "Asin": same(lambda: Asin),
    "Asinh": same(lambda: Asinh),
    "Atan": same(lambda: Atan),
    "Atanh": same(lambda: Atanh),
    "BitShift": _shifted,
    "BitwiseAnd": pair(lambda: BitwiseAnd),
    "BitwiseNot": same(lambda: Invert),
    "BitwiseOr": pair(lambda: BitwiseOr),
    "BitwiseXor": pair(lambda: BitwiseXor),
    "Cast": _cast,
    "CastLike": lambda c: as_type(c[0], c[1].dtype),
    "Ceil": _whole(lambda: Ceil),
    "Celu": _celu,
    "Clip": _clip,
    "Constant": _constant,
    "Cos": same(lambda: Cos),
    "Cosh": same(lambda: Cosh),
    "Div": _div,
    "Dropout": _dropout,
    "Elu": _elu,
    "Equal": pair(lambda: Equal),
    "Erf": same(lambda: Erf),
    "Exp": same(lambda: Exp),
    "Floor": _whole(lambda: Floor),
    "Gelu": _gelu,
    "Greater": _compared(lambda: Greater),
    "GreaterOrEqual": _compared(lambda: GreaterEqual),
    "HardSigmoid": _hard_sigmoid,
    "HardSwish": _hard_swish,
    "Identity": lambda c: renamed(c.item(0)),
    "IsInf": _is_inf,
    "IsNaN": same(lambda: IsNan),
    "LeakyRelu": _leaky_relu,
    "Less": _compared(lambda: Less),
    "LessOrEqual": _compared(lambda: LessEqual),
    "Log": same(lambda: Log),
    "Max": many(lambda: Maximum),
    "Mean": _mean,
    "Min": many(lambda: Minimum),
    "Mish": lambda c: c[0] * Tanh(Softplus(c[0])),
    "Mod": _mod,
    "Mul": pair(lambda: Mul),
    "Multinomial": _categories,
    "Neg": same(lambda: Neg),
    "Not": same(lambda: LogicalNot),
    "Or": pair(lambda: LogicalOr),
    "PRelu": _prelu,
    "Pow": _pow,
    "RandomNormal": _random(True, False),
    "RandomNormalLike": _random(True, True),
    "RandomUniform": _random(False, False),
    "RandomUniformLike": _random(False, True),
    "Reciprocal": same(lambda: Reciprocal),
    "RegexFullMatch": lambda c: StaticRegexFullMatch(c[0], pattern=c.text("pattern", "")),
    "Relu": _relu,
    "Round": _whole(lambda: Round),
    "Selu": _selu,
    "Sigmoid": same(lambda: Sigmoid),
    "Sign": same(lambda: Sign),
    "Sin": same(lambda: Sin),
    "Sinh": same(lambda: Sinh),
    "Softplus": same(lambda: Softplus),
    "Softsign": same(lambda: Softsign),
    "Sqrt": same(lambda: Sqrt),
    "StringConcat": _joined,
    "Sub": pair(lambda: Sub),
    "Sum": many(lambda: AddV2),
    "Tan": same(lambda: Tan),
    "Tanh": same(lambda: Tanh),
    "ThresholdedRelu": _thresholded,
    "Where": lambda c: SelectV2(c[0], c[1], c[2]),
    "Xor": pair(lambda: NotEqual),
}
