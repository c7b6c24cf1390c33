"""Ops that look at one element, or pair of elements, at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt.export.jax.package import jax, jnp, lax
from graphrt.export.jax.replay import Rule, Use, as_array


def plain(function: Callable[..., Any]) -> Rule:
    """A function of JAX of the same inputs."""
    return lambda c: function(*[as_array(v) for v in c.inputs])


def _floor_div(x: Any, y: Any) -> Any:
    if jnp.issubdtype(x.dtype, jnp.floating):
        return jnp.floor(x / y)
    return jnp.floor_divide(x, y)


def _floor_mod(x: Any, y: Any) -> Any:
    rest = lax.rem(*jnp.broadcast_arrays(x, y))
    return jnp.where((rest != 0) & ((rest < 0) != (y < 0)), rest + y, rest)


def _truncate_div(x: Any, y: Any) -> Any:
    quotient = lax.div(*jnp.broadcast_arrays(x, y))
    return jnp.trunc(quotient) if jnp.issubdtype(quotient.dtype, jnp.floating) else quotient


def _div(x: Any, y: Any) -> Any:
    return _truncate_div(x, y) if jnp.issubdtype(x.dtype, jnp.integer) else x / y


def _unless_zero(tested: int, function: Callable[[Any, Any], Any]) -> Rule:
    """`function`, but 0 where the input `tested` is 0; neither gradients nor values see what is not taken."""

    def rule(c: Use) -> Any:
        both = jnp.broadcast_arrays(as_array(c[0]), as_array(c[1]))
        is_zero = both[tested] == 0
        both[tested] = jnp.where(is_zero, jnp.ones_like(both[tested]), both[tested])
        return jnp.where(is_zero, jnp.zeros_like(both[0]), function(*both))

    return rule


def _cast(c: Use) -> Any:
    x, wanted = as_array(c[0]), c.dtype()
    if jnp.issubdtype(x.dtype, jnp.complexfloating) and not np.issubdtype(wanted, np.complexfloating):
        x = x.real
    return x.astype(wanted)


def _clip(c: Use) -> Any:
    return jnp.minimum(jnp.maximum(as_array(c[0]), c[1]), c[2])


def _pow(x: Any, y: Any) -> Any:
    return jnp.power(x, y)


def _angle(c: Use) -> Any:
    return jnp.angle(as_array(c[0]))


def _shift(function: Callable[[Any, Any], Any]) -> Rule:
    def rule(c: Use) -> Any:
        x, y = jnp.broadcast_arrays(as_array(c[0]), as_array(c[1]))
        most = x.dtype.itemsize * 8 - 1
        return function(x, jnp.clip(y, 0, most))

    return rule


def _shift_right(x: Any, y: Any) -> Any:
    is_unsigned = jnp.issubdtype(x.dtype, jnp.unsignedinteger)
    return (lax.shift_right_logical if is_unsigned else lax.shift_right_arithmetic)(x, y)


def _add_all(c: Use) -> Any:
    total = as_array(c[0])
    for other in c.inputs[1:]:
        total = total + other
    return total


def _select(c: Use) -> Any:
    condition, x, y = (as_array(v) for v in c.inputs)
    if condition.ndim == 1 and x.ndim > 1:  # rows
        condition = condition.reshape(-1, *[1] * (x.ndim - 1))
    return jnp.where(condition, x, y)


def _activation_gradient(slope: Callable[[Any, Any], Any]) -> Rule:
    return lambda c: slope(as_array(c[0]), as_array(c[1]))


def _relu_grad(g: Any, x: Any) -> Any:
    return jnp.where(x > 0, g, jnp.zeros_like(g))


def _leaky(c: Use) -> Any:
    x = as_array(c[0])
    return jnp.where(x > 0, x, x * np.asarray(c.attr("alpha"), x.dtype))


def _leaky_grad(c: Use) -> Any:
    g, x = as_array(c[0]), as_array(c[1])
    return jnp.where(x > 0, g, g * np.asarray(c.attr("alpha"), g.dtype))


_SCALE, _ALPHA = 1.0507009873554805, 1.6732632423543772


def _approximately(c: Use) -> Any:
    return jnp.abs(as_array(c[0]) - c[1]) < np.asarray(c.attr("tolerance"), c[0].dtype)


def _bitcast(c: Use) -> Any:
    return lax.bitcast_convert_type(as_array(c[0]), c.dtype())


def _mul(x: Any, y: Any) -> Any:
    return x * y


# names: the ops of this family
RULES: dict[str, Rule] = {
    "Abs": plain(jnp.abs),
    "AccumulateNV2": _add_all,
    "Acos": plain(jnp.arccos),
    "Acosh": plain(jnp.arccosh),
    "Add": plain(jnp.add),
    "AddN": _add_all,
    "AddV2": plain(jnp.add),
    "Angle": _angle,
    "ApproximateEqual": _approximately,
    "Asin": plain(jnp.arcsin),
    "Asinh": plain(jnp.arcsinh),
    "Atan": plain(jnp.arctan),
    "Atan2": plain(jnp.arctan2),
    "Atanh": plain(jnp.arctanh),
    "BesselI0e": plain(jax.scipy.special.i0e),
    "BesselI1e": plain(jax.scipy.special.i1e),
    "BesselI0": plain(jax.scipy.special.i0),
    "BesselI1": plain(jax.scipy.special.i1),
    "Betainc": plain(jax.scipy.special.betainc),
    "BitwiseAnd": plain(jnp.bitwise_and),
    "BitwiseOr": plain(jnp.bitwise_or),
    "BitwiseXor": plain(jnp.bitwise_xor),
    "Bitcast": _bitcast,
    "Cast": _cast,
    "Ceil": plain(jnp.ceil),
    "ClipByValue": _clip,
    "Complex": plain(lax.complex),
    "ComplexAbs": plain(jnp.abs),
    "Conj": plain(jnp.conj),
    "Cos": plain(jnp.cos),
    "Cosh": plain(jnp.cosh),
    "Digamma": plain(jax.scipy.special.digamma),
    "Div": plain(_div),
    "DivNoNan": _unless_zero(1, lambda x, y: x / y),
    "Elu": plain(jax.nn.elu),
    "EluGrad": _activation_gradient(lambda g, y: jnp.where(y < 0, g * (y + 1), g)),
    "Equal": plain(jnp.equal),
    "Erf": plain(jax.scipy.special.erf),
    "Erfc": plain(jax.scipy.special.erfc),
    "Erfinv": plain(jax.scipy.special.erfinv),
    "Exp": plain(jnp.exp),
    "Expm1": plain(jnp.expm1),
    "Floor": plain(jnp.floor),
    "FloorDiv": plain(_floor_div),
    "FloorMod": plain(_floor_mod),
    "Greater": plain(jnp.greater),
    "GreaterEqual": plain(jnp.greater_equal),
    "Igamma": plain(jax.scipy.special.gammainc),
    "Igammac": plain(jax.scipy.special.gammaincc),
    "Imag": plain(jnp.imag),
    "Inv": plain(lambda x: 1 / x),
    "Invert": plain(jnp.invert),
    "InvGrad": _activation_gradient(lambda y, g: -g * y * y),
    "IsFinite": plain(jnp.isfinite),
    "IsInf": plain(jnp.isinf),
    "IsNan": plain(jnp.isnan),
    "LeakyRelu": _leaky,
    "LeakyReluGrad": _leaky_grad,
    "LeftShift": _shift(lax.shift_left),
    "Less": plain(jnp.less),
    "LessEqual": plain(jnp.less_equal),
    "Lgamma": plain(jax.scipy.special.gammaln),
    "Log": plain(jnp.log),
    "Log1p": plain(jnp.log1p),
    "LogicalAnd": plain(jnp.logical_and),
    "LogicalNot": plain(jnp.logical_not),
    "LogicalOr": plain(jnp.logical_or),
    "Maximum": plain(jnp.maximum),
    "Minimum": plain(jnp.minimum),
    "Mod": plain(lambda x, y: lax.rem(*jnp.broadcast_arrays(x, y))),
    "Mul": plain(_mul),
    "MulNoNan": _unless_zero(1, _mul),
    "Ndtri": plain(jax.scipy.special.ndtri),
    "Neg": plain(jnp.negative),
    "NextAfter": plain(jnp.nextafter),
    "NotEqual": plain(jnp.not_equal),
    "Polygamma": plain(jax.scipy.special.polygamma),
    "PopulationCount": plain(lax.population_count),
    "Pow": plain(_pow),
    "Real": plain(jnp.real),
    "RealDiv": plain(lambda x, y: x / y),
    "Reciprocal": plain(lambda x: 1 / x),
    "ReciprocalGrad": _activation_gradient(lambda y, g: -g * y * y),
    "Relu": plain(jax.nn.relu),
    "Relu6": plain(jax.nn.relu6),
    "ReluGrad": _activation_gradient(_relu_grad),
    "Relu6Grad": _activation_gradient(lambda g, x: jnp.where((x > 0) & (x < 6), g, jnp.zeros_like(g))),
    "RightShift": _shift(_shift_right),
    "Rint": plain(jnp.rint),
    "Round": plain(jnp.round),
    "Rsqrt": plain(lax.rsqrt),
    "RsqrtGrad": _activation_gradient(lambda y, g: jnp.where(g == 0, 0 * abs(g), -0.5 * g * y * y * y)),
    "Select": _select,
    "SelectV2": plain(jnp.where),
    "Selu": plain(jax.nn.selu),
    "SeluGrad": _activation_gradient(lambda g, y: jnp.where(y < 0, g * (y + _SCALE * _ALPHA), g * _SCALE)),
    "Sigmoid": plain(jax.nn.sigmoid),
    "SigmoidGrad": _activation_gradient(lambda y, g: g * y * (1 - y)),
    "Sign": plain(jnp.sign),
    "Sin": plain(jnp.sin),
    "Sinh": plain(jnp.sinh),
    "Softplus": plain(jax.nn.softplus),
    "SoftplusGrad": _activation_gradient(lambda g, x: g * jax.nn.sigmoid(x)),
    "Softsign": plain(jax.nn.soft_sign),
    "SoftsignGrad": _activation_gradient(lambda g, x: g / (1 + jnp.abs(x)) ** 2),
    "Sqrt": plain(jnp.sqrt),
    "SqrtGrad": _activation_gradient(lambda y, g: jnp.where(g == 0, 0 * abs(g), g * 0.5 / y)),
    "Square": plain(jnp.square),
    "SquaredDifference": plain(lambda x, y: (x - y) * jnp.conj(x - y)),
    "Sub": plain(jnp.subtract),
    "Tan": plain(jnp.tan),
    "Tanh": plain(jnp.tanh),
    "TanhGrad": _activation_gradient(lambda y, g: g * (1 - y * y)),
    "TruncateDiv": plain(_truncate_div),
    "TruncateMod": plain(lambda x, y: lax.rem(*jnp.broadcast_arrays(x, y))),
    "Xdivy": _unless_zero(0, lambda x, y: x / y),
    "Xlog1py": _unless_zero(0, lambda x, y: x * jnp.log1p(y)),
    "Xlogy": _unless_zero(0, lambda x, y: x * jnp.log(y)),
    "Zeta": plain(jax.scipy.special.zeta),
}
